"""The one rule that says which label is positive."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from baserate.cases.values import (
    NUMBERS,
    distinct,
    from_text,
    is_fraction,
    listed,
    plain_label,
    python_value,
    same_label,
    same_text,
    spelling,
)
from baserate.errors import LabelError, shown

MARKED = "to see what is defined (of answers marked right or wrong, the share right: recall)"
# What there is for several labels, by the argument that would name one: of a door's single score
# there is no class table.
SEVERAL = {
    "positive": "or, to evaluate or threshold, a score for each class (--score 'p_*')",
    "pos_label": "or count every label with baserate.class_table",
}
# What engines take for truth values where a text file says nothing else.
WORDS = {"yes": True, "y": True, "t": True, "no": False, "n": False, "f": False}
STRANGERS = 10  # labels of predictions that the truth lacks; a question of many classes has some


def choose_positive(
    truth: Sequence[Any],
    prediction: Sequence[Any],
    positive: Any = None,
    *,
    target: str = "y_true",
    predicted: str = "y_pred",
    argument: str = "pos_label",
) -> Any:
    """Return the positive label among the labels found in truth and prediction.

    The label asked for, if one is; else True, or 1 of {0, 1} or {-1, 1}. With more than two labels
    the one asked for stands against the rest. 1, 1.0 and True are one label, and bytes are text.
    """
    found = distinct([*truth, *prediction])
    if not found:
        raise LabelError(f"{target} holds no cases: pass at least one labelled case.")
    sides = check_sides(truth, prediction, target=target, predicted=predicted)
    if positive is not None:
        return _asked_for(found, python_value(positive), sides, argument)
    return _natural(found, sides, argument, alone=len(truth) == 1)


def check_sides(
    truth: Sequence[Any], prediction: Sequence[Any], *, target: str, predicted: str
) -> str:
    """Refuse two columns that do not use the same labels; return in words what they hold."""
    sides = f"{target} holds {listed(truth or prediction)}"
    if truth and prediction and truth != prediction:
        sides += f" and {predicted} holds {listed(prediction)}"
    _refuse_scores(truth, prediction, predicted)
    _refuse_spellings(distinct([*truth, *prediction]), sides)
    _refuse_mismatch(truth, prediction, sides)
    return sides


def _asked_for(found: Sequence[Any], positive: Any, sides: str, argument: str) -> Any:
    value = positive = plain_label(argument, positive)
    same = [label for label in found if same_label(label, positive)]
    if not same and isinstance(positive, str) and any(isinstance(x, NUMBERS) for x in found):
        value = from_text(positive)
        if all(isinstance(label, bool) for label in found):  # "yes" that an engine took for True
            value = WORDS.get(positive.strip().lower(), value)
        same = [label for label in found if isinstance(label, NUMBERS) and label == value]
    if same:
        return same[0]
    if len(found) == 1 and _alike(found[0], value):
        _refuse_spellings((*found, value), sides)
        return value  # no case is positive, as in a fold or a group without positives
    text = f"must be a label that occurs, got {shown(positive)}: {sides}; pass one of these."
    raise LabelError.about(argument, text)


def _alike(one: Any, other: Any) -> bool:
    """Whether two values can be labels of one column: both numbers, or of one type."""
    if isinstance(one, NUMBERS) and isinstance(other, NUMBERS):
        return True
    return type(one) is type(other)


def _natural(found: Sequence[Any], sides: str, argument: str, *, alone: bool) -> Any:
    for pair in ({0, 1}, {-1, 1}):
        if set(found) <= pair:
            return found[-1] if found[-1] == 1 else type(found[-1])(1)
    if alone:
        reason = "the true labels are of one class only, so none of them says which is positive"
        # A comparison and thresholds need both classes.
        doors = " to evaluate or audit" if argument == "positive" else ""
        remedy = f"add cases of other classes, or pass {_option(argument)}, one of "
        remedy += f"{listed(found)},{doors} {MARKED}"
    elif len(found) > 2:
        reason = f"{len(found):,} labels were found where two were expected"
        remedy = f"pass {_option(argument)} to set one label against the rest"
        remedy += f", {SEVERAL[argument]}" if argument in SEVERAL else ""
        if any(map(is_fraction, found)):
            option = ", or name their column (--target)" if argument == "positive" else ""
            remedy = f"these look like scores: pass the labels first, then the scores{option}"
    else:
        reason = "the labels do not say which class is positive"
        remedy = f"pass {_option(argument)}, one of {listed(found)}"
    raise LabelError(f"{reason[0].upper()}{reason[1:]}: {sides}; {remedy}.")


def _option(argument: str) -> str:
    """Name the option of the command line too, where there is one."""
    return f"{argument} (--positive)" if argument == "positive" else argument


def _refuse_scores(truth: Sequence[Any], prediction: Sequence[Any], predicted: str) -> None:
    if any(is_fraction(label) for label in prediction if label not in truth):
        raise scores_error(predicted, prediction)


def scores_error(predicted: str, values: Sequence[Any]) -> LabelError:
    """Say that a column of labels holds scores, and what to do with scores."""
    return LabelError(
        f"{predicted} must hold labels, but looks like scores ({listed(values[:5])}): pass labels, "
        "such as scores >= 0.5, or pass them as score (--score), or to baserate.sweep."
    )


def _refuse_spellings(found: Sequence[Any], sides: str) -> None:
    """Refuse "yes", "Yes" and "yes ": taken for different labels, they make wrong counts.

    So do the two Unicode forms of a word, which look the same.
    """
    spellings: dict[str, list[str]] = {}
    for label in found:
        if isinstance(label, str):
            spellings.setdefault(spelling(label), []).append(label)
    alike = next((labels for labels in spellings.values() if len(labels) > 1), None)
    if alike is not None:
        by, shown = "spaces or letter case", listed(alike)
        if any(same_text(one, other) for one, other in combinations(alike, 2)):
            by, shown = "Unicode form (composed, decomposed)", ", ".join(map(ascii, alike))
        raise LabelError(f"Labels {shown} differ only by {by}: clean them first ({sides}).")


def _refuse_mismatch(truth: Sequence[Any], prediction: Sequence[Any], sides: str) -> None:
    """Refuse predictions that hardly know the labels of the truth.

    Either none of them occurs there: unless the truth is of one class, the predictions have at most
    ten labels, and all are text or none is (a batch may be wrong throughout). Or more than ten are
    unknown there, and more than twice as many as the two or more labels of the truth.
    """
    if not truth or not prediction:
        return
    strangers = len(set(prediction) - set(truth))
    many = strangers > STRANGERS
    if strangers < len(prediction):
        wrong = many and len(truth) > 1 and strangers > 2 * len(truth)
    else:
        kinds = [{isinstance(label, str) for label in side} for side in (truth, prediction)]
        wrong = many or len(truth) > 1 or kinds[0].isdisjoint(kinds[1])
    if wrong:
        raise LabelError(
            f"Truth and prediction must use the same labels: {sides}; say which mean the same "
            "(--relabel POS=yes,neg=no or relabel=), name the columns of true and of predicted "
            "labels, or pass scores as score (--score)."
        )
