"""Ctrl-C passes through the library, and what is asked again gets the same answer."""

import subprocess
import sys

import numpy as np
import pytest

import baserate as br
from quick import left_out

Y = np.tile([1, 0, 1, 1, 0, 0], 5)
P = np.tile([1, 0, 0, 1, 1, 0, 0], 5)[:30]
S = np.linspace(0, 1, 30)
ASK = {
    "evaluate": lambda: br.evaluate(Y, P, metrics="f1,recall,mcc").facts,
    "interval": lambda: br.interval("mcc", br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=9)),
    "sweep": lambda: br.optimal_threshold("f1", br.sweep(Y, S)),
    "dutch draw": lambda: br.dutch_draw("mcc", n_positive=7, n_negative=9),
}


class Interrupter:
    """Raises KeyboardInterrupt before the k-th line of ours."""

    def __init__(self, k):
        self.left = k

    def __call__(self, frame, event, _):
        if "/baserate/" not in frame.f_code.co_filename:
            return None
        self.left -= event == "line"
        if self.left == 0:
            raise KeyboardInterrupt
        return self


def interrupted(ask, k):
    """Say whether the call was interrupted; it must not go on as if it had not been."""
    tracer, before = Interrupter(k), sys.gettrace()
    sys.settrace(tracer)
    try:
        ask()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    assert tracer.left > 0, "an interrupt was lost"
    return False


@pytest.mark.parametrize("name", [*left_out("evaluate"), *list(ASK)[1:]])
def test_a_call_that_was_interrupted_can_be_made_again(name):
    ask = ASK[name]
    before = repr(ask())
    k, times = 1, 0
    while interrupted(ask, k):
        assert repr(ask()) == before, k
        k, times = 3 * k, times + 1
    assert times > 3


# Each copy of a process that has loaded nothing of ours is interrupted while it loads and answers
# for the first time, and then asked again.
FIRST = """
import os, sys, numpy
def asked():
    import baserate as br
    return br.evaluate([1, 0, 1, 1, 0], [1, 0, 0, 1, 1], metrics="f1,recall,mcc").render("json")
def copy(k):
    left = [k]
    def trace(frame, event, _):
        if "/baserate/" not in frame.f_code.co_filename:
            return None
        left[0] -= event == "line"
        if left[0] == 0:
            raise KeyboardInterrupt
        return trace
    sys.settrace(trace)
    try:
        asked()
    except KeyboardInterrupt:
        pass
    sys.settrace(None)
    os.write(1, asked().encode() + b"\\0")
    os._exit(0)
for k in range(1, 20001, 2000):
    child = os.fork() or copy(k)
    os.waitpid(child, 0)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="copies processes")
def test_so_can_one_that_was_interrupted_while_it_loaded(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, check=True)
    found = done.stdout.split(b"\0")[:-1]
    assert (len(found), len({*found})) == (10, 1), done.stderr.decode()
