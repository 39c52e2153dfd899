"""A metric of one's own: each table has its own value, whatever the others in its batch."""

from dataclasses import replace

import numpy as np
import pytest

from baserate import ConfusionMatrix
from baserate.errors import BaserateError, DefinitionError, InvalidArgumentError
from baserate.metrics import define, get, robust_f, utility
from baserate.metrics.ties import size_of

NOISE = np.random.default_rng(1)
REDUCING = {
    "scaled by the batch": lambda tp, fn, fp, tn: tp / np.max(tp + fn + fp + tn),
    "centred by the batch": lambda tp, fn, fp, tn: tp - np.mean(fp),
    "ranked in the batch": lambda tp, fn, fp, tn: np.argsort(np.argsort(tp)) + 0.0 * fn,
    "cumulated": lambda tp, fn, fp, tn: np.cumsum(tp, axis=-1),
    "sorted": lambda tp, fn, fp, tn: np.sort(tp - fn),
    "along the last axis": lambda tp, fn, fp, tn: tp / (1 + np.max(tp, axis=-1, keepdims=True)),
    "random": lambda tp, fn, fp, tn: tp + NOISE.normal(size=np.shape(tp)),
}


@pytest.mark.parametrize("kind", REDUCING)
def test_formulas_over_the_batch_are_refused(kind):
    alone = kind in {"ranked in the batch", "cumulated", "sorted"}  # cannot take a single table
    rule = r"got .\w+Error: " if alone else r"same value whatever other tables.*np\.mean"
    with pytest.raises(DefinitionError, match=rule):
        define("own", REDUCING[kind], direction="neither")


@pytest.mark.parametrize(
    "formula",
    [
        lambda tp, fn, fp, tn: 1.0,
        lambda tp, fn, fp, tn: np.mean(tp),
        lambda tp, fn, fp, tn: np.max(tp) / np.max(tp + fn),
    ],
)
def test_results_of_another_shape_are_refused(formula):
    with pytest.raises(
        DefinitionError, match=r"return an array of their shape, got .shape \(.*0 \* tp"
    ):
        define("own", formula)


def test_formulas_that_take_one_table_or_one_axis_are_refused():
    with pytest.raises(DefinitionError, match=r"got .ValueError: "):
        define("own", lambda tp, fn, fp, tn: tp / (tp + fn) if tp > fn else fn)
    with pytest.raises(DefinitionError, match=r"got .TypeError: "):
        define("own", lambda tp, fn, fp, tn: np.array([a + b for a, b in zip(tp, fn, strict=True)]))


@pytest.mark.parametrize(
    "formula",
    [
        lambda tp, fn, fp, tn: 0 * tp + 1.0,
        lambda tp, fn, fp, tn: np.ones_like(tp),
        lambda tp, fn, fp, tn: np.log(tp / fn) - np.log(fp / tn),
        lambda tp, fn, fp, tn: np.where(tp > fn, tp / (tp + fn), np.exp(-fp)),
        lambda tp, fn, fp, tn: np.maximum(tp, fn) / (tp + fn + fp + tn),
        lambda tp, fn, fp, tn: get("mcc").formula(tp, fn, fp, tn) ** 3,
    ],
)
def test_what_is_elementwise_is_taken(formula):
    own = define("own", formula, direction="neither")
    rows = np.arange(48).reshape(4, 3, 4) % 7
    batch = own(ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), rows, strict=True))))
    for i in np.ndindex(3, 4):
        one = own(ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), rows[:, *i], strict=True))))
        np.testing.assert_allclose(one, batch[i], rtol=1e-12)


def test_what_is_infinite_for_numbers_of_many_digits_has_no_value():
    def formula(tp, fn, fp, tn):
        return np.where(fp > 0, tp / np.maximum(fp, 1), np.inf)

    per_alarm = define("own", formula)
    vast = 10**30
    cells = (np.array(c, object) for c in ([vast, vast], [0, 0], [0, 4], [1, 1]))
    assert str(per_alarm.formula(*cells).tolist()) == f"[nan, {vast / 4}]"


@pytest.mark.parametrize("name", ["accuracy", "MCC", "", "a,b", "f(x)"])
def test_names_that_are_taken_or_cannot_be_written(name):
    with pytest.raises(DefinitionError, match="choose another"):
        define(name.lower(), lambda tp, fn, fp, tn: tp - fn)


def test_a_sum_of_cells_is_one_of_the_four():
    with pytest.raises(InvalidArgumentError, match=r"must hold sums of tp, fn, fp, tn, .*tp\+fp"):
        replace(get("precision"), undefined_if_zero=("tp+hits",))


def test_a_metric_without_values_has_the_size_of_one():
    never = define("never", lambda tp, fn, fp, tn: np.nan * tp)
    assert tuple(size_of(never)) == (1.0, 1.0, 0.0)


def test_parameters_that_make_no_metric():
    with pytest.raises(InvalidArgumentError, match="make c smaller"):
        robust_f(d0=0.1, d1=0.2, c=0.4)
    for matrix in ([[1, 2, 3], [4, 5, 6]], [[1, np.inf], [0, 0]], [[1e101, 0], [0, 0]], [1, 2]):
        with pytest.raises(InvalidArgumentError, match="must be a 2x2 array of numbers from"):
            utility(matrix)
    with pytest.raises(InvalidArgumentError, match=r"base_rate must .*got 'half'"):
        get("recall.at_base_rate(half)")
    for beta in ("1e400", f"1{'0' * 400}", "1e-320", "1e200"):
        with pytest.raises(InvalidArgumentError, match=r"beta must (lie in|be at)"):
            get(f"f_beta(beta={beta})")
    for name in ("robust_f(d0=1e308)", "robust_f(d0=1, d1=1e101)", "robust_mcc(d=1e101)"):
        with pytest.raises(InvalidArgumentError, match=r"must be at most 1e.100, got 1e"):
            get(name)
    for name in (
        f"robust_f(d0={'[' * 300}",
        "f_beta(1)(2)",
        "f_beta(1) + f(2)",
        f"recall.at_base_rate({'(' * 900})",
    ):
        with pytest.raises(BaserateError):
            get(name)
