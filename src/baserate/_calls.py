"""Calls that cannot be made: what does not fit, and what to write in its place."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, TypeVar

from baserate.errors import WrongCallError

Call = TypeVar("Call", bound=Callable[..., Any])
# What other calls and other libraries call an argument, and what it may be called here.
CALLED = {
    "alpha": ("confidence_level",),
    "ci": ("confidence_level",),
    "confidence": ("confidence_level",),
    "freq": ("frequency",),
    "frequencies": ("frequency",),
    "frequency_weight": ("frequency",),
    "fweight": ("frequency",),
    "group": ("groups",),
    "id": ("case_id",),
    "level": ("confidence_level",),
    "mapping": ("relabel",),
    "n": ("frequency",),
    "rename": ("relabel",),
    "pos_label": ("positive",),
    "positive": ("pos_label",),
    "pred": ("prediction", "predictions"),
    "predictions": ("prediction",),
    "prevalence": ("base_rate",),
    "random_state": ("rng",),
    "sample_weight": ("weight",),
    "psu": ("cluster",),
    "seed": ("rng", "run"),
    "runs": ("run",),
    "sensitive_features": ("groups",),
    "stratify": ("strata",),
    "stratum": ("strata",),
    "trial": ("run",),
    "weight": ("sample_weight",),
    "weights": ("weight", "sample_weight"),
    "y_pred": ("prediction",),
    "y_hat": ("prediction", "predictions"),
    "y_score": ("score",),
}
# What a call without such an argument is asked by instead.
INSTEAD = {
    "base_rate": 'Name the metric at it, such as "precision.at_base_rate(0.03)"',
    "labels": "Name the column of true labels as target; which classes there are is read from it",
    "model": "Compare classifiers by compare, or keep the rows of one of them",
    "pos_label": "Count a table with it: confusion_matrix(y_true, y_pred, pos_label=)",
    "positive": "Count a table with it: confusion_matrix(y_true, y_pred, pos_label=)",
    "strata": "Strata are of the calls that take clusters too (cluster)",
}
# Names of other libraries that are no near misspelling of ours.
ELSEWHERE = {
    "benjamini_hochberg": "groups.adjust",
    "bh": "groups.adjust",
    "bonferroni": "groups.adjust",
    "clopper_pearson": "interval",
    "classification_report": "evaluate",
    "confidence_interval": "interval",
    "decision_curve": "net_benefit_curve",
    "delong": "compare_auc",
    "fbeta": "metrics.f_beta",
    "fbeta_score": "metrics.f_beta",
    "holm": "groups.adjust",
    "hosmer_lemeshow": "calibration",
    "mcnemar": "inference.mcnemar_test",
    "power": "sample_size",
    "wilson": "interval",
}
TABLE = "Of labels make the table first: confusion_matrix(y_true, y_pred)"
MARK = "explains_calls"  # of a call that says so already
BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def explained(call: Call) -> Call:
    """Say what to write where a call does not fit its signature, in the words of Python and ours.

    Examples
    --------
    >>> from baserate._calls import explained
    >>> @explained
    ... def ask(data, /, *, groups=None): return groups
    >>> ask([1], groups="site")
    'site'
    >>> ask([1], group="site")
    Traceback (most recent call last):
    baserate.errors.WrongCallError: ask() got an unexpected keyword argument 'group'. Write groups.
    """
    if getattr(call, MARK, False):
        return call

    @wraps(call)
    def called(*args: Any, **given: Any) -> Any:
        try:
            return call(*args, **given)
        except TypeError as error:
            if isinstance(error, WrongCallError) or (said := _complaint(call, args, given)) is None:
                raise
        raise WrongCallError(said)

    setattr(called, MARK, True)
    return called  # pyright: ignore[reportReturnType]


def unknown_name(name: str, daily: Iterable[str], namespaces: Iterable[str]) -> str:
    """Say where a name is that the package does not have, or what it is called here.

    Examples
    --------
    >>> from baserate._calls import unknown_name
    >>> unknown_name("roc_curve", (), ["curves"])
    "module 'baserate' has no attribute 'roc_curve': write baserate.curves.roc_curve."
    """
    said = f"module 'baserate' has no attribute {name!r}"
    if name.startswith("_"):
        return said
    for space in namespaces:
        if name in getattr(import_module(f"baserate.{space}"), "__all__", ()):
            return f"{said}: write baserate.{space}.{name}."
    try:
        known = import_module("baserate.metrics").get(name).name
    except Exception:  # noqa: BLE001  whatever is wrong with it, it is no metric
        near = ELSEWHERE.get(name) or next(iter(get_close_matches(name, daily, n=1)), None)
        return f"{said}: did you mean baserate.{near}?" if near else said
    return f'{said}: metrics go by name, such as baserate.interval("{known}", table).'


def _complaint(call: Callable[..., Any], args: Any, given: Any) -> str | None:
    """Return what does not fit the signature; None if all of it does."""
    known = signature(call).parameters
    try:
        signature(call).bind(*args, **given)
    except TypeError as error:
        name = call.__qualname__.removesuffix(".__init__")
        said = f"{name}() {str(error).replace('too many', 'got too many')}"
    else:
        return None
    places = [one.name for one in known.values() if one.kind in BY_PLACE and one.name != "self"]
    strange = next((name for name in given if name not in known), None)
    if strange is not None:
        return f"{said}. {_instead(strange, known, places)}"
    if early := [name for name in given if known[name].kind is Parameter.POSITIONAL_ONLY]:
        return f"{said}: {' and '.join(early)} go by place, without a name."
    others = [name for name in known if name not in (*places, "self")]
    if len(args) > len(places) and others:
        table = f" {TABLE}." if "table" in places else ""
        first = f"only {' and '.join(places)} go by place" if places else "nothing goes by place"
        return f"{said}: {first}; write the others with their names, such as {others[0]}=.{table}"
    return f"{said}: it takes {', '.join(places)}." + (f" {TABLE}." if "table" in places else "")


def _instead(strange: str, known: Iterable[str], places: list[str]) -> str:
    """Return what to write in place of a keyword that a call does not know."""
    every = [name for name in known if name != "self"]
    if strange in ("y_true", "y_pred") and places and places[0] == "data":
        return f"Labels go by place, without a name: {', '.join(places)}."
    near = [name for name in CALLED.get(strange, ()) if name in every]
    if strange not in INSTEAD:
        near = near or get_close_matches(strange, every, n=1, cutoff=0.7)
    if near:
        return f"Write {near[0]}."
    if strange in INSTEAD:
        return f"{INSTEAD[strange]}."
    return f"It takes {', '.join(every)}."
