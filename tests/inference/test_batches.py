"""Intervals of many tables in one pass: those of each table alone, and within the tolerance."""

import numpy as np
import pytest

from baserate import ConfusionMatrix, errors
from baserate.inference import interval
from quick import one_in

CELLS = ("tp", "fn", "fp", "tn")
RNG = np.random.default_rng(11)
SIZES = RNG.integers(1, 51, 24)
SMALL = np.array([RNG.multinomial(n, RNG.dirichlet([3, 1, 1, 4])) for n in SIZES])
EDGES = [[0, 0, 0, 0], [5, 0, 0, 7], [0, 4, 3, 0], [9, 0, 0, 0], [0, 0, 0, 3], [1, 0, 49, 0]]
LARGE = np.array([[150, 28, 40, 382], [28, 23, 72, 2680], [60_000, 20_000, 40_000, 880_000]])


def batch(cells):
    return ConfusionMatrix(**dict(zip(CELLS, np.asarray(cells).T, strict=True)))


TABLES = batch(np.concatenate([EDGES, LARGE, SMALL]))


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    "name", one_in(3, ["mcc", "kappa", "informedness", "markedness", "f2", "yule_q"])
)
def test_the_default_is_right_to_a_millionth_of_the_width(name):
    usual, precise = interval(name, TABLES), interval(name, TABLES, tolerance=1e-11)
    width = precise.high - precise.low
    for end in ("low", "high"):
        off = np.abs(getattr(usual, end) - getattr(precise, end))
        assert not (off > 1e-6 * width).any()
    known = ~np.isnan(usual.value)
    assert (usual.error[known] <= 5e-6 * width[known]).all()  # stated with a margin


@pytest.mark.parametrize("name", one_in(4, ["informedness", "recall", "mcc", "f1"]))
def test_weighted_batches(name):
    weights = np.array([2.0, 2.0, 0.5, 0.5])
    cells = SMALL * weights + 0.0
    squared = batch(SMALL * weights**2)
    found = interval(name, batch(cells), squared_weights=squared)
    for i in range(0, len(cells), 5):
        one = interval(name, batch(cells)[i], squared_weights=squared[i])
        np.testing.assert_allclose(
            [found.low[i], found.high[i]], [one.low, one.high], rtol=1e-6, atol=1e-9
        )


def test_any_shape_and_every_method():
    grid = batch(SMALL[:6].reshape(2, 3, 4).transpose(0, 1, 2).reshape(6, 4))
    square = ConfusionMatrix(**{c: getattr(grid, c).reshape(2, 3) for c in CELLS})
    for method in ("bayes", "wilson", "exact", "bootstrap"):
        found = interval("accuracy", square, method=method, rng=1, n_resamples=200)
        assert found.low.shape == found.route.shape == (2, 3)
        assert (found.low <= found.value).all()
        assert (found.value <= found.high).all()
    assert interval("mcc", square)[1, 2] == interval("mcc", square)[1][2]


def test_undefined_tables_of_a_batch_are_nan():
    found = interval("precision", batch([[0, 3, 0, 5], [2, 1, 1, 4]]))
    assert np.isnan([found.value[0], found.low[0], found.high[0]]).all()
    assert found.route.tolist() == ["undefined", "jeffreys"]
    assert found.to_dict()["low"][0] is None
    assert found.reason.tolist() == ["nothing predicted positive (tp + fp = 0)", None]
    assert [one.reason for one in (found[0], found[1])] == found.reason.tolist()


def test_no_tables_at_all():
    none = interval("mcc", batch(np.zeros((0, 4))))
    assert none.low.shape == none.route.shape == (0,)


@pytest.mark.parametrize("tolerance", [0, -1e-6, 1, 1e-12, "fine", np.nan])
def test_tolerances_that_cannot_be_kept(tolerance):
    with pytest.raises(errors.InvalidArgumentError, match="tolerance must"):
        interval("mcc", TABLES[8], tolerance=tolerance)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", ["yule_y", "yule_q", "lr_minus", "f2"])
def test_the_error_holds_what_lies_beyond_the_last_node(name):
    tables = batch([[2, 0, 142, 174], [490, 151, 0, 4], [3304, 0, 22847, 154], [3, 2, 100, 10**6]])
    usual, precise = interval(name, tables), interval(name, tables, tolerance=1e-10)
    for end in ("low", "high"):
        off = np.abs(getattr(usual, end) - getattr(precise, end))
        assert (off <= usual.error + precise.error).all()
