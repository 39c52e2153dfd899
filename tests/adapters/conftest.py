"""One fixture: a table that arrives in every way it can."""

import pytest

from adapters.arrivals import FRAMES, content, read


@pytest.fixture(params=["csv", "jsonl", "parquet", "arrow", *FRAMES])
def counted(request, tmp_path):
    """Read a dictionary of columns, having sent it through a file or a frame."""
    kind = request.param

    def by_file(data, **roles):
        path = tmp_path / f"data.{kind}"
        path.write_bytes(content(kind, data))
        return read(path, **roles)

    def by_frame(data, **roles):
        return read(FRAMES[kind](data), **roles)

    return by_frame if kind in FRAMES else by_file
