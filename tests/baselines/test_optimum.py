"""The search for the best blind draw: signs of tiny steps, shapes, and metrics of one's own."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate import metrics
from baserate.baselines import dutch_draw
from baserate.baselines.chance_curve import DEPTH, ChanceCurve, blocks, precise_expectation
from baserate.baselines.search import clipped, defined_counts, optimum
from baserate.metrics import define
from oracles import chance_twins as twins


def ratio(top, bottom):
    return np.where(bottom == 0, np.nan, top / np.where(bottom == 0, 1, bottom))


@pytest.mark.sweep(55, start=41)
@pytest.mark.parametrize("name", twins.NAMES)
def test_signs_of_steps_are_exact(name):
    metric = metrics.get(name)
    for p, q in [(1, 4), (3, 6), (6, 3), (5, 5), (0, 4), (4, 0)]:
        curve = ChanceCurve(metric, p, q)
        known = twins.curve(name, p, q)
        for k in range(p + q):
            if known[k] is None or known[k + 1] is None or metric.undefined_also:
                continue
            step = known[k + 1][0] - known[k][0]
            sign = 0 if abs(step) < twins.SAME else (1 if step > 0 else -1)
            assert curve.sign(k) == sign, (name, p, q, k)


@pytest.mark.sweep(8, start=1)
@pytest.mark.parametrize("p", [40, 3000])
@pytest.mark.parametrize("name", ["geometric_mean", "jaccard", "prevalence_threshold", "f1"])
def test_steps_of_long_windows_agree_with_many_digits(name, p):
    """Windows here are exact, thinned, smooth and not smooth; neighbours differ by 1e-6 or less."""
    metric = metrics.get(name)
    curve = ChanceCurve(metric, p, 2 * p)
    for k in (1, p // 2, p, (3 * p) // 2 + p // 16, 3 * p - 2):
        low, high = (precise_expectation(metric, p, 2 * p, j) for j in (k, k + 1))
        assert curve.slope(k) == pytest.approx(float(high.mean - low.mean), rel=1e-9, abs=5e-17)
        assert curve.value(k) == pytest.approx(float(low.mean), rel=1e-14)


CELLS = ("tp", "fn", "fp", "tn")
SUMS = ["+".join(cells) for size in range(1, 5) for cells in combinations(CELLS, size)]


@pytest.mark.parametrize("total", SUMS)
def test_defined_counts_of_every_sum_of_cells(total):
    metric = replace(metrics.true_positives, undefined_if_zero=(total,))
    for m in range(7):
        for p in range(m + 1):
            known = [
                k
                for k in range(m + 1)
                if all(
                    sum(x for name, x in zip(CELLS, t, strict=True) if name in total.split("+"))
                    for _, t in twins.tables(p, m - p, k)
                )
            ]
            assert defined_counts(metric, p, m - p) == twins.ranges(known), (p, m)


def test_clipping_ranges():
    assert clipped(((0, 3), (5, 9)), 2, 6) == ((2, 3), (5, 6))
    assert clipped(((0, 3), (5, 9)), 4, 4) == ()


def scanned(metric, p, q, goal, within):
    return optimum(replace(metric, chance_shape="unknown"), p, q, goal=goal, within=within)


@pytest.mark.sweep(36, start=35)
@pytest.mark.parametrize("name", [m.name for m in metrics.CATALOGUE if m.chance_shape != "unknown"])
@settings(max_examples=6, deadline=None)
@given(p=st.integers(0, 80), q=st.integers(0, 80), data=st.data())
def test_shapes_and_full_search_agree(name, p, q, data):
    metric, n = metrics.get(name), p + q
    low = data.draw(st.integers(0, n))
    within = (low, data.draw(st.integers(low, n)))
    for goal in ("max", "min"):
        a = optimum(metric, p, q, goal=goal, within=within)
        b = scanned(metric, p, q, goal, within)
        assert a.n_predicted == b.n_predicted
        assert a.value == pytest.approx(b.value, rel=1e-12, abs=1e-13, nan_ok=True)


def own(hits, rejections, power):
    """A concave metric of one's own: a weighted sum of square roots and shares."""

    def formula(tp, fn, fp, tn):
        r, s = ratio(tp, tp + fn), ratio(tn, fp + tn)
        return hits * r + rejections * s + power * np.sqrt(r * s)

    return replace(
        metrics.geometric_mean,
        name="own",
        formula=formula,
        undefined_if_zero=("tp+fn", "fp+tn"),
    )


@pytest.mark.sweep(2)
@pytest.mark.parametrize("half", [300, 10**6])
def test_a_flat_concave_curve_is_one_plateau(half):
    for goal in ("max", "min"):
        found = optimum(own(0.5, 0.5, 0.0), half, half, goal=goal, within=(0, 2 * half))
        assert found.n_predicted == ((0, 2 * half),)


