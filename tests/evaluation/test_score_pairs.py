"""Two models' probabilities on the same cases: what `compare` says of them beside their cuts."""

import json

import numpy as np
import pytest
from sklearn import metrics as sk
from statsmodels.stats.multitest import multipletests

import baserate as br
from tests.golden.texts import opening

RNG = np.random.default_rng(5)
X = RNG.normal(size=200)
TRUTH = RNG.random(200) < 1 / (1 + np.exp(1 - 2 * X))
GOOD = 1 / (1 + np.exp(1 - 2 * X))
POOR = 1 / (1 + np.exp(1 - 2 * (X + RNG.normal(size=200))))
PEERS = {
    "roc_auc": sk.roc_auc_score,
    "brier_score": sk.brier_score_loss,
    "log_loss": sk.log_loss,
}


@pytest.fixture(scope="module")
def found():
    return br.compare(TRUTH, score={"good": GOOD, "poor": POOR})


@pytest.mark.slow
def test_differences_are_those_of_each_score_by_itself(found):
    scores = {score.name: score for score in found.facts.scores}
    assert [pair.measure for pair in found.facts.score_pairs] == list(PEERS)
    for pair in found.facts.score_pairs:
        known = [PEERS[pair.measure](TRUTH, score) for score in (GOOD, POOR)]
        assert (pair.value_a, pair.value_b) == pytest.approx(known)
        assert pair.difference == pytest.approx(known[0] - known[1])
        assert pair.low < pair.difference < pair.high
        for name, value in zip(("good", "poor"), known, strict=True):
            of = {fact.name: fact for fact in scores[name].measures}[pair.measure]
            assert of.value == pytest.approx(value)
    assert scores["good"].auc == scores["good"].measures[0].value


@pytest.mark.slow
def test_the_answer_says_what_makes_the_loss_lower(on_record, found):
    brier = found.facts.score_pairs[1]
    assert brier.p_value < 0.05
    parts = {score.name: score for score in found.facts.scores}
    calibration = parts["poor"].miscalibration - parts["good"].miscalibration
    ranking = parts["good"].discrimination - parts["poor"].discrimination
    assert calibration + ranking == pytest.approx(abs(brier.difference))
    turned = br.compare(TRUTH, score={"poor": POOR, "good": GOOD})
    on_record({"good first": str(found), "poor first": opening(turned)})
    close = GOOD + np.where(TRUTH, 1, -1) * np.where(np.arange(200) % 2, 1e-4, -1e-4)
    alike = br.compare(TRUTH, score={"good": GOOD, "close": np.clip(close, 0, 1), "poor": POOR})
    assert len(alike.facts.score_pairs) == 9
    adjusted = multipletests([p.p_value for p in alike.facts.score_pairs], method="holm")[1]
    assert [pair.adjusted_p for pair in alike.facts.score_pairs] == pytest.approx(adjusted)
    assert "All of them are adjusted together, by Holm's method." in " ".join(
        alike.render(details=True).split()
    )


def test_what_cannot_be_told_is_said_not_to_be(on_record):
    noise = np.clip(GOOD + np.where(np.arange(200) % 3, -0.11, 0.22) * np.sin(np.arange(200)), 0, 1)
    few = slice(0, 24)
    found = br.compare(TRUTH[few], score={"a": GOOD[few], "b": noise[few]})
    [brier] = [pair for pair in found.facts.score_pairs if pair.measure == "brier_score"]
    assert brier.p_value > 0.5
    on_record(opening(found))


def test_scores_that_are_no_probabilities_are_ranked_only():
    found = br.compare(TRUTH, score={"x": X, "poor": POOR}, threshold=0.4)
    assert [pair.measure for pair in found.facts.score_pairs] == ["roc_auc"]
    text = " ".join(str(found).split())
    assert "ROC area: " in text
    assert "Which ranks better" in text or "x ranks better" in text or "poor ranks better" in text


@pytest.mark.slow
def test_the_lower_loss_of_risks_that_are_wrong_is_no_better_probability(on_record):
    """Squeezed risks rank better, yet are too low and too timid: O:E and slope say so."""
    rng = np.random.default_rng(4)
    truth = rng.random(3000) < 0.3
    latent = rng.normal(size=3000) + 1.8 * truth
    wrong = 1 / (1 + np.exp(-(1.0 * latent - 3.2)))
    poor = np.full(3000, 0.3) + 0.02 * rng.random(3000)
    found = br.compare(truth, score={"wrong": wrong, "poor": poor})
    on_record(opening(found))


@pytest.mark.slow
def test_a_cut_that_nobody_named_is_in_tables_only_unless_a_metric_is_asked_for(on_record):
    """A score and its shift: one finds more, the other raises fewer false alarms, at 0.5."""
    data = {"good": GOOD, "shifted": GOOD * 0.7}
    asked = {
        "nobody named it": {},
        "nor where a metric is asked for": {"metrics": "recall"},
        "named": {"threshold": 0.5},
        "clusters": {"cluster": np.arange(200) // 4},
    }
    on_record(
        {how: opening(br.compare(TRUTH, score=data, **given)) for how, given in asked.items()}
    )
    plain = br.compare(TRUTH, score=data).render(details=True)
    assert "Classifiers (scores cut at 0.5, which nobody named)" in plain


@pytest.mark.slow
def test_one_score_and_its_rounded_shift_do_not_cross():
    rng = np.random.default_rng(1)
    truth = rng.random(2000) < 0.2
    risk = 1 / (1 + np.exp(-(rng.normal(size=2000) + 1.2 * truth - 2)))
    shifted = np.round(risk + 0.001, 2).clip(0, 1)
    found = br.compare(truth, score={"risk": risk, "shifted": shifted})
    assert found.facts.curves[0].relation == "crossing"
    assert "cross" not in found.render(details=True).split("\n\n")[0]
    text = " ".join(found.render(details=True).split())
    assert "any two curves that are not known exactly cross somewhere" in text


def test_documents_and_pages_hold_the_pairs(found):
    document = json.loads(found.render("json"))
    assert [pair["measure"] for pair in document["score_pairs"]] == list(PEERS)
    assert all(pair["route"] and pair["p_value_route"] for pair in document["score_pairs"])
    for form in ("html", "markdown"):
        assert "Scores compared on the same cases" in found.render(form)
