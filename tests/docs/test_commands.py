"""Every command has a page with every option explained, and an example that runs."""

import shlex
import shutil

import pytest

from baserate.cli import main
from baserate.cli._app import COMMANDS, build
from docs.scripts import DOCS, module

PAGES = module("command_pages")


def test_every_command_has_an_example():
    assert set(PAGES.EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name):
    for argument in build()[name].assemble_argument_collection(parse_docstring=True):
        assert not argument.show or argument.parameter.help, argument.name


@pytest.mark.slow
def test_the_examples_run(tmp_path, monkeypatch, capsys):
    shutil.copytree(DOCS.parent / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for name, words in PAGES.EXAMPLES.items():
        assert main([name, *shlex.split(words)]) == 0
        told = capsys.readouterr().err.splitlines()
        assert all(line.endswith(" written.") for line in told)
