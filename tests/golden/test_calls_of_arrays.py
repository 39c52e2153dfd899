"""Each call on record whose cases are a frame, with arrays in its place: the answer on record."""

import fnmatch
import json

import pandas as pd
import pytest

from baserate.errors import BaserateError
from quick import one_in
from tests.golden.calls import DOORS, KINDS, differences, recorded, table

CALLS = [
    (kind, name)
    for kind, calls in KINDS.items()
    for name, (_, cases, *_) in calls.items()
    if isinstance(table(cases), pd.DataFrame)
]
COLUMNS = ("prediction", "score", "groups", "weight", "cluster", "case_id", "run", "fold", "strata",
           "replicate_weights")  # fmt: skip
# What arrays have no name for is called after the argument.
NAMES = {*COLUMNS, "source", "target", "scores"} - {"groups"}


def arrays(frame, key, value):
    """Return what an argument that names columns names."""
    names = fnmatch.filter(frame.columns, value) if isinstance(value, str) else value
    if isinstance(value, dict):
        return {
            name: frame[columns].set_axis(list("abc"), axis=1) for name, columns in value.items()
        }
    if key == "replicate_weights":
        return frame[names].to_numpy()
    if key == "score" and "*" in str(value):
        return frame[fnmatch.filter(frame.columns, value[0])].to_numpy()
    if key == "groups" or isinstance(value, list):
        return {name: frame[name] for name in names}
    return frame[value]


@pytest.mark.parametrize(("kind", "name"), one_in(9, CALLS, start=4))
def test_arrays_have_the_answer_on_record(kind, name):
    door, cases, *laid = KINDS[kind][name]
    frame, given = table(cases), {key: value for words in laid for key, value in words.items()}
    asked = {k: arrays(frame, k, v) if k in COLUMNS else v for k, v in given.items()}
    if "yes" in set(frame["target"]):
        asked = {"positive": "yes", **asked}
    data = [frame["target"], *([asked.pop("prediction")] if "prediction" in asked else [])]
    known = recorded(kind)[name]
    try:
        document = json.loads(DOORS[door](*data, **asked).render("json"))
    except BaserateError:
        assert "refused" in known
        return
    del document["baserate"]
    found = differences(known["fields"], document)
    assert [place for place in found if place.split(":")[0].rpartition(".")[2] not in NAMES] == []
