"""The downsampling experiment against sums in fractions and its own smaller parts."""

from fractions import Fraction

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError
from baserate.groups import Estimator, risks
from baserate.models import Multinomial
from oracles import small_sample_twins as twins
from papers.downsampling import downsampling

CELLS = {"a": (2, 1, 3, 2), "b": (4, 2, 1, 9)}
GROUPS = {
    name: ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
    for name, cells in CELLS.items()
}
NAMES = ["accuracy", "recall", "f1", "matthews_correlation"]


def expected(name, group, estimator, n, law):
    other = CELLS["b" if group == "a" else "a"]
    priors = {
        "raw": (0,) * 4,
        "add_one": (1,) * 4,
        "strength=5": [5 * Fraction(c, sum(other)) for c in other],
    }
    mass, _, mse = twins.risk(name, n, CELLS[group], priors[estimator], law)
    return float(mass), float(mse)


@pytest.mark.parametrize("replace", [True, False])
def test_every_error_in_fractions(replace):
    law = twins.multinomial if replace else twins.hypergeometric
    found = downsampling(GROUPS, NAMES, sizes=[2, 5], strengths=[5], replace=replace)
    assert found.estimators == ("raw", "epsilon", "add_one", "strength=5")
    assert found.mse.shape == (2, 4, 4, 2)
    for g, group in enumerate(found.groups):
        for m, name in enumerate(found.metrics):
            for estimator in ("raw", "add_one", "strength=5"):
                e = found.estimators.index(estimator)
                for i, n in enumerate(found.sizes):
                    mass, mse = expected(name, group, estimator, n, law)
                    assert found.mse[g, m, e, i] == pytest.approx(mse, rel=1e-11)
                    assert found.probability_defined[g, m, e, i] == pytest.approx(mass, rel=1e-12)
            assert found.truth[g, m] == pytest.approx(float(metrics.get(name)(GROUPS[group])))


def test_no_error_is_left_when_everyone_is_drawn_and_more_cannot_be():
    found = downsampling(GROUPS, NAMES, sizes=[8, 9], strengths=[], replace=False)
    np.testing.assert_allclose(found.of("raw")[0, :, 0], 0, atol=1e-30)
    assert np.isnan(found.of("raw")[0, :, 1]).all()
    assert not np.isnan(found.of("raw")[1]).any()


@pytest.mark.slow
def test_processes_give_the_same():
    alone = downsampling(GROUPS, NAMES, sizes=[3, 6], strengths=[5])
    shared = downsampling(GROUPS, NAMES, sizes=[3, 6], strengths=[5], processes=2)
    np.testing.assert_array_equal(alone.mse, shared.mse)


def test_failures_are_where_the_ratio_is_above_one():
    far = {"a": ConfusionMatrix(tp=50, fn=1, fp=1, tn=1)}
    found = downsampling(far, ["base_rate", "recall"], sizes=[5, 50], reference=(1, 1, 50, 50))
    ratios = found.ratios("strength=40")
    assert ratios[0, 0, 1] == pytest.approx(
        found.of("strength=40")[0, 0, 1] / found.of("epsilon")[0, 0, 1]
    )
    failures = found.failures("strength=40")
    assert [f.metric for f in failures] == ["base_rate", "recall"]
    assert failures[0].worst >= failures[1].worst
    assert found.failures("raw", against="raw") == ()


def test_references_of_each_group():
    by_name = {"a": (1, 2, 3, 4), "b": GROUPS["a"]}
    found = downsampling(GROUPS, ["f1"], sizes=[7], strengths=[5], reference=by_name)
    smooth = Estimator.toward((1, 2, 3, 4), strength=5)
    [one] = risks("f1", Multinomial(n=7, cells=GROUPS["a"]), [smooth])
    assert found.of("strength=5")[0, 0, 0] == pytest.approx(one.mse, rel=1e-13)
    assert found.bias[0, 0, 3, 0] == pytest.approx(one.bias, rel=1e-13)


def test_refusals():
    own = metrics.define("own", lambda tp, fn, fp, tn: tp / (tp + fn))
    with pytest.raises(InvalidArgumentError, match=r"metrics are given by name.*'own'"):
        downsampling(GROUPS, [own], sizes=[3], processes=2)
    with pytest.raises(InvalidArgumentError, match="sizes must be at least 1"):
        downsampling(GROUPS, ["f1"], sizes=[0])
    with pytest.raises(InvalidArgumentError, match=r"reference for every group.*none for 'b'"):
        downsampling(GROUPS, ["f1"], sizes=[3], reference={"a": (1, 1, 1, 1)})
    found = downsampling(GROUPS, ["f1"], sizes=[3], strengths=[5])
    with pytest.raises(InvalidArgumentError, match="estimator must be one of raw, epsilon"):
        found.of("strength=7")
