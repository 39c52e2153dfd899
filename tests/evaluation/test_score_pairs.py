"""Two models' probabilities on the same cases: what `compare` says of them beside their cuts."""

import json

import numpy as np
import pytest
from sklearn import metrics as sk

import baserate as br

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
def test_the_answer_says_whose_probabilities_are_better(found):
    text = " ".join(str(found).split())
    brier = found.facts.score_pairs[1]
    assert brier.p_value < 0.05
    assert "good has the better probabilities (Brier score" in text
    assert "Scores compared on the same cases" in text
    turned = br.compare(TRUTH, score={"poor": POOR, "good": GOOD})
    assert "good has the better probabilities (Brier score" in " ".join(str(turned).split())
    close = GOOD + np.where(TRUTH, 1, -1) * np.where(np.arange(200) % 2, 1e-4, -1e-4)
    alike = br.compare(TRUTH, score={"good": GOOD, "close": np.clip(close, 0, 1), "poor": POOR})
    assert "better probabilities" not in str(alike)  # of three, no sentence
    assert len(alike.facts.score_pairs) == 9


def test_what_cannot_be_told_is_said_not_to_be():
    noise = np.clip(GOOD + np.where(np.arange(200) % 3, -0.11, 0.22) * np.sin(np.arange(200)), 0, 1)
    few = slice(0, 24)
    found = br.compare(TRUTH[few], score={"a": GOOD[few], "b": noise[few]})
    [brier] = [pair for pair in found.facts.score_pairs if pair.measure == "brier_score"]
    text = " ".join(str(found).split())
    assert brier.p_value > 0.5
    assert "Which has the better probabilities cannot be told (Brier score" in text


def test_scores_that_are_no_probabilities_are_ranked_only():
    found = br.compare(TRUTH, score={"x": X, "poor": POOR}, threshold=0.4)
    assert [pair.measure for pair in found.facts.score_pairs] == ["roc_auc"]
    assert "ranks better (ROC AUC" in " ".join(str(found).split())


def test_documents_and_pages_hold_the_pairs(found):
    document = json.loads(found.render("json"))
    assert [pair["measure"] for pair in document["score_pairs"]] == list(PEERS)
    assert all(pair["route"] and pair["p_value_route"] for pair in document["score_pairs"])
    for form in ("html", "markdown"):
        assert "Scores compared on the same cases" in found.render(form)
