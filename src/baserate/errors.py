"""One exception tree: every error says which argument, the rule, the value, and the remedy."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, Self

LONGEST = 1000  # characters of a value that a message shows
FOLDED = 100  # of one that takes several lines
LACKING = ("must be given", "must be stated")  # rules of what is not there, and so has no value


def shown(value: Any) -> str:
    """Write a value on one line, for a message: not all of a long one, or of one of several lines.

    Only its type if it cannot be told.

    Examples
    --------
    >>> from baserate.errors import shown
    >>> shown("half"), shown(10**5000)
    ("'half'", 'a value of type int')
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  numbers of thousands of digits, or anything else
        return f"a value of type {type(value).__name__}"
    most = LONGEST
    if not text.isprintable():
        text, most = " ".join(text.split()), FOLDED if "\n" in text else LONGEST
    return text if len(text) <= most else f"{text[:most]}…"


class BaserateError(Exception):
    """Everything that this library raises on purpose."""


class InvalidArgumentError(BaserateError, ValueError):
    """An argument breaks its rule.

    Attributes
    ----------
    argument : str or None
        The argument that the message begins with, where it begins with one.

    Examples
    --------
    >>> from baserate.errors import InvalidArgumentError
    >>> str(InvalidArgumentError.from_rule("base_rate", "must lie in (0, 1)", 1.5, "pass a share"))
    'base_rate must lie in (0, 1), got 1.5: pass a share.'
    """

    argument: str | None = None

    @classmethod
    def from_rule(cls, argument: str, rule: str, given: Any, remedy: str) -> Self:
        """Build the message from its four parts; what was not given has no value to show."""
        got = "" if given is None and rule.startswith(LACKING) else f", got {shown(given)}"
        return cls.about(argument, f"{rule}{got}: {remedy}.")

    @classmethod
    def about(cls, argument: str, text: str) -> Self:
        """Build a message that begins with the argument."""
        error = cls(f"{argument} {text}")
        error.argument = argument
        return error


class InvalidCountError(InvalidArgumentError):
    """A count is negative, nan, infinite, not a number, or of the wrong shape."""


class LabelError(InvalidArgumentError):
    """Labels do not say which class is positive, or do not fit one another."""


class MissingValueError(InvalidArgumentError):
    """Labels, scores, weights, folds or groups contain missing values.

    Examples
    --------
    >>> from baserate.errors import MissingValueError
    >>> print(MissingValueError.from_rows("It has", {"y": 0, "said": 2}))
    It has missing values: 2 in 'said'; pass missing="drop" (--missing drop) to leave these rows
    out, or fill in what a missing value counts as (of predictions: --relabel =LABEL).
    """

    @classmethod
    def from_rows(cls, subject: str, rows: Mapping[Any, int]) -> Self:
        """Say in which columns how many values are missing, and how to do without these rows."""
        found = ", ".join(f"{n:,} in {column!r}" for column, n in rows.items() if n)
        remedy = 'pass missing="drop" (--missing drop) to leave these rows out, '
        remedy += "or fill in what a missing value counts as (of predictions: --relabel =LABEL)"
        return cls(f"{subject} missing values: {found}; {remedy}.")

    @classmethod
    def in_column(cls, argument: str, gaps: int) -> Self:
        """Say how many values a column lacks."""
        rule = f"must not hold missing values, found {gaps:,}"
        return cls(f"{argument} {rule}: fill them in, or leave those cases out of every column.")


class DataError(InvalidArgumentError):
    """A file or a frame cannot be read, or lacks what was asked of it."""


class DefinitionError(InvalidArgumentError):
    """A metric declares a fact that its own formula contradicts."""


class UnknownNameError(BaserateError, KeyError):
    """No metric, model, option or number of a report has this name.

    Examples
    --------
    >>> from baserate.errors import UnknownNameError
    >>> str(UnknownNameError.from_name("metric", "precison", ["precision"], "See CATALOGUE"))
    "No metric is called 'precison'. Did you mean 'precision'? See CATALOGUE."
    """

    __str__ = Exception.__str__  # KeyError's shows the message as a value

    @classmethod
    def from_name(cls, kind: str, name: Any, known: Iterable[str], remedy: str) -> Self:
        """Name the nearest known name, if one is near, and where to find the others."""
        return cls(f"No {kind} is called {shown(name)}.{cls._hint(name, known)} {remedy}.")

    @classmethod
    def from_choice(cls, argument: str, given: Any, known: Sequence[str]) -> Self:
        """List what an argument may be; the nearest is named, if one is near."""
        hint = cls._hint(given, known)
        return cls(f"{argument} must be one of {', '.join(known)}, got {shown(given)}.{hint}")

    @staticmethod
    def _hint(name: Any, known: Iterable[str]) -> str:
        every = list(known)
        asked: tuple[str, ...] = (name, name.lower()) if isinstance(name, str) else ()
        near = [one for x in asked for one in get_close_matches(x, every, n=1)]
        return f" Did you mean {near[0]!r}?" if near else ""


class UnsupportedError(BaserateError, TypeError):
    """The question has no exact answer here; the message says what does."""


class WrongCallError(BaserateError, TypeError):
    """A call does not fit its signature: an unknown keyword, or too much by place."""


class NoOptimumError(BaserateError, ValueError):
    """A metric has no best threshold in this population: whatever the rule, another one is better.

    Examples
    --------
    >>> from baserate.errors import NoOptimumError
    >>> print(NoOptimumError.from_growth("precision", 0.99, "ever fewer are called positive"))
    precision has no best threshold here: it still grows, already near 0.99, as ever fewer are
    called positive. Choose a metric that loses something at both ends, such as
    matthews_correlation, f1 or robust_mcc(d=0.05).
    """

    @classmethod
    def from_growth(cls, metric: str, near: float, where: str, also: str = "") -> Self:
        """Say where the metric keeps growing, how far it has come, and which others do not."""
        others = ("matthews_correlation", "f1", "robust_mcc(d=0.05)")
        family = metric.partition("(")[0].partition(".")[0]
        *first, last = (name for name in others if name.partition("(")[0] != family)
        return cls(
            f"{metric} has no best threshold here: it still grows, already near {near:.6g}, as "
            f"{where}. {also}Choose a metric that loses something at both ends, such as "
            f"{', '.join(first)} or {last}."
        )


class MissingDependencyError(BaserateError, ImportError):
    """An optional package is needed."""

    @classmethod
    @contextmanager
    def unless_installed(cls, package: str, purpose: str, extra: str) -> Generator[None]:
        """Import here what an extra brings; without it, say so."""
        try:
            yield
        except ModuleNotFoundError as error:
            raise cls.from_extra(package, purpose, extra) from error

    @classmethod
    def from_extra(cls, package: str, purpose: str, extra: str) -> Self:
        """Name the package, what needs it, and the extra that brings it."""
        return cls(f'{purpose} needs {package}: install it with pip install "baserate[{extra}]".')
