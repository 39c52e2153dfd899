"""The page of attacks says about how many instances all laws have, file by file."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from laws.sweep import INSTANCES

PAGE = (Path(__file__).parents[2] / "docs" / "trust.md").read_text()
ROWS = re.findall(r"\| ([\d,]+) \| `(test_\w+)\.py` \|", PAGE)
[ALL] = re.findall(r"\| \*\*all\*\* \| \| \*\*([\d,]+)\*\* \| \|", PAGE)
# So that the page does not change with each metric.
ABOUT = 0.05


def test_the_page_counts_what_is_tested():
    for _, name in ROWS:
        import_module(f"laws.{name}")
    found: dict[str, int] = {}
    for (name, _), count in INSTANCES.items():
        found[name] = found.get(name, 0) + count
    said = {name: int(count.replace(",", "")) for count, name in ROWS}
    assert said == pytest.approx(found, rel=ABOUT)
    assert int(ALL.replace(",", "")) == pytest.approx(sum(found.values()), rel=ABOUT)
