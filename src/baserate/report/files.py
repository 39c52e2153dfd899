"""A file that appears whole or not at all."""

import os
from os import PathLike
from pathlib import Path
from uuid import uuid4


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write text beside the target, then put it in the target's place in one step.

    A link is followed. What is not a plain file (a pipe, a device) is written to as it is.

    Raises
    ------
    OSError
        The directory is missing, or may not be written to.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8", newline="\n")
        return
    beside = target.with_name(f".{target.name[:64]}.{uuid4().hex}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
