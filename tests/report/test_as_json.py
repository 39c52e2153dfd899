"""JSON reports."""

import json
import math
from functools import partial

from baserate.report import evaluation as evaluation_report
from baserate.report.opening import render as rendered

render = partial(rendered, evaluation_report.sheet_of)


def test_the_document_is_the_facts(odd):
    text = render(odd, "json")
    document = json.loads(text)
    made = document.pop("baserate")
    assert document == odd.to_dict()
    assert set(made) == {"version", "date", "command", "settings"}
    assert text.endswith("}\n")
    assert document["positive"] == odd.positive
    assert document["table"] == {"tp": 762.5, "fn": 1291.25, "fp": 476.0, "tn": 3837.125}
    assert document["groups"][0]["group"] == {"<i>job</i>": odd.positive, "age|band": None}


def test_nan_is_null_and_undefined_has_its_reason(odd):
    metrics = {m["name"]: m for m in json.loads(render(odd, "json"))["metrics"]}
    reason = "nothing predicted positive (tp + fp = 0)"
    nothing = dict.fromkeys(("value", "low", "high", "same_alarms", "chance", "skill", "p_value"))
    assert metrics["precision"] == {
        "name": "precision",
        **nothing,
        "design_effect": None,
        "effective_n": None,
        "independent_low": None,
        "independent_high": None,
        "undefined_reason": reason,
        "interval_reason": None,
        "chance_reason": None,
        "p_value_reason": None,
    }
    assert metrics["base_rate"]["chance"] is None
    assert metrics["f1"]["p_value"] == 0.0004
    assert "NaN" not in render(odd, "json")


def test_every_number_survives(make, fact):
    metrics = (fact("f1", math.pi / 7), fact("lift", 1e-300))
    values = [m["value"] for m in json.loads(render(make(metrics=metrics), "json"))["metrics"]]
    assert values == [math.pi / 7, 1e-300]


def test_letters_of_all_languages_stay_readable(make):
    assert '"positive": "größer"' in render(make(positive="größer"), "json")
