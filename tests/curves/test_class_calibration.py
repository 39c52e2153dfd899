"""`br.calibration` of probabilities of several classes."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from statsmodels.stats.multitest import multipletests

import baserate as br
from baserate.errors import InvalidArgumentError, LabelError

RNG = np.random.default_rng(7)


@pytest.fixture(scope="module")
def digits():
    data, y = load_digits(return_X_y=True)
    return y, (cross_val_predict(GaussianNB(), data, y, method="predict_proba") + 1e-3) / 1.01


def test_each_class_is_that_class_against_the_rest(digits):
    y, p = digits
    found = br.calibration(y, p)
    assert found.labels == tuple(range(10))
    for k, one in enumerate(found.classes):
        assert one.to_dict() == br.calibration(y == k, p[:, k]).to_dict()
        assert found.of(k) is one
    right, most = p.argmax(axis=1) == y, p.max(axis=1)
    assert found.confidence.to_dict() == br.calibration(right, most).to_dict()
    with pytest.raises(LabelError, match="label must be one of the classes, got 10"):
        found.of(10)


@pytest.mark.slow
def test_tests_are_adjusted_as_statsmodels_adjusts_them(digits):
    y, p = digits
    found = br.calibration(y, p)
    raw = [one.observed_expected.p_value for one in found.classes]
    raw += [one.slope.p_value for one in found.classes]
    expected = multipletests(raw, method="holm")[1]
    assert np.allclose([*found.p_in_the_large, *found.p_slope], expected, rtol=1e-12)
    rejected = {k % 10 for k in np.flatnonzero(expected < 0.05)}
    assert set(found.miscalibrated) == rejected


@pytest.mark.slow
def test_right_probabilities_are_rarely_blamed():
    blamed = 0
    for _ in range(60):
        p = RNG.dirichlet([1.0, 1.0, 0.5], 150)
        y = (RNG.random((150, 1)) > p.cumsum(axis=1)).sum(axis=1)
        blamed += bool(br.calibration(y, p, labels=[0, 1, 2]).miscalibrated)
    assert blamed <= 8  # P(more) is below 0.01 at 5%


def test_two_columns_are_the_second_one():
    p = RNG.random(50)
    y = (RNG.random(50) < p).astype(int)
    both = br.calibration(y, np.column_stack((1 - p, p)))
    assert both.to_dict() == br.calibration(y, p).to_dict()


@pytest.mark.slow
def test_weights_leave_no_test_in_the_large(digits):
    y, p = digits
    weight = RNG.uniform(0.5, 2, len(y))
    found = br.calibration(y, p, sample_weight=weight)
    assert np.isnan(found.p_in_the_large).all()
    raw = [one.slope.p_value for one in found.classes]
    assert np.allclose(found.p_slope, multipletests(raw, method="holm")[1], rtol=1e-12)


def test_what_has_no_meaning_is_refused():
    y, p = [0, 1, 2], np.full((3, 3), 0.5)
    with pytest.raises(InvalidArgumentError, match="y_score must sum to one in each row"):
        br.calibration(y, p)
    with pytest.raises(InvalidArgumentError, match="labels has no meaning beside the scores of"):
        br.calibration([0, 1], [0.1, 0.9], labels=[0, 1])
    with pytest.raises(InvalidArgumentError, match="pos_label has no meaning beside scores of"):
        br.calibration(y, p, pos_label=1)


def test_the_picture_is_that_of_the_largest_probability(digits):
    drawn = br.calibration(*digits).plot(plot=False)
    assert drawn.picture.y.label == 'Observed share "right"'
    assert "<svg" in str(drawn.to_svg())
