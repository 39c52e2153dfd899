"""The page of attacks counts the instances of all laws, file by file."""

import re
from importlib import import_module
from pathlib import Path

from laws.sweep import INSTANCES

PAGE = (Path(__file__).parents[2] / "docs" / "trust.md").read_text()
ROWS = re.findall(r"\| ([\d,]+) \| `(test_\w+)\.py` \|", PAGE)


def test_the_page_counts_what_is_tested():
    for _, name in ROWS:
        import_module(f"laws.{name}")
    found: dict[str, int] = {}
    for (name, _), count in INSTANCES.items():
        found[name] = found.get(name, 0) + count
    assert {name: int(count.replace(",", "")) for count, name in ROWS} == found
    assert f"**{sum(found.values()):,}**" in PAGE
