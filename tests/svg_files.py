"""What two drawings of the same picture have in common on any processor."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
PIXEL = 0.3  # places are written to a tenth
LARGEST = 40_000  # bytes


def assert_same_drawing(drawn: str, committed: Path) -> None:
    """Compare elements, words and places; a path, whose points may be thinned, by its extent."""
    kept = committed.read_text(encoding="utf-8")
    assert len(kept.encode()) < LARGEST
    ours, theirs = (list(ET.fromstring(text).iter()) for text in (drawn, kept))  # noqa: S314
    assert [one.tag for one in ours] == [one.tag for one in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert _told(one) == _told(other)
        for a, b in zip(_places(one), _places(other), strict=True):
            assert abs(a - b) <= PIXEL, (one.attrib, other.attrib)


def assert_readable_anywhere(committed: Path) -> None:
    """It says what it shows, brings its ground and dark colours, and asks for nothing."""
    text = committed.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314
    named = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in root}
    assert named["title"]
    assert named["desc"]
    assert "prefers-color-scheme:dark" in text
    assert '<rect width="100%" height="100%" style="fill:var(--ground)"/>' in text
    assert not re.search(r"<script|href=|url\(|@import", text)


def _told(element: ET.Element) -> tuple[str | None, str | None]:
    return element.text, element.get("class")


def _places(element: ET.Element) -> list[float]:
    rest = {k: v for k, v in element.attrib.items() if k not in {"d", "id", "aria-labelledby"}}
    found = [float(n) for value in rest.values() for n in NUMBER.findall(value)]
    numbers = [float(n) for n in NUMBER.findall(element.get("d", ""))]
    return [*found, min(numbers), max(numbers)] if numbers else found
