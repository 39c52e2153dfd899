"""The fixture of pytest that keeps a report to its promises."""

import subprocess
import sys

import pytest

TESTS = """
import baserate as br

FOUND = br.evaluate(br.ConfusionMatrix(tp=18, fn=2, fp=5, tn=75))

def test_kept(contract):
    assert contract(FOUND, "recall >= 0.8", "accuracy >= 0.6@low").kept

def test_broken(contract):
    contract(FOUND, "recall >= 0.8@low")

def test_no_promise(contract):
    contract(FOUND, "recall")
"""


@pytest.mark.slow
def test_a_broken_promise_fails_the_test_in_its_own_words(tmp_path):
    (tmp_path / "test_promises.py").write_text(TESTS, encoding="utf-8")
    plugins = ("-p", "no:baserate", "-p", "baserate.contract_fixture", "-p", "no:cacheprovider")
    asked = [sys.executable, "-m", "pytest", "-q", *plugins, "test_promises.py"]
    found = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "2 failed, 1 passed" in found.stdout
    assert "the lower end of the 95% Clopper-Pearson interval of recall is 0.683" in found.stdout
    assert "must have the form NAME" in found.stdout
