"""How probable a statement about a metric is: beside random tables, intervals and closed forms."""

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate import ClassTable, ConfusionMatrix, metrics
from baserate.counts import CELLS
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference.posterior import evidence
from baserate.inference.posterior_law import law_given

TABLES = [(35, 5, 10, 50), (3, 0, 0, 7), (0, 4, 2, 9), (12, 1, 3, 0), (2, 30, 400, 9)]
# By route: one share, linear in cells, in two rates, product rule, rules between kinks, draws.
METRICS = (
    *("recall", "f1", "accuracy", "error_rate", "true_positives", "utility([[1, -2], [-3, 1]])"),
    *("informedness", "balanced_accuracy", "accuracy.at_base_rate(0.2)", "mcc", "markedness"),
    *("cohen_kappa", "geometric_mean", "lift", "f1.at_base_rate(0.3)", "positive_likelihood_ratio"),
)


def table_of(cells):
    return ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))


def test_eighteen_of_twenty():
    t = ConfusionMatrix(tp=18, fn=2, fp=0, tn=5)
    found = br.probability("recall", t, ">= 0.8")
    assert found.value == pytest.approx(stats.beta.sf(0.8, 18.5, 2.5), rel=1e-12)
    assert round(float(found), 2) == 0.87
    # F1 = 2 J/(1 + J), so that F1 >= .9 where the Jaccard index J >= 9/11.
    found = br.probability("f1", table_of((35, 5, 10, 50)), ">= 0.9")
    assert found.value == pytest.approx(stats.beta.sf(9 / 11, 35.5, 15.5), rel=1e-11)


@pytest.mark.sweep(80, start=29)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("cells", TABLES)
def test_ends_of_intervals_leave_what_they_say(name, cells):
    metric, table = metrics.get(name), table_of(cells)
    found = br.interval(metric, table, confidence_level=0.9)
    if np.isnan(found.value):
        assert np.isnan(br.probability(metric, table, ">= 0.1").value)
        return
    for end, operator in ((found.low, "<="), (found.high, ">=")):
        if end == found.value:
            continue  # the interval was extended to its own value
        chance = br.probability(metric, table, f"{operator} {end!r}")
        assert chance.value == pytest.approx(0.05, abs=2e-5 + 6 * chance.error), chance.route


@pytest.mark.parametrize("name", METRICS)
def test_random_tables_agree(name):
    """Cell shares from Dirichlet(cells + 1/2): the law of what no one share decides."""
    metric, cells, rng = metrics.get(name), (35, 5, 10, 50), np.random.default_rng(2)
    shares = rng.dirichlet(np.array(cells) + 0.5, 200_000).T * sum(cells)
    values = metric(table_of(shares))
    at = float(np.quantile(values, 0.3))
    found = law_given(metric, evidence(table_of(cells)))
    assert found.cdf(at) == pytest.approx(0.3, abs=0.006)
    assert found.sf(at) == pytest.approx(0.7, abs=0.006)


def test_routes_agree_where_two_of_them_serve(monkeypatch):
    for name in ("informedness", "accuracy.at_base_rate(0.2)", "utility([[1, -2], [-3, 1]])"):
        metric, table = metrics.get(name), table_of((35, 5, 10, 50))
        exact, at = (
            law_given(metric, evidence(table)),
            np.linspace(*metric(table) + np.array([-0.2, 0.2]), 9),
        )
        with monkeypatch.context() as patched:
            patched.setattr("baserate.inference.posterior_law.linear", lambda *_: None)
            ruled = law_given(metric, evidence(table))
        assert (exact.route, ruled.route) == ("exact", "gauss")
        np.testing.assert_allclose(exact.cdf(at), ruled.cdf(at), atol=1e-7)


def test_every_operator():
    t = table_of((35, 5, 10, 50))
    chances = {
        op: float(br.probability("mcc", t, f"{op} 0.7"))
        for op in (">=", ">", "<=", "<", "==", "!=")
    }
    assert chances[">="] == chances[">"] == pytest.approx(1 - chances["<"], abs=1e-12)
    assert chances["<"] == chances["<="]
    assert (chances["=="], chances["!="]) == (0, 1)
    outside = [float(br.probability("mcc", t, s)) for s in ("> 1", "<= 1", ">= -1", "< -1")]
    assert outside == pytest.approx([0, 1, 1, 0], abs=1e-12)


def test_what_can_have_one_value_only_has_it():
    worth = metrics.utility([[2, 2], [2, 2]])
    t = table_of((35, 5, 10, 50))
    chances = [
        float(br.probability(worth, t, s)) for s in ("== 2", ">= 2", "> 2", "< 2", "<= 2", "!= 2")
    ]
    assert chances == [1, 1, 0, 0, 1, 0]


IRIS = ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]])


@pytest.mark.parametrize(
    "name", ["accuracy", "macro_f1", "mcc", "micro_f1", "weighted_kappa(linear)"]
)
def test_several_classes_have_the_law_of_their_intervals(name):
    found = br.interval(name, IRIS)
    chance = br.probability(name, IRIS, f"<= {found.low!r}")
    assert chance.value == pytest.approx(0.025, abs=1e-3)
    assert br.probability(name, IRIS, f"> {found.value - 0.05!r}").value > 0.9


def test_two_classes_are_the_second_against_the_first():
    t = ClassTable([[50, 10], [5, 35]])
    for name in ("accuracy", "mcc"):
        two = br.probability(name, t.one_vs_rest(t.labels[1]), ">= 0.8")
        assert br.probability(name, t, ">= 0.8").value == two.value


def test_heavy_cases_are_worth_what_kish_says():
    y, p = [1] * 20 + [0] * 20, [1] * 18 + [0] * 2 + [0] * 20
    heavy = br.count_labels(y, p, sample_weight=[100.0] * 20 + [1.0] * 20)
    known = stats.beta.sf(0.8, 18.5, 2.5)  # twenty positives, whatever they weigh
    assert float(br.probability("recall", heavy, ">= 0.8")) == pytest.approx(known, rel=1e-9)


def test_reasons_and_refusals():
    none = br.probability("recall", table_of((0, 0, 3, 7)), ">= 0.8")
    assert np.isnan(float(none))
    assert "no positives" in none.reason
    t = table_of((3, 1, 3, 7))
    for statement in ("0.8", ">= high", "=> 0.8", ">= nan", 0.8):
        with pytest.raises(InvalidArgumentError, match="statement must be one of"):
            br.probability("recall", t, statement)
    with pytest.raises(InvalidArgumentError, match="table must be"):
        br.probability("recall", ConfusionMatrix(tp=[1, 2], fn=1, fp=1, tn=1), ">= 0.8")
    clustered = br.count_labels([1, 1, 0, 0], [1, 0, 0, 1], cluster=list("aabb"))
    with pytest.raises(UnsupportedError, match="clusters have no posterior"):
        br.probability("recall", clustered, ">= 0.8")
