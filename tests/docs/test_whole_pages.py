"""Pages whose blocks go on where the last one ended, and whose commands read what they made."""

import re
import shlex

import pytest

from baserate.cli import main
from docs.scripts import DOCS

PRINTED = {
    "language_models": "240 answers say as much as",
    "scale": "Ranks better than chance: yes",
    "several_classes": "predicted is better than tree (a difference of 0.949",
}


@pytest.fixture
def read(request, tmp_path, monkeypatch, capsys):
    """Run the Python of a page in an empty folder: what it made, what it printed, its commands."""
    page = (DOCS / f"{request.param}.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, f"{request.param}.md", "exec"), known)  # noqa: S102 - our own text
    commands = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    return known, capsys.readouterr().out, commands


@pytest.mark.slow
@pytest.mark.parametrize(("read", "printed"), PRINTED.items(), indirect=["read"])
def test_the_blocks_run(read, printed):
    assert printed in read[1]


@pytest.mark.slow
@pytest.mark.parametrize("read", ["language_models"], indirect=True)
def test_commands_on_answers_of_language_models(read, capsys):
    known, _, commands = read
    known["frame"].to_csv("answers.csv", index=False)
    for line in commands[0].splitlines():
        assert main(line.split()[1:]) == 0
    assert "240 cases in 16 clusters" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
@pytest.mark.parametrize("read", ["several_classes"], indirect=True)
def test_commands_on_several_classes(read, tmp_path):
    known, _, commands = read
    known["frame"].to_csv("wine.csv", index=False)
    columns = {f"p_{name}": f"p_{k + 1}" for k, name in enumerate(known["classes"])}
    known["frame"].rename(columns=columns).to_csv("numbered.csv", index=False)
    worth = known["worth"]
    lines = [",".join(map(str, row)) for row in zip(worth.classes, *worth.matrix.T, strict=True)]
    (tmp_path / "worth.csv").write_text("\n".join([f"decision,{','.join(worth.classes)}", *lines]))
    for line in "".join(commands).splitlines():
        assert main(shlex.split(line)[1:]) == 0