@pytest.mark.parametrize(("m", "p"), [(10**6, 10**5), (10**6, 7), (10**12, 10**11), (10**8, 3)])
def test_the_best_of_a_concave_curve_is_found_in_few_steps(m, p, monkeypatch):
    slope, asked = ChanceCurve.slope, []
    monkeypatch.setattr(ChanceCurve, "slope", lambda c, k: asked.append(k) or slope(c, k))
    optimum(metrics.geometric_mean, p, m - p, goal="max", within=(0, m))
    assert len(asked) <= 12  # bisection takes 20 to 40


def exact_mean(value, p, q, k):
    atoms = list(twins.tables(p, q, k))
    values = [value(*t) for _, t in atoms]
    return (
        None
        if None in values
        else sum(w * v for (w, _), v in zip(atoms, values, strict=True)) / sum(w for w, _ in atoms)
    )


@settings(max_examples=40, deadline=None)
@given(
    p=st.integers(0, 9),
    q=st.integers(0, 9),
    top=st.tuples(*[st.integers(-3, 3)] * 4),
    bottom=st.tuples(*[st.integers(0, 3)] * 4),
)
def test_own_ratios_of_unknown_shape_against_exact_fractions(p, q, top, bottom):
    """Undefined tables are known only from the formula's nan."""

    def formula(tp, fn, fp, tn):
        cells = (tp, fn, fp, tn)
        with np.errstate(all="ignore"):
            above = sum(c * x for c, x in zip(top, cells, strict=True))
            return np.asarray(above) / sum(c * x for c, x in zip(bottom, cells, strict=True))

    def twin(*cells):
        below = sum(c * x for c, x in zip(bottom, cells, strict=True))
        return (
            Fraction(sum(c * x for c, x in zip(top, cells, strict=True)), below) if below else None
        )

    metric = define_once(formula)
    for goal, best in (("max", max), ("min", min)):
        found = optimum(metric, p, q, goal=goal, within=(0, p + q))
        means = {k: exact_mean(twin, p, q, k) for k in range(p + q + 1)}
        known = {k: mean for k, mean in means.items() if mean is not None}
        if not known:
            assert isnan(found.value)
            continue
        extreme = best(known.values())
        assert found.value == pytest.approx(float(extreme), rel=1e-12, abs=1e-12)
        assert found.n_predicted == twins.ranges(k for k, m in known.items() if m == extreme)


TEMPLATE = define("template", lambda tp, fn, fp, tn: tp / (tp + fn), direction="neither")


def define_once(formula):
    def safe(*cells):
        with np.errstate(all="ignore"):
            value = np.asarray(formula(*cells), dtype=float)
        return np.where(np.isinf(value), np.nan, value)

    return replace(TEMPLATE, formula=safe, undefined_also=lambda *c: np.isnan(safe(*c)))


def test_undefined_tables_of_any_probability_exclude_a_number():
    """At k = 1000 the only undefined table has probability 1/C(2000, 1000), about 1e-601."""
    metric = define_once(lambda tp, fn, fp, tn: tp / (fn + 0 * tn))
    found = optimum(metric, 1000, 1000, goal="max", within=(0, 2000))
    assert found.n_predicted == ((999, 999),)


def test_a_defined_metric_is_first_class():
    mine = define(
        "mine",
        lambda tp, fn, fp, tn: np.sqrt(tp * tn) / (tp + fn + fp + tn),
        chance_shape="concave",
        undefined_if_zero=("tp+fn+fp+tn",),
    )
    b = dutch_draw(mine, n_positive=10**6, n_negative=10**6)
    assert b.n_predicted == ((10**6, 10**6),)
    assert b.value == pytest.approx(0.25)
    plain = define("plain", lambda tp, fn, fp, tn: np.sqrt(tp * tn) / (tp + fn + fp + tn))
    for p, q in [(7, 12), (12, 12), (0, 4)]:
        shaped, full = (dutch_draw(m, n_positive=p, n_negative=q) for m in (mine, plain))
        assert (shaped.n_predicted, full.route) == (full.n_predicted, "scan")
        assert shaped.value == pytest.approx(full.value, abs=1e-14)


def test_formulas_that_stop_complex_steps_fall_back_on_differences():
    rigid = replace(
        metrics.geometric_mean,
        name="rigid",
        formula=lambda *c: np.abs(metrics.geometric_mean.formula(*c)),
    )
    reals = replace(metrics.geometric_mean, name="reals", formula=real_only)
    for metric in (rigid, reals):
        found = optimum(metric, 3000, 7000, goal="max", within=(0, 10_000))
        assert (
            found.n_predicted
            == optimum(
                metrics.geometric_mean, 3000, 7000, goal="max", within=(0, 10_000)
            ).n_predicted
        )
    [(low, high)] = optimum(rigid, 10**7, 9 * 10**7, goal="max", within=(0, 10**8)).n_predicted
    assert low <= 50_000_001 <= high  # to rounding; published of the geometric mean


