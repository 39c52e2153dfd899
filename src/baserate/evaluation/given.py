"""What a call is given to read: data, or cases that were read, and the keywords of reading."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from baserate._files import Origin, origins
from baserate._result import HIDDEN, Result
from baserate.cases.arrays import read_arrays
from baserate.cases.cases import Cases
from baserate.cases.columns import check_order
from baserate.cases.restated import names_told
from baserate.cases.unseen_cases import HeldOut
from baserate.curves.score_histogram import ScoreHistogram
from baserate.errors import InvalidArgumentError
from baserate.evaluation.keywords import KEYS, KEYWORDS
from baserate.evaluation.published_tables import CountsFile, Published, files_in
from baserate.evaluation.reading import (
    SCORE,
    check_shared,
    names_of,
    no_target,
    unfolded,
)
from baserate.evaluation.refusals import as_given, refuse
from baserate.evaluation.replicate_weights import Replicates
from baserate.evaluation.score_columns import ScoreColumns, columns_of_frame
from baserate.evaluation.score_histograms import counted_scores, counts_in
from baserate.facts.cases import CasesFacts
from baserate.report.words import in_short

# What a door has no use for: passed over in cases that were read, refused as an argument.
PASSED_OVER = {"audit": ("fold",), "compare": ("fold",), "thresholds": ("prediction",)}
# What it cannot honour, be it read or passed.
REFUSED = {
    "thresholds": ("jumps", ("replicate_weights", "replicate_scale", "run")),
    "audit": ("together", ("run",)),
}
MARKED = ("evaluate", "audit", "compare")  # doors of answers that are marked right or wrong
# What tells one case from another, where a row is many.
SINGLE = ("case_id", "run", "model", "replicate_weights")
UNREAD = ("positive", "progress")  # what has a meaning, or does no harm, beside any counts
APART = ("fold", "correct", "replicate_weights", "replicate_scale")  # read by themselves
BORNE = (*UNREAD, "score", "many_groups")  # and beside a histogram, which has a score


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reading(Result):
    """What `cases` read: data for every call, in place of data and the keywords of reading.

    Attributes
    ----------
    facts : CasesFacts
        What there is, as plain numbers.
    data : Cases, or tables, histograms or held-out cases as they came
    keywords : mapping
        What calls are told about the data.
    origins : tuple of Origin
        The files that they came from.
    """

    facts: CasesFacts
    data: Any = field(metadata=HIDDEN)
    keywords: Mapping[str, Any] = field(metadata=HIDDEN)
    origins: tuple[Origin, ...] = field(metadata=HIDDEN)

    def to_dict(self) -> dict[str, Any]:
        """Return what there is as plain JSON values."""
        return self.facts.to_dict()

    def of_same_cases(self) -> tuple[Any, Any, Any]:
        """Return the cases, their positive label and replicate weights, as `difference` asks."""
        given = Given.of("difference", self, {"b": None}, {})
        beside = given.replicates
        return given.data, given.positive, beside and beside.among(given.data.scores)

    def __repr__(self) -> str:
        return in_short(self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a call is given to read: data, and the keywords of reading, checked."""

    data: Any
    second: Any  # what may stand beside arrays of labels: predictions, or scores
    origins: tuple[Origin, ...]
    replicates: Replicates | None = None
    models: Any = None  # which model of a cross-validation judged each case
    # Whether the cases were read before: for all calls, so that each passes over what it lacks a
    # use for.
    read: bool = False
    target: str | None
    prediction: Any
    score: Any
    model: Any
    groups: Any
    fold: Any
    weight: Any
    strata: Any
    cluster: Any
    case_id: Any
    run: Any
    frequency: Any
    relabel: Any
    positive: Any
    missing: str
    many_groups: bool
    progress: Any
    judged: bool = True  # whether there has to be a truth
    correct: Any = None  # the predictions, where they say which answers are right

    @classmethod
    def of(
        cls, door: str, data: Any, second: Mapping[str, Any], reading: Mapping[str, Any]
    ) -> Self:
        """Check what a door was given; `second` has one item, called as the door calls it."""
        if unknown := next((name for name in reading if name not in KEYWORDS), None):
            message = f"{door}() got an unexpected keyword argument {unknown!r}"
            raise TypeError(message)  # of what decorates a door, which says what to write
        passed_over, refused = PASSED_OVER.get(door, ()), REFUSED.get(door)
        made_from, told, read = origins(*files_in(data)), dict(reading), isinstance(data, Reading)
        if isinstance(data, Reading):
            named = _of_those_read(data.facts, reading)
            refuse("read", **second, **{k: x for k, x in reading.items() if k not in named})
            told = {k: x for k, x in data.keywords.items() if k not in passed_over} | named
            data, made_from = data.data, data.origins
        if passed_over:
            refuse(door, **{name: told.get(name) for name in passed_over})
        if refused:
            refuse(refused[0], **{name: told.get(name) for name in refused[1]})
        columns = ("target", "prediction", "score", "correct", "model")
        data = counts_in(data, *second.values(), *map(told.get, columns))
        if isinstance(data, CountsFile):
            refuse("counts", **{k: x for k, x in told.items() if k not in UNREAD})
        if (correct := told.get("correct")) is not None:
            refuse("no marks", correct=None if door in MARKED else correct)
            others = {name: told.get(name) for name in ("target", "prediction", "score")}
            refuse("marked", **second, **others)
            told["prediction"] = correct
        given = {name: told.get(name, key.default) for name, key in KEYWORDS.items()}
        given["relabel"] = names_told(given["relabel"])
        if given["frequency"] is not None:
            refuse("frequency", **{name: given[name] for name in SINGLE})
        if given["model"] is not None:
            refuse("no models", model=None if door == "compare" else given["model"])
        check_shared(**{k: given[k] for k in ("missing", "many_groups", "positive", "target")})
        replicates = Replicates.of(
            given.pop("replicate_weights"), given.pop("replicate_scale"), weight=given["weight"],
            target=given["target"], data=data, **{role: given[role] for role in KEYS},
        )  # fmt: skip
        [beside] = second.values()
        found = cls(
            data=data, second=beside, origins=made_from, replicates=replicates, read=read, **given
        )  # fmt: skip
        return found if correct is None else found.without_truth()

    def singly(self, second: str, *, cut: bool) -> Self:
        """Return the same for one classifier: held-out cases unfolded, a histogram read.

        `second` is what the door calls what stands beside labels.
        """
        given, data = self, self.data
        several = names_of(self.prediction)  # what is no name is refused where it is read
        if len(several) > 1 and all(isinstance(name, str) for name in several):
            role = "prediction" if self.correct is None else "correct"
            rule, remedy = "must be one column here", "name one, or compare them by compare"
            raise InvalidArgumentError.from_rule(role, rule, as_given(several), remedy)
        if isinstance(data, HeldOut):
            known = {second: self.second, "target": self.target, "score": self.score}
            own = unfolded(data, cut=cut, **known)
            given = replace(
                self, data=own["data"], second=own.get("y_pred"), score=own.get("score"),
                models=data.fold,
                positive=data.positive if self.positive is None else self.positive,
            )  # fmt: skip
        beside = {name: x for name, x in given.columns.items() if name not in BORNE}
        beside |= {second: given.second, "replicate_weights": given.replicates}
        data, score = counted_scores(given.data, given.score, fold=given.fold, **beside)
        return replace(given, data=data, score=score)

    def in_columns(self, second: str, score: str = SCORE, *, unused: bool = False) -> Self:
        """Return the same with arrays side by side as cases, whose columns have names.

        `second` and `score` are what the columns without a name of their own are called; scores
        beside predictions may be `unused`.
        """
        if self.target is not None or isinstance(self.data, Cases) or not self.judged:
            return self
        if self.second is None and self.score is None:
            raise no_target(second, self.data)
        refuse("arrays", prediction=self.prediction, model=self.model)
        calls = self.second if isinstance(self.second, Mapping) else {second: self.second}
        predictions = {str(name): x for name, x in calls.items() if x is not None}
        check_order([("y_true", self.data), (score, self.score)])
        scores, said, whole = _named_scores(self.score, score)
        if unused and predictions and said == score:
            scores = {}
        many = {} if self.frequency is None else {"frequency": self.frequency}
        groups = columns_of_frame(self.groups) or self.groups
        if not isinstance(groups, Mapping):
            groups = {} if groups is None else {"group": groups}
        found = read_arrays(
            self.data, predictions, scores={**scores, **self.beside, **many}, class_scores=whole,
            groups=groups, keys=self.keys, sample_weight=self.weight, weight="weight",
            missing=self.missing, replicates=tuple(self.beside), relabel=self.relabel,
            frequency="frequency" if many else None,
        )  # fmt: skip
        names = list(predictions)
        beside = self.replicates and replace(self.replicates, columns={x: x for x in self.beside})
        return replace(
            self, data=found, second=None, replicates=beside, target=found.target, score=said,
            prediction=names[0] if len(names) == 1 else names or None,
            groups=list(map(str, groups)),
            weight=None if self.weight is None else "weight", **{role: role for role in self.keys},
        )  # fmt: skip

    def without_truth(self) -> Self:
        """Return the same where predictions of a frame or a file are all that is needed.

        Whoever named neither these nor a target is asked for a target elsewhere.
        """
        columned = not isinstance(self.data, (list, tuple, np.ndarray, Mapping, Published))
        alone = self.second is None and self.score is None and self.target is None
        return replace(self, judged=not (columned and alone and names_of(self.prediction)))

    @property
    def told(self) -> dict[str, Any]:
        """The keywords again, as another call takes them."""
        known = {name: getattr(self, name) for name in KEYWORDS if hasattr(self, name)}
        if self.replicates is not None:
            known["replicate_weights"] = list(self.beside.values())
            known["replicate_scale"] = self.replicates.scale
        return known

    @property
    def keys(self) -> dict[str, Any]:
        """What belongs together, by role."""
        roles = {role: getattr(self, role) for role in ("fold", *KEYS)}
        return {role: key for role, key in roles.items() if key is not None}

    @property
    def beside(self) -> Mapping[str, Any]:
        """Replicate weights: numbers beside each case, as scores are, and read as these."""
        return {} if self.replicates is None else self.replicates.columns

    @property
    def columns(self) -> dict[str, Any]:
        """What is read, by keyword; folds are another question, and replicates come beside."""
        return {name: x for name, x in self.told.items() if name not in APART}

    @property
    def truth(self) -> dict[str, Any]:
        """What facts say of the truth: its column, or that predictions say what is right."""
        return {"target": self.target, "graded": self.correct is not None}

    @property
    def designed(self) -> bool:
        """Whether cases lie in clusters."""
        return any(getattr(self, role) is not None for role in KEYS)

    @property
    def cuts(self) -> bool:
        """Whether a score makes the table, for want of predictions."""
        return self.score is not None and self.prediction is None and self.second is None


