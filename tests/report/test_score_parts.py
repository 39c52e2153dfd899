"""The tables about a score: every number where a reader looks for it, every gap with its reason."""

import math
from functools import partial

import pytest

from baserate.facts.scores import BinFact, GroupCalibrationFact, NetBenefitFact, RiskFact, TopFact
from baserate.facts.threshold import CutFact
from baserate.report import threshold as threshold_report
from baserate.report.opening import render as rendered
from baserate.report.text import sheet_as_text
from baserate.report.threshold import sheet_of

render_thresholds = partial(rendered, threshold_report.sheet_of)

NAN = math.nan


@pytest.fixture
def whole(score, measured, calibrated):
    """Make facts with every part."""
    ranking = (
        measured(
            "roc_auc", 0.8, 0.7, 0.9, 0.0004, chance=0.5, skill=0.6, route="asymptotic",
            p_value_route="exact",
        ),
        measured("average_precision", 0.44, chance=0.2, reason="too few to say"),
        measured("brier_score", 0.12, 0.1, 0.15, chance=0.16, skill=0.25, route="exact"),
    )  # fmt: skip
    bins = (BinFact(low=0.01, high=0.2, n=50, n_positive=4, mean=0.1, observed=0.08,
                    observed_low=0.022, observed_high=0.192),)  # fmt: skip
    benefits = (
        NetBenefitFact(threshold=0.1, value=0.1234, low=0.05, high=0.2, treat_all=0.1111,
                       useful=0.97, perfect_information=0.00041, more_cases=500,
                       more_information=0.00021),
        NetBenefitFact(threshold=0.5, value=-0.02, treat_all=-0.6),
    )  # fmt: skip
    risks = (
        RiskFact(outcome="yes", is_positive=True, n=20, mean=0.6,
                 quantiles=(0.2, 0.4, 0.6, 0.8, 0.9)),
        RiskFact(outcome=None, is_positive=False, n=80, mean=0.15,
                 quantiles=(0.01, 0.05, 0.1, 0.2, 0.5)),
    )  # fmt: skip
    top = (
        TopFact(k=10, share=0.1, threshold=0.85, tied=3,
                precision=measured("precision", 0.7, 0.35, 0.93, route="exact"),
                recall=measured("recall", 0.35, 0.15, 0.59, route="exact")),
    )  # fmt: skip
    return score(
        ranking=ranking,
        calibration=calibrated(
            20, 15.5, (1.29, 0.81, 1.92, 0.2), (0.9, 0.6, 1.2, 0.5), bins=bins,
            bins_route="exact", band_reason="no band of weights",
        ),
        net_benefit=benefits,
        risks=risks,
        top=top,
        cuts=(CutFact(name="f1", direction="higher", reason="nothing to find"),),
        absent={"thresholds": "one_class"},
    )  # fmt: skip


def lines(facts, form="table"):
    return [
        " ".join(line.split()) for line in render_thresholds(facts, form, details=True).splitlines()
    ]


def test_each_part_has_its_numbers_and_each_gap_its_reason(on_record, whole):
    on_record(render_thresholds(whole, "markdown"))


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.2, "The 95% band of the whole calibration curve nowhere excludes the stated risk."),
        (0.01, "At which risks they are wrong cannot be told: the 95% band excludes none of them."),
    ],
)
def test_without_sure_regions_it_is_said_what_that_means(score, calibrated, p, said):
    found = calibrated(20, 15.5, (1.29, 0.81, 1.92, p))
    assert said in " ".join(lines(score(calibration=found)))
    regions = calibrated(20, 15.5, (1.29, 0.81, 1.92, p), regions=[("overestimates", 0.1, 0.3)])
    text = " ".join(lines(score(calibration=regions)))
    assert said not in text
    assert "overestimates 0.100 0.300 10 0.010 0.100" in text


def test_text_fits_80_columns_and_pages_hold_the_same(whole):
    text = sheet_as_text(sheet_of(whole), width=80, details=True)
    assert max(map(len, text.splitlines())) <= 80
    page = render_thresholds(whole, "html")
    for title in ("Ranking (ROC area) and losses", "Calibration",
                  "Net benefit per 1,000 cases (decision curve)", "Risks by outcome",
                  "Top of the list"):  # fmt: skip
        assert f"<h2>{title}</h2>" in page
        assert f"## {title}" in render_thresholds(whole, "markdown")


def test_groups_have_a_line_each_and_many_only_those_that_matter(score, measured, calibrated):
    def group(i, p):
        oe = measured("observed_expected", 1.25, 0.8, 1.9, p / 20, route="exact")
        return GroupCalibrationFact(
            group={"ward": f"w{i}"}, n=40, observed=10, expected=8.0, observed_expected=oe,
            adjusted_p_value=p, below=0.4, above=1.7,
        )  # fmt: skip

    def table(groups):
        found = calibrated(20, 15.5, (1.29, 0.81, 1.92, 0.2), groups=tuple(groups))
        return " ".join(lines(score(calibration=found)))

    few = table(group(i, 0.02 * (i + 1)) for i in range(3))
    assert "w0 40 10 8.0 1.250 0.800 to 1.900 0.020 0.40 to 1.70" in few
    assert "Intervals are Clopper-Pearson, of each group by itself." in few
    assert "left out" not in few
    many = table(group(i, 0.9 - 0.04 * i) for i in range(20))
    assert "w8 40" in many
    assert "w7 40" not in many
    assert "8 groups with a larger p left out: in the JSON." in many


def test_bins_without_intervals_claim_no_kind(score, calibrated):
    bins = (BinFact(low=0.0, high=0.2, n=5.5, n_positive=1.5, mean=0.1, observed=0.27),)
    found = calibrated(2, 1.5, (1.3, 0.8, 1.9, NAN), bins=bins, band_reason="weights")
    text = " ".join(lines(score(calibration=found)))
    assert "Intervals of the share observed" not in text
    assert "intervals by risk: weights" in text
