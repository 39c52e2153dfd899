"""The README shows what really happens."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")


def block(marker, text=README):
    return re.search(rf"<!-- {marker} -->\n```\w+\n(.*?)```", text, re.DOTALL)[1]


def printed(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "baserate.cli", *arguments.split()],
        cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    return done.stdout.rstrip()


@pytest.mark.slow
def test_the_demo_is_a_short_look_that_begins_as_the_readme_shows():
    recipe = (ROOT / "Makefile").read_text()
    told = printed(re.search(r"^\t\$\(BIN\)/baserate (.*)$", recipe, re.MULTILINE)[1])
    assert told.split("\n\n")[0] == block("demo").rstrip()
    assert len(told.splitlines()) <= 46


@pytest.mark.slow
def test_the_page_of_commands_shows_what_evaluate_prints():
    command = re.search(r"^`baserate (evaluate .*)`:$", PAGE, re.MULTILINE)[1]
    assert printed(command) == block("demo", PAGE).rstrip()


@pytest.mark.slow
def test_the_comparison_says_what_the_page_quotes():
    arguments = (
        "compare",
        "examples/story_counts.csv",
        "--counts",
        "--utility",
        "examples/story.toml",
    )
    done = subprocess.run(
        [sys.executable, "-m", "baserate.cli", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    assert " ".join(done.stdout.split()).startswith(" ".join(block("compare", PAGE).split()))


def test_the_library_in_ten_lines_runs(capsys):
    exec(compile(block("library"), "README.md", "exec"), {})  # noqa: S102 - our own text
    assert "cost" in capsys.readouterr().out


def test_the_two_commands_come_first():
    assert README.index("make demo") < README.index("make test") < 200


def test_it_is_one_screen_and_its_links_lead_somewhere():
    assert len(README.splitlines()) <= 64
    for target in re.findall(r"\]\(([^)#]+)", README):
        assert (ROOT / target).exists(), target
