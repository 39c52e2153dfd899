"""The papers' figures: numbers that can be read off print, and the pictures that are committed."""

import json
import re
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, norm

from baserate import metrics, tuning
from papers import figures as paper
from papers.small_data import GROUPS, rest_of
from svg_files import assert_readable_anywhere, assert_same_drawing

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers_figures.md").read_text(encoding="utf-8")
GOLDEN = json.loads((ROOT / "papers" / "robust_metrics_tables.json").read_text(encoding="utf-8"))[
    "tables"
]
HEAVY = ("robust_2", "robust_8", "robust_9")


@cache
def drawn(name):
    return paper.FIGURES[name]()


def marked():
    for name in paper.FIGURES:
        heavy = name.startswith(HEAVY)
        yield pytest.param(name, marks=pytest.mark.slow) if heavy else name


@pytest.mark.sweep(31, start=15)
@pytest.mark.parametrize("name", list(marked()))
def test_the_picture_is_the_one_that_is_drawn(name):
    assert_same_drawing(drawn(name).to_svg(), paper.FOLDER / f"{name}.svg")


def test_the_page_shows_every_picture_once():
    shown = re.findall(r"\]\((pictures/papers/[^)]*)\)", PAGE)
    committed = sorted(path.name for path in paper.FOLDER.glob("*.svg"))
    assert sorted(Path(link).name for link in shown) == committed
    assert committed == sorted(f"{name}.svg" for name in paper.FIGURES)
    for path in paper.FOLDER.glob("*.svg"):
        assert_readable_anywhere(path)


def curve(name, metric):
    wanted = metrics.get(metric).name
    return next(one for one in drawn(name).found if one.metric == wanted)


def test_burger_and_meertens_where_f1_of_both_classes_meets():
    """Values at 1/7 (figures 1 and 4); skills at 0.4994 by a coin, at -1/3 at the base rate."""
    for name, where, within in (("chimps_1", 0.4994, 5e-5), ("chimps_4", -1 / 3, 2e-6)):
        values, skills = drawn(name).found.crossings
        assert (values.of, skills.of) == ("value", "skill")
        assert 2 * values.base_rate - 1 == pytest.approx(1 / 7, abs=1e-12)
        assert 2 * skills.base_rate - 1 == pytest.approx(where, abs=within)
    skill = curve("chimps_1", "f1").skill
    assert skill.max() == pytest.approx(0.3370, abs=5e-5)
    assert 2 * paper.IN_A_THOUSAND[skill.argmax()] - 1 == pytest.approx(-0.18, abs=0.01)


def test_burger_and_meertens_where_guessing_is_better():
    """Figure 2: chance is 1/2. Figure 3: beyond (-1 ± √41)/10 skill is negative."""
    assert_allclose(curve("chimps_2", "accuracy").chance, 0.5, rtol=1e-12)
    found, delta = curve("chimps_3", "accuracy"), 2 * paper.IN_A_THOUSAND - 1
    low, high = (-1 - 41**0.5) / 10, (-1 + 41**0.5) / 10
    assert ((found.skill > 0) == ((delta > low) & (delta < high))).all()


TABLES = {
    "robust_1_near": (10, 1.0),
    "robust_1_far": (10, 2.0),
    "robust_3_d0": (15, 2.0),
    "robust_3_d1": (16, 2.0),
    "robust_3_c": (17, 2.0),
    "robust_4": (18, 2.0),
}


def called(cell):
    arguments = ", ".join(f"{name}={value}" for name, value in cell["params"].items())
    return metrics.get(f"{cell['metric']}({arguments})" if arguments else cell["metric"]).name


@pytest.mark.slow
@pytest.mark.sweep(5, start=2)
@pytest.mark.parametrize("name", TABLES)
def test_holzmann_and_klar_curves_pass_through_the_tables(name):
    number, distance = TABLES[name]
    found = {one.metric: one for one in drawn(name).found}
    seen = set()
    for cell in GOLDEN[str(number)]["cells"]:
        if cell["Delta"] != distance or called(cell) not in found:
            continue
        at = int(np.flatnonzero(np.isclose(paper.RATES, cell["pi"], rtol=1e-9))[0])
        wanted = cell.get("corrected", {}).get("delta_star", cell["delta_star"])
        ours = found[called(cell)].ratio[at]
        assert ours == pytest.approx(wanted, abs=0.006, rel=0.005), cell
        seen.add((called(cell), cell["pi"]))
    tabulated = set(found) - {metrics.get("matthews_correlation").name}  # table 14 has that one
    assert {metric for metric, _ in seen} >= tabulated
    assert len(seen) == 8 * len({metric for metric, _ in seen})


def test_holzmann_and_klar_best_points():
    """Figure 5: at π = 1/2 both lie at δ = 1, Φ(1) = 0.841; all lie on the binormal ROC curve."""
    both = drawn("robust_5_roc").picture.of("best")
    for points in both:
        assert_allclose(points.y, norm.cdf(norm.ppf(points.x) + 2), rtol=1e-9)
        assert points.y[0] == pytest.approx(norm.cdf(1), rel=1e-9)
    plain, robust = (points.y for points in both)
    assert_allclose(plain, [0.84, 0.70, 0.50, 0.38], atol=0.005)
    assert_allclose(robust, [0.84, 0.78, 0.74, 0.73], atol=0.005)


