"""The keywords that say how data are read: written here once, for every call and command."""

from collections.abc import Callable, Mapping
from inspect import Parameter, cleandoc, signature
from textwrap import fill, indent
from typing import Any, NamedTuple, TypedDict, TypeVar, get_type_hints

from baserate._calls import explained

PLACE = "**reading\n"  # the entry of a docstring in whose place all keywords are described
# Of columns that say which cases are alike, and that reports name.
KEYS = ("strata", "cluster", "case_id", "run")
WIDTH = 92  # of their lines, which a docstring indents
F = TypeVar("F", bound=Callable[..., Any])


class Keyword(NamedTuple):
    """One of them: what it may be, what it says of columns, and what else in Python alone."""

    kind: str
    says: str
    also: str = ""
    default: Any = None


class ReadingKeywords(TypedDict, total=False):
    """What `cases` and every call that reads data take; `KEYWORDS` says what they mean."""

    target: str | None
    prediction: Any
    score: Any
    correct: Any
    model: Any
    groups: Any
    fold: Any
    weight: Any
    strata: Any
    cluster: Any
    case_id: Any
    run: Any
    replicate_weights: Any
    replicate_scale: Any
    frequency: Any
    relabel: Any
    positive: Any
    missing: str
    many_groups: bool
    progress: Any


KEYWORDS: Mapping[str, Keyword] = {
    "target": Keyword("str, optional", "Column of true labels."),
    "prediction": Keyword(
        "str or sequence of str, optional",
        "Column of predicted labels; compare takes several, one for each classifier.",
    ),
    "score": Keyword(
        "str, sequence of str, mapping, array-like or frame, optional",
        "Column of scores, higher for positive: predicted positive if score >= threshold. Of "
        "several classes a column for each: by name, as a pattern such as 'p_*', or LABEL=COLUMN; "
        "each case is then called the class with the highest score. With a prediction too, the "
        "table comes from the prediction, and the report says so. Where several classifiers are "
        "compared, a column for each, or of several classes NAME='p_*' for each.",
        "Beside arrays: an array, or of several classes one of shape (n, K) whose columns are the "
        "labels in order, a frame called by the labels, or a mapping of label to array; to compare "
        "several, a mapping of name to any of these.",
    ),
    "correct": Keyword(
        "str or sequence of str, optional",
        "Column of 1 and 0 (or of two labels, one of them positive) that says whether an answer is "
        "right, in place of true labels and predictions; where several are compared, one for each.",
        "Of `evaluate`, `audit` and `compare` alone.",
    ),
    "model": Keyword(
        "str, optional",
        "Column that says which classifier a row is of, in a long table with a row for each case "
        "and classifier: the one prediction, score or mark is then that classifier's. Needs case "
        "ids.",
        "Of `compare` alone.",
    ),
    "groups": Keyword(
        "str, sequence of str, or mapping of name to array-like, or frame, optional",
        "Group columns; every combination that occurs is a group.",
    ),
    "fold": Keyword(
        "str or array-like, optional",
        "Column that names the fold each case was held out in: a metric then cuts the score where "
        "its mean skill over folds is best.",
        "Of `evaluate` and `thresholds` alone.",
    ),
    "weight": Keyword(
        "str or array-like, optional",
        "Column of non-negative weights, which are not counts of cases; a row of weight 0 counts "
        "nowhere. Intervals, tests and chances are approximate then.",
    ),
    "strata": Keyword(
        "str or array-like, optional",
        "Column of the strata that a survey drew its clusters in, beside the cluster, whose labels "
        "may begin anew in each: intervals and tests leave out each cluster in turn, and the "
        "others of its stratum stand for it. Without a cluster, the case id is what was drawn.",
    ),
    "cluster": Keyword(
        "str or array-like, optional",
        "Column of what is independent where cases are not, such as the patient of each image or "
        "the topic of each question: intervals, tests and chances then go by whole clusters.",
    ),
    "case_id": Keyword(
        "str or array-like, optional",
        "Column of case ids: rows of one id are the same item again, as in repeated runs. Without "
        "a cluster, the item is the cluster.",
    ),
    "run": Keyword(
        "str or array-like, optional",
        "Column of the run of each answer, such as the seed of a training or a trial, beside the "
        "case id (or cluster): items and runs are both taken as drawn, so that intervals hold for "
        "other items and other runs.",
        "Of `evaluate` and `compare` alone.",
    ),
    "replicate_weights": Keyword(
        "sequence of str, or array of shape (n, R), optional",
        "Columns of the survey's replicate weights, beside the weight: by name, or a pattern such "
        "as 'repwt*'. Intervals and tests then come from these.",
    ),
    "replicate_scale": Keyword(
        "float or sequence of float, optional",
        "What a squared deviation of each replicate counts: 1/R for balanced repeated replication "
        "of R replicates, 1/(R (1 - rho)²) with Fay's factor, (R - 1)/R for the jackknife, "
        "1/(R - 1) for the bootstrap; or one number per replicate.",
    ),
    "frequency": Keyword(
        "str or array-like, optional",
        "Column that says how many cases a row stands for, as in a table of counts: whole numbers. "
        "A weight says how much a case counts, and this how many there are.",
    ),
    "relabel": Keyword(
        "mapping or str, optional",
        "What labels of the truth and of predictions mean, where they differ or are to be joined: "
        "POS=yes,neg=no; void= is a missing label, and =no a missing prediction.",
        "As a mapping {'POS': 'yes', 'void': None}.",
    ),
    "positive": Keyword(
        "label, optional",
        "The positive label; default the one that utilities state, else True, or 1 of 0/1 or -1/1. "
        "With more than two labels, this one against the rest; or none, for all of them.",
    ),
    "missing": Keyword(
        '{"error", "drop"}',
        "What to do with rows that lack a label, score, weight, fold or group: error, or drop "
        "(and count) them.",
        "Missing are null, nan, and in text files an empty field (a label, score or weight also as "
        "NA, N/A, NaN, null, None or <NA>).",
        default="error",
    ),
    "many_groups": Keyword(
        "bool",
        "Take a nearly continuous column as groups: more than 30, of fewer than ten cases on "
        "average.",
        default=False,
    ),
    "progress": Keyword("callable, optional", "Of a file: called with the share of the work done."),
}


