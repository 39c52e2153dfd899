"""The best threshold, against brute force over every cut point."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate import metrics
from baserate.counts import ConfusionMatrix
from baserate.curves import ScoreHistogram, sweep
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.tuning import cross_validated_threshold, optimal_threshold, threshold_spread
from baserate.tuning.bagging import FINEST, _thinned
from baserate.tuning.optimal import expected_values
from baserate.tuning.optimism import best_rules, bootstrap, gaps
from baserate.tuning.targets import Constraint, middle_of

TARGETS = ("accuracy", "f1", "mcc", "kappa", "balanced_accuracy", "jaccard", "error_rate")

cases = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6)), min_size=4, max_size=30
).filter(lambda rows: len({y for y, _ in rows}) == 2)  # fmt: skip


def counted(rows, threshold):
    """Count one table the slow way."""
    cells = {"tp": 0, "fn": 0, "fp": 0, "tn": 0}
    for y, s in rows:
        cells[("tp" if s >= threshold else "fn") if y else ("fp" if s >= threshold else "tn")] += 1
    return ConfusionMatrix(**cells)


def brute(metric, rows):
    """Return the best value over all thresholds, and every threshold that attains it."""
    cuts = [math.inf, *sorted({s for _, s in rows}, reverse=True)]
    found = {t: metric(counted(rows, t)) for t in cuts}
    known = {t: v for t, v in found.items() if not math.isnan(v)}
    if not known:
        return None, []
    best = (max if metric.direction == "higher" else min)(known.values())
    near = {"rel_tol": 1e-12, "abs_tol": 1e-14}
    return best, [t for t, v in known.items() if math.isclose(v, best, **near)]


@pytest.mark.sweep(7, start=3)
@pytest.mark.parametrize("name", TARGETS)
@given(rows=cases)
def test_equals_brute_force(name, rows):
    metric = metrics.get(name)
    best, cuts = brute(metric, rows)
    truth, score = zip(*rows, strict=True)
    if best is None:
        with pytest.raises(UnsupportedError, match="undefined at every cut"):
            optimal_threshold(name, truth, score)
        return
    found = optimal_threshold(name, truth, score)
    assert found.value == pytest.approx(best, rel=1e-12)
    assert found.threshold == max(cuts)
    assert found.table == counted(rows, found.threshold)
    inside = [t for t in cuts if any(low < t <= high for low, high in found.plateau)]
    assert inside == cuts
    if math.isfinite(found.midpoint):
        assert counted(rows, found.midpoint) == found.table


@pytest.mark.sweep(7)
@pytest.mark.parametrize("name", TARGETS)
def test_of_a_grid_equals_brute_force(name):
    rng, metric = np.random.default_rng(len(name)), metrics.get(name)
    sign = 1 if metric.direction == "higher" else -1
    for _ in range(20):
        truth, grid = rng.permutation(15) < 5, rng.integers(-2, 12, 4) / 2
        rows = [*zip(truth.tolist(), rng.integers(0, 9, 15).tolist(), strict=True)]
        values = {t: sign * metric(counted(rows, t)) for t in grid.tolist()}
        known = {t: v for t, v in values.items() if not math.isnan(v)}
        if not known:
            continue
        near = [t for t, v in known.items() if v > max(known.values()) - 1e-12]
        score = [s for _, s in rows]
        found = optimal_threshold(name, truth, score, thresholds=grid)
        assert (found.threshold, found.table) == (max(near), counted(rows, max(near)))
        bagged = optimal_threshold(name, truth, score, thresholds=grid, method="bagged", rng=1)
        assert bagged.threshold in known
    binned = ScoreHistogram(bins=4096).add(rng.random(9999) < 0.5, rng.random(9999))
    with pytest.raises(UnsupportedError, match="among given thresholds"):
        optimal_threshold(name, binned, thresholds=grid)
    for none in ([], [math.nan, 0.5]):
        with pytest.raises(InvalidArgumentError, match="one at least"):
            optimal_threshold(name, truth, score, thresholds=none)


def test_the_plateau_says_every_threshold_that_is_as_good():
    found = optimal_threshold("accuracy", [0, 0, 1, 1], [1.0, 2.0, 4.0, 8.0])
    assert (found.threshold, found.value, found.plateau) == (4.0, 1.0, ((2.0, 4.0),))
    assert (found.midpoint, found.on_hull) == (3.0, True)


def test_constraints_are_met_or_said_to_be_impossible():
    truth, score = [1, 0, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    found = optimal_threshold("precision", truth, score, constraint="recall >= 0.6")
    assert (found.threshold, found.value) == (0.7, pytest.approx(2 / 3))
    both = optimal_threshold("f1", truth, score, constraint=["recall >= 0.6", "fpr <= 0.4"])
    assert both.table.fp <= 0.4 * 3
    with pytest.raises(UnsupportedError, match=r"No cut point has recall >= 0\.9 and specificity"):
        optimal_threshold("f1", truth, score, constraint=["recall >= 0.9", "specificity >= 0.9"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("precision", "must not be perfect at every cut point without false alarms"),
        ("recall", "must not be perfect at every cut point without misses"),
        ("yule_q", "must not be perfect at every cut point without false alarms"),
        ("lift", "without false alarms"),
        ("base_rate", "more or less is better"),
    ],
)
def test_targets_without_a_best_cut_are_refused(name, message):
    with pytest.raises(InvalidArgumentError, match=message):
        optimal_threshold(name, [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])


def test_infinite_scores_may_be_cut_at():
    found = optimal_threshold("accuracy", [1, 0, 0], [math.inf, 1.0, -math.inf])
    assert (found.threshold, found.value) == (math.inf, 1.0)


def test_a_sweep_will_do_and_weights_count():
    weighted = optimal_threshold("accuracy", [1, 0, 1], [3, 2, 1], sample_weight=[1, 1, 5])
    assert weighted.threshold == 1
    assert optimal_threshold("accuracy", sweep([1, 0, 1], [3, 2, 1])).threshold == 3
    with pytest.raises(InvalidArgumentError, match="pass the sweep alone"):
        optimal_threshold("accuracy", sweep([1, 0], [2, 1]), [1, 2])


def binormal(n, base_rate, seed, distance=2.0):
    """Draw logistic scores: the log odds of a normal score in either class."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < base_rate
    x = rng.normal(truth * distance, 1)
    odds = np.exp(distance * x - distance**2 / 2) * base_rate / (1 - base_rate)
    return truth, odds / (1 + odds)


