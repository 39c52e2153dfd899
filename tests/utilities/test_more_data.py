"""The value of more data, against every future table in fractions, draws, and what must hold."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from baserate import ConfusionMatrix, UtilityMatrix, net_benefit_curve, value_of_information
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.utilities import options
from oracles import information_twins as twin

TABLE = ConfusionMatrix(tp=6, fn=4, fp=9, tn=81)
SMALL = [(2, 1, 1, 3), (0, 0, 5, 2), (3, 0, 0, 0), (4, 4, 4, 4)]


def table_of(cells):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("cells", SMALL)
@pytest.mark.parametrize(("tau", "prior"), [(0.25, 1), (0.5, 0.5), (0.0625, 0.5), (0.75, 1)])
def test_every_future_table(cells, tau, prior):
    sizes = [1, 2, 5, 8]
    found = value_of_information(table_of(cells), threshold=tau, m=sizes, prior=prior)
    alpha = [c + prior for c in cells]
    choices = twin.net_benefit_options(tau)
    wanted = [float(twin.sample_information(choices, alpha, m)) for m in sizes]
    assert_allclose(found.sample, wanted, atol=1e-12)
    assert (found.sample_error == 0).all()


def test_two_classifiers_on_the_same_cases():
    joint = np.array([[[2, 0], [1, 2]], [[1, 1], [0, 4]]])
    w = 0.25
    cells = [
        (a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)
    ]  # decision of each, 0 flagged; class, 0 positive

    def followed(flagged):
        return [(1 if c == 0 else -w) if flagged(a, b) else 0 for a, b, c in cells]

    choices = [
        followed(lambda a, b: True),
        followed(lambda a, b: False),
        followed(lambda a, b: a == 0),
        followed(lambda a, b: b == 0),
    ]
    alpha = [int(joint[cell]) + 1 for cell in cells]
    found = value_of_information(joint, threshold=0.2, m=[1, 3], names=("old", "new"), rng=1)
    wanted = [float(twin.sample_information(choices, alpha, m)) for m in (1, 3)]
    assert_allclose(found.sample, wanted, atol=1e-12)
    assert found.sample_route == ("enumeration", "enumeration")
    names = ["treat all", "treat none", "old", "new"]
    worths = [float(twin.worth(c, alpha)) / sum(alpha) for c in choices]
    assert list(found.expected_value) == names
    assert_allclose(list(found.expected_value.values()), worths, rtol=1e-13)
    assert found.best == names[int(np.argmax(worths))]
    assert found.route == "simulation"
    assert found.perfect_error > 0
    drawn = value_of_information(joint, threshold=0.2, m=100, rng=2)
    assert drawn.sample_route == "simulation"
    assert found.sample[1] < drawn.sample < found.perfect + 4 * found.perfect_error
    useful = found.probability_best["old"] + found.probability_best["new"]
    assert found.probability_useful == pytest.approx(useful)


def test_most_cases_may_be_ones_on_which_classifiers_differ():
    joint = 25 * np.array([[[80, 40], [100, 900]], [[50, 450], [8, 200]]])
    found = value_of_information(joint, threshold=0.1, m=[1, 2])
    assert (found.route, found.sample_route) == ("integral", ("enumeration",) * 2)
    w = 1 / 9
    choices = [[0] * 8, [0, 0, 1, -w, -1, w, 0, 0]]
    alpha = [int(x) + 1 for x in joint.ravel()]
    wanted = [float(twin.sample_information(choices, alpha, m)) for m in (1, 2)]
    assert_allclose(found.sample, wanted, rtol=1e-8)
    assert wanted[0] > 1e-7


def test_which_of_two_classifiers_is_exact_where_only_they_compete():
    """Deciding the same for all is out of the question, and who is better is not."""
    joint = np.array([[[50, 30], [10, 12]], [[10, 12], [8, 800]]])
    found = value_of_information(joint, threshold=0.1, m=[1, 3, 500], names=("old", "new"))
    assert found.route == "integral"
    assert found.sample_route == ("enumeration",) * 3
    w = 1 / 9
    gains = [(0, 0), (1, -w), (-1, w), (0, 0)]  # of the first on the second, by both decisions
    choices = [[0] * 8, [x for pair in gains for x in pair]]
    alpha = [int(x) + 1 for x in joint.ravel()]
    wanted = [float(twin.sample_information(choices, alpha, m)) for m in (1, 3)]
    assert_allclose(found.sample[:2], wanted, rtol=1e-9)
    assert wanted[0] > 1e-5
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(alpha, 300_000)
    lead = shares @ choices[1]
    assert found.probability_best["old"] == pytest.approx((lead > 0).mean(), abs=0.004)
    assert abs(found.perfect - np.maximum(lead, 0).mean()) < 4 * lead.std() / 300_000**0.5
    after = (rng.multinomial(500, shares) + alpha) @ choices[1] / (500 + sum(alpha))
    gain = np.maximum(after, 0)
    assert abs(found.sample[2] - gain.mean()) < 4 * gain.std() / 300_000**0.5


def test_classifiers_that_always_agree_are_as_good_as_one():
    one = np.array([[6, 9], [4, 81]])
    same = np.zeros((2, 2, 2))
    same[0, 0], same[1, 1] = one
    prior = np.full(same.shape, 1e-9)
    prior[0, 0] = prior[1, 1] = 1
    two = value_of_information(same, threshold=0.2, m=5, prior=prior, rng=1)
    single = value_of_information(one, threshold=0.2, m=5)
    assert two.sample == pytest.approx(single.sample, abs=1e-8)


@pytest.mark.slow
def test_a_million_draws_of_500_more_cases():
    found = value_of_information(TABLE, threshold=0.2, m=500)
    rng, alpha = np.random.default_rng(4), np.array([7.0, 5.0, 10.0, 82.0])
    choices = np.array(twin.net_benefit_options(0.2), dtype=float)
    tables = rng.multinomial(500, rng.dirichlet(alpha, 1_000_000))
    values = (tables + alpha) @ choices.T / (500 + alpha.sum())
    gain = values.max(axis=1) - values[:, 1]  # on the classifier, which is best now
    assert found.best == "model"
    assert abs(found.sample - gain.mean()) < 4 * gain.std() / 1000


@pytest.mark.slow
def test_more_cases_are_worth_more_and_never_more_than_all():
    sizes = [0, 1, 10, 100, 1000, 10_000, 20_000, 10**7, 10**9]
    found = value_of_information(TABLE, threshold=0.2, m=sizes)
    assert found.sample[0] == 0
    assert (np.diff(found.sample[2:]) > 0).all()
    assert found.sample[-1] <= found.perfect
    assert found.sample_route[-3:] == ("quadrature", "bounds", "bounds")
    # What is missing of perfect information halves when the cases double.
    missing = found.perfect - found.sample
    assert missing[-4] / missing[-3] == pytest.approx(2, rel=0.01)
    assert missing[-3] / missing[-2] == pytest.approx(500, rel=0.01)
    assert (missing[-2:] <= found.sample_error[-2:] + 1e-18).all()


def test_bounds_hold_where_sums_can_check_them(monkeypatch):
    exact = value_of_information(TABLE, threshold=0.2, m=4000)
    monkeypatch.setattr(options, "NEAR_ALL", (1000,))
    opts = options.Options.of(TABLE, 0.2, None, 1.0, None, ())
    found = opts._beyond(*opts._known, 4000)
    assert abs(found.value - exact.sample) < found.error
    assert found.value == pytest.approx(exact.sample, rel=0.01)


def test_utilities_and_which_class_they_call_positive():
    u = UtilityMatrix([[15, -335], [-35, 165]])
    table = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    found = value_of_information(table, utility=u, m=6)
    assert found.best == "always 1"
    alpha = (28, 24, 16, 36)
    choices = [(15, 15, -335, -335), (-35, -35, 165, 165), (15, -35, -335, 165)]
    assert list(found.expected_value) == ["always 0", "always 1", "model"]
    values = [float(twin.worth(c, alpha)) / 104 for c in choices]
    assert_allclose(list(found.expected_value.values()), values, rtol=1e-13)
    wanted = float(twin.sample_information(choices, alpha, 6))
    assert found.sample == pytest.approx(wanted, abs=1e-10)
    turned = UtilityMatrix([[165, -35], [-335, 15]], positive=1)
    same = value_of_information(table, utility=turned, m=6, base_rate=None)
    assert same.perfect == pytest.approx(found.perfect, rel=1e-9)
    assert same.best == "always 0"
    tau = value_of_information(table, utility=[[1, -0.25], [0, 0]], m=6)
    assert tau.sample == value_of_information(table, threshold=0.2, m=6).sample


def test_more_decisions_and_classes():
    utility = [[4, -2, 0], [0, 1, 0], [-1, 0, 3]]
    counts = [[3, 1, 0], [1, 2, 1], [0, 1, 2]]
    with pytest.raises(UnsupportedError, match="4 options"):
        value_of_information(counts, utility=utility)
    found = value_of_information(counts, utility=utility, m=2, rng=1)
    alpha = [c + 1 for row in counts for c in row]
    choices = [row * 3 for row in utility] + [[x for row in utility for x in row]]
    wanted = float(twin.sample_information(choices, alpha, 2))
    assert found.sample == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("pi", "tau"), [(0.25, 0.25), (0.5, 0.0625), (0.125, 0.5)])
def test_every_future_table_at_a_stated_base_rate(pi, tau):
    for cells in SMALL:
        found = value_of_information(table_of(cells), threshold=tau, m=[1, 4], base_rate=pi)
        alpha = [c + 1 for c in cells]
        wanted = [float(twin.sample_information_at(alpha, tau, m, pi)) for m in (1, 4)]
        assert_allclose(found.sample, wanted, atol=1e-12)
    u = UtilityMatrix([[0, 0], [-tau / (1 - tau), 1]], positive=1)
    turned = value_of_information(table_of(SMALL[0]), utility=u, m=4, base_rate=pi)
    straight = value_of_information(table_of(SMALL[0]), threshold=tau, m=4, base_rate=pi)
    assert turned.sample == pytest.approx(straight.sample, abs=1e-14)
    assert turned.perfect == pytest.approx(straight.perfect, abs=1e-12)


def test_a_batch_is_its_tables_one_by_one():
    tables = ConfusionMatrix(tp=[6, 8], fn=[4, 2], fp=[9, 30], tn=[81, 60])
    taus = [0.2, 0.1]
    found = value_of_information(tables, threshold=taus, m=[3, 40])
    for i, tau in enumerate(taus):
        one = value_of_information(tables[i], threshold=tau, m=[3, 40])
        assert found.best[i] == one.best
        assert found.perfect[i] == one.perfect
        assert_array_equal(found.sample[i], one.sample)
        assert found.probability_best["model"][i] == one.probability_best["model"]
    assert found.to_dict()["sample"] == found.sample.tolist()


@pytest.mark.slow
def test_the_decision_curve_says_how_sure_it_is():
    rng = np.random.default_rng(2)
    p = rng.beta(1, 4, 300)
    y = rng.random(300) < p
    curve = net_benefit_curve(y, p)
    found = curve.information([0.1, 0.3], m=50)
    tables = curve.sweep.tables[curve.sweep.rules_at(np.array([0.1, 0.3]))]
    one = value_of_information(tables[1], threshold=0.3, m=50, prior=0.5)
    assert found.perfect[1] == one.perfect
    assert found.sample[1] == one.sample
    assert found.probability_useful[1] == one.probability_useful
    assert curve.information().perfect.shape == (99,)
    stated = net_benefit_curve(y, p, base_rate=0.05).information([0.1])
    wanted = value_of_information(tables[0], threshold=0.1, prior=0.5, base_rate=0.05)
    assert stated.perfect[0] == pytest.approx(wanted.perfect, abs=1e-14)
    # The unit of weights says nothing.
    heavy = net_benefit_curve(y, p, sample_weight=np.full(300, 3.0))
    assert_allclose(heavy.information([0.1, 0.3]).perfect, found.perfect, rtol=1e-9)


def test_a_table_may_have_a_name():
    found = value_of_information({"triage": TABLE}, threshold=0.2)
    assert "triage" in found.probability_best
    assert found.m is None
    assert found.sample is None
    with pytest.raises(InvalidArgumentError, match="joint counts"):
        value_of_information({"a": TABLE, "b": TABLE}, threshold=0.2)


def test_wrong_arguments():
    for kwargs in ({}, {"threshold": 0.2, "utility": [[1, 0], [0, 1]]}):
        with pytest.raises(InvalidArgumentError, match="threshold or utility"):
            value_of_information(TABLE, **kwargs)
    with pytest.raises(InvalidCountError, match="2 decisions for each classifier"):
        value_of_information([[1, 2], [3, 4], [5, 6]], threshold=0.2)
    with pytest.raises(InvalidArgumentError, match="threshold"):
        value_of_information(TABLE, threshold=1.0)
    with pytest.raises(InvalidArgumentError, match="m must be a whole number"):
        value_of_information(TABLE, threshold=0.2, m=2.5)
    with pytest.raises(InvalidArgumentError, match="names"):
        value_of_information(TABLE, threshold=0.2, names=("a", "b"))
    with pytest.raises(UnsupportedError, match="base_rate"):
        value_of_information(np.ones((2, 2, 2)), threshold=0.2, base_rate=0.1)
    with pytest.raises(UnsupportedError, match="4 options is best has no exact route with 8 cells"):
        value_of_information(np.ones((2, 2, 2)), threshold=0.2)
    with pytest.raises(UnsupportedError, match="tables of 8 cells, and at most 1,000,000"):
        options.Options.of(np.ones((2, 2, 2)), 0.2, None, 1.0, None, ()).sample(500, None, 0)
    with pytest.raises(InvalidArgumentError, match="batch"):
        value_of_information([[1, 2], [3, 4]], threshold=[0.2, 0.3])
    batch = ConfusionMatrix(tp=[1, 2], fn=[1, 2], fp=[1, 2], tn=[1, 2])
    with pytest.raises(InvalidArgumentError, match="batch"):
        value_of_information(batch, utility=[[1, 0], [0, 1]])
