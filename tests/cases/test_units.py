"""What a few clusters cannot show: floors by their definition, refusals, coverage in corners."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.cases.units import SCORES, TABLES, Floor, Law, believed
from baserate.curves import average_precision, roc_auc
from baserate.inference import difference, paired_counts
from baserate.inference.intervals import class_intervals
from baserate.inference.survey_design import law_of
from baserate.metrics import get


def counted(right, cluster):
    """Return the table of cases that are all positive, some found."""
    return br.count_labels(np.ones(len(right), bool), right, pos_label=True, cluster=cluster)


def held(ends, truth):
    low, high = np.array(ends).T
    return np.mean((low <= truth) & (truth <= high))


def test_the_floor_is_the_variance_of_cases_that_are_so_much_alike():
    """Of a share: p (1 - p)/n, times 1 + (size - 1) rho with Kish's size of the typical cluster."""
    sizes = np.array([4, 9, 9, 14, 20])
    cluster = np.repeat(np.arange(5), sizes)
    right = np.arange(56) % 4 > 0
    floor = law_of(get("recall"), counted(right, cluster).design).floor
    p, n, squares = right.mean(), 56, sizes @ sizes
    rho = min(0.2, 4 * squares / n**2)
    assert (floor.size, floor.clusters) == pytest.approx((squares / n, n**2 / squares))
    assert floor.variance == pytest.approx(p * (1 - p) / n * (1 + (squares / n - 1) * rho))
    assert Floor.of(sizes[:, None] * 1.0, np.zeros(1), TABLES) is None
    many = Floor(0.01, size=9.0, clusters=400.0, likeness=SCORES)
    assert many.variance == pytest.approx(0.01 * (1 + 8 * 2 / 400))


def test_half_a_cluster_is_wrong_and_half_a_cluster_right():
    cluster, right = np.repeat(np.arange(8), 5), np.arange(40) % 10 > 0
    law = law_of(get("recall"), counted(right, cluster).design)
    assert law.centre == pytest.approx((36 + 2.5) / 45)
    low, high = law.within(0.95)
    narrow = Law(law.value, law.moves, law.units, law.scale, law.bounds).within(0.95)
    assert low < narrow[0]
    assert high > law.value


@pytest.mark.parametrize(
    ("sizes", "hits"),
    [
        ([30, 28, 6, 5, 5, 4, 4, 3, 3, 2, 2, 2], [9, 27, 5, 4, 4, 3, 4, 3, 2, 2, 1, 2]),
        ([9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9], [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7]),  # the floor
        ([12, 11, 10, 9], [3, 10, 9, 9]),  # more degrees than clusters less one are not to be had
        ([40] * 26, [36, 35, 37, 36] * 6 + [34, 38]),  # a quarter of the floor is believed
        ([30] * 60, [27, 26, 28, 25, 29, 27] * 10),  # hardly any of it
    ],
)
def test_an_interval_is_that_of_its_definition(sizes, hits):
    """Of a share, on the logit scale: around the value and around half a cluster either way."""
    n, x = np.array(sizes), np.array(hits)
    total, p = n.sum(), x.sum() / n.sum()
    moves = p - (x.sum() - x) / (total - n)
    squares, k = moves**2, len(n)
    found = 3 * squares.sum() ** 2 / (squares @ squares) - 2
    degrees = min(np.clip(found, 1, k - 1) + 2, k - 1)
    size, clusters = n @ n / total, total**2 / (n @ n)
    alike = 1 + (size - 1) * min(0.2, 4 / clusters)
    least = p * (1 - p) / total * alike
    degrees_found = np.clip(found, 1, k - 1)
    small = stats.chi2.cdf(degrees_found * squares.sum() / least, degrees_found)
    holds = 1.0 if squares.sum() >= least else min(1.0, 10 * (small + 0.9**clusters)) ** 3
    ends = []
    for at in (p, p + holds * ((clusters * p + 0.5) / (clusters + 1) - p)):
        more = max(at * (1 - at) / total * alike - squares.sum(), 0.0)
        error = sqrt(squares.sum() + holds * more)
        far = stats.t.ppf(0.975, degrees) * error / (at * (1 - at))
        ends += [1 / (1 + np.exp(-np.log(at / (1 - at)) - side * far)) for side in (-1, 1)]
    right = np.concatenate([np.arange(m) < h for m, h in zip(sizes, hits, strict=True)])
    one = br.interval("recall", counted(right, np.repeat(np.arange(k), n)))
    assert [one.low, one.high] == pytest.approx([min(ends), max(ends)], rel=1e-9)


