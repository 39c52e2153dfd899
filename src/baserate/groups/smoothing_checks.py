"""Whether smoothing helps: the reference's size and distance, and the exact risks at this n."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.groups.estimators import Estimator, Shares, shares_of
from baserate.groups.risk import best_strength, risks
from baserate.groups.strength import best_for_cells
from baserate.metrics import get
from baserate.models import Multinomial

Array = NDArray[np.float64]

SMALL, TINY = 100, 50  # reference sizes that deserve a warning, and a strong one
SUMMABLE = 150  # largest group for which metrics that need every table are checked
STRENGTHS = (5.0, 10.0, 20.0, 40.0)

# The distinct experiments of Briscoe et al.; complements such as the miss rate add nothing.
CHECKED = (
    "accuracy",
    "base_rate",
    "predicted_positive_rate",
    "marginal_benefit",
    "recall",
    "false_positive_rate",
    "precision",
    "negative_predictive_value",
    "f1",
    "matthews_correlation",
    "prevalence_threshold",
)
ROUNDING = 1e-14  # of a variance per case that is 0
LONG = frozenset({"matthews_correlation", "prevalence_threshold"})  # need every table


class Distance(NamedTuple):
    """How far a group's shares are from the reference, and from the uniform prior."""

    reference: float
    uniform: float

    @property
    def reference_is_closer(self) -> bool:
        """Whether the reference is the better prior by this measure."""
        return self.reference < self.uniform


@dataclass(frozen=True, kw_only=True)
class Checks(Result):
    """What speaks for and against smoothing a group; everything is computed when asked for.

    Attributes
    ----------
    group : ConfusionMatrix
    reference : Shares
    reference_size : float or None
    strength : float

    Notes
    -----
    Risks are exact for samples of this size from a population with the group's observed shares. A
    small group's shares are themselves uncertain, and look further from the reference than they
    are; so the checks are cautious.
    """

    group: ConfusionMatrix
    reference: Shares
    reference_size: float | None
    strength: float

    @property
    def size_warning(self) -> str | None:
        """What to think of the reference's size; None if it holds 100 cases or more."""
        n = self.reference_size
        if n is None:
            return "The size of the reference is not known: pass its table to have it checked."
        if n >= SMALL:
            return None
        if n >= TINY:
            return f"The reference has only {n:g} cases: its own shares are uncertain (below 100)."
        return (
            f"The reference has only {n:g} cases, too few to lean on (below 50): collect more, or "
            "smooth towards all other groups together."
        )

    @cached_property
    def distances(self) -> Mapping[str, Distance]:
        """Distances from the observed shares: L1, Kullback-Leibler, and of both margins."""
        p = np.array(shares_of("group", self.group))
        q, uniform = np.array(self.reference), np.full(4, 0.25)
        measures = {
            "l1": lambda x: float(np.abs(p - x).sum()),
            "kullback_leibler": lambda x: _divergence(p, x),
            "base_rate": lambda x: float(abs(p[0] + p[1] - x[0] - x[1])),
            "predicted_positive_rate": lambda x: float(abs(p[0] + p[2] - x[0] - x[2])),
        }
        return {name: Distance(measure(q), measure(uniform)) for name, measure in measures.items()}

    @property
    def best_strength(self) -> float:
        """λ* = (1 - Σ p²)/Σ (p - q)² at the observed shares: the best for the cells together."""
        return best_for_cells(np.array(shares_of("group", self.group)), np.array(self.reference))

    @cached_property
    def best_strengths(self) -> Mapping[str, float]:
        """λ* of each checked metric that has one in closed form."""
        names = [name for name in CHECKED if name not in LONG and name != "f1"]
        return {name: best_strength(name, self.group, self.reference) for name in names}

    @cached_property
    def mse(self) -> Mapping[str, Mapping[str, float]]:
        """Exact mean squared error by metric and estimator.

        Estimators are "raw" (given that it is defined), "add_one", "strength=5", 10, 20, 40 and the
        one in use. Metrics undefined at the observed shares are left out, and in groups of more
        than 150 cases those that need a sum over every table.
        """
        size = max(round(float(self.group.n)), 1)
        model = Multinomial(n=size, cells=self.group)
        found = {name: risks(name, model, self._estimators) for name in self._metrics}
        return {name: {r.estimator: r.mse for r in row} for name, row in found.items()}

    @cached_property
    def ratios(self) -> Mapping[str, float]:
        """Mean squared error of this smoothing over that of the raw estimate, by metric.

        Without the metrics that are `unjudged`.
        """
        used = self._estimators[-1].name
        judged = {m: row for m, row in self.mse.items() if m not in self.unjudged}
        return {m: row[used] / row["raw"] for m, row in judged.items()}

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Metrics whose raw estimate has no error at the observed shares.

        An observed rate of 0 or 1, taken as the truth, is estimated without error from any sample:
        nothing can be compared with that.
        """
        size = max(float(self.group.n), 1.0)
        return tuple(m for m, row in self.mse.items() if row["raw"] * size <= ROUNDING)

    @property
    def helps(self) -> bool:
        """Whether some metric can be judged, and none gets a larger mean squared error."""
        return bool(self.ratios) and all(r <= 1 for r in self.ratios.values())

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, and in a second what could not be judged."""
        if not float(self.group.n):
            return "The group has no cases: smoothing returns the reference."
        return self._verdict + self._left_out

    @property
    def _verdict(self) -> str:
        lead = f"Strength {self.strength:g}"
        if not self.ratios:
            return f"{lead} cannot be judged."
        if self.helps:
            middle = float(np.median(list(self.ratios.values())))
            return (
                f"{lead} helps: none of the {len(self.ratios)} metrics checked gets a larger mean "
                f"squared error, and the median one falls to {middle:.0%} of the raw one."
            )
        worst = max(self.ratios, key=lambda name: self.ratios[name])
        return f"{lead} may hurt, because {self._reason(worst)}."

    @property
    def _left_out(self) -> str:
        if not self.unjudged:
            return ""
        return (
            f" Not judged, because the observed table shows no error: {', '.join(self.unjudged)}."
        )

    def _reason(self, worst: str) -> str:
        text = f"{worst} gets {self.ratios[worst]:.2f} times the raw mean squared error"
        best = self.best_strengths.get(worst, inf)
        if best < self.strength:
            text += (
                f": the reference is far from this group there, and its best strength is {best:.1f}"
            )
        return text

    @property
    def _metrics(self) -> list[str]:
        long = float(self.group.n) > SUMMABLE
        names = (name for name in CHECKED if not (long and name in LONG))
        return [name for name in names if not isnan(float(get(name)(self.group)))]

    @property
    def _estimators(self) -> list[Estimator]:
        given = [Estimator.toward(self.reference, strength=s) for s in (*STRENGTHS, self.strength)]
        if not self.strength:
            given[-1] = Estimator.raw()
        return [Estimator.raw(), Estimator.add_one(), *given]


def _divergence(p: Array, q: Array) -> float:
    """Σ p log(p/q), infinite where the prior rules out what was seen."""
    seen = p > 0
    if (q[seen] == 0).any():
        return inf
    return float((p[seen] * np.log(p[seen] / q[seen])).sum())
