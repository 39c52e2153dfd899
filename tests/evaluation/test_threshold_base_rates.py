"""Cuts for another base rate: every cut tried, with rates and formulas written out here."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError

RNG = np.random.default_rng(4)
N = 120
FRAME = pd.DataFrame(
    {
        "y": (y := RNG.random(N) < 0.5).astype(int),
        "s": np.round(np.clip(RNG.normal(0.4 + 0.2 * y, 0.2), 0, 1), 2),
        "kind": RNG.integers(0, 3, N),
        "ward": np.arange(N) // 4,
        "site": np.where(np.arange(N) % 3, "N", "S"),
    }
)
ASKED = {"target": "y", "score": "s", "positive": 1, "n_resamples": 10}


def f1(recall, specificity, rate):
    tp, fn, fp = recall * rate, (1 - recall) * rate, (1 - specificity) * (1 - rate)
    return 2 * tp / (2 * tp + fn + fp) if tp + fn + fp else None


def gain(recall, specificity, rate):
    tp, fn = recall * rate, (1 - recall) * rate
    fp, tn = (1 - specificity) * (1 - rate), specificity * (1 - rate)
    return tp - 5 * fn - fp + 0 * tn  # [[1, -1], [-5, 0]]: decisions in rows


def rates_at(frame, cut):
    y, called = frame["y"] == 1, frame["s"] >= cut
    return (
        Fraction(int((y & called).sum()), int(y.sum())),
        Fraction(int((~y & ~called).sum()), int((~y).sum())),
    )


def tried(frame, formula, rate, allowed=lambda *_: True):
    """Return the best value, and the cuts that have it, of all cuts with at least one alarm."""
    found = {
        cut: formula(*rates_at(frame, cut), rate)
        for cut in sorted(set(frame["s"]))
        if allowed(*rates_at(frame, cut))
    }
    best = max(value for value in found.values() if value is not None)
    return float(best), [cut for cut, value in found.items() if value == best]


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("rate", [Fraction(1, 50), Fraction(1, 5), Fraction(9, 10)])
def test_the_best_cut_of_all(rate):
    value, cuts = tried(FRAME, f1, rate)
    best = br.optimal_threshold("f1", FRAME["y"], FRAME["s"], base_rate=float(rate))
    assert best.value == pytest.approx(value, rel=1e-12)
    assert best.threshold == max(cuts)
    found = br.thresholds(FRAME, **ASKED, metrics="f1", base_rate=float(rate))
    assert found.facts.cuts[0].threshold == max(cuts)
    assert found.facts.cuts[0].value == best.value
    assert found.facts.base_rate == float(rate)


@pytest.mark.slow
def test_utilities_and_costs_are_of_the_other_base_rate():
    value, cuts = tried(FRAME, gain, Fraction(1, 10))
    given = {"utility": [[1, -1], [-5, 0]], "base_rate": 0.1}
    [first, *_] = br.thresholds(FRAME, **ASKED, **given).facts.cuts
    assert (first.value, first.threshold) == pytest.approx((value, max(cuts)))
    dear = br.thresholds(FRAME, **ASKED, cost={"fn": 5, "fp": 1}, base_rate=0.1).facts.cuts[0]
    rare = br.thresholds(FRAME, **ASKED, cost={"fn": 5, "fp": 1}, base_rate=0.01).facts.cuts[0]
    assert dear.threshold < rare.threshold


def test_constraints_are_of_the_other_base_rate():
    rate = Fraction(1, 10)

    def precise(recall, specificity):
        tp, fp = recall * rate, (1 - specificity) * (1 - rate)
        return tp + fp > 0 and tp / (tp + fp) >= Fraction(3, 10)

    value, cuts = tried(FRAME, f1, rate, precise)
    asked = {"metrics": "f1", "base_rate": 0.1, "constraint": "precision >= 0.3"}
    found = br.thresholds(FRAME, **ASKED, **asked)
    [cut] = found.facts.cuts
    assert (cut.value, cut.threshold) == pytest.approx((value, max(cuts)))
    [kept] = cut.constraints
    assert kept.constraint == "precision >= 0.3"
    assert kept.value == br.metrics.precision.at_base_rate(0.1)(cut.table)
    with pytest.raises(InvalidArgumentError, match="counts the alarms among these cases"):
        br.thresholds(FRAME, **ASKED, base_rate=0.1, constraint="alarms <= 50")


def test_recall_keeps_the_law_of_the_case_that_was_needed():
    asked = {"metrics": "precision", "constraint": "recall >= 0.7"}
    cuts = [
        br.thresholds(FRAME, **ASKED, **asked, base_rate=rate).facts.cuts[0]
        for rate in (None, 0.1)
    ]  # fmt: skip
    assert {cut.constraints[0].route for cut in cuts} == {"order"}


@pytest.mark.slow
def test_groups_clusters_and_folds_too():
    value, cuts = tried(FRAME[FRAME["site"] == "S"], f1, Fraction(1, 10))
    found = br.thresholds(FRAME, **ASKED, metrics="f1", base_rate=0.1, groups="site")
    [north, south] = found.facts.groups
    assert (south.cuts[0].value, south.cuts[0].threshold) == pytest.approx((value, max(cuts)))
    alike = br.thresholds(FRAME, **ASKED, metrics="f1", base_rate=0.1, cluster="ward").facts
    assert alike.cuts[0].threshold == found.facts.cuts[0].threshold
    assert north.cuts[0].shared == pytest.approx(
        float(f1(*rates_at(FRAME[FRAME["site"] == "N"], alike.cuts[0].threshold), 0.1))
    )
    folded = FRAME.assign(fold=np.arange(N) % 3)
    over = br.thresholds(folded, **ASKED, metrics="f1", base_rate=0.1, fold="fold").facts.cuts[0]
    assert over.value == pytest.approx(float(f1(*rates_at(FRAME, over.threshold), 0.1)))


def test_it_is_said_first_and_where_the_numbers_stand():
    found = br.thresholds(FRAME, **ASKED, metrics="f1", base_rate=0.1)
    said = " ".join(str(found).split())
    assert "At a base rate of 0.1, F1 is best" in said
    assert "Worth using" not in said  # at the base rate of these cases
    assert "in the data. Cuts are those for a base rate of 0.1" in said
    assert found.to_dict()["base_rate"] == 0.1
    assert "base rate of 0.1" not in str(br.thresholds(FRAME, **ASKED, metrics="f1"))


@pytest.mark.slow
def test_a_default_that_is_kept_is_kept_at_that_base_rate():
    asked = {"metrics": "f1", "base_rate": 0.1}
    best = br.thresholds(FRAME, **ASKED, **asked).facts.cuts[0].threshold
    said = " ".join(str(br.thresholds(FRAME, **ASKED, **asked, default=best)).split())
    assert f"At a base rate of 0.1, keep {best:g}: no other cut" in said
    plain = br.thresholds(FRAME, **ASKED, metrics="f1").facts.cuts[0].threshold
    kept = str(br.thresholds(FRAME, **ASKED, metrics="f1", default=plain))
    assert f"Keep {plain:g}: no other cut" in " ".join(kept.split())


@pytest.mark.parametrize("wrong", [0, 1, -0.2, "x", float("nan")])
def test_what_is_no_base_rate(wrong):
    with pytest.raises(InvalidArgumentError, match="base_rate must lie in"):
        br.thresholds(FRAME, **ASKED, base_rate=wrong)


def test_several_classes_have_no_one_base_rate():
    shares = pd.DataFrame(RNG.dirichlet([1, 1, 1], N), columns=["p0", "p1", "p2"])
    with pytest.raises(InvalidArgumentError, match="one positive class, and there are 3"):
        br.thresholds(
            FRAME.join(shares), target="kind", score=["p0", "p1", "p2"], base_rate=0.1
        )  # fmt: skip
