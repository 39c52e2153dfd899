"""Deals of cases between a group and the others: every one is as likely."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import multivariate_hypergeom

from baserate import ClassTable
from baserate.groups import class_deals
from baserate.groups.class_deals import DealSides, places_apart

MINE = ClassTable([[1, 1, 0], [0, 1, 0], [1, 0, 1]], ["a", "b", "c"])
THEIRS = ClassTable([[6, 3, 1], [2, 5, 4], [1, 2, 5]], ["a", "b", "c"])
N_DEALS = 40_000


def test_every_set_of_places_is_as_likely():
    places = places_apart([(5, 2), (3, 1)], N_DEALS, np.random.default_rng(3))
    assert set(places[:, 2].tolist()) == {5, 6, 7}
    first = [frozenset(pair) for pair in places[:, :2].tolist()]
    every = [frozenset(pair) for pair in combinations(range(5), 2)]
    assert set(first) == set(every)
    shares = np.array([first.count(pair) for pair in every]) / N_DEALS
    assert shares == pytest.approx(0.1, abs=5 * (0.09 / N_DEALS) ** 0.5)


def test_all_places_are_a_deal_too():
    places = places_apart([(4, 4), (1, 1)], 300, np.random.default_rng(3))
    assert np.array_equal(np.sort(places, axis=1), np.tile(np.arange(5), (300, 1)))


@pytest.mark.parametrize("listed", [class_deals.LISTED, 0], ids=["cases", "cells"])
@pytest.mark.parametrize("held", [True, False])
def test_cells_have_the_law_of_draws_without_replacement(held, listed, monkeypatch):
    monkeypatch.setattr(class_deals, "LISTED", listed)
    sides = DealSides(MINE, THEIRS, held=held)
    dealt = np.concatenate(list(sides.deals(N_DEALS, np.random.default_rng(1))), axis=1)
    both = MINE.counts + THEIRS.counts
    if held:
        laws = [multivariate_hypergeom(both[i], MINE.counts[i].sum()) for i in range(len(both))]
        mean = np.array([law.mean() for law in laws])
        variance = np.array([np.diag(law.cov()) for law in laws])
        first, chance = both[0], laws[0].pmf([1, 1, 0])
        like = (dealt[:3] == [[1], [1], [0]]).all(0)
        assert first.tolist() == [7, 4, 1]
        assert like.mean() == pytest.approx(chance, abs=5 * (chance / N_DEALS) ** 0.5)
    else:
        law = multivariate_hypergeom(both.ravel(), MINE.n)
        mean, variance = law.mean().reshape(3, 3), np.diag(law.cov()).reshape(3, 3)
    filled = both > 0
    off = dealt.mean(1) - mean[filled]
    assert (np.abs(off) <= 5 * np.sqrt(variance[filled] / N_DEALS)).all()
    assert dealt.var(1) == pytest.approx(variance[filled], rel=0.05)


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("contained", [True, False])
def test_margins_are_those_of_each_deal(held, contained):
    sides = DealSides(MINE, THEIRS, contained=contained, held=held)
    dealt = next(sides.deals(5, np.random.default_rng(1)))
    hits, truth, called, cells = sides.margins(dealt)
    at = sides.pooled
    for deal in range(5):
        mine = np.zeros((3, 3))
        mine[at.row, at.column] = dealt[:, deal]
        other = MINE.counts + THEIRS.counts - (0 if contained else mine)
        if held:
            other = other * (MINE.class_counts / other.sum(1))[:, None]
        for place, table in ((deal, mine), (5 + deal, other)):
            assert hits[place] == pytest.approx(np.diag(table), rel=1e-13)
            assert truth[place] == pytest.approx(table.sum(1), rel=1e-13)
            assert called[place] == pytest.approx(table.sum(0), rel=1e-13)
            assert cells()[place] == pytest.approx(table, rel=1e-13)
