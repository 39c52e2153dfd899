"""Briscoe, Kepler, DeFord, Gebremedhin (2025), Algorithmic Accountability in Small Data, AISTATS.

The tables that the authors publish with their code, and their statements about holes, distances and
smoothing, recomputed exactly. Where a printed statement does not hold, the function says what does.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import baserate as br


def _table(tp: int, fn: int, fp: int, tn: int) -> br.ConfusionMatrix:
    return br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


# ProPublica's violent-recidivism table, as in the authors' repository.
COMPAS = MappingProxyType(
    {"COMPAS Black": _table(273, 170, 1043, 1692), "COMPAS White": _table(77, 129, 380, 1679)}
)
COMPAS_ALL = _table(389, 347, 1597, 4121)

# Income predicted in California 2017 (Folktables), as in the authors' repository.
FOLKTABLES = MappingProxyType(
    {
        "FT American Indian and Alaska Native": _table(13, 26, 31, 275),
        "FT American Indian": _table(82, 113, 149, 810),
        "FT Asian": _table(4679, 2817, 3624, 13928),
        "FT Black": _table(755, 730, 1028, 5574),
        "FT Multiracial": _table(757, 609, 724, 3866),
        "FT Other": _table(746, 930, 1700, 14713),
        "FT Pacific Islander": _table(40, 31, 74, 341),
        "FT White": _table(19246, 10933, 12741, 54347),
    }
)
FOLKTABLES_ALL = _table(26318, 16189, 20071, 93854)

GROUPS: Mapping[str, br.ConfusionMatrix] = MappingProxyType({**COMPAS, **FOLKTABLES})

# The fifteen metrics of the experiment: eleven, and the complements of four with the same errors.
METRICS = (
    "accuracy",
    "base_rate",
    "predicted_positive_rate",
    "marginal_benefit",
    "recall",
    "false_negative_rate",
    "false_positive_rate",
    "specificity",
    "precision",
    "false_discovery_rate",
    "negative_predictive_value",
    "false_omission_rate",
    "f1",
    "matthews_correlation",
    "prevalence_threshold",
)
COMPLEMENTS = MappingProxyType(
    {
        "false_negative_rate": "recall",
        "specificity": "false_positive_rate",
        "false_discovery_rate": "precision",
        "false_omission_rate": "negative_predictive_value",
    }
)
DISTINCT = tuple(metric for metric in METRICS if metric not in COMPLEMENTS)


def rest_of(group: str) -> br.ConfusionMatrix:
    """Return the reference of a published group: all cases of its data set, less the group.

    Examples
    --------
    >>> rest_of("COMPAS Black")
    ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    """
    whole = COMPAS_ALL if group in COMPAS else FOLKTABLES_ALL
    cells = zip(whole, GROUPS[group], strict=True)
    return _table(*(every - own for every, own in cells))


@dataclass(frozen=True, slots=True, kw_only=True)
class Distances:
    """Table 2: how far the Black defendants of COMPAS are from two candidate priors.

    Attributes
    ----------
    group, reference : br.groups.Shares
    reference_by_cell, uniform_by_cell : br.groups.Shares
        Absolute differences.
    """

    group: br.groups.Shares
    reference: br.groups.Shares
    reference_by_cell: br.groups.Shares
    uniform_by_cell: br.groups.Shares

    @property
    def reference_l1(self) -> float:
        """Sum of the differences from the reference."""
        return sum(self.reference_by_cell)

    @property
    def uniform_l1(self) -> float:
        """Sum of the differences from the uniform prior."""
        return sum(self.uniform_by_cell)


def table_2(group: str = "COMPAS Black") -> Distances:
    """Return Table 2 with the reference that the paper defines: all cases less the group.

    As printed, the columns FN and FP are exchanged, and "all other races" includes the group. The
    conclusion, that the reference is closer than the uniform prior, holds in total (L1) but not in
    every cell: for false positives the uniform prior is closer.

    Examples
    --------
    >>> found = table_2()
    >>> round(found.reference_l1, 3), round(found.uniform_l1, 3)
    (0.419, 0.721)
    >>> found.uniform_by_cell.fp < found.reference_by_cell.fp
    True
    """
    own, other = _shares(GROUPS[group]), _shares(rest_of(group))
    return Distances(
        group=own,
        reference=other,
        reference_by_cell=_apart(own, other),
        uniform_by_cell=_apart(own, br.groups.Shares(0.25, 0.25, 0.25, 0.25)),
    )


def _shares(table: br.ConfusionMatrix) -> br.groups.Shares:
    return br.groups.Shares(*(cell / table.n for cell in table))


def _apart(a: br.groups.Shares, b: br.groups.Shares) -> br.groups.Shares:
    return br.groups.Shares(*(abs(x - y) for x, y in zip(a, b, strict=True)))


def smoothing_errors(
    *,
    metrics: Sequence[str] = DISTINCT,
    sizes: Iterable[int] = range(5, 150),
    strengths: Sequence[float] = (5, 10, 20, 40),
    replace: bool = True,
    processes: int = 1,
) -> br.results.Downsampled:
    """Return the errors of section 6 for the ten groups, exact where the paper samples.

    Complements need not be asked for: their errors are those of the metrics they complete to one.

    Examples
    --------
    >>> found = smoothing_errors(metrics=["base_rate"], strengths=[5], sizes=range(5, 150))
    >>> worse = found.worse("strength=5", against="epsilon")
    >>> [(f.group, f.sizes[0], round(f.worst, 2)) for f in worse]
    [('FT Other', 12, 1.03)]
    """
    how = {"sizes": tuple(sizes), "strengths": tuple(strengths), "replace": replace}
    errors = partial(_errors, **how)
    if processes == 1:
        return errors(tuple(metrics))
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(errors, ((metric,) for metric in metrics)))
    axes = ("mse", "bias", "probability_defined", "truth")
    joined: dict[str, Any] = {
        a: np.concatenate([getattr(one, a) for one in parts], axis=1) for a in axes
    }
    joined["metrics"] = tuple(name for one in parts for name in one.metrics)
    return dataclasses.replace(parts[0], **joined)


def _errors(metrics: tuple[str, ...], **how: Any) -> br.results.Downsampled:
    reference = {group: rest_of(group) for group in GROUPS}
    return br.groups.downsample(GROUPS, metrics, reference=reference, **how)


class Failing(NamedTuple):
    """A group and metric of which smoothing has the larger error, at worst by this factor."""

    group: str
    metric: str
    worst: float


def failing_pairs(errors: br.results.Downsampled, strength: float) -> tuple[Failing, ...]:
    """Return where smoothing is worse than adding 1e-10, complements included.

    The paper states that smoothing improves the error in every experiment. Of 150 pairs of group
    and metric, at sizes 5 to 149, it fails in 1 with strength 5, 4 with 10, 13 with 20, 32 with 40.

    Examples
    --------
    >>> errors = smoothing_errors(metrics=["false_positive_rate"], strengths=[20])
    >>> sorted({failure.metric for failure in failing_pairs(errors, 20)})
    ['false_positive_rate', 'specificity']
    """
    ratios = errors.ratios(f"strength={strength:g}", against="epsilon")
    worst = np.nan_to_num(ratios).max(axis=-1)
    failures = [
        Failing(errors.groups[g], errors.metrics[m], float(worst[g, m]))
        for g, m in np.argwhere(worst > 1 + 1e-9).tolist()
    ]
    twins = {metric: twin for twin, metric in COMPLEMENTS.items()}
    copies = (f._replace(metric=twins[f.metric]) for f in failures if f.metric in twins)
    return tuple(sorted((*failures, *copies), key=lambda f: (-f.worst, f.metric)))