def test_bagging_needs_a_seed_and_repeats_with_it():
    truth, score = binormal(500, 0.2, 0)
    with pytest.raises(InvalidArgumentError, match="rng must be given"):
        optimal_threshold("f1", truth, score, method="bagged")
    first, again = (optimal_threshold("f1", truth, score, method="bagged", rng=1) for _ in "ab")
    assert first == again
    assert first.value == metrics.f1(counted(zip(truth, score, strict=True), first.threshold))


def test_the_plug_in_threshold_is_half_the_optimum_of_f1():
    """Lipton et al. (2014): the best threshold of F1 on calibrated scores is F*/2."""
    truth, score = binormal(200_000, 0.1, 3)
    found = optimal_threshold("f1", truth, score, method="plug_in")
    assert found.threshold == pytest.approx(found.value / 2, abs=0.01)


def test_the_plug_in_threshold_refuses_scores_that_are_not_calibrated():
    truth, score = binormal(20_000, 0.1, 3)
    odds = (score / (1 - score)) ** 1.5
    with pytest.raises(UnsupportedError, match="visibly not calibrated"):
        optimal_threshold("f1", truth, odds / (1 + odds), method="plug_in")
    with pytest.raises(InvalidArgumentError, match=r"y_score must lie in .* pass probabilities"):
        optimal_threshold("f1", truth, 10 * score, method="plug_in")


