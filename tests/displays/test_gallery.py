"""The page of pictures: its code runs as pasted, and drew the pictures that it shows."""

import importlib.util
from pathlib import Path

import pytest

import baserate as br
from svg_files import assert_readable_anywhere, assert_same_drawing

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def script():
    spec = importlib.util.spec_from_file_location("draw_pictures", DOCS / "draw_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DRAWINGS = list(script().drawings())


@pytest.mark.sweep(14, start=9)
@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda one: one.picture.stem)
def test_the_code_beside_a_picture_drew_it(drawing, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert drawing.code.startswith(("import ", "from "))
    display = drawing.display()
    assert isinstance(display, br.displays.Display)
    assert_same_drawing(display.to_svg(), drawing.picture)
    assert_readable_anywhere(drawing.picture)


def test_every_display_is_on_the_page():
    shown = " ".join(drawing.code for drawing in DRAWINGS)
    kinds = {name for name in br.displays.__all__ if name.endswith("Display")}
    for name in kinds - {"Display", "ScoreDisplay", "TableDisplay"}:
        assert name in shown
    assert "best_by_threshold" in shown


def test_all_code_of_the_page_draws_and_no_picture_is_left_over():
    text = (DOCS / "displays.md").read_text(encoding="utf-8")
    assert text.count("```python") == len(DRAWINGS)
    assert {one.picture for one in DRAWINGS} == set((DOCS / "pictures").glob("*.svg"))


def test_one_drawing_is_told_from_another(tmp_path):
    drawn = (DOCS / "pictures" / "chance.svg").read_text(encoding="utf-8")
    moved = tmp_path / "moved.svg"
    for old, new in (('x="8"', 'x="18"'), ("luck", "skill"), ("<rect", "<rect/><rect")):
        moved.write_text(drawn.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(AssertionError):
            assert_same_drawing(drawn, moved)


def test_a_course_is_told_from_a_straight_line(tmp_path):
    straight = tmp_path / "straight.svg"
    around, *ways = (
        '<svg xmlns="x"><path d="{}"/></svg>',
        "M0,0 9,9",
        "M0,0 4,9 9,9",
        "M0,0 5,5 9,9",
    )
    straight.write_text(around.format(ways[0]), encoding="utf-8")
    with pytest.raises(AssertionError):
        assert_same_drawing(around.format(ways[1]), straight)
    assert_same_drawing(around.format(ways[2]), straight)
