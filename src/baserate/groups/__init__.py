"""Small groups: is a group's score luck, what is a steadier estimate, and where is it undefined."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.groups.calibration import compare_calibration as compare_calibration
    from baserate.groups.downsampling import downsample as downsample
    from baserate.groups.estimation import best_strength as best_strength
    from baserate.groups.estimation import risks as risks
    from baserate.groups.families import family_adjust as family_adjust
    from baserate.groups.gaps import group_difference as group_difference
    from baserate.groups.gaps import group_ratio as group_ratio
    from baserate.groups.holes import count_undefined as count_undefined
    from baserate.groups.intersections import beyond_margins as beyond_margins
    from baserate.groups.match import match_test as match_test
    from baserate.groups.multiplicity import adjust as adjust
    from baserate.groups.multiplicity import min_p as min_p
    from baserate.groups.pair_intervals import pair_interval as pair_interval
    from baserate.groups.pairs import difference as difference
    from baserate.groups.pairs import objective_fairness_index as objective_fairness_index
    from baserate.groups.pairs import ratio as ratio
    from baserate.groups.pairs import treatment_equality as treatment_equality
    from baserate.groups.pseudo_cases import Estimator as Estimator
    from baserate.groups.pseudo_cases import Shares as Shares
    from baserate.groups.pseudo_cases import estimate_strength as estimate_strength
    from baserate.groups.rao_scott import rao_scott_test as rao_scott_test
    from baserate.groups.smoothing import smooth as smooth
    from baserate.groups.smoothing import smooth_groups as smooth_groups
    from baserate.groups.smoothing import smooth_multiclass as smooth_multiclass
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "intersections": ("beyond_margins",),
            "calibration": ("compare_calibration",),
            "downsampling": ("downsample",),
            "estimation": ("best_strength", "risks"),
            "families": ("family_adjust",),
            "gaps": ("group_difference", "group_ratio"),
            "holes": ("count_undefined",),
            "match": ("match_test",),
            "multiplicity": ("adjust", "min_p"),
            "pair_intervals": ("pair_interval",),
            "pairs": (
                "difference",
                "objective_fairness_index",
                "ratio",
                "treatment_equality",
            ),
            "pseudo_cases": ("Estimator", "Shares", "estimate_strength"),
            "rao_scott": ("rao_scott_test",),
            "smoothing": ("smooth", "smooth_groups", "smooth_multiclass"),
        },
    )
