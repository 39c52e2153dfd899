"""Scores counted on a device: equal to those counted here, and only bins leave the device."""

from math import inf, nan

import array_api_strict as xp
import numpy as np
import pytest

import baserate as br
from baserate.curves import score_grid
from baserate.curves.score_grid import cells_of
from baserate.errors import LabelError, MissingValueError

ODD = [
    63 / 64,
    0.99,
    0.9901,
    1 - 2.0**-20,
    0.0,
    -0.0,
    1.0,
    0.5,
    1 / 64,
    1e-30,
    -1e-30,
    1e30,
    inf,
    -inf,
    -5.5,
    3e-4,
    64.0,
]


def torch():
    return pytest.importorskip("torch")


def jax():
    return pytest.importorskip("jax.numpy")


LIBRARIES = {
    "array-api-strict": xp.asarray,
    "torch": lambda values: torch().tensor(values),
    "jax": lambda values: jax().asarray(values),
}
each_library = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES)


def cases(n=9_000):
    rng = np.random.default_rng(11)
    truth = rng.random(n) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(truth - 1.0, 1)))
    score[: len(ODD)] = ODD
    return truth, score.astype(np.float32)


@each_library
def test_distinct_scores_are_those_counted_here(make):
    truth, score = cases()
    score = score.round(2)
    found = br.ScoreHistogram().add(make(truth), make(score))
    assert found == br.ScoreHistogram().add(truth, score)


@each_library
def test_cells_are_those_of_the_grid(make, monkeypatch):
    truth, score = cases()
    moved = []

    def watched(argument, values, original=score_grid.to_host):
        moved.append(int(values.shape[0]))
        return original(argument, values)

    monkeypatch.setattr(score_grid, "to_host", watched)
    found = br.ScoreHistogram(bins=4096).add(make(truth), make(score))
    assert max(moved) < len(score) / 1.5
    rows = found.rows
    inside = np.isfinite(rows.lowest) & (np.abs(rows.lowest) < 2.0**60)
    inside &= np.abs(rows.highest) >= 2.0**-60
    level = 14 if found.level is None else found.level
    low, high = (cells_of(end[inside], level) for end in (rows.lowest, rows.highest))
    assert np.array_equal(low, high)
    exact, sweep = br.sweep(truth, score), found.sweep()
    at = exact.rules_at(sweep.thresholds)
    assert np.array_equal(exact.true_positives[at], sweep.true_positives)
    assert np.array_equal(exact.false_positives[at], sweep.false_positives)
    low, high = br.roc_auc(found).bounds
    assert low <= exact.roc_auc() <= high


@each_library
def test_as_many_distinct_scores_as_asked_for_are_kept_and_no_more(make):
    columns = make([True] * 5), make([0.1, 0.2, 0.30001, 0.30002, 0.4])
    for most, kept in ((5, 5), (4, 4)):
        found = score_grid.cases_on_device(*columns, most)
        assert found is not None
        assert (len(found.count), found.count.sum()) == (kept, 5)


@each_library
def test_missing_scores_are_refused_or_left_out(make):
    columns = make([True, False, True]), make([0.5, nan, 0.25])
    with pytest.raises(MissingValueError, match="1 in 'y_score'"):
        br.ScoreHistogram().add(*columns)
    found = br.ScoreHistogram(pos_label=True).add(*columns, missing="drop")
    assert (found.n, found.n_missing) == (2, 1)


@each_library
def test_lengths_and_shapes_are_checked(make):
    with pytest.raises(LabelError, match="y_true"):
        br.ScoreHistogram().add(make([True, False]), make([0.5]))
    with pytest.raises(LabelError, match="one-dimensional"):
        br.ScoreHistogram().add(make([[True], [False]]), make([[0.5], [0.25]]))


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("library", [torch, jax])
def test_narrow_floats_are_widened(library, kind):
    made = library()
    truth, score = cases(2_000)
    score = np.clip(score, -9, 9)  # the largest number of sixteen bits is 65504
    if library is torch:
        narrow, labels = made.tensor(score).to(getattr(made, kind)), made.tensor(truth)
        wide = narrow.double().numpy()
    else:
        narrow, labels = made.asarray(score, dtype=kind), made.asarray(truth)
        wide = np.asarray(narrow.astype("float32"), dtype=float)
    found = br.ScoreHistogram().add(labels, narrow)
    assert found == br.ScoreHistogram().add(truth, wide)


def test_whole_numbers_are_read_here():
    labels, scores = xp.asarray([1, 0, 1]), xp.asarray([3, 3, 7])
    assert br.ScoreHistogram().add(labels, scores).sweep().thresholds.tolist() == [inf, 7.0, 3.0]


@each_library
def test_batches_of_a_training_loop_add_up(make):
    truth, score = cases(3_000)
    found = br.ScoreHistogram()
    for part in np.array_split(np.arange(3_000), 12):
        found.add(make(truth[part]), make(score[part]))
    assert found == br.ScoreHistogram().add(truth, score)
