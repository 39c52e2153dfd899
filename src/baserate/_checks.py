"""Rules that arguments obey, each with the one message that finishes the sentence."""

import math
import warnings
from numbers import Integral
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from baserate.errors import InvalidArgumentError, LabelError, UnknownNameError

Interval = Literal["(0, 1)", "[0, 1]", "[0, 1)", "[-1, 1)", "(0, inf)", "[0, inf)"]

BOOLEANS = (bool, np.bool_)
DOUBLE = 8  # bytes
LARGEST = 10**100  # of a count: its cube is a float
LEAST_SHARE = 1e-100  # its square is a float
LEAST_LEVEL = 1e-12  # of an interval: below, it is a point
DRAWS = 10**8  # more of them end in no time that anyone has
ROWS = (list, tuple, np.ndarray)
ARRAYS = ("__len__", "__array__", "__dlpack__")  # what has a shape and none of these is no array
SEEDS = (
    Integral,
    np.random.Generator,
    np.random.BitGenerator,
    np.random.SeedSequence,
    np.random.RandomState,
)


def number_in(argument: str, value: Any, interval: Interval, remedy: str) -> float:
    """Return `value` as a float if it lies in `interval`, else say what does."""
    number = as_number(value)
    if not math.isfinite(number) or not _inside(number, interval):
        raise InvalidArgumentError.from_rule(argument, f"must lie in {interval}", value, remedy)
    if interval == "(0, 1)" and number < LEAST_SHARE:
        rule = f"must be at least {LEAST_SHARE:g}"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)
    return number


def confidence(confidence_level: Any) -> float:
    """Return the confidence level as a float if it lies in (0, 1)."""
    level = number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")
    if level < LEAST_LEVEL:
        rule = f"must be at least {LEAST_LEVEL:g}"
        raise InvalidArgumentError.from_rule("confidence_level", rule, level, "0.95 is usual")
    return level


def numbers_in(argument: str, value: Any, interval: Interval, remedy: str) -> Any:
    """Return `value` as a float or a float array whose every element lies in `interval`."""
    array = numbers(value)
    if array is None or array.ndim == 0:
        return number_in(argument, value, interval, remedy)
    right = np.isfinite(array) & _inside(array, interval)
    if not right.all():
        given = array[~right].flat[0].item()
        raise InvalidArgumentError.from_rule(argument, f"must lie in {interval}", given, remedy)
    return array


def whole_number(argument: str, value: Any, *, minimum: int = 0, maximum: int = LARGEST) -> int:
    """Return `value` as an int if it is a whole number of at least `minimum`."""
    whole = _whole(value)
    if whole is None or whole < minimum:
        rule = f"must be a whole number of at least {minimum}"
        raise InvalidArgumentError.from_rule(argument, rule, value, "pass a count")
    if whole > maximum:
        rule = f"must be a whole number of at most {maximum:.0e}"
        raise InvalidArgumentError.from_rule(argument, rule, value, "pass a smaller count")
    return whole


def finite(argument: str, value: Any, remedy: str) -> float:
    """Return `value` as a float if it is a finite number."""
    number = as_number(value)
    if not math.isfinite(number):
        rule = "must be a finite number"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)
    return number


def broadcast(**given: Any) -> None:
    """Refuse arrays whose shapes do not fit one another."""
    shapes = {name: np.shape(value) for name, value in given.items()}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        rule, remedy = "must have shapes that fit one another", "pass one number, or as many"
        raise InvalidArgumentError.from_rule(
            " and ".join(shapes), rule, [*shapes.values()], remedy
        ) from None


def shape_of(argument: str, value: Any) -> tuple[int, ...]:
    """Return the shape of a number or an array of numbers, or say that it is neither."""
    try:
        shape = np.shape(value)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        shape = None
    if shape is None or (shape and not any(hasattr(value, way) for way in ARRAYS)):
        rule, remedy = "must be a number, or an array of numbers", "give its rows one length"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)
    return shape


def can_be_looked_up(value: Any) -> bool:
    """Whether this can name something: it has a hash, and equals itself or does not.

    Columns, frames and expressions answer such questions with columns, or raise.
    """
    try:
        hash(value)
        return isinstance(value == value, BOOLEANS)  # noqa: PLR0124  that is the question
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        return False


def same_length(argument: str, size: int, first: str, cases: int) -> None:
    """Refuse a column that has not one value for each of the cases of the first column."""
    if size != cases:
        rule = f"must have as many cases as {first} ({cases:,})"
        raise LabelError.from_rule(argument, rule, size, "pass one value per case")


def one_of(argument: str, value: Any, choices: Any) -> Any:
    """Return `value` if it is among `choices` (names, or a Literal type)."""
    names = [str(c) for c in (get_args(choices) or choices)]
    if not (isinstance(value, str) and value in names):
        raise UnknownNameError.from_choice(argument, value, names)
    return str(value)


