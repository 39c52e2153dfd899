"""Small groups: is a group's score luck, what is a steadier estimate, and where is it undefined."""

from baserate.groups.estimation import Risk, best_strength, risk, risks
from baserate.groups.families import FamilyAdjusted, family_adjust
from baserate.groups.gaps import Gap, group_difference, group_ratio
from baserate.groups.group_sizes import GroupSize, group_size
from baserate.groups.holes import count_undefined, share_undefined
from baserate.groups.match import MatchTest, match_test
from baserate.groups.multiplicity import MinP, adjust, min_p
from baserate.groups.pair_intervals import PairInterval, pair_interval
from baserate.groups.pairs import (
    PairMetric,
    difference,
    get_pair,
    objective_fairness_index,
    ratio,
    treatment_equality,
)
from baserate.groups.power import SmallestGap, match_error_rate, match_power, smallest_gap
from baserate.groups.pseudo_cases import (
    Estimator,
    Shares,
    Strength,
    cell_strength,
    estimate_strength,
)
from baserate.groups.smoothing import (
    Smoothed,
    SmoothedMulticlass,
    smooth,
    smooth_groups,
    smooth_multiclass,
)
from baserate.groups.smoothing_checks import Checks

__all__ = [
    "Checks",
    "Estimator",
    "FamilyAdjusted",
    "Gap",
    "GroupSize",
    "MatchTest",
    "MinP",
    "PairInterval",
    "PairMetric",
    "Risk",
    "Shares",
    "SmallestGap",
    "Smoothed",
    "SmoothedMulticlass",
    "Strength",
    "adjust",
    "best_strength",
    "cell_strength",
    "count_undefined",
    "difference",
    "estimate_strength",
    "family_adjust",
    "get_pair",
    "group_difference",
    "group_ratio",
    "group_size",
    "match_error_rate",
    "match_power",
    "match_test",
    "min_p",
    "objective_fairness_index",
    "pair_interval",
    "ratio",
    "risk",
    "risks",
    "share_undefined",
    "smallest_gap",
    "smooth",
    "smooth_groups",
    "smooth_multiclass",
    "treatment_equality",
]
