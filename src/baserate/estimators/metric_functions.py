"""Metrics in the shape that scikit-learn expects: functions of two arrays of labels."""

import sys
import warnings
from dataclasses import dataclass, field, replace
from math import isfinite, isnan, nan
from typing import Any

import numpy as np

from baserate._checks import name_or_number, one_of, refuse_given
from baserate.baselines import skill
from baserate.baselines.guessing import chosen_guess
from baserate.cases.arrays import read_arrays
from baserate.cases.cases import Cases
from baserate.cases.counted import Counted
from baserate.cases.scores import cutting_point, reaches
from baserate.cases.several_classes import ClassCounted
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric, get
from baserate.metrics import average as class_average

FAR = 1e100  # stands in for an infinite bound: means and squares of a few stay finite
POLICIES = ("worst", "nan", "warn", "raise")
OVER_GROUPS = ("worst", "gap")
AVERAGES = ("binary", "macro", "micro", "weighted")
OF_ONE = "speaks of one positive class, not of several"


def metric_function(
    metric: str | Metric | ClassMetric,
    *,
    average: str = "binary",
    guess: str | float | None = None,
    threshold: float | None = None,
    base_rate: float | None = None,
    groups: str | None = None,
    undefined: str | float = "warn",
) -> "MetricFunction":
    """Return ``f(y_true, y_pred, *, pos_label=None, sample_weight=None)`` for any metric.

    The function returns a float, as fairlearn's ``MetricFrame`` takes it; for searches of
    scikit-learn see `scorer`, or hand it to ``make_scorer`` with ``undefined="worst"``. It pickles,
    for parallel searches, unless the metric is made of a lambda.

    Parameters
    ----------
    metric : str, Metric or ClassMetric
        Of several classes, one that answers for these, such as "mcc" or "accuracy" (then without
        `pos_label`), or an average over classes, such as "macro_f1".
    average : {"binary", "macro", "micro", "weighted"}
        As in scikit-learn: of one positive class, or averaged over all classes, each against the
        rest; "f1" with "macro" is "macro_f1".
    guess : str or float, optional
        Return the skill beyond this guess (see `baserate.skill`), for which higher is better.
    threshold : float, optional
        ``y_pred`` then holds scores, positive from here on.
    base_rate : float in (0, 1), optional
        Restate the metric there.
    groups : {"worst", "gap"}, optional
        The function then takes ``groups=`` as well, one label per case, and returns the worst
        group's value, or the largest difference between two groups. Groups where the metric is
        undefined have no value to compare and are left out, with a warning that names them.
    undefined : {"warn", "nan", "worst", "raise"} or float
        What the function returns where the metric is undefined: "warn" nan, and scikit-learn's
        ``UndefinedMetricWarning`` says so, "nan" without a warning, "raise" an error, a number
        itself. Searches take the greatest score, and NumPy takes nan for the greatest; "worst" is
        a number that none prefers, with the same warning: the chance value where that is one
        number (0 for the Matthews correlation, kappa and informedness), else the worse bound of
        the metric (the lower one, or the upper one where lower is better; for metrics with
        neither direction the lower one), 1e100 or -1e100 if there is no bound; for skill 0, the
        guess; for a gap its worst, the width of the bounds.

    Raises
    ------
    InvalidArgumentError
        An argument is none of these; or, when the function is called with "raise", the metric is
        undefined.

    Examples
    --------
    >>> from baserate import metric_function
    >>> mcc = metric_function("mcc")
    >>> round(mcc([1, 1, 1, -1], [1, -1, 1, 1]), 4)
    -0.3333
    >>> metric_function("precision", undefined=1)([1, 0], [0, 0])
    1.0

    Of three classes:

    >>> round(metric_function("f1", average="macro")([0, 1, 2, 0, 1, 2], [0, 1, 2, 0, 2, 2]), 4)
    0.8222

    How far the recall of two groups differs:

    >>> gap = metric_function("recall", groups="gap")
    >>> gap([1, 1, 1, 1], [1, 1, 1, 0], groups=["a", "a", "b", "b"])
    0.5
    """
    chosen = averaged(metric, average)
    function = MetricFunction(chosen)
    if function.is_of_classes:
        refuse_given(OF_ONE, base_rate=base_rate, threshold=threshold)
    elif base_rate is not None:
        chosen = binary_metric(chosen).at_base_rate(base_rate)  # pyright: ignore[reportArgumentType]
    return replace(
        function,
        metric=chosen,
        undefined=_policy(undefined),
        guess=None if guess is None else chosen_guess(guess, of_table=True),
        threshold=None if threshold is None else cutting_point(threshold),
        groups=None if groups is None else one_of("groups", groups, OVER_GROUPS),
    )


