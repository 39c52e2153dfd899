"""Facts of scores: how well they rank, whether risks can be believed, what they bring."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from baserate._result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateFact(Result):
    """One measure of scores; nan where something is unknown.

    Attributes
    ----------
    name : str
    value, low, high : float
        The measure and its interval.
    chance, perfect : float
        What a score that knows nothing gets in expectation, with so many cases; what the best
        possible one gets.
    skill : float
        (value - chance) / (perfect - chance).
    p_value : float
    route, p_value_route : str or None
        How the interval and the p-value were computed, which says what they are.
    reason, chance_reason, p_value_reason : str or None
        Why there is no value or no interval, no chance level, no p-value.
    bounds : (float, float) or None
        What holds the value of the scores themselves, where these were counted in bins.
    """

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    chance: float = math.nan
    perfect: float = math.nan
    skill: float = math.nan
    p_value: float = math.nan
    route: str | None = None
    p_value_route: str | None = None
    reason: str | None = None
    chance_reason: str | None = None
    p_value_reason: str | None = None
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBinsFact(Result):
    """How scores were counted in bins.

    Attributes
    ----------
    n_bins : int
        Bins that hold more than one score.
    n : int
        Cases in them.
    widest : float
        The largest distance between the lowest and the highest score of one bin.
    """

    n_bins: int
    n: int
    widest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressionFact(Result):
    """What was done so that counts which left their site tell nothing about few people.

    Attributes
    ----------
    minimum : int
        Cells of fewer cases were joined.
    cases : int or None
        Cases in groups that were left out; None if there are fewer than `minimum`.
    groups : int
        Groups left out.
    """

    minimum: int
    cases: int | None = 0
    groups: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionFact(Result):
    """Probabilities that are wrong for sure, all of them from `low` to `high`.

    Attributes
    ----------
    direction : {"underestimates", "overestimates"}
        What the score does there.
    low, high : float
    n : float
        Cases with these probabilities.
    at_least, at : float
        The largest error that is sure, and the probability that has it.
    """

    direction: str
    low: float
    high: float
    n: float
    at_least: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BinFact(Result):
    """Cases with probabilities from `low` to `high`: what was said, and what happened.

    Attributes
    ----------
    low, high : float
        Smallest and largest probability in the bin.
    n, n_positive : float
        Cases, or sums of weights.
    mean : float
        Mean probability.
    observed, observed_low, observed_high : float
        Share of positives and its interval.
    """

    low: float
    high: float
    n: float
    n_positive: float
    mean: float
    observed: float
    observed_low: float = math.nan
    observed_high: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCalibrationFact(Result):
    """Whether the probabilities of one group are right on the whole.

    Attributes
    ----------
    group : mapping of column to label
    n, observed, expected : float
        Cases, positives, and the sum of all probabilities.
    observed_expected : EstimateFact
        Ratio of the two, its interval (of this group by itself) and its own p-value.
    adjusted_p_value : float
        That p-value, adjusted for the number of groups by Holm's rule.
    below, above : float
        Ratios below and above 1 that would be seen in four of five such samples; errors between
        them mostly go unseen. nan if `reason` says why.
    reason : str or None
    """

    group: Mapping[str, Any]
    n: float
    observed: float
    expected: float
    observed_expected: EstimateFact
    adjusted_p_value: float = math.nan
    below: float = math.nan
    above: float = math.nan
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFact(Result):
    """Whether probabilities can be believed.

    Attributes
    ----------
    observed, expected : float
        Positives found, and the sum of all probabilities.
    measures : tuple of EstimateFact
        Ratio of the two, intercept and slope of the logistic recalibration, and how far the
        calibration curve is from the diagonal.
    regions : tuple of RegionFact
        Where the band excludes the diagonal, by probability.
    band_level : float
        Confidence that the band holds the whole calibration curve; nan without a band.
    band_reason : str or None
        Why there is no band.
    bins : tuple of BinFact
        Bins of equally many cases.
    bins_route : str or None
        How the intervals of the bins were computed.
    groups : tuple of GroupCalibrationFact
        Whether the probabilities of each group are right on the whole, if there are groups.
    crossing : float
        The risk that the fitted line of the recalibration leaves as it is: it corrects lower ones
        one way and higher ones the other. nan where no line was fitted.
    n_below, n_above : float
        Cases with lower and with higher risks than that.
    """

    observed: float
    expected: float
    measures: tuple[EstimateFact, ...]
    regions: tuple[RegionFact, ...] = ()
    band_level: float = math.nan
    band_reason: str | None = None
    bins: tuple[BinFact, ...] = ()
    bins_route: str | None = None
    groups: tuple[GroupCalibrationFact, ...] = ()
    crossing: float = math.nan
    n_below: float = 0
    n_above: float = 0

    def measure(self, name: str) -> EstimateFact | None:
        """Return the measure of this name, if it is known."""
        return next((fact for fact in self.measures if fact.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetBenefitFact(Result):
    """What acting at one probability brings, per case, in units of one true positive.

    Attributes
    ----------
    threshold : float
        A case is acted on if its probability is at least this: a needless action costs
        threshold / (1 - threshold) of what a needed one brings.
    value, low, high : float
        Net benefit, and its interval.
    route : str or None
        How the interval was computed.
    treat_all : float
        Net benefit of acting on everyone; acting on no one has 0.
    useful : float
        Posterior probability that it exceeds both; 0 where it flags nobody, or everybody.
    perfect_information : float
        Expected value of knowing all rates exactly before choosing between the three.
    more_cases : int
        How many further cases `more_information` is about.
    more_information : float
        Expected value of so many; nan where perfect information is worth next to nothing.
    bounds : (float, float) or None
        What holds the value of the scores themselves, where these were counted in bins; then what
        more cases are worth is unknown at a threshold within a bin.
    """

    threshold: float
    value: float
    low: float = math.nan
    high: float = math.nan
    route: str | None = None
    treat_all: float
    useful: float = math.nan
    perfect_information: float = math.nan
    more_cases: int = 0
    more_information: float = math.nan
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskFact(Result):
    """How the scores of one class are spread.

    Attributes
    ----------
    outcome : object
        The label; for the negative class of more than two labels, None.
    is_positive : bool
    n : float
    mean : float
    quantiles : tuple of float
        The smallest score that 5, 25, 50, 75 and 95 in 100 of the class do not exceed.
    """

    outcome: Any
    is_positive: bool
    n: float
    mean: float
    quantiles: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopFact(Result):
    """The highest scores: how many of them are positive, and how many positives they hold.

    Attributes
    ----------
    k : float
        Cases at the top of the list.
    share : float
        Of all cases.
    threshold : float
        The smallest score among them.
    tied : int
        Cases that share this score, if not all of them fit; 0 if they do. Values are then
        expectations over their order.
    precision, recall : EstimateFact
    """

    k: float
    share: float
    threshold: float
    tied: int = 0
    precision: EstimateFact
    recall: EstimateFact
