"""`compare`: the same facts from arrays, frames and files; every number against its definition."""

from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, dirichlet
from statsmodels.stats.multitest import multipletests

import baserate as br
from baserate.curves import sweep
from baserate.errors import BaserateError, InvalidArgumentError, LabelError, UnsupportedError
from baserate.inference.best_of_several import probability_best_separate, shrunken_best
from tests.golden.texts import opening

RNG = np.random.default_rng(12)
N = 300
TRUTH = RNG.random(N) < 0.4
RISK = np.clip(RNG.normal(0.35 + 0.3 * TRUTH, 0.2), 0, 1)
OTHER = np.clip(RNG.normal(0.4 + 0.2 * TRUTH, 0.2), 0, 1)
SIDE = np.where(RNG.random(N) < 0.5, "left", "right")
LABELS = {True: "ill", False: "well"}


def words(flags):
    return [LABELS[bool(flag)] for flag in flags]


FRAME = pd.DataFrame(
    {
        "truth": words(TRUTH), "A": words(RISK > 0.5), "B": words(OTHER > 0.4),
        "C": words(RISK + OTHER > 0.9), "risk": RISK.round(4), "other": OTHER.round(4),
        "side": SIDE,
    }
)  # fmt: skip
U = br.UtilityMatrix([[8, -3], [-4, 1]], classes=["ill", "well"], decisions=["treat", "wait"])
WORTH = {"utility": U, "metrics": "accuracy, recall"}
COLUMNS = {"target": "truth", "prediction": ["A", "B", "C"], "groups": "side", **WORTH}


def plain(result):
    document = result.to_dict()
    for name in ("source", "target"):
        document.pop(name)
    return document


@cache
def compared():
    """Return what is said of the frame, once for all that look at it."""
    return br.compare(FRAME, **COLUMNS)


@pytest.mark.slow
def test_yields_are_means_over_the_cases():
    facts = compared().facts
    worth = np.array(U.matrix)
    for found in facts.classifiers:
        row = (FRAME[found.name] == "well").astype(int)
        mean = worth[row, (FRAME["truth"] == "well").astype(int)].mean()
        assert found.value == pytest.approx(mean, rel=1e-12)
        assert found.low < mean < found.high
    positive = TRUTH.mean()
    always = {"treat": 8 * positive - 3 * (1 - positive), "wait": -4 * positive + 1 - positive}
    assert facts.constants == pytest.approx(always)
    assert facts.constant == max(always, key=always.get)
    ranks = {found.name: found.rank for found in facts.classifiers}
    values = {found.name: found.value for found in facts.classifiers}
    assert sorted(ranks, key=ranks.get) == sorted(values, key=values.get, reverse=True)


def test_every_pair_is_what_compare_utilities_says():
    facts = compared().facts
    for pair in facts.pairs:
        a, b = (FRAME[name] == FRAME["truth"] for name in (pair.a, pair.b))
        ill = FRAME["truth"] == "ill"
        discordant = tuple(
            int(count)
            for part in (ill, ~ill)
            for count in ((a & ~b & part).sum(), (b & ~a & part).sum())
        )
        assert pair.discordant == discordant
        tables = [
            br.confusion_matrix(FRAME["truth"], FRAME[n], pos_label="ill") for n in (pair.a, pair.b)
        ]
        wanted = br.compare_utilities(*tables, U, paired=discordant, prior=0.5)
        assert pair.a_better == pytest.approx(wanted.probability_a_better)
        assert pair.tau_star == pytest.approx(wanted.tau_star, nan_ok=True)


@pytest.mark.slow
def test_probabilities_of_being_best_fit_the_pairs():
    two = br.compare(FRAME, target="truth", prediction=["A", "B"], **WORTH).facts
    assert two.classifiers[0].best == pytest.approx(two.pairs[0].a_better)
    assert two.best_error == 0
    facts = compared().facts
    best = [found.best for found in facts.classifiers]
    assert sum(best) == pytest.approx(1)
    # Who beats one rival only is best no more often than that; each error is stated.
    for pair in facts.pairs:
        i = "ABC".index(pair.a)
        assert best[i] <= pair.a_better + 5 * facts.best_error
    assert 0 < facts.best_error < 0.005


