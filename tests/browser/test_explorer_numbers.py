"""The explorer's own script, in a browser, beside the public functions of Python."""

import math

import numpy as np
import pytest

import baserate as br
from baserate.report.documents import sheet_as_html
from baserate.report.explorer import METRICS, ONE_SIDED, explorer_of
from baserate.report.sheet import Sheet
from browser.reports import leading_first

EXPLORER = "document.querySelector('[data-explorer]').explorer"
SETTINGS = 200
GUESSES = ("same_alarms", "dutch_draw")
NAMES = (*METRICS, "net_benefit")


def scored(rng, n, share, *, decimals=16, weights=None):
    truth = rng.random(n) < share
    score = 1 / (1 + np.exp(1.5 - rng.normal(size=n) - 1.5 * truth))
    return br.sweep(truth, score.round(decimals), sample_weight=weights)


@pytest.fixture(scope="module")
def sweeps():
    rng = np.random.default_rng(20)
    return {
        "all cases": scored(rng, 3000, 0.2),
        "few": scored(rng, 25, 0.3, decimals=1),
        "no positives": br.sweep([False] * 4, [0.1, 0.4, 0.4, 0.8]),
        "no negatives": br.sweep([True] * 3, [0.2, 0.5, 0.6]),
        "one score": br.sweep([True, False, False], [0.3, 0.3, 0.3]),
        "one case": br.sweep([True], [0.3]),
        "weighted": scored(rng, 200, 0.4, weights=rng.random(200)),
        "no probabilities": br.sweep([True, False, True, False], [-4.5, 1e7, 3e-9, -np.inf]),
    }


def page_of(sweeps, **options):
    explorer = explorer_of(sweeps, **options)
    return sheet_as_html(Sheet(title="Scores", answer=("So it is.",), parts=(), explorer=explorer))


