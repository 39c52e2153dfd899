"""Chance of chance is zero skill: of every metric, by every guess, with every number of cases."""

import numpy as np

import baserate as br
from baserate.models import BinomialPair, Hypergeometric
from laws.subjects import METRICS, batch, made, swapped_metric
from laws.sweep import law

TOTALS = [(4, 7), (6, 3), (5, 5), (1, 8)]
GUESSES = ["dutch_draw", "same_alarms", "uniform", "proportional", "mode", 0.3]


def share_of(guess, p, q):
    """How likely each case is flagged."""
    named = {"uniform": 0.5, "proportional": p / (p + q), "mode": float(p > q)}
    return named.get(guess, guess)


def models_of(metric, guess, p, q):
    """What draws the tables of a guess; of the best guess each of those that are as good."""
    if guess == "dutch_draw":
        best = br.dutch_draw(metric, n_positive=p, n_negative=q)
        draws = {k for ends in best.n_predicted for k in ends}
    elif guess == "same_alarms":
        draws = range(p + q + 1)
    else:
        g = share_of(guess, p, q)
        return [BinomialPair(n_positive=p, n_negative=q, recall=g, false_positive_rate=g)]
    return [Hypergeometric(n_positive=p, n_negative=q, n_predicted=k) for k in sorted(draws)]


DIRECTED = [metric for metric in METRICS if metric.direction != "neither"]
# What is restated at a base rate speaks of a population: its chance is that of its own base rate.
OF_TABLES = [metric for metric in DIRECTED if "base_rate" not in metric.parameters]
RESTATED = [metric for metric in DIRECTED if "base_rate" in metric.parameters]


@law(OF_TABLES, TOTALS, GUESSES, few=30)
def test_a_guess_has_no_skill_on_average(metric, totals, guess):
    """E[skill] = 0 under the guess itself, given that the metric is defined there."""
    p, q = totals
    for model in models_of(metric, guess, p, q):
        flagged = model.fixed_n_predicted
        k = 1 if flagged is None else flagged
        tp = min(k, p)
        table = batch((tp, p - tp, k - tp, q - k + tp))
        found = br.skill(metric, table, guess=guess)
        chance = found.chance
        if np.isnan(chance):
            continue
        mean = float(br.expect(metric, model))
        np.testing.assert_allclose(chance, mean, rtol=1e-10, atol=1e-12)
        perfect = float(metric.perfect(p, q))
        if np.isnan(perfect) or abs(perfect - chance) < 1e-9 * max(1, abs(chance)):
            continue
        rescaled = made("skill", lambda *n, a=chance, b=perfect: (metric.formula(*n) - a) / (b - a))
        zero = float(br.expect(rescaled, model))
        np.testing.assert_allclose(zero, 0, atol=1e-9 * max(1, abs(mean / (perfect - chance))))
        values = metric(table), found.value
        np.testing.assert_allclose((values[0] - chance) / (perfect - chance), values[1], rtol=1e-9)


@law(RESTATED, TOTALS, [0.3, "uniform", "proportional", "same_alarms"])
def test_chance_at_a_stated_base_rate_is_that_of_one_rate_for_both_classes(metric, totals, guess):
    p, q = totals
    table = batch((p - 1, 1, 2, q - 2))
    pi = metric.parameters["base_rate"]
    stated = {"same_alarms": table.n_predicted / table.n, "proportional": pi}
    g = stated.get(guess, share_of(guess, p, q))
    found = br.skill(metric, table, guess=guess)
    expected = metric.at_rates(recall=g, specificity=1 - g, base_rate=pi)
    np.testing.assert_allclose(found.chance, expected, rtol=1e-12, atol=1e-14)


@law(DIRECTED, TOTALS, GUESSES, few=30)
def test_perfection_has_skill_one(metric, totals, guess):
    p, q = totals
    found = br.skill(metric, batch((p, 0, 0, q)), guess=guess)
    perfect = metric.perfect(p, q)
    possible = np.isfinite(perfect) and np.isfinite(found.chance)
    if possible and abs(perfect - found.chance) > 1e-9 * max(1, abs(perfect)):
        np.testing.assert_allclose(found.value, 1, rtol=1e-12)
    else:
        assert np.isnan(found.value)


