"""The best threshold at many base rates: those of the paper's tables, and of one at a time."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from baserate import metrics, sweep
from baserate.curves.populations import LDA, QDA, Empirical
from baserate.errors import InvalidArgumentError, NoOptimumError
from baserate.tuning import bayes_threshold, many_base_rates
from oracles.bayes_twins import SCENARIO_1, SCENARIO_2
from quick import one_in

TABLES = json.loads((Path(__file__).parents[2] / "papers/robust_metrics_tables.json").read_text())
NAMES = {"mcc": "mcc", "kappa": "kappa", "jaccard": "jaccard", "f_beta": "f_beta(beta={beta})"}
FIELDS = ("ratio", "probability", "recall", "miss_rate", "false_positive_rate", "specificity",
          "value")  # fmt: skip
BASE_RATES = np.array([0.7, 1e-8, 0.001, 0.05, 0.3, 0.5, 0.31, 0.99, 1 - 1e-6])


class BoundedRatio:
    """Densities 2x and 2(1 - x) mixed with a uniform one: the ratio stays within (1/3, 3)."""

    def _cut(self, ratio):
        # f1 = 1/2 + x, f0 = 3/2 - x on [0, 1]; f1 > r f0 where x > (3 r/2 - 1/2)/(1 + r).
        ratio = np.asarray(ratio, dtype=float)
        with np.errstate(all="ignore"):
            cut = np.where(np.isinf(ratio), 1.0, (1.5 * ratio - 0.5) / (1 + ratio))
        return np.clip(cut, 0, 1)

    def recall(self, ratio):
        rest = 1 - self._cut(ratio)
        return rest * (1.5 - rest / 2)

    def miss_rate(self, ratio):
        x = self._cut(ratio)
        return x * (0.5 + x / 2)

    def false_positive_rate(self, ratio):
        rest = 1 - self._cut(ratio)
        return rest * (0.5 + rest / 2)

    def specificity(self, ratio):
        x = self._cut(ratio)
        return x * (1.5 - x / 2)


def sample():
    rng = np.random.default_rng(3)
    positive = rng.random(400) < 0.3
    return Empirical(sweep(positive, rng.normal(size=400) + 1.5 * positive))


@pytest.mark.sweep(12, start=2)
@pytest.mark.parametrize("table", ["11", "12", "13", "14"])
@pytest.mark.parametrize("distance", [1.0, 2.0, 3.0])
def test_tables_of_holzmann_and_klar(table, distance):
    cells = [cell for cell in TABLES["tables"][table]["cells"] if cell["Delta"] == distance]
    name = NAMES[cells[0]["metric"]].format(**cells[0]["params"])
    found = bayes_threshold(name, LDA(distance=distance), base_rate=[cell["pi"] for cell in cells])
    printed = [cell.get("corrected", cell)["delta_star"] for cell in cells]
    assert_allclose(found.ratio, printed, rtol=1e-9, atol=0.0051)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("population", [LDA(distance=1.3), QDA(**SCENARIO_1), sample()], ids=type)
@pytest.mark.parametrize("name", one_in(3, ["mcc", "robust_f(d0=0.3)", "f1.at_base_rate(0.5)"]))
def test_as_one_at_a_time(population, name):
    found = bayes_threshold(name, population, base_rate=BASE_RATES)
    for i in (0, 1, 4):
        one = bayes_threshold(name, population, base_rate=float(BASE_RATES[i]))
        for field in FIELDS:
            assert getattr(found, field)[i] == pytest.approx(getattr(one, field), rel=1e-10), field
        assert [side[i] for side in found.ratios] == pytest.approx(one.ratios, rel=1e-10)
        assert found.others[i] == one.others
    assert found.reason == (None,) * len(BASE_RATES)
    assert found.metric == metrics.get(name).name


def test_bounded_ratios_go_one_at_a_time():
    found = bayes_threshold("f1", BoundedRatio(), base_rate=[0.2, 0.6])
    ones = [bayes_threshold("f1", BoundedRatio(), base_rate=pi) for pi in (0.2, 0.6)]
    assert_allclose(found.ratio, [one.ratio for one in ones], rtol=1e-10)


def test_what_turns_round_goes_one_at_a_time(monkeypatch):
    """A metric that weighs errors by (base rate - 1/2)² asks for least evidence at one half."""

    def formula(tp, fn, fp, tn):
        tilt = (tp + fn) / (tp + fn + fp + tn) - 0.5
        return tp / (tp + fn) + (0.1 + tilt * tilt) * tn / (fp + tn)

    turning = metrics.define("turning", formula, direction="higher")
    alone = []
    survey = many_base_rates.survey
    monkeypatch.setattr(many_base_rates, "survey", lambda *a: alone.append(1) or survey(*a))
    found = bayes_threshold(turning, LDA(distance=2.0), base_rate=[0.1, 0.5, 0.9])
    assert_allclose(found.ratio, [0.26, 0.1, 0.26], rtol=1e-10)
    assert len(alone) == 3


def test_signs_are_looked_up_only_where_they_change():
    """Columns of rising, constant and unknown signs, all of them lost."""
    truth = np.array([[-1, 1, 0], [-1, 1, 0], [1, 1, 0], [1, 1, 0], [1, 1, 0]], dtype=np.int8)
    signs, looks = np.zeros_like(truth), []

    def exact(row, columns):
        looks.extend((row, int(column)) for column in columns)
        return truth[row, columns]

    many_base_rates._settle(signs, np.ones(truth.shape, dtype=bool), exact)
    assert (signs == truth).all()
    assert {row for row, column in looks if column > 0} == {0, 4}
    assert len(looks) < truth.size


def test_no_optimum_is_nan_with_its_reason():
    found = bayes_threshold("yule_q", LDA(distance=1.0), base_rate=[0.2, 0.5])
    assert np.isnan(found.ratio).all()
    assert np.isnan(found.value).all()
    with pytest.raises(NoOptimumError) as error:
        bayes_threshold("yule_q", LDA(distance=1.0), base_rate=0.2)
    assert found.reason[0] == str(error.value)
    assert found.others == ((), ())


@pytest.mark.parametrize("wrong", [[], [[0.1, 0.2]], [0.1, 1.0]])
def test_refusals(wrong):
    with pytest.raises(InvalidArgumentError, match="base_rate must"):
        bayes_threshold("f1", LDA(distance=1.0), base_rate=wrong)


@pytest.mark.slow
def test_matthews_correlation_jumps_in_scenario_2_by_brute_force():
    """Figure 2: beside the jump the best of 2,000 cuts is one side's, then the other's."""
    population = QDA(**SCENARIO_2)
    [jump] = bayes_threshold("mcc", population, base_rate=[0.08, 0.06]).jumps
    cuts = np.geomspace(2, 8, 2000)
    s, t = population.recall(cuts), population.specificity(cuts)
    for side, found in ((1 - 1e-3, jump.before), (1 + 1e-3, jump.after)):
        values = metrics.matthews_correlation.at_rates(
            recall=s, specificity=t, base_rate=jump.base_rate * side
        )
        assert cuts[values.argmax()] == pytest.approx(found.ratio, rel=0.02)
    assert jump.before.value == pytest.approx(jump.after.value, rel=1e-11)
    assert jump.before.ratio > 1.3 * jump.after.ratio


def test_jumps_in_a_sample_by_brute_force():
    """Vertices that are best at one of 20,000 base rates; where one is passed over, it jumps."""
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.3
    swept = sweep(truth, rng.normal(size=300) + truth)
    rates = np.linspace(0.1, 0.9, 20001)
    found = bayes_threshold("mcc", swept, base_rate=rates[[0, 7000, -1]])
    v = Empirical(swept).vertices
    s, t = (np.asarray(x, dtype=float) for x in (v.tp / v.n_positive, v.tn / v.n_negative))
    values = metrics.matthews_correlation.at_rates(
        recall=s, specificity=t, base_rate=rates[:, None]
    )
    best = np.nan_to_num(values, nan=-1).argmax(axis=1)
    over = np.flatnonzero(np.abs(np.diff(best)) > 1)
    assert len(found.jumps) == len(over) == 2
    for k, jump in zip(over, found.jumps, strict=True):
        assert rates[k] <= jump.base_rate <= rates[k + 1]
        assert (jump.before.recall, jump.after.recall) == (s[best[k]], s[best[k + 1]])
    column = found.to_frame(backend="polars")["jump"].to_list()
    assert np.isnan(column[0])
    assert column[1:] == [jump.base_rate for jump in found.jumps]
    assert not bayes_threshold("f1", swept, base_rate=[0.1, 0.9]).jumps