@pytest.mark.sweep(2)
@pytest.mark.parametrize("paired", [True, False])
def test_accuracy_has_one_interval_in_one_report(paired):
    tables = {"A": br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
              "B": br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)}  # fmt: skip
    how = {"target": "truth", "prediction": ["A", "B"], "positive": "ill"} if paired else {}
    facts = br.compare(FRAME if paired else tables, **how, metrics="accuracy,recall").facts
    for found in facts.classifiers:
        shown = {metric.name: metric for metric in found.metrics}
        for name, one in shown.items():
            alone = br.interval(name, found.table)
            assert (one.low, one.high) == pytest.approx((alone.low, alone.high), rel=1e-9)
        one = shown["accuracy"]
        assert (found.value, found.low, found.high) == pytest.approx(
            (one.value, one.low, one.high), rel=1e-9
        )


@pytest.mark.sweep(2)
@pytest.mark.parametrize("classes", [2, 3])
def test_three_on_the_same_cases_are_drawn_together_with_half_a_case_for_each_alone(classes):
    truth = np.arange(12) % classes
    wrong = {"A": [0], "B": [0, 1, 2], "C": [3, 4, 5, 6]}
    called = {name: np.where(np.isin(np.arange(12), at), (truth + 1) % classes, truth)
              for name, at in wrong.items()}  # fmt: skip
    facts = br.compare(
        pd.DataFrame({"y": truth, **called}), target="y", prediction=list("ABC")
    ).facts
    right = {name: called[name] == truth for name in called}
    variances = np.zeros((3, 3))
    for i, j in combinations(range(3), 2):
        ahead = right["ABC"[i]].astype(int) - right["ABC"[j]]
        # Several classes: half a case as well for both right, and for neither.
        law = dirichlet([(ahead == 1).sum() + 0.5, (ahead == -1).sum() + 0.5,
                         (ahead == 0).sum() + (0 if classes == 2 else 1)])  # fmt: skip
        gains = np.array([1, -1, 0])
        variances[i, j] = variances[j, i] = gains @ law.cov() @ gains
    wanted = shrunken_best([right[name].mean() for name in right], variances, rng=0)
    assert [one.best for one in facts.classifiers] == pytest.approx(wanted.probabilities, rel=1e-9)


def test_three_separate_sets_of_several_classes_have_jeffreys_law_each():
    tables = {
        "A": br.ClassTable([[4, 0, 0], [1, 3, 0], [0, 0, 4]]),
        "B": br.ClassTable([[3, 1, 0], [0, 3, 1], [1, 0, 3]]),
        "C": br.ClassTable([[2, 1, 1], [1, 3, 0], [1, 1, 2]]),
    }
    facts = br.compare(tables).facts
    hits = np.array([11, 9, 7])
    own = beta(hits + 0.5, 12 - hits + 0.5).var()
    variances = (own[:, None] + own) * (1 - np.eye(3))
    wanted = shrunken_best(hits / 12, variances, rng=0).probabilities
    assert [one.best for one in facts.classifiers] == pytest.approx(wanted, rel=1e-9)


def test_separate_test_sets_are_drawn_together_where_they_are_three():
    tables = {
        "A": br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
        "B": br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
        "C": br.ConfusionMatrix(tp=30, fn=20, fp=20, tn=30),
    }
    u = [[15, -335], [-35, 165]]
    facts = br.compare(tables, utility=u, base_rate=[0.5, 0.1]).facts
    # Yields, and their variances by Jeffreys' laws of both rates.
    for place, pi in zip(facts.base_rates, (0.5, 0.1), strict=True):
        rates = [
            (beta(t.tp + 0.5, t.fn + 0.5), beta(t.tn + 0.5, t.fp + 0.5)) for t in tables.values()
        ]
        own = np.array([(pi * 50 * r.std()) ** 2 + ((1 - pi) * 500 * s.std()) ** 2
                        for r, s in rates])  # fmt: skip
        variances = (own[:, None] + own) * (1 - np.eye(3))
        wanted = shrunken_best(list(place.yields.values()), variances, rng=0).probabilities
        assert list(place.best.values()) == pytest.approx(wanted, rel=1e-9)
        # Each by itself, the first looks more surely the best than it is.
        alone = probability_best_separate(list(tables.values()), u, class_shares=(pi, 1 - pi))
        assert max(place.best.values()) < max(alone.probabilities)
    assert list(facts.base_rates[0].best.values()) == [c.best for c in facts.classifiers]
    assert not facts.paired
    assert 0 < facts.best_error < 0.005


