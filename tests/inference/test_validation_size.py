"""Sizes of validations, against pmvalsampsize, closed forms, simple sums and simulated studies."""

import json
from math import asinh, log, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, special, stats

from baserate.errors import InvalidArgumentError
from baserate.inference.validation_size import risk_law, validation_sample_size

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "validation_sizes.json").read_text())
Z = stats.norm.ppf(0.975)


def criteria(**kwargs):
    return validation_sample_size(**kwargs).criteria


@pytest.mark.parametrize("example", GOLDEN["examples"], ids=lambda e: f"{e['source']} {e['slope']}")
def test_what_pmvalsampsize_finds(example):
    laws = {name: example[name] for name in ("linear_predictor", "beta") if name in example}
    found = criteria(
        base_rate=example["base_rate"], auc=example["auc"], oe_width=example["oe_width"], **laws
    )
    assert found["auc"].n == example["auc_n"]
    # Its standard error of log O:E is the exact one rounded up to a multiple of 0.0001.
    step = 1e-4 / found["oe"].standard_error
    assert example["oe"] <= found["oe"].n <= example["oe"] * (1 + 2.1 * step) + 1
    # Its slope is simulated, an information that is a mean over cases with heavy tails; without a
    # stated law it first searches one that has the base rate up to 0.0005.
    spread = (5 if laws else 8) / sqrt(example["simulated"])
    assert found["slope"].n == pytest.approx(example["slope"], rel=spread)


def test_a_beta_law_has_a_closed_form():
    """Weighted by p (1 - p), Beta(a, b) is Beta(a + 1, b + 1): its log odds have known variance."""
    for a, b in ((0.5, 0.5), (1.33, 1.75), (40, 900), (0.2, 7)):
        weight = a * b / ((a + b) * (a + b + 1))
        spread = special.polygamma(1, a + 1) + special.polygamma(1, b + 1)
        law = risk_law(beta=(a, b))
        assert law.slope_variance == pytest.approx(1 / (weight * spread), rel=1e-11)
        assert law.base_rate == pytest.approx(a / (a + b), rel=1e-12)


def test_a_normal_law_by_adaptive_quadrature():
    mean, sd = -1.75, 1.22

    def moment(function):
        return integrate.quad(
            lambda x: stats.norm.pdf(x, mean, sd) * function(x),
            -20,
            20,
            points=(-1.75,),
            epsabs=1e-12,
        )[0]

    def weight(x):
        return special.expit(x) * special.expit(-x)

    i0, i1, i2 = (moment(lambda x, k=k: weight(x) * x**k) for k in range(3))
    law = risk_law(linear_predictor=(mean, sd))
    assert law.slope_variance == pytest.approx(i0 / (i0 * i2 - i1 * i1), rel=1e-9)
    assert law.base_rate == pytest.approx(moment(special.expit), rel=1e-10)


def test_two_normal_classes_have_the_area_they_were_asked_for():
    for auc, pi in ((0.8, 0.018), (0.6, 0.4), (0.99, 0.2)):
        law = risk_law(auc=auc, base_rate=pi, threshold=0.1)
        assert law.auc == pytest.approx(auc, abs=1e-12)
        assert law.base_rate == pytest.approx(pi, rel=1e-12)
        sd, middle = sqrt(2) * stats.norm.ppf(auc), log(pi / (1 - pi))
        cut = log(0.1 / 0.9)
        recall, specificity = law.rates(0.1)
        assert recall == pytest.approx(stats.norm.sf(cut, middle + sd**2 / 2, sd), rel=1e-10)
        assert specificity == pytest.approx(stats.norm.cdf(cut, middle - sd**2 / 2, sd), rel=1e-10)


def test_scores_of_a_pilot_are_a_law_with_ties():
    p = np.array([0.1, 0.1, 0.3, 0.8])
    law = risk_law(scores=p, threshold=0.3)
    pairs = [
        a * (1 - b) * (1.0 if a > b else 0.5 if a == b else 0.0) for a in p for b in p
    ]  # each score positive with its own probability, against each
    assert law.auc == pytest.approx(sum(pairs) / (p.sum() * (1 - p).sum()), rel=1e-14)
    assert law.base_rate == pytest.approx(p.mean())
    recall, specificity = law.rates(0.3)
    assert recall == pytest.approx(1.1 / 1.3)
    assert specificity == pytest.approx(1.8 / 2.7)
    w, x = p * (1 - p) / 4, np.log(p / (1 - p))
    i0, i1, i2 = (float(w @ x**k) for k in range(3))
    assert law.slope_variance == pytest.approx(i0 / (i0 * i2 - i1 * i1), rel=1e-12)


