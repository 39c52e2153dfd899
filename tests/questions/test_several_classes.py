"""Questions of metrics of several classes against exact fractions over all tables."""

from math import isnan

import numpy as np
import pytest

import baserate as br
from baserate import ClassTable
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import CLASS_CATALOGUE, average, class_metric, define
from baserate.models import (
    ClassDirichletMultinomial,
    ClassHypergeometric,
    ClassMultinomial,
    ClassMultivariateHypergeometric,
)
from oracles import class_chance_twins as twins

THREE = ((3, 1, 0), (1, 2, 1), (0, 2, 2))
FOUR = ((2, 1, 0, 0), (0, 1, 1, 0), (0, 0, 2, 1), (1, 0, 0, 1))
METRICS = [
    *CLASS_CATALOGUE,
    class_metric("linear_kappa"),
    average("jaccard", "micro"),
    average("precision", undefined="omit"),
    average("matthews_correlation"),
    average("f1", "weighted", undefined="omit"),
    average("false_positive_rate"),
    class_metric("utility([[1, 0, 0], [0, 2, 0], [-5, 0, 1]])"),
]
CASES = {
    "both margins": (
        ClassHypergeometric(class_counts=(3, 2, 3), predicted_counts=(4, 2, 2)),
        twins.dealt((3, 2, 3), (4, 2, 2)),
    ),
    "a class of most cases": (
        ClassHypergeometric(class_counts=(1, 5, 2), predicted_counts=(1, 5, 2)),
        twins.dealt((1, 5, 2), (1, 5, 2)),
    ),
    "an absent class": (
        ClassHypergeometric(class_counts=(3, 5, 0), predicted_counts=(4, 4, 0)),
        twins.dealt((3, 5, 0), (4, 4, 0)),
    ),
    "four classes": (
        ClassHypergeometric(class_counts=(2, 2, 1, 1), predicted_counts=(1, 2, 2, 1)),
        twins.dealt((2, 2, 1, 1), (1, 2, 2, 1)),
    ),
    "two classes": (
        ClassHypergeometric(class_counts=(5, 3), predicted_counts=(4, 4)),
        twins.dealt((5, 3), (4, 4)),
    ),
    "multinomial": (ClassMultinomial(n=5, cells=ClassTable(THREE)), twins.multinomial(5, THREE)),
    "Dirichlet": (
        ClassDirichletMultinomial(n=4, concentration=ClassTable(THREE)),
        twins.dirichlet_multinomial(4, THREE),
    ),
    "no replacement": (
        ClassMultivariateHypergeometric(n=6, population=ClassTable(THREE)),
        twins.without_replacement(6, THREE),
    ),
    "four cells' classes": (
        ClassMultivariateHypergeometric(n=4, population=ClassTable(FOUR)),
        twins.without_replacement(4, FOUR),
    ),
}


def close(found, wanted):
    return (isnan(found) and isnan(wanted)) or found == pytest.approx(wanted, rel=1e-10, abs=1e-13)


@pytest.mark.sweep(66, start=29)
@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
@pytest.mark.parametrize("case", CASES)
def test_all_questions_equal_enumeration(metric, case):
    model, law = CASES[case]
    if metric.name.startswith("utility") and model.n_classes != 3:
        return
    law = {table: p for table, p in law.items() if p}
    found = np.atleast_1d(metric(ClassTable(np.array(list(law)))))
    values = dict(zip(law, found.tolist(), strict=True))
    mean, defined = twins.given_defined(values, law, lambda v: v)
    spread = float("nan")
    if defined:
        spread, _ = twins.given_defined(values, law, lambda v: (v - mean) ** 2)
    assert close(br.expect(metric, model).value, mean)
    assert close(br.variance(metric, model).value, spread)
    assert close(float(br.probability_defined(metric, model)), defined)
    for x in sorted({v for v in values.values() if not isnan(v)})[::5]:
        below, _ = twins.given_defined(values, law, lambda v, x=x: float(v <= x + 1e-10))
        assert close(br.cdf(metric, model, x).value, below)
        assert close(br.sf(metric, model, x).value, 1 - below)
        assert br.quantile(metric, model, below).value == pytest.approx(x, abs=1e-12)
    atoms = br.pmf(metric, model)
    if defined:
        assert atoms.probabilities.sum() == pytest.approx(1)
        assert atoms.probabilities @ atoms.values == pytest.approx(mean, abs=1e-12)


