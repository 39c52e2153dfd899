"""The blocks of docs/several_classes.md run, one after the other."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "several_classes.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_blocks_and_commands_run(tmp_path, capsys, monkeypatch):
    from baserate.cli import main

    known: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "several_classes.md", "exec"), known)  # noqa: S102 - our own text
    text = capsys.readouterr().out
    assert "Better than guessing: yes (mean recall beyond guessing 0." in text
    assert "True True\nYield per case: predicted 1.7" in text
    assert "predicted is better than tree (a difference of 0.949" in text
    monkeypatch.chdir(tmp_path)
    known["frame"].to_csv("wine.csv", index=False)
    columns = {f"p_{name}": f"p_{k + 1}" for k, name in enumerate(known["classes"])}
    known["frame"].rename(columns=columns).to_csv("numbered.csv", index=False)
    labels = ",".join(known["worth"].classes)
    rows = zip(known["worth"].classes, known["worth"].matrix, strict=True)
    lines = [",".join(map(str, (label, *row))) for label, row in rows]
    (tmp_path / "worth.csv").write_text("\n".join([f"decision,{labels}", *lines]))
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL):
        for line in block.splitlines():
            assert main(shlex.split(line)[1:]) == 0
