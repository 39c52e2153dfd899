"""The catalogue: metrics that the package exports, families with parameters, look-up by name."""

import ast
import re
from collections.abc import Callable
from typing import Any, TypeVar

from baserate._measures import SYNONYMS
from baserate.errors import BaserateError, InvalidArgumentError, UnknownNameError
from baserate.metrics import agreement, overlap, ratios, shares, utilities
from baserate.metrics._identity import exported
from baserate.metrics._metric import Metric

_HOMES = map(vars, (shares, overlap, agreement, ratios, utilities))
_FOUND = {m.name: m for home in _HOMES for m in home.values() if isinstance(m, Metric)}
CATALOGUE: tuple[Metric, ...] = tuple(_FOUND[name] for name in exported.__all__ if name in _FOUND)

# What people read, in the order in which they read it: a report's default.
HEADLINES = (
    "accuracy", "balanced_accuracy", "recall", "specificity", "precision",
    "negative_predictive_value", "f1", "matthews_correlation", "cohen_kappa", "informedness",
    "jaccard", "geometric_mean",
)  # fmt: skip

FAMILIES: dict[str, Callable[..., Metric]] = {
    "f_beta": overlap.f_beta,
    "weighted_accuracy": utilities.weighted_accuracy,
    "robust_f": overlap.robust_f,
    "robust_mcc": agreement.robust_mcc,
    "utility": utilities.utility,
    "cost_per_case": utilities.cost_per_case,
    "net_benefit": utilities.net_benefit,
}

_FAMILY_NAMES = {"fbeta": "f_beta", "fbeta_score": "f_beta"}  # as scikit-learn calls them

_BY_NAME = {name: metric for metric in CATALOGUE for name in (metric.name, *metric.synonyms)}
KNOWN_NAMES = frozenset((*_BY_NAME, *FAMILIES))
_RESTATED = re.compile(r"(?P<name>.+)\.at_base_rate\((?P<rate>[^()]+)\)")
_BALANCED = re.compile(r"balanced[\s_-]+(?P<name>.+)", re.IGNORECASE)
_OF_CLASSES = re.compile(
    r"(?:macro|micro|weighted)_(?P<part>.+?)(?:\.defined)?|r_k|(?:linear|quadratic)_.*kappa"
)
_WRITTEN = {"lr+": "lr_plus", "lr-": "lr_minus"}  # whose signs are no hyphens
_F_BETA = re.compile(r"f_?(?P<beta>\d(?:\.\d+)?)(?:_score)?")
_CALL = re.compile(r"(?P<family>\w+)\((?P<arguments>.*)\)")
_REMEDY = "The catalogue (baserate.metrics.CATALOGUE, or: baserate metrics) lists them all"


_SEVERAL = (
    "{} is a metric of several classes, and this takes one of two: pass for example 'f1', of one "
    "class against the rest."
)


def binary_metric(metric: str | Metric) -> Metric:
    """Return the metric of two classes of this name, synonym or call; a Metric passes through.

    Parameters
    ----------
    metric : str or Metric
        A canonical name ("matthews_correlation"), a synonym ("mcc"), a family with its parameters
        ("robust_mcc(d=0.05)"), or any of them restated ("f1.at_base_rate(0.5)"). Upper case,
        spaces and hyphens do not matter.

    Raises
    ------
    UnknownNameError
        With the nearest known name.

    Examples
    --------
    >>> from baserate.metrics import binary_metric
    >>> names = ("MCC", "f_beta(beta=3)", "tpr.at_base_rate(0.5)")
    >>> tuple(binary_metric(name).name for name in names)
    ('matthews_correlation', 'f_beta(beta=3)', 'recall.at_base_rate(0.5)')
    """
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnknownNameError(_no_metric_of_two(metric))
    name = re.sub(r"[\s-]+", "_", str(metric).strip().lower().replace("'", ""))
    name = _WRITTEN.get(str(metric).strip().lower(), name)
    known = name if name in _BY_NAME else name.removesuffix("_score")  # as scikit-learn calls it
    if known in _BY_NAME:
        return _BY_NAME[known]
    if beta := _F_BETA.fullmatch(name):
        return overlap.f_beta(float(beta["beta"]))
    if restated := _RESTATED.fullmatch(str(metric).strip()):
        return binary_metric(restated["name"]).at_base_rate(_literal(restated["rate"]))
    if (balanced := _BALANCED.fullmatch(str(metric).strip())) and (
        known := _or_none(balanced["name"])
    ):
        raise UnknownNameError(f"No metric is called {metric!r}: {_balanced(known)}.")
    if call := _CALL.fullmatch(str(metric).strip()):
        family = call["family"].lower()
        family = _FAMILY_NAMES.get(family, family)
        return _from_family(family, call["arguments"], str(metric))
    name = _FAMILY_NAMES.get(name, name)
    if name in FAMILIES:
        raise InvalidArgumentError.from_rule(
            "metric", "needs its parameters", metric, f'write for example "{_EXAMPLES[name]}"'
        )
    raise _unknown(name, metric)


