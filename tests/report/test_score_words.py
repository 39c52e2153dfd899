"""What is said of a score first: can its probabilities be believed, and does it rank."""

import math

import numpy as np
import pytest

import baserate as br
from baserate.facts.scores import GroupCalibrationFact
from baserate.facts.verdict import VerdictFact
from baserate.report.score_words import answer, believed, ratio
from baserate.report.verdicts import area, by_area
from tests.golden.texts import opening

NAN = math.nan
FITS = (1.02, 0.93, 1.12, 0.68)


def test_the_direction_is_that_of_the_exact_test(on_record, score, calibrated):
    found = {
        "under": (434, 353.2, (1.229, 1.15, 1.31, 1e-6)),
        "over": (20, 31.07, (0.644, 0.43, 0.91, 0.012)),
        "no test, as with weights: the interval tells": (20.5, 12.25, (1.67, 1.2, 2.1, NAN)),
        "neither": (434, 425.5, FITS),
        "no cases": (0, 0.0, (NAN, NAN, NAN, NAN)),
    }
    on_record({how: believed(score(calibration=calibrated(*oe))) for how, oe in found.items()})
    assert believed(score()) == ()


def test_few_cases_say_what_they_leave_room_for(score, calibrated):
    """1/0.5 - 1 = 100% too high, 1/0.1 = 10 times too high; 1 - 1/1.6 = 37.5% too low."""
    for low, said in ((0.5, "100% too high"), (0.1, "10 times too high"), (0.0, "far too high")):
        found = calibrated(8, 8.4, (0.95, low, 1.6, 0.9))
        assert believed(score(calibration=found))[1] == (
            f"The interval leaves room for risks {said} or 38% too low."
        )


@pytest.mark.parametrize(
    "slope",
    [(0.62, 0.45, 0.8, 0.001), (1.7, 1.2, 2.2, 0.001), (-1.03, -1.35, -0.7, 1e-9)],
    ids=["extreme", "timid", "reversed"],
)
def test_a_slope_is_told_where_its_test_excludes_one(on_record, score, calibrated, slope):
    wrong = (434, 353, (1.23, 1.15, 1.31, 1e-6))
    on_record(
        {
            "both": believed(score(calibration=calibrated(*wrong, slope))),
            "alone": believed(score(calibration=calibrated(434, 425, FITS, slope))),
        }
    )
    fits = believed(score(calibration=calibrated(434, 425, FITS, (0.97, 0.8, 1.15, 0.7))))
    assert "slope" not in " ".join(fits)


@pytest.mark.parametrize(
    ("slope", "beyond", "said"),
    [
        (0.62, (1980, 20), "too low below 0.97 (1,980 cases) and too high above 0.97 (20 cases)."),
        (1.7, (30, 1), "too high below 0.97 (30 cases) and too low above 0.97 (1 case)."),
        (0.62, (0, 2000), "too high in every case."),
        (0.62, (2000, 0), "too low in every case."),
    ],
)
def test_where_risks_are_too_high_is_told_with_how_many_cases_lie_there(
    score, calibrated, slope, beyond, said
):
    where = {"crossing": 0.972, "n_below": beyond[0], "n_above": beyond[1]}
    found = calibrated(434, 425, FITS, (slope, slope - 0.1, slope + 0.1, 0.001), **where)
    first = believed(score(calibration=found))[0]
    assert first.endswith(f"; p = 0.001): by the fitted line {said}")


@pytest.mark.parametrize(
    ("p_large", "p_slope", "said"),
    [
        (0.024, 0.3, "Risks are underestimated"),
        (0.026, 0.3, "No clear evidence that risks are wrong: "),
        (0.3, 0.026, "No clear evidence that risks are wrong: "),
        (0.3, 0.024, "Risks are too extreme"),
        (0.049, 0.024, "Risks are underestimated"),  # by Holm's second step
        (0.051, 0.3, "No evidence that risks are wrong: "),
        (NAN, 0.049, "Risks are too extreme"),  # one test alone
    ],
)
def test_two_tests_share_one_error_rate(score, calibrated, p_large, p_slope, said):
    oe, slope = (1.1, 0.99, 1.2, p_large), (0.9, 0.8, 1.01, p_slope)
    found = believed(score(calibration=calibrated(434, 395, oe, slope)))
    assert found[0].startswith(said)
    assert any("Holm" in sentence for sentence in found) == ("clear" in said)


def test_interval_and_test_that_differ_are_explained(score, calibrated):
    wrong = believed(score(calibration=calibrated(434, 395, (1.1, 0.99, 1.2, 0.01))))
    assert wrong[1].startswith("The interval holds 1 all the same")
    for oe in ((1.1, 1.01, 1.2, 0.01), (1.02, NAN, NAN, 0.68)):  # an interval may not be known
        assert len(believed(score(calibration=calibrated(434, 395, oe)))) == 1


