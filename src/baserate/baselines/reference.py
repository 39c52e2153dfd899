"""The guess that a score is compared with: by name, or by its chance of calling a case positive."""

from difflib import get_close_matches
from typing import Any

from baserate._checks import number_in
from baserate.errors import InvalidArgumentError

REFERENCES = ("dutch_draw", "uniform", "proportional", "mode")


def chosen_reference(reference: Any) -> str | float:
    """Return the name of a guess (hyphens will do), or the probability of guessing positive.

    Examples
    --------
    >>> chosen_reference("dutch-draw"), chosen_reference("0.3")
    ('dutch_draw', 0.3)
    """
    name = str(reference).replace("-", "_")
    if name in REFERENCES:
        return name
    named = ", ".join(f'"{known}"' for known in REFERENCES)
    if isinstance(reference, str) and not _is_number(reference):
        near = get_close_matches(name, REFERENCES, n=1)
        remedy = f'did you mean "{near[0]}"?' if near else "pass one of them"
        rule = f"must be {named} or a probability"
        raise InvalidArgumentError.from_rule("reference", rule, reference, remedy)
    return number_in("reference", reference, "[0, 1]", f"pass {named} or a probability")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
