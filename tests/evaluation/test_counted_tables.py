"""Tables counted in several places add up to that of all cases, group by group or at once."""

import polars as pl
import pytest

from baserate.counts import CELLS
from baserate.evaluation.counted_tables import CountedTables, summed

CASES = pl.DataFrame({"y": [1, 1, 0, 0, 1], "p": [1, 0, 1, 0, 1], "g": list("babab")})


@pytest.mark.parametrize(
    ("groups", "tables"),
    [
        ({}, {(): (2, 1, 1, 1)}),
        ({"groups": "g"}, {("a",): (0, 1, 0, 1), ("b",): (2, 0, 1, 0)}),
    ],
)
def test_parts_add_up_in_the_order_of_their_labels(groups, tables):
    parts = (
        CountedTables.of_cases(part, target="y", prediction="p", **groups)
        for part in (CASES[:2], CASES[2:])
    )
    found = summed(parts).tables
    assert list(found) == list(tables)
    assert [[getattr(table, cell) for cell in CELLS] for table in found.values()] == [
        list(cells) for cells in tables.values()
    ]