@pytest.mark.slow
def test_the_constant_decision_is_beaten_as_probably_as_the_posterior_says():
    tables = {
        "A": br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
        "B": br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
    }
    worth = np.array([[1.0, -0.6], [0.0, 0.0]])  # always positive: 0.2
    facts = br.compare(tables, utility=worth).facts
    assert (facts.constant, facts.constant_value) == ("positive", pytest.approx(0.2))
    rng = np.random.default_rng(1)
    for found in facts.classifiers:
        # The method's words: half a case in each cell, shares as uncertain as the counts.
        tp, fn, fp, tn = rng.dirichlet(np.array([*found.table]) + 0.5, 400_000).T
        yields = tp - 0.6 * fp
        lead = yields - (tp + fn) + 0.6 * (fp + tn)  # over always positive
        assert found.beats_constant == pytest.approx((lead > 0).mean(), abs=0.004)
        ends = np.quantile(yields, [0.025, 0.975])
        assert [found.low, found.high] == pytest.approx(ends, abs=0.002)
    assert 0.2 < facts.classifiers[0].beats_constant < 0.8


@pytest.mark.slow
def test_scores_are_cut_at_the_best_points_and_at_tau():
    facts = br.compare(
        TRUTH, score={"risk": RISK, "other": OTHER}, points="mcc", cost={"fp": 1, "fn": 3}
    ).facts
    names = [found.name for found in facts.classifiers]
    assert names == ["risk @ mcc", "risk @ tau", "other @ mcc", "other @ tau"]
    for found, score in zip(facts.classifiers, (RISK, RISK, OTHER, OTHER), strict=True):
        assert found.table == br.confusion_matrix(TRUTH, score >= found.cut)
        if found.cut_by == "tau":
            assert found.cut == 0.25
        else:
            assert found.cut == br.optimal_threshold("mcc", TRUTH, score).threshold
    wanted = br.roc_auc(sweep(TRUTH, RISK))
    assert (facts.scores[0].auc, facts.scores[0].low) == (wanted.value, wanted.low)


def test_a_score_alone_is_cut_at_one_half_and_at_tau():
    facts = br.compare(TRUTH, score={"risk": RISK}, cost={"fp": 1, "fn": 3}).facts
    assert [(found.name, found.cut) for found in facts.classifiers] == [
        ("risk @ 0.5", 0.5), ("risk @ tau", 0.25),
    ]  # fmt: skip


def test_predictions_and_scores_meet():
    found = br.compare(FRAME, target="truth", prediction="A", score="risk", positive="ill").facts
    assert [c.name for c in found.classifiers] == ["A", "risk"]
    assert found.stakes.kind == "accuracy"
    assert found.classifiers[1].table == br.confusion_matrix(TRUTH, FRAME["risk"] >= 0.5)


def test_undecided_by_a_metric_is_no_ranking():
    same = {"A": [1, 1, 0, 0, 0], "B": [1, 0, 1, 0, 0]}
    facts = br.compare(
        [1, 1, 0, 0, 0], same, utility=[[5, 0], [0, 1]], metrics="base_rate, recall"
    ).facts
    assert [ranking.name for ranking in facts.rankings] == ["recall"]
    assert facts.rankings[0].first == ("A",)