@pytest.mark.parametrize(
    ("ratio", "degrees", "clusters"),
    [(0.2, 19, 20.0), (0.99, 300, 300.0), (1.3, 5, 80.0), (0.5, 2, 90.0), (0.3, 5, 1e4)],
)
def test_a_floor_holds_where_nothing_speaks_against_it(ratio, degrees, clusters):
    """Few clusters, nearly as large a variance, few degrees of freedom; in the last something does.

    By χ² and the probability that a tenth of the clusters is not among them.
    """
    seen = stats.chi2.cdf(ratio * degrees, degrees) + 0.9**clusters
    expected = min(1.0, seen / 0.1) ** 3
    assert (expected < 1) == (ratio == 0.3)
    assert believed(ratio * 0.01, 0.01, degrees, clusters) == pytest.approx(expected)


def test_a_floor_fades_with_the_clusters_and_with_how_little_they_show():
    by_clusters = [believed(0.1, 1.0, m - 1, m) for m in np.arange(5.0, 100)]
    by_found = [believed(found, 1.0, 60, 61.0) for found in np.linspace(0.01, 1.5, 99)]
    assert by_clusters == sorted(by_clusters, reverse=True)
    assert by_found == sorted(by_found)
    assert by_clusters[:17] == [1.0] * 17  # up to 21
    assert max(by_clusters[-1], by_found[0]) < 1e-5
    assert by_found[-1] == 1


@pytest.mark.slow
def test_many_clusters_hardly_alike_have_nearly_the_interval_of_their_cases():
    """A survey of 30 areas with 60 people, of patients with 1 to 10 images."""
    rng = np.random.default_rng(12)
    for m, sizes, most in ((30, [60], 1.5), (60, [30], 1.15), (140, range(1, 11), 1.2)):
        n = np.resize(sizes, m)
        widths, ends = [], []
        for _ in range(60):
            right = rng.random(n.sum()) < 0.94
            found = br.interval("recall", counted(right, np.repeat(np.arange(m), n)))
            p = right.mean()
            widths.append((found.high - found.low) / (3.92 * sqrt(p * (1 - p) / n.sum())))
            ends.append((found.low, found.high))
        assert np.mean(widths) < most
        assert held(ends, 0.94) > 0.9


def test_two_nearly_equal_clusters_are_as_sure_as_two_equal_ones():
    ends = []
    for sizes, hits in (([50, 50], [40, 30]), ([50, 51], [40, 31])):
        parts = [np.arange(m) < h for m, h in zip(sizes, hits, strict=True)]
        found = br.interval("recall", counted(np.concatenate(parts), np.repeat([0, 1], sizes)))
        assert found.degrees_of_freedom == 1
        ends.append((found.low, found.high))
    assert ends[0] == pytest.approx(ends[1], abs=0.01)
    assert ends[0][1] - ends[0][0] > 0.9  # Student's quantile of one degree of freedom is 12.7


def test_one_cluster_that_outweighs_all_others_leaves_fewer_degrees_of_freedom():
    """Two more than Satterthwaite's, which is 1 here, at two equal clusters; none at one."""
    found = []
    for most in (20, 100, 1000, 10**6):
        sizes = np.array([most, *[10] * 8])
        m = sizes.sum() ** 2 / (sizes @ sizes)
        hits = np.r_[0.9 * most, [5] * 8].astype(int)
        moves = hits.sum() / sizes.sum() - (hits.sum() - hits) / (sizes.sum() - sizes)
        alone = max(3 * (moves @ moves) ** 2 / (moves**2 @ moves**2) - 2, 1)
        floor = Floor(0.01, size=sizes @ sizes / sizes.sum(), clusters=m, likeness=TABLES)
        law = Law(0.5, moves, np.arange(9), np.ones(9), (0.0, 1.0), floor=floor, centre=0.5)
        assert law.degrees == pytest.approx(min(alone + min(2 * (m - 1), 2), 8))
        found.append(law.degrees)
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(1, abs=1e-3)


