"""How well a score ranks and how well it is calibrated, each beside what chance would have."""

from collections.abc import Iterator

import numpy as np

from baserate.curves import Sweep
from baserate.curves import ranking as measures
from baserate.facts import RankingFact


def ranking(swept: Sweep, level: float) -> tuple[RankingFact, ...]:
    """Gather what is known about a score besides its cut points."""
    return (*_order(swept, level), *(_probabilities(swept) if _may_be_calibrated(swept) else ()))


def _order(swept: Sweep, level: float) -> Iterator[RankingFact]:
    auc = measures.roc_auc(swept, confidence_level=level)
    yield RankingFact(
        name="roc_auc",
        value=auc.value,
        low=auc.low,
        high=auc.high,
        chance=auc.chance,
        p_value=auc.p_value,
        reason=auc.reason,
    )
    found = measures.average_precision(swept)
    reason = found.reason or found.chance_reason
    yield RankingFact(
        name="average_precision", value=found.value, chance=found.chance, reason=reason
    )


def _probabilities(swept: Sweep) -> Iterator[RankingFact]:
    """Yield what only probabilities have; by the base-rate forecast, skill is 0 by chance."""
    for name, score in (
        ("brier_score", measures.brier_score(swept)),
        ("log_loss", measures.log_loss(swept)),
    ):
        yield RankingFact(name=name, value=score.value, chance=score.chance, reason=score.reason)
    found = measures.calibration(swept)
    yield RankingFact(name="calibration_slope", value=found.slope, reason=found.reason)


def _may_be_calibrated(swept: Sweep) -> bool:
    scores = np.asarray(swept.thresholds[1:], dtype=float)
    return bool(scores[-1] >= 0 and scores[0] <= 1)
