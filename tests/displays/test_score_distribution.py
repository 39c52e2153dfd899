"""Scores by outcome: heights against NumPy's histograms."""

import numpy as np
import pytest

from baserate import sweep
from baserate.displays import ScoreDistributionDisplay
from baserate.displays.contract import cases_told
from baserate.displays.score_axes import bin_edges, binned, score_axis
from baserate.errors import BaserateError


@pytest.mark.parametrize("kind", ["share", "count"])
def test_heights_are_those_of_numpy(affairs, kind):
    truth, score, _ = affairs
    picture = ScoreDistributionDisplay(sweep(truth, score), kind=kind, n_bins=23).picture
    for key, chosen, sign in (("positives", truth, 1), ("negatives", ~truth, -1)):
        [bars] = picture.of(key)
        assert bars.edges == pytest.approx(np.linspace(0, 1, 24))
        counts, _ = np.histogram(score[chosen], bars.edges)
        total = chosen.sum() if kind == "share" else 1
        assert bars.heights == pytest.approx(sign * counts / total)


def test_weights_are_summed(affairs):
    truth, score, _ = affairs
    weight = np.random.default_rng(0).random(len(truth))
    edges = np.linspace(0, 1, 11)
    up, down = binned(sweep(truth, score, sample_weight=weight), edges)
    for side, chosen in ((up, truth), (down, ~truth)):
        expected, _ = np.histogram(score[chosen], edges, weights=weight[chosen])
        assert side == pytest.approx(expected, abs=1e-9)


def test_scores_on_an_edge_count_as_numpy_counts_them():
    score, edges = [0.0, 0.25, 0.25, 0.5, 1.0], np.linspace(0, 1, 5)
    up, _ = binned(sweep([1] * 5, score), edges)
    assert up.tolist() == np.histogram(score, edges)[0].tolist() == [1, 2, 1, 1]


def test_infinite_scores_stand_in_the_outermost_bins_and_this_is_said():
    swept = sweep([0, 1, 0, 1, 1], [-np.inf, np.inf, -1.0, 3.0, 2.0])
    display = ScoreDistributionDisplay(swept, n_bins=4, kind="count")
    assert display.edges.tolist() == [-1, 0, 1, 2, 3]
    assert display.picture.of("positives")[0].heights.tolist() == [0, 0, 0, 3]
    assert display.picture.of("negatives")[0].heights.tolist() == [-2, 0, 0, 0]
    assert "Infinite scores stand in the outermost bins." in display.picture.description


def test_bins_follow_the_rule_of_rice():
    rng = np.random.default_rng(0)
    for n, expected in ((3, 10), (1000, 20), (10**5, 60)):
        swept = sweep(rng.random(n) < 0.5, rng.random(n))
        assert len(bin_edges([swept])) - 1 == expected


@pytest.mark.parametrize(
    ("score", "ends"),
    [
        ([0.1, 0.6], (0, 1)),
        ([0.01, 0.03], (0, 0.03)),
        ([0.0001, 0.00016], (0, 0.0002)),
        ([-2.0, 4.0], (-2, 4)),
        ([3.0, 3.0], (1.5, 4.5)),
        ([0.0, 0.0], (0, 1)),
        ([-np.inf, np.inf], (-1, 1)),
    ],
)
def test_the_axis_holds_all_scores(score, ends):
    axis = score_axis([sweep([0, 1], score)])
    margin = 0.02 * (ends[1] - ends[0])
    assert (axis.low, axis.high) == pytest.approx((ends[0] - margin, ends[1] + margin))
    assert all(ends[0] <= at <= ends[1] * (1 + 1e-9) for at, _ in axis.marked())


def test_heights_are_written_without_a_sign(tumours):
    picture = ScoreDistributionDisplay(sweep(*tumours[:2]), kind="count").picture
    written = [text for _, text in picture.y.marked()]
    assert not any(text.startswith("-") for text in written)
    assert sorted(written) == sorted(["0", "200", "200"])
    assert picture.title.endswith(", as numbers of cases: 569 cases, 212 positive")


def test_a_cut_says_what_it_finds(affairs):
    truth, score, _ = affairs
    [rule] = ScoreDistributionDisplay(sweep(truth, score), threshold=0.5).picture.of("threshold")
    found, flagged = (score[truth] >= 0.5).sum(), (score[~truth] >= 0.5).sum()
    assert (rule.at, rule.of) == (0.5, "x")
    assert f"finds {found} of 2,053 positives, flags {flagged} of 4,313 negatives" in rule.name


def test_groups_have_a_row_each_on_one_scale(affairs):
    truth, score, rows = affairs
    groups = np.array([row["occupation"] for row in rows])
    display = ScoreDistributionDisplay.from_predictions(truth, score, groups=groups, plot=False)
    picture = display.picture
    assert [text for _, text in picture.y.marked()] == sorted(set(groups))
    bases = [bars.base for bars in picture.of("positives")]
    assert bases == [0, -1, -2, -3, -4, -5]
    frame = display.to_frame("pandas")
    heights = np.concatenate([bars.heights for bars in picture.of("positives")])
    shares = frame["positives"].to_numpy()
    assert heights == pytest.approx(shares * heights.max() / shares.max())
    assert frame.groupby("name")["negatives"].sum().to_numpy() == pytest.approx(np.ones(6))


@pytest.mark.parametrize(
    ("truth", "score"),
    [([1], [0.2]), ([0, 0], [-1e300, 1e300]), ([0, 1, 1], [2**60, 2**60 + 1, 2**60 + 3])],
)
def test_one_case_one_class_and_huge_scores_are_drawn(truth, score):
    display = ScoreDistributionDisplay(sweep(truth, score, pos_label=1))
    assert "nan" not in display.to_svg()
    display.plot().figure_.canvas.draw()


def test_positive_cases_are_called_by_their_label():
    swept = sweep(["ill", "well", "ill"], [0.7, 0.2, 0.9], pos_label="ill")
    picture = ScoreDistributionDisplay(swept).picture
    assert picture.title.endswith('as shares of that class: 3 cases, 2 "ill"')
    assert [m.name for m in picture.legend] == ['"ill" (up)', "the others (down)"]
    assert cases_told([sweep([1], [0.5])]) == "1 case, 1 positive"
    weighted = sweep([0, 1], [0.1, 0.2], sample_weight=[1.5, 2.25])
    assert cases_told([weighted]) == "weights of 3.75 in all, 2.25 positive"


def test_titles_of_samples_of_one_size_say_it_once():
    swept = sweep([0, 1], [0.1, 0.2])
    assert cases_told([swept, swept]) == "2 cases, 1 positive"


@pytest.mark.parametrize(
    ("option", "value"), [("kind", "shares"), ("n_bins", 0), ("threshold", np.nan)]
)
def test_what_is_out_of_range_is_refused(option, value):
    with pytest.raises(BaserateError, match=option):
        ScoreDistributionDisplay(sweep([0, 1], [0.1, 0.2]), **{option: value})
