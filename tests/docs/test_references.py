"""References: every DOI is on record, and has the same first author and year wherever it stands."""

import re

import pytest

from docs.scripts import module

LIST = module("reference_list")
RECORD = {entry["doi"]: entry for entry in LIST.record()}
USES = LIST.uses()
# What is well known by another name, in a sentence that has just named its authors.
ELSEWHERE = re.compile(r"companion \($")


def test_dois_are_well_formed_and_listed_once():
    assert len(RECORD) == len(LIST.record())
    for doi in RECORD:
        assert re.fullmatch(r"10\.\d{4,9}/\S+", doi)
        assert doi[-1] not in ".,;:"


def test_every_reference_is_on_record_and_used():
    assert {doi for _, doi, _ in USES} == set(RECORD)


@pytest.mark.parametrize("doi", RECORD)
def test_author_and_year_stand_before_each(doi):
    entry = RECORD[doi]
    for file, _, before in (use for use in USES if use[1] == doi):
        if not ELSEWHERE.search(before):
            assert entry["first_author"] in before, file
            assert str(entry["year"]) in before, file


def test_the_page_is_made_of_the_record():
    assert LIST.PAGE.read_text(encoding="utf-8") == LIST.page()
