"""Replicate weights, as surveys publish them: columns beside the cases, read with them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import each_of, float_array
from baserate.cases.cases import Cases
from baserate.cases.clusters import Replicated
from baserate.errors import InvalidArgumentError
from baserate.evaluation.reading import columns_in, columns_like
from baserate.evaluation.refusals import refuse

Array = NDArray[np.float64]
LEAST = 2
SCALES = (
    "pass 1/R for R balanced repeated replicates, 1/(R (1 - rho)²) with Fay's factor, (R - 1)/R "
    "for the jackknife, 1/(R - 1) for the bootstrap, or one number per replicate"
)


@dataclass(frozen=True, eq=False)
class Replicates:
    """Which columns hold replicate weights, and what each squared deviation counts."""

    columns: Mapping[str, Any]
    scale: Array

    @classmethod
    def of(
        cls, weights: Any, scale: Any, *, weight: Any, target: Any, data: Any = None,
        **alike: Any,
    ) -> "Replicates | None":  # fmt: skip
        """Read the arguments: names of columns or patterns of these, or arrays of shape (n, R)."""
        if weights is None:
            if scale is not None:
                rule, remedy = "has a meaning with replicate_weights only", "leave it out"
                raise InvalidArgumentError.from_rule("replicate_scale", rule, scale, remedy)
            return None
        if weight is None:
            text = "must come with the weights of the sample itself: pass weight (--weight) too."
            raise InvalidArgumentError.about("replicate_weights", text)
        refuse("replicates", **alike)
        columns = _arrays(weights) if target is None else _named(weights, data)
        if len(columns) < LEAST:
            rule, remedy = "must be at least two columns", "name every replicate"
            raise InvalidArgumentError.from_rule("replicate_weights", rule, len(columns), remedy)
        return cls(columns, _scale(scale, len(columns)))

    def taken_from(self, cases: Cases) -> tuple[Cases, Replicated]:
        """Return cases of which these columns are no longer scores, and the replicate weights."""
        kept = {name: score for name, score in cases.scores.items() if name not in self.columns}
        return replace(cases, scores=kept), self.among(cases.scores)

    def among(self, scores: Mapping[str, Any]) -> Replicated:
        """Return these columns out of what was read as scores of cases."""
        amounts = np.array([scores[name] for name in self.columns], dtype=float)
        if (amounts < 0).any():
            rule, remedy = "must be non-negative and finite", "pass weights, not differences"
            given = float(amounts.min())
            raise InvalidArgumentError.from_rule("replicate_weights", rule, given, remedy)
        return Replicated.of(amounts, self.scale)


def _named(weights: Any, data: Any) -> dict[str, Any]:
    """Return the columns of a frame or a file; "repwt*" stands for all that begin so."""
    asked = each_of("replicate_weights", weights, str)
    if not any(isinstance(name, str) and "*" in name for name in asked):
        return {str(name): name for name in asked}
    fitting = columns_like("replicate_weights", asked, columns_in(data))
    return {str(name): name for name in fitting}


def _arrays(weights: Any) -> dict[str, Any]:
    if isinstance(weights, Mapping):
        return {str(name): column for name, column in weights.items()}
    matrix = float_array("replicate_weights", weights)
    if matrix.ndim != LEAST:
        rule, remedy = "must have shape (n, R)", "pass one column per replicate"
        raise InvalidArgumentError.from_rule("replicate_weights", rule, matrix.shape, remedy)
    return {f"replicate {k}": column for k, column in enumerate(matrix.T, 1)}


def _scale(scale: Any, size: int) -> Array:
    try:
        found = np.asarray(scale, dtype=float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.shape not in {(), (size,)} or not (np.isfinite(found) & (found > 0)).all():
        rule = f"must be a positive number, or one for each of {size} replicates"
        raise InvalidArgumentError.from_rule("replicate_scale", rule, scale, SCALES)
    return np.broadcast_to(found, size)
