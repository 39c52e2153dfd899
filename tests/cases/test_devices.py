import array_api_strict as xp
import numpy as np
import pytest

from baserate.cases import columns, confusion_matrix, count_labels, devices
from baserate.cases.arrays import read_arrays
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError

TRUTH = [1, 0, 1, 1, 0, 0, 1]
PREDICTION = [1, 1, 0, 1, 0, 0, 1]
TABLE = ConfusionMatrix(tp=3, fn=1, fp=1, tn=2)


def tensor(values):
    return pytest.importorskip("torch").tensor(values)


LIBRARIES = {"array-api-strict": xp.asarray, "torch": tensor}
each_library = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES)


@pytest.fixture(autouse=True)
def stay_on_device(monkeypatch):
    def moved(argument, _values):
        raise AssertionError(f"{argument} left its device")

    monkeypatch.setattr(columns, "to_host", moved)


@each_library
@pytest.mark.parametrize("kind", [bool, int, float])
def test_counted_where_they_live(make, kind):
    columns = [make([kind(value) for value in values]) for values in (TRUTH, PREDICTION)]
    counted = count_labels(*columns)
    assert counted.table == TABLE
    assert type(counted.positive) is kind
    assert counted.labels == (0, 1)


@each_library
def test_more_labels(make):
    truth, prediction = make([3, 1, 2, 3, 2, 1, 3]), make([3, 3, 2, 1, 2, 1, 3])
    assert confusion_matrix(truth, prediction, pos_label=3) == ConfusionMatrix(
        tp=2, fn=1, fp=1, tn=3
    )
    with pytest.raises(
        LabelError, match=r"3 labels were found .*y_true holds 1, 2, 3; pass pos_lab"
    ):
        confusion_matrix(truth, prediction)


@each_library
def test_chunks_add_up(make, monkeypatch):
    monkeypatch.setattr(devices, "CHUNK", 3)
    cases = read_arrays(make([2, *TRUTH]), {"y_pred": make([2, *PREDICTION])})
    sides = (cases.truth, cases.predictions["y_pred"])
    pairs = zip(*([side.labels[k] for k in side.codes] for side in sides), strict=True)
    found = dict(zip(pairs, cases.count.tolist(), strict=True))
    assert found == {(1, 1): 3, (1, 0): 1, (0, 1): 1, (0, 0): 2, (2, 2): 1}


@each_library
def test_missing_labels(make):
    nan = float("nan")
    truth, prediction = make([nan, *map(float, TRUTH)]), make([nan, *map(float, PREDICTION)])
    with pytest.raises(MissingValueError, match="1 in 'y_true', 1 in 'y_pred'"):
        confusion_matrix(truth, prediction)
    counted = count_labels(truth, prediction, missing="drop")
    assert (counted.table, counted.n_missing) == (TABLE, 1)


@each_library
def test_weights(make):
    weights = [0.5, 1.0, 2.0, 0.25, 1.0, float("nan"), 0.0]
    columns = make(TRUTH), make(PREDICTION)
    with pytest.raises(MissingValueError, match="1 in 'sample_weight'"):
        confusion_matrix(*columns, sample_weight=make(weights))
    counted = count_labels(*columns, sample_weight=make(weights), missing="drop")
    assert counted.table == ConfusionMatrix(tp=0.75, fn=2.0, fp=1.0, tn=1.0)
    assert (counted.n, counted.n_missing) == (5, 1)  # one weight is 0
    squares = 0.25 + 1 + 4 + 0.0625 + 1
    assert counted.effective_n == pytest.approx(4.75**2 / squares, rel=1e-12)


def test_an_array_says_itself_what_its_functions_are():
    class Foreign:
        def __array_namespace__(self):
            return xp

    assert devices.namespace_of(Foreign()) is xp


@each_library
@pytest.mark.parametrize("bad", [-1.0, float("inf")])
def test_weights_that_are_refused(make, bad):
    weights = make([bad, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])  # one of three in its cell
    message = f"sample_weight must be non-negative and finite, got {bad}"
    with pytest.raises(InvalidArgumentError, match=message):
        confusion_matrix(make(TRUTH), make(PREDICTION), sample_weight=weights)


@each_library
def test_shapes(make):
    with pytest.raises(LabelError, match=r"y_pred must be one-dimensional, got \(7, 2\)"):
        confusion_matrix(make(TRUTH), make([[value] * 2 for value in PREDICTION]))
    with pytest.raises(LabelError, match=r"y_pred must have as many cases as y_true \(7\), got 6"):
        confusion_matrix(make(TRUTH), make(PREDICTION[:6]))


@each_library
def test_scores_are_refused(make):
    with pytest.raises(LabelError, match="y_pred must hold labels, but looks like scores"):
        confusion_matrix(make(TRUTH), make([0.9, 0.8, 0.1, 0.7, 0.2, 0.3, 0.6]))


class TestOnTheProcessor:
    @pytest.fixture(autouse=True)
    def stay_on_device(self):
        """Moving is what these cases are for."""

    @each_library
    def test_another_library_beside_it(self, make):
        assert confusion_matrix(TRUTH, make(PREDICTION)) == TABLE
        assert confusion_matrix(make(TRUTH), np.array(PREDICTION)) == TABLE

    @each_library
    def test_many_labels(self, make):
        labels = np.arange(100).repeat(3)
        guess = np.where(np.arange(300) % 3, labels, 7)
        found = confusion_matrix(make(labels.tolist()), make(guess.tolist()), pos_label=7)
        assert found == ConfusionMatrix(tp=3, fn=0, fp=99, tn=198)

    @each_library
    def test_groups(self, make):
        columns = {"y_pred": make([1, 1, 1])}
        cases = read_arrays(make([1, 0, 1]), columns, groups={"g": make([5, 6, 5])})
        assert cases.binary().counted().group_n == {(5,): 2, (6,): 1}


@each_library
def test_batches_of_a_training_loop_add_up(make):
    rng = np.random.default_rng(0)
    truth, logits = rng.random(1000) < 0.3, rng.normal(size=1000)
    total = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    for low in range(0, 1000, 64):
        labels = make(truth[low : low + 64].tolist())
        scores = make(logits[low : low + 64].tolist())
        total = total + confusion_matrix(labels, scores > 0, pos_label=True)
    assert total == ConfusionMatrix(
        tp=np.sum(truth & (logits > 0)),
        fn=np.sum(truth & (logits <= 0)),
        fp=np.sum(~truth & (logits > 0)),
        tn=np.sum(~truth & (logits <= 0)),
    )