@pytest.mark.slow
def test_utilities_come_in_many_forms(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text("decision,ill,well\ntreat,8,-3\nwait,-4,1\n")
    mapping = {"treat": {"ill": 8, "well": -3}, "wait": {"ill": -4, "well": 1}}
    backwards = br.UtilityMatrix(
        [[1, -4], [-3, 8]], classes=["well", "ill"], decisions=["wait", "treat"], positive=1
    )
    for utility, positive in ((path, "ill"), (mapping, "ill"), (backwards, None)):
        found = br.compare(FRAME, **{**COLUMNS, "utility": utility}, positive=positive)
        assert plain(found) == plain(compared())
    for utility in (path, mapping):  # the order of columns says nothing
        with pytest.raises(LabelError, match=r"do not say which class is positive.*--positive"):
            br.compare(FRAME, **{**COLUMNS, "utility": utility})
    array = br.compare(FRAME, **{**COLUMNS, "utility": [[8, -3], [-4, 1]]}, positive="ill").facts
    assert array.stakes.decisions == ("ill", "well")
    assert array.classifiers[0].value == plain(compared())["classifiers"][0]["value"]


@pytest.mark.parametrize(
    ("error", "arguments", "message"),
    [
        (BaserateError, {"weight": "side"}, "holds text in 300 rows"),
        (
            LabelError,
            {"utility": br.UtilityMatrix([[1, 0], [0, 1]], classes=["x", "y"])},
            r"The utilities do not fit the labels: .*got 'x'",
        ),
        (LabelError, {"positive": "sick"}, "must be a label that occurs, got 'sick'"),
        (InvalidArgumentError, {"utility": [[0, 1], [1, 0]]}, "right"),
        (InvalidArgumentError, {"threshold": 0.3}, "none is given"),
        (InvalidArgumentError, {"score": "risk", "threshold": "f1"}, "finite number, got 'f1'"),
        (InvalidArgumentError, {"base_rate": 0}, r"must lie in \(0, 1\)"),
        (InvalidArgumentError, {"confidence_level": 1}, r"must lie in \(0, 1\)"),
        (InvalidArgumentError, {"prediction": {"A": 1}}, "must name columns"),
    ],
)
def test_refusals(error, arguments, message):
    with pytest.raises(error, match=message):
        br.compare(FRAME, **{**COLUMNS, **arguments})


def test_refusals_of_arrays_and_tables():
    with pytest.raises(InvalidArgumentError, match=r'pass \{"A": array, "B": array\}'):
        br.compare([1, 0], [1, 0])
    with pytest.raises(InvalidArgumentError, match="names a column of a frame"):
        br.compare([1, 0], {"A": [1, 0], "B": [0, 1]}, prediction="A")
    with pytest.raises(InvalidArgumentError, match="names that no prediction has, got 'A'"):
        br.compare([1, 0], {"A": [1, 0]}, score={"A": [0.1, 0.2]})
    with pytest.raises(LabelError, match="one class only"):
        br.compare([1, 1], {"A": [1, 0], "B": [0, 1]})
    table = br.ConfusionMatrix(tp=1, fn=1, fp=1, tn=1)
    with pytest.raises(BaserateError, match="there is one only"):
        br.compare({"A": table})
    with pytest.raises(InvalidArgumentError, match="counted elsewhere"):
        br.compare({"A": table, "B": table}, groups="side")
    half = br.ConfusionMatrix(tp=1.5, fn=1, fp=1, tn=1)
    with pytest.raises(UnsupportedError, match="pass unweighted counts"):
        br.compare({"A": table, "B": half})
    with pytest.raises(BaserateError, match="must each hold both classes"):
        br.compare({"A": br.ConfusionMatrix(tp=1, fn=1, fp=0, tn=0), "B": table}, base_rate=0.5)


@pytest.mark.slow
def test_a_stated_base_rate_is_that_of_the_whole_answer(on_record):
    """All yields by hand: rates within each class stay, the classes weigh 0.02 and 0.98."""
    y = [1] * 50 + [0] * 50
    a = [1] * 40 + [0] * 10 + [1] * 10 + [0] * 40
    b = [1] * 49 + [0] * 1 + [1] * 20 + [0] * 30
    result = br.compare(y, {"A": a, "B": b}, base_rate=0.02, positive=1)
    worth = {c.name: c.value for c in result.facts.classifiers}
    assert worth == pytest.approx(
        {"A": 0.02 * 0.8 + 0.98 * 0.8, "B": 0.02 * 0.98 + 0.98 * 0.6}, rel=1e-14
    )
    assert (result.facts.base_rate, result.facts.restated) == (0.02, True)
    assert result.facts.constant_value == pytest.approx(0.98)
    [pair] = result.facts.pairs
    assert pair.difference == pytest.approx(worth["A"] - worth["B"])
    assert pair.low < pair.difference < pair.high
    precision = next(m for m in result.facts.classifiers[0].metrics if "precision" in m.name)
    assert precision.value == pytest.approx(0.02 * 0.8 / (0.02 * 0.8 + 0.98 * 0.2))
    assert precision.chance == pytest.approx(0.02)
    on_record(opening(result))
    first = {c.name: c.best for c in result.facts.classifiers}
    assert first["A"] == pytest.approx(pair.a_better, abs=1e-8)


@pytest.mark.slow
def test_yields_of_separate_sets_weigh_the_classes_as_stated():
    """Draws of Beta(count + 1/2) recalls and specificities, weighed 0.1 and 0.9 by hand."""
    a = br.ConfusionMatrix(tp=8, fn=2, fp=30, tn=60)
    b = br.ConfusionMatrix(tp=30, fn=10, fp=5, tn=15)
    found = br.compare({"A": a, "B": b}, utility=[[5, -1], [-3, 1]], base_rate=0.1)
    rng = np.random.default_rng(0)
    for fact, t in zip(found.facts.classifiers, (a, b), strict=True):
        recall = rng.beta(t.tp + 0.5, t.fn + 0.5, 400_000)
        specificity = rng.beta(t.tn + 0.5, t.fp + 0.5, 400_000)
        worth = 0.1 * (8 * recall - 3) + 0.9 * (2 * specificity - 1)
        low, high = np.quantile(worth, [0.025, 0.975])
        assert (fact.low, fact.high) == pytest.approx((low, high), abs=0.01)
        always = 0.1 * -3 + 0.9 * 1  # deciding negative is the best constant
        assert fact.beats_constant == pytest.approx((worth > always).mean(), abs=0.005)


@pytest.mark.slow
def test_many_pairs_of_what_would_be_simulated_are_tested_and_have_no_interval():
    rng = np.random.default_rng(2)
    truth = rng.random(200) < 0.4
    decided = {f"m{k}": np.where(rng.random(200) < 0.8, truth, ~truth) for k in range(9)}
    facts = br.compare(truth, decided, metrics="f1, recall").facts
    assert len(facts.pairs) == 36
    for pair in facts.pairs:
        f1, recall = pair.metrics
        assert np.isnan(f1.low)
        assert f1.reason == "many_pairs"
        assert 0 < f1.p_value <= f1.adjusted_p <= 1
        assert recall.low <= recall.difference <= recall.high
    [pair] = br.compare(truth, {k: decided[k] for k in ("m0", "m1")}, metrics="f1").facts.pairs
    [f1] = pair.metrics
    assert f1.low < f1.difference < f1.high


@pytest.mark.slow
def test_an_accuracy_has_one_adjusted_p_value_in_a_report():
    """Of five classifiers it was adjusted among 10 tests in one table and among 30 in the next."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    called = {f"m{k}": np.where(rng.random(300) < 0.7 + k / 20, truth, 1 - truth) for k in range(5)}
    pairs = br.compare(truth, called).facts.pairs
    holm = multipletests([p.p_accuracy for p in pairs], method="holm")
    both = multipletests([x for p in pairs for x in (p.p_recall, p.p_specificity)], method="holm")
    assert [p.adjusted_p for p in pairs] == pytest.approx(holm[1])
    assert [p.adjusted_p_accuracy for p in pairs] == pytest.approx(holm[1])
    found = [x for p in pairs for x in (p.adjusted_p_recall, p.adjusted_p_specificity)]
    assert found == pytest.approx(both[1])


@pytest.mark.parametrize(
    ("names", "positive", "assumed"), [(("bad", "good"), "bad", True), ((0, 1), 1, False)]
)
def test_of_counts_the_usual_class_of_the_utilities_is_positive_else_their_first(
    names, positive, assumed
):
    first, other = names
    utility = {first: {first: 2, other: 0}, other: {first: -1, other: 1}}
    tables = {name: br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=20) for name in "AB"}
    found = br.compare(tables, utility=utility).facts
    assert (found.positive, found.positive_assumed) == (positive, assumed)
