"""Published counts of trillions: intervals and differences are those of normal laws."""

from statistics import NormalDist

import pytest

import baserate as br
from baserate import inference
from baserate.errors import UnsupportedError
from baserate.inference.paired import swapped_cases
from baserate.inference.separate_samples import compare_separate

Z = NormalDist().inv_cdf(0.975)
SIZES = [10**12, 10**15]


def tables(n):
    """Half of n cases are positive; recalls of .8, and .8 and two standard deviations."""
    k = n // 20
    step = round((0.16 * 2 * 2 * 10 * k) ** 0.5)  # recalls differ by two of their sd's
    a = br.ConfusionMatrix(tp=8 * k, fn=2 * k, fp=k, tn=9 * k)
    return a, br.ConfusionMatrix(tp=8 * k + step, fn=2 * k - step, fp=k, tn=9 * k)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("method", ["bayes", "exact"])
def test_an_interval_is_as_wide_as_the_normal_law_has_it(n, method):
    found = br.interval("recall", tables(n)[0], method=method)
    half = Z * (0.16 / (n / 2)) ** 0.5
    assert found.high - found.low == pytest.approx(2 * half, rel=3e-6)
    assert found.low == pytest.approx(0.8 - half, abs=1e-5 * half + 2e-16)


@pytest.mark.parametrize("n", SIZES)
def test_metrics_of_several_shares_are_as_wide_as_the_delta_method_has_it(n):
    informedness = ((0.16 + 0.09) / (n / 2)) ** 0.5
    # F1 = 2 h/(1 + h), with h = tp/(tp + fn + fp) = 8/11 of 11 n/20 cases.
    share = (8 / 11 * (3 / 11) / (11 * n / 20)) ** 0.5
    for name, sd in (("informedness", informedness), ("f1", share * 2 / (1 + 8 / 11) ** 2)):
        one = br.interval(name, tables(n)[0])
        assert one.high - one.low == pytest.approx(2 * Z * sd, rel=3e-6)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("cost", [None, {"fn": 3, "fp": 1}])
def test_a_difference_of_published_classifiers_is_that_of_normal_laws(n, cost):
    a, b = tables(n)
    found = br.compare({"a": a, "b": b}, metrics="recall", cost=cost).facts.pairs[0]
    worth = (3, 1) if cost else (1, 1)
    sd = (2 * (worth[0] ** 2 * 0.16 + worth[1] ** 2 * 0.09) / (n / 2)) ** 0.5 / 2
    gap = worth[0] * (float(a.tp) - float(b.tp)) / n
    assert found.difference == pytest.approx(gap, rel=1e-6)
    assert found.a_better == pytest.approx(1 - NormalDist(gap, sd).cdf(0), abs=3e-6)
    assert found.low == pytest.approx(gap - Z * sd, abs=3e-6 * sd)
    assert found.high == pytest.approx(gap + Z * sd, abs=3e-6 * sd)


@pytest.mark.parametrize("n", SIZES)
def test_recalls_and_pairs_of_answers_are_those_of_normal_laws(n):
    a, b = tables(n)
    one = compare_separate("recall", a, b)
    assert one.better == pytest.approx(NormalDist().cdf(-(2**0.5)), abs=3e-6)
    more = round((n / 2) ** 0.5)  # two standard deviations of a difference of n/2 cases
    found = inference.mcnemar_test(n // 4, n // 4 + more * 2)
    score = 2 * more / (n / 2 + 2 * more) ** 0.5
    assert found.mid_p == pytest.approx(2 * NormalDist().cdf(-score), rel=1e-8)
    assert found.mid_p < found.exact_p
    joint = [[[n // 4, 1], [n // 4, 2]], [[n // 4 + more, 2], [n, 1]]]
    # The same test of recall: more + n/2 positives are told apart.
    same = inference.mcnemar_test(n // 4, n // 4 + more).mid_p
    assert swapped_cases("recall", joint) == pytest.approx(same, rel=1e-6)


def test_an_audit_of_so_many_says_why_it_is_refused():
    with pytest.raises(UnsupportedError, match=r"exact laws of at most 5e\+10 cases a group"):
        br.audit(dict(zip("ab", tables(10**12), strict=True)))
