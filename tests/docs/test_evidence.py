"""What the page of evidence says of its pictures is what they show."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from docs.scripts import DOCS, module

PICTURES = module("evidence_pictures")
PAGE = (DOCS / "explanations" / "evidence.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("method", "mean", "least"),
    [
        ("bayes", "95.1%", "89.3% (0.117)"),
        ("wilson", "95.3%", "83.7% (0.00888)"),
        ("exact", "97.7%", "95.8% (0.491)"),
    ],
)
def test_coverage_is_what_the_page_says(method, mean, least):
    line = next(mark for mark in PICTURES.coverage().marks if mark.key == method)
    worst = np.argmin(line.y)
    assert f"{np.trapezoid(line.y, line.x):.1%}" == mean
    assert f"{line.y[worst]:.1%} ({line.x[worst]:.3g})" in {least, least.replace("0.491", "0.509")}
    assert mean in PAGE
    assert least in PAGE


def test_the_exact_interval_holds_what_clopper_and_pearson_promise():
    line = next(mark for mark in PICTURES.coverage().marks if mark.key == "exact")
    found = np.arange(21)
    low = np.nan_to_num(beta.ppf(0.025, found, 21 - found))
    high = np.nan_to_num(beta.ppf(0.975, found + 1, 20 - found), nan=1)
    p = line.x[:, None]
    expected = (binom.pmf(found, 20, p) * ((low <= p) & (p <= high))).sum(axis=1)
    np.testing.assert_allclose(line.y, expected, rtol=1e-12)
    assert expected.min() >= 0.95


@pytest.mark.slow
def test_the_test_of_a_group_keeps_its_level():
    lines = [mark for mark in PICTURES.size().marks if mark.key.startswith("recall")]
    assert len(lines) == 3
    assert max(np.max(line.y) for line in lines) <= 0.05


def test_every_package_of_the_record_has_a_row():
    (points,) = PICTURES.mutants().marks
    assert ((points.x_low <= points.x) & (points.x <= points.x_high)).all()
    assert f"{len(points.x)}" == str(len(PICTURES.mutants().y.ticks))