def test_a_tenth_of_the_cases_that_are_all_positive_at_ninety_percent_is_not_calibrated():
    """0.9^100 is 3 in 100,000; 90 of them are as many as were said, as in all other tenths."""
    score = np.array([0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9])
    positives = np.array([10, 20, 30, 40, 45, 50, 60, 70, 80, 90])

    def found():
        counts = np.stack((positives, 100 - positives), axis=1).ravel()
        truth = np.repeat(np.tile([1, 0], 10), counts)
        return optimal_threshold("f1", truth, np.repeat(score, 100), method="plug_in")

    assert found().threshold == pytest.approx(found().value / 2, abs=0.1)
    positives[-1] = 100
    with pytest.raises(UnsupportedError, match="visibly not calibrated"):
        found()


def test_the_spread_is_of_whole_cases():
    weighted = sweep([0, 1, 1], [1, 2, 3], sample_weight=[1, 2, 1])
    with pytest.raises(InvalidArgumentError, match="whole cases"):
        threshold_spread("f1", weighted, rng=0)


def samples_by_hand():
    """Yield every equally likely draw of two positives out of {2, 4}, two negatives out of {1, 3}.

    With it the highest best threshold for accuracy, and how far the accuracy there exceeds that of
    the data at the same threshold.
    """
    for positives in ((2, 2), (2, 4), (4, 2), (4, 4)):
        for negatives in ((1, 1), (1, 3), (3, 1), (3, 3)):
            cuts = (math.inf, 4, 3, 2, 1)
            right = {t: correct(positives, negatives, t) for t in cuts}
            best = max(t for t, r in right.items() if r == max(right.values()))
            yield best, Fraction(right[best] - correct((2, 4), (1, 3), best), 4)


def correct(positives, negatives, threshold):
    return sum(p >= threshold for p in positives) + sum(q < threshold for q in negatives)


def test_resampling_draws_within_classes_by_hand():
    """Every rule competes, "nothing positive" too; the gap to the data is what the draws see."""
    swept = sweep([0, 1, 0, 1], [1, 2, 3, 4])
    spread = threshold_spread("accuracy", swept, rng=2, n_resamples=4000)
    found, beyond = zip(*samples_by_hand(), strict=True)
    for threshold in (math.inf, 4, 2):
        share = np.mean(spread.thresholds == threshold)
        assert share == pytest.approx(found.count(threshold) / 16, abs=0.03)
    assert (spread.low, spread.high) == (2, math.inf)
    drawn = bootstrap(swept.tables, 4000, np.random.default_rng(2))
    seen = gaps(*best_rules(metrics.accuracy, drawn, ()), metrics.accuracy(swept.tables))
    assert seen.mean() == pytest.approx(float(sum(beyond) / len(beyond)), abs=0.015)
    assert spread.optimism == pytest.approx(spread.value - spread.corrected)


def test_nothing_positive_where_infinity_is_a_score():
    truth, score = [0, 0, 0, 0, 1], [math.inf, 4, 3, 2, 1]
    found = optimal_threshold("accuracy", truth, score)
    assert math.isnan(found.threshold)
    assert (found.table.n_predicted, found.value) == (0, 0.8)
    assert np.isnan(found.plateau).all()
    swept = sweep(truth, score)
    assert swept.rules_at([math.nan, math.inf, 3.5, -math.inf]).tolist() == [0, 1, 2, 5]
    spread = threshold_spread("accuracy", swept, rng=0, n_resamples=50)
    assert math.isnan(spread.high)
    bagged = optimal_threshold("accuracy", truth, score, method="bagged", rng=0)
    assert math.isnan(bagged.threshold)
    assert bagged.table.n_predicted == 0