def _of_those_read(facts: CasesFacts, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return which of the columns that were read a call names."""
    known = {"prediction": facts.predictions, "score": facts.scores}
    named = {role: reading[role] for role in known if reading.get(role) is not None}
    if named:  # as of a frame: what is not named is not looked at
        named = dict.fromkeys(known) | named
    for role, names in named.items():
        if any(str(name) not in known[role] for name in names_of(names)):
            rule, read = "must be a column that was read", ", ".join(known[role]) or "none"
            raise InvalidArgumentError.from_rule(role, rule, as_given(names), f"there is {read}")
    return named


def counted_kind(data: Any) -> str | None:
    """Return what kind of counts stand for the cases; None for cases one by one."""
    if all_of(data, ScoreHistogram):
        return "histogram"
    return "counts" if isinstance(data, Published) else None


def all_of(data: Any, kind: type) -> bool:
    """Whether data, or all that a mapping holds, are of this kind."""
    several = list(data.values()) if isinstance(data, Mapping) else [data]
    return bool(several) and all(isinstance(one, kind) for one in several)


def _named_scores(score: Any, name: str) -> tuple[dict[str, Any], Any, Any]:
    """Return scores beside arrays by name, what calls are told of them, and those in one array."""
    if isinstance(score, Mapping):
        return {str(k): x for k, x in score.items()}, {k: str(k) for k in score}, None
    by_class = ScoreColumns.of(score, target=None)
    if by_class is None:
        return ({}, None, None) if score is None else ({name: score}, name, None)
    if not by_class.names:
        return {}, by_class, {SCORE: by_class.values}
    assert by_class.values is not None
    names = list(map(str, by_class.names))
    return dict(zip(names, np.transpose(by_class.values), strict=True)), names, None
