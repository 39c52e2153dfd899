"""The Dutch Scaler against its published closed forms, and without the published code's flaws."""

from itertools import product
from math import isnan, sqrt

import pytest

from baserate import ConfusionMatrix, metrics
from baserate.baselines import dutch_draw, dutch_scaler
from baserate.errors import InvalidArgumentError


def f_beta(b):
    return lambda s, p, n: 1 - p * (1 + b * b) * (1 - s) / (n * s)


# At rho = 0: share of a perfect labeller as a function of the score s, P positives, N negatives.
CLOSED = {
    "accuracy": lambda s, p, n: ((p + n) * s - max(p, n)) / min(p, n),
    "bacc": lambda s, p, n: 2 * s - 1,
    "j": lambda s, p, n: s,
    "f1": f_beta(1),
    "f2": f_beta(2),
    "f05": f_beta(0.5),
    "jaccard": lambda s, p, n: 1 - p * (1 - s) / (n * s),
    "fm": lambda s, p, n: (p + n - p / s**2) / n,
    "ppv": lambda s, p, n: ((p + n) * s - p) / ((p + n) * s - p + p * (p + n) * (1 - s)),
    "npv": lambda s, p, n: ((p + n) * s - n) / ((p + n) * s - n + n * (p + n) * (1 - s)),
    "kappa": lambda s, p, n: s * (p + n) / (2 * max(p, n) + s * (min(p, n) - max(p, n))),
}
TABLES = [
    (tp, p - tp, fp, n - fp)
    for p, n in [(30, 70), (60, 40), (4, 96), (50, 50)]
    for tp, fp in product((p // 4, p // 2, (9 * p) // 10, p), (0, n // 20, n // 4))
]


@pytest.mark.parametrize("name", CLOSED)
def test_closed_forms(name):
    checked = 0
    for tp, fn, fp, tn in TABLES:
        t = ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)
        d = dutch_scaler(name, t)
        expected = CLOSED[name](d.score, t.n_positive, t.n_negative)
        if d.score > d.chance + 1e-9:
            assert float(d) == pytest.approx(expected, abs=1e-13)
            checked += 1
        elif d.score < d.chance - 1e-9:
            assert isnan(d.value)
            assert "worse than that of the best guess" in d.reason
    assert checked > 20


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("mcc", lambda a, k: a * sqrt(2100 / (k * (100 - k)))),
        ("markedness", lambda a, k: a * 2100 / (k * (100 - k))),
    ],
)
def test_inverse_of_the_published_score(name, score):
    """With K = aP + (1 - a)Mt predicted positive, and t an optimal share: the ends are best."""
    t = ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
    a = float(dutch_scaler(name, t))
    reached = [score(a, 30 * a + (1 - a) * k) for k in range(1, 100)]
    assert max(reached) == pytest.approx(metrics.get(name)(t), rel=1e-12)


@pytest.mark.parametrize("metric", metrics.CATALOGUE, ids=lambda m: m.name)
def test_shares_lie_between_guessing_and_perfection(metric):
    if metric.direction == "neither":
        with pytest.raises(InvalidArgumentError, match="neither more nor less"):
            dutch_scaler(metric, ConfusionMatrix(tp=18, fn=12, fp=12, tn=58))
        return
    perfect = dutch_scaler(metric, ConfusionMatrix(tp=30, fn=0, fp=0, tn=70))
    good = dutch_scaler(metric, ConfusionMatrix(tp=27, fn=3, fp=4, tn=66))
    fair = dutch_scaler(metric, ConfusionMatrix(tp=20, fn=10, fp=10, tn=60))
    for d in (perfect, good, fair):
        assert isnan(d.value) == (d.reason is not None)
    if not isnan(fair.value):
        assert 0 <= fair.value < good.value < perfect.value == 1
    elif not isnan(good.value):
        assert "worse" in fair.reason


def test_beta_counts_in_the_baseline():
    """Published code: F2 of 0.257 below its own baseline 0.357, yet -0.605 without an error."""
    t = ConfusionMatrix(tp=2, fn=8, fp=1, tn=89)
    d = dutch_scaler("f2", t)
    assert d.chance == pytest.approx(5 * 10 / (4 * 10 + 100)) == pytest.approx(0.357, abs=5e-4)
    assert (isnan(d.value), d.reason) == (True, "the score is worse than that of the best guess")


@pytest.mark.slow
def test_geometric_mean_just_above_chance_is_just_above_zero():
    """Published code: negative for scores between chance and sqrt(t (1 - t)), here about 0.5."""
    chance = dutch_draw("g_mean", n_positive=10, n_negative=90).value
    tables = [
        ConfusionMatrix(tp=a, fn=10 - a, fp=90 - b, tn=b) for a in range(11) for b in range(91)
    ]
    above = [t for t in tables if metrics.geometric_mean(t) > chance]
    least = min(above, key=metrics.geometric_mean)
    assert chance < metrics.geometric_mean(least) < 0.4999
    assert 0 < float(dutch_scaler("g_mean", least)) < 0.01
    shares = [float(dutch_scaler("g_mean", t)) for t in sorted(above, key=metrics.geometric_mean)]
    assert shares == sorted(shares)


def test_weighted_and_undefined_tables():
    w = ConfusionMatrix(tp=3.5, fn=0.5, fp=1.5, tn=5.0)
    assert float(dutch_scaler("bacc", w)) == pytest.approx(2 * metrics.balanced_accuracy(w) - 1)
    assert dutch_scaler("f1", ConfusionMatrix(tp=0, fn=0, fp=0, tn=5)).reason.startswith("no pos")
    assert dutch_scaler("recall", ConfusionMatrix(tp=3, fn=1, fp=0, tn=5)).reason == (
        "guessing is perfect here"
    )
    assert (
        "without errors" in dutch_scaler("lr_plus", ConfusionMatrix(tp=3, fn=1, fp=1, tn=0)).reason
    )
