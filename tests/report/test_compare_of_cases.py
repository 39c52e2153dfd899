"""What a comparison of given cases says first."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.cli import main
from baserate.errors import InvalidArgumentError
from tests.golden.texts import opening


def said(*given, **known):
    return " ".join(str(br.compare(*given, **known)).split())


@pytest.mark.slow
def test_constant_rules_among_the_classifiers_hide_no_price_at_which_others_are_worth_it(on_record):
    truth = np.repeat([1, 0], [140, 560])
    found = np.tile([1, 1, 1, 1, 0], 28)
    rules = {
        "scan": np.concatenate((found, np.tile([1, 0, 0, 0, 0], 112))),
        "old": np.concatenate((found, np.tile([1, 1, 0, 0, 0], 112))),
        "all": np.ones(700, int),
        "none": np.zeros(700, int),
    }

    def told(*names, begun="Worth using depends", **stakes):
        text = said(truth, {name: rules[name] for name in names}, **stakes)
        return text[text.index(begun) :].split(" Positive:")[0]

    assert told(*rules) == told("scan", "old", "all")
    rare = {"cost": {"fn": 0.01, "fp": 1}, "begun": 'Always saying "0" costs'}
    on_record({"any costs": told(*rules), "misses cost little": told(*rules, **rare)})
    assert told("all", "none", begun="Whether any is worth using")


SITES = {
    "A": br.ConfusionMatrix(tp=45, fn=5, fp=12, tn=88),
    "B": br.ConfusionMatrix(tp=52, fn=18, fp=9, tn=121),
}


@pytest.mark.slow
def test_rates_of_test_sets_with_class_shares_of_their_own_need_no_base_rate(on_record) -> None:
    found = br.compare(SITES, metrics="recall, specificity, balanced_accuracy")
    for metric in ("recall", "specificity", "balanced_accuracy"):
        one = br.difference(metric, *SITES.values())
        told = found[f"difference({metric})", "A, B"]
        assert (told.value, told.low, told.high) == pytest.approx((one.value, one.low, one.high))
        [row] = [x for x in found.facts.pairs[0].metrics if x.name == metric]
        assert row.p_value == pytest.approx(one.p_value)
    # Three tests, of which 0.0272 is the smallest p: three times it.
    alone = br.compare(SITES, metrics="specificity")
    on_record({"three metrics": str(found), "one": opening(alone)})
    audited = br.audit(SITES, metrics="recall, specificity")
    assert "differ (allowing for both comparisons, 5% chance" in " ".join(str(audited).split())
    stated = br.compare(SITES, metrics="recall", base_rate=0.3)["difference(recall)", "A, B"]
    assert stated.value == pytest.approx(found["difference(recall)", "A, B"].value)


@pytest.mark.parametrize("asked", [{}, {"metrics": "precision"}, {"metrics": "recall, accuracy"}])
def test_what_depends_on_the_base_rate_needs_one(asked) -> None:
    for known in (asked, {"metrics": "recall", "cost": {"fn": 10, "fp": 1}}):
        with pytest.raises(InvalidArgumentError, match="recall and specificity alone"):
            br.compare(SITES, **known)


def test_a_file_of_counts_is_compared_by_rates_alone(tmp_path, capsys) -> None:
    path = tmp_path / "counts.csv"
    rows = (f"{name},{t.tp},{t.fn},{t.fp},{t.tn}" for name, t in SITES.items())
    path.write_text("\n".join(("site,tp,fn,fp,tn", *rows)))
    assert main(["compare", str(path), "--counts", "--metrics", "recall,specificity"]) == 0
    assert "p = 0.027" in capsys.readouterr().out


@pytest.mark.slow
def test_a_trade_of_misses_for_false_alarms_is_told_before_accuracy() -> None:
    cells = [
        (1, 1, 1, 58), (1, 1, 0, 12), (1, 0, 1, 3), (1, 0, 0, 10),
        (0, 1, 1, 6), (0, 1, 0, 13), (0, 0, 1, 3), (0, 0, 0, 98),
    ]  # fmt: skip
    truth, a, b = np.array([cell[:3] for cell in cells for _ in range(cell[3])]).T
    told = (
        "A finds more (recall 0.843 against 0.735, p = 0.021), B raises fewer false alarms "
        "(specificity 0.925 against 0.842, p = 0.013): which is better depends on what errors cost."
    )
    both = {"A": a, "B": b}
    assert said(truth, both).startswith(f"{told} Accuracy: B 0.847")
    assert said(truth, {"B": b, "A": a}).startswith(told)
    weighted = said(truth, both, weight=np.where(truth, 1.0, 2.0))
    assert weighted.startswith("A finds more (recall 0.843 against 0.735, p = ")
    for known in ({"metrics": "accuracy"}, {"cost": {"fn": 2, "fp": 1}}):
        assert "finds more" not in said(truth, both, **known)
    barely = a * (np.arange(len(a)) % 40 > 0)  # both rates are lower, one beyond luck at most
    assert said(truth, {"A": a, "C": barely}).startswith("Accuracy")


def test_a_trade_among_several_classes_is_told_before_accuracy() -> None:
    truth = np.repeat(["x", "y", "z"], 60)
    good, poor = np.tile([1, 1, 1, 1, 0], 12) == 1, np.tile([1, 0, 0, 1, 0], 12) == 1
    a = np.concatenate((np.where(good, "x", "y"), np.where(poor, "y", "x"), truth[120:]))
    b = np.concatenate((np.where(poor, "x", "y"), np.where(good, "y", "x"), truth[120:]))
    both = {"A": a, "B": b}
    assert said(truth, both).startswith('Class by class, A finds more of "x", B finds more of "y"')
    assert said(truth, both, metrics="accuracy").startswith("Accuracy")


def test_a_named_threshold_of_probabilities_states_the_costs():
    rng = np.random.default_rng(5)
    truth = rng.random(800) < 0.2
    good, poor = (np.clip(0.2 + a * (truth - 0.2) + 0.08 * rng.normal(size=800), 0.01, 0.99)
                  for a in (0.3, 0.02))  # fmt: skip
    scores = pd.DataFrame({"y": truth.astype(int), "good": good, "poor": poor})
    found = br.compare(scores, target="y", score=["good", "poor"], threshold=0.15)
    odds, n = 0.15 / 0.85, 800
    for one in found.facts.classifiers:
        t, acting = one.table, one.acting
        assert acting.value == pytest.approx((t.tp - odds * t.fp) / n)
        assert acting.treat_all == pytest.approx((truth.sum() - odds * (n - truth.sum())) / n)
        assert acting.above_all == pytest.approx(acting.value - acting.treat_all)
        # Jackknife: what each case adds to the difference; half a case in each cell moves both.
        flagged = scores[one.name] >= 0.15
        each = np.where(flagged, 0.0, np.where(truth, -1.0, odds))
        half = 1.96 * each.std() / np.sqrt(n)
        assert acting.above_all_low == pytest.approx(acting.above_all - half, abs=0.005)
        assert acting.above_all_high == pytest.approx(acting.above_all + half, abs=0.005)
    text = " ".join(str(found).split())
    assert "Acting from a risk of 0.15, where a miss costs 5.67 false alarms: net benefit" in text
    assert "Worth using: good yes (" in text
    assert "name yours" not in text
    off = scores.assign(good=good * 2)
    marks = br.compare(off, target="y", score=["good", "poor"], threshold=0.15).facts.classifiers
    assert [one.acting is None for one in marks] == [one.name == "good" for one in marks]


def test_several_probabilities_with_costs_are_cut_where_these_say():
    truth = np.repeat([1, 0], 40)
    p, q = np.linspace(0.9, 0.1, 80), np.linspace(0.95, 0.2, 80)
    scores = pd.DataFrame({"y": truth, "p": p, "q": q})
    named = {"target": "y", "cost": {"fn": 3, "fp": 1}}
    both = br.compare(scores, score=["p", "q"], **named).facts.classifiers
    assert [(one.name, one.cut) for one in both] == [("p", 0.25), ("q", 0.25)]
    alone = br.compare(scores, score="p", **named).facts.classifiers
    assert [one.name for one in alone] == ["p @ 0.5", "p @ tau"]
