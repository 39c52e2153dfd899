"""What the estimators ask of their data and take over from the estimator that they wrap."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from baserate.errors import LabelError


def one_output(y: Any, *, binary: bool = False) -> Any:
    """Return the labels as a flat array; refuse several outputs, numbers and, if so, classes."""
    if y is None:
        message = "requires y to be passed, but the target y is None"
        raise LabelError(message)
    try:
        array = np.asarray(y)
        n = array.size if array.dtype.kind != "V" else None
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        n = None
    if n is None:
        rule, remedy = "must be a column of labels", "pass one label per case"
        raise LabelError.from_rule("y", rule, y, remedy)
    if not n:
        message = (
            "y must hold labels, got no cases (0 sample(s)): pass at least one case per class."
        )
        raise LabelError(message)
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    check_classification_targets(y)
    if kind.startswith("multilabel") or kind.endswith("multioutput"):
        message = f"y must hold one label per case, got {kind}: fit one classifier per output."
        raise LabelError(message)
    if binary and kind != "binary":
        message = (
            f"Only binary classification is supported. The type of the target is {kind}: "
            "name the positive class by labels such as y == 'ill'."
        )
        raise LabelError(message)
    return column_or_1d(y, warn=True)


def take_over_names(fitted: Any) -> None:
    """Copy what the wrapped estimator knows of its features."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted.estimator_, name):
            setattr(fitted, name, getattr(fitted.estimator_, name))


def fit_tags(tags: Any, estimator: Any) -> Any:
    """Return the tags of a classifier that takes what the wrapped one takes."""
    inner = get_tags(estimator)
    tags.input_tags.sparse = inner.input_tags.sparse
    tags.input_tags.allow_nan = inner.input_tags.allow_nan
    tags.input_tags.pairwise = inner.input_tags.pairwise
    own = inner.classifier_tags
    tags.classifier_tags.multi_class = own is None or own.multi_class
    return tags
