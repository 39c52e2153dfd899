"""How a law is held: against every combination in the slow run, a few dozen in the quick one."""

from collections.abc import Callable
from itertools import product
from zlib import crc32

import pytest

INSTANCES: dict[tuple[str, str], int] = {}  # of each law, by its file and its name


def law(*axes, few=10, most=10_000):
    """Turn a function of one combination into a test of all of them, or of `most`, evenly spread.

    The quick run takes `few` that lie along the diagonal, so that values of each list have a turn;
    where they start depends on the name of the law.
    """
    every = [*product(*axes)]
    every = [every[i * len(every) // most] for i in range(most)] if len(every) > most else every

    def test_of(holds: Callable) -> Callable:
        INSTANCES[holds.__module__.rsplit(".", 1)[-1], holds.__name__] = len(every)
        some = diagonal(axes, few, crc32(holds.__name__.encode()))
        # One run will do where the quick one takes them all.
        runs = [pytest.param(some, id="some")]
        if len(some) < len(every):
            runs.append(pytest.param(every, id="all", marks=pytest.mark.slow))

        @pytest.mark.parametrize("cases", runs)
        def test(cases):
            for case in cases:
                try:
                    holds(*case)
                except Exception as error:
                    error.add_note(f"{holds.__name__}: {', '.join(map(shown, case))}")
                    raise

        test.__doc__ = holds.__doc__
        return test

    return test_of


def diagonal(axes, few, start):
    """Return up to `few` different combinations, spread over each of the lists."""
    longest = max(len(axis) for axis in axes)
    step = max(1, longest // few)
    rows = ([axis[(start + i) % len(axis)] for axis in axes] for i in range(0, longest, step))
    return [*rows][:few] if longest > 1 else [*product(*axes)]


def shown(value):
    return str(getattr(value, "name", value))