def test_groups_are_told_by_adjusted_p(on_record, score, calibrated, measured):
    def said(*groups):
        return believed(score(calibration=calibrated(434, 425, FITS, groups=groups)))

    def group(name, value, low, high, p):
        oe = measured("observed_expected", value, low, high, p / 3)
        return GroupCalibrationFact(
            group={"ward": name}, n=50, observed=20, expected=10.0, observed_expected=oe,
            adjusted_p_value=p,
        )  # fmt: skip

    few = said(
        group("a", 1.0, 0.9, 1.1, 1.0), group("b", 0.7, 0.6, 0.85, 0.01),
        group("c", 1.5, 1.2, 1.8, 0.0004), group("d", 1.3, 1.01, 1.6, 0.07),
    )  # fmt: skip
    many = said(*(group(str(i), 1.5, 1.2, 1.8, 0.001 * (i + 1)) for i in range(5)))
    on_record({"few": few, "many": many})


def test_places_are_told_all_at_once_and_many_as_one(on_record, score, calibrated):
    few = [
        ("underestimates", 0.1, 0.35),
        ("overestimates", 0.8, 0.96),
        ("underestimates", 0.5, 0.5),
    ]
    many = [("underestimates", low, low + 0.01) for low in (0.1, 0.2, 0.5)]
    many += [("overestimates", 0.9, 1.0)]
    on_record(
        {
            name: believed(score(calibration=calibrated(434, 425, FITS, regions=regions)))
            for name, regions in (("few", few), ("many", many))
        }
    )


def test_one_score_for_all_is_said_first(score, calibrated):
    found = calibrated(434, 425, FITS)
    said = believed(score(calibration=found, n_cut_points=1, score_range=(0.3, 0.3)))
    assert said[0] == "Every case has the same score, 0.30, so it tells no case from another."


def ranking(measured, *found, **verdict):
    """An area as (value, low, high, p), and the verdict on it."""
    auc = measured("roc_auc", *found)
    judged = VerdictFact.of(
        "roc_auc", found[:3], p_value=found[3], guess=0.5, smallest=0.525, **verdict
    )
    return {"ranking": (auc,), "ranks": judged}


def test_whether_it_ranks_has_three_states(on_record, score, measured):
    sure, torn = (0.76, 0.72, 0.79, 1e-9), (0.54, 0.41, 0.66, 0.3)
    marks = {"absent": {"calibration": "no_probabilities"}, "score_range": (-3.25, 7.0)}
    found = {
        "yes": ranking(measured, *sure),
        "cannot tell": ranking(measured, *torn),
        "below chance": ranking(measured, 0.49, 0.38, 0.61, 0.6),
        "no": ranking(measured, 0.50, 0.48, 0.52, 0.5),
        "reversed": ranking(measured, 0.2, 0.1, 0.35, 1.0, reversed=True),
        "so many would decide": ranking(measured, *torn, enough=812),
        "no probability": {**ranking(measured, *sure), **marks},
    }
    on_record({name: answer(score(**facts)) for name, facts in found.items()})


def test_an_area_without_a_verdict_is_told_alone(on_record, measured):
    on_record(area(measured("roc_auc", 0.98, 0.57, 0.997, 0.0004), 0.95))


@pytest.mark.parametrize(
    ("value", "written"),
    [(1.0, "1.00"), (1.004, "1.004"), (0.62, "0.62"), (9.99, "9.99"), (0.05, "0.050")],
)
def test_a_ratio_has_the_digits_that_tell_it_from_one(value, written):
    assert ratio(value) == written


@pytest.mark.parametrize(("low", "p", "told"), [(0.4, 0.2, False), (0.6, 0.2, True)])
def test_p_stands_beside_an_area_that_is_above_chance(measured, low, p, told):
    auc = measured("roc_auc", 0.7, low, 0.9, p)
    verdict = VerdictFact.of("roc_auc", (0.7, low, 0.9), guess=0.5, p_value=p)
    assert ("p = 0.20" in by_area(auc, verdict, 0.95)[0]) == told


def test_decisions_that_are_passed_as_scores_are_told_from_risks(on_record):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    called = np.where(rng.random(300) < 0.8, y, 1 - y)
    on_record(
        {door.__name__: opening(door(y, score=called)) for door in (br.thresholds, br.evaluate)}
    )
    odds = np.where(called == 1, 0.9, 0.1)
    assert "as decisions are" not in str(br.thresholds(y, odds))


def test_a_slope_that_was_not_tested_is_no_evidence_that_risks_fit(on_record):
    # Logits of risks are half of what they should be: too timid. Seven folds of cases.
    rng = np.random.default_rng(5)
    x = rng.normal(size=700)
    truth, stated = rng.random(700) < 1 / (1 + np.exp(-2 * x)), 1 / (1 + np.exp(-x))
    tested = br.evaluate(truth, score=stated, cluster=np.arange(700))
    held_out = br.thresholds(truth, score=stated, fold=np.arange(700) % 7)
    on_record({"tested": opening(tested), "held out": opening(held_out)})


@pytest.mark.slow
def test_a_reversed_score_is_told_before_any_cut_of_it():
    rng = np.random.default_rng(2)
    truth = np.repeat([1, 0], [60, 240])
    trust = rng.normal(2 - 2 * truth)
    risk = 1 / (1 + np.exp(-trust))
    for asked in ({"cost": {"fn": 10, "fp": 1}}, {"metrics": "f1"}, {"metrics": "log_loss, f1"}):
        said = " ".join(str(br.thresholds(truth, risk, **asked)).split())
        assert said.startswith("Ranks better than chance: no, it ranks worse")
        assert "If a low score means positive, hand in the score times -1" in said
        assert not str(br.thresholds(truth, 1 - risk, **asked)).startswith("Ranks")
