"""What two drawings of the same picture have in common on any processor."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
CORNERS = re.compile(r"M-?[\d.]+,-?[\d.]+(?: -?[\d.]+,-?[\d.]+)*z?")  # of one line or region
PIXEL = 0.3  # places are written to a tenth
LARGEST = 40_000  # bytes


def assert_same_drawing(drawn: str, committed: Path) -> None:
    """Compare elements, words, places, and the course of paths, whose points may be others."""
    kept = committed.read_text(encoding="utf-8")
    assert len(kept.encode()) < LARGEST
    ours, theirs = (list(ET.fromstring(text).iter()) for text in (drawn, kept))  # noqa: S314
    assert [one.tag for one in ours] == [one.tag for one in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert _told(one) == _told(other)
        for a, b in zip(_places(one), _places(other), strict=True):
            assert abs(a - b) <= PIXEL, (one.attrib, other.attrib)
        assert _apart(one.get("d", ""), other.get("d", "")) <= 2 * PIXEL, (one.attrib, other.attrib)


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


def _apart(d: str, other: str) -> float:
    """Return how far a corner of either course lies from the other; 0 of paths of other kinds."""
    if not (CORNERS.fullmatch(d) and CORNERS.fullmatch(other)):
        return 0.0
    both = [np.array(NUMBER.findall(path), dtype=float).reshape(-1, 2) for path in (d, other)]
    return max(_farthest(*both), _farthest(*reversed(both)))


def _farthest(points: Any, course: Any) -> float:
    """Return the largest distance of points from the straight lines between others."""
    course = np.vstack((course, course[-1:]))
    start, way = course[:-1], np.diff(course, axis=0)
    length = np.maximum((way**2).sum(axis=1), 1e-12)
    beside = points[:, None] - start
    share = np.clip((beside * way).sum(axis=-1) / length, 0, 1)
    return float(np.sqrt(((beside - share[..., None] * way) ** 2).sum(axis=-1)).min(axis=1).max())


def _told(element: ET.Element) -> tuple[str | None, str | None]:
    return element.text, element.get("class")


def _places(element: ET.Element) -> list[float]:
    rest = {k: v for k, v in element.attrib.items() if k not in {"d", "id", "aria-labelledby"}}
    found = [float(n) for value in rest.values() for n in NUMBER.findall(value)]
    numbers = [float(n) for n in NUMBER.findall(element.get("d", ""))]
    return [*found, min(numbers), max(numbers)] if numbers else found