def test_a_law_of_risks_says_its_base_rate():
    """Beta(1, 4) has mean 0.2; O:E asks of risks no more than that."""
    only = {"slope_width": None, "auc_width": None, "net_benefit_width": None}
    stated = validation_sample_size(base_rate=0.2, **only)
    assert validation_sample_size(beta=(1, 4), **only).n == stated.n


def test_one_case_fewer_is_too_few():
    kwargs = {"base_rate": 0.1, "auc": 0.75, "threshold": 0.15}
    found = criteria(**kwargs)
    law = risk_law(**kwargs)
    recall, specificity = law.rates(0.15)
    w = 9 * 0.15 / 0.85

    def oe(n):
        return 2 * np.sinh(Z * sqrt(9 / n))

    def slope(n):
        return 2 * Z * sqrt(law.slope_variance / n)

    def auc(n):
        more = (n / 2 - 1) * (0.25 / 1.25 + 0.75 / 1.75)
        return 2 * Z * sqrt(0.75 * 0.25 * (1 + more) / (n * n * 0.09))

    def benefit(n):
        parts = recall * (1 - recall) / 0.1, w**2 * specificity * (1 - specificity) / 0.9
        return 2 * Z * sqrt((sum(parts) + w**2 * (1 - specificity) ** 2 / 0.09) / n)

    for name, width in (("oe", oe), ("slope", slope), ("auc", auc), ("net_benefit", benefit)):
        asked, n = found[name].width, found[name].n
        assert width(n) <= asked < width(n - 1)
        assert found[name].high - found[name].low == pytest.approx(width(n), rel=1e-9)
    assert found["net_benefit"].value == pytest.approx(recall - w * (1 - specificity), rel=1e-12)


def test_published_equations_in_plain_numbers():
    """Riley et al., section 3.4: recall 0.6, specificity 0.88, 72% positive, threshold 0.8."""
    found = criteria(
        base_rate=0.72, recall=0.6, specificity=0.88, threshold=0.8, slope_width=None, oe_width=None
    )
    w = 0.28 / 0.72 * 4
    variance = 0.24 / 0.72 + w**2 * (0.88 * 0.12 / 0.28 + 0.12**2 / (0.72 * 0.28))
    assert list(found) == ["net_benefit"]
    assert found["net_benefit"].n == int(np.ceil(variance * (2 * Z / 0.2) ** 2))
    assert found["net_benefit"].value == pytest.approx(0.6 - w * 0.12)


def test_the_largest_criterion_binds():
    found = validation_sample_size(base_rate=0.1, auc=0.75)
    assert (found.binding, found.n) == ("slope", found.criteria["slope"].n)
    assert float(found) == found.n
    assert found.events == pytest.approx(found.n / 10)
    assert (found.law_base_rate, found.law_auc) == pytest.approx((0.1, 0.75))
    wide = validation_sample_size(base_rate=0.1, auc=0.75, slope_width=None)
    assert (wide.binding, wide.law_auc) == ("oe", None)
    only = validation_sample_size(base_rate=0.1, slope_width=None, oe=1.2, oe_width=0.3)
    assert only.n == int(np.ceil(9 * (Z / asinh(0.3 / 2.4)) ** 2))


def test_wrong_arguments():
    with pytest.raises(InvalidArgumentError, match="a law of the predicted risks must be stated"):
        validation_sample_size(base_rate=0.1)
    with pytest.raises(InvalidArgumentError, match="auc must exceed"):
        validation_sample_size(base_rate=0.1, auc=0.5)
    with pytest.raises(InvalidArgumentError, match="one law"):
        validation_sample_size(beta=(1, 2), linear_predictor=(0, 1))
    with pytest.raises(InvalidArgumentError, match=r"scores must lie in \(0, 1\)"):
        validation_sample_size(scores=[0.1, 1.0])
    with pytest.raises(InvalidArgumentError, match=r"oe must .* got -1: 1 is usual"):
        validation_sample_size(base_rate=0.1, auc=0.75, oe=-1)
    with pytest.raises(InvalidArgumentError, match="at least one interval"):
        validation_sample_size(base_rate=0.1, oe_width=None, slope_width=None, auc_width=None)
    with pytest.raises(InvalidArgumentError, match="base_rate must be stated"):
        validation_sample_size(slope_width=None)
    with pytest.raises(InvalidArgumentError, match="oe_width"):
        validation_sample_size(base_rate=0.1, slope_width=None, oe_width=0)
    with pytest.raises(InvalidArgumentError, match="linear_predictor must be two numbers"):
        validation_sample_size(linear_predictor=3)
