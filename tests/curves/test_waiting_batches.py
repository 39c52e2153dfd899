"""Small batches wait until they are as many as the rows kept, and nobody can tell."""

import copy
import pickle

import numpy as np
import pytest

import baserate as br
from baserate.curves.score_histogram import FEWEST
from baserate.errors import DataError, InvalidArgumentError

N, BATCH = 6_000, 250


def batches(seed=0):
    rng = np.random.default_rng(seed)
    y, score = rng.random(N) < 0.3, rng.random(N)
    return y, score, [slice(k, k + BATCH) for k in range(0, N, BATCH)]


def filled(bins=FEWEST):
    """Return a histogram some of whose batches wait, and one that counted the same at once."""
    y, score, parts = batches()
    made = br.ScoreHistogram(bins=bins)
    for part in parts[:-1]:
        made.add(y[part], score[part])
    end = parts[-1].start
    return made, br.ScoreHistogram(bins=bins).add(y[:end], score[:end])


def saved(histogram, folder):
    histogram.save(folder / "one.json")
    return (folder / "one.json").read_bytes()


READERS = {
    "rows": lambda one: [column.tolist() for column in one.rows],
    "level": lambda one: one.level,
    "n": lambda one: (one.n, one.n_positive, one.n_negative, one.exact),
    "sweep": lambda one: one.sweep().true_positives.tolist(),
    "repr": repr,
    "cases": lambda one: one.cases().n,
    "pickle": lambda one: repr(pickle.loads(pickle.dumps(one))),  # noqa: S301  our own
    "copy": lambda one: repr(copy.copy(one)),
    "deepcopy": lambda one: repr(copy.deepcopy(one)),
    "suppressed": lambda one: repr(one.suppressed(5)),
    "sum": lambda one: repr(one + one),
    "area": lambda one: br.roc_auc(one).value,
}


@pytest.mark.sweep(24, start=3)
@pytest.mark.parametrize("bins", [FEWEST, 1 << 18])
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_sees_batches_that_wait(reader, bins):
    waiting, whole = filled(bins)
    assert waiting._waiting
    assert READERS[reader](waiting) == READERS[reader](whole)


def test_equality_and_files_see_them_too(tmp_path):
    waiting, whole = filled()
    assert waiting == whole
    waiting, _ = filled()
    assert whole == waiting
    waiting, _ = filled()
    assert saved(waiting, tmp_path) == saved(whole, tmp_path)
    waiting, _ = filled()
    assert whole + waiting == waiting + whole == whole + whole


def test_a_copy_is_another_histogram():
    waiting, whole = filled()
    other = copy.copy(waiting)
    other.add([True], [0.5])
    assert waiting == whole
    assert other.n == whole.n + 1


def test_a_refused_batch_changes_nothing():
    rng = np.random.default_rng(1)
    many = np.arange(1500)
    made = br.ScoreHistogram(bins=FEWEST, pos_label=1).add([0, 1] * 1500, rng.random(3000),
                                                           np.repeat(many, 2))  # fmt: skip
    before, columns = copy.deepcopy(made), made.columns
    with pytest.raises(InvalidArgumentError, match="room for every group"):
        made.add([0, 1] * 3000, rng.random(6000), np.repeat(np.arange(3000), 2) + 10_000)
    assert made == before
    assert (made.groups, made.labels, made.n_missing) == (before.groups, (0, 1), 0)
    assert made.columns == columns
    with pytest.raises(DataError, match="same group columns"):
        made.add([0, 1], [0.1, 0.2], {"sex": ["f", "m"]})
    assert made == before
    assert made.add([1], [0.25], [0]).n == before.n + 1
