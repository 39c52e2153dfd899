"""The catalogue in every format."""

import json

import pytest

from baserate.errors import UnknownNameError
from baserate.metrics import CATALOGUE, define
from baserate.report.catalogue import render_catalogue


def test_json_has_every_declared_fact_that_is_plain_data():
    records = {r["name"]: r for r in json.loads(render_catalogue("json"))}
    assert list(records) == [metric.name for metric in CATALOGUE]
    assert records["precision"]["proportion"] == [["tp"], ["fp"]]
    assert records["precision"]["synonyms"][0] == "ppv"
    assert records["precision"]["undefined_if_zero"] == ["tp+fp"]
    assert records["diagnostic_odds_ratio"]["bounds"] == [0, None]
    assert records["f2"]["parameters"] == {}
    assert records["prevalence_threshold_strict"]["undefined_also"] is True
    assert records["accuracy"]["undefined_also"] is False
    assert records["informedness"]["chance"] == 0
    assert "formula" not in records["accuracy"]


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_names_formulas_and_families_are_listed(form):
    text = render_catalogue(form).replace("\\", "")
    assert all(metric.name in text for metric in CATALOGUE)
    assert "2 tp / (2 tp + fn + fp)" in text
    assert "threat_score" in text
    assert "robust_mcc(d)" in text


def test_a_users_own_metric_is_shown_and_escaped():
    def cost(tp, fn, fp, tn):
        return 5 * fn + fp + 0 * (tp + tn)

    own = define("cost", cost, direction="lower", meaning="Cost <b>|</b> of errors.")
    record = json.loads(render_catalogue("json", [own]))[0]
    assert (record["name"], record["bounds"], record["direction"]) == (
        "cost", [None, None], "lower"
    )  # fmt: skip
    assert "Cost &lt;b&gt;|&lt;/b&gt; of errors." in render_catalogue("html", [own])
    assert "Cost &lt;b&gt;\\|&lt;/b&gt; of errors." in render_catalogue("markdown", [own])
    assert "Cost <b>|</b> of errors.\n    From -∞ to ∞, lower is better" in render_catalogue(
        "table", [own]
    )


def test_an_unknown_format_is_refused():
    with pytest.raises(UnknownNameError, match=r"format must be one of .*, got 'pdf'"):
        render_catalogue("pdf")
