"""Which tables are possible is decided in integers, whatever the sum of probabilities rounds to."""

from fractions import Fraction
from itertools import product
from math import isnan

import numpy as np
import pytest

from baserate import count_undefined, metrics
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.models import BinomialPair, GivenClasses, Hypergeometric, Multinomial
from baserate.questions import cdf, expect, pmf, quantile, sf, variance

QUESTIONS = {
    "expect": expect,
    "variance": variance,
    "cdf": lambda metric, model, **k: cdf(metric, model, 0.4, **k),
    "sf": lambda metric, model, **k: sf(metric, model, 0.4, **k),
    "quantile": lambda metric, model, **k: quantile(metric, model, 0.5, **k),
}
OWN = metrics.define("own_share", lambda tp, fn, fp, tn: (tp + 1) / (tp + fp + 1))
OWN_LUMPS = metrics.define(
    "own_hits", lambda tp, fn, fp, tn: (tp + 1) / (tp + fn + 1), lumps=(("tp",), ("fn",))
)
# Recall equals the false positive rate at no table: 10 tp = 7 fp has no solution but 0 and all.
DRAWS = [Hypergeometric(n_positive=7, n_negative=10, n_predicted=k) for k in range(1, 17)]


@pytest.mark.sweep(9, start=5)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("policy", ["propagate", "raise"])
def test_tables_that_are_all_defined_are_answered(question, policy):
    ask = QUESTIONS[question]
    for model in DRAWS:
        whole = float(ask("prevalence_threshold_strict", model))
        got = ask("prevalence_threshold_strict", model, undefined=policy)
        assert float(got) == whole, model
        assert got.undefined == 0
    for n, cells in product((30, 61), ((3, 1, 4, 2), (0.1, 0.2, 0.3, 0.4))):
        for own in (OWN, OWN_LUMPS):
            got = ask(own, Multinomial(n=n, cells=cells), undefined=policy)
            assert float(got) == float(ask(own, Multinomial(n=n, cells=cells)))
            assert got.undefined == 0


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_number_for_what_is_never_undefined_changes_nothing(question):
    ask = QUESTIONS[question]
    for model in DRAWS:
        assert float(ask("prevalence_threshold_strict", model, undefined=-5.0)) == float(
            ask("prevalence_threshold_strict", model)
        )
        assert -5 not in pmf("prevalence_threshold_strict", model, undefined=-5.0).values


def test_one_possible_table_is_enough_however_improbable():
    """All 200 predicted positive has probability 1e-400, and no window holds it."""
    own = metrics.define("own_rest", lambda tp, fn, fp, tn: tn / (fn + tn))
    model = BinomialPair(n_positive=100, n_negative=100, recall=0.01, false_positive_rate=0.01)
    assert isnan(float(expect(own, model, undefined="propagate")))
    assert isnan(float(cdf(own, model, 0.1, undefined="propagate")))
    with pytest.raises(InvalidArgumentError, match="must be defined at every possible table"):
        expect(own, model, undefined="raise")
    never = GivenClasses(Multinomial(n=30, cells=(1, 2, 0, 3)), n_positive=4)
    assert not isnan(float(expect(own, never, undefined="propagate")))  # tn = 26 throughout


def test_where_not_every_table_can_be_looked_at_it_is_refused():
    own = metrics.define("own_first", lambda tp, fn, fp, tn: tp / (tp + fn + 1e-9 * fp))
    model = BinomialPair(n_positive=5000, n_negative=5000, recall=0.01, false_positive_rate=0.01)
    with pytest.raises(
        UnsupportedError, match=r"takes a look at all 25,010,001.*undefined_if_zero"
    ):
        expect(own, model, undefined="propagate")
    assert float(expect(own, model)) == pytest.approx(0.01, rel=1e-6)


def test_the_undefined_mass_keeps_its_digits():
    own = metrics.define("own_precision", lambda tp, fn, fp, tn: tp / (tp + fp))
    model = BinomialPair(n_positive=20, n_negative=20, recall=0.75, false_positive_rate=0.5)
    exact = Fraction(1, 4**20 * 2**20)
    for got in (expect(own, model), cdf(own, model, 0.5), quantile(own, model, 0.5)):
        assert got.undefined == pytest.approx(float(exact), rel=1e-12)
    assert np.isclose(pmf(own, model).undefined, float(exact), rtol=1e-12, atol=0)


def test_a_metric_of_several_classes_is_not_counted_by_four_cells():
    with pytest.raises(UnknownNameError, match="macro_f1 is a metric of several classes"):
        count_undefined("macro_f1", 10)
    with pytest.raises(InvalidArgumentError, match=r"metric must be one or several, got 246\.0"):
        count_undefined(246.0, 10)