@pytest.mark.slow
def test_holzmann_and_klar_what_the_text_says_of_the_curves():
    assert curve("robust_1_near", "mcc").ratio.max() < 2.574688  # "very large in all cases"
    assert curve("robust_1_near", "jaccard").ratio[0] == pytest.approx(18.80, abs=0.02)  # table 6
    middle = int(np.flatnonzero(paper.RATES == 0.5)[0])
    for one in drawn("robust_4").found:
        assert one.ratio[middle] == pytest.approx(1, rel=1e-9)
    for scenario, at in (("1", 6.04084293), ("2", 3.81721294)):  # mpmath
        found = tuning.stationary_ratios("yule_q", paper.QUADRATIC[scenario], base_rate=0.1)
        assert found.maxima == ()
        assert found.minima == pytest.approx([at], rel=1e-4)


@pytest.mark.slow
def test_dyrland_points_and_the_boundary():
    """(0.3, -0.6) and (0.24, -0.54); 12 more misses of A against 3 false alarms: tau = 16/19."""
    points = drawn("utility_published").picture.of("utilities")
    assert_allclose([(p.x[0], p.y[0]) for p in points], [(0.24, -0.54), (0.3, -0.6)], atol=1e-12)
    spans = drawn("utility_stakes").to_frame("polars").to_dicts()
    [first] = [s for s in spans if s["among"] == "classifiers" and s["best"] == "A"]
    assert first["tau_low"] == pytest.approx(16 / 19, rel=1e-12)
    assert 65 / 85 < 0.8197 < 16 / 19 < 10 / 11


def test_briscoe_figure_1_is_binomial():
    fan = drawn("small_1").fan
    sizes = fan.sizes
    for level, row in zip((0.025, 0.25, 0.5, 0.75, 0.975), fan.quantiles, strict=True):
        assert_allclose(row, binom.ppf(level, sizes, 1481 / 5956) / sizes, rtol=1e-12)


def test_briscoe_figure_2_counts_tables():
    """Of 35 tables of 4 cases, 5 · 1, 4 · 2, 3 · 3, 2 · 4 and 1 · 5 have 0, 1, ... right."""
    rows = [r for r in drawn("small_2_accuracy").to_frame("polars").to_dicts()
            if r["law"] == "4 cases"]  # fmt: skip
    assert_allclose([r["probability"] for r in rows], np.array([5, 8, 9, 8, 5]) / 35, rtol=1e-12)
    line = drawn("small_2_accuracy").picture.of("curve")[0]
    corners = np.repeat(np.cumsum([0, 5, 8, 9, 8, 5]) / 35, 2)
    assert_allclose(line.y, corners, rtol=1e-12)
    assert_allclose(line.x, np.r_[0, np.repeat([0, 0.25, 0.5, 0.75, 1], 2), 1], rtol=1e-12)


def test_briscoe_figure_4_follows_from_two_moments():
    """Of a base rate p: variance p(1 - p)/n; to its square the bias is added, where pulled to q."""
    n = np.array(paper.SIZES, dtype=float)
    p = np.array([t.n_positive / t.n for t in GROUPS.values()])[:, None]
    rest = [rest_of(name) for name in GROUPS]
    q = np.array([t.n_positive / t.n for t in rest])[:, None]
    pulls = {"raw": (0.0, q), "add_one": (4.0, 0.5), "strength=10": (10.0, q)}
    series = drawn("small_4").series
    for name, (strength, target) in pulls.items():
        error = (n * p * (1 - p) + (strength * (target - p)) ** 2) / (n + strength) ** 2
        assert_allclose(series[paper.ESTIMATORS[name]][1], error.mean(axis=0), rtol=1e-10)


@pytest.mark.slow
def test_briscoe_what_the_text_says_of_the_errors():
    for metric in ("matthews_correlation", "false_positive_rate", "recall", "prevalence_threshold"):
        plain, *smoothed = (y for _, y in drawn(f"small_3_{metric}").series.values())
        assert all((one < plain).all() for one in smoothed)
    recall = dict(zip(paper.SIZES, drawn("small_3_recall").series["1e-10 added to every cell"][1],
                      strict=True))  # fmt: skip
    assert max(recall, key=recall.get) == 8
    assert recall[8] == pytest.approx(0.1232, abs=5e-5)
    assert recall[20] == pytest.approx(0.0899, abs=5e-5)
    plain, one, smooth = (y for _, y in drawn("small_7_recall").series.values())
    assert (one < smooth).all()
    plain, one, _ = (y for _, y in drawn("small_7_negative_predictive_value").series.values())
    assert (one > plain).all()


def test_holes_of_ten_cases():
    """No positives in 11 of 286 tables, an empty row or column in 40, all true negatives in one."""
    rows = drawn("small_holes").to_frame("polars").to_dicts()
    found = {r["metric"]: r["share"] for r in rows if r["n"] == 10}
    total = comb(13, 3)
    assert found["recall"] == pytest.approx(11 / total)
    assert found["matthews_correlation"] == pytest.approx(40 / total)
    assert found["f1"] == pytest.approx(1 / total)
