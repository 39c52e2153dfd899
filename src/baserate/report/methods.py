"""A paragraph of methods for a paper: what this report did, by whom it is known, with what tools.

A report states what it used as `Statement`s, in order; only what is stated is cited. Every citation
stands in the docstring of the function that computes it, too.
"""

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from platform import python_version
from typing import NamedTuple

from baserate._files import provenance
from baserate.report.sheet import Remarks

TITLE = "Methods, for a paper"
CITATIONS = {
    "benjamini": "Benjamini and Hochberg (1995), Journal of the Royal Statistical Society B "
    "57:289, doi:10.1111/j.2517-6161.1995.tb02031.x",
    "bishop": "Bishop, Fienberg and Holland (1975), Discrete Multivariate Analysis, MIT Press",
    "brier": "Brier (1950), Monthly Weather Review 78:1, "
    "doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2",
    "briscoe": "Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic accountability in "
    "small data, AISTATS",
    "bell": "Bell and McCaffrey (2002), Survey Methodology 28:169",
    "brown": "Brown, Cai and DasGupta (2001), Statistical Science 16:101, "
    "doi:10.1214/ss/1009213286",
    "caelen": "Caelen (2017), Annals of Mathematics and Artificial Intelligence 81:429, "
    "doi:10.1007/s10472-017-9564-8",
    "clopper": "Clopper and Pearson (1934), Biometrika 26:404, doi:10.1093/biomet/26.4.404",
    "cox": "Cox (1958), Biometrika 45:562, doi:10.1093/biomet/45.3-4.562",
    "debray": "Debray et al. (2017), BMJ 356:i6460, doi:10.1136/bmj.i6460",
    "dimitriadis": "Dimitriadis, Dümbgen, Henzi, Puke and Ziegel (2023), Biometrika 110:663, "
    "doi:10.1093/biomet/asac068",
    "delong": "DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837, doi:10.2307/2531595",
    "dutch_draw": "van de Bijl, Klein, Pries, Bhulai, Hoogendoorn and van der Mei (2025), "
    "The Dutch Draw, Journal of Applied Probability 62",
    "dyrland": "Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t",
    "efron": "Efron (1983), JASA 78:316, doi:10.1080/01621459.1983.10477973",
    "fagerland": "Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13:91, "
    "doi:10.1186/1471-2288-13-91",
    "fisher": "Fisher (1935), Journal of the Royal Statistical Society 98:39, doi:10.2307/2342435",
    "gaffke": "Gaffke (2005), Mathematical Methods of Statistics 14:451",
    "gelman": "Gelman (2006), Bayesian Analysis 1:515, doi:10.1214/06-BA117A",
    "good": "Good (1952), Journal of the Royal Statistical Society B 14:107, "
    "doi:10.1111/j.2517-6161.1952.tb00104.x",
    "harrell": "Harrell (2015), Regression Modeling Strategies, Springer, "
    "doi:10.1007/978-3-319-19425-7",
    "hoeffding": "Hoeffding (1956), Annals of Mathematical Statistics 27:713, "
    "doi:10.1214/aoms/1177728178",
    "holm": "Holm (1979), Scandinavian Journal of Statistics 6:65",
    "hong": "Hong (2013), Computational Statistics and Data Analysis 59:41, "
    "doi:10.1016/j.csda.2012.10.006",
    "kish": "Kish (1965), Survey Sampling, Wiley",
    "cameron": "Cameron, Gelbach and Miller (2011), Journal of Business & Economic Statistics "
    "29:238, doi:10.1198/jbes.2010.07136",
    "korn": "Korn and Graubard (1998), Survey Methodology 24:193",
    "mcnemar": "McNemar (1947), Psychometrika 12:153, doi:10.1007/BF02295996",
    "murphy": "Murphy (1988), Monthly Weather Review 116:2417",
    "obuchowski": "Obuchowski (1997), Biometrics 53:567, doi:10.2307/2533958",
    "gail": "Gail, Mark, Carroll, Green and Pee (1996), Statistics in Medicine 15:1069, "
    "doi:10.1002/(SICI)1097-0258(19960615)15:11<1069::AID-SIM220>3.0.CO;2-Q",
    "rao_scott": "Rao and Scott (1984), Annals of Statistics 12:46, doi:10.1214/aos/1176346391",
    "rotnitzky": "Rotnitzky and Jewell (1990), Biometrika 77:485, doi:10.1093/biomet/77.3.485",
    "vickers": "Vickers and Elkin (2006), Medical Decision Making 26:565, "
    "doi:10.1177/0272989X06295361",
    "wilson": "Wilson (1927), JASA 22:209, doi:10.1080/01621459.1927.10502953",
    "westfall": "Westfall and Young (1993), Resampling-based multiple testing, Wiley",
}


class Statement(NamedTuple):
    """One sentence of method, and the keys of what it cites."""

    text: str
    cites: tuple[str, ...] = ()


def sentences(lines: Iterable[str]) -> Iterator[Statement]:
    """Yield lines of method as they stand below a report."""
    return (Statement(line.rstrip(".")) for line in lines)


def for_paper(statements: Iterable[Statement]) -> Remarks:
    """Return the paragraph, what it cites, and how to make the report again.

    A terminal shows it among the details, a page folded.
    """
    stated = list(statements)
    if not stated:
        return Remarks(TITLE, (), detail=True)
    numbers = {
        key: i + 1 for i, key in enumerate(dict.fromkeys(k for s in stated for k in s.cites))
    }
    text = " ".join(_sentence(statement, numbers) for statement in stated)
    cited = "; ".join(f"[{i}] {CITATIONS[key]}" for key, i in numbers.items())
    made = provenance()
    pairs = (
        ("Text", f"{_tools(made['version'])} {text}"),
        ("References", f"{cited}." if cited else ""),
        ("To make it again", _again(made["command"])),
    )
    return Remarks(TITLE, tuple(p for p in pairs if p[1]), detail=True)


def _sentence(statement: Statement, numbers: dict[str, int]) -> str:
    marks = ", ".join(str(numbers[key]) for key in statement.cites)
    return f"{statement.text} [{marks}]." if marks else f"{statement.text}."


def _tools(own: str | None) -> str:
    others = ", ".join(f"{name} {version(name)}" for name in ("NumPy", "SciPy"))
    return f"All numbers were computed with baserate {own} (Python {python_version()}, {others})."


def _again(command: str | None) -> str:
    if command is not None:
        return f"the command {command}"
    return "this report was made by a call in Python, whose arguments the lines above name"
