"""Which argument has no meaning beside which data, and what to do instead: one table of rules."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, NamedTuple

from baserate.errors import InvalidArgumentError
from baserate.evaluation.keywords import KEYS, KEYWORDS

LEAVE = "leave it out"
# What says how cases were sampled; without it numbers are too sure, or of another population.
WEIGHTS = ("weight", "sample_weight", "replicate_weights", "replicate_scale")
ROWS = "pass the cases, one a row, with it: without it "


class Refusal(NamedTuple):
    """Why what is given would be ignored; `told` where the data say already how they were sampled.

    `otherwise` holds remedies of single arguments.
    """

    why: str
    remedy: str = LEAVE
    told: bool = False
    otherwise: Mapping[str, str] = {}

    def of(self, name: str) -> str:
        """Return what to do about an argument: nobody is told to drop how cases were sampled."""
        if name in self.otherwise or self.told:
            return self.otherwise.get(name, self.remedy)
        if name in KEYS:
            return f"{ROWS}intervals are too narrow"
        return f"{ROWS}rates are of others" if name in WEIGHTS else self.remedy


REST = "pass positive (--positive) for one class against the rest"
DECIDE = "leave it out, and decide by expected utility (UtilityMatrix.decide)"
# By what is beside the argument.
RULES: Mapping[str, Refusal] = {
    "counts": Refusal(
        "has no meaning for tables that were counted elsewhere (--counts)",
        otherwise={
            "relabel": "pass rows of truth, prediction and how many cases have both (--frequency)"
        },
    ),
    "histogram": Refusal(
        "has no meaning beside a histogram of scores, which holds no cases one by one"
    ),
    "histograms": Refusal(
        "has no meaning beside histograms of scores, each of cases of its own: what two "
        "classifiers say of the same case is not in them"
    ),
    "held out": Refusal(
        "has no meaning beside held-out cases, which bring labels and scores along", told=True
    ),
    "read": Refusal("comes too late beside cases that were read", "pass it to cases", told=True),
    "arrays": Refusal("names a column of a frame or a file, not of arrays"),
    "replicates": Refusal("says what replicate weights say already", told=True),
    "marked": Refusal("has no meaning beside answers that are marked right or wrong (--correct)"),
    "no models": Refusal(
        "tells classifiers apart, which only compare does", "keep the rows of one classifier"
    ),
    "no marks": Refusal(
        "marks answers as right or wrong, which evaluate, audit and compare take",
        "pass it to one of these",
    ),
    "frequency": Refusal(
        "tells cases apart, and a row is many of them (--frequency)", "repeat the rows", told=True
    ),
    "no score": Refusal("cuts a score, and none is given", "name one (--score), or leave it out"),
    "class scores": Refusal("is known beside the score of one class only"),
    "no cut": Refusal("has no meaning unless a score (--score) is cut"),
    "weights": Refusal("has no meaning beside weights: the top are whole cases"),
    "clusters": Refusal("takes cases as independent, and these lie in clusters"),
    "no chooser": Refusal("has no meaning unless a metric cuts the score"),
    "no folds": Refusal("has no meaning unless thresholds are cross-validated (--fold)"),
    "folds": Refusal(
        "has no meaning beside folds (--fold)",
        "leave out the folds",
        told=True,
        otherwise={"groups": LEAVE},
    ),
    "audit": Refusal("has no meaning where no metric chooses a cut"),
    "compare": Refusal("has no meaning here, where cuts are chosen on all cases"),
    "thresholds": Refusal("has no meaning where a cut is chosen", "name a score (--score)"),
    "jumps": Refusal(
        "says how much what moves smoothly varies, and a best cut jumps from case to case",
        "name clusters (--cluster) and weights instead, or judge the cut by evaluate with it",
        told=True,
        otherwise={
            "run": "leave it out, which takes runs as alike, or judge the cut by evaluate "
            "(--threshold) with run",
        },
    ),
    "together": Refusal(
        "makes a variance of one number at a time, and an audit tests numbers of all groups "
        "together, whose covariances might not fit each other",
        "leave it out, which takes runs as alike, or ask evaluate with groups and run",
        told=True,
    ),
    "classes": Refusal(
        "speaks of one positive class, and there are {} classes",
        f"{LEAVE}, or {REST}",
        told=True,
        otherwise={
            "cost": f"pass utility (--utility) with a column for each class, or {REST}",
        },
    ),
    "decisions": Refusal("has no meaning where decisions are no classes, and utilities say which"),
    "class weights": Refusal(
        "is known to the cut of one score, and there are {} classes",
        f"{LEAVE}, or {REST}",
        told=True,
        otherwise={
            "utility": DECIDE,
            "cost": DECIDE,
        },
    ),
}


def refuse(beside: str, /, *fits: Any, **arguments: Any) -> None:
    """Refuse the first of these arguments that is given, since it would be ignored.

    Examples
    --------
    >>> from baserate.evaluation.refusals import refuse
    >>> refuse("classes", 3, base_rate=0.5)
    Traceback (most recent call last):
    baserate.errors.InvalidArgumentError: base_rate speaks of one positive class, and there are 3 \
classes, got 0.5: leave it out, or pass positive (--positive) for one class against the rest.
    """
    rule = RULES[beside]
    for name, value in arguments.items():
        if is_given(name, value):
            why = rule.why.format(*fits)
            raise InvalidArgumentError.from_rule(name, why, as_given(value), rule.of(name))


def is_given(name: str, value: Any) -> bool:
    """Whether an argument says anything; no name of a group is no group."""
    if name == "groups" and isinstance(value, str | list | tuple | dict):
        return bool(value)
    default = KEYWORDS[name].default if name in KEYWORDS else None
    return not (value is None or value is default or (default is not None and value == default))


def as_given(value: Any) -> str | float:
    """Return what a message shows of an argument: itself if it is short, else what it is.

    Examples
    --------
    >>> from baserate.evaluation.refusals import as_given
    >>> from pathlib import Path
    >>> as_given(0.5), as_given(Path("worth.csv")), as_given(["site", "sex"]), as_given({"x": [1]})
    (0.5, 'worth.csv', 'site, sex', 'dict')
    """
    if isinstance(value, PathLike):
        return str(fspath(value))
    if isinstance(value, list | tuple) and all(isinstance(x, str | int | float) for x in value):
        return ", ".join(map(str, value[:3])) + (", ..." if len(value) > 3 else "")
    return value if isinstance(value, str | int | float) else type(value).__name__
