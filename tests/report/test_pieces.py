"""How the pieces of reports are written: figures, names, kinds, in one table."""

from dataclasses import replace
from math import inf, nan
from types import SimpleNamespace

import pytest

from baserate.cli._app import _flowing, _help_of
from baserate.cli._options import by_name, keywords, score_columns
from baserate.facts.cases import CasesFacts, ClassSize
from baserate.facts.comparison import TurnFact
from baserate.facts.evaluation import MetricFact
from baserate.facts.numbers import EstimateFact
from baserate.facts.scores import SuppressionFact
from baserate.facts.verdict import VerdictFact
from baserate.report import (
    audit,
    audit_words,
    class_threshold,
    class_words,
    compare_answer,
    documents,
    evaluation_rows,
    net_benefit,
    no_data,
    score_rows,
    score_words,
    text,
    threshold,
    verdicts,
    words,
)
from baserate.report.class_compare import turned
from baserate.report.compare_lead import Lead, _said
from baserate.report.explorer import evaluate_words
from baserate.report.sheet import Bar

NEAR_ENDS = MetricFact(
    name="recall", direction="higher", value=0.7, low=2e-8, high=0.99995, bounds=(0.0, 1.0),
    effective_n=3.0,
)  # fmt: skip
SIZES = CasesFacts(
    n=8, missing=1, classes=(ClassSize("ill", 3), ClassSize("well", 5)), positive="ill",
    n_clusters=4,
)  # fmt: skip
NAMED = {"path": "c.csv", "target": "y", "score": "p", "positive": 1, "groups": ["sex"]}
OPEN = Lead(value=0.1, low=nan, high=nan, p=nan)
WEIGHTED = SimpleNamespace(effective_n=12.5, n_clusters=None, n_replicates=None)


def worth(value):
    return net_benefit._per_thousand(value)


