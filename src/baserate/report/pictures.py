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
    "calibration": "Can the probabilities be believed? Of the cases given a probability (to the "
    "right), the share that it came true for (upwards). Right ones follow the dashed line; the "
    "band holds the whole curve.",
    "decision_curve": "Is it worth using? Net benefit if those above a risk are treated, beside "
    "treating everyone and no one. Look at the risks at which one would act; the highest line did "
    "best there in these cases.",
    "score_distribution": "Do positives get higher scores? Scores of positives and of negatives, "
    "each as shares of their class. The less they overlap, the better.",
    "threshold": "Where to cut: each metric at every cut, above the scores of the cases. A hollow "
    "mark, where there is one, is the best cut of these cases, which flatters it; dashed: by luck.",
    "chance": "Is it better than luck? How often guessing with as many alarms would find each "
    "share of the positives, and the share that was found. Shaded: luck as good or "
    "better.",
    "confusion": "Of the cases in each row, how many were called what. What is right lies on the "
    "diagonal.",
    "recall": "Of the cases of each class, how many are found; dashed: what calling as many so at "
    "random would find.",
    "precision": "Of the cases called each class, how many are it; dashed: what calling as many so "
    "at random would get right.",
    "yields": "What each classifier is worth per case, with its interval; dashed: the best "
    "constant decision, which a classifier has to beat.",
    "differences": "The leading classifier less the next by each metric; where an interval covers "
    "the dashed line, either may be better.",
    "classes": "The same in each class: left of the dashed line the next one did better. Squares: "
    "classes whose adjusted p-value is below 0.05.",
    "groups": "Groups side by side: value and interval of each; dashed: what it is judged by, with "
    "as many cases of each class as the group has.",
    "classes_by_group": "Each class in each group: value and interval; dashed: what the others "
    "have; grey: true values that would go unseen.",
    "forest": "Groups side by side: value and interval of each, beside all cases together.",
}


class Pictures(NamedTuple):
    """Pictures for a page: SVG by name, the rules of their colours, and why some are lacking."""

    svgs: Mapping[str, str] = {}
    style: str = ""
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def lacking(self) -> Remarks:
        """Why some could not be drawn."""
        return Remarks(title=REFUSED, pairs=self.refused)


UNDRAWN = Pictures()  # of every format but a page


def drawn_of(drawn: Iterable[tuple[str, Callable[[], str]]], style: str) -> Pictures:
    """Write pictures; say why some could not be drawn."""
    svgs: dict[str, str] = {}
    refused: list[tuple[str, str]] = []
    for name, write in drawn:
        try:
            svgs[name] = write()
        except BaserateError as error:
            refused.append((name.replace("_", " "), str(error)))
    return Pictures(svgs, style if svgs else "", tuple(refused))


def captioned(drawn: Pictures) -> tuple[Part, ...]:
    """Return pictures under the captions that say how they are read, and why some are lacking."""
    svgs = drawn.svgs.items()
    shown = (Figure(svg=svg, note=HOW_TO_READ.get(name, "")) for name, svg in svgs)
    return (*shown, drawn.lacking)
