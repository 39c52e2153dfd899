"""What scikit-learn calls: metric functions, scorers and estimators."""

from baserate.estimators.scorers import MetricFunction, metric_function

__all__ = ["MetricFunction", "metric_function"]
