"""Methods for a paper: true of this report, with versions, references and how to make it again."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy

import baserate as br
from baserate._files import commanded
from baserate.report.methods import CITATIONS, Statement, for_paper

SOURCE = Path(br.__file__).parent


def pairs(result, **how):
    """The three paragraphs of the section, from the Markdown."""
    text = (
        result.render("markdown", **how).replace("\\", "").replace("&lt;", "<").replace("&gt;", ">")
    )
    section = text.split("## Methods, for a paper\n\n")[1].split("\n\n")[0]
    return dict(line.removeprefix("- ").split(": ", 1) for line in section.splitlines())


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.3
    return truth, 1 / (1 + np.exp(1 - 1.5 * truth - rng.normal(size=300)))


def test_the_tools_are_named_with_their_versions(scores):
    text = pairs(br.evaluate(*scores[:1], scores[0]))["Text"]
    assert f"baserate {br.__version__} (Python 3." in text
    assert f"NumPy {np.__version__}, SciPy {scipy.__version__})" in text


@pytest.mark.sweep(5, start=2)
@pytest.mark.parametrize("key", CITATIONS)
def test_every_citation_stands_beside_what_computes_it(key):
    """The last part of a citation, its DOI or place, stands in a docstring outside of reports."""
    place = CITATIONS[key].split(", ")[-1]
    first = CITATIONS[key].split(" ")[0]
    files = [path for path in SOURCE.rglob("*.py") if "report" not in path.parts]
    texts = (re.sub(r"\s+", " ", path.read_text(encoding="utf-8")) for path in files)
    assert any(place in text and first in text for text in texts)


@pytest.mark.slow
def test_what_is_stated_is_cited_and_nothing_else(scores):
    found = pairs(br.thresholds(*scores, n_resamples=20))
    cited = set(map(int, re.findall(r"(?<=[\[ ])(\d+)(?=[,\]])", found["Text"].split("). ", 1)[1])))
    listed = [int(number) for number in re.findall(r"\[(\d+)\] ", found["References"])]
    assert listed == sorted(cited) == list(range(1, len(listed) + 1))


def test_a_table_alone_states_nothing_of_scores(scores):
    text = pairs(br.evaluate(scores[0], scores[1] > 0.5))["Text"]
    assert "Fisher's exact test, one-sided" in text
    assert not re.search("ROC|calibration|Brier|net benefit|bootstrap", text, re.IGNORECASE)


@pytest.mark.sweep(6, start=1)
@pytest.mark.parametrize(
    ("options", "said", "not_said"),
    [
        ({"interval": "wilson"}, "Wilson's intervals", "Jeffreys"),
        ({"interval": "exact"}, "Clopper and Pearson's intervals", "Jeffreys"),
        ({"guess": "uniform"}, "chance being tossing a coin", "the best that guessing"),
        ({"p_value": "sup"}, "the largest over all numbers of cases", "Fisher"),
        ({"base_rate": 0.1}, "on average at a base rate of 0.1", "Kish"),
        ({"base_rate": 0.1}, "base rate held fixed at 0.1", "Kish"),
        ({"weight": [1.0, 2.0] * 150}, "Kish's effective number", "Fisher"),
    ],
)
def test_options_change_what_is_stated(scores, options, said, not_said):
    text = pairs(br.evaluate(scores[0], scores[1] > 0.5, **options))["Text"]
    assert said in text
    assert not_said not in text


def test_the_command_makes_the_report_again_and_a_call_says_so(scores):
    result = br.evaluate(scores[0], scores[1] > 0.5)
    assert pairs(result)["To make it again"].startswith("this report was made by a call in Python")
    with commanded("baserate evaluate 'a b.csv' --target y"):
        again = pairs(result)["To make it again"]
    assert again == "the command baserate evaluate 'a b.csv' --target y"


def test_nothing_stated_nothing_shown():
    assert not for_paper([]).filled
    assert not any("References" in pair for pair in for_paper([Statement("So")]).pairs)


def test_an_audit_states_its_tests_as_they_were_made(on_record):
    tables = {"a": br.ConfusionMatrix(tp=9, fn=3, fp=2, tn=11),
              "b": br.ConfusionMatrix(tp=4, fn=8, fp=3, tn=10)}  # fmt: skip
    asked = {"metrics": "f1", "adjust": "benjamini-hochberg", "strength": 3}
    told = {"as usual": br.audit(tables, metrics="recall"), "asked for": br.audit(tables, **asked)}
    on_record({how: pairs(found, details=True).values() for how, found in told.items()})
