"""Importing the package is cheap: it loads none of the heavy libraries."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import baserate

HEAVY = (
    "scipy",
    "narwhals",
    "sklearn",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "duckdb",
    "jinja2",
)


def loaded(code):
    script = f"import sys\n{code}\nprint(*sorted(m for m in {HEAVY} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    "code",
    [
        "import baserate",
        "import baserate as br; br.metrics.get('mcc')(br.ConfusionMatrix(tp=1, fn=2, fp=3, tn=4))",
        "import baserate as br; br.confusion_matrix([True, False], [True, True])",
    ],
)
def test_heavy_libraries_stay_out(code):
    assert loaded(code) == []


@pytest.mark.sweep(3)
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["evaluate", "--help"]])
def test_the_command_line_loads_a_command_only_when_it_is_called(words):
    code = f"import sys; from baserate.cli import main; main({words}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.splitlines()[-1].split())
    assert "cyclopts" in modules
    assert not {*HEAVY, "numpy", "baserate.evaluation.evaluations", "baserate.metrics"} & modules


@pytest.mark.slow
def test_an_evaluation_loads_what_it_needs():
    code = "import sys, baserate; baserate.evaluate([1, 0, 1], [1, 1, 0]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    needless = {"scipy.optimize", "scipy.stats", "sklearn", "pandas", "duckdb", "rich", "jinja2"}
    # Audits, cuts, pictures and areas; what tells that scores or utilities were given costs little.
    rooms = {"baserate.groups.match", "baserate.tuning.optimal", "baserate.displays.display"}
    rooms |= {"baserate.curves.auc", "baserate.curves.losses", "baserate.utilities.net_benefit"}
    assert not {*needless, *rooms} & set(done.stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "compare([1, 0, 1, 0], {'a': [1, 1, 0, 0], 'b': [1, 0, 1, 1]})",
        "audit([1, 0, 1, 0], [1, 1, 0, 0], groups=[1, 1, 2, 2])",
    ],
)
def test_comparing_loads_no_solver(call):
    code = f"import sys, baserate; str(baserate.{call}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy.optimize", "scipy.stats"} & set(done.stdout.split())


@pytest.mark.slow
def test_printing_a_result_loads_no_room_of_the_others():
    code = "import sys, baserate as br; t = br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7); "
    code += "print(br.interval('recall', t)); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rooms = {"baserate.groups", "baserate.tuning", "baserate.curves", "baserate.questions"}
    assert not rooms & set(done.stdout.split())


def test_every_public_name_can_be_reached():
    for name in baserate.__all__:
        assert getattr(baserate, name) is not None
    assert set(baserate.__all__) <= set(dir(baserate))
    assert re.match(r"\d+\.\d+", baserate.__version__)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        baserate.nope  # noqa: B018


def test_type_checkers_see_the_same_names_from_the_same_modules():
    stub = Path(baserate.__file__).with_suffix(".pyi").read_text()
    found = dict.fromkeys(baserate.__all__)
    for module, name, again in re.findall(
        r"^from (\S+) import (\w+) as (\w+)$", stub, re.MULTILINE
    ):
        assert name == again
        here = getattr(baserate, name)  # a namespace may be loaded by this only
        assert getattr(import_module(module), name, None) is here, name
        found[name] = module
    assert [name for name, module in found.items() if module is None] == []
    assert list(found) == baserate.__all__
