"""Which pictures a page of `evaluate` and `thresholds` has, in which order, and where none."""

import numpy as np
import pytest

import baserate as br
from baserate import displays

RNG = np.random.default_rng(2)
TRUTH = RNG.random(200) < 0.3
SCORE = 1 / (1 + np.exp(1 - 1.5 * TRUTH - RNG.normal(size=200)))
ESSENTIALS = ["roc", "calibration", "decision_curve", "score_distribution"]


def pictures(result):
    """Return how many displays stand in figures; the explorer draws into figures of its own."""
    page = result.render("html")
    shown = page.count('<figure>\n<svg xmlns="http://www.w3.org/2000/svg" class="baserate"')
    assert shown == page.count('<svg xmlns="http://www.w3.org/2000/svg" class="baserate"')
    assert page.count("svg.baserate text{") == (shown > 0)  # colours once
    return shown


@pytest.mark.slow
def test_scores_have_the_four_essentials_below_the_answer():
    result = br.evaluate(TRUTH, score=SCORE)
    assert list(result.displays()) == ESSENTIALS
    assert pictures(result) == 4
    page = result.render("html")
    assert page.index("</figure>") < page.index('class="about"') < page.index("<table")


def test_cuts_have_their_metric_at_every_threshold_first():
    result = br.thresholds(TRUTH, SCORE, metrics="f1, mcc", n_resamples=20)
    drawn = result.displays()
    assert list(drawn) == ["threshold", *ESSENTIALS]
    assert isinstance(drawn["threshold"], displays.ThresholdDisplay)
    assert pictures(result) == 5


@pytest.mark.slow
def test_scores_that_are_no_probabilities_have_no_calibration_and_no_decision_curve():
    result = br.evaluate(TRUTH, score=5 * SCORE, threshold=2)
    assert list(result.displays()) == ["roc", "score_distribution"]
    assert pictures(result) == 2
    assert "could not be drawn" not in result.render("html")


def test_labels_alone_have_luck_and_the_table():
    result = br.evaluate(np.where(TRUTH, "ill", "well"), np.where(SCORE > 0.5, "ill", "well"),
                         positive="ill")  # fmt: skip
    assert list(result.displays()) == ["chance", "confusion"]
    assert pictures(result) == 2
    assert "predicted well" in str(result.displays()["confusion"].to_svg())


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize(
    ("data", "how"),
    [
        (([1, 1, 1], [1, 0, 1]), {"positive": 1}),
        (([1, 1, 0, 0], [1, 0, 0, 0]), {"weight": [1, 2, 1, 1.5]}),
        (({k: br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=4) for k in "ab"},), {}),
    ],
)
def test_one_class_weights_and_several_classifiers_have_none(data, how):
    result = br.evaluate(*data, **how)
    assert result.displays() == {}
    assert pictures(result) == 0


def test_a_metric_of_ones_own_leaves_the_picture_to_the_next_that_is_known():
    own = br.metrics.define("own", lambda tp, fn, fp, tn: tp / (tp + 3 * fn + fp), bounds=(0, 1))
    result = br.thresholds(TRUTH, SCORE, metrics=[own, "f1"], n_resamples=20)
    assert "F1" in result.displays()["threshold"].picture.title
    alone = br.thresholds(TRUTH, SCORE, metrics=[own], n_resamples=20)
    assert "threshold" not in alone.displays()


@pytest.mark.slow
def test_only_a_page_draws(monkeypatch):
    result = br.evaluate(TRUTH, score=SCORE)
    monkeypatch.setattr(type(result), "displays", lambda _: pytest.fail("drawn"))
    for form in ("table", "markdown", "json"):
        result.render(form)
