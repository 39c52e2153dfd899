"""Weights of classes, against every decision that weights can make, and against one cut of two."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import baserate as br
from baserate.class_counts import ClassTable
from baserate.errors import InvalidArgumentError, LabelError, UnsupportedError
from baserate.metrics import class_metric
from baserate.tuning import class_weight_spread, coordinate_ascent, optimal_class_weights
from baserate.tuning.coordinate_ascent import (
    OffsetLine,
    Scored,
    is_of_classes,
    pays_right_calls,
    values_at,
)

NAMES = (
    "macro_f1", "balanced_accuracy", "matthews_correlation", "cohen_kappa", "macro_precision",
    "weighted_kappa(quadratic)", "error_rate",
)  # fmt: skip
# Lines of three directions meet at each point of the arrangement: one step into each sector.
SECTORS = 1e-6 * np.array([[2, 1], [1, 2], [-1, 1], [-2, -1], [-1, -2], [1, -1]])


def every_decision(p):
    """Return all decisions of n cases that weights of three classes can make, one in each row."""
    logs = np.log(p)
    one, two, apart = logs[:, 0] - logs[:, 1], logs[:, 0] - logs[:, 2], logs[:, 1] - logs[:, 2]
    corners = [(x, y) for x in one for y in two]
    corners += [(x, x + d) for x in one for d in apart] + [(y - d, y) for y in two for d in apart]
    places = (np.array(corners)[:, None] + SECTORS).reshape(-1, 2)
    offsets = np.concatenate((np.zeros((len(places), 1)), places), axis=1)
    return np.unique((logs + offsets[:, None]).argmax(axis=2), axis=0)


def best_of_all(metric, y, p):
    decisions = every_decision(p)
    cells = np.zeros((len(decisions), 3, 3), dtype=int)
    for i, k in enumerate(y):
        np.add.at(cells, (np.arange(len(decisions)), k, decisions[:, i]), 1)
    values = metric(ClassTable(cells)) * (1 if metric.direction == "higher" else -1)
    return np.nanmax(values) if not np.isnan(values).all() else np.nan


def drawn(rng, n, k=3):
    """Return labels that all occur, and probabilities that lean towards them."""
    y = np.concatenate((np.arange(k), rng.integers(0, k, n - k)))
    p = rng.dirichlet(np.ones(k), n)
    p[np.arange(n), y] += 0.3
    return y, p / p.sum(1, keepdims=True)


@pytest.mark.sweep(7, start=6)
@pytest.mark.parametrize("name", NAMES)
def test_never_beyond_the_optimum_and_mostly_there(name):
    rng, metric, found = np.random.default_rng(7), class_metric(name), []
    for _ in range(30):
        y, p = drawn(rng, 8)
        best = optimal_class_weights(metric, y, p)
        sign = 1 if metric.direction == "higher" else -1
        top = best_of_all(metric, y, p)
        assert sign * best.value <= top + 1e-12
        assert best.value == metric(br.class_table(y, best.decide(p), labels=[0, 1, 2]))
        assert np.isnan(best.unweighted) or sign * best.value >= sign * best.unweighted - 1e-12
        found.append(sign * best.value > top - 1e-12)
    assert np.mean(found) >= 0.75


@pytest.mark.sweep(10, start=5)
@pytest.mark.parametrize("name", [*NAMES, "macro_jaccard", "weighted_f1", "micro_f1"])
def test_one_class_moves_through_every_table(name, monkeypatch):
    """The sweep has the value of each table, counted anew; what it skips is not better.

    So it has in one block of tables, and in blocks of a few.
    """
    rng, metric = np.random.default_rng(3), class_metric(name)
    for at_once in (1 << 19, 1 << 19, 1 << 19, 40, 50):
        monkeypatch.setattr(coordinate_ascent, "AT_ONCE", at_once)
        y, p = drawn(rng, 40, 4)
        p[rng.integers(0, 40, 6), y[:6]] = 0.0
        p /= p.sum(1, keepdims=True)
        cases, offsets = Scored.of(p, y, np.ones(40)), rng.normal(size=4)
        line = OffsetLine.of(cases, offsets, 2)
        inner = (line.cuts[:-1, 1] + line.cuts[1:, 0]) / 2
        places = [line.cuts[0, 0] - 1, *inner, line.cuts[-1, 1] + 1]
        each = [metric(cases.table(np.where(np.arange(4) == 2, at, offsets))) for at in places]
        np.testing.assert_allclose(line._values(metric, line.ends), each, atol=1e-13)
        best, value = line.best(metric)
        if np.isnan(each).all():
            assert value == -np.inf
            continue
        top = np.nanmax(each) if metric.direction == "higher" else -np.nanmin(each)
        assert value == pytest.approx(top, abs=1e-13)
        np.testing.assert_allclose(np.abs(np.array(each)[best]), abs(top), atol=1e-13)


@pytest.mark.parametrize(
    "name", ["macro_f1", "weighted_jaccard", "macro_precision", "macro_precision.defined",
             "weighted_precision.defined", "macro_mcc", "macro_recall", "macro_error_rate"],
)  # fmt: skip
def test_class_by_class_is_the_whole_sum(name):
    rng, metric = np.random.default_rng(4), class_metric(name)
    for n, k in ((12, 3), (60, 5), (300, 12)):
        y, p = drawn(rng, n, k)
        p[rng.integers(0, n, k), np.arange(k)] = 0.0
        weight = rng.integers(1, 4, n).astype(float)
        line = OffsetLine.of(Scored.of(p, y, weight), rng.normal(size=k), 1)
        assert is_of_classes(metric, line)
        near, whole = values_at(metric, line, line.ends), line._values(metric, line.ends)
        np.testing.assert_allclose(near, whole, atol=1e-12)
        some = line.ends[::3]
        np.testing.assert_allclose(values_at(metric, line, some), whole[::3], atol=1e-12)


def test_of_many_classes_the_best_are_the_same_tables(monkeypatch):
    y, p = drawn(np.random.default_rng(8), 200, 20)
    fast = optimal_class_weights("macro_f1", y, p)
    monkeypatch.setattr(coordinate_ascent, "MANY", 1000)
    slow = optimal_class_weights("macro_f1", y, p)
    assert fast.value == slow.value
    assert np.array_equal(fast.weights, slow.weights)


@pytest.mark.parametrize(
    "metric", ["mcc", "kappa", "accuracy", "balanced_accuracy", "f1", "jaccard", "error_rate"]
)
def test_of_two_classes_it_is_the_best_threshold(metric):
    rng = np.random.default_rng(11)
    for n in (5, 40, 300):
        y = np.concatenate(([0, 1], rng.integers(0, 2, n - 2)))
        score = np.round(rng.beta(1 + y, 2 - y), 2)
        p = np.stack((1 - score, score), axis=1)
        best, cut = optimal_class_weights(metric, y, p), br.optimal_threshold(metric, y, score)
        assert best.value == cut.value
        assert best.route == "exact"
        assert best.table.one_vs_rest(1) == cut.table
        assert (best.decide(p) == (score >= cut.threshold)).all()


@pytest.mark.parametrize("metric", ["mcc", "kappa", "accuracy", "balanced_accuracy"])
def test_the_climb_finds_the_best_threshold_too(metric):
    from baserate.tuning.coordinate_ascent import climb

    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200)
    score = rng.beta(1 + y, 3 - y)
    p = np.stack((1 - score, score), axis=1)
    cases = Scored.of(p, y, np.ones(200))
    assert climb(class_metric(metric), cases).value == br.optimal_threshold(metric, y, score).value


def test_of_two_classes_where_one_is_never_called():
    y, score = np.array([0] * 9 + [1]), np.array([0.5, 0.9, *[0.2] * 7, 0.1])
    best = optimal_class_weights("accuracy", y, np.stack((1 - score, score), axis=1))
    assert best.value == br.optimal_threshold("accuracy", y, score).value == 0.9
    # One of the two cases with 0.9 or 0.5 is called the second class with twice its weight.
    assert best.weights[0] / best.weights[1] == pytest.approx(2 * 0.9 / 0.1)


def test_no_weights_lead_beyond_certainty():
    """A cut above 1 is best, but what is certain stays called so: the best of what is left."""
    y, score = np.array([0] * 9 + [1]), np.array([0.5, 1.0, *[0.2] * 7, 0.1])
    assert br.optimal_threshold("accuracy", y, score).threshold == np.inf
    for metric in ("accuracy", "cohen_kappa"):
        best = optimal_class_weights(metric, y, np.stack((1 - score, score), axis=1))
        cuts = [
            br.metrics.binary_metric(metric)(br.confusion_matrix(y, score >= t, pos_label=1))
            for t in (0.1, 0.2, 0.5, 1.0)
        ]
        assert best.value == np.nanmax(cuts)


@pytest.mark.slow
def test_digits_against_scikit_learn():
    features, y = load_digits(return_X_y=True)
    p = cross_val_predict(GaussianNB(), features, y, cv=5, method="predict_proba")
    judges = {
        "macro_f1": lambda a, b: f1_score(a, b, average="macro"),
        "balanced_accuracy": balanced_accuracy_score,
        "mcc": matthews_corrcoef,
    }
    for name, judge in judges.items():
        best = optimal_class_weights(name, y, p)
        assert best.value == pytest.approx(judge(y, best.decide(p)), abs=1e-13)
        assert best.unweighted == pytest.approx(judge(y, np.argmax(p, axis=1)), abs=1e-13)
        assert best.value > best.unweighted + 0.03
        assert np.prod(best.weights) == pytest.approx(1)


def test_weights_of_cases_count_as_copies_do():
    rng = np.random.default_rng(2)
    y, p = drawn(rng, 60)
    times = rng.integers(1, 4, 60)
    weighted = optimal_class_weights("macro_f1", y, p, sample_weight=times)
    copies = optimal_class_weights("macro_f1", np.repeat(y, times), np.repeat(p, times, axis=0))
    assert weighted.value == pytest.approx(copies.value, abs=1e-13)
    np.testing.assert_allclose(weighted.weights, copies.weights)
    halved = optimal_class_weights("macro_f1", y, p, sample_weight=times / 7)
    assert halved.value == pytest.approx(copies.value, abs=1e-13)


def test_equal_weights_where_nothing_is_better():
    p = np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
    best = optimal_class_weights("accuracy", ["a", "b", "c"], p)
    assert best.weights.tolist() == [1, 1, 1]
    assert best.decide(p).tolist() == ["a", "b", "c"]


def test_ties_of_probabilities_are_resolved_or_kept():
    p = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]])
    best = optimal_class_weights("accuracy", [0, 0, 1, 1], p, labels=[0, 1, 2])
    assert best.value == 1.0 == best.unweighted
    best = optimal_class_weights("accuracy", [1, 1, 2, 2], p, labels=[0, 1, 2])
    assert best.value == 1.0
    assert best.decide(p).tolist() == [1, 1, 2, 2]


def test_refusals_finish_the_sentence():
    y, p = drawn(np.random.default_rng(0), 12)
    with pytest.raises(UnsupportedError, match=r"no cases of 3: collect some, leave their columns"):
        optimal_class_weights("macro_f1", y, np.insert(p, 3, 0, axis=1), labels=[0, 1, 2, 3])
    with pytest.raises(InvalidArgumentError, match="sum to one"):
        optimal_class_weights("macro_f1", y, p * 2 / 3)
    with pytest.raises(InvalidArgumentError, match="for which more or less is better"):
        optimal_class_weights("utility([[1, 2, 0], [0, 1, 0], [0, 0, 1]])", y, p)
    with pytest.raises(br.errors.UnknownNameError, match="macro_f1"):
        optimal_class_weights("f1", y, p)
    with pytest.raises(LabelError, match="labels"):
        optimal_class_weights("macro_f1", y, p, labels=[0, 1])
    with pytest.raises(InvalidArgumentError, match="rng must be given"):
        class_weight_spread("macro_f1", y, p, rng=None)


def test_a_single_case_has_no_honest_value():
    y, p = drawn(np.random.default_rng(0), 30)
    y = np.where(y == 2, 1, y)
    y[2] = 2
    spread = class_weight_spread("macro_f1", y, p, rng=0)
    assert np.isnan(spread.corrected)
    assert spread.reason == "a single case of 2 cannot be both in and out of the bag"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_answer_and_each_case_counts_once():
    y, p = drawn(np.random.default_rng(1), 80)
    one, two = (class_weight_spread("macro_f1", y, p, rng=0) for _ in range(2))
    assert one.to_dict() == two.to_dict()
    np.testing.assert_allclose(one.table.class_counts, np.bincount(y))
    assert one.optimism == one.value - one.corrected
    assert (one.weights_low <= one.weights_high).all()


def test_what_is_better_when_lower_is_corrected_upwards():
    """The error rate chooses the weights of the accuracy, and flatters by as much."""
    y, p = drawn(np.random.default_rng(1), 60)
    less, more = (class_weight_spread(name, y, p, rng=3) for name in ("error_rate", "accuracy"))
    assert less.corrected == pytest.approx(1 - more.corrected)
    assert less.optimism == pytest.approx(more.optimism)
    assert less.optimism > 0


def test_who_gains_from_right_calls():
    rewarded = ("accuracy", "balanced_accuracy", "macro_f1", "weighted_jaccard", "macro_f1.defined")
    assert all(pays_right_calls(class_metric(name)) for name in rewarded)
    others = ("mcc", "kappa", "macro_precision", "micro_jaccard", "macro_false_positive_rate")
    assert not any(pays_right_calls(class_metric(name)) for name in others)


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("way", ["alone", "cluster", "fold"])
def test_cases_of_weight_0_are_nobody(way):
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 1, 1], size=90)
    y = np.array([rng.choice(3, p=row) for row in p])
    weight = np.where(rng.random(90) < 0.5, 0.0, rng.uniform(1, 2, 90))
    of, kept = np.arange(90) // 5, weight > 0
    every, some = (
        class_weight_spread(
            "macro_f1", y[rows], p[rows], sample_weight=weight[rows], rng=1, n_resamples=5,
            **({} if way == "alone" else {way: of[rows]}),
        )
        for rows in (slice(None), kept)
    )  # fmt: skip
    numbers = ("value", "corrected", "unweighted", "difference", "low", "high")
    for name in (*numbers, "weights", "weights_low", "weights_high"):
        np.testing.assert_allclose(getattr(every, name), getattr(some, name), rtol=1e-12)
    assert every.low < 0 < every.value
    gained = f"a gain of {every.difference:.3f} ({every.low:.3f} to {every.high:.3f}) by weighting"
    assert gained in str(every)
    assert str(every).startswith(f"macro F1 {every.corrected:.2f} on cases that did not choose")


@pytest.mark.slow
def test_the_ends_of_weights_leave_as_much_on_either_side():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 60)
    shares = rng.dirichlet([1, 1, 1], 60)
    shares[np.arange(60), truth] += 0.5
    shares /= shares.sum(axis=1, keepdims=True)
    for level in (0.5, 0.9):
        found = class_weight_spread(
            "macro_f1", truth, shares, confidence_level=level, n_resamples=9, rng=3
        )
        low, high = np.quantile(found.weights, [(1 - level) / 2, (1 + level) / 2], axis=0)
        assert np.array_equal(found.weights_low, low)
        assert np.array_equal(found.weights_high, high)