def test_quantiles_of_infinite_thresholds_are_thresholds():
    """Accuracy of one positive in ten is best with nothing positive, or now and then with it."""
    truth = [1] + [0] * 9
    spread = threshold_spread("accuracy", sweep(truth, list(range(10))), rng=0)
    assert (spread.high, spread.mean) == (math.inf, math.inf)
    assert math.isnan(spread.sd)
    assert not math.isnan(spread.low)


def test_whole_numbers_beyond_floats_stay_apart():
    first = 2**53
    swept = sweep([0, 1, 0, 1], [first, first + 1, first - 5, first + 2])
    found = optimal_threshold("accuracy", swept)
    assert (found.threshold, found.plateau) == (first + 1, ((first, first + 1),))
    assert isinstance(found.threshold, int)
    assert (found.value, found.midpoint) == (1.0, first + 1)
    at = [first + 2, first + 1, first, float(first), math.nan, math.inf]
    assert swept.rules_at(at).tolist() == [1, 2, 3, 3, 0, 0]
    bagged = optimal_threshold("accuracy", swept, method="bagged", rng=0)
    assert bagged.threshold in swept.thresholds.tolist()


@pytest.mark.parametrize("seed", range(12))
def test_bagged_thresholds_meet_their_constraint(seed):
    truth, score = binormal(40, 0.4, seed)
    for limit in ("recall >= 0.9", "fpr <= 0.1"):
        found = optimal_threshold("f1", truth, score, method="bagged", rng=seed, constraint=limit)
        table = counted(zip(truth, score, strict=True), found.threshold)
        assert found.table == table
        assert found.midpoint == found.threshold
        assert (
            metrics.recall(table) >= 0.9
            if "recall" in limit
            else table.fp <= 0.1 * table.n_negative
        )


def test_a_spread_is_refused_where_there_is_no_best_cut():
    swept = sweep([0, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1])
    with pytest.raises(UnsupportedError, match=r"No cut point has precision >= 0\.7: loosen"):
        threshold_spread("recall", swept, rng=0, constraint="precision >= 0.7")
    with pytest.raises(InvalidArgumentError, match="both classes, got 'no negatives'"):
        threshold_spread("accuracy", sweep([1, 1], [1, 2], pos_label=1), rng=0)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_constraints_have_finite_limits(value):
    with pytest.raises(InvalidArgumentError, match="constraint must have a finite VALUE"):
        optimal_threshold("f1", [0, 1], [1, 2], constraint=f"recall >= {value}")


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("n", "top"), [(60, 0.3), (15, 1.0), (400, 0.02)])
def test_calibrated_probabilities_are_rarely_refused(n, top):
    rng, refused, tried = np.random.default_rng(n), 0, 400
    for _ in range(tried):
        eta = rng.random(n) ** 3 * top
        try:
            expected_values(metrics.accuracy, sweep(rng.random(n) < eta, eta, pos_label=True))
        except UnsupportedError:
            refused += 1
    assert refused <= 0.02 * tried  # at most 1 % is expected; 8 of 400 have probability 0.05 then


HUGE = 1.7e308


def test_bagged_thresholds_of_huge_scores_are_finite():
    """Sums of such scores are no floats; their means are."""
    truth = [0, 1, 0, 1, 1, 0, 1, 1]
    score = [HUGE * (1 - i / 100) for i in range(8)]
    found = optimal_threshold("f1", truth, score, method="bagged", rng=0)
    assert min(score) <= found.threshold <= max(score)
    same = optimal_threshold("f1", [0, 1, 1], [HUGE, HUGE, HUGE], method="bagged", rng=0)
    assert same.threshold == HUGE


def test_spreads_of_huge_scores_do_not_overflow():
    """The same scores times 2^600 have the same spread times 2^600, to the last digit."""
    truth, score = binormal(60, 0.4, 4)
    plain, huge = (
        threshold_spread("f1", sweep(truth, np.ldexp(score, power)), rng=0) for power in (0, 600)
    )
    assert huge.sd == math.ldexp(plain.sd, 600) > 1e154
    assert huge.mean == math.ldexp(plain.mean, 600)
    assert (huge.low, huge.high) == (math.ldexp(plain.low, 600), math.ldexp(plain.high, 600))