def test_clusters_that_count_as_few_are_told_with_their_number():
    sizes = np.array([500, *[5] * 19])
    cluster, n = np.repeat(np.arange(20), sizes), sizes.sum()
    right = np.arange(n) % 5 > 0
    expected = "count as 1.4 of equal size."  # 595²/(500² + 19 5²) = 1.413
    y, other = np.arange(n) % 2 == 0, np.roll(right, 1)
    a, b = (np.where(side, y, ~y) for side in (right, other))
    report = br.evaluate(y, a, cluster=cluster)
    assert report.facts.effective_clusters == pytest.approx(595**2 / (500**2 + 19 * 25))
    kinds = np.arange(n) % 3
    calls = np.where(right, kinds, (kinds + 1) % 3)
    for found in (
        report,
        br.compare(y, {"a": a, "b": b}, cluster=cluster),
        br.evaluate(kinds, calls, cluster=cluster),
        br.compare(kinds, {"a": calls, "b": kinds}, cluster=cluster),
    ):
        text = " ".join(found.render().split())
        assert f"The clusters are so unequal that they {expected}" in text
        assert "20 clusters, not independent ones. " in text
        assert "as sure as from" not in text  # a design effect of so few clusters tells nothing
        assert "says as much as that of" not in text
    even = br.evaluate(y, a, cluster=np.arange(n) % 20)
    assert "so unequal" not in even.render()


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("wrong", [0.1, 0.3])
def test_one_cluster_with_nearly_all_cases_is_held(wrong):
    """One of 300 and 19 of 5, of which a share is all wrong: m is 1.7."""
    rng, ends, sizes = np.random.default_rng(8), [], [300, *[5] * 19]
    cluster, n = np.repeat(np.arange(20), sizes), 395
    for _ in range(300):
        right = (rng.random(20) >= wrong)[cluster] & (rng.random(n) < 0.9)
        found = br.interval("recall", counted(right, cluster))
        ends.append((found.low, found.high))
    assert held(ends, 0.9 * (1 - wrong)) > 0.93


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", ["accuracy", "macro_f1"])
def test_a_tenth_of_the_clusters_all_wrong_is_held(name):
    """Before, 90% of these intervals did: in 12% of samples no cluster is wrong."""
    rng, ends, truth = np.random.default_rng(3), [], 0.9 * 0.95
    cluster, y = np.repeat(np.arange(20), 20), np.arange(400) % 3
    for _ in range(200):
        wrong = (rng.random(20) < 0.1)[cluster] | (rng.random(400) < 0.05)
        called = np.where(wrong, (y + rng.integers(1, 3, 400)) % 3, y)
        cases = read_arrays(y, {"m": called}, keys={"cluster": cluster}).classes()
        found = class_intervals(name, cases.counted())[name]
        ends.append((found.low, found.high))
    assert held(ends, truth) > 0.93


@pytest.mark.slow
def test_an_area_of_a_few_clusters_some_of_them_turned_round_is_held():
    """Before, 58% of these intervals did."""
    rng, ends = np.random.default_rng(4), []
    cluster, shift = np.repeat(np.arange(8), 100), 1.5
    area = stats.norm.cdf(shift / sqrt(2))
    truth = 0.81 * area + 2 * 0.09 * 0.5 + 0.01 * (1 - area)
    for _ in range(120):
        y = rng.random(800) < 0.4
        sign = np.where(rng.random(8) < 0.1, -1, 1)[cluster]
        found = roc_auc(y, sign * shift * (y - 0.5) + rng.normal(size=800), cluster=cluster)
        ends.append((found.low, found.high))
    assert held(ends, truth) > 0.93


