"""What is said of a score first: can its probabilities be believed, and does it rank."""

import math

import pytest

from baserate.report.score_words import answer, believed

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
    """1/0.5 - 1 = 100% too high; 1 - 1/1.6 = 37.5% too low."""
    found = calibrated(8, 8.4, (0.95, 0.5, 1.6, 0.9))
    assert believed(score(n=40, calibration=found))[1] == (
        "These 40 cases leave room for risks 100% too high or 38% too low."
    )
    none = calibrated(0, 0.4, (0.0, 0.0, 7.5, 1.0))
    assert believed(score(n=4, calibration=none))[1] == (
        "These 4 cases leave room for risks far too high or 87% too low."
    )


@pytest.mark.parametrize(
    ("slope", "said"),
    [
        ((0.62, 0.45, 0.8), "too extreme, the high ones too high and the low ones too low (cal"),
        ((1.7, 1.2, 2.2), "too timid, the high ones too low and the low ones too high (calibra"),
    ],
)
def test_a_slope_is_told_where_its_interval_excludes_one(score, calibrated, slope, said):
    wrong = (434, 353, (1.23, 1.15, 1.31, 1e-6))
    both = believed(score(calibration=calibrated(*wrong, slope)))
    assert both[1].startswith(f"They are also {said}")
    alone = believed(score(calibration=calibrated(434, 425, FITS, slope)))
    assert alone[0].startswith(f"Risks are {said}")
    assert alone[1].startswith("On the whole they fit: 434 observed for 425 expected (O:E")
    assert "No evidence" not in " ".join(alone)
    fits = believed(score(calibration=calibrated(434, 425, FITS, (0.97, 0.8, 1.15))))
    assert "slope" not in " ".join(fits)


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
            "The score underestimates between 0.10 and 0.35 and at 0.50 and overestimates between "
            "0.80 and 0.96 (95% band)."
        ),
    )


def test_a_score_that_is_no_probability_says_so_first(score, measured):
    absent = {"calibration": "no_probabilities"}
    auc = measured("roc_auc", 0.8, 0.7, 0.9, 0.0004)
    said = answer(score(absent=absent, score_range=(-3.25, 7.0), ranking=(auc,)))
    assert said[0] == (
        "The score is no probability, since it runs from -3.250 to 7.000: only its order and its "
        "cuts are judged."
    )
    assert said[1] == "Ranks better than chance: yes (p < 0.001)."


def test_nothing_is_claimed_where_nothing_is_known(score, calibrated):
    assert believed(score()) == ()
    nothing = calibrated(0, 0.0, (NAN, NAN, NAN, NAN))
    assert believed(score(calibration=nothing)) == (
        "No evidence that risks are wrong: 0 observed for 0 expected.",
    )
