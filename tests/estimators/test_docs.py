"""Every block of docs/scikit_learn.md runs when it is pasted into an empty interpreter."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "scikit_learn.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.sweep(10, start=8)
@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_it_runs(code, capsys):
    exec(compile(code, "scikit_learn.md", "exec"), {})  # noqa: S102 - our own text
