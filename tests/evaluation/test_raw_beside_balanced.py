"""A metric at another base rate stands beside the same metric at that of the cases."""

import json
from fractions import Fraction

import numpy as np
import pytest

import baserate as br

# Burger and Meertens, section 5: recall 0.6 and specificity 0.8, here with one positive in ten.
TABLE = br.ConfusionMatrix(tp=60, fn=40, fp=180, tn=720)
RNG = np.random.default_rng(20261126)
Y, P = RNG.random(120) < 0.3, RNG.random(120) < 0.5
SAME_TOTALS = {"a": TABLE, "b": br.ConfusionMatrix(tp=50, fn=50, fp=90, tn=810)}


def test_the_papers_f1_balanced_and_raw_each_with_its_chance():
    r = br.evaluate(TABLE, base_rate=0.5, guess="uniform", metrics="f1, utility([[1, -1], [0, 0]])")
    assert r["f1"].value == pytest.approx(2 / 3)  # 0.6 / (0.6 + (0.4 + 0.2) / 2)
    assert r["raw(f1)"].value == pytest.approx(Fraction(120, 120 + 40 + 180))
    f1, utility = r.facts.metrics
    assert f1.raw.skill == pytest.approx((f1.raw.value - f1.raw.chance) / (1 - f1.raw.chance))
    assert (utility.value, utility.raw.value) == pytest.approx((0.3 - 0.1, 0.06 - 0.18))
    row = r.to_frame("polars").row(0, named=True)
    assert (row["value"], row["raw_value"], row["raw_chance"]) == (
        f1.value, f1.raw.value, f1.raw.chance,
    )  # fmt: skip


@pytest.mark.sweep(6, start=5)
@pytest.mark.parametrize(
    ("given", "how"),
    [
        ((TABLE,), {}),
        ((SAME_TOTALS,), {}),
        ((Y, P), {"groups": np.arange(120) % 3}),
        ((Y, P), {"groups": np.arange(120) % 3, "weight": 0.5 + RNG.random(120)}),
        ((Y, P), {"cluster": np.arange(120) // 4}),
        ((Y, P), {"metrics": "headline, jaccard.at_base_rate(0.3), lift"}),
    ],
)
def test_what_stands_beside_is_what_the_report_without_a_base_rate_says(given, how):
    plain, both = br.evaluate(*given, **how).facts, br.evaluate(*given, **how, base_rate=0.2).facts
    assert tuple(m.raw for m in both.metrics) == plain.metrics
    assert [[m.raw for m in g.metrics] for g in both.groups] == [[*g.metrics] for g in plain.groups]


def test_text_shows_both_where_the_base_rate_matters_and_the_page_and_json_too():
    r = br.evaluate(TABLE, base_rate=0.5, metrics="f1, recall")
    text = str(r)
    assert "Metrics at a base rate of 0.5, and in these cases" in text
    f1, raw, recall = text.partition("──\n")[2].split("\n")[:3]
    assert f1.split()[:2] == ["f1", "0.667"]
    assert raw.split()[:4] == ["in", "these", "cases", "0.353"]
    assert recall.startswith("recall")
    assert "In these cases, F1 is 0.35" in text.replace("\n", " ")
    assert "In these cases" in r.render("html")
    assert json.loads(r.render("json"))["metrics"][0]["raw"]["name"] == "f1"
    assert bool(r.check("raw(f1) < 0.4", "f1 > 0.6"))


def test_groups_have_a_table_each_way():
    text = str(br.evaluate(Y, P, groups=np.arange(120) % 3, base_rate=0.2))
    assert text.index("Groups at a base rate of 0.2") < text.index("Groups as they are")
    recall = br.evaluate(Y, P, groups=np.arange(120) % 3, base_rate=0.2, metrics="recall")
    assert "Groups as they are" not in str(recall)  # no base rate changes it