def _unknown(name: str, metric: str) -> UnknownNameError:
    """Say what is called so, if no metric of one table of two classes is."""
    if name in _OF_SCORES:
        return UnknownNameError(
            f"{metric} is a measure of scores, and only metrics of a confusion table can be named "
            "here: evaluate shows it unasked of a score (--score), and its function, such as "
            f"roc_auc, returns it with its interval{_ONE_POINT.get(name, '')}."
        )
    if answer := _ANSWERED.get(name):
        return UnknownNameError(f"{metric} is no metric: {answer}.")
    if name in _OF_PAIRS:
        return UnknownNameError(
            f"{metric} compares two groups, and this takes a metric of one table: pass it to "
            "baserate.groups.pair_interval or count_undefined."
        )
    of_classes = _OF_CLASSES.fullmatch(name)
    if of_classes and (of_classes["part"] in KNOWN_NAMES or of_classes["part"] is None):
        return UnknownNameError(_SEVERAL.format(metric))
    return UnknownNameError.from_name("metric", metric, (*_BY_NAME, *FAMILIES), _REMEDY)


def _no_metric_of_two(given: Any) -> str:
    """Say what something else than a name or a metric of two classes is, and what to pass."""
    kind = type(given).__name__
    if hasattr(given, "as_metric"):
        return f"A metric is asked for, got {kind}: pass its as_metric()."
    if hasattr(given, "two_classes"):
        return _SEVERAL.format(given.name)
    return f"A metric goes by its name, such as 'f1', got {kind}. {_REMEDY}."


def _or_none(name: str) -> Metric | None:
    try:
        return binary_metric(name)
    except BaserateError:
        return None


def _balanced(metric: Metric) -> str:
    """Say what a metric is called where both classes are equally frequent."""
    if "base_rate" in metric.parameters or not metric.depends_on_base_rate:
        return f"no base rate changes {metric.name}, so write {metric.name!r}"
    return f"where classes are equally frequent it is '{metric.name}.at_base_rate(0.5)'"


_OF_PAIRS = ("ofi", "objective_fairness_index", "te", "treatment_equality")
_OF_SCORES = {*SYNONYMS, "calibration", "gini"}

_ADJUSTED = "audit and compare adjust p-values, and baserate.groups.adjust does"
# What is asked for as a metric and is none, and what answers it.
_ANSWERED = {
    "benjamini_hochberg": _ADJUSTED,
    "bh": _ADJUSTED,
    "bonferroni": _ADJUSTED,
    "clopper_pearson": 'intervals go by it with method="exact" (--interval exact)',
    "delong": "baserate.compare_auc compares two ROC areas, by it with method='delong'",
    "holm": _ADJUSTED,
    "mcnemar": "compare tests so, and baserate.inference.mcnemar_test does",
    "pabak": "it is 2 accuracy - 1, so ask 'accuracy'",
    "wilson": 'intervals go by it with method="wilson" (--interval wilson)',
}

_AREA = "; the area below the one point of a table is 'balanced_accuracy'"
_ONE_POINT = {word: _AREA for word, name in SYNONYMS.items() if name == "roc_auc"} | {
    "gini": "; of the one point of a table it is 'informedness'"
}

_EXAMPLES = {
    "f_beta": "f_beta(beta=3)",
    "weighted_accuracy": "weighted_accuracy(weight=0.7)",
    "robust_f": "robust_f(d0=0.1)",
    "robust_mcc": "robust_mcc(d=0.05)",
    "utility": "utility([[1, -20], [0, 0]])",
    "cost_per_case": "cost_per_case(fn=10, fp=1)",
    "net_benefit": "net_benefit(threshold=0.2)",
}


def _from_family(family: str, arguments: str, written: str) -> Metric:
    if family not in FAMILIES:
        raise UnknownNameError.from_name("metric", written, (*_BY_NAME, *FAMILIES), _REMEDY)
    return from_call(FAMILIES[family], arguments, written, _EXAMPLES[family])


Made = TypeVar("Made")
TOO_DEEP = (MemoryError, RecursionError)  # what Python says of brackets in brackets


def from_call(make: Callable[..., Made], arguments: str, written: str, example: str) -> Made:
    """Make a metric of a family from its parameters as they are written; words need no quotes."""
    try:
        call = _call(arguments)
        positional = [_argument(a) for a in call.args]
        named = {str(k.arg): _argument(k.value) for k in call.keywords}
        return make(*positional, **named)
    except (SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        rule = "must be a family with its parameters"
        remedy = f'write for example "{example}"'
        raise InvalidArgumentError.from_rule("metric", rule, written, remedy) from None


def _call(arguments: str) -> ast.Call:
    try:
        call = ast.parse(f"f({arguments})", mode="eval").body
    except TOO_DEEP as error:
        raise SyntaxError from error
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):  # f(1) + f(2), f(1)(2)
        raise TypeError
    return call


def _argument(node: ast.expr) -> Any:
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, *TOO_DEEP):
        return text
