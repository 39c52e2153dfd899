"""Calibration by group: whose risks are over- or underestimated, and what would go unseen."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._checks import number_in, one_of
from baserate._result import Result
from baserate.cases.arrays import read_arrays
from baserate.cases.two_classes import BinaryCases
from baserate.curves.calibration_record import binomial_p_value, count_law, observed_expected
from baserate.curves.cut_points import Sweep, sweeps_of
from baserate.curves.estimates import Estimate
from baserate.curves.losses import probabilities
from baserate.curves.poisson_binomial import PoissonBinomial, tilt_holding
from baserate.errors import InvalidArgumentError
from baserate.groups.multiplicity import Adjustment, adjust

WEIGHTED = (
    "weights have no exact power: pass the cases without weights, to answer for this sample alone"
)
FURTHEST = 700.0  # log odds ratio beyond which every risk is 0 or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCalibration(Result):
    """Calibration in the large of one group.

    Attributes
    ----------
    group : label, or tuple of labels
    n : int
        Cases.
    observed, expected : float
        Positives, and the sum of the scores; of weights, if there are any.
    observed_expected : Estimate
        O:E ratio with its interval and its own p-value, as in `calibration`.
    adjusted_p_value : float
        That p-value, adjusted for the number of groups.
    below, above : float
        What could be seen: the O:E ratios below and above 1 that this group would show with the
        stated power, if the odds of all its risks were wrong by one factor, at level alpha divided
        by the number of groups. Miscalibration between them goes unseen more often. nan if `reason`
        says why.
    reason : str or None
    """

    group: Any
    n: int
    observed: float
    expected: float
    observed_expected: Estimate
    adjusted_p_value: float
    below: float = nan
    above: float = nan
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationByGroup(Result):
    """Calibration in the large of every group.

    Attributes
    ----------
    groups : tuple of GroupCalibration
        In the order of their labels.
    n_tests : int
        p-values among which was adjusted.
    alpha, power : float
    adjustment : {"holm", "benjamini-hochberg"}
    """

    groups: tuple[GroupCalibration, ...]
    n_tests: int
    alpha: float
    power: float
    adjustment: str

    @property
    def miscalibrated(self) -> tuple[GroupCalibration, ...]:
        """The groups whose adjusted p-value is at most alpha."""
        return tuple(one for one in self.groups if one.adjusted_p_value <= self.alpha)


def compare_calibration(
    y_true: Any,
    y_score: Any,
    groups: Any,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: Adjustment = "holm",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> CalibrationByGroup:
    """Return which groups have more or fewer positives than their scores say.

    Each group is tested as in `calibration`. The p-values are adjusted for their number. A group
    that is not rejected need not be calibrated: `below` and `above` say what it could have shown.
    Other names: calibration within groups, sufficiency gap, group-wise O:E ratio, multicalibration
    on fixed groups.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities.
    groups : array-like of shape (n,), or mapping of name to array-like
        Labels of any kind; of several columns, every combination that occurs is a group.
    alpha : float in (0, 1)
        Level of the tests; intervals are pointwise, of confidence 1 - alpha.
    power : float in (0, 1)
        Of what is called seen; above alpha.
    method : {"holm", "benjamini-hochberg"}
        As in `adjust`.
    pos_label, sample_weight : optional
        As in `sweep`. With weights, intervals are asymptotic, and there are no p-values.

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1], or power does not exceed alpha.
    LabelError, MissingValueError
        As in `sweep`; groups may not be missing either.

    See Also
    --------
    baserate.calibration : for one group, with slope, curve and band.

    Examples
    --------
    Of twelve cases at risk 1/4 three positives are expected. Group "a" has these, "b" has nine;
    P(K >= 9) = 6571 / 4^12 for Binomial(12, 1/4).

    >>> from baserate.groups import compare_calibration
    >>> y = [1] * 3 + [0] * 9 + [1] * 9 + [0] * 3
    >>> found = compare_calibration(y, [0.25] * 24, ["a"] * 12 + ["b"] * 12)
    >>> [round(float(one.observed_expected), 6) for one in found.groups]
    [1.0, 3.0]
    >>> a, b = found.groups
    >>> round(b.observed_expected.p_value * 4**12), round(b.adjusted_p_value * 4**12)
    (13142, 26284)
    >>> [one.group for one in found.miscalibrated]
    ['b']
    """
    columns = groups if isinstance(groups, Mapping) else {"groups": groups}
    cases = read_arrays(
        y_true, scores={"y_score": y_score}, groups=columns, sample_weight=sample_weight
    ).binary(pos_label, argument="pos_label")
    return compare_cases(cases, alpha=alpha, power=power, method=method)


def compare_cases(
    cases: BinaryCases, *, alpha: float = 0.05, power: float = 0.8, method: Adjustment = "holm"
) -> CalibrationByGroup:
    """Return what `compare_calibration` does of cases in groups that were read already."""
    level = number_in("alpha", alpha, "(0, 1)", "0.05 is usual")
    target = number_in("power", power, "(0, 1)", "0.8 is usual")
    if target <= level:
        rule = f"must exceed alpha = {level:g}, which true risks reach as well"
        remedy = "pass a larger power, or a smaller alpha"
        raise InvalidArgumentError.from_rule("power", rule, power, remedy)
    one_of("method", method, Adjustment)
    parts = list(_parts(cases))
    estimates = [observed_expected(swept, 1 - level) for _, _, swept in parts]
    adjusted = adjust([one.p_value for one in estimates], method)
    n_tests = int(np.count_nonzero(~np.isnan(adjusted)))
    found: list[GroupCalibration] = []
    for (group, n, swept), estimate, p_value in zip(parts, estimates, adjusted, strict=True):
        positive, negative = swept.by_score
        risks = probabilities(swept)
        below, above, reason = nan, nan, WEIGHTED
        if not swept.is_weighted:
            law = PoissonBinomial(risks, (positive + negative).astype(float))
            below, above, reason = _seen(law, count_law(swept), level / n_tests, target)
        one = GroupCalibration(
            group=group,
            n=n,
            observed=float(swept.n_positive),
            expected=float((positive + negative) @ risks),
            observed_expected=estimate,
            adjusted_p_value=float(p_value),
            below=below,
            above=above,
            reason=reason,
        )
        found.append(one)
    return CalibrationByGroup(
        groups=tuple(found), n_tests=n_tests, alpha=level, power=target, adjustment=method
    )


def _parts(cases: BinaryCases) -> Iterator[tuple[Any, int, Sweep]]:
    """Yield the label of each group, its cases and its sweep."""
    assert cases.grouping is not None
    keys, codes = cases.grouping.keys, cases.grouping.codes
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(keys) + 1))
    for key, first, last in zip(keys, ends[:-1], ends[1:], strict=True):
        rows = order[first:last]
        part = cases.take(rows)
        [swept] = sweeps_of(part).values()
        yield key[0] if len(key) == 1 else key, part.n, swept


def _seen(
    law: PoissonBinomial, tested: PoissonBinomial | None, alpha: float, power: float
) -> tuple[float, float, str | None]:
    """Return the O:E ratios from which on the test at level alpha has this power.

    Tested by the law of the stated risks, or else by the binomial one.
    """
    last, first = _rejected(law, tested, alpha)

    def held(values: Array) -> Any:
        return (values <= last) | (values >= first)

    below = _ratio(law, held, power, -1) if last >= law.support[0] else nan
    above = _ratio(law, held, power, 1) if first <= law.support[1] else nan
    sides = [name for name, end in (("below", below), ("above", above)) if np.isnan(end)]
    if not sides:
        return below, above, None
    unseen = f"no O:E ratio {' or '.join(sides)} 1, however far, would be seen"
    return below, above, f"{unseen}: collect more cases of this group, or join it to another"


def _rejected(
    law: PoissonBinomial, tested: PoissonBinomial | None, alpha: float
) -> tuple[int, int]:
    """Return the greatest count below the mean, and the least one above, that the test rejects."""
    if tested is not None:
        here = tested.pmf()
        lower, upper = np.cumsum(here.pmf), np.cumsum(here.pmf[::-1])
        few, many = (int(np.count_nonzero(2 * side <= alpha)) for side in (lower, upper))
        return here.start + few - 1, here.start + len(here.pmf) - many
    n = float(law.size.sum())
    share = law.mean / n

    def rejected(k: int) -> bool:
        return binomial_p_value(k, n, share, share) <= alpha

    last, first = (_next_to(rejected, round(law.mean), end) for end in (-1, round(n) + 1))
    return last, first


def _next_to(rejected: Callable[[int], bool], inside: int, outside: int) -> int:
    """Return the first number on the way from `inside` to `outside` that is rejected, or that."""
    kept, far = inside, outside
    while abs(far - kept) > 1:
        middle = (kept + far) // 2
        kept, far = (kept, middle) if rejected(middle) else (middle, far)
    return far


def _ratio(law: PoissonBinomial, held: Callable[[Array], Any], power: float, side: int) -> float:
    """Return the O:E ratio on this side of 1 at which the power is reached."""

    def short(by: float) -> bool:
        there = law.tilted(by).pmf()
        return float(there.pmf[held(there.values)].sum()) < power

    near, far = 0.0, side / max(law.variance, 1e-3) ** 0.5
    while short(far):
        near, far = far, 2 * far
        if abs(far) > FURTHEST:
            return nan
    ends = min(near, far), max(near, far)
    by = tilt_holding(law, held, power, side, (near + far) / 2, ends)
    return law.tilted(by).mean / law.mean
