"""The probability that guessing does as well, against SciPy and exact fractions."""

from fractions import Fraction
from math import comb, isnan

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics
from baserate.baselines import beats_chance, significance
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import define
from oracles import chance_twins as twins

TABLES = [(3, 1, 1, 3), (35, 5, 10, 50), (15, 15, 10, 60), (0, 4, 3, 9), (0, 0, 2, 5), (4, 0, 0, 9)]


@pytest.mark.parametrize(
    "cells", [*TABLES, (900, 100, 120, 8800), (300, 200, 2000, 2500), (400, 100, 100, 400)]
)
def test_p_value_is_fishers(cells):
    from scipy.stats import fisher_exact

    tp, fn, fp, tn = cells
    b = beats_chance(ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn))
    exact = Fraction(
        sum(comb(tp + fn, t) * comb(fp + tn, tp + fp - t) for t in range(tp, tp + min(fn, fp) + 1)),
        comb(sum(cells), tp + fp),
    )
    assert b.p_value == pytest.approx(float(exact), rel=1e-12, abs=1e-300)
    peer = fisher_exact([[tp, fn], [fp, tn]], alternative="greater").pvalue
    assert b.p_value == pytest.approx(peer, rel=1e-6, abs=1e-300)
    assert b.p_sup == {}
    assert "one number" in b.note


def test_small_tails_keep_their_digits():
    b = beats_chance(ConfusionMatrix(tp=100, fn=0, fp=0, tn=100))
    assert b.p_value == pytest.approx(1 / comb(200, 100), rel=1e-12)
    assert b.p_value < 1e-58


def test_one_number_serves_every_metric_that_rises_with_tp():
    """Given the margins, the metrics order the tables alike."""
    p, q, k, tp = 12, 20, 9, 5
    b = beats_chance(ConfusionMatrix(tp=tp, fn=p - tp, fp=k - tp, tn=q - k + tp))
    for name in ("accuracy", "f1", "matthews_correlation", "geometric_mean", "informedness"):
        score = twins.value(name, None, tp, p - tp, k - tp, q - k + tp)
        exact = twins.at_least_as_good(name, p, q, k, score, higher=True)
        assert b.p_value == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(
    ("cells", "name", "p_sup", "k"),
    [((15, 15, 10, 60), "accuracy", 0.0028, 9), ((22, 8, 28, 42), "f1", 0.0021, 50)],
)
def test_published_suprema(cells, name, p_sup, k):
    b = beats_chance(
        ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))), name
    )
    (canonical,) = b.p_sup
    assert round(b.p_sup[canonical], 4) == p_sup
    assert b.n_predicted[canonical] == k


@pytest.mark.sweep(55, start=11)
@pytest.mark.parametrize("name", twins.NAMES)
def test_suprema_of_all_metrics_against_exact_fractions(name):
    metric = metrics.get(name)
    if metric.direction == "neither":
        with pytest.raises(InvalidArgumentError, match="metrics must have a direction"):
            beats_chance(ConfusionMatrix(tp=3, fn=1, fp=1, tn=3), [metric])
        return
    for tp, fn, fp, tn in [(3, 1, 1, 3), (4, 1, 3, 6), (1, 1, 2, 5), (2, 5, 1, 0), (0, 3, 1, 4)]:
        b = beats_chance(ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn), [name])
        score = twins.value(name, None, tp, fn, fp, tn)
        if score is None:
            assert isnan(b.p_sup[metric.name])
            assert b.n_predicted == {}
            continue
        tails = {
            k: twins.at_least_as_good(
                name, tp + fn, fp + tn, k, score, metric.direction == "higher"
            )
            for k in range(tp + fn + fp + tn + 1)
        }
        best = max(tails.values())
        assert b.p_sup[metric.name] == pytest.approx(float(best), rel=1e-12, abs=1e-14)
        assert float(tails[b.n_predicted[metric.name]]) == pytest.approx(float(best), rel=1e-12)


def tables_of_every_kind():
    yield from ((3, 1, 1, 3), (4, 1, 3, 6), (1, 1, 2, 5), (2, 5, 1, 0), (0, 3, 1, 4), (4, 0, 0, 4))
    yield from ((2, 1, 0, 5), (0, 4, 3, 2), (1, 0, 3, 3), (5, 2, 0, 0), (0, 0, 2, 5))
    yield from ((40, 30, 60, 170), (20, 5, 75, 100), (9, 1, 0, 300), (30, 70, 25, 65))


