"""What a release says of itself is one thing, wherever it says it."""

import re
import tomllib
from pathlib import Path

import baserate

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere():
    cited = re.search(r"^version: (\S+)$", text("CITATION.cff"), re.MULTILINE)[1]
    assert baserate.__version__ == PROJECT["version"] == cited


def test_the_license_is_the_same_everywhere():
    cited = re.search(r"^license: (\S+)$", text("CITATION.cff"), re.MULTILINE)[1]
    assert PROJECT["license"] == cited
    assert text("LICENSE").startswith("BSD 3-Clause License")


def test_the_oldest_python_is_the_first_classifier():
    tagged = re.findall(r":: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">={tagged[0]}"


def test_every_extra_and_lowest_version_is_on_the_page():
    page = text("docs/installation.md")
    for extra in PROJECT["optional-dependencies"]:
        assert f"`baserate[{extra}]`" in page
    rows = next(line for line in page.splitlines() if line.startswith("| lowest |"))
    for needed in [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]:
        for requirement in (each for each in needed if ">=" in each):
            name, version = requirement.split(">=")
            assert f"{name.lower()} {version}" in rows.lower()
