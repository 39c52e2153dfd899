"""A metric of one's own: each table has its own value, whatever the others in its batch."""

import numpy as np
import pytest

from baserate import ConfusionMatrix
from baserate.errors import DefinitionError
from baserate.metrics import define, get

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
