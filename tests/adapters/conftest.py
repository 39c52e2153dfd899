"""One fixture: a table that arrives in every way it can."""

import pytest

from adapters.arrivals import FRAMES, content
from baserate.adapters.engines import tally_file
from baserate.adapters.frames import tally_frame


@pytest.fixture(params=["csv", "jsonl", "parquet", "arrow", *FRAMES])
def tallied(request, tmp_path):
    """Tally a dictionary of columns, having sent it through a file or a frame."""
    kind = request.param

    def by_file(data, **roles):
        path = tmp_path / f"data.{kind}"
        path.write_bytes(content(kind, data))
        return tally_file(path, **roles).tally

    def by_frame(data, **roles):
        return tally_frame(FRAMES[kind](data), **roles)

    return by_frame if kind in FRAMES else by_file
