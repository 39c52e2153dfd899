"""What is said of a score first: can its probabilities be believed, and does it rank."""

import math

import numpy as np
import pytest

import baserate as br
from baserate.facts.scores import GroupCalibrationFact
from baserate.facts.verdict import VerdictFact
from baserate.report.score_words import answer, believed, ratio
from baserate.report.verdicts import area, by_area

NAN = math.nan
FITS = (1.02, 0.93, 1.12, 0.68)


@pytest.mark.parametrize(
    ("oe", "said"),
    [
        (
            (434, 353.2, (1.229, 1.15, 1.31, 1e-6)),
            (
                "Risks are underestimated: 434 observed for 353 expected "
                "(O:E 1.23, 1.15 to 1.31; p < 0.001)."
            ),
        ),
        (
            (20, 31.07, (0.644, 0.43, 0.91, 0.012)),
            (
                "Risks are overestimated: 20 observed for 31 expected "
                "(O:E 0.64, 0.43 to 0.91; p = 0.012)."
            ),
        ),
        # no test, as with weights: the interval tells
        (
            (20.5, 12.25, (1.67, 1.2, 2.1, NAN)),
            "Risks are underestimated: 20.5 observed for 12.2 expected (O:E 1.67, 1.20 to 2.10).",
        ),
        (
            (434, 425.5, FITS),
            (
                "No evidence that risks are wrong: 434 observed for 425.5 expected "
                "(O:E 1.02, 0.93 to 1.12; p = 0.68)."
            ),
        ),
    ],
)
def test_the_direction_is_that_of_the_exact_test(score, calibrated, oe, said):
    assert believed(score(calibration=calibrated(*oe))) == (said,)


def test_few_cases_say_what_they_leave_room_for(score, calibrated):
    """1/0.5 - 1 = 100% too high, 1/0.1 = 10 times too high; 1 - 1/1.6 = 37.5% too low."""
    for low, said in ((0.5, "100% too high"), (0.1, "10 times too high"), (0.0, "far too high")):
        found = calibrated(8, 8.4, (0.95, low, 1.6, 0.9))
        assert believed(score(calibration=found))[1] == (
            f"The interval leaves room for risks {said} or 38% too low."
        )


@pytest.mark.parametrize(
    ("slope", "said"),
    [
        (
            (0.62, 0.45, 0.8, 0.001),
            "too extreme (cal",
        ),
        (
            (1.7, 1.2, 2.2, 0.001),
            "too timid (calibra",
        ),
        (
            (-1.03, -1.35, -0.7, 1e-9),
            (
                "the wrong way round, with fewer positives where they are high (calibration slope "
                "-1.03, -1.35 to -0.70; p < 0.001)."
            ),
        ),
    ],
)
def test_a_slope_is_told_where_its_test_excludes_one(score, calibrated, slope, said):
    wrong = (434, 353, (1.23, 1.15, 1.31, 1e-6))
    both = believed(score(calibration=calibrated(*wrong, slope)))
    assert both[1].startswith(f"They are also {said}")
    alone = believed(score(calibration=calibrated(434, 425, FITS, slope)))
    assert alone[0].startswith(f"Risks are {said}")
    assert alone[1].startswith("On the whole they fit: 434 observed for 425 expected (O:E")
    assert "No evidence" not in " ".join(alone)
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
    clear = believed(score(calibration=calibrated(434, 395, (1.1, 1.01, 1.2, 0.01))))
    assert len(clear) == 1


def test_groups_are_told_by_adjusted_p(score, calibrated, measured):
    def group(name, value, low, high, p):
        oe = measured("observed_expected", value, low, high, p / 3)
        return GroupCalibrationFact(
            group={"ward": name}, n=50, observed=20, expected=10.0, observed_expected=oe,
            adjusted_p_value=p,
        )  # fmt: skip

    groups = (
        group("a", 1.0, 0.9, 1.1, 1.0), group("b", 0.7, 0.6, 0.85, 0.01),
        group("c", 1.5, 1.2, 1.8, 0.0004), group("d", 1.3, 1.01, 1.6, 0.07),
    )  # fmt: skip
    said = believed(score(calibration=calibrated(434, 425, FITS, groups=groups)))
    assert said[0].startswith("No evidence that risks are wrong on the whole: 434")
    assert said[1:] == (
        'For ward "c" risks are underestimated (O:E 1.50, 1.20 to 1.80; adjusted p < 0.001).',
        'For ward "b" risks are overestimated (O:E 0.70, 0.60 to 0.85; adjusted p = 0.010).',
    )
    many = tuple(group(str(i), 1.5, 1.2, 1.8, 0.001 * (i + 1)) for i in range(5))
    said = believed(score(calibration=calibrated(434, 425, FITS, groups=many)))
    assert said[-1] == "Two more groups are in the table."
    assert len(said) == 5


def test_places_are_told_all_at_once(score, calibrated):
    regions = (
        ("underestimates", 0.1, 0.35), ("overestimates", 0.8, 0.96), ("underestimates", 0.5, 0.5)
    )  # fmt: skip
    said = believed(score(calibration=calibrated(434, 425, FITS, regions=regions)))
    assert said == (
        (
            "Risks fit on the whole, not everywhere: 434 observed for 425 expected "
            "(O:E 1.02, 0.93 to 1.12; p = 0.68)."
        ),
        (
            "Surely too low at least between 0.10 and 0.35 and at 0.50, 20 cases and too high at "
            "least between 0.80 and 0.96, 10 cases (95% band)."
        ),
    )