def real_only(*cells):
    if any(np.iscomplexobj(c) for c in cells):
        raise TypeError
    return metrics.geometric_mean.formula(*cells)


@pytest.mark.parametrize(("m", "decided"), [(10**12, True), (10**14, False), (10**15, False)])
def test_optimisers_that_doubles_cannot_tell_apart_are_marked(m, decided):
    """The best draw for the geometric mean, with one positive in ten, is M/2 + 1."""
    curve = ChanceCurve(metrics.geometric_mean, m // 10, m - m // 10)
    found = optimum(metrics.geometric_mean, m // 10, m - m // 10, goal="max", within=(0, m))
    ((low, high),) = found.n_predicted
    assert low <= m // 2 + 1 <= high
    assert (low == high) == decided
    assert found.route == "concave in n_predicted" + ", optimisers to rounding" * (not decided)
    assert curve.sign(m // 2) == (1 if decided else None)
    assert found.value == pytest.approx(0.5, rel=1e-11)


def test_a_search_in_floats_says_so():
    flat = replace(metrics.matthews_correlation, chance=None, chance_shape="unknown")
    assert optimum(flat, 7, 9, goal="max", within=(0, 16)).route == "scan"
    found = optimum(flat, 700, 900, goal="max", within=(0, 1600))
    assert found.route == "scan, optimisers to rounding"
    assert found.n_predicted == ((1, 1599),)  # one plateau
    assert found.value == pytest.approx(0, abs=1e-14)


def test_blocks_hold_every_table_once_with_its_probability():
    for depth in (DEPTH, np.inf):
        for p, q in [(0, 3), (3, 0), (4, 7), (9, 2), (30, 300)]:
            seen = {}
            ranges = ((0, 2), (3, p + q))
            for block in blocks(p, q, ranges, remedy="", depth=depth):
                tp = block.tables[0]
                for i, k in enumerate(block.k):
                    seen[int(k)] = {
                        int(t): w for t, w in zip(tp[i], block.pmf[i], strict=True) if w
                    }
            assert sorted(seen) == list(range(p + q + 1))
            for k in (0, 1, (p + q) // 2, p + q - 1, p + q):
                exact = {t[0]: w for w, t in twins.tables(p, q, k)}
                total = sum(exact.values())
                assert set(seen[k]) <= set(exact)
                for t, w in exact.items():
                    assert seen[k].get(t, 0.0) == pytest.approx(w / total, rel=1e-12, abs=1e-18)


def test_long_windows_are_cut_without_loss():
    (block,) = blocks(20_000, 30_000, ((25_000, 25_003),), remedy="")
    assert block.pmf.shape[1] < 4000
    model_mean = block.k * 20_000 / 50_000
    assert (block.pmf * block.tables[0]).sum(axis=1) == pytest.approx(model_mean, rel=1e-13)


def test_formulas_beyond_square_roots_are_compared_in_floats():
    """A curve through the logarithm, symmetric for equal classes: two far optima tie."""
    curved = replace(
        metrics.geometric_mean,
        name="curved",
        formula=lambda tp, fn, fp, tn: np.log1p((tp - fn) ** 2 * (tn - fp) ** 2),
        chance_shape="unknown",
        undefined_if_zero=(),
    )
    found = optimum(curved, 6, 6, goal="max", within=(0, 12))
    assert found.n_predicted == ((0, 0), (12, 12))


@pytest.mark.parametrize("half", [10**3, 10**9])
def test_a_near_tie_of_far_ends_is_decided_by_digits(half):
    """E of the prevalence threshold is N/M at k = 1 and 1/2 at k = M."""
    metric = metrics.prevalence_threshold
    for p, q, sign in [(half, half, 0), (half, half + 1, -1), (half + 1, half, 1)]:
        assert ChanceCurve(metric, p, q).compare(1, p + q) == sign
        scaled = replace(metric, formula=lambda *c: metric.formula(*c) + 10**6)
        assert ChanceCurve(scaled, p, q).compare(1, p + q) == sign


def test_means_of_terms_that_cancel_are_compared_by_the_size_of_the_terms():
    """Of equal classes a mirror image of each table is as probable: an odd function averages 0."""
    odd = define(
        "odd",
        lambda tp, fn, fp, tn: ((tp * tn - fp * fn) / (tp + fn + fp + tn) ** 2.0) ** 3,
        direction="higher",
    )
    curve = ChanceCurve(odd, 40, 40)
    assert {curve.compare(a, b) for a in range(0, 81, 3) for b in range(0, 81, 5)} == {0}
