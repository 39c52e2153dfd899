"""Every target of the fuzz campaign takes its valid inputs and some that were changed at random."""

import json
from itertools import islice

import pytest

from trust import arrays, commands, files, fuzz, parsers
from trust.inputs import mutated

SOME = dict.fromkeys(parsers.TARGETS, 60) | dict.fromkeys(files.TARGETS, 6)
SOME |= dict.fromkeys(commands.TARGETS, 1) | dict.fromkeys(arrays.TARGETS, 20)


@pytest.fixture(scope="module", autouse=True)
def engine():
    """Close the engine that files share: what forks afterwards has no threads to lose."""
    yield
    if "open" in files._engine:
        files._engine.pop("open").close()
        files._engine.clear()


@pytest.mark.parametrize("name", fuzz.targets())
def test_nothing_is_found(name):
    target, valid = fuzz.targets()[name], fuzz.seeds(name)
    for data in islice(mutated(valid, len(valid) + SOME[name], seed=3), len(valid), None):
        target(data)


@pytest.mark.slow
@pytest.mark.parametrize("name", fuzz.targets())
def test_every_valid_input_is_taken(name):
    for data in fuzz.seeds(name):
        fuzz.targets()[name](data)


# What a hurried author might write, and the module whose guard it takes away.
PLANTED = {
    "contract": ("baserate.evaluation.contracts.as_number", float),
    "top": ("baserate.evaluation.list_tops._from_text", lambda text, _: int(text)),
    "utilities_csv": ("baserate.utilities.inputs._number", lambda *cells: float(cells[-1])),
    "class_counts_file": ("baserate.adapters.counts_file.count_of", lambda n, _: int(n)),
    "count": ("baserate.adapters.counts_file.count_of", lambda n, _: int(n)),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name, monkeypatch, tmp_path):
    monkeypatch.setattr(*PLANTED[name])
    monkeypatch.setattr(fuzz, "FINDINGS", tmp_path)
    attempt = fuzz.kept(name, fuzz.targets()[name])
    for data in mutated(fuzz.seeds(name), 1000, seed=5):
        attempt(data)
        if any(tmp_path.iterdir()):
            break
    found, told = sorted(tmp_path.glob(f"{name}-*"))
    assert found.read_bytes() == data
    assert "Traceback" in told.read_text("utf-8")


def test_a_seed_makes_the_same_inputs():
    [first, again, other] = ([*mutated([b"a,b\n1,2\n"], 50, seed)] for seed in (1, 1, 2))
    assert first == again != other
    assert first[0] == b"a,b\n1,2\n"
    assert max(map(len, mutated([b"x" * 5000], 20, 1))) <= 5000


def test_an_outcome_is_judged():
    given = {"data.csv": b"y\n"}
    good = commands.Outcome(0, b'{"a": 1}', "", given)
    commands.check(good, given, [])
    for wrong in (
        good._replace(code=3),
        good._replace(out=b'{"a": NaN}'),
        good._replace(files={"data.csv": b""}),
        good._replace(files=given | {".out.html.1f": b"<"}),
        good._replace(err="Traceback (most recent call last):\n"),
        good._replace(code=2, err="baserate: no.\n"),
        good._replace(code=2, out=b"", err="baserate: no.\nbaserate: no.\n"),
        good._replace(code=2, out=b"", err="baserate: no.\n", files=given | {"out.md": b"#"}),
    ):
        with pytest.raises((AssertionError, json.JSONDecodeError)):
            commands.check(wrong, given, [])