@pytest.mark.sweep(7, start=6)
@pytest.mark.parametrize("name", [n for n in twins.NAMES if metrics.get(n).direction != "neither"])
def test_bounds_on_all_tails_find_what_every_table_shows(name, monkeypatch):
    for tp, fn, fp, tn in tables_of_every_kind():
        t = ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)
        found = []
        for few in (0, 10**7):
            monkeypatch.setattr(significance, "FEW_TABLES", few)
            found.append(beats_chance(t, name).p_sup[metrics.get(name).name])
        bounded, summed = found
        assert bounded == pytest.approx(summed, rel=1e-12, abs=1e-300, nan_ok=True), (name, t)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "cells",
    [
        (1242, 488, 1077, 440),
        (900, 1153, 800, 3513),
        (600, 1453, 1200, 3113),
        (60, 240, 500, 2200),
    ],
)
def test_largest_p_values_are_scipys_largest_tails(cells):
    """With k flagged, accuracy is (2 tp + q - k) / n, informedness (tp n - p k) / (p q), and MCC
    (tp n - p k) / sqrt(p q k (n - k))."""
    from scipy.stats import hypergeom

    tp, fn, fp, tn = cells
    p, q, n = tp + fn, fp + tn, sum(cells)
    k = np.arange(n + 1)
    beyond = tp * n - p * (tp + fp)
    height = beyond / np.sqrt(float((tp + fp) * (fn + tn)))
    least = {
        "informedness": -((-p * k - beyond) // n),
        "accuracy": -((q - k - tp - tn) // 2),
        "matthews_correlation": np.ceil((p * k + height * np.sqrt(1.0 * k * (n - k))) / n - 1e-9),
    }
    b = beats_chance(
        ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))), least
    )
    for name, t in least.items():
        tails = hypergeom.sf(t - 1, n, p, k)
        if name == "matthews_correlation":
            tails[[0, n]] = 0  # undefined
        assert b.p_sup[name] == pytest.approx(tails.max(), rel=1e-7, abs=1e-300)
        assert tails[b.n_predicted[name]] == pytest.approx(tails.max(), rel=1e-7)


@pytest.mark.slow
def test_the_largest_p_value_of_a_large_table():
    """Calling everybody positive finds every positive."""
    t = ConfusionMatrix(tp=10**5, fn=0, fp=10**5, tn=8 * 10**5)
    b = beats_chance(t, "recall")
    assert (b.p_sup["recall"], b.n_predicted["recall"]) == (1.0, 10**6)
    perfect = ConfusionMatrix(tp=3, fn=0, fp=0, tn=10**5)
    b = beats_chance(perfect, ["accuracy", "f1"])
    assert list(b.p_sup.values()) == pytest.approx([1 / comb(10**5 + 3, 3)] * 2, rel=1e-12)
    assert set(b.n_predicted.values()) == {3}


@pytest.mark.parametrize(
    ("cells", "name", "p_sup", "k"),
    [
        ((998, 1, 0, 1), "accuracy", 1, 1000),  # all called positive: 999 right, as here
        ((1, 1, 1, 997), "accuracy", 1, 0),  # nobody: 998 right
        ((98, 2, 1, 0), "f1", 1, 101),
    ],
)
def test_guesses_that_flag_nobody_or_everybody_count(cells, name, p_sup, k):
    table = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
    b = beats_chance(table, name)
    assert (b.p_sup[name], b.n_predicted[name]) == (p_sup, k)


def test_refusals():
    with pytest.raises(UnsupportedError, match="these counts are weights"):
        beats_chance(ConfusionMatrix(tp=1.5, fn=0.5, fp=1, tn=3))
    large = ConfusionMatrix(tp=10**6, fn=10**5, fp=10**5, tn=10**6)
    assert beats_chance(large).p_value == 0
    own = define("own", lambda tp, fn, fp, tn: tp / (tp + fp))  # undefined who knows where
    with pytest.raises(UnsupportedError, match=r"would look at [\d,]+ tables.*p-value of own"):
        beats_chance(large, own)
    huge = ConfusionMatrix(tp=10**7, fn=10**5, fp=10**5, tn=10**7)
    with pytest.raises(UnsupportedError, match=r"would look at [\d,]+ of them.*p-value of f1"):
        beats_chance(huge, "f1")


def test_a_single_case():
    b = beats_chance(ConfusionMatrix(tp=1, fn=0, fp=0, tn=0), "accuracy")
    assert b.p_value == b.p_sup["accuracy"] == b.n_predicted["accuracy"] == 1


def test_counts_beyond_doubles_are_refused():
    with pytest.raises(UnsupportedError, match=r"2\^53 and more"):
        beats_chance(ConfusionMatrix(tp=3 * 10**16, fn=10**16, fp=10**16, tn=5 * 10**16))
