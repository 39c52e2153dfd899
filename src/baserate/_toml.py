"""TOML of a bounded size: its reader takes the square of a key's parts in time and memory."""

import re
from pathlib import Path
from typing import Any

MOST_PARTS = 100  # of a key
PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
LONG_KEY = rf"(?<![\w-])(?>{PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}"


def toml_of(path: Path, largest: int) -> dict[str, Any]:
    """Read a file of TOML.

    Raises
    ------
    OSError
        It cannot be read.
    ValueError
        It is larger than so many bytes, or no TOML, or nested too deeply.
    """
    import tomllib  # few calls read any

    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise ValueError(f"it is larger than {largest:,} bytes")
    text = content.decode("utf-8-sig").replace("\r\n", "\n")
    if re.search(LONG_KEY, text):
        raise ValueError(f"a key of it has more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
