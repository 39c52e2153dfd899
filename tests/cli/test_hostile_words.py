"""Words that would command a terminal are spelled out in complaints and reports alike."""

import pytest

from baserate.cli import main

WORDS = "\x1b[2J\x1b]8;;http://x.example\x07\x9b31m\u202e\u2028"
CASES = "truth,said\nyes,yes\nno,no\nyes,no\nno,no\nyes,yes\n"


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize(
    "line",
    [
        ("evaluate", f"{WORDS}.csv"),
        ("evaluate", "cases.csv", "--target", WORDS, "--prediction", "said"),
        ("evaluate", "cases.csv", "--target", "truth", "--prediction", "said", "--group", WORDS),
        ("evaluate", "cases.csv", "--target", "truth", "--prediction", "said", "--positive", WORDS),
        ("evaluate", "cases.csv", f"--{WORDS}", "1"),
        ("evaluate", "cases.csv", "--guess", WORDS),
        ("audit", "cases.csv", "--format", WORDS),
        ("compare", "cases.csv", "--utility", f"{WORDS}.toml"),
        ("threshold", "cases.csv", "--target", "truth", "--score", WORDS),
        (WORDS,),
    ],
)  # fmt: skip
def test_a_complaint_is_one_line_of_printable_signs(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.csv").write_text(CASES, encoding="utf-8")
    assert main(line) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.endswith("\n")
    assert error[:-1].isprintable()


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize("form", ["table", "json", "markdown", "html"])
def test_a_file_of_such_a_name_is_reported_in_printable_signs(form, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = f"{WORDS}<b>.csv".replace("/", "-")
    (tmp_path / name).write_text(CASES, encoding="utf-8")
    given = ("--target", "truth", "--prediction", "said", "--positive", "yes", "--format", form)
    assert main(("evaluate", name, *given)) == 0
    out = capsys.readouterr().out
    assert [sign for sign in out if not (sign.isprintable() or sign == "\n")] == []
    assert form != "html" or "<b>" not in out
