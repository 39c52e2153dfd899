"""A utility among the metrics of a report: it fits the data's classes once these are known."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, TypeVar

from baserate.cases import BinaryCases, Counted
from baserate.evaluation.compare_stakes import Asked, fitted, stakes_of
from baserate.metrics import utility as utility_metric
from baserate.utilities import UtilityMatrix

Report = TypeVar("Report", bound=Any)


def stake_of(utility: Any) -> Any:
    """Read utilities early, so that a broken file is found before the data are counted.

    A plain 2x2 array becomes a metric at once; it has the positive class first.
    """
    if utility is None:
        return None
    if isinstance(utility, UtilityMatrix | Mapping | str | PathLike):
        return stakes_of(utility, None)
    return utility_metric(utility)


def with_stake(
    asked: Report, stake: Any, counted: Counted | BinaryCases, target: str | None
) -> Report:
    """Add the utility to the metrics asked for, its classes matched with those of the data."""
    if stake is None:
        return asked
    metric = stake
    if isinstance(stake, Asked):
        metric = fitted(stake, counted.positive, counted.labels, target).matrix.as_metric()
    at = getattr(asked, "base_rate", None)
    added = metric if at is None else metric.at_base_rate(at)
    return replace(asked, metrics=(*asked.metrics, added))
