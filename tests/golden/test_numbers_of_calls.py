"""Every number of every report on record answers by its name, with the value that its JSON has."""

import json
from math import isfinite

import pytest

from baserate.errors import BaserateError
from baserate.evaluation.named_numbers import first
from tests.golden.calls import KINDS, result_of

CALLS = [(kind, name) for kind, calls in KINDS.items() for name in calls]


@pytest.mark.sweep(20)
@pytest.mark.parametrize(("kind", "name"), CALLS)
def test_every_number_answers_by_its_name(kind, name):
    try:
        report = result_of(kind, name)
    except BaserateError:
        return
    document = json.loads(report.render("json"))
    facts, told = report.facts, 0
    known = {abs(x) for x in numbers(document)}
    told_only = (*getattr(facts, "shares", ()), getattr(facts, "right", None))  # by the text
    known |= {one.value for one in told_only if one}
    for part in facts.parts():
        place = part.place
        for found in {one.name: one for one in reversed([*part.numbers])}.values():
            estimate = report[found.name, dict(place)]
            assert estimate == report[(found.name, *place.values())]
            assert estimate.of == tuple(place.values())
            assert first(facts, [found], found.name) is not None
            if not found.name.startswith(("ratio(", "base_rate")) and found.name != "n":
                assert not isfinite(estimate.value) or abs(estimate.value) in known
            ends = estimate.low <= estimate.value + 1e-9 and estimate.value <= estimate.high + 1e-9
            assert ends or not isfinite(estimate.low + estimate.value + estimate.high)
            assert str(estimate)
            if not place and isfinite(v := estimate.value):
                assert report.check(f"{found.name} in {v - 1e-9!r}..{v + 1e-9!r}")
                assert not report.check(f"{found.name} < {v!r}")
            if {*place} == {"first", "second"} and isfinite(v := estimate.value):
                name = f"{found.name[:-1]}, {place['first']}, {place['second']})"
                assert report.check(f"{name} >= {v!r}", f"{name} <= {v!r}")
            told += 1
    assert told > 1


def numbers(document):
    """Yield all numbers of a document."""
    if isinstance(document, dict | list):
        for part in document.values() if isinstance(document, dict) else document:
            yield from numbers(part)
    elif isinstance(document, float | int):
        yield float(document)