@pytest.mark.parametrize(
    ("found", "written"),
    [
        (threshold.shortest(0.31, 0.37), "0.37"),
        (threshold.shortest(0.7134215, 0.7134219), "0.7134219"),
        (threshold.shortest(0.2, 1 / 3), "0.3"),
        ([*map(threshold.exact, (0.1, 3.0, 2**53 + 1))], ["0.1", "3", "9007199254740993"]),
        ([*map(worth, (0.0312, 4e-6, -4e-6, 0.0))], ["31.2", "< 0.1", "-0.0", "0.0"]),
        ([*map(worth, (-0.6, -1.2))], ["-600.0", "-1,200"]),
        (net_benefit.price_of(0.1), "a miss costs 9 false alarms"),
        (net_benefit.price_of(0.5), "a miss costs a false alarm"),
        (net_benefit.price_of(0.8), "a false alarm costs 4 misses"),
        ([*map(verdicts.rounded, (87, 1234, 98765))], [87, 1300, 99000]),
        ([*map(score_words.ratio, (1.2288, 0.65, 1.0, 1.0001))], ["1.23", "0.65", "1.00", "1.00"]),
        ([*map(score_words.ratio, (1.004, 0.997, 0.0123))], ["1.004", "0.997", "0.012"]),
        ([*map(score_words.risk, (0.0, 1.0, 0.3456, 0.0421))], ["0", "1", "0.35", "0.042"]),
        ([*map(class_threshold._weight, (0.3, 1234.5))], ["0.300", "1.23e+03"]),
        (score_rows.bounded("0.802", (0.80196, 0.80204)), "0.802"),
        (score_rows.bounded("0.802", (0.8, 0.81)), "0.802 (0.800 to 0.810)"),
        (score_rows.bounded("0.802", None), "0.802"),
        (score_rows.ends(NEAR_ENDS), (0.0, 1.0)),
        ((score_rows.kind("exact"), score_rows.kind(None)), ("Clopper-Pearson", "")),
        (score_rows.kind_of_p("exact"), "enumerated"),
        (score_rows.promises(["asymptotic", None], "95%"),
         "Intervals of 95%. Asymptotic: right for many cases, an approximation for few."),
        (words.plain_name("f1.at_base_rate(0.5)"), "f1"),
        (words.name_at("f1.at_base_rate(0.5)", 0.5), "f1"),
        (words.name_at("f1.at_base_rate(0.5)", None), "f1.at_base_rate(0.5)"),
        ([*map(words.short_name, ("false_positive_rate", "my_own_cost"))],
         ["fpr", "my_own_cost"]),
        (words.guess_heading("dutch_draw"), "best guess"),
        (words.guess_heading("0.3"), "guess"),
        (words.called({"sex": 0, "site": "a"}), "sex 0, site a"),
        (words.called({"site": "a"}), "a"),
        (words.called({"site": "a"}, first=True), "site a"),
        (words.called({"site": "Site 7"}, first=True), "Site 7"),
        (words.called({"sex": 0, "site": "site 7"}), "sex 0, site 7"),
        (words.foremost("bca", 2, ord), ["b", "a"]),
        (words.left_out(40, 1000),
         "The 40 groups with the most cases; 960 more are in the JSON."),
        (words.small_cells(SuppressionFact(minimum=5, cases=12, groups=2)),
         ("below 5 cases, joined before the counts left their site; 12 cases in 2 groups were left "
         "out")),
        (words.in_short(SIZES),
         ("8 cases: 3 of class ill (positive), 5 of well. 4 clusters. 1 case lacked something and "
         "was left out.")),
        (class_words.named(("a", "b")), '"a", "b"'),
        (class_words.prediction(None, ("p_a", "p_b", "p_c"), 2),
         "the class with the highest score; of 2 cases with equal ones the first"),
        (class_words.called("utility([[1, 0, 0], [0, 1, 0], [0, 0, 1]])"), "utility"),
        (turned(TurnFact(truth="a", prediction="b", cost=1.5, above="B"), "B"),
         'taking "a" for "b" costs more than 1.5 times any other error'),
        (compare_answer.against_constant({"a": 0.96, "c": 0.01}),
         ": a (P = 0.96) does better; c (P = 0.99) does worse"),
        (evaluation_rows._listed(["a = 1", "a = 2"]), "a = 1 and a = 2"),
        (evaluation_rows._listed([f"a = {i}" for i in range(9)]),
         "a = 0, a = 1, a = 2 and 6 more groups"),
        (audit_words.not_tested([("x", {"untested"}, {"one cluster"}), ("y", {"lower"}, set())]),
         ("Not tested: x (one cluster).",)),
        (audit_words.sampled(WEIGHTED), "weighted cases"),
        (verdicts.on_labels(VerdictFact.of("informedness", (-0.01, -0.24, 0.31)), 0.65),
         "Better than guessing: cannot tell (informedness -0.010, -0.24 to 0.31; 0 is guessing)."),
        (audit.least(inf), "any"),
        ([_said(replace(OPEN, chance=p), 3) for p in (0.001, 0.999, 0.99)],  # 1 - 0.05 / 2 / 3
         [{True}, {True}, {False}]),
        (no_data._ranges(((3, 3), (5, 7))), "3, 5\N{EN DASH}7"),
        (score_rows.lacking([EstimateFact(name="roc_auc", value=0.8, reason="a", chance_reason="a",
                                          p_value_reason="b")]),
         (("interval of ROC AUC", "a"), ("p of ROC AUC", "b"))),
        (Bar.of(1 / 3, 0.0, 1.0, nan, bounds=(0, 1), words="").value, 33.33),
        (text._folded("negative_predictive_value", 20), "negative_predictive_\nvalue"),
        (documents.escape("a|b `c` <b> f_1 _d_"), r"a\|b \`c\` &lt;b&gt; f_1 \_d\_"),
        (evaluate_words(**NAMED)[2:],
         ("c.csv", "--target=y", "--score=p", "--positive=1", "--group=sex")),
        (keywords({"score": ["risk"], "id": "patient", "replicate_scale": "1/4"}),
         {"score": "risk", "case_id": "patient", "replicate_scale": 0.25}),
        (score_columns(["p_a", "p_b"]), ["p_a", "p_b"]),
        (by_name(["sites/north.csv", "south.csv"]),
         {"north": "sites/north.csv", "south": "south.csv"}),
        (_flowing("Say.\n\nParameters\n----------\na\n    1\n    2.", short=False).split("\n")[4:],
         ["a", "    1 2."]),
        ([*map(_help_of, (["evaluate", "c.csv", "--bad"], ["--bad"]))],
         ["See baserate evaluate --help.", "See baserate --help."]),
    ],
)  # fmt: skip
def test_pieces_are_written_so(found, written):
    assert found == written


def test_endless_odds_are_no_price():
    assert score_words._too_high(inf) == "far too high"
