"""How many cases a picture is of, and how many of them are positive: in words, as titles say it."""

from collections.abc import Iterable
from typing import Any

from baserate._figures import count, quoted
from baserate.curves.cut_points import Sweep

PLAIN = ("", "1", "True", "positive")  # labels that say no more than that a case is positive


def cases_told(held: Iterable[Any]) -> str:
    """Return cases and positives of sweeps or tables; of several, from the fewest to the most."""
    every = list(held)
    sizes = [(one.n_positive + one.n_negative, one.n_positive) for one in every]
    alike = len(set(sizes)) == 1
    n, positives = (_range(part) for part in zip(*sizes, strict=True))
    cases = f"{n} {'case' if n == '1' else 'cases'}"
    if any(one.is_weighted for one in every):
        cases = f"weights of {n} in all"
    samples = "" if alike else f"{len(every)} samples of "
    return f"{samples}{cases}, {positives} {positive_name(every[0])}"


def _range(values: tuple[Any, ...]) -> str:
    return " to ".join(dict.fromkeys(count(end(values)) for end in (min, max)))


def are_shares(held: Any) -> bool:
    """Whether nobody was tested: a table made of rates, whose cells sum to 1."""
    return held.is_weighted and abs(float(held.n_positive + held.n_negative) - 1) < 1e-9


def is_named(swept: Any) -> bool:
    """Whether the positive label says what positive cases are."""
    label = swept.positive if isinstance(swept, Sweep) else None
    return isinstance(label, str) and label not in PLAIN


def positive_name(swept: Any) -> str:
    """Return what positive cases are called: by their label, if it says something."""
    return quoted(swept.positive) if is_named(swept) else "positive"
