"""Not worse than the first by more than a margin: beside laws drawn and swaps counted here."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import xlogy
from scipy.stats import multinomial, norm

import baserate as br
from baserate.inference.paired import score_limits

Y = np.repeat([1, 0], [60, 90])


def called(seed, share, y=Y):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(y)) < share, y, (y + 1) % (y.max() + 1))


OLD, NEW, WEAK = called(1, 0.85), called(2, 0.87), called(3, 0.6)


def limits(old, new, y):
    """Where the score test of the gain in shares right has 2.5%: its nuisance is searched for."""
    ahead, behind = ((new == y) & (old != y)).sum(), ((new != y) & (old == y)).sum()
    n = len(y)
    counts = ahead, behind, n - ahead - behind

    def score(gain):
        def unlikely(q):  # the share that only the old one gets right
            p = (q + gain, q, 1 - gain - 2 * q)
            return -sum(xlogy(k, x) for k, x in zip(counts, p, strict=True))

        inside = max(0.0, -gain), (1 - gain) / 2
        q = minimize_scalar(unlikely, bounds=inside, method="bounded", options={"xatol": 1e-12}).x
        return (ahead - behind - n * gain) / np.sqrt(n * (2 * q + gain - gain**2))

    seen, far = (ahead - behind) / n, norm.ppf(0.975)
    return (
        brentq(lambda x: score(x) - far, -1 + 1e-9, seen),
        brentq(lambda x: score(x) + far, seen, 1 - 1e-9),
    )


@pytest.mark.sweep(2)
@pytest.mark.parametrize("other", [NEW, WEAK])
def test_the_limit_of_the_interval_decides(other):
    low, high = limits(OLD, other, Y)
    for margin, answer in ((0.002 - low, "yes"), (-0.002 - low, "cannot tell"),
                           (-0.002 - high, "no"), (0.002 - high, "cannot tell")):  # fmt: skip
        if margin <= 0:
            continue
        [one] = br.compare(
            Y, {"old": OLD, "new": other}, metrics="accuracy", margin=margin
        ).facts.margins
        assert (one.not_worse, one.name, one.old, one.new) == (answer, "accuracy", "old", "new")
        assert (one.low, one.high) == pytest.approx((low, high), abs=1e-5)


def test_answers_that_never_differ_rule_out_what_luck_seldom_hides():
    """Where 0.088 of recall is lost and none won, one sample in 40 shows nothing."""
    y, margin = np.repeat([1, 0], [40, 60]), 0.088
    same = np.where(np.arange(100) < 4, 0, y)
    for within, answer in ((margin, "yes"), (0.087, "cannot tell")):
        found = br.compare(y, {"old": same, "new": same.copy()}, metrics="recall", margin=within)
        [one] = found.facts.margins
        assert one.not_worse == answer
        assert bool(found.check(f"difference(recall, new, old) >= {-within}@low")) == (
            answer == "yes"
        )
    assert (1 - margin) ** 40 == pytest.approx(0.025, abs=5e-4)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("n", "loss"), [(25, 0.3), (33, 0.3), (40, 0.05), (60, 0.02)])
def test_luck_passes_a_margin_in_4_percent_of_samples_at_most(n, loss):
    """Summed over all samples, whatever the share that only the new one gets right."""
    worse, better = (x.ravel() for x in np.mgrid[: n + 1, : n + 1])
    inside = worse + better <= n
    worse, better = worse[inside], better[inside]
    passed = np.array([
        score_limits(b, w, n, 0.95)[0] > -loss for w, b in zip(worse, better, strict=True)
    ])  # fmt: skip
    most = max(
        multinomial.pmf(
            np.stack([worse, better, n - worse - better], axis=1)[passed],
            n, [share + loss, share, 1 - loss - 2 * share],
        ).sum()
        for share in np.linspace(0, (1 - loss) / 2, 40)
    )  # fmt: skip
    assert 0.02 < most < 0.04


def test_less_is_better_is_the_same_answer():
    metrics = ("recall", "false_negative_rate", "specificity", "false_positive_rate")
    found = br.compare(Y, {"old": OLD, "new": NEW}, metrics=metrics, margin=0.1)
    for more, less in zip(found.facts.margins[::2], found.facts.margins[1::2], strict=True):
        assert (less.low, less.lead, less.high) == pytest.approx((more.low, more.lead, more.high))
        assert less.not_worse == more.not_worse
    assert "old by more than 0.1 in" in (text := " ".join(str(found).split())), text
    assert re.search(r"in recall \(?.*lower limit of the difference -", text)
    assert re.search(r"in false negative rate .*upper limit of the difference 0", text)


@pytest.mark.sweep(6, start=4)
@pytest.mark.parametrize("how", [{}, {"cluster": np.arange(150) // 3}, {"weight": 1 + Y}])
@pytest.mark.parametrize("several", [False, True])
def test_whatever_the_classes_and_the_sampling(how, several):
    y = np.arange(150) % 3 if several else Y
    calls = {name: called(k, share, y) for k, (name, share) in enumerate(
        {"old": 0.85, "new": 0.87, "weak": 0.5}.items())}  # fmt: skip
    found = br.compare(y, calls, margin=0.05, **how)
    names = {one.name for one in found.facts.margins}
    assert names >= ({"accuracy", "macro_f1"} if several else {"recall", "specificity", "accuracy"})
    for one in found.facts.margins:
        name = f"difference({one.name}, {one.new}, old)"
        own, [kept] = found[name], found.check(f"{name} >= -0.05@low").promises
        assert (one.lead, one.low, one.high) == pytest.approx((own.value, kept.low, kept.high))
        assert (one.not_worse == "yes") == kept.kept
        shares = ("accuracy", "error_rate") if several else ("recall", "specificity", "accuracy")
        assert (one.law == "score") == (not how and one.name in shares)
    assert {one.not_worse for one in found.facts.margins if one.new == "weak"} == {"no"}


def test_errors_of_several_classes_are_accuracy_the_other_way_round():
    y = np.arange(60) % 3
    old, new = called(5, 0.9, y), called(6, 0.8, y)
    calls = {"old": old, "new": new}
    found = br.compare(y, calls, metrics="accuracy, error_rate", margin=0.1).facts.margins
    assert [one.law for one in found] == ["score"] * 2
    for one in found:
        assert (one.low, one.high) == pytest.approx(limits(old, new, y), abs=1e-5)


def test_scores_have_areas_and_losses():
    rng = np.random.default_rng(4)
    scores = {name: (Y + rng.normal(0, 1, 150)).clip(-2, 3) / 5 + 0.4 for name in ("old", "new")}
    found = br.compare(Y, score=scores, margin=0.2)
    assert [one.name for one in found.facts.margins] == ["roc_auc", "brier_score"]
    pairs = {pair.measure: pair for pair in found.facts.score_pairs}
    assert found.facts.margins[0].low == -pairs["roc_auc"].high
    assert found.facts.margins[1].low == pairs["brier_score"].low
    rows = found.to_frame().set_index(["classifier", "name"])
    assert rows.loc[("new", "brier_score"), "difference_high"] == -pairs["brier_score"].low


def test_averages_are_tested_by_swaps_of_both_answers():
    y = np.arange(18) % 3
    a, b = y.copy(), y.copy()
    a[[0, 1, 3, 4, 9]], b[[2, 5, 12]] = (y[[0, 1, 3, 4, 9]] + 1) % 3, (y[[2, 5, 12]] + 1) % 3
    [pair] = br.compare(y, {"A": a, "B": b}, metrics="balanced_accuracy").facts.pairs
    apart = np.flatnonzero(a != b)
    gains = [(int(a[k] == y[k]) - int(b[k] == y[k])) for k in apart]  # six cases of each class
    sums = [abs(sum(s * g for s, g in zip(signs, gains, strict=True)))
            for signs in product((1, -1), repeat=len(gains))]  # fmt: skip
    assert pair.metrics[0].p_value == pytest.approx(np.mean([x >= abs(sum(gains)) for x in sums]))


@pytest.mark.slow
def test_the_level_of_the_limit_and_the_base_rate_are_named():
    how = {"metrics": "precision", "margin": 0.1, "base_rate": 0.05, "confidence_level": 0.9}
    text = " ".join(str(br.compare(Y, {"old": OLD, "new": NEW}, **how)).split())
    assert re.match(r".* in precision at a base rate of 0.05 .*limit .*, 90% interval\)\. ", text)


def test_margins_that_mean_nothing_are_refused():
    for wrong, said in (({"margin": 0}, "margin must"), ({"margin": 0.1, "metrics": "base_rate"},
                                                         "better end")):  # fmt: skip
        with pytest.raises(br.errors.InvalidArgumentError, match=said):
            br.compare(Y, {"old": OLD, "new": NEW}, **wrong)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"margin": 5, "metrics": "recall"}, "recall lies in 0 to 1, got 5.0: write 0.05"),
        ({"margin": 2, "metrics": "mcc"}, "less than 2, as .* lies in -1 to 1"),
    ],
)
def test_a_margin_as_wide_as_all_that_there_is_is_refused(asked, said):
    truth, a, b = [0, 1] * 20, [0, 1] * 15 + [1, 0] * 5, [0, 1] * 12 + [1, 0] * 8
    with pytest.raises(br.errors.InvalidArgumentError, match=said):
        br.compare(truth, {"a": a, "b": b}, **asked)
    costs = br.compare(truth, {"a": a, "b": b}, margin=5, cost={"fp": 10, "fn": 100})
    assert "cost" in {one.name for one in costs.facts.margins}


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("recall", ["recall"]),
        ("roc_auc", ["roc_auc"]),
        ("log_loss, recall", ["log_loss", "recall"]),
        (None, ["roc_auc", "brier_score"]),
    ],
)
def test_a_margin_is_of_what_was_named(asked, told):
    rng = np.random.default_rng(0)
    truth = rng.random(80) < 0.4
    frame = pd.DataFrame({"y": truth, "a": rng.random(80), "b": rng.random(80)})
    found = br.compare(frame, target="y", score=["a", "b"], metrics=asked, margin=0.1)
    assert [one.name for one in found.facts.margins] == told
