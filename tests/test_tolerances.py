"""No test asks for more digits than processors agree on."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ULPS_32 = 32 * 2.0**-52
# What the comparison uses for the tolerance that is not given.
OTHERS = {"approx": {"rel": 0.0, "abs": 0.0}, "assert_allclose": {"rtol": 1e-7, "atol": 0.0}}


def too_tight(text):
    """Return the lines that compare with a tolerance, relative and absolute, below 32 ulp."""
    found = []
    for call in ast.walk(ast.parse(text)):
        if not isinstance(call, ast.Call):
            continue
        function = getattr(call.func, "attr", getattr(call.func, "id", ""))
        given = {
            word.arg: word.value for word in call.keywords if word.arg in OTHERS.get(function, ())
        }
        if not given or not all(isinstance(value, ast.Constant) for value in given.values()):
            continue
        stated = OTHERS[function] | {name: value.value for name, value in given.items()}
        if max(stated.values()) < ULPS_32:
            found.append(call.lineno)
    return found


@pytest.mark.slow
def test_tolerances_are_at_least_32_ulp():
    found = {path: too_tight(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}
    assert {str(path): lines for path, lines in found.items() if lines} == {}


def test_tight_tolerances_are_seen():
    assert too_tight("assert x == approx(1 / 3, abs=6e-16)") == [1]
    assert too_tight("np.testing.assert_allclose(x, y, rtol=1e-15)") == [1]
    assert too_tight("assert x == approx(y, rel=1e-14, abs=0)") == []
    assert too_tight("assert_allclose(x, y, atol=1e-300)") == []
