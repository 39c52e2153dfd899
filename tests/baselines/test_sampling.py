"""Label vectors of a blind draw really are drawn (those of DutchDraw 0.0.2 are not)."""

from itertools import combinations

import numpy as np
import pytest

from baserate.baselines import sample_labels
from baserate.errors import InvalidArgumentError


@pytest.mark.parametrize(("n", "k"), [(0, 0), (1, 0), (1, 1), (3, 2), (1000, 0), (1000, 999)])
def test_length_and_number_flagged(n, k):
    labels = sample_labels(n, k, rng=3)
    assert (labels.dtype, labels.shape, labels.sum()) == (np.bool_, (n,), k)


def test_every_choice_is_equally_likely():
    rng = np.random.default_rng(20_261_121)
    n_draws = 12_000
    seen = dict.fromkeys(combinations(range(5), 2), 0)
    for _ in range(n_draws):
        seen[tuple(np.flatnonzero(sample_labels(5, 2, rng=rng)).tolist())] += 1
    chi2 = sum((x - n_draws / 10) ** 2 / (n_draws / 10) for x in seen.values())
    assert chi2 < 27.9  # 99.9% point at 9 degrees of freedom


def test_seeds_repeat_and_generators_move_on():
    rng = np.random.default_rng(1)
    assert (sample_labels(50, 20, rng=1) == sample_labels(50, 20, rng=1)).all()
    assert (sample_labels(50, 20, rng=rng) != sample_labels(50, 20, rng=rng)).any()


def test_sorted_labels_are_not_matched_by_design():
    """DutchDraw flags the first k: on labels sorted positives first it is always right."""
    truth = np.arange(1000) < 300
    hits = [int((sample_labels(1000, 300, rng=s) & truth).sum()) for s in range(200)]
    assert abs(np.mean(hits) - 90) < 4 * np.std(hits) / np.sqrt(200)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 4), "n_predicted must be at most n, 3, got 4"),
        ((-1, 0), "n must be a whole number of at least 0"),
        ((3, 1.5), "n_predicted must be a whole number"),
    ],
)
def test_wrong_counts(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message):
        sample_labels(*arguments, rng=1)


def test_chance_must_come_from_somewhere():
    with pytest.raises(InvalidArgumentError, match="rng must be a seed or a generator"):
        sample_labels(3, 1, rng=None)


def test_a_seed_must_be_one():
    with pytest.raises(InvalidArgumentError, match=r"rng must be a seed or .*, got 'x': pass"):
        sample_labels(3, 1, rng="x")
