"""Which parameters of a long sweep run in `make test`, and which are left to the slow run."""

import pytest


def one_in(step, values, start=0):
    """Mark all values as slow but those at `start`, `start + step`, and so on.

    Sweeps over the same list start at different places, so that each value runs quickly somewhere.
    A tuple holds the values of several parameters.
    """
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=[pytest.mark.slow] * ((i - start) % step != 0),
        )
        for i, value in enumerate(values)
    ]


def left_out(*values):
    """Mark values as slow."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
