"""Each call on record that a command line can say: the command gives the answer on record."""

import json

import pandas as pd
import pytest

from quick import one_in
from tests.golden.calls import KINDS, differences, recorded, table

COMMANDS = {"evaluate": "evaluate", "audit": "audit", "compare": "compare", "cut": "threshold"}
OPTIONS = {"groups": "group", "case_id": "id", "confidence_level": "confidence"}
OPTIONS |= {"n_resamples": "resamples"}
TOGETHER = ("metrics", "cost")  # one word, with commas


def said(kind, name):
    """Return what is named of a call, if its cases and all of that can be typed."""
    door, cases, *laid = KINDS[kind][name]
    given = {key: value for words in laid for key, value in words.items()}
    plain = all(key == "cost" or not isinstance(value, dict) for key, value in given.items())
    untyped = "utility" in given or (door == "audit" and "base_rate" in given)
    return given if plain and not untyped and frame(cases) is not None else None


def frame(cases):
    return table(cases) if isinstance(table(cases), pd.DataFrame) else None


def words(key, value):
    if key == "cost":
        value = [f"{error}={lost}" for error, lost in value.items()]
    every = [str(one) for one in value] if isinstance(value, list) else [str(value)]
    option = "--" + OPTIONS.get(key, key).replace("_", "-")
    return [option, ",".join(every)] if key in TOGETHER else [option, *every]


CALLS = [(kind, name) for kind, calls in KINDS.items() for name in calls if said(kind, name)]


@pytest.mark.parametrize(("kind", "name"), one_in(15, CALLS))
def test_the_command_gives_the_answer_on_record(kind, name, run):
    door, cases, *_ = KINDS[kind][name]
    frame(cases).to_parquet("d.parquet")
    given = {"target": "target", **said(kind, name)}
    if "yes" in set(frame(cases)["target"]):
        given = {"positive": "yes", **given}
    typed = [word for key, value in given.items() for word in words(key, value)]
    code, out, err = run(COMMANDS[door], "d.parquet", *typed, "--format", "json")
    known = recorded(kind)[name]
    if "refused" in known:
        assert (code, out, err.count("\n")) == (2, "", 1)
        return
    document = json.loads(out)
    del document["baserate"]
    assert (code, err, document["source"]) == (0, "", "d.parquet (Parquet)")
    found = differences(known["fields"], document)
    assert [place for place in found if ".source: None on record" not in place] == []
