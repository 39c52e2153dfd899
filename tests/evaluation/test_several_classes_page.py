"""The blocks of docs/several_classes.md run, one after the other."""

import re
import shlex
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "several_classes.md").read_text(encoding="utf-8")


def test_the_blocks_and_commands_run(tmp_path, capsys, monkeypatch):
    from baserate.cli import main

    known: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "several_classes.md", "exec"), known)  # noqa: S102 - our own text
    text = capsys.readouterr().out
    assert text.startswith("Better than guessing: yes (p < 0.001).")
    assert text.endswith("True True\n")
    monkeypatch.chdir(tmp_path)
    known["frame"].to_csv("wine.csv", index=False)
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL):
        for line in block.splitlines():
            assert main(shlex.split(line)[1:]) == 0