def averaged(metric: str | Metric | ClassMetric, average: Any) -> Metric | ClassMetric:
    """Return a metric, or its average over classes, as scikit-learn's `average` names it."""
    if isinstance(average, str) and average == "binary":
        return get(metric)
    if average is None:
        rule, given = "must be one number, so binary, macro, micro or weighted", "None"
        remedy = "metric(class_table(y_true, y_pred).one_vs_rest()) is one value per class"
        raise InvalidArgumentError.from_rule("average", rule, given, remedy)
    kind: Any = one_of("average", average, AVERAGES)
    return class_average(metric, kind)  # pyright: ignore[reportArgumentType] - it refuses others


@dataclass(frozen=True, repr=False)
class MetricFunction:
    """A metric as a function of true and predicted labels; made by `metric_function`.

    Attributes
    ----------
    metric : Metric or ClassMetric
    undefined : {"warn", "nan", "worst", "raise"} or float
    guess : str, float or None
    threshold : float or None
    groups : {"worst", "gap", None}
    """

    metric: Metric | ClassMetric
    undefined: str | float = "warn"
    guess: str | float | None = None
    threshold: float | None = None
    groups: str | None = None
    __name__: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "__name__", self.metric.name)
        object.__setattr__(self, "__qualname__", self.metric.name)
        meaning = f"{self.metric.meaning}\n\n{self.metric.definition}"
        object.__setattr__(self, "__doc__", meaning)

    @property
    def is_of_classes(self) -> bool:
        """Whether the metric is one of several classes."""
        return isinstance(self.metric, ClassMetric)

    @property
    def greater_is_better(self) -> bool:
        """Whether more is better: of skill always, of a gap never, else as the metric says."""
        if self.groups == "gap":
            return False
        return self.guess is not None or self.metric.direction != "lower"

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        pos_label: Any = None,
        labels: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        undefined: str | float | None = None,
        memory: Any = None,
    ) -> float:
        """Count the labels and return the metric; `undefined` overrules the function's own.

        `labels` are the classes of a metric of several, including those that do not occur here;
        `memory` is a dict in which several metrics of the same arrays share their counts.
        """
        policy = self.undefined if undefined is None else _policy(undefined)
        if self.is_of_classes:
            refuse_given(OF_ONE, pos_label=pos_label)
        if labels is not None and not self.answers_for_several:
            rule, remedy = (
                "are for averages over classes",
                f'average it: "macro_{self.metric.name}"',
            )
            raise InvalidArgumentError.from_rule("labels", rule, labels, remedy)
        self._check_groups(groups)
        given = (y_true, y_pred, pos_label, sample_weight, groups)
        memory = {} if memory is None else memory
        key = (type(self), *map(id, given), self.threshold)
        if key not in memory:
            memory[key] = self._read(*given), given  # kept alive, so that no other has their id
        cases, pos_label = memory[key][0]
        key = (*key, id(labels), self._is_of_several(cases, pos_label, labels))
        if key not in memory:
            memory[key] = self._counted(cases, pos_label, labels), labels
        counted = memory[key][0]
        if self.groups is not None:
            return self._over_groups(counted, policy)
        value, reason = self._of(counted.table)
        return value if reason is None else self._stand_in(reason, policy)

    def __repr__(self) -> str:
        names = ("guess", "threshold", "groups", "undefined")
        options = "".join(
            f", {name}={value!r}" for name in names if (value := getattr(self, name)) is not None
        )
        return f"metric_function({self.metric.name!r}{options})"

    @property
    def answers_for_several(self) -> bool:
        """Whether it has a value for several classes, whose answer for two it is as well."""
        if self.threshold is not None:
            return False
        try:
            form = class_metric(self.metric)
        except UnknownNameError:
            return False
        return self.metric in (form, form.two_classes)

    def _read(
        self, y_true: Any, y_pred: Any, pos_label: Any, sample_weight: Any, groups: Any
    ) -> tuple[Cases, Any]:
        """Return the cases, and which label is positive."""
        if self.threshold is not None:
            y_true, y_pred, pos_label = self._cut(y_true, y_pred, pos_label)
        named = None if groups is None else {"groups": groups}
        given: dict[str, Any] = {"groups": named, "sample_weight": sample_weight}
        return read_arrays(y_true, {"y_pred": y_pred}, **given), pos_label

    def _is_of_several(self, cases: Cases, pos_label: Any, labels: Any) -> bool:
        """Whether cases are counted by class: the metric is of several, or they and it are."""
        if self.is_of_classes or labels is not None:
            return True
        return pos_label is None and cases.n_classes > 2 and self.answers_for_several

    def _counted(self, cases: Cases, pos_label: Any, labels: Any) -> Counted | ClassCounted:
        if self._is_of_several(cases, pos_label, labels):
            return cases.classes(labels).counted()
        return cases.binary(pos_label, argument="pos_label").counted()

    def _cut(self, y_true: Any, y_score: Any, pos_label: Any) -> tuple[Any, Any, Any]:
        """Return truth and decisions as booleans."""
        assert self.threshold is not None
        scores = {"y_score": y_score}
        cases = read_arrays(y_true, scores=scores).binary(pos_label, argument="pos_label")
        return cases.truth, reaches(cases.scores["y_score"], self.threshold), True

    def _of(self, table: Any) -> tuple[float, str | None]:
        """Return the value, or nan and why there is none."""
        metric = get(self.metric, table)
        if self.guess is not None:
            found = skill(metric, table, guess=self.guess)
            return found.value, found.reason
        value = float(metric(table))
        if not isnan(value):
            return value, None
        return value, metric.undefined_reason(table) or "its formula has no value there"

    def _check_groups(self, groups: Any) -> None:
        if self.groups is None and groups is not None:
            rule, remedy = "is for functions over groups", "make it with groups='worst' or 'gap'"
            raise InvalidArgumentError.from_rule("groups", rule, type(groups).__name__, remedy)
        if self.groups is not None and groups is None:
            rule, remedy = "must hold one label per case", "pass groups= (metadata routing does)"
            raise InvalidArgumentError.from_rule("groups", rule, None, remedy)

    def _over_groups(self, counted: Counted | ClassCounted, policy: str | float) -> float:
        """Return the worst of the groups, or the gap between the best and the worst."""
        found = {key[0]: self._of(table) for key, table in counted.groups.items()}
        values = [value for value, reason in found.values() if reason is None]
        if len(values) < len(found):
            gone = ", ".join(f"{k!r} ({why})" for k, (_, why) in found.items() if why)
            if len(values) < (2 if self.groups == "gap" else 1):
                return self._stand_in(f"too few groups have a value: {gone}", policy)
            _warn(f"{self.metric.name} leaves out groups where it is undefined: {gone}.")
        if self.groups == "gap":
            return max(values) - min(values)
        return min(values) if self.greater_is_better else max(values)

    def _stand_in(self, reason: str, policy: str | float) -> float:
        """Return what an undefined value counts as."""
        if policy == "raise":
            rule, remedy = "must be defined", "pass undefined='worst', 'nan' or a number"
            raise InvalidArgumentError(f"{self.metric.name} {rule}, got {reason}: {remedy}.")
        if policy not in POLICIES:
            return float(policy)
        if policy == "nan":
            return nan
        value = nan if policy == "warn" else self._worst()
        _warn(
            f"{self.metric.name} is undefined ({reason}) and counts as {value:g}: pass "
            "undefined='worst', 'nan', 'raise' or a number to choose."
        )
        return value

    def _worst(self) -> float:
        if self.groups == "gap":
            width = float(np.ptp(self.metric.bounds)) if self.guess is None else FAR
            return width if isfinite(width) else FAR
        return worst(self.metric) if self.guess is None else 0.0


def _warn(message: str) -> None:
    """Warn once for each place that calls the function, as scikit-learn does, if it is there."""
    loaded = sys.modules.get("sklearn.exceptions")  # who filters its warnings has imported it
    kind = UserWarning if loaded is None else loaded.UndefinedMetricWarning
    warnings.warn(message, kind, stacklevel=4)


def worst(metric: Metric | ClassMetric) -> float:
    """Return a finite number that no search for the best prefers to a value of the metric.

    The chance value where it is one number, else the worse bound, or 1e100 where that is infinite.
    """
    if metric.chance is not None and isfinite(metric.chance):
        return float(metric.chance)
    low, high = metric.bounds
    if metric.direction == "lower":
        return float(high) if isfinite(high) else FAR
    return float(low) if isfinite(low) else -FAR


def _policy(undefined: Any) -> str | float:
    remedy = "'worst' lets no search prefer an undefined score"
    return name_or_number("undefined", undefined, POLICIES, remedy)