def test_large_tables_by_margins_and_by_hits():
    digits = ClassHypergeometric(class_counts=[180] * 10, predicted_counts=[175, 185] * 5)
    assert br.expect("macro_f1", digits).route == "one versus rest"
    assert float(br.expect("accuracy", digits)) == pytest.approx(0.1)
    small = ClassHypergeometric(class_counts=[20] * 4, predicted_counts=[10, 20, 30, 20])
    found = br.sf("accuracy", small, 0.3)
    assert found.route == "hits"
    drawn = br.sf("accuracy", small, 0.3, method="simulation", rng=1, n_samples=20_000)
    assert abs(drawn.value - found.value) < 5 * drawn.error
    assert float(br.variance("accuracy", small)) == pytest.approx(
        float(br.variance("accuracy", small, method="hits")), rel=1e-12
    )


def test_accuracy_of_a_group_is_binomial():
    from scipy.stats import binom

    model = ClassMultinomial(n=500, cells=ClassTable(THREE))
    wanted = binom.cdf(300, 500, 7 / 12)
    assert float(br.cdf("accuracy", model, 0.6)) == pytest.approx(wanted, rel=1e-11)


def test_what_is_too_large_is_refused_with_the_way_out():
    model = ClassMultinomial(n=500, cells=ClassTable(THREE))
    with pytest.raises(UnsupportedError, match="method='simulation'"):
        br.cdf("macro_f1", model, 0.5)
    answer = br.expect("macro_f1", model, method="simulation", rng=1, n_samples=2_000)
    assert answer.route == "simulation"
    assert 0 < answer.error < 0.01


def test_the_undefined():
    model, law = CASES["multinomial"]
    assert isnan(br.expect("macro_precision", model, undefined="propagate").value)
    with pytest.raises(InvalidArgumentError, match="omit"):
        br.expect("macro_precision", model, undefined="raise")
    mean, share = (
        br.expect("macro_precision", model),
        br.probability_defined("macro_precision", model),
    )
    filled = br.expect("macro_precision", model, undefined=0)
    assert filled.value == pytest.approx(mean.value * share.value)
    assert law


def test_a_metric_of_ones_own():
    mine = average(define("mine", lambda tp, fn, fp, tn: tp / (tp + 2 * fn + fp + 0 * tn)))
    model, law = CASES["both margins"]
    values = dict(
        zip(law, np.atleast_1d(mine(ClassTable(np.array(list(law))))).tolist(), strict=True)
    )
    wanted, _ = twins.given_defined(values, law, lambda v: v)
    assert float(br.expect(mine, model)) == pytest.approx(wanted, rel=1e-12)


def test_sample_draws_class_tables():
    drawn = br.sample(CASES["both margins"][0], 10, rng=1)
    assert isinstance(drawn, ClassTable)
    assert drawn.class_counts.tolist() == [[3, 2, 3]] * 10


def test_draws_answer_every_question_within_their_errors():
    """Macro precision has no value where a class is not predicted."""
    model, n = CASES["multinomial"][0], 4_000
    drawn = {"method": "simulation", "rng": 2, "n_samples": n}
    defined = br.probability_defined("macro_precision", model)
    share = br.probability_defined("macro_precision", model, **drawn)
    assert abs(share.value - defined.value) < 5 * share.error
    assert share.undefined == pytest.approx(1 - share.value, abs=1e-14)
    assert share.error == pytest.approx((share.value * share.undefined / n) ** 0.5, rel=1e-3)
    for question in (br.expect, br.variance):
        exact = question("macro_precision", model, undefined="omit")
        answer = question("macro_precision", model, undefined="omit", **drawn)
        assert abs(answer.value - exact.value) < 5 * answer.error
        assert answer.undefined == pytest.approx(share.undefined, abs=1e-14)
    middle = br.quantile("accuracy", model, 0.5, **drawn)
    assert middle.value == br.quantile("accuracy", model, 0.5).value
    assert middle.undefined == 0
