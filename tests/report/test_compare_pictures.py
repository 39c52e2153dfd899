"""The pictures of a comparison on its page: what is best here stands above the tables."""

from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.evaluation import CountsFile

EXAMPLES = Path(__file__).parents[2] / "examples"
PICTURES = ["utility_map", "best_by_threshold", "best_by_base_rate"]


@pytest.fixture(scope="module")
def story():
    return br.compare(CountsFile(EXAMPLES / "story_counts.csv"), utility=EXAMPLES / "story.toml")


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(5)
    truth = rng.random(300) < 0.3
    risks = {name: np.clip(0.3 * truth + spread * rng.random(300), 0, 1)
             for name, spread in (("sharp", 0.5), ("<blunt>", 0.7))}  # fmt: skip
    return br.compare(truth.astype(int), score=risks, cost="fp=1,fn=4")


def test_strips_say_what_is_best_and_where_one_stands(story):
    found = story.displays()
    assert list(found) == PICTURES
    by_threshold = found["best_by_threshold"].picture
    assert [region.name for region in by_threshold.of("best")] == [
        "always use as 0", "B", "always use as 1",
    ]  # fmt: skip
    # B misses 14% of positives and spares 64% of negatives: tau = 0.14/(0.14 + 0.64) = 7/39
    assert by_threshold.of("best")[1].x[0] == pytest.approx(7 / 39)
    [here] = by_threshold.of("here")
    assert here.at == pytest.approx(500 / 550)  # (165 + 335)/(165 + 335 + 15 + 35)


def test_a_page_opens_with_them_and_folds_the_tables_that_say_the_same(story):
    page = story.render("html")
    order = (
        "In these cases, at tau 0.91, always choosing &#34;use as 1&#34; is best",
        "<h2>Classifiers",
        "<summary>Best by threshold tau",
    )
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg" class="baserate"') == 3
    assert "Best by threshold tau" in story.render("table", details=True)
    assert "<svg" not in story.render("markdown")


@pytest.mark.slow
def test_scores_share_their_axes(scored):
    found = scored.displays()
    assert list(found) == [*PICTURES, "decision_curve", "roc"]
    assert list(scored.sweeps) == ["sharp", "<blunt>"]
    assert len(found["roc"].picture.of("curve")) == 2
    page = scored.render("html")
    assert "<blunt>" not in page
    assert page.count('class="baserate"') == 5


@pytest.mark.slow
def test_a_page_of_scores_that_nobody_cut_opens_with_what_they_are_worth_uncut():
    truth, risks = [0, 1] * 40, np.linspace(0.1, 0.9, 80)
    page = br.compare(truth, score={"a": risks, "b": risks[::-1] ** 2}).render("html")
    order = ("Is a score worth using?", "<h2>Classifiers", "Which is best in these cases depends")
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert "on what errors cost: scores cut at 0.5, which nobody named" in page


def test_scores_that_are_no_probabilities_have_no_decision_curve():
    truth = [0, 1, 0, 1, 1, 0, 1, 0]
    marks = {"a": [1, 4, 2, 5, 3, 0, 2, 1], "b": [2, 3, 1, 5, 2, 2, 4, 0]}
    found = br.compare(truth, score=marks, threshold=3).displays()
    assert "roc" in found
    assert "decision_curve" not in found


def test_the_first_picture_is_drawn_unasked(story):
    assert story.plot().picture.title == story.displays()["utility_map"].picture.title
    assert story.plot("best_by_base_rate").artists_["best"]