@pytest.fixture
def settings(sweeps):
    """Random settings, and where a class is empty or nothing is called positive, too."""
    rng = np.random.default_rng(21)
    sizes = [min(512, len(sweep.thresholds)) for sweep in sweeps.values()]
    chosen = []
    for i in range(SETTINGS):
        curve = i % len(sizes)
        rate, tau = (float(1 / (1 + math.exp(-x))) for x in rng.normal(scale=3, size=2))
        chosen.append(
            {
                "curve": curve,
                "cut": int(rng.integers(sizes[curve])),
                "baseRate": None if rng.random() < 0.4 else rate,
                "tau": tau,
                "guess": GUESSES[i // 2 % 2],
                "people": 1000,
            }
        )
    return chosen


def metric_of(name, setting):
    plain = br.metrics.get(f"net_benefit(threshold={setting['tau']!r})" if "net" in name else name)
    return plain if setting["baseRate"] is None else plain.at_base_rate(setting["baseRate"])


def table_at(sweep, threshold):
    rule = 0 if threshold is None else int(sweep.rules_at([float(threshold)])[0])
    return br.ConfusionMatrix(**{cell: x[rule].item() for cell, x in cells(sweep)})


def cells(sweep):
    t = sweep.tables
    return (("tp", t.tp), ("fn", t.fn), ("fp", t.fp), ("tn", t.tn))


def off(found, expected):
    """Return by how much a number is off, beside its size where that is beyond 1; 0 for two nan."""
    if math.isnan(expected) and math.isnan(found):
        return 0.0
    gap = abs(found - expected) / max(1.0, abs(expected))
    return math.inf if math.isnan(gap) else gap


def near(found, expected):
    return off(found, expected) <= 1e-9


def skill_of(metric, sweep, table, guess):
    """Chance and skill as the reports have them: weighted ones where the mean is known."""
    if sweep.is_weighted and not metric.linear_in_rates and "base_rate" not in metric.parameters:
        return math.nan, math.nan
    found = br.skill(metric, table, guess=guess)
    return found.chance, found.value


@pytest.mark.slow
def test_every_number_of_every_setting_is_that_of_python(open_page, sweeps, settings):
    page = open_page(page_of(sweeps)).page
    found = page.evaluate(f"of => of.map({EXPLORER}.numbers)", settings)
    thresholds = page.evaluate(f"{EXPLORER}.data.curves.map(c => c.thresholds)")
    undefined, gaps = 0, []
    for setting, numbers in zip(settings, found, strict=True):
        sweep = list(sweeps.values())[setting["curve"]]
        table = table_at(sweep, thresholds[setting["curve"]][setting["cut"]])
        assert numbers["table"] == pytest.approx(
            dict(zip(("tp", "fn", "fp", "tn"), table, strict=True))
        )
        for name in NAMES:
            metric, shown = metric_of(name, setting), numbers["metrics"][name]
            value = float(metric(table))
            gaps.append((off(shown["value"], value), setting, name))
            assert (shown["reason"] or None) == metric.undefined_reason(table)
            undefined += math.isnan(value)
            for guess in GUESSES:
                chance, skill = skill_of(metric, sweep, table, guess)
                gaps.append((off(shown["chance"][guess], chance), setting, f"{guess} {name}"))
                if guess == setting["guess"]:
                    gaps.append((off(shown["skill"], skill), setting, f"skill {name}"))
                    assert bool(shown["noSkill"]) == math.isnan(skill)
    largest = max(gaps, key=lambda found: found[0])
    told = f"{len(gaps):,} numbers, {undefined} undefined; the largest difference: {largest}"
    print(told)  # noqa: T201 - for pytest -s
    assert largest[0] <= 1e-9
    assert undefined > 100


@pytest.mark.slow
def test_net_benefit_beside_treating_all_and_none(open_page, sweeps, settings):
    found = open_page(page_of(sweeps)).page.evaluate(f"of => of.map({EXPLORER}.numbers)", settings)
    for setting, numbers in zip(settings, found, strict=True):
        sweep = list(sweeps.values())[setting["curve"]]
        metric = metric_of("net_benefit", setting)
        everyone = br.ConfusionMatrix(tp=sweep.n_positive, fn=0, fp=sweep.n_negative, tn=0)
        value = float(metric(everyone))
        assert near(numbers["benefit"]["all"], value)
        assert near(numbers["benefit"]["none"], math.nan if math.isnan(value) else 0.0)


@pytest.mark.slow
def test_people_are_whole_and_add_up(open_page, sweeps, settings):
    found = open_page(page_of(sweeps)).page.evaluate(f"of => of.map({EXPLORER}.numbers)", settings)
    for setting, numbers in zip(settings, found, strict=True):
        sweep = list(sweeps.values())[setting["curve"]]
        people, table = numbers["people"], br.ConfusionMatrix(**numbers["table"])
        if setting["baseRate"] is not None and sweep.absent:
            assert people is None
            continue
        assert sum(people.values()) == 1000
        rate = setting["baseRate"]
        if rate is not None:
            table = br.ConfusionMatrix.from_rates(
                recall=table.tp / table.n_positive,
                specificity=table.tn / table.n_negative,
                base_rate=rate,
            )
        for cell, share in zip(("tp", "fn", "fp", "tn"), table, strict=True):
            assert abs(people[cell] - 1000 * share / table.n) < 1


TWO_SIDED = [name for name in NAMES if name not in ONE_SIDED]
LEADING = ("matthews_correlation", "net_benefit")


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("name", leading_first(TWO_SIDED, LEADING))
def test_no_cut_left_out_is_better_than_the_best_one_shown(open_page, sweeps, name):
    """3,000 cuts are thinned to 512, which hold the corners of the ROC curve."""
    page = open_page(page_of(sweeps)).page
    sweep = sweeps["all cases"]
    assert page.evaluate(f"{EXPLORER}.data.curves[0].at.length") == 512 < len(sweep.thresholds)
    for rate, tau in ((None, 0.5), (0.5, 0.2), (0.01, 0.03), (0.9, 0.8)):
        setting = {"curve": 0, "baseRate": rate, "tau": tau}
        cut = page.evaluate(f"([name, of]) => {EXPLORER}.bestCut(name, of)", [name, setting])
        threshold = page.evaluate(f"cut => {EXPLORER}.data.curves[0].thresholds[cut]", cut)
        metric = metric_of(name, setting)
        best = br.optimal_threshold(metric, sweep)
        assert float(metric(table_at(sweep, threshold))) == pytest.approx(best.value, rel=1e-12)
        assert table_at(sweep, threshold) == best.table


@pytest.mark.slow
def test_recall_and_specificity_have_their_wilson_intervals(open_page, sweeps, settings):
    found = open_page(page_of(sweeps)).page.evaluate(f"of => of.map({EXPLORER}.numbers)", settings)
    for setting, numbers in zip(settings, found, strict=True):
        sweep = list(sweeps.values())[setting["curve"]]
        table = br.ConfusionMatrix(**numbers["table"])
        for name, shown in numbers["rates"].items():
            if sweep.is_weighted or math.isnan(br.metrics.get(name)(table)):
                assert shown is None
                continue
            expected = br.interval(name, table, method="wilson")
            assert (shown["low"], shown["high"]) == pytest.approx((expected.low, expected.high))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("rate", [0.02, 0.7])
def test_calibration_at_another_base_rate_is_bayes_rule(open_page, sweeps, rate):
    """Odds of being positive among like scores change by the ratio of prior odds."""
    page = open_page(page_of(sweeps)).page
    page.evaluate(f"rate => {EXPLORER}.show({{ baseRate: rate }})", rate)
    said = page.locator("[data-picture='calibration']").get_attribute("aria-label")
    shown = [float(pair.split(": ")[1]) for pair in said.split("each bin: ")[1][:-1].split(", ")]
    sweep = sweeps["all cases"]
    share = br.calibration(sweep).bins().share
    own = sweep.base_rate
    odds = share / (1 - share) * (rate / (1 - rate)) / (own / (1 - own))
    assert shown == pytest.approx((odds / (1 + odds)).tolist(), abs=6e-4)
