"""The record of texts holds those that tests ask for, and sees what differs."""

import pytest

from tests.golden import texts
from tests.golden.texts import FOLDER, TESTS, OnRecord, recorded

FILES = sorted(FOLDER.rglob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_text_is_that_of_a_test(path):
    asking = (TESTS / path.relative_to(FOLDER)).with_suffix(".py").read_text("utf-8")
    for place in recorded(path):
        name = place.partition(":")[0].partition("[")[0]
        assert f"def {name}(" in asking, f"nobody asks for {place}: drop it from {path}"


def test_another_text_is_seen(monkeypatch, tmp_path):
    monkeypatch.setattr(texts, "FOLDER", tmp_path)
    monkeypatch.setattr(texts, "ANEW", True)
    on_record = OnRecord(TESTS / "a" / "test_b.py", "test_c")
    on_record({"one": ["So it is.", "", "Yes."], "two": "No.\n"})
    on_record("Perhaps.")
    monkeypatch.setattr(texts, "ANEW", False)
    on_record({"two": "No.", "one": "So it is.\n\nYes."})
    for found in ({"two": "No!"}, {"three": "No."}, "Perhaps"):
        with pytest.raises(AssertionError):
            on_record(found)
