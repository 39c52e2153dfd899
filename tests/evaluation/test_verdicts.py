"""Whether a utility is better than the guess is told of both on the same cases."""

import numpy as np
import pytest

import baserate as br

ODDS = 1 / 9  # at a risk of 0.1


def ends_of(counts, by, guess="dutch_draw"):
    """Return by how much net benefit at 0.1 is better than a guess, as the facts have it."""
    y = np.repeat([1, 1, 0, 0], counts)
    p = np.repeat([1, 0, 1, 0], counts)
    found = br.evaluate(y, p, metrics=["net_benefit(0.1)"], guess=guess, **by)
    return found.facts.metrics[0].beyond_guess, str(found)


def test_of_the_best_guess_it_is_the_better_of_all_and_none():
    counts = (330, 53, 832, 785)
    found, text = ends_of(counts, {})
    share = np.random.default_rng(1).dirichlet(np.array(counts) + 0.5, 200_000).T
    tp, fn, fp, tn = share
    limits = [np.quantile(x, [0.025, 0.975]) for x in (tp - ODDS * fp, ODDS * tn - fn)]
    assert found == pytest.approx(np.min(limits, axis=0), abs=2e-4)
    assert "Better than guessing by net benefit (threshold=0.1): yes." in text


def test_of_a_coin_it_is_half_of_either():
    counts = (30, 20, 40, 110)
    found, _ = ends_of(counts, {}, guess="uniform")
    tp, fn, fp, tn = np.random.default_rng(1).dirichlet(np.array(counts) + 0.5, 200_000).T
    drawn = (tp - fn) / 2 - ODDS * (fp - tn) / 2
    assert found == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=1e-3)


def test_of_clusters_the_base_rate_moves_both():
    """Net benefit alone would leave it open: most of its spread is that of the base rate."""
    counts = (330, 53, 832, 785)
    cluster = np.random.default_rng(1).permutation(2000) // 4
    found, text = ends_of(counts, {"cluster": cluster})
    tp, fn, fp, tn = np.repeat(np.eye(4), counts, axis=0).T
    totals = np.stack([np.bincount(cluster, each) for each in (tp, fn, fp, tn)])
    limits = []
    for each in (totals[0] - ODDS * totals[2], ODDS * totals[3] - totals[1]):
        mean, spread = each.sum() / 2000, np.sqrt(500) * each.std(ddof=1) / 2000
        limits.append([mean - 1.96 * spread, mean + 1.96 * spread])
    assert found == pytest.approx(np.min(limits, axis=0), abs=3e-3)
    assert "Better than guessing by net benefit (threshold=0.1): yes." in text


def test_other_metrics_are_judged_beside_what_the_guess_scores():
    found = br.evaluate([1, 0, 1, 0], [1, 0, 0, 0], metrics=["f_beta(beta=3)", "recall"])
    assert [metric.beyond_guess for metric in found.facts.metrics] == [None, None]


@pytest.mark.slow
def test_a_metric_restated_by_itself_says_where():
    """Precision at another base rate is another number than that of the cases."""
    y, p = np.repeat([1, 1, 0, 0], [80, 20, 30, 270]), np.repeat([1, 0, 1, 0], [80, 20, 30, 270])
    name, expected = "precision.at_base_rate(0.01)", 0.01 * 0.8 / (0.01 * 0.8 + 0.99 * 0.1)
    found = br.evaluate(y, p, metrics=name)
    assert float(found[name]) == pytest.approx(expected)
    assert str(found).startswith("Precision (at a base rate of 0.01) is 0.07")
    two = br.compare(y, {"a": p, "b": 1 - p}, metrics=name)
    assert "precision (at a base rate of 0.01)" in str(two)
    groups = np.arange(400) % 2
    assert "(at a base rate of 0.01)" in str(br.audit(y, p, groups=groups, metrics=name))


def test_at_a_stated_base_rate_a_promise_of_net_benefit_is_of_it():
    y = np.repeat([1, 1, 0, 0], [80, 20, 30, 270])
    score = np.repeat([0.9, 0.05, 0.9, 0.05], [80, 20, 30, 270])
    name, expected = "net_benefit(0.1)", 0.02 * 0.8 - 0.98 * 0.1 * ODDS
    found = br.evaluate(y, score=score, base_rate=0.02, metrics=name)
    assert float(found[name]) == pytest.approx(expected)
    assert not found.check(f"{name} >= 0.1")
    with pytest.raises(br.errors.UnknownNameError, match="named in metrics"):
        br.evaluate(y, score=score, base_rate=0.02).check(f"{name} >= 0.1")
