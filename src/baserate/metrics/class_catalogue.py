"""The metrics of class tables: those of the whole table, families, averages by name, look-up."""

import re
from collections.abc import Callable
from functools import singledispatch
from typing import Any, Literal, overload

from baserate._checks import one_of
from baserate.class_counts import ClassTable
from baserate.errors import BaserateError, InvalidArgumentError, UnknownNameError
from baserate.metrics import agreement, shares
from baserate.metrics._catalogue import KNOWN_NAMES, binary_metric, from_call
from baserate.metrics._class_metric import ClassMetric, averaged
from baserate.metrics._metric import Metric
from baserate.metrics.class_weights import NAMED, class_utility, weighted_kappa

Kind = Literal["macro", "micro", "weighted"]
Policy = Literal["propagate", "omit"]

# How an average is called; weighted kappa and weighted accuracy are called alike, and are none.
_AVERAGE = re.compile(r"(macro|micro|weighted)[\s_-]+(.+?)(\.defined)?", re.IGNORECASE)


def average(
    metric: str | Metric, kind: Kind = "macro", *, undefined: Policy = "propagate"
) -> ClassMetric:
    """Average a metric of four counts over the classes, each against the rest.

    With f_c the metric of class c against the rest, n_c its cases and n all cases:

    - macro: Σ f_c / K;
    - weighted: Σ n_c f_c / n, over the classes that occur;
    - micro: f at the sum of the K tables.

    So the macro F1 is the mean of the classes' F1, as in scikit-learn. Others mean by it the F1 of
    macro precision and macro recall, which is as large or larger, by up to 0.5 (Opitz and Burst).

    Parameters
    ----------
    metric : str or Metric
        Any metric of four counts, a user's own included.
    kind : {"macro", "micro", "weighted"}
    undefined : {"propagate", "omit"}
        What becomes of a macro or weighted average where f_c is undefined: no value, with the
        classes as its reason; or the average over the other classes, which looks better than it is
        where the lacking class is the one that was missed.

    Returns
    -------
    ClassMetric
        Also by name: ``baserate.metrics.get("macro_f1")``.

    Raises
    ------
    UnknownNameError
        There is no such metric, kind or policy.

    References
    ----------
    Sokolova, M. and Lapalme, G. (2009), Information Processing & Management 45:427-437,
    doi:10.1016/j.ipm.2009.03.002 (whose macro F is that of the macro precision and recall).
    Opitz, J. and Burst, S. (2019), Macro F1 and macro F1, doi:10.48550/arXiv.1911.03347.

    Examples
    --------
    Fisher's irises by linear discriminant analysis (scikit-learn: 0.979998):

    >>> from baserate.metrics import average
    >>> from baserate import ClassTable
    >>> iris = ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]])
    >>> round(average("f1")(iris), 6), round(average("precision", "micro")(iris), 6)
    (0.979998, 0.98)
    """
    part, how = binary_metric(metric), one_of("kind", kind, Kind)
    policy = one_of("undefined", undefined, Policy)
    if how == "micro":  # has one table, and no classes to leave out
        policy = "propagate"
    return averaged(part, how, policy)


CLASS_CATALOGUE: tuple[ClassMetric, ...] = (
    shares.accuracy_of_classes,
    shares.error_rate_of_classes,
    agreement.balanced_accuracy_of_classes,
    agreement.matthews_correlation_of_classes,
    agreement.cohen_kappa_of_classes,
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
    if isinstance(metric, Metric | ClassMetric):
        return metric.for_classes()
    if not isinstance(metric, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        return binary_metric(metric).for_classes()
    written = metric.strip()
    name = re.sub(r"[\s-]+", "_", written.lower())
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in CLASS_FAMILIES:
        remedy = f'write for example "{_EXAMPLES[name]}"'
        raise InvalidArgumentError.from_rule("metric", "needs its parameters", metric, remedy)
    return _called(written) or _averaged(written) or binary_metric(metric).for_classes()


@overload
def get(metric: ClassMetric) -> ClassMetric: ...
@overload
def get(metric: Metric) -> Metric: ...
@overload
def get(metric: str | Metric | ClassMetric, table: Any = None) -> Any: ...
def get(metric: str | Metric | ClassMetric, table: Any = None) -> Metric | ClassMetric:
    """Return the metric with this name, synonym or call; a metric passes through.

    Parameters
    ----------
    metric : str, Metric or ClassMetric
        A canonical name ("matthews_correlation"), a synonym ("mcc"), a family with its parameters
        ("robust_mcc(d=0.05)"), or any of them restated ("f1.at_base_rate(0.5)"): of two classes. An
        average ("macro_f1", "weighted_jaccard") or a family of class tables
        ("weighted_kappa(linear)"): of several. Upper case, spaces and hyphens do not matter.
    table : ConfusionMatrix or ClassTable, optional
        Return the form that a metric has for such tables.

    Returns
    -------
    Metric or ClassMetric
        For a type checker a name may be of either; `class_metric` returns a ClassMetric, and
        `binary_metric` a Metric.

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
    if table is not None:
        return form_for(table, metric)
    if isinstance(metric, Metric | ClassMetric):
        return metric
    try:
        return binary_metric(metric)
    except InvalidArgumentError:
        if not is_of_classes(metric):
            raise
        return class_metric(metric)
    except UnknownNameError as unknown:
        try:
            return class_metric(metric)
        except UnknownNameError:
            raise unknown from None


@singledispatch
def form_for(table: Any, metric: Any) -> Metric | ClassMetric:  # noqa: ARG001
    """Return the form that a metric has for tables of this kind."""
    return binary_metric(metric)


@form_for.register
def _form_for_several(table: ClassTable, metric: Any) -> Metric | ClassMetric:  # noqa: ARG001
    return class_metric(metric)


def is_of_classes(metric: object) -> bool:
    """Whether this is a metric of several classes, or the name of one, and of no metric of two."""
    if not isinstance(metric, str):
        return isinstance(metric, ClassMetric)
    name = re.sub(r"[\s-]+", "_", metric.strip().lower())
    family = name.partition("(")[0]
    if family in KNOWN_NAMES:  # of both go by the shape of what they are given, as utilities do
        both = family != name and family in CLASS_FAMILIES
        return both and _is_one(metric, class_metric) and not _is_one(metric, binary_metric)
    return name in _BY_NAME or family in CLASS_FAMILIES or bool(_AVERAGE.fullmatch(name))


def _is_one(name: str, found: Callable[[str], Any]) -> bool:
    try:
        return bool(found(name))
    except BaserateError:
        return False


def _called(written: str) -> ClassMetric | None:
    """Return a metric of a family of class tables."""
    call = _CALL.fullmatch(written.lower())
    if call is None or call["family"] not in CLASS_FAMILIES:
        return None
    family = call["family"]
    return from_call(CLASS_FAMILIES[family], call["arguments"], written, _EXAMPLES[family])


def _averaged(written: str) -> ClassMetric | None:
    """Return an average, unless a metric of four counts is called so, as `weighted_accuracy` is."""
    found = _AVERAGE.fullmatch(written)
    if found is None or ("(" in written and written.partition("(")[0].lower() in KNOWN_NAMES):
        return None
    kind, part, omit = found.groups()
    return average(part, kind.lower(), undefined="omit" if omit else "propagate")  # pyright: ignore[reportArgumentType]
