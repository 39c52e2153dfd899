"""The metrics of class tables: those of the whole table, averages by name, look-up."""

import re

from baserate.errors import UnknownNameError
from baserate.metrics import class_agreement
from baserate.metrics._catalogue import KNOWN_NAMES, get
from baserate.metrics._class_metric import ClassMetric
from baserate.metrics._metric import Metric
from baserate.metrics.class_averages import average

CLASS_CATALOGUE: tuple[ClassMetric, ...] = (
    class_agreement.accuracy,
    class_agreement.error_rate,
    class_agreement.balanced_accuracy,
    class_agreement.matthews_correlation,
    class_agreement.cohen_kappa,
    average("f1", "macro"),
    average("f1", "weighted"),
    average("precision", "macro"),
    average("precision", "weighted"),
)

# What people read of several classes, in the order in which they read it.
CLASS_HEADLINES = (
    "accuracy", "balanced_accuracy", "macro_f1", "weighted_f1", "macro_precision",
    "matthews_correlation", "cohen_kappa",
)  # fmt: skip

_BY_NAME = {name: metric for metric in CLASS_CATALOGUE for name in (metric.name, *metric.synonyms)}
_AVERAGE = re.compile(r"(macro|micro|weighted)_(.+?)(\.defined)?")


def is_average(metric: object) -> bool:
    """Whether this is the name of an average over classes, and of no metric of two classes."""
    if not isinstance(metric, str):
        return False
    name = re.sub(r"[\s-]+", "_", metric.strip().lower())
    return bool(_AVERAGE.fullmatch(name)) and name.partition("(")[0] not in KNOWN_NAMES


def class_metric(metric: str | Metric | ClassMetric) -> ClassMetric:
    """Return the metric of class tables with this name; a ClassMetric passes through.

    Parameters
    ----------
    metric : str, Metric or ClassMetric
        "accuracy", "mcc", "kappa" or "balanced_accuracy"; or an average of any metric of four
        counts, such as "macro_f1", "micro_jaccard", "weighted_robust_mcc(d=0.05)"; ".defined"
        after it averages over the classes in which it is defined. A metric of four counts that has
        a form for several classes stands for that form.

    Raises
    ------
    UnknownNameError
        There is no such metric; or it is one of four counts, which needs an average.

    Examples
    --------
    >>> class_metric("mcc").name, class_metric("Macro-F1").name
    ('matthews_correlation', 'macro_f1')
    """
    if isinstance(metric, ClassMetric):
        return metric
    written = metric.name if isinstance(metric, Metric) else str(metric)
    name = re.sub(r"[\s-]+", "_", written.strip().lower())
    if name in _BY_NAME:
        return _BY_NAME[name]
    if (found := _AVERAGE.fullmatch(name)) and is_average(name):
        kind, part, omit = found.groups()
        return average(part, kind, undefined="omit" if omit else "propagate")  # pyright: ignore[reportArgumentType]
    four = get(metric)
    remedy = f'For several classes average it, for example "macro_{four.name}"'
    raise UnknownNameError(f"{four.name} is a metric of two classes. {remedy}.")
