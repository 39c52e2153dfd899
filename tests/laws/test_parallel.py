"""Threads that ask at once get what one alone gets, and share nothing that changes."""

import json
import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import baserate as br
from baserate.evaluation.stakes import acted_at, stakes_of
from trust.answers import THREADS, digests, fill, state

Y = np.tile([1, 0, 1, 1, 0, 0], 5)
P = np.tile([1, 0, 0, 1, 1, 0, 0], 5)[:30]
USELESS = [[1.0, 1.0], [0.0, 0.0]]


def raced(ask):
    """Ask in ten threads at once, which take turns as often as they can."""
    found, start = [None] * THREADS, threading.Barrier(THREADS)

    def run(i):
        start.wait()
        found[i] = ask(i)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(usual)
    return found


QUICK = [
    lambda: br.interval("mcc", br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=9)),
    lambda: br.bayes_threshold("f1", br.populations.LDA(distance=1.0), base_rate=0.3),
]
DOORS = [
    lambda: br.evaluate(Y, P, metrics="f1,recall,mcc").render("json"),
    lambda: br.compare(Y, {"a": P, "b": 1 - P}, utility=[[1, -2], [-3, 2]]).render("json"),
    lambda: br.audit(Y, P, groups=Y + P).render("html"),
]


@pytest.mark.parametrize("asked", [QUICK, pytest.param(DOORS, marks=pytest.mark.slow)])
def test_threads_that_ask_at_once(monkeypatch, asked):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    alone, before = [call() for call in asked], state()
    found = raced(lambda i: asked[i % len(asked)]())
    assert found == [alone[i % len(asked)] for i in range(THREADS)]
    assert state() == before


def test_who_hushes_warnings_hushes_them_for_nobody_else(monkeypatch):
    def shared(*_, **__):
        pytest.fail("the filters of warnings belong to all threads")

    with monkeypatch.context() as patch:
        patch.setattr(warnings, "catch_warnings", shared)
        stakes_of(USELESS, None)
        assert acted_at(USELESS, None, 1, (0, 1), None) == ()
    with pytest.warns(UserWarning, match="never better"):
        br.UtilityMatrix(USELESS)


# Asked of a process that has loaded nothing: threads race for the first import of everything; ten
# of them do in `trust.parallel`.
RACING = 4


@pytest.mark.slow
def test_a_first_import_that_is_raced(tmp_path):
    fill(tmp_path / "cases.csv")
    cases = str(tmp_path / "cases.csv")
    words = [sys.executable, "-m", "trust.answers", cases, "--threads", str(RACING)]
    places = os.pathsep.join([os.getcwd(), *sys.path])
    there = {**os.environ, "PYTHONPATH": places, "SOURCE_DATE_EPOCH": "0"}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=there)
    found = json.loads(done.stdout)
    assert found["kept"]
    assert found["answers"] == [digests(tmp_path / "cases.csv")] * 2 * RACING
