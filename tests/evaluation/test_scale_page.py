"""The blocks of docs/scale.md run, one after the other, in an empty folder."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_blocks_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "scale.md", "exec"), known)  # noqa: S102 - our own text
    assert "Ranks better than chance: yes" in capsys.readouterr().out
