"""Texts on record: what is said in cases that the calls on record do not reach.

A test hands its text to `on_record`, and its name tells what to look for in it. To write the record
anew, and read its differences: `BASERATE_RECORD_ANEW=1 python -m pytest -n 0 -m "" FILES`.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent / "texts"
TESTS = Path(__file__).parents[1]
ANEW = os.environ.get("BASERATE_RECORD_ANEW") == "1"
_VERSIONS = re.compile(r"baserate \S+ \(Python [^)]*\)")
_PLACE = re.compile(r"^=== (.+)\n", re.MULTILINE)


def plain(text: str | Iterable[str]) -> str:
    """Return a text without the versions that it names; sentences stand one a line."""
    whole = text if isinstance(text, str) else "\n".join(text)
    return _VERSIONS.sub("baserate (versions)", whole).rstrip("\n")


def opening(result: object) -> str:
    """Return the answer of a report: the sentences above its first empty line."""
    return str(result).partition("\n\n")[0]


def recorded(path: Path) -> dict[str, str]:
    """Return the texts of a file, by the place that asks for them."""
    _, *parts = _PLACE.split(path.read_text("utf-8")) if path.exists() else ("",)
    return {place: text.rstrip("\n") for place, text in zip(parts[::2], parts[1::2], strict=True)}


class OnRecord:
    """Hold what one test was told to the record; of several texts each has its name."""

    def __init__(self, file: Path, test: str) -> None:
        self.path = (FOLDER / file.relative_to(TESTS)).with_suffix(".txt")
        self.test = test

    def __call__(self, found: str | Iterable[str] | dict[str, str | Iterable[str]]) -> None:
        """Compare a text, sentences one a line, or such by name, with what is on record."""
        named = found if isinstance(found, dict) else {"": found}
        texts = {
            f"{self.test}: {name}".removesuffix(": "): plain(text) for name, text in named.items()
        }
        if ANEW:
            self._write({**recorded(self.path), **texts})
        known = recorded(self.path)
        assert texts == {place: known.get(place, "(absent)") for place in texts}

    def _write(self, texts: dict[str, str]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        parts = (f"=== {place}\n{text}\n\n" for place, text in texts.items())
        self.path.write_text("".join(parts).rstrip("\n") + "\n", "utf-8")
