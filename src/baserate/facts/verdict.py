"""A verdict of three states, and what it rests on: better than guessing, better than chance."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from baserate._result import HIDDEN, Result
from baserate.facts.scores import EstimateFact

Answer = Literal["yes", "no", "cannot tell"]
ADVANTAGE = 0.05  # of informedness: the smallest over guessing that is worth having
SIGNIFICANT = 0.05
SURE = 0.95  # probability from which an answer is no longer "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictFact(Result):
    """Whether something is better than guessing: yes, no, or cannot tell.

    "No" needs evidence of its own: the interval lies wholly at or below the smallest advantage that
    is worth having. A large p-value is no such evidence. ``bool()`` is true for "yes" alone, so
    that it tells "no" from "cannot tell" no better than ``answer != "yes"`` does.

    Examples
    --------
    >>> from baserate.facts.verdict import VerdictFact
    >>> found = VerdictFact.of("informedness", (-0.01, -0.24, 0.31), p_value=0.65)
    >>> found.answer, bool(found), VerdictFact.of("informedness", (0.0, -0.02, 0.02)).answer
    ('cannot tell', False, 'no')
    """

    answer: Answer
    metric: str
    value: float
    low: float = math.nan
    high: float = math.nan
    guess: float = 0.0
    smallest: float = ADVANTAGE
    reversed: bool = False
    enough: int | None = None

    @classmethod
    def of(
        cls, metric: str, found: tuple[float, float, float], *, p_value: float = math.nan,
        guess: float = 0.0, smallest: float = ADVANTAGE, **more: Any,
    ) -> Self:  # fmt: skip
        """Judge a value by its interval and, where there is one, by a test of guessing.

        "Yes" needs both, so that neither stands beside a verdict that it does not bear out.
        """
        value, low, high = found
        tested = math.isnan(p_value) or p_value < SIGNIFICANT
        beyond = low > guess or (math.isnan(low) and p_value < SIGNIFICANT)
        answer: Answer = "cannot tell"
        if tested and beyond:
            answer = "yes"
        elif high <= smallest:
            answer = "no"
        return cls(
            answer=answer, metric=metric, value=value, low=low, high=high, guess=guess,
            smallest=smallest, **more,
        )  # fmt: skip

    @classmethod
    def of_area(cls, area: EstimateFact) -> Self:
        """Judge an ROC area on the scale of informedness, which of one cut is 2 area - 1."""
        found = area.value, area.low, area.high
        return cls.of(
            area.name, found, p_value=area.p_value, guess=0.5, smallest=(1 + ADVANTAGE) / 2,
            reversed=area.high < 0.5,
        )  # fmt: skip

    def __bool__(self) -> bool:
        return self.answer == "yes"


def answer_of(probability: float) -> Answer:
    """Answer by a probability: yes where it is surely so, no where it is surely not.

    The one rule of "worth using", whoever asks: of one score or class table, or of several
    classifiers beside each other.

    Examples
    --------
    >>> from baserate.facts.verdict import answer_of
    >>> [answer_of(p) for p in (0.95, 0.94, 0.05, float("nan"))]
    ['yes', 'cannot tell', 'no', 'cannot tell']
    """
    if probability >= SURE:
        return "yes"
    return "no" if probability <= 1 - SURE else "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseFact(Result):
    """Whether a number keeps what a statement demands of it, such as "recall >= 0.8@low".

    Attributes
    ----------
    statement, name : str
        As it was given, and the number that it is about.
    of : str
        The group, class or classifier that it is of; of a gap the group beside the reference that
        was named; empty for all cases together.
    operator, limit, most
        What is demanded: ">=", ">", "<=" or "<" `limit`, or "in" `limit` to `most`.
    end : {"low", "high", "probability"} or None
        What keeps it: an end of the interval, the posterior probability (of `probability` at
        least), or the value.
    value, low, high : float
        Of a share of cases with the limits of Clopper and Pearson; `law` says of which kind.
    judged : float
        The value, end or probability that was judged.
    kept : bool
    sure : bool
        Whether all that the interval allows keeps it too, where the value is judged.
    reason : str or None
        Why there is no value, or no interval.
    left_out : tuple of str
        Of a gap or a ratio: groups too small to have a part in it.
    broken_in : tuple of str
        Groups whose value breaks what was asked, and is kept, of all cases together.
    """

    statement: str
    name: str
    of: str = ""
    operator: str
    limit: float
    most: float = math.nan
    end: str | None = None
    probability: float = math.nan
    value: float
    low: float = math.nan
    high: float = math.nan
    law: str = ""
    confidence_level: float
    judged: float
    kept: bool
    sure: bool = True
    reason: str | None = None
    left_out: tuple[str, ...] = ()
    broken_in: tuple[str, ...] = ()
    strict: str = field(default="", metadata=HIDDEN)

    def __bool__(self) -> bool:
        return self.kept
