"""The command line, called in an empty folder."""

import pytest

from baserate.cli import main


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run in an empty folder, so that no configuration of the project leaks in."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