def takes_reading(call: F) -> F:
    r"""Complete the signature and the docstring of a call that takes `**reading`.

    Examples
    --------
    >>> from baserate.evaluation.keywords import takes_reading
    >>> from inspect import signature
    >>> def ask(data, /, *, threshold=None, **reading): "Ask.\n\n**reading\n    See."
    >>> list(signature(takes_reading(ask)).parameters)[:4]
    ['data', 'target', 'prediction', 'score']
    >>> ask.__doc__.splitlines()[2:4]
    ['target : str, optional', '    Column of true labels.']
    """
    known = signature(call)
    first = [p for p in known.parameters.values() if p.kind is Parameter.POSITIONAL_ONLY]
    own = [p for p in known.parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    read = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=KEYWORDS[name].default, annotation=hint)
        for name, hint in get_type_hints(ReadingKeywords).items()
    ]
    call.__signature__ = known.replace(parameters=[*first, *read, *own])  # pyright: ignore[reportFunctionMemberAccess]
    before, _, after = cleandoc(call.__doc__ or "").partition(PLACE)
    rest = after.split("\n")
    kept = next((k for k, line in enumerate(rest) if not line.startswith(" ")), len(rest))
    call.__doc__ = before + "\n".join([*map(_entry, KEYWORDS), *rest[kept:]])
    return explained(call)


def _entry(name: str) -> str:
    key = KEYWORDS[name]
    text = fill(f"{key.says} {key.also}", WIDTH, break_on_hyphens=False)
    return f"{name} : {key.kind}\n{indent(text, '    ')}"
