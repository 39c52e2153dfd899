"""Every block of docs/engines.md runs in a folder that holds its cases."""

import re
from pathlib import Path

import pytest

from engines.conftest import ENGINES
from engines.rows import write_parquet

PAGE = (Path(__file__).parents[2] / "docs" / "engines.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.sweep(5, start=3)
@pytest.mark.parametrize("code", BLOCKS, ids=[re.findall(r"import (\w+)", c)[-1] for c in BLOCKS])
def test_it_runs(code, tmp_path, monkeypatch, request):
    if "pyspark" in code:
        request.getfixturevalue("spark")  # whose Java keeps the folder that it started in
        code = code.replace('parquet("cases")', f'parquet("{tmp_path}/cases")')
    elif "dask" in code:
        request.getfixturevalue("cluster")
    elif "ibis" in code:
        pytest.importorskip("ibis")
    (tmp_path / "cases").mkdir()
    write_parquet(tmp_path / "cases")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "engines.md", "exec"), {})  # noqa: S102 - our own text


def test_every_engine_is_shown():
    for name in ENGINES:
        assert name.split()[0] in "".join(BLOCKS)
