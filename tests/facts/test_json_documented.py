"""Every name that a document may hold is explained in docs/json.md."""

import re
from dataclasses import fields, is_dataclass
from inspect import getmembers, isclass
from pathlib import Path

import pytest

from baserate import facts
from baserate.facts import (
    audit,
    baseline,
    comparison,
    evaluation,
    report,
    scores,
    stakes,
    threshold,
    verdict,
)

TEXT = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
EXPLAINED = set(re.findall(r"[`\"](\w+)[`\"]", TEXT))
ROOMS = (
    facts,
    audit,
    baseline,
    comparison,
    evaluation,
    report,
    scores,
    stakes,
    threshold,
    verdict,
)
RECORDS = {
    record
    for room in ROOMS
    for _, record in getmembers(room, isclass)
    if is_dataclass(record) and record.__module__.startswith(facts.__name__)
}


@pytest.mark.parametrize("record", sorted(RECORDS, key=lambda record: record.__name__))
def test_every_field_is_explained(record):
    names = {field.metadata.get("json", field.name) for field in fields(record)} - {None}
    assert names | set(record.derived) <= EXPLAINED


@pytest.mark.parametrize("command", ["evaluate", "audit", "threshold", "compare", "baseline"])
def test_every_command_with_a_document_has_a_section(command):
    assert f"# The JSON of `baserate {command}`" in TEXT
