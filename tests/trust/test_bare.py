"""What runs with `pip install baserate` alone; here the other packages are hidden."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HIDDEN = """
import sys
sys.path.insert(0, "trust")
for name in ("sklearn", "rich", "matplotlib", "cyclopts", "duckdb"):
    sys.modules[name] = None
import bare
"""


def without_extras(code):
    words = [sys.executable, "-c", HIDDEN + code]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.slow
def test_every_report_is_printed_shown_and_written():
    assert without_extras("print(*bare.reports(), sep='\\n')").strip() == ""


@pytest.mark.slow
def test_the_example_of_every_public_name_runs_or_says_what_it_needs():
    first, *others = without_extras("print(*bare.examples(), sep='\\n')").strip().split("\n")
    assert "public names" in first
    assert others == []


def test_scorers_and_estimators_name_the_extra():
    found = without_extras("""
import baserate as br
for name in ("scorer", "UtilityClassifier", "ThresholdClassifierCV", "RandomGuessClassifier"):
    try:
        getattr(br, name)
    except ImportError as error:
        print(error)
print(br.metric_function("recall")([1, 0, 1], [1, 0, 0]))
""").splitlines()
    assert [line.split(" needs ")[0] for line in found[:4]] == [
        "br.scorer", "br.UtilityClassifier", "br.ThresholdClassifierCV", "br.RandomGuessClassifier",
    ]  # fmt: skip
    assert all('needs scikit-learn: install it with pip install "baserate[sklearn]".' in line
               for line in found[:4])  # fmt: skip
    assert found[4] == "0.5"
