"""The exact law of a score under luck, with the score that was observed and the tail beyond it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan, nan
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate._figures import guess as guess_named
from baserate._figures import p_stated, percent, sentence_case, short, spoken
from baserate.baselines import dutch_draw
from baserate.baselines.guessing import SAME_ALARMS, chosen_guess, guessing_rate
from baserate.baselines.totals import settled
from baserate.counts import ConfusionMatrix, single_table
from baserate.displays.contract import cases_told, rows_of
from baserate.displays.display import TableDisplay
from baserate.displays.forest_rows import briefly
from baserate.displays.picture import Axis, Floats, Histogram, Mark, Picture, Region, Rule
from baserate.displays.several_laws import SeveralLaws
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.match import MatchTest, null_law
from baserate.metrics import Metric, binary_metric
from baserate.metrics.ties import tie_width
from baserate.models import BinomialPair, Hypergeometric, Model
from baserate.questions import pmf, tails
from baserate.questions.quantiles import Atoms

BARS = 80  # most bars; of more values, neighbours share one
BEYOND = 1e-6  # of the law lies beyond either end of the picture


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessLaw:
    """A score and its law: `better` says which values count as luck as good, `p_value` how often.

    `source` names the law, `by` does so in brief, `claim` is what has the p-value as probability.
    Luck is guessing with as many alarms; no other guess is called so.
    """

    metric: Metric
    value: float
    atoms: Atoms
    as_good: NDArray[np.bool_]
    p_value: float
    source: str
    by: str
    claim: str
    reason: str = ""


class ChanceDisplay(TableDisplay):
    """The exact law of a metric under guessing, and the value that was observed.

    Whoever flags as many cases as the table does, blindly, has true positives from the
    hypergeometric law: P(tp = x) = C(P, x) C(N, k - x)/C(n, k), with P positives and N negatives
    among n cases, of which k are flagged. The metric inherits its law from that, given that it is
    defined. Shaded is the tail of values as good as the observed one or better; it is exact however
    many values share a bar. Dotted grey is the mean under luck, dashed grey the best guess (see
    `dutch_draw`).

    Parameters
    ----------
    tables : ConfusionMatrix
        One.
    metric : Metric or str
    guess : {"same_alarms", "dutch_draw", "uniform", "proportional", "mode"} or float
        "same_alarms" fixes how many cases are flagged; "dutch_draw" flags as many as the best blind
        draw; the others flag each case with the same chance (see `random_guess`).
    model : a model of tables, optional
        Any other law in place of a guess.
    confidence_level : float
        Of no use here; every display of tables has one.

    Attributes
    ----------
    luck : GuessLaw
        The value, the law's values and probabilities, and the p-value.

    Raises
    ------
    UnsupportedError
        Weights, which have no such law, or too many tables to list.
    InvalidArgumentError
        Several tables, or an unknown guess.

    References
    ----------
    Fisher (1935), Journal of the Royal Statistical Society 98:39, doi:10.2307/2342435. Van de Bijl,
    Klein, Pries, Bhulai, Hoogendoorn and van der Mei (2025), The Dutch Draw: constructing a
    universal baseline for binary classification problems, Journal of Applied Probability 62, for
    the best guess.

    Examples
    --------
    Fisher's tea taster, right about 3 of the 4 cups with milk first, has 17 in 70 chances to do as
    well by luck:

    >>> import baserate as br
    >>> tea = br.ConfusionMatrix(tp=3, fn=1, fp=1, tn=3)
    >>> luck = br.displays.ChanceDisplay(tea, metric="recall").luck
    >>> round(70 * luck.p_value, 9), (70 * luck.atoms.probabilities).round(9).tolist()
    (17.0, [1.0, 16.0, 36.0, 16.0, 1.0])
    """

    def __init__(
        self,
        tables: ConfusionMatrix | Mapping[str, ConfusionMatrix],
        *,
        metric: str | Metric = "recall",
        guess: str | float = SAME_ALARMS,
        model: Model | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(tables, confidence_level=confidence_level)
        if len(self.tables) > 1:
            rule, remedy = "must be one table", "draw one after the other"
            raise InvalidArgumentError.from_rule("tables", rule, list(self.tables)[:8], remedy)
        [self.table] = self.tables.values()
        single_table("tables", self.table)
        if self.table.is_weighted:
            raise UnsupportedError(
                "The law of luck counts cases, and these counts are weights: pass the unweighted "
                "table, to answer for this sample alone."
            )
        self.metric = binary_metric(metric)
        self.guess = chosen_guess(guess, of_table=True)
        self.model = model
        self.test: MatchTest | None = None

    @classmethod
    def from_test(cls, test: MatchTest, *, ax: Any = None, plot: bool = True) -> Self:
        """Draw a test of a group: its metric's law if it were like its reference, both tails.

        A two-sided p-value is twice the smaller tail; the shaded values, whose own tails are no
        larger than that one, weigh no more.

        Parameters
        ----------
        test : MatchTest
            What `match_test` found.
        ax : matplotlib axes, optional
        plot : bool
            Whether it is drawn by matplotlib at once.
        """
        if not isinstance(test.group, ConfusionMatrix):
            raise UnsupportedError(
                "The picture is of tables of four counts, and this test is of class tables: draw "
                "one class, match_test(metric, group.one_vs_rest(label), ...)."
            )
        made = cls(test.group, metric=test.measured)
        made.test = test
        return made.drawn_at_once(ax, plot=plot)

    @classmethod
    def from_models(
        cls, models: Mapping[str, Model], *, metric: str | Metric = "recall",
        undefined: Any = "omit", ax: Any = None, plot: bool = True,
    ) -> SeveralLaws:  # fmt: skip
        """Draw the distribution functions of a metric under several models, such as sizes.

        `undefined` is the value where the metric has none, as in `pmf`; by default such tables are
        left out.

        Examples
        --------
        How coarse accuracy is in few cases (Briscoe et al., figure 2):

        >>> import baserate as br
        >>> sizes = {f"{n} cases": br.models.UniformTables(n=n) for n in (4, 10, 30)}
        >>> shown = br.displays.ChanceDisplay.from_models(sizes, metric="accuracy", plot=False)
        >>> shown.picture.title
        'Half of the time accuracy is 0.30 to 0.70 (30 cases), 0.25 to 0.75 (4 cases)'
        """
        return SeveralLaws(binary_metric(metric), models, undefined).drawn_at_once(ax, plot=plot)

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None, plot: bool = True, **options: Any) -> Self:
        """Draw a test of a group, or what `from_table` takes."""
        if isinstance(result, MatchTest):
            return cls.from_test(result, ax=ax, plot=plot, **options)
        return cls.of(result, ax=ax, plot=plot, options=options)

    @cached_property
    def luck(self) -> GuessLaw:
        """The law under luck, and what was observed."""
        return _of_test(self.test) if self.test is not None else self._of_guess()

    def _of_guess(self) -> GuessLaw:
        metric, value = self.metric, float(self.metric(self.table))
        atoms, p_value = pmf(metric, self._model), nan
        lower = metric.direction == "lower"
        if not isnan(value):
            found = tails(metric, self._model, value)
            p_value = found.equal + (found.below if lower else found.above)
        tie = 0.0 if isnan(value) else tie_width(metric, value)
        near = np.abs(atoms.values - value) <= tie
        beyond = atoms.values < value if lower else atoms.values > value
        source = guess_named(self.guess)
        if self.model is not None:
            source = f"the {type(self.model).__name__} model"
        by = "luck" if self.model is None and self.guess == SAME_ALARMS else source
        words = {
            "higher": "as good or better",
            "lower": "as good or better",
            "neither": "as much or more",
        }
        return GuessLaw(
            metric=metric,
            value=value,
            atoms=atoms,
            as_good=near | beyond,
            p_value=min(1.0, p_value),
            source=source,
            by=by,
            claim=f"{words[metric.direction]} by {by}",
            reason=briefly(metric.undefined_reason(self.table)),
        )

    @cached_property
    def _model(self) -> Model:
        if self.model is not None:
            return self.model
        p, q = self._totals
        if self.guess in {SAME_ALARMS, "dutch_draw"}:
            k = int(self.table.n_predicted)
            if self.guess == "dutch_draw":
                ranges = dutch_draw(self.metric, n_positive=p, n_negative=q).n_predicted
                k = int(ranges[0][0]) if ranges else k
            return Hypergeometric(n_positive=p, n_negative=q, n_predicted=k)
        g = guessing_rate(self.guess, p, q)
        return BinomialPair(n_positive=p, n_negative=q, recall=g, false_positive_rate=g)

    @property
    def _totals(self) -> tuple[int, int]:
        return int(self.table.n_positive), int(self.table.n_negative)

    @cached_property
    def best_guess(self) -> float:
        """What the best blind draw scores on average; nan where there is none, or none is known."""
        p, q = self._totals
        if self.test is not None or self.metric.direction == "neither" or not self.table.n:
            return nan
        try:
            return float(dutch_draw(self.metric, n_positive=p, n_negative=q))
        except UnsupportedError:
            return nan

    def _drawn(self) -> Picture:
        luck = self.luck
        edges, all_, tail = _bars(luck.atoms, luck.as_good)
        x = self._across(edges)
        top = 1.08 * max(all_.max(initial=0.0), tail.max(initial=0.0)) or 1.0
        return Picture(
            title=self._told(),
            description=self._described(),
            x=x,
            y=Axis(label="Probability", low=0, high=top),
            marks=tuple(self._marks(edges, all_, tail, x, top)),
        )

    def _across(self, edges: Floats) -> Axis:
        shown = [v for v in (*edges[[0, -1]], self.luck.value, self.best_guess) if isfinite(v)]
        low, high = min(shown), max(shown)
        air = 0.04 * (high - low) or 0.5
        return Axis(
            label=f"{sentence_case(spoken(self.metric.name))} by {self.luck.source}",
            low=low - air,
            high=high + air,
        )

    def _marks(
        self, edges: Floats, all_: Floats, tail: Floats, x: Axis, top: float
    ) -> Iterator[Mark]:
        luck = self.luck
        if isnan(luck.value):
            ends = (x.low, x.high), (0.0, top)
            yield Region.box(
                *ends, key="undefined", name=f"undefined: {luck.reason}", color="grey",
                opacity=0.0, hatch=True,
            )  # fmt: skip
        yield Histogram(
            key="law", edges=edges, heights=all_, color="grey", opacity=0.45, name=luck.source
        )
        if tail.any():
            name = f"{luck.claim}: {p_stated(luck.p_value)}"
            yield Histogram(
                key="tail", edges=edges, heights=tail, color="bad", opacity=0.9, name=name
            )
        if luck.atoms.values.size:
            name = f"mean by {luck.by} {short(self.mean)}"
            yield Rule(key="chance", at=self.mean, of="x", style="dotted", width=2.0, name=name)
        if not isnan(self.best_guess):
            name = f"best guess {short(self.best_guess)}"
            yield Rule(key="best_guess", at=self.best_guess, of="x", name=name)
        if not isnan(luck.value):
            name = f"observed {short(luck.value)}"
            yield Rule(
                key="curve", at=luck.value, of="x", color="good", style="solid", width=2.5,
                name=name,
            )  # fmt: skip

    @property
    def mean(self) -> float:
        """What luck scores on average, given that the metric is defined."""
        atoms = self.luck.atoms
        if not atoms.values.size:
            return nan
        return settled(self.luck.metric, float(atoms.values @ atoms.probabilities))

    def _told(self) -> str:
        luck, t = self.luck, self.table
        name = sentence_case(spoken(luck.metric.name))
        cases = f"({cases_told([t])})"
        if isnan(luck.value):
            return f"{name} is undefined: {luck.reason} {cases}"
        return f"{name} {short(luck.value)}; {luck.claim}: {p_stated(luck.p_value)} {cases}"

    def _described(self) -> str:
        luck = self.luck
        missing = luck.atoms.undefined
        undefined = f" Undefined by {luck.by} {percent(missing)} of the time." if missing else ""
        mean = f"The law of {spoken(luck.metric.name)} by {luck.source}, mean {short(self.mean)}."
        return f"{mean} {self._told()}.{undefined}"

    def _rows(self) -> list[dict[str, Any]]:
        luck = self.luck
        value, probability = luck.atoms.values, luck.atoms.probabilities
        return rows_of({"value": value, "probability": probability, "in_tail": luck.as_good})


def _of_test(test: MatchTest) -> GuessLaw:
    """Return the law under the null hypothesis of a test, with both tails."""
    atoms, value = null_law(test), test.value
    below, above = np.cumsum(atoms.probabilities), np.cumsum(atoms.probabilities[::-1])[::-1]
    tail = min(test.lower, test.upper) * (1 + 1e-9)
    sides = {
        "less": below <= test.lower * (1 + 1e-9),
        "greater": above <= test.upper * (1 + 1e-9),
        "two-sided": (below <= tail) | (above <= tail) | (tail >= 0.5),
    }
    ways = {"less": "as low", "greater": "as high", "two-sided": "as far"}
    unknown = np.zeros(atoms.values.size, dtype=bool)
    return GuessLaw(
        metric=test.measured,
        value=value,
        atoms=atoms,
        as_good=unknown if isnan(test.p_value) else sides[test.alternative],
        p_value=test.p_value,
        source="luck, if like the reference",
        by="luck",
        claim=f"{ways[test.alternative]} by luck",
        reason=briefly(test.reason),
    )


def _bars(atoms: Atoms, as_good: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Return edges of bars, the probability within each, and that of values as good within each."""
    values, weights = atoms.values, atoms.probabilities
    if not values.size:
        return np.array([0.0, 1.0]), np.zeros(1), np.zeros(1)
    reached = np.cumsum(weights)
    kept = (reached > BEYOND) & (reached - weights < 1 - BEYOND)
    values, weights, good = values[kept], weights[kept], as_good[kept]
    gaps = np.diff(values)
    spread = float(values[-1] - values[0])
    least = float(gaps.min()) if gaps.size else 1.0
    if len(values) <= BARS and least > spread / 400:
        half = 0.4 * least if gaps.size else max(0.01 * abs(values[0]), 0.005)
        edges = np.ravel(np.column_stack((values - half, values + half)))
        bars, tail = (np.zeros(len(edges) - 1) for _ in range(2))
        bars[::2], tail[::2] = weights, weights * good
        return edges, bars, tail
    flips = np.flatnonzero(np.diff(good.astype(np.int8)))
    flip = int(flips[-1]) if flips.size else 0  # no bar holds values to either side of it
    if np.ptp(gaps) <= 1e-6 * least:  # neighbours in equal numbers, or bars would go up and down
        each = -(-len(values) // BARS)
        places = np.arange((flip + 1) % each - each, len(values) + each, each)
        edges = values[0] + (places - 0.5) * least
    else:
        step, at = spread / (BARS // 2), float(values[flip] + values[flip + 1]) / 2
        below, above = (int(np.ceil(far / step)) for far in (at - values[0], values[-1] - at))
        edges = at + step * np.arange(-below, above + 1)
    bars, _ = np.histogram(values, edges, weights=weights)
    tail, _ = np.histogram(values, edges, weights=weights * good)
    return np.asarray(edges, dtype=np.float64), bars, tail