def test_many_places_are_told_as_one(score, calibrated):
    regions = [("underestimates", low, low + 0.01) for low in (0.1, 0.2, 0.5)]
    regions += [("overestimates", 0.9, 1.0)]
    said = believed(score(calibration=calibrated(434, 425, FITS, regions=regions)))
    assert said[1] == (
        "Surely too low at least in three stretches between 0.10 and 0.51, 30 cases and too high "
        "at least between 0.90 and 1, 10 cases (95% band)."
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


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            (0.76, 0.72, 0.79, 1e-9),
            "yes (ROC area 0.76, 95% interval 0.72 to 0.79; 0.5 is chance; p",
        ),
        (
            (0.54, 0.41, 0.66, 0.3),
            "cannot tell (ROC area 0.54, 95% interval 0.41 to 0.66; 0.5 is c",
        ),
        (
            (0.49, 0.38, 0.61, 0.6),
            "cannot tell (ROC area 0.49, 95% interval 0.38 to 0.61; 0.5 is c",
        ),
        (
            (0.50, 0.48, 0.52, 0.5),
            "no (ROC area 0.50, 95% interval 0.48 to 0.52; below 0.525 it is",
        ),
    ],
)
def test_whether_it_ranks_has_three_states(score, measured, found, said):
    first = answer(score(**ranking(measured, *found)))[0]
    assert first.startswith(f"Ranks better than chance: {said}")


def test_a_score_that_ranks_worse_than_chance_is_said_to_look_reversed(score, measured):
    said = answer(score(**ranking(measured, 0.2, 0.1, 0.35, 1.0, reversed=True)))
    assert said[0].startswith("Ranks better than chance: no, it ranks worse (ROC area 0.20, 95%")
    assert said[1].startswith("The score looks reversed: turned round it would have 0.80. If a low")


def test_an_open_ranking_says_how_many_cases_would_decide(score, measured):
    said = answer(score(**ranking(measured, 0.54, 0.41, 0.66, 0.3, enough=812)))
    assert said[1] == "If these values stayed, about 820 cases would decide."


def test_an_area_without_a_verdict_is_told_alone(measured):
    assert area(measured("roc_auc", 0.98, 0.57, 0.997, 0.0004), 0.95) == (
        (
            "Over all cuts, the ROC area is 0.98 (95% interval 0.57 to 0.997; p < 0.001); "
            "0.5 is chance."
        ),
    )


def test_a_score_that_is_no_probability_says_so_after_its_rank(score, measured):
    absent = {"calibration": "no_probabilities"}
    found = ranking(measured, 0.8, 0.7, 0.9, 0.0004)
    said = answer(score(absent=absent, score_range=(-3.25, 7.0), **found))
    assert said[0].startswith("Ranks better than chance: yes (ROC area 0.80")
    assert said[1] == (
        "The score is no probability, since it runs from -3.250 to 7.000: only its order and its "
        "cuts are judged."
    )


def test_nothing_is_claimed_where_nothing_is_known(score, calibrated):
    assert believed(score()) == ()
    nothing = calibrated(0, 0.0, (NAN, NAN, NAN, NAN))
    assert believed(score(calibration=nothing)) == (
        "No evidence that risks are wrong: 0 observed for 0 expected.",
    )


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1.0, "1.00"),
        (1.004, "1.004"),
        (0.62, "0.62"),
        (9.99, "9.99"),
        (0.05, "0.050"),
    ],
)
def test_a_ratio_has_the_digits_that_tell_it_from_one(value, written):
    assert ratio(value) == written


def test_an_interval_that_is_not_known_is_not_held_against_the_test(score, calibrated):
    assert len(believed(score(calibration=calibrated(434, 425, (1.02, NAN, NAN, 0.68))))) == 1


@pytest.mark.parametrize(("low", "p", "told"), [(0.4, 0.2, False), (0.6, 0.2, True)])
def test_p_stands_beside_an_area_that_is_above_chance(measured, low, p, told):
    auc = measured("roc_auc", 0.7, low, 0.9, p)
    verdict = VerdictFact.of("roc_auc", (0.7, low, 0.9), guess=0.5, p_value=p)
    assert ("p = 0.20" in by_area(auc, verdict, 0.95)[0]) == told


def test_decisions_that_are_passed_as_scores_are_told_from_risks():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    called = np.where(rng.random(300) < 0.8, y, 1 - y)
    for found in (br.thresholds(y, called), br.evaluate(y, score=called)):
        text = " ".join(str(found).split())
        assert "0 or 1 only, as decisions are" in text
        assert "Risks" not in text.split("Positive:")[0]
    odds = np.where(called == 1, 0.9, 0.1)
    assert "as decisions are" not in str(br.thresholds(y, odds))


def test_a_slope_that_was_not_tested_is_no_evidence_that_risks_fit():
    # Logits of risks are half of what they should be: too timid. Seven folds of cases.
    rng = np.random.default_rng(5)
    x = rng.normal(size=700)
    truth, stated = rng.random(700) < 1 / (1 + np.exp(-2 * x)), 1 / (1 + np.exp(-x))
    tested = " ".join(br.evaluate(truth, score=stated, cluster=np.arange(700)).render().split())
    assert "Risks are too timid (calibration slope" in tested
    folds = np.arange(700) % 7
    held_out = " ".join(br.thresholds(truth, score=stated, fold=folds).render().split())
    assert "No evidence that risks are wrong on the whole:" in held_out
    assert "Whether they are too extreme or too timid was not tested: a fold with" in held_out


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