def test_minus_infinity_belongs_to_the_plateau_of_calling_everything_positive():
    """Only -inf reaches down to a score of -inf: (-inf, -inf] would be empty."""
    truth, score = [1, 1, 1, 0], [-math.inf, -math.inf, 3, 3]
    found = optimal_threshold("f1", truth, score)
    assert found.threshold == found.midpoint == -math.inf
    assert found.table == ConfusionMatrix(tp=3, fn=0, fp=1, tn=0)
    nested = cross_validated_threshold("f1", [(truth, score)] * 2, guess=0.5)
    for [(low, high)] in (found.plateau, [nested.plateau]):
        assert math.isnan(low)
        assert high == -math.inf
    [_, (low, high)] = optimal_threshold("accuracy", [1, 1, 1, 0], [-math.inf, 2, 3, 1]).plateau
    assert math.isnan(low)
    assert high == -math.inf


@pytest.mark.parametrize(
    ("text", "table", "holds"),
    [
        ("recall >= 0.75", {"tp": 3, "fn": 1, "fp": 0, "tn": 4}, True),
        ("recall >= 0.75", {"tp": 74, "fn": 26, "fp": 0, "tn": 4}, False),
        ("recall <= 0.75", {"tp": 3, "fn": 1, "fp": 0, "tn": 4}, True),
        ("recall <= 0.75", {"tp": 76, "fn": 24, "fp": 0, "tn": 4}, False),
        ("precision >= 0.1", {"tp": 1, "fn": 0, "fp": 9, "tn": 4}, True),
        ("precision >= 0", {"tp": 0, "fn": 1, "fp": 0, "tn": 4}, False),
    ],
)
def test_constraints_hold_at_their_limit_and_not_where_undefined(text, table, holds):
    assert bool(Constraint.of(text).holds(ConfusionMatrix(**table))) is holds


def test_a_constraint_met_with_equality_lets_the_cut_win():
    """Recall 3/4 is reached at 2; asking for more calls everything positive."""
    truth, score = [1, 0, 1, 1, 0, 0, 0, 1], [8, 7, 6, 5, 4, 3, 2, 1]
    assert optimal_threshold("precision", truth, score, constraint="recall >= 0.75").threshold == 5
    assert optimal_threshold("precision", truth, score, constraint="recall >= 0.76").threshold == 1


def test_large_data_are_resampled_at_every_positive_or_evenly():
    truth, score = binormal(30_000, 0.02, 1)
    swept = sweep(truth, score)
    thin = _thinned(swept)
    assert len(thin.thresholds) < 2 * FINEST + 3
    assert set(score[truth]) <= set(thin.thresholds.tolist())
    for name in ("f1", "mcc", "accuracy"):  # their best cut is a positive's score
        metric = metrics.get(name)
        assert np.nanmax(metric(thin.tables)) == np.nanmax(metric(swept.tables))
    many = _thinned(sweep(*binormal(30_000, 0.4, 1)))
    assert len(many.thresholds) < 2 * FINEST + 3
    for reached in (many.true_positives, many.false_positives):
        assert np.diff(reached).max() <= reached[-1] / FINEST + 1


@pytest.mark.parametrize(
    ("low", "high", "middle"),
    [
        (3, 4, 4),
        (3, 5, 4),
        (2**53, 2**53 + 2, 2**53 + 1),
        (1.0, 2.0, 1.5),
        (1e308, 1.5e308, 1.25e308),
        (1.0, 1.0 + 2.0**-52, 1.0 + 2.0**-52),
        (-math.inf, 3.0, 3.0),
    ],
)
def test_a_cut_lies_in_the_middle_and_above_the_lower_score(low, high, middle):
    assert middle_of(low, high) == middle
