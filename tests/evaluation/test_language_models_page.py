"""The blocks of docs/language_models.md run, one after the other."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "language_models.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_blocks_run(capsys):
    known: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "language_models.md", "exec"), known)  # noqa: S102 - our own text
    assert "240 answers say as much as" in capsys.readouterr().out


@pytest.mark.slow
def test_the_commands_run(tmp_path, capsys, monkeypatch):
    from baserate.cli import main

    known: dict[str, object] = {}
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], known)  # noqa: S102 - our own text
    monkeypatch.chdir(tmp_path)
    known["frame"].to_csv("answers.csv", index=False)
    for line in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)[0].splitlines():
        assert main(line.split()[1:]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "240 cases in 16 clusters" in text
