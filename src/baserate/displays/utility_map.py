"""Which classifier yields more, for all stakes and base rates, and where deciding alike does."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import exp, inf, log, sqrt
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from baserate._checks import number_in, one_of
from baserate._figures import label, short
from baserate.counts import ConfusionMatrix
from baserate.displays.contract import cases_told
from baserate.displays.display import TableDisplay, by_name
from baserate.displays.picture import (
    Axis,
    Floats,
    Line,
    Mark,
    Picture,
    Points,
    Region,
    Rule,
    Text,
    flat,
    series_color,
)
from baserate.displays.strip import COSTS
from baserate.errors import InvalidArgumentError
from baserate.utilities import UtilityMatrix, best_by_threshold, compare_utilities
from baserate.utilities.envelope import LinearFunction as Yield
from baserate.utilities.envelope import UpperEnvelope
from baserate.utilities.exact_yields import common_base_rate, exact_rates
from baserate.utilities.two_classifiers import UtilityComparison

Coordinates = Literal["stakes", "published"]

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
CONSTANTS = ("always positive", "always negative")
UNIT = UtilityMatrix([[1, 0], [0, 1]])
# Grids of logits: of a boundary that is drawn, and of odds at which probabilities are looked at.
_DRAWN, _LOOKED = np.linspace(-9, 9, 145), np.linspace(-7, 7, 15)
_SHOWN = exp(-4), exp(4)  # odds beyond which no words are placed
_LETTER = 0.017  # width of a bold one, as a share of a usual picture
_OPACITY = (0.38, 0.16, 0.27, 0.1)  # told apart in grey print


class UtilityMapDisplay(TableDisplay):
    """Who yields more at every threshold tau and base rate, or over all 2x2 utilities.

    tau is cost of a false alarm over (that + benefit of a found positive): the probability from
    which a positive decision pays. At base rate π a classifier with recall r and specificity t
    yields (1 - tau) π r + tau (1 - π) t per case, so that only the odds of π over those of tau
    decide, and every boundary is a curve on which they are constant; it is exact.

    Filled: the classifier that yields most. Hatched: where always deciding the same yields more
    than any of them. Dotted, of two: the posterior probability that the first yields more than the
    second (`baserate.compare_utilities`).

    Parameters
    ----------
    tables : ConfusionMatrix, or mapping of name to ConfusionMatrix
        Each with both classes; recall and specificity are what they are at every base rate.
    coordinates : {"stakes", "published"}
        The plane of tau and base rate; or that of Dyrland et al., in which a point is a utility
        matrix scaled to lie between 0 and 1: x = U[n][n] - U[p][p], y = U[p][n] - U[n][p], in the
        hexagon ``|x|``, ``|y|``, ``|x - y|`` <= 1, at one base rate.
    base_rate : float, optional
        Of use. Default: the one of the tables, if they share it; without one the plane of stakes is
        drawn without a line for it.
    utilities : UtilityMatrix, or mapping of name to UtilityMatrix, optional
        Points on the map.
    paired : optional
        As in `baserate.compare_utilities`, for two classifiers tested on the same cases.
    probabilities : bool, optional
        Whether lines of probability are drawn. Default: of two classifiers.
    confidence_level : float

    Raises
    ------
    InvalidArgumentError
        A table lacks a class, or the published coordinates lack a base rate.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t. Drummond and Holte
    (2006), Machine Learning 65:95, doi:10.1007/s10994-006-8199-5, for costs and base rates as one.

    Examples
    --------
    The paper's story, tested on as many positives as negatives: A yields more from tau 0.8421 on.

    >>> import baserate as br
    >>> a = br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> display = br.displays.UtilityMapDisplay({"A": a, "B": b})
    >>> [(row["best"], row["tau_low"].__round__(4)) for row in display.to_frame("polars").to_dicts()
    ...  if row["among"] == "classifiers"]
    [('B', 0.0), ('A', 0.8421)]
    """

    def __init__(
        self,
        tables: ConfusionMatrix | Mapping[str, ConfusionMatrix],
        *,
        coordinates: Coordinates = "stakes",
        base_rate: float | None = None,
        utilities: UtilityMatrix | Mapping[str, UtilityMatrix] | None = None,
        paired: Sequence[int] | None = None,
        probabilities: bool | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(tables, confidence_level=confidence_level)
        self.coordinates: Coordinates = one_of("coordinates", coordinates, Coordinates)  # pyright: ignore[reportAttributeAccessIssue]
        self.rates = {name: exact_rates(name or "table", t) for name, t in self.tables.items()}
        self.base_rate = self._base_rate(base_rate)
        remedy = "pass baserate.UtilityMatrix([[..], [..]])"
        self.utilities: dict[str, UtilityMatrix] = (
            {} if utilities is None else by_name("utilities", utilities, UtilityMatrix, remedy)
        )
        self.paired = paired
        self.probabilities = len(self.tables) == 2 if probabilities is None else probabilities
        if self.probabilities and len(self.tables) != 2:
            rule, remedy = "need two classifiers", "pass two tables, or probabilities=False"
            raise InvalidArgumentError.from_rule("probabilities", rule, len(self.tables), remedy)

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None, plot: bool = True, **options: Any) -> Self:
        """Draw a comparison of two classifiers, or what `from_table` takes."""
        if isinstance(result, UtilityComparison):
            known = {"base_rate": result.base_rate, "utilities": result.utilities}
            options = {**known, "paired": result.discordant, **options}
            result = result.tables
        return cls.of(result, ax=ax, plot=plot, options=options)

    def _base_rate(self, given: Any) -> float | None:
        if given is not None:
            return number_in("base_rate", given, "(0, 1)", "pass the share of positives")
        own = {name: r.base_rate for name, r in self.rates.items()}
        if self.coordinates == "stakes" and max(own.values()) != min(own.values()):
            return None
        return float(common_base_rate(own, None))

    def _drawn(self) -> Picture:
        stakes = self.coordinates == "stakes"
        return Picture(
            title=self._title(),
            description=self._told(),
            x=Axis(label="Threshold tau", low=0, high=1) if stakes else _PUBLISHED[0],
            y=Axis(label="Base rate", low=0, high=1) if stakes else _PUBLISHED[1],
            top=COSTS if stakes else None,
            marks=flat(
                [
                    *self._winners(),
                    *self._constants(),
                    *(self._contours() if self.probabilities else ()),
                    *self._frame(),
                    *self._places(),
                ]
            ),
            square=True,
        )

    def _title(self) -> str:
        cases = cases_told(self.tables.values())
        where = "" if self.base_rate is None else f", base rate {short(self.base_rate)}"
        if len(self.tables) == 1:
            what = "Where the classifier yields more than deciding always the same"
            return f"{what}: {cases}{where}"
        return f"In {cases}{where}, {self._spans(self.base_rate or 0.5)}"

    def _spans(self, base_rate: float) -> str:
        """Return who yields most from where to where."""
        spans = self._at_base_rate(self._pieces(), base_rate)
        told = (f"{_who(one.best)} from tau {one.low:.2g} to {one.high:.2g}" for one in spans)
        return f"the classifier that yields most is {', '.join(told)}"

    def _told(self) -> str:
        also = "" if self.base_rate is None else f" Here the base rate is {short(self.base_rate)}."
        return (
            "Who yields most at each threshold tau and base rate, recall and specificity as in "
            f"these cases; at a base rate of one half: {self._spans(0.5)}.{also}"
        )

    def _pieces(self) -> list["_Span"]:
        """Return who yields most among the classifiers, by odds of base rate over odds of tau."""
        lines = {
            name: Yield(slope=r.recall - r.specificity, zero=r.specificity)
            for name, r in self.rates.items()
        }
        envelope = UpperEnvelope.of(list(lines.values()))
        ends = [*envelope.starts[1:], Fraction(1)]
        return [
            _Span(
                tuple(name for name, own in lines.items() if own == line),
                _odds(start),
                _odds(end),
            )
            for (start, line), end in zip(envelope.pieces, ends, strict=True)
        ]

    def _constant_pieces(self) -> list["_Span"]:
        """Return where a constant decision yields more than every classifier."""
        pieces = best_by_threshold({n or "classifier": t for n, t in self.tables.items()},
                                   base_rate=0.5).pieces  # fmt: skip
        return [
            _Span(piece.best[:1], _odds(1 - Fraction(piece.high)), _odds(1 - Fraction(piece.low)))
            for piece in pieces
            if set(piece.best) <= set(CONSTANTS)
        ]

    def _winners(self) -> Iterator[Mark]:
        names = list(self.tables)
        for span in self._pieces():
            k, name = names.index(span.best[0]), _who(span.best)
            name += " yields more" if len(names) > 1 else ""
            yield Region(
                key="best", name=name, color=series_color(k), opacity=_OPACITY[k % 4],
                **self._between(span),
            )  # fmt: skip
            if len(names) > 1:
                yield self._label(span)

    def _constants(self) -> Iterator[Mark]:
        for span in self._constant_pieces():
            yield Region(
                key="constant", name="deciding always the same yields more",
                color="grey", hatch=True, opacity=0.12, **self._between(span),
            )  # fmt: skip
            [decision] = span.best
            x, y = self._curve(span.high if decision == "always negative" else span.low)
            yield Line(key="constant_edge", x=x, y=y, color="grey", width=1.5)
            (x, y), anchor = _CORNERS[self.coordinates, decision]
            yield Text(key="constant_label", x=x, y=y, text=decision, anchor=anchor, color="ink")

    def _label(self, span: "_Span") -> Mark:
        """Return the name of the best within its region, toward the corner (1, 1)."""
        low, high = max(span.low, _SHOWN[0]), min(span.high, _SHOWN[1])
        odds = sqrt(low * high)
        if self.coordinates == "published":
            ends = _polyline(self._tau(odds))
            x, y = (float(part[:2].mean()) for part in ends)
        else:
            centre = 1 - log(odds) / 2
            x, y = (1 / (1 + exp(-logit)) for logit in (centre, centre + log(odds)))
        return Text(key="best_label", x=x, y=y, text=_who(span.best), anchor="middle",
                    color="ink", bold=True)  # fmt: skip

    def _between(self, span: "_Span") -> dict[str, Any]:
        (x, y), (u, v) = self._curve(span.low), self._curve(span.high)
        return {"x": np.concatenate((x, u[::-1])), "y": np.concatenate((y, v[::-1]))}

    def _curve(self, odds: float) -> tuple[Floats, Floats]:
        """Return the curve on which odds of base rate over odds of tau are constant."""
        if self.coordinates == "published":
            return _polyline(self._tau(odds))
        if odds == 0:
            return np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0])
        if odds == inf:
            return np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
        centre = _DRAWN - log(odds) / 2
        tau, pi = 1 / (1 + np.exp(-centre)), 1 / (1 + np.exp(-centre - log(odds)))
        return np.concatenate(([0.0], tau, [1.0])), np.concatenate(([0.0], pi, [1.0]))

    def _tau(self, odds: float, base_rate: float | None = None) -> float:
        """Return the threshold at which the boundary passes the base rate."""
        pi = self.base_rate if base_rate is None else base_rate
        assert pi is not None
        own = pi / (1 - pi)
        return 0.0 if odds == inf else own / (own + odds)

    def _contours(self) -> Iterator[Mark]:
        first, second = (label(name) or "the first" for name in self.tables)
        for k, (level, odds) in enumerate(self._probable()):
            x, y = self._curve(odds)
            along = np.arange(len(x))  # labels of close lines stand apart
            at = (len(x) - 1) * (0.5 + 0.05 * (k - 2))
            yield Line(
                key="contour", x=x, y=y, color="ink", style="dotted", width=1.25,
                name=f"probability that {first} yields more than {second}",
            )  # fmt: skip
            yield Text(
                key="contour_label", x=float(np.interp(at, along, x)),
                y=float(np.interp(at, along, y)), text=f"{100 * level:g}%", anchor="middle",
                color="ink",
            )  # fmt: skip

    def _probable(self) -> list[tuple[float, float]]:
        """Return levels of probability and the odds at which it is passed."""
        from scipy.optimize import brentq

        a, b = self.tables.values()

        def sure(logit: float) -> float:
            share = 1 / (1 + exp(-logit))
            found = compare_utilities(a, b, UNIT, base_rate=share, paired=self.paired, prior=0.5)
            return found.probability_a_better

        seen = np.array([sure(logit) for logit in _LOOKED])
        found: list[tuple[float, float]] = []
        for level in LEVELS:
            for k in np.flatnonzero(np.diff(seen > level)):
                ends = float(_LOOKED[k]), float(_LOOKED[k + 1])
                root: Any = brentq(lambda v, level=level: sure(v) - level, *ends, xtol=1e-7)
                found.append((level, exp(root)))
        return found

    def _frame(self) -> Iterator[Mark]:
        if self.coordinates == "published":
            x, y = zip(*((1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1), (1, 0), (1, 1)), strict=True)
            yield Line(key="frame", x=x, y=y, color="ink", width=1.0)
        elif self.base_rate is not None:
            yield Rule(key="base_rate", at=self.base_rate, of="y", name="base rate here")

    def _places(self) -> Iterator[Mark]:
        for k, (name, u) in enumerate(self.utilities.items()):
            if self.coordinates == "published":
                x, y = map(float, u.published)
            elif self.base_rate is None:
                continue
            else:
                x, y = float(u.threshold), self.base_rate
            yield Points(key="utilities", x=[x], y=[y], shape="diamond", color="ink", size=6.5)
            stakes, told = self.coordinates == "stakes", label(name) or "these stakes"
            y += (0.05 if stakes else 0.12) * (-1) ** k
            yield Text(key="utilities_label", x=x, y=y, text=told, color="ink", bold=True,
                       anchor=_anchor(told, x if stakes else (1 + x) / 2))  # fmt: skip

    def _at_base_rate(self, spans: Sequence["_Span"], pi: float) -> list["_Span"]:
        return [_Span(s.best, self._tau(s.high, pi), self._tau(s.low, pi)) for s in reversed(spans)]

    def _rows(self) -> list[dict[str, Any]]:
        pi = 0.5 if self.base_rate is None else self.base_rate
        kinds = {"classifiers": self._pieces(), "constants": self._constant_pieces()}
        rows = [
            {"among": among, "best": ", ".join(span.best), "base_rate": pi, "tau_low": span.low,
             "tau_high": span.high, "probability": None}
            for among, spans in kinds.items()
            for span in self._at_base_rate(sorted(spans, key=lambda s: s.low), pi)
        ]  # fmt: skip
        probable = self._probable() if self.probabilities else []
        rows += [
            {"among": "probability", "best": next(iter(self.tables)), "base_rate": pi,
             "tau_low": self._tau(odds, pi), "tau_high": self._tau(odds, pi), "probability": level}
            for level, odds in probable
        ]  # fmt: skip
        return rows


class _Span(NamedTuple):
    """Who is best from where to where: odds of base rate over odds of tau, or tau."""

    best: tuple[str, ...]
    low: float
    high: float


_PUBLISHED = (
    Axis(label="x: right negative worth more than right positive", low=-1, high=1),
    Axis(label="y: false alarm worth more than miss", low=-1, high=1),
)


_CORNERS: dict[tuple[str, str], tuple[tuple[float, float], Literal["start", "end"]]] = {
    ("stakes", "always positive"): ((0.02, 0.95), "start"),
    ("stakes", "always negative"): ((0.98, 0.03), "end"),
    ("published", "always positive"): ((-0.98, 0.92), "start"),
    ("published", "always negative"): ((0.98, -0.95), "end"),
}


def _anchor(told: str, at: float) -> Literal["start", "middle", "end"]:
    """Return how words lie about a place between 0 and 1: around it, where there is room."""
    half = 0.5 * _LETTER * len(told)
    return "start" if at < half else "end" if at > 1 - half else "middle"


def _who(best: Sequence[str]) -> str:
    return " and ".join(map(label, best)) or "the classifier"


def _odds(share: Fraction) -> float:
    return inf if share == 1 else float(share / (1 - share))


def _polyline(tau: float) -> tuple[Floats, Floats]:
    """Return where the threshold is tau in the published coordinates: from (1, 1) to (-1, -1)."""
    if tau <= 0.5:
        k = tau / (1 - tau)
        x, y = (1, 0, k - 1, -1), (1, 1 - k, 0, -1)
    else:
        k = (1 - tau) / tau
        x, y = (1, 1 - k, 0, -1), (1, 0, k - 1, -1)
    return np.array(x, dtype=float), np.array(y, dtype=float)
