"""How likely the population keeps what a chosen cut keeps: binomial tails, and simulation."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import beta, binom

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.tuning import optimal_threshold
from baserate.tuning.kept_constraints import kept
from baserate.tuning.targets import Constraint

TABLE = br.ConfusionMatrix(tp=27, fn=3, fp=10, tn=90)


def found(text, table=TABLE, level=0.95):
    return kept(Constraint.of(text), table, level)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # P(the 27th highest of 30 lies below the population's 90% point), counted by cases
        ("recall >= 0.9", binom.cdf(26, 30, 0.9)),
        ("false_negative_rate <= 0.1", binom.cdf(26, 30, 0.9)),
        ("recall <= 0.9", binom.sf(27, 30, 0.9)),
        ("specificity >= 0.9", binom.cdf(89, 100, 0.9)),
        ("fpr <= 0.1", binom.cdf(89, 100, 0.9)),
    ],
)
def test_rates_of_a_class_by_the_law_of_an_order_statistic(text, expected):
    assert found(text).probability == pytest.approx(expected, rel=1e-9)
    assert found(text).route == "order"


def test_intervals_hold_their_value_and_meet_the_probability_at_their_ends():
    one = found("recall >= 0.9")
    assert (one.low, one.high) == pytest.approx(beta(27, 4).ppf([0.025, 0.975]))
    assert found(f"recall >= {one.low}").probability == pytest.approx(0.975)
    missed = found("fnr <= 0.1")
    assert (missed.low, missed.high) == pytest.approx((1 - one.high, 1 - one.low))
    whole = br.ConfusionMatrix(tp=30, fn=0, fp=10, tn=90)
    everyone = found("recall >= 0.9", whole)
    assert everyone.high == everyone.value == 1
    assert everyone.probability == pytest.approx(1 - 0.9**30)
    assert found("recall <= 0.9", whole).probability == binom.sf(30, 30, 0.9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("precision >= 0.7", beta(27.5, 10.5).sf(0.7)),
        ("precision <= 0.7", beta(27.5, 10.5).cdf(0.7)),
        ("precision >= 0.95", beta(27.5, 10.5).sf(0.95)),
        ("predicted_positive_rate <= 0.2", beta(37.5, 93.5).cdf(0.2)),
        ("predicted_positive_rate >= 0.284", beta(37.5, 93.5).sf(0.284)),
    ],
)
def test_other_shares_by_their_posterior(text, expected):
    assert found(text).probability == pytest.approx(expected, abs=2e-4)
    assert found(text).route == "posterior"


@pytest.mark.slow
def test_metrics_of_any_kind_by_their_posterior():
    rng = np.random.default_rng(0)
    tp, fn, fp, tn = rng.dirichlet([27.5, 3.5, 10.5, 90.5], 200_000).T
    kappa = br.metrics.get("kappa")(br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn))
    assert found("kappa >= 0.7").probability == pytest.approx(np.mean(kappa >= 0.7), abs=0.005)
    mine = br.metrics.define("mine", lambda tp, fn, fp, tn: (tp + tn) / (tp + tn + 2 * fn + fp))
    values = (tp + tn) / (tp + tn + 2 * fn + fp)
    one = kept(Constraint(mine, at_least=True, limit=0.85), TABLE, 0.95)
    assert one.probability == pytest.approx(np.mean(values >= 0.85), abs=0.005)


@pytest.mark.parametrize("given", [{}, {"cluster": "all"}])
def test_a_capacity_is_no_share(given):
    one = kept(Constraint.of("alarms <= 50"), counted(**given) if given else TABLE, 0.95)
    assert np.isnan(one.probability)
    assert one.reason.startswith("a number of cases")


def counted(repeat=1, weight=None, cluster=None):
    """Return cases as in TABLE: each `repeat` times, weighted, or in clusters of its copies."""
    y = np.repeat([1, 1, 0, 0], [27, 3, 10, 90])
    called = np.repeat([1, 0, 1, 0], [27, 3, 10, 90])
    of = {"all": np.zeros(130), "copies": np.arange(130)}.get(cluster)
    keys = {} if of is None else {"cluster": np.repeat(of, repeat)}
    weights = None if weight is None else np.full(130 * repeat, float(weight))
    read = read_arrays(
        np.repeat(y, repeat), {"p": np.repeat(called, repeat)}, sample_weight=weights, keys=keys
    )
    return read.binary(1).counted()


KINDS = ["precision >= 0.7", "mcc >= 0.7", "recall >= 0.85", "fpr <= 0.15"]


@pytest.mark.parametrize("text", KINDS)
def test_equal_weights_and_clusters_of_one_say_as_much_as_the_cases_themselves(text):
    alone, heavy = found(text, level=0.9), kept(Constraint.of(text), counted(weight=3), 0.9)
    assert heavy.probability == pytest.approx(alone.probability, abs=1e-3)
    assert (heavy.low, heavy.high) == pytest.approx((alone.low, alone.high), abs=1e-3)
    single = kept(Constraint.of(text), counted(cluster="copies"), 0.9)
    by_order = alone.route == "order"
    assert single.route == ("order" if by_order else "design")
    assert single.probability == pytest.approx(alone.probability, abs=1e-6 if by_order else 0.05)


@pytest.mark.parametrize("text", KINDS)
def test_copies_in_a_cluster_say_no_more_than_one_case(text):
    once, copied = (
        kept(Constraint.of(text), counted(repeat, cluster="copies"), 0.9) for repeat in (1, 4)
    )
    for name in ("low", "high", "probability"):
        assert getattr(copied, name) == pytest.approx(getattr(once, name), abs=0.02)


@pytest.mark.parametrize("n", [1, 3, 10, 20])
def test_all_positives_found_by_weights_of_one_has_the_law_of_the_least(n):
    cases = read_arrays([1] * n + [0] * 5, {"p": [1] * n + [0] * 5}, sample_weight=[1.0] * (n + 5))
    one = kept(Constraint.of("recall >= 0.9"), cases.binary(1).counted(), 0.9)
    assert one.probability == pytest.approx(1 - 0.9**n)


def test_a_limit_at_the_end_of_an_interval_leaves_that_tail():
    one = kept(Constraint.of("mcc >= 0"), counted(cluster="copies"), 0.9)
    for limit, chance in ((one.low, 0.95), (one.high, 0.05)):
        at = kept(Constraint.of(f"mcc >= {limit}"), counted(cluster="copies"), 0.9)
        assert at.probability == pytest.approx(chance, abs=1e-4)
        below = kept(Constraint.of(f"mcc <= {limit}"), counted(cluster="copies"), 0.9)
        assert below.probability == pytest.approx(1 - chance, abs=1e-4)


def test_one_cluster_says_nothing_of_others():
    one = kept(Constraint.of("mcc >= 0"), counted(cluster="all"), 0.9)
    assert np.isnan(one.probability)
    assert "one cluster" in one.reason


def test_no_case_that_is_wrong_is_no_certainty():
    perfect = read_arrays([1] * 20 + [0] * 20, {"p": [1] * 20 + [0] * 20},
                          keys={"cluster": list(range(10)) * 4}).binary(1).counted()  # fmt: skip
    one = kept(Constraint.of("precision >= 0.9"), perfect, 0.9)
    assert one.low < 0.95
    assert one.probability < 0.95


@pytest.mark.slow
def test_the_population_keeps_it_as_often_as_said():
    rng, said, kept_there = np.random.default_rng(3), [], []
    y = np.repeat([1, 0], [30, 70])
    for _ in range(300):
        score = rng.normal(size=100) + 1.5 * y
        best = optimal_threshold("precision", y, score, constraint="recall >= 0.9")
        said.append(found("recall >= 0.9", best.table).probability)
        kept_there.append(ndtr(1.5 - best.threshold) >= 0.9)
    assert np.mean(said) == pytest.approx(np.mean(kept_there), abs=0.07)
    assert np.mean(kept_there) < 0.5


def test_reports_say_it():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [30, 70])
    asked = {"metrics": "precision", "constraint": ["recall >= 0.9", "alarms <= 90"]}
    report = br.thresholds(y, rng.normal(size=100) + y, n_resamples=20, **asked)
    recall, alarms = report.facts.cuts[0].constraints
    text = " ".join(report.render(details=True).split())
    assert f"P(the population keeps recall >= 0.9) = {recall.probability:.2f}" in text
    assert "Constraints on new cases" in text
    assert np.isnan(alarms.probability)
    [row] = report.to_frame().to_dict("records")
    assert row["recall >= 0.9: probability"] == recall.probability
    assert row["recall >= 0.9: low"] == recall.low
    document = report.to_dict()["thresholds"][0]["constraints"][0]
    assert document["probability"] == recall.probability
    assert document["constraint"] == "recall >= 0.9"
    plain = br.thresholds(y, rng.normal(size=100) + y, metrics="f1", n_resamples=20)
    assert "Constraints on new cases" not in str(plain)


@pytest.mark.parametrize("fn", [0, 3])
@pytest.mark.parametrize("fp", [0, 10])
@pytest.mark.parametrize(
    "text",
    ["recall <= 1", "recall >= 0", "fnr >= 0", "fpr >= 0", "specificity <= 1", "precision <= 1",
     "mcc >= -1", "mcc <= 1", "informedness <= 1", "f1 >= 0"],
)  # fmt: skip
def test_what_no_value_breaks_is_kept_for_certain(text, fn, fp):
    one = found(text, br.ConfusionMatrix(tp=27, fn=fn, fp=fp, tn=90))
    assert one.probability == 1
    assert one.low < one.high


def test_a_constraint_leads_where_nobody_named_what_to_maximise():
    rng = np.random.default_rng(0)
    y = rng.random(800) < 0.2
    score = rng.normal(size=800) + 1.5 * y
    asked = {"constraint": "recall >= 0.9"}
    said = " ".join(str(br.thresholds(y, ndtr(score), **asked)).split("\n\n")[0].split())
    keeps, new, chosen = map(said.index, ("these cases keep", "the population", "your choice"))
    assert keeps < new < chosen
    assert "Matthews" not in said[:new]
    found = br.thresholds(y, score, metrics="precision", **asked)
    assert ", of the cuts with recall >= 0.9" in " ".join(str(found).split())
    [rule] = found.displays()["threshold"].picture.of("threshold")  # not the .5 of nobody
    assert rule.at == found.facts.cuts[0].threshold
    assert rule.name.startswith(f"cut at {rule.at:.4g}: finds ")
