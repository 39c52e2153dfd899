"""Cases dealt out anew between two class tables: beside every deal there is."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

from baserate import ClassTable
from baserate.groups import class_permutation
from baserate.groups.class_deals import DealSides
from baserate.groups.class_permutation import permutation_tests
from baserate.metrics import class_metric

MINE = ClassTable([[1, 1, 0], [0, 1, 1], [1, 0, 1]], ["a", "b", "c"])
THEIRS = ClassTable([[1, 0, 1], [1, 1, 0], [0, 1, 2]], ["a", "b", "c"])
NAMES = ("accuracy", "balanced_accuracy", "macro_recall", "cohen_kappa", "macro_f1.defined")


def cases_of(table):
    return [
        (i, j)
        for i in range(table.n_classes)
        for j in range(table.n_classes)
        for _ in range(int(table.counts[i, j]))
    ]


def table_of(cases):
    counts = np.zeros((3, 3), dtype=int)
    for i, j in cases:
        counts[i, j] += 1
    return ClassTable(counts, MINE.labels)


def standardised(table, like):
    rows = table.counts * (like.class_counts / table.class_counts)[:, None]
    return ClassTable(rows, table.labels)


def every_deal(*, held):
    """Yield both sides of every deal of the cases, those that differ by name only included."""
    cases = cases_of(MINE) + cases_of(THEIRS)
    n = len(cases_of(MINE))
    for chosen in combinations(range(len(cases)), n):
        mine = table_of([cases[i] for i in chosen])
        if not held or (mine.class_counts == MINE.class_counts).all():
            kept = set(chosen)
            yield mine, table_of([c for i, c in enumerate(cases) if i not in kept])


@pytest.fixture(scope="module", params=[True, False], ids=["classes", "none"])
def deals(request):
    return request.param, list(every_deal(held=request.param))


@pytest.mark.sweep(10, start=5)
@pytest.mark.parametrize("name", NAMES)
def test_tails_are_those_of_every_deal(deals, name, monkeypatch):
    monkeypatch.setattr(class_permutation, "ENOUGH", 10**9)
    held, both = deals
    metric = class_metric(name)

    def gap(mine, theirs):
        return metric(mine) - metric(standardised(theirs, MINE) if held else theirs)

    if name == "accuracy":  # the number of right cases

        def gap(mine, theirs):
            return mine.hits.sum()

    with np.errstate(all="ignore"):
        found = np.array([gap(*pair) for pair in both])
        seen = gap(MINE, THEIRS)
    found = found[~np.isnan(found)]
    lower, upper = (found <= seen + 1e-12).mean(), (found >= seen - 1e-12).mean()
    [test] = permutation_tests([metric], DealSides(MINE, THEIRS, held=held), 50_000)
    assert test.route == ("convolution" if name == "accuracy" else "permutation")
    near = 1e-12 if name == "accuracy" else 0.01
    assert (test.lower, test.upper) == pytest.approx((lower, upper), abs=near)
    assert test.p_value == pytest.approx(min(1, 2 * min(lower, upper)), abs=2 * near)
    assert test.value == metric(MINE)


def test_deals_stop_when_enough_are_as_extreme():
    metric = class_metric("balanced_accuracy")
    [short] = permutation_tests([metric], DealSides(MINE, THEIRS), 99_999)
    assert 100 <= short.n_deals < 1_000
    assert short.lower == pytest.approx(100 / short.n_deals)


def test_the_number_of_right_cases_is_fishers_where_nothing_is_held():
    [test] = permutation_tests([class_metric("accuracy")], DealSides(MINE, THEIRS, held=False))
    table = [[3, 3], [4, 3]]  # right and wrong, in either table
    less = fisher_exact(table, alternative="less").pvalue
    assert test.lower == pytest.approx(less, rel=1e-12)


def test_large_tables_have_their_exact_law_too():
    mine = ClassTable([[400, 100], [30, 470]], ["a", "b"])
    theirs = ClassTable([[4300, 700], [200, 4800]], ["a", "b"])
    [test] = permutation_tests([class_metric("accuracy")], DealSides(mine, theirs))
    laws = [hypergeom(5500, 4700, 500), hypergeom(5500, 5270, 500)]
    law = np.convolve(*(one.pmf(np.arange(501)) for one in laws))
    assert test.p_value == pytest.approx(2 * law[:871].sum(), rel=1e-9)


def test_another_mix_of_classes_is_no_difference():
    mine = ClassTable([[90, 10, 0], [1, 4, 0], [0, 1, 4]])
    theirs = ClassTable([[9, 1, 0], [20, 80, 0], [0, 20, 80]])
    names = ["accuracy", "matthews_correlation", "macro_f1"]
    for test in permutation_tests([class_metric(name) for name in names], DealSides(mine, theirs)):
        assert test.p_value > 0.9
        assert test.expected == pytest.approx(test.value, abs=1e-12)
    mixed = DealSides(mine, theirs, held=False)
    for test in permutation_tests([class_metric("accuracy")], mixed):
        assert test.p_value < 0.1


def test_a_whole_that_contains_the_group():
    contained = DealSides(MINE, THEIRS, contained=True)
    apart = DealSides(MINE, THEIRS)
    metric = class_metric("accuracy")
    [whole], [rest] = (permutation_tests([metric], sides) for sides in (contained, apart))
    assert whole.p_value == rest.p_value
    assert whole.expected == metric(standardised(MINE + THEIRS, MINE))


def test_a_class_that_the_others_lack_leaves_nothing_to_expect():
    theirs = ClassTable([[2, 0, 1], [1, 1, 0], [0, 0, 0]], ["a", "b", "c"])
    for test in permutation_tests([class_metric("accuracy")], DealSides(MINE, theirs)):
        assert np.isnan(test.p_value)
        assert test.reason == "the reference has no cases of 'c'"


def test_too_many_cells_to_deal_out_are_said():
    table = ClassTable(np.ones((400, 400), dtype=int))
    names = ["accuracy", "cohen_kappa"]
    exact, dealt = permutation_tests([class_metric(n) for n in names], DealSides(table, table))
    assert exact.p_value == 1
    assert dealt.reason == "too many cells to deal out"


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n"), [(3, 300), (10, 30), (10, 100)])
def test_the_size_is_held(k, n):
    """False alarms at 5%, of groups that differ in the mix of their classes only."""
    rng = np.random.default_rng(k * n)
    called = np.full((k, k), 0.3 / (k - 1)) + np.diag([0.7 - 0.3 / (k - 1)] * k)
    mixes = rng.dirichlet(np.full(k, 3.0), 2)
    metrics = [class_metric(m) for m in ("accuracy", "balanced_accuracy", "macro_f1.defined",
                                         "matthews_correlation")]  # fmt: skip
    alarms, runs = np.zeros(len(metrics)), 400
    for _ in range(runs):
        drawn = [
            rng.multinomial(size, (mix[:, None] * called).ravel()).reshape(k, k)
            for size, mix in zip((n, 2 * n), mixes, strict=True)
        ]
        tests = permutation_tests(metrics, DealSides(*map(ClassTable, drawn)), 999)
        alarms += [test.p_value <= 0.05 for test in tests]
    assert (alarms / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)).all(), alarms / runs