@pytest.mark.slow
def test_a_classifier_that_fails_in_whole_clusters_is_held_against_another():
    """Before, 71% of these intervals did."""
    rng, ends = np.random.default_rng(5), []
    cluster = np.r_[np.arange(60), np.repeat(np.arange(60, 66), 30)]
    y = np.ones(240, bool)
    for _ in range(200):
        a = rng.random(240) < 0.9
        b = (rng.random(240) < 0.9) & (rng.random(66) >= 0.15)[cluster]
        found = difference("recall", paired=paired_counts(y, a, b, cluster=cluster))
        ends.append((found.low, found.high))
    assert held(ends, 0.9 * 0.15) > 0.93


@pytest.mark.parametrize(("positive", "negative"), [(300, 700), (20, 180), (2500, 2500)])
def test_average_precision_of_one_score_is_no_surer_than_the_share(positive, negative):
    """It is the share of positives; its interval was that of a known share, and much narrower."""
    y = np.arange(positive + negative) < positive
    found = average_precision(y, np.zeros(len(y)))
    share = stats.beta.ppf([0.025, 0.975], positive + 0.5, negative + 0.5)
    assert found.value == pytest.approx(positive / len(y))
    assert found.low < share[0]
    assert share[1] < found.high < share[1] + 0.2
    known = average_precision(y, np.zeros(len(y)), base_rate=positive / len(y))
    assert known.high - known.low < found.high - found.low


def test_average_precision_of_tied_scores_holds_that_of_the_population():
    """Before, 69% of these intervals did."""
    rng, ends = np.random.default_rng(6), []
    high, other = 0.5 * 0.2 / (0.5 * 0.35), 0.5
    for _ in range(150):
        y = rng.random(200) < 0.5
        found = average_precision(y, rng.random(200) < np.where(y, 0.2, 0.15))
        ends.append((found.low, found.high))
    assert held(ends, 0.2 * high + 0.8 * other) > 0.93


def test_few_clusters_say_what_their_intervals_allow_for():
    """Twenty clusters of ten: a correlation of 0.2 within them, 1 + 9 * 0.2 times the variance."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200)
    calls = {name: np.where(rng.random(200) < 0.7, y, 1 - y) for name in "ab"}
    cluster = np.repeat(np.arange(20), 10)
    compared = br.compare(y, calls, metrics="accuracy", cluster=cluster)
    [pair] = compared.facts.pairs
    assert pair.design_effect < 2.8
    gains = (calls["a"] == y).astype(float) - (calls["b"] == y)
    wide = stats.t.ppf(0.975, 19) * gains.std() / np.sqrt(200 / 2.8)
    [gap] = pair.metrics
    assert (gap.high - gap.low) / 2 == pytest.approx(wide, rel=0.02)
    assert (
        "so few cannot tell how alike their cases are, which the interval of the difference allows "
        "for."
    ) in " ".join(str(compared).split())
    alone = br.evaluate(y, calls["a"], cluster=cluster, metrics="accuracy")
    [own], [plain] = (
        one.facts.metrics for one in (alone, br.evaluate(y, calls["a"], metrics="accuracy"))
    )
    times = (own.high - own.low) / (plain.high - plain.low)
    assert (
        f"so few cannot tell how alike their cases are, and the interval of accuracy is "
        f"{times:.1f} times as wide as of independent cases."
    ) in " ".join(str(alone).split())


def test_many_clusters_are_not_told_to_be_few():
    """What three hundred of fifty independent cases show speaks against the floor."""
    rng = np.random.default_rng(3)
    y, cluster = rng.random(15_000) < 0.4, np.repeat(np.arange(300), 50)
    calls = {name: np.where(rng.random(15_000) < 0.8, y, ~y) for name in "ab"}
    alone = br.evaluate(y, calls["a"], cluster=cluster, metrics="accuracy")
    for found in (alone, br.compare(y, calls, metrics="accuracy", cluster=cluster)):
        assert "so few" not in " ".join(str(found).split())