def name_or_number(argument: str, value: Any, names: tuple[str, ...], remedy: str) -> Any:
    """Return `value` if it is one of the names, else as a finite float."""
    if isinstance(value, str) and value in names:
        return value
    number = as_number(value)
    if not math.isfinite(number):
        rule = f"must be one of {', '.join(map(repr, names))}, or a finite number"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)
    return number


def as_number(value: Any) -> float:
    """Return `value` as a float; nan if it is none, such as a word, a date or a column.

    Examples
    --------
    >>> from baserate._checks import as_number
    >>> as_number("0.5"), as_number([0.5]), as_number(10**400)
    (0.5, nan, inf)
    """
    if isinstance(value, (float, int)):
        return _float(value)
    array = numbers(value)
    return math.nan if array is None or array.ndim else array.item()


def is_plain(value: Any) -> bool:
    """Return whether these are usual numbers, at which NumPy never warns.

    Filters of warnings belong to all threads, so only what may warn is read under one.
    """
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, cast("list[Any]", value)))
    if type(value) is np.ndarray or isinstance(value, np.generic):
        kind: np.dtype[Any] = cast("Any", value).dtype
        return kind.kind in "biuf" and kind.itemsize <= DOUBLE
    return isinstance(value, (bool, int, float))


def numbers(value: Any) -> NDArray[np.float64] | None:
    """Return `value` as floats; None if it holds anything else: words, dates, gaps of a mask.

    Numbers written as text are numbers, as everywhere in NumPy.

    A whole number or a fraction beyond the floats is infinite.
    """
    try:
        if is_plain(value):
            return _as_floats(value)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # long doubles that no float holds
            return _as_floats(value)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        return None


def _as_floats(value: Any) -> NDArray[np.float64] | None:
    array = np.asarray(value)
    if np.ma.is_masked(value) or array.dtype.kind not in "biufOUT":
        return None
    if array.dtype.kind != "O":
        return array.astype(np.float64)
    if any(isinstance(one, (bytes, complex)) for one in array.flat):
        return None
    return np.array([_float(one) for one in array.flat]).reshape(array.shape)


def instance_of(argument: str, value: Any, kind: Any, remedy: str) -> None:
    """Refuse what is not of this kind."""
    if not isinstance(value, kind):
        rule = f"must be a {kind.__name__}"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)


def refuse_given(rule: str, remedy: str = "leave it out", /, **given: Any) -> None:
    """Refuse those of the arguments that were given: None stands for none."""
    for name, value in given.items():
        if value is not None:
            raise InvalidArgumentError.from_rule(name, rule, value, remedy)


def yes_or_no(argument: str, value: Any) -> bool:
    """Return a truth value as such; 0 and 1 will do, columns will not."""
    if value is None or isinstance(value, (*BOOLEANS, Integral)):
        return bool(cast("Any", value))
    raise InvalidArgumentError.from_rule(argument, "must be True or False", value, "choose one")


def each_of(argument: str, value: Any, alone: Any) -> list[Any]:
    """Return one value of these types as a list, or several given in any collection."""
    if isinstance(value, alone):
        return [value]
    try:
        return [*value]
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        rule, remedy = "must be one or several", "pass them as a list"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy) from None


def float_array(
    argument: str, value: Any, error: type[InvalidArgumentError] = InvalidArgumentError
) -> NDArray[np.float64]:
    """Return `value` as an array of floats, or say that it is none."""
    array = numbers(value)
    if array is None:
        rule, remedy = "must be numbers in an array", "give every row the same number of entries"
        raise error.from_rule(argument, rule, value, remedy)
    return array


def _whole(value: Any) -> int | None:
    if isinstance(value, Integral) and not isinstance(value, (*BOOLEANS, np.timedelta64)):
        return int(value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # columns of one number, masked numbers
            whole = None if np.ndim(value) or isinstance(value, BOOLEANS) else int(value)
            return whole if whole == value else None
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        return None


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def generator(rng: Any) -> np.random.Generator:
    """Return a generator for a seed; a generator passes through.

    Examples
    --------
    >>> from baserate._checks import generator
    >>> seeded = generator(1)
    >>> generator(seeded) is seeded
    True
    """
    try:
        if rng is None or isinstance(rng, SEEDS):
            return np.random.default_rng(rng)  # pyright: ignore[reportArgumentType]
        seeds: NDArray[Any] = np.asarray(cast("Any", rng) if isinstance(rng, ROWS) else ())
        # NumPy calls itself for every element of what is no row of whole numbers, until it crashes.
        if seeds.size and seeds.ndim == 1 and seeds.dtype.kind in "iu":
            return np.random.default_rng(seeds)
    except Exception:  # noqa: BLE001, S110  a foreign object may raise anything
        pass
    rule = "must be a seed or a numpy.random.Generator"
    raise InvalidArgumentError.from_rule("rng", rule, rng, "pass for example 1")


def _inside(number: Any, interval: Interval) -> Any:
    low, high = (float(end) for end in interval[1:-1].split(","))
    above = number >= low if interval[0] == "[" else number > low
    below = number <= high if interval[-1] == "]" else number < high
    return above & below
