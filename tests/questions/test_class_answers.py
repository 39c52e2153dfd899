"""Numbers of lists and of draws of several classes, against Python's own statistics."""

from math import isnan, log, nan, sqrt
from statistics import mean, pstdev, stdev, variance

import numpy as np
import pytest

from baserate.errors import InvalidArgumentError
from baserate.metrics import average
from baserate.models import ClassHypergeometric
from baserate.questions import expect
from baserate.questions.listed_laws import listed_law, quantile_of, tail
from baserate.questions.moments import _sample_variance
from baserate.questions.quantiles import _sample_quantile
from baserate.questions.question import error_of_mean
from baserate.questions.several_classes import affine_in_hits, class_share, micro_at_hits

DRAWS = [0.25, 0.5, 0.5, 1.0, 2.0, 3.5, 3.5]


def test_means_and_variances_of_draws_have_the_usual_errors():
    value, error = error_of_mean(np.array(DRAWS))
    assert (value, error) == pytest.approx((mean(DRAWS), stdev(DRAWS) / sqrt(7)), rel=1e-13)
    value, error = _sample_variance(np.array(DRAWS))
    squares = [(x - mean(DRAWS)) ** 2 for x in DRAWS]
    assert (value, error) == pytest.approx((variance(DRAWS), pstdev(squares) / sqrt(7)), rel=1e-13)


def test_shares_and_quantiles_of_draws():
    draws = np.array(DRAWS)
    assert class_share(0.5, draws, above=True)[0] == pytest.approx(4 / 7, rel=1e-14)
    assert class_share(0.5, draws, above=False)[0] == pytest.approx(3 / 7, rel=1e-14)
    assert class_share(0.5 - 1e-14, draws, above=True)[0] == pytest.approx(4 / 7, rel=1e-14)
    assert class_share(0.5 - 1e-9, draws, above=True)[0] == pytest.approx(6 / 7, rel=1e-14)
    many = np.arange(1.0, 10_001)
    value, error = _sample_quantile(0.3, many)
    assert value == 3000
    assert error == pytest.approx(10_000 * sqrt(0.3 * 0.7 / 10_000), rel=0.02)
    assert _sample_quantile(0.0, many)[0] == 1
    assert _sample_quantile(1.0, many)[0] == 10_000


@pytest.mark.parametrize("power", [0, -100])
def test_lists_put_together_what_rounding_parts_whatever_the_unit(power):
    unit = 2.0**power
    values = unit * np.array([0.3, 0.1 + 0.2, nan, 0.5, -1.0, 7.0])
    found = listed_law(values, np.array([0.1, 0.2, 0.25, 0.15, 0.3, 0.0]), "enumeration")
    assert found.values.tolist() == [-unit, 0.3 * unit, 0.5 * unit]
    assert found.weights == pytest.approx([0.3, 0.3, 0.15], rel=1e-14)
    assert (found.undefined, found.gaps, found.route) == (0.25, True, "enumeration")
    sure = listed_law(np.array([2.0, 1.0]), np.array([0.5, 0.5]), "hits")
    assert (sure.undefined, sure.gaps) == (0.0, False)


def test_what_is_undefined_is_no_more_than_certain():
    never = listed_law(np.array([nan, nan]), np.array([0.5, 0.5 + 1e-15]), "enumeration")
    assert (never.undefined, never.gaps, never.values.tolist()) == (1.0, True, [])


@pytest.mark.parametrize(
    ("x", "instead", "below"),
    [
        (-1, None, 0.4),
        (-1 - 1e-9, None, 0.0),
        (0.1 + 0.2, None, 0.8),
        (0.49, None, 0.8),
        (0.5, None, 1.0),
        (0.49, 0.4, 0.85),
        (0.49, 0.6, 0.6),
        (nan, None, nan),
    ],
)
def test_tails_of_lists(x, instead, below):
    values, weights = np.array([-1.0, 0.3, 0.5, nan]), np.array([0.3, 0.3, 0.15, 0.25])
    law = listed_law(values, weights, "enumeration")
    found = tail(law, instead, x, above=False), tail(law, instead, x, above=True)
    assert found == pytest.approx((below, 1 - below), abs=1e-14, nan_ok=True)
    with pytest.raises(InvalidArgumentError, match="number"):
        tail(law, None, "half", above=True)


@pytest.mark.parametrize(
    ("q", "instead", "wanted"),
    [
        (0.0, None, -1.0),
        (0.4, None, -1.0),
        (0.4 + 1e-9, None, 0.3),
        (0.8, None, 0.3),
        (1.0, None, 0.5),
        (0.31, 0.0, 0.0),
        (0.55, 0.0, 0.0),
        (0.56, 0.0, 0.3),
        (1.0, 9.0, 9.0),
        (0.75, 9.0, 0.5),
    ],
)
def test_quantiles_of_lists(q, instead, wanted):
    values, weights = np.array([-1.0, 0.3, 0.5, nan]), np.array([0.3, 0.3, 0.15, 0.25])
    assert quantile_of(listed_law(values, weights, "enumeration"), instead, q) == wanted


def test_lists_without_a_value():
    law = listed_law(np.array([nan, nan]), np.array([0.5, 0.5]), "enumeration")
    assert isnan(quantile_of(law, None, 0.5))
    assert isnan(tail(law, None, 0.5, above=True))
    assert quantile_of(law, 2.0, 0.5) == 2.0
    assert tail(law, 2.0, 1.0, above=True) == 1.0
    assert log(tail(law, 2.0, 1.0, above=True)) == 0.0


@pytest.mark.parametrize(
    ("name", "n", "size", "line"),
    [
        # h of n cases are right: tp = h, fn = fp = n - h, tn = n (K - 2) + h, of all classes.
        ("recall", 10, 4, (0, 1)),
        ("f1", 3, 3, (0, 1)),
        ("false_positive_rate", 1000, 5, (1 / 4, -1 / 4)),
        ("accuracy", 40, 5, (3 / 5, 2 / 5)),
        ("false_negatives", 8, 3, (8, -8)),
        ("false_negatives", 99_991, 3, (99_991, -99_991)),
        ("jaccard", 10, 4, None),
        ("matthews_correlation", 700, 3, (-1 / 2, 3 / 2)),
    ],
)
def test_micro_averages_go_by_right_cases(name, n, size, line):
    metric = average(name, "micro")
    found = affine_in_hits(metric, n, size)
    assert (found is None) == (line is None)
    if line is not None:
        assert found == pytest.approx(line, rel=1e-13)
    hits = np.arange(n + 1)
    wrong, tn = n - hits, n * (size - 2) + hits
    wanted = hits / (hits + 2 * wrong) if name == "jaccard" else line[0] + line[1] * hits / n
    assert micro_at_hits(metric, hits, n, size) == pytest.approx(wanted, abs=1e-12)
    assert ((hits + 2 * wrong + tn) == n * size).all()


@pytest.mark.parametrize("undefined", ["omit", "propagate", "raise", 0.0])
def test_averages_that_are_always_defined_need_no_policy(undefined):
    model = ClassHypergeometric(class_counts=[3, 5, 2], predicted_counts=[4, 2, 4])
    found = expect("macro_recall", model, undefined=undefined)
    assert found.value == pytest.approx(1 / 3, rel=1e-14)
    assert (found.route, found.undefined) == ("one versus rest", 0)
