"""What scikit-learn calls: metric functions, which run without it, scorers and estimators."""

from baserate._lazy import lazy_names
from baserate.errors import MissingDependencyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.estimators.metric_functions import metric_function as metric_function
    from baserate.estimators.random_guess_classifier import (
        RandomGuessClassifier as RandomGuessClassifier,
    )
    from baserate.estimators.scorers import scorer as scorer
    from baserate.estimators.threshold_classifier import (
        ThresholdClassifierCV as ThresholdClassifierCV,
    )
    from baserate.estimators.utility_classifier import UtilityClassifier as UtilityClassifier
else:
    _load, __dir__, __all__ = lazy_names(
        __name__,
        {
            "metric_functions": ("metric_function",),
            "random_guess_classifier": ("RandomGuessClassifier",),
            "scorers": ("scorer",),
            "threshold_classifier": ("ThresholdClassifierCV",),
            "utility_classifier": ("UtilityClassifier",),
        },
    )

    def __getattr__(name: str) -> object:
        with MissingDependencyError.unless_installed("scikit-learn", f"br.{name}", "sklearn"):
            return _load(name)
