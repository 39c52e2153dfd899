"""Blocks of the pages run as pasted, print what the page says, and drew the pictures there."""

import re
import tomllib
from pathlib import Path

import pytest

from docs.scripts import module
from svg_files import assert_readable_anywhere, assert_same_drawing

PAGES = module("page_blocks")
ROOT = Path(__file__).parents[2]
BLOCKS = [block for page in PAGES.pages([""]) for block in PAGES.blocks(page)]


@pytest.mark.sweep(8)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_does_what_the_page_says(block):
    if block.kind == "python":
        assert block.code.startswith(("import ", "from "))
    printed, display = block.run()
    if block.printed is not None:
        assert printed == block.printed
    if block.picture is not None:
        assert_same_drawing(display.to_svg(), block.picture)
        assert_readable_anywhere(block.picture)


def test_pages_have_blocks():
    assert len(BLOCKS) > 40
    assert {block.kind for block in BLOCKS} == {"python", "sh"}


def test_the_drawing_of_the_house_is_the_contract_of_imports():
    [contract] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    floors = [floor.split(" | ") for floor in contract["layers"] if not floor.startswith("_")]
    page = (ROOT / "docs/explanations/built.md").read_text()
    [drawn] = re.findall(r"```text\n(cli .*?)```", page, re.DOTALL)
    told = [line.split("  ")[0].split(" | ") for line in drawn.splitlines()]
    assert told == [floor for floor in floors if floor != ["errors"]]
