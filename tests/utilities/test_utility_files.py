"""Utilities out of mappings and files, and what is wrong with broken ones."""

import pytest

from baserate.errors import DataError, InvalidArgumentError
from baserate.utilities import UtilityMatrix

LOTTERY = UtilityMatrix([[10, -1], [0, 0]], ["buy", "pass"], ["win", "lose"])


def test_from_mapping():
    u = UtilityMatrix.from_mapping({"buy": {"win": 10, "lose": -1}, "pass": {"lose": 0, "win": 0}})
    assert u == LOTTERY
    assert hash(u) == hash(LOTTERY)
    assert u != UtilityMatrix([[10, -1], [0, 0]])
    with pytest.raises(InvalidArgumentError, match=r"'pass' a utility for each of \['win', 'lose"):
        UtilityMatrix.from_mapping({"buy": {"win": 10, "lose": -1}, "pass": {"win": 0}})
    for wrong in ({}, [[1, 2]], {"buy": 3}):
        with pytest.raises(InvalidArgumentError, match=r"must be \{decision: \{class: utility\}\}"):
            UtilityMatrix.from_mapping(wrong)


def test_from_file(tmp_path):
    (tmp_path / "u.csv").write_text("decision,win,lose\nbuy,10,-1\npass,0,0\n", encoding="utf-8")
    (tmp_path / "semi.csv").write_text("decision; win; lose\nbuy; 10; -1\npass; 0; 0\n")
    (tmp_path / "bom.csv").write_text("decision,win,lose\nbuy,10,-1\npass,0,0\n", "utf-8-sig")
    toml = "[utilities]\nbuy = {win = 10, lose = -1}\n[utilities.pass]\nlose = 0\nwin = 0.0\n"
    (tmp_path / "u.toml").write_text(toml)
    for name in ("u.csv", "semi.csv", "bom.csv", "u.toml"):
        assert UtilityMatrix.from_file(tmp_path / name) == LOTTERY
    (tmp_path / "lose.toml").write_text('positive = "lose"\n' + toml)
    assert UtilityMatrix.from_file(str(tmp_path / "lose.toml")).positive == 1
    assert UtilityMatrix.from_file(tmp_path / "u.csv", positive=1).positive == 1
    assert UtilityMatrix.from_file(tmp_path / "lose.toml", positive=0).positive == 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "decision,win,lose\nbuy,10,ten\n", "a.csv gives 'buy', 'lose' the utility 'ten'"),
        ("b.csv", "decision,win,lose\nbuy,10\n", "gives decision 'buy' 1 utilities for 2 classes"),
        ("c.csv", "", "must have a header"),
        ("d.csv", "decision,win\nbuy,nan\n", "d.csv gives 'buy', 'win' the utility 'nan'"),
        ("n.toml", "[utilities.buy]\nwin = inf\n", "n.toml gives 'buy', 'win' the utility inf"),
        (
            "l.toml",
            f"[utilities.buy]\nwin = 1{400 * '0'}\n",
            "l.toml gives 'buy', 'win' the utility 1000",
        ),
        ("m.toml", "[utilities.buy]\nwin = -1e308\n", "one number from -1e.100 to 1e.100 for each"),
        ("o.csv", "decision,win\nbuy,1e101\n", "gives 'buy', 'win' the utility '1e101'"),
        ("p.toml", "[utilities]\nbuy = {}\n", "p.toml names no class"),
        ("q.toml", f"utilities = {2000 * '['}", "is not TOML"),
        ("e.toml", "[utilities", "is not TOML"),
        ("f.toml", "[utility.buy]\nwin = 1\n", r"must hold a table \[utilities\].*not 'utility'"),
        ("g.toml", "[utilities]\nbuy = 3\n", "gives decision 'buy' no table"),
        ("h.toml", '[utilities.buy]\nwin = "1"\n', "gives 'buy', 'win' the utility '1'"),
        ("i.toml", 'positive = "x"\n[utilities.buy]\nwin = 1\n', "'x' positive, which is none of"),
        ("j.json", "{}", r"must end in .toml or .csv"),
        ("k.csv", "decision,win,lose\nbuy,1,2\nbuy,0,3\n", "must hold 2 different names"),
    ],
)
def test_broken_files_are_told_apart(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidArgumentError, match=message):
        UtilityMatrix.from_file(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"\(--utility\) must be a text file that can be read"):
        UtilityMatrix.from_file(tmp_path / "none.csv")