@law(OF_TABLES, TOTALS, GUESSES[1:], few=30)
def test_a_unit_changes_no_skill(metric, totals, guess):
    p, q = totals
    other = made("scaled", lambda *cells: 3 * metric.formula(*cells) - 2, metric.direction)
    table = batch((p - 1, 1, 2, q - 2))
    one, two = (br.skill(m, table, guess=guess) for m in (metric, other))
    np.testing.assert_allclose(one.value, two.value, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(3 * one.chance - 2, two.chance, rtol=1e-9, atol=1e-10)


@law(METRICS, TOTALS, ["best", "max", "min"], few=30)
def test_the_best_draw_of_swapped_classes_flags_the_others(metric, totals, goal):
    p, q = totals
    other = swapped_metric(metric)
    if goal == "best" and "neither" in (metric.direction, other.direction):
        return
    one = br.dutch_draw(metric, n_positive=p, n_negative=q, goal=goal)
    two = br.dutch_draw(other, n_positive=q, n_negative=p, goal=goal)
    np.testing.assert_allclose(one.value, two.value, rtol=1e-11, atol=1e-13)
    mirrored = tuple((p + q - high, p + q - low) for low, high in reversed(two.n_predicted))
    assert one.n_predicted == mirrored


@law(METRICS, TOTALS)
def test_the_best_draw_is_the_best_of_all_draws(metric, totals):
    p, q = totals
    low, high = (br.dutch_draw(metric, n_positive=p, n_negative=q, goal=g) for g in ("min", "max"))
    draws = [Hypergeometric(n_positive=p, n_negative=q, n_predicted=k) for k in range(p + q + 1)]
    sure = [m for m in draws if float(br.probability_defined(metric, m)) == 1]
    means = np.array([float(br.expect(metric, m)) for m in sure])
    if not sure:
        assert np.isnan([low.value, high.value]).all()
        return
    ends = [means.min(), means.max()]
    np.testing.assert_allclose([low.value, high.value], ends, rtol=1e-11, atol=1e-13)
    for found, best in ((low, means.min()), (high, means.max())):
        inside = [any(a <= m.n_predicted <= b for a, b in found.n_predicted) for m in sure]
        tied = np.isclose(means, best, rtol=1e-12, atol=1e-14)
        assert inside == tied.tolist()
    for model, mean in zip(sure, means, strict=True):
        only = (model.n_predicted, model.n_predicted)
        one = br.dutch_draw(metric, n_positive=p, n_negative=q, goal="max", n_predicted=only)
        np.testing.assert_allclose(one.value, mean, rtol=1e-11, atol=1e-13)


@law(METRICS, TOTALS, [0.3, "uniform", "proportional"])
def test_guesses_of_swapped_classes(metric, totals, strategy):
    """Flagging with chance g is flagging the other class with chance 1 - g."""
    p, q = totals
    g = share_of(strategy, p, q)
    one = br.random_guess(metric, n_positive=p, n_negative=q, strategy=strategy)
    two = br.random_guess(swapped_metric(metric), n_positive=q, n_negative=p, strategy=1 - g)
    np.testing.assert_allclose(one.value, two.value, rtol=1e-10, atol=1e-12)


MARGINS = [(5, 6, 4), (3, 8, 5), (6, 6, 6)]  # positives, negatives, flagged


def rising(p, q, k):
    """The tables with these margins, more and more of the flagged cases positive."""
    tp = np.arange(max(0, k - q), min(p, k) + 1)
    return batch((tp, p - tp, k - tp, q - k + tp))


@law(MARGINS)
def test_the_p_value_falls_as_more_is_found_and_is_the_same_from_every_side(margins):
    tables = rising(*margins)
    found = np.array([br.beats_chance(tables[i]).p_value for i in range(tables.shape[0])])
    assert (np.diff(found) < 0).all()
    np.testing.assert_allclose(found[0], 1, rtol=1e-12)
    for turn in ("swap_classes", "transpose"):
        turned = getattr(tables, turn)()
        other = [br.beats_chance(turned[i]).p_value for i in range(turned.shape[0])]
        np.testing.assert_allclose(found, other, rtol=1e-12)


RISING = [m for m in METRICS if m.increases_with_rates and m.direction == "higher"]


@law(RISING, MARGINS)
def test_the_p_value_over_all_guesses_is_no_smaller_and_falls(metric, margins):
    tables = rising(*margins)
    found = [br.beats_chance(tables[i], [metric]) for i in range(tables.shape[0])]
    sup = np.array([f.p_sup[metric.name] for f in found])
    p, q, k = margins
    same_alarms = Hypergeometric(n_positive=p, n_negative=q, n_predicted=k)
    just_below = [v - 1e-9 * max(1, abs(v)) for v in metric(tables).tolist()]
    own = [float(br.sf(metric, same_alarms, v, undefined=-1e9)) for v in just_below]
    where = ~np.isnan(sup)
    assert (sup[where] >= np.array(own)[where] - 1e-12).all()
    assert (np.diff(sup[where]) <= 1e-12).all()
