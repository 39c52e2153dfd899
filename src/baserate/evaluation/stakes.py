"""What is at stake: utilities or costs as given and as the data have them, and what tables earn.

Yields and constant decisions are computed in fractions and rounded once. So a classifier that
decides as a constant decision does is worth the same float, and rounding never tells equal ones
apart.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from math import nan
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from baserate._checks import number_in
from baserate.cases.values import from_text, listed, plain_label
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix, has_both
from baserate.errors import InvalidArgumentError, LabelError
from baserate.facts.stakes import Stakes, StakesFact
from baserate.metrics import Metric
from baserate.metrics import utility as utility_metric
from baserate.metrics.utilities import cost_per_case
from baserate.utilities import UtilityMatrix
from baserate.utilities.constant_decisions import ConstantDecisions
from baserate.utilities.envelope import decision_intervals
from baserate.utilities.exact_yields import constants_at, exact, exact_rates, exact_yield
from baserate.utilities.inputs import from_file, tacit

if TYPE_CHECKING:
    from baserate.cases.counted import Counted
    from baserate.cases.two_classes import BinaryCases

Report = TypeVar("Report", bound=Any)

SYNTAX = "write for example fp=1,fn=20"


class GivenStakes(NamedTuple):
    """Utilities as they were given."""

    kind: Stakes
    matrix: UtilityMatrix
    # Whether they say which class is positive. A first row or column says nothing.
    stated: bool = False
    # Whether they came as a UtilityMatrix: its positive class is 0 by choice or by default, and
    # what looks like a mistake was told when it was made.
    ready: bool = False

    @property
    def of_two(self) -> bool:
        """Whether there are two decisions and two classes, of which one is positive."""
        return self.matrix.matrix.shape == (2, 2)

    @property
    def uneven_of_two(self) -> bool:
        """Whether there are two classes, and more or fewer decisions."""
        return self.matrix.n_classes == 2 and not self.of_two

    def positive(self, asked_for: Any) -> Any:
        """Return the label asked for, else the class that is called positive; None if none is.

        A UtilityMatrix that has the one class first, where the other is 1 or True, is refused.
        """
        names = self.matrix.classes
        if asked_for is not None or names is None or not self.of_two:
            return asked_for
        own, usual = names[self.matrix.positive], usual_positive(names)
        if self.ready and not self.stated and usual not in (None, own):
            raise LabelError(
                f"The utilities have {own!r} as their positive class, perhaps by default, and of "
                f"{listed(names)} {usual!r} is the usual one: pass positive, one of them "
                "(--positive)."
            )
        return own if self.stated or self.ready else None

    def positive_of_counts(self, asked_for: Any) -> tuple[Any, bool]:
        """Return the same for counts without labels, and whether the first class was assumed."""
        found, names = self.positive(asked_for), self.matrix.classes
        if found is not None or names is None or not self.of_two:
            return found, False
        usual = usual_positive(names)
        return (names[self.matrix.positive], True) if usual is None else (usual, False)


class FittedStakes(NamedTuple):
    """Utilities whose rows and columns are those of the data, the positive first."""

    matrix: UtilityMatrix
    fact: StakesFact

    @property
    def metric(self) -> Metric:
        """What decisions are worth per case, as a metric: a cost where costs were given."""
        (_, alarm), (miss, _) = self.fact.matrix
        return cost_per_case(-miss, -alarm) if self.fact.kind == "cost" else self.matrix.as_metric()


def stakes_of(utility: Any, cost: Any) -> GivenStakes:
    """Read utilities (an array, a UtilityMatrix or a file) or costs; neither means accuracy.

    Examples
    --------
    >>> from baserate.evaluation.stakes import stakes_of
    >>> stakes_of(None, "fp=1, fn=20").matrix.matrix.tolist()
    [[0.0, -1.0], [-20.0, 0.0]]
    """
    if utility is not None and cost is not None:
        rule, remedy = "has no meaning beside utility (--utility)", "pass one of the two"
        raise InvalidArgumentError.from_rule("cost", rule, cost, remedy)
    with tacit():  # `fitted` tells of decisions that are never better, by the names of the data
        if utility is not None:
            return _utilities(utility)
        if cost is not None:
            found = _costs(cost)
            return GivenStakes("cost", UtilityMatrix([[0.0, -found["fp"]], [-found["fn"], 0.0]]))
        return GivenStakes("accuracy", UtilityMatrix([[1.0, 0.0], [0.0, 1.0]]))


def stake_of(utility: Any, cost: Any) -> Any:
    """Read utilities or costs early, so that a broken file is found before the data are counted.

    A plain 2x2 array becomes a metric at once; it has the positive class first. A larger one is of
    several classes. None where neither is given.
    """
    if utility is None and cost is None:
        return None
    plain = cost is None and _is_plain(utility)
    return utility_metric(utility) if plain else stakes_of(utility, cost)


def is_uneven(stake: Any) -> bool:
    """Whether what `stake_of` read has more or fewer decisions than classes."""
    shape = () if stake is None or isinstance(stake, Metric) else stake.matrix.matrix.shape[-2:]
    return len(set(shape)) == 2


def refuse_search(stake: Any) -> None:
    """Refuse to search for cuts where more decisions than two have theirs by their utilities."""
    if not (is_uneven(stake) and stake.uneven_of_two):
        return
    u = stake.matrix
    spans = decision_intervals(u)
    told = ", ".join(
        f"{name!r} from {low:.4g} to {high:.4g}" for name, (low, high) in spans.items()
    )
    raise InvalidArgumentError.about(
        "utility",
        f"leaves no cut to search for: at a probability of {u.class_names[u.positive]!r} its "
        f"decisions are best {told}, got {u.n_decisions} x 2: ask evaluate what these earn.",
    )


def of_several(stake: Any) -> GivenStakes | None:
    """Return what `stake_of` read where it is of more than two classes or decisions."""
    return None if stake is None or isinstance(stake, Metric) or stake.of_two else stake


def with_stake(
    asked: Report, stake: Any, counted: "Counted | BinaryCases", target: str | None
) -> Report:
    """Add the utility to the metrics asked for, its classes matched with those of the data."""
    if stake is None:
        return asked
    metric = stake
    if not isinstance(stake, Metric):
        metric = fitted(stake, counted.positive, counted.labels, target).metric
    at = getattr(asked, "base_rate", None)
    added = metric if at is None else metric.at_base_rate(at)
    return replace(asked, metrics=(*asked.metrics, added))


def _is_plain(utility: Any) -> bool:
    """Whether utilities are a plain array that says nothing of the names of its two classes."""
    if isinstance(utility, UtilityMatrix | Mapping | str | PathLike):
        return False
    try:
        shape = np.shape(utility)
    except Exception:  # noqa: BLE001  rows of several lengths, or what raises: the metric refuses it
        return True
    return len(shape) != 2 or shape == (2, 2)


def positive_of_table(data: Any, stake: Any) -> Any:
    """Return which class of a class table of two is positive where utilities say what it is worth.

    None for anything else, and where neither the utilities nor the usual rule tell.
    """
    if stake is None or not isinstance(data, ClassTable) or data.n_classes != 2:
        return None
    found = stake.positive(None) if isinstance(stake, GivenStakes) else None
    if found is None:
        return usual_positive(data.labels)
    return next((label for label in data.labels if same_label(label, found)), found)


def fitted(
    given: GivenStakes, positive: Any, labels: tuple[Any, ...], target: str | None
) -> FittedStakes:
    """Put the positive class of the data first, and name decisions and classes."""
    u = given.matrix
    if not given.of_two:
        shape = " x ".join(map(str, u.matrix.shape))
        rule = "must have two decisions and two classes where the truth has two"
        remedy = (
            "leave positive out, or pass the cases to evaluate or compare, which take any number "
            "of decisions"
        )
        raise InvalidArgumentError.about("utility", f"{rule}, got {shape}: {remedy}.")
    at = u.positive if u.classes is None else _index(given, positive, labels, target)
    corners = u.matrix if at == 0 else u.matrix[::-1, ::-1]
    classes = _classes(u, at, positive, labels)
    named = u.decisions is not None and u.decisions != u.classes
    order = (at, 1 - at)
    decisions = tuple(str(u.decision_names[i]) for i in order) if named else classes
    with tacit() if given.ready else nullcontext():
        matrix = UtilityMatrix(corners, decisions=decisions, classes=classes)
    rows = corners.tolist()
    fact = StakesFact(
        kind=given.kind,
        matrix=((rows[0][0], rows[0][1]), (rows[1][0], rows[1][1])),
        decisions=(decisions[0], decisions[1]),
        classes=classes,
        named=named,
        tau=nan if given.kind == "accuracy" else matrix.threshold,
    )
    return FittedStakes(matrix, fact)


def acted_at(
    utility: Any, cost: Any, positive: Any, labels: tuple[Any, ...], target: str | None
) -> tuple[float, ...]:
    """Return the probability at which stakes say to act; nothing without stakes, or if they do not.

    Examples
    --------
    >>> from baserate.evaluation.stakes import acted_at
    >>> acted_at(None, "fp=1,fn=19", 1, (0, 1), None), acted_at(None, None, 1, (0, 1), None)
    ((0.05,), ())
    """
    if utility is None and cost is None:
        return ()
    with tacit():  # told where they become a metric
        try:
            tau = fitted(stakes_of(utility, cost), positive, labels, target).fact.tau
        except InvalidArgumentError:  # as a metric they may still have a meaning
            return ()
    return (tau,) if 0 < tau < 1 else ()


def worth(table: ConfusionMatrix, u: UtilityMatrix, base_rate: float | None) -> float:
    """Return the mean utility per case, restated at a base rate unless that is None.

    Examples
    --------
    >>> from baserate import ConfusionMatrix, UtilityMatrix
    >>> from baserate.evaluation.stakes import worth
    >>> u = UtilityMatrix([[15, -335], [-35, 165]])
    >>> worth(ConfusionMatrix(tp=27, fn=23, fp=15, tn=35), u, None)
    3.5
    """
    if base_rate is not None:
        return float(exact_yield(exact_rates("table", table, exact(base_rate)), u))
    rows = u.positive_first().tolist()
    worths = rows[0][0], rows[1][0], rows[0][1], rows[1][1]
    total = sum((exact(n) * exact(w) for n, w in zip(table, worths, strict=True)), Fraction(0))
    return float(total / sum(map(exact, table)))


def constants_of(
    u: UtilityMatrix, table: ConfusionMatrix, base_rate: float | None
) -> ConstantDecisions:
    """Return what constant decisions are worth at a base rate, or at that of the table.

    Of one class there is none: nothing is left to decide.
    """
    if base_rate is not None:
        return constants_at(u, exact(base_rate))
    tp, fn, fp, tn = map(exact, table)
    found = constants_at(u, (tp + fn) / (tp + fn + fp + tn))
    return found if has_both(table) else replace(found, expected={}, best=None, value=nan)


def is_constant(table: ConfusionMatrix, u: UtilityMatrix, decision: Any) -> bool:
    """Whether a classifier takes this decision in every case; `u` has the positive one first."""
    others = table.n_predicted if u.decision_names.index(decision) else table.n - table.n_predicted
    return not others


def _utilities(utility: Any) -> GivenStakes:
    if isinstance(utility, UtilityMatrix):
        if utility.per_case:
            rule, remedy = "must be one matrix for all cases", "ask yield_from_labels and decide"
            raise InvalidArgumentError.from_rule("utility", rule, utility.matrix.shape, remedy)
        stated = utility.positive != 0  # the default
        return GivenStakes("utility", utility, stated=stated, ready=True)
    if isinstance(utility, str | PathLike):
        named = from_file(utility, None)
        return GivenStakes("utility", UtilityMatrix(*named[:4]), stated=named.stated)
    if isinstance(utility, Mapping):
        return GivenStakes("utility", UtilityMatrix.from_mapping(utility))
    return GivenStakes("utility", UtilityMatrix(utility))


def usual_positive(names: tuple[Any, ...]) -> Any:
    """Return the class that is positive by the usual rule: True, or 1 of {0, 1} or {-1, 1}."""
    values = [from_text(name) for name in names]
    usual = any(set(values) == pair for pair in ({0, 1}, {-1, 1}))
    return names[values.index(1)] if usual else None


def _costs(cost: Any) -> dict[str, float]:
    parts = _parsed(cost) if isinstance(cost, str) else cost
    if not isinstance(parts, Mapping) or set(parts) != {"fp", "fn"}:
        rule = "must give the cost of a false positive and of a false negative, and nothing else"
        raise InvalidArgumentError.from_rule("cost", rule, cost, SYNTAX)
    found = {
        name: number_in(f"cost of {name}", parts[name], "[0, inf)", SYNTAX) for name in ("fp", "fn")
    }
    if not any(found.values()):
        rule = "must make some error cost something"
        raise InvalidArgumentError.from_rule("cost", rule, cost, SYNTAX)
    return found


def _parsed(text: str) -> dict[str, str] | None:
    """Read "fp=1,fn=20"; None if it is nothing of the kind."""
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(mark for _, mark, _ in pairs):
        return None
    names = [name.strip() for name, _, _ in pairs]
    values = (value.strip() for _, _, value in pairs)
    return dict(zip(names, values, strict=True)) if len(set(names)) == len(names) else None


def _index(given: GivenStakes, positive: Any, labels: tuple[Any, ...], target: str | None) -> int:
    u = given.matrix
    strangers = [label for label in labels if not any(same_label(label, c) for c in u.class_names)]
    if strangers:
        raise LabelError(
            f"The utilities name the classes {listed(u.class_names)}, but {target or 'the data'} "
            f"holds {listed(labels)}: name the classes as the data do."
        )
    found = [i for i, name in enumerate(u.class_names) if same_label(positive, name)]
    if found:
        return found[0]
    if not labels and positive == "positive":  # published counts say no more
        return u.class_names.index(given.positive_of_counts(None)[0])
    raise LabelError(
        f"The utilities name the classes {listed(u.class_names)}, and the positive class is "
        f"{positive!r}: name one of them (--positive)."
    )


def same_label(label: Any, name: Any) -> bool:
    """Whether a class of the utilities, text in a file, is this label."""
    if label == name:
        return True
    return not isinstance(label, str) and isinstance(name, str) and from_text(name) == label


def _classes(u: UtilityMatrix, at: int, positive: Any, labels: tuple[Any, ...]) -> tuple[str, str]:
    if u.classes is not None:
        return str(u.classes[at]), str(u.classes[1 - at])
    positive = plain_label("positive", positive)
    others = [str(label) for label in labels if label != positive]
    if len(others) == 1:
        return str(positive), others[0]
    published = not labels and positive == "positive"
    return str(positive), "negative" if published else f"not {positive}"
