"""Held-out cases of a cross-validation as the data of the front doors."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from baserate.cases.unseen_cases import HeldOut
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.evaluation.refusals import refuse


def unfolded(found: HeldOut, *, cut: bool, **given: Any) -> dict[str, Any]:
    """Return the arrays of held-out cases under the names of `evaluate`.

    The table comes from the models' own decisions; where these are their scores cut at one half,
    or are to be `cut` elsewhere, the scores say more.
    """
    refuse("held out", **given)
    _refuse_repeated("data", found)
    if found.classes is not None and found.score is not None:
        by_class = dict(zip(found.classes, found.score.T, strict=True))
        return {"data": found.y_true, "y_pred": found.y_pred, "score": by_class}
    scored = {"score": found.score} if cut or _cut_at_half(found) else {"y_pred": found.y_pred}
    return {"data": found.y_true, **scored}


def side_by_side(several: Mapping[str, HeldOut], **given: Any) -> tuple[Any, dict[str, Any]]:
    """Return the labels of cases, and what the models of each name decided about them."""
    refuse("held out", **given)
    truth, predictions = None, {}
    for name, found in several.items():
        _refuse_repeated(name, found)
        order = np.argsort(found.rows)
        cases = list(zip(found.rows[order].tolist(), found.y_true[order].tolist(), strict=True))
        if truth is not None and cases != truth:
            rule = "must be about the same cases as the others"
            remedy = "cross-validate every classifier on the same data"
            raise InvalidArgumentError.from_rule(name, rule, f"{len(cases)} others", remedy)
        truth, predictions[name] = cases, found.y_pred[order]
    return np.array([label for _, label in truth or ()]), predictions


def _refuse_repeated(name: str, found: HeldOut) -> None:
    if len(np.unique(found.rows)) < len(found.rows):
        raise UnsupportedError(
            f"{name} holds cases that were held out more than once, as repeated cross-validation "
            "does: counted twice they would make intervals too narrow. Pass one repetition."
        )


def _cut_at_half(found: HeldOut) -> bool:
    score = found.score
    if score is None or not ((score >= 0) & (score <= 1)).all():
        return False
    return bool(((score >= 0.5) == (found.y_pred == found.positive)).all())
