"""The metrics of class tables: those of the whole table, families, averages by name, look-up."""

import re
from collections.abc import Callable
from typing import overload

from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.metrics import class_agreement
from baserate.metrics._catalogue import KNOWN_NAMES, binary_metric, from_call
from baserate.metrics._class_metric import ClassMetric
from baserate.metrics._class_names import ClassMetricName
from baserate.metrics._metric import Metric
from baserate.metrics.class_averages import AVERAGE, average
from baserate.metrics.class_weights import NAMED, class_utility, weighted_kappa

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

CLASS_FAMILIES: dict[str, Callable[..., ClassMetric]] = {
    "weighted_kappa": weighted_kappa,
    "utility": class_utility,
}
_EXAMPLES = {
    "weighted_kappa": "weighted_kappa(quadratic)",
    "utility": "utility([[1, 0, 0], [0, 1, 0], [-5, 0, 1]])",
}

# Kappa of ordered classes has its names, but no place among metrics that fit any classes.
_NAMED = (*CLASS_CATALOGUE, *map(weighted_kappa, NAMED))
_BY_NAME = {name: metric for metric in _NAMED for name in (metric.name, *metric.synonyms)}
_OF_TWO = {form: m for m in CLASS_CATALOGUE if (form := m.form_of(2)) is not None}
_CALL = re.compile(r"(?P<family>\w+)\((?P<arguments>.*)\)")


def class_metric(metric: str | Metric | ClassMetric) -> ClassMetric:
    """Return the metric of class tables with this name; a ClassMetric passes through.

    Parameters
    ----------
    metric : str, Metric or ClassMetric
        "accuracy", "mcc", "kappa" or "balanced_accuracy"; a family with its parameters, such as
        "weighted_kappa(quadratic)"; or an average of any metric of four counts, such as "macro_f1",
        "micro_jaccard", "weighted_robust_mcc(d=0.05)"; ".defined" after it averages over the
        classes in which it is defined. A metric of four counts that has a form for several classes
        stands for that form.

    Raises
    ------
    UnknownNameError
        There is no such metric; or it is one of four counts, which needs an average.
    InvalidArgumentError
        Parameters of a family are lacking or wrong.

    Examples
    --------
    >>> from baserate.metrics import class_metric
    >>> class_metric("mcc").name, class_metric("Macro-F1").name
    ('matthews_correlation', 'macro_f1')
    """
    if isinstance(metric, ClassMetric):
        return metric
    if isinstance(metric, Metric):
        return _of_metric(metric)
    if not isinstance(metric, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _of_metric(binary_metric(metric))
    written = metric.strip()
    name = re.sub(r"[\s-]+", "_", written.lower())
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in CLASS_FAMILIES:
        remedy = f'write for example "{_EXAMPLES[name]}"'
        raise InvalidArgumentError.from_rule("metric", "needs its parameters", metric, remedy)
    return _called(written) or _averaged(written) or _of_metric(binary_metric(metric))


@overload  # the other overload speaks of all other names
def get(metric: ClassMetricName | ClassMetric) -> ClassMetric: ...  # pyright: ignore[reportOverlappingOverload]
@overload
def get(metric: str | Metric) -> Metric: ...
def get(metric: str | Metric | ClassMetric) -> Metric | ClassMetric:
    """Return the metric with this name, synonym or call; a metric passes through.

    Parameters
    ----------
    metric : str, Metric or ClassMetric
        A canonical name ("matthews_correlation"), a synonym ("mcc"), a family with its parameters
        ("robust_mcc(d=0.05)"), or any of them restated ("f1.at_base_rate(0.5)"): of two classes. An
        average ("macro_f1", "weighted_jaccard") or a family of class tables
        ("weighted_kappa(linear)"): of several. Upper case, spaces and hyphens do not matter.

    Returns
    -------
    Metric or ClassMetric
        A type checker takes averages and kappas that it reads word by word for a ClassMetric, every
        other text for a Metric; `class_metric` returns nothing but a ClassMetric.

    Raises
    ------
    UnknownNameError
        With the nearest known name.

    Examples
    --------
    >>> from baserate.metrics import get
    >>> get("MCC").name, get("tpr.at_base_rate(0.5)").name, get("Macro-F1").name
    ('matthews_correlation', 'recall.at_base_rate(0.5)', 'macro_f1')
    """
    if isinstance(metric, Metric | ClassMetric):
        return metric
    try:
        return binary_metric(metric)
    except UnknownNameError as unknown:
        try:
            return class_metric(metric)
        except UnknownNameError:
            raise unknown from None


def _called(written: str) -> ClassMetric | None:
    """Return a metric of a family of class tables."""
    call = _CALL.fullmatch(written.lower())
    if call is None or call["family"] not in CLASS_FAMILIES:
        return None
    family = call["family"]
    return from_call(CLASS_FAMILIES[family], call["arguments"], written, _EXAMPLES[family])


def _averaged(written: str) -> ClassMetric | None:
    """Return an average, unless a metric of four counts is called so, as `weighted_accuracy` is."""
    found = AVERAGE.fullmatch(written)
    if found is None or ("(" in written and written.partition("(")[0].lower() in KNOWN_NAMES):
        return None
    kind, part, omit = found.groups()
    return average(part, kind.lower(), undefined="omit" if omit else "propagate")  # pyright: ignore[reportArgumentType]


def _of_metric(metric: Metric) -> ClassMetric:
    """Return the form that a metric of four counts has for several classes."""
    if metric in _OF_TWO:
        return _OF_TWO[metric]
    by_name = metric.made_by is not None or metric.name in KNOWN_NAMES
    example = f'"macro_{metric.name}"' if by_name else f"baserate.metrics.average({metric.name})"
    raise UnknownNameError(
        f"{metric.name} is a metric of two classes. For several classes average it, for example "
        f"{example}, or ask it of one class, table.one_vs_rest(label)."
    )
