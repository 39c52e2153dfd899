"""Pictures of a page: what stands above each, in words for who never saw one like it."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from baserate.errors import BaserateError
from baserate.report.sheet import Figure, Part, Remarks

REFUSED = "Pictures that could not be drawn"
# What a picture shows and how it is read, by its name among the `displays()` of a result.
HOW_TO_READ = {
    "roc": "Ranking: each point is a cut. Upwards, the share of positives found; to the right, the "
    "share of negatives called positive by mistake. A score that knows nothing follows the dashed "
    "line.",
    "calibration": "Can the probabilities be believed? Of the cases told a risk (to the right), "
    "the share that turned out positive (upwards). Right risks follow the dashed line; the band "
    "holds the whole curve.",
    "decision_curve": "Is it worth using? Net benefit if those above a risk are treated, beside "
    "treating everyone and no one. Look at the risks at which one would act; the highest line is "
    "best there.",
    "score_distribution": "Do positives get higher scores? Scores of positives and of negatives, "
    "each as shares of their class. The less they overlap, the better.",
    "threshold": "Where to cut: each metric at every cut, above the scores of the cases. A hollow "
    "mark is the best cut of these cases, which flatters it; dashed is chance.",
    "chance": "Is it better than luck? How often guessing with as many alarms would find each "
    "share of the positives, and the share that was found. Shaded: luck as good or "
    "better.",
    "confusion": "Of the cases in each row, how many were called what.",
    "forest": "Groups side by side: value and interval of each, beside all cases together.",
}


class Drawn(NamedTuple):
    """Pictures for a page that arranges them itself: SVG by name, colours, what is lacking."""

    svgs: Mapping[str, str] = {}
    style: str = ""
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def lacking(self) -> Remarks:
        """Why some could not be drawn."""
        return Remarks(title=REFUSED, pairs=self.refused)


NOTHING = Drawn()


def drawn_of(drawn: Iterable[tuple[str, Callable[[], str]]], style: str) -> Drawn:
    """Write pictures, and say why some could not be drawn; as in `figures`."""
    svgs: dict[str, str] = {}
    refused: list[tuple[str, str]] = []
    for name, write in drawn:
        try:
            svgs[name] = write()
        except BaserateError as error:
            refused.append((name.replace("_", " "), str(error)))
    return Drawn(svgs, style, tuple(refused))


def figures(drawn: Iterable[tuple[str, Callable[[], str]]], style: str) -> tuple[Part, ...]:
    """Return pictures as parts of a page, and why some could not be drawn.

    Parameters
    ----------
    drawn : iterable of (str, callable)
        The name of a picture, and what writes it as SVG.
    style : str
        The rules of its colours, which a page has once.

    Examples
    --------
    >>> from baserate.errors import UnsupportedError
    >>> def refuse():
    ...     raise UnsupportedError("Weights have no exact law.")
    >>> whole, missing = figures([("roc", lambda: "<svg></svg>"), ("calibration", refuse)], "")
    >>> whole.svg, missing.pairs
    ('<svg></svg>', (('calibration', 'Weights have no exact law.'),))
    """
    written = drawn_of(drawn, style)
    shown = (
        Figure(svg=svg, note=HOW_TO_READ.get(name, ""), style=style)
        for name, svg in written.svgs.items()
    )
    return (*shown, written.lacking)
