"""The public function: users' metrics, the bootstrap, results and errors."""

import subprocess
import sys

import numpy as np
import pytest

from baserate import ConfusionMatrix, errors, metrics
from baserate.inference import interval
from baserate.inference.metric_limits import credible_given
from baserate.inference.posterior import evidence

TABLE = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)


def overlap(tp, fn, fp, _tn):
    return 2 * tp / (2 * tp + fn + fp)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("cells", [(35, 5, 10, 50), (3, 5, 3, 5), (0, 5, 3, 0)])
def test_a_metric_of_unknown_trend_is_simulated_and_says_how_well(cells):
    table = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
    simulated = interval(metrics.define("mine", overlap, lumps=None, trend_in_fp="unknown"), table)
    exact = interval(metrics.define("mine", overlap, lumps=None, trend_in_fp="decreasing"), table)
    # F1 itself has the interval of one share.
    known = credible_given(metrics.get("f1"), evidence(table), 0.95)
    assert simulated.route == "quasi-monte-carlo"
    assert exact.route == "gauss"
    low = min(known.low, exact.value)
    np.testing.assert_allclose((exact.low, exact.high), (low, known.high), rtol=1e-9)
    assert 0 < simulated.error < 0.03 * (exact.high - exact.low)
    for end in ("low", "high"):
        off = abs(getattr(simulated, end) - getattr(exact, end))
        assert off < 3 * simulated.error
        assert off < 0.01 * (exact.high - exact.low)
    assert simulated == interval(
        metrics.define("mine", overlap, lumps=None, trend_in_fp="unknown"), table
    )


def test_a_metric_that_turns_back_is_simulated_whatever_it_declares():
    def imbalance(tp, fn, fp, tn):
        return np.abs(fp - fn) / (tp + fn + fp + tn)

    metric = metrics.define("imbalance", imbalance, direction="neither", bounds=(0, 1))
    found = interval(metric, TABLE)
    assert found.route == "quasi-monte-carlo"
    assert 0 < found.low < found.high < 1


def test_a_metric_of_the_base_rate_alone():
    def share(tp, fn, fp, tn):
        return (tp + fn) / (tp + fn + fp + tn)

    how = {"direction": "neither", "trend_in_fp": "constant"}
    metric = metrics.define("share", share, **how, lumps=None)
    found = interval(metric, TABLE)
    from scipy.stats import beta

    # Two cells of 1/2 each: the Dirichlet law of the table, not the Jeffreys law of a proportion.
    np.testing.assert_allclose((found.low, found.high), beta(41, 61).ppf([0.025, 0.975]), 1e-9)
    # That law it has where nobody says that no share decides it.
    found = interval(metrics.define("share", share, **how), TABLE)
    np.testing.assert_allclose((found.low, found.high), beta(40.5, 60.5).ppf([0.025, 0.975]), 1e-9)


def test_an_atom_at_the_end_of_the_range():
    def clipped(tp, fn, fp, tn):
        return np.maximum(tp / (tp + fn) - fp / (fp + tn), 0)

    metric = metrics.define("clipped", clipped, bounds=(0, 1), trend_in_fp="decreasing")
    table = ConfusionMatrix(tp=3, fn=5, fp=3, tn=5)
    found, whole = (interval(m, table, tolerance=1e-11) for m in (metric, "informedness"))
    assert abs(found.low) < 1e-9
    np.testing.assert_allclose(found.high, whole.high, rtol=1e-9)


def test_holes_of_a_users_metric_are_dropped_and_counted():
    def half(tp, fn, _fp, _tn):
        return np.where(tp > 3 * fn, np.nan, tp / (tp + fn))

    found = interval(
        metrics.define("half", half, direction="neither"), ConfusionMatrix(tp=5, fn=3, fp=1, tn=1)
    )
    assert found.route == "quasi-monte-carlo"
    # P(recall > 3/4) with recall ~ Beta(5.5, 3.5)
    from scipy.stats import beta

    np.testing.assert_allclose(found.undefined, beta(5.5, 3.5).sf(0.75), atol=2e-3)


def test_bootstrap_of_a_proportion_is_a_binomial_percentile():
    from scipy.stats import binom

    found = interval(
        "accuracy", TABLE, method="bootstrap", rng=np.random.default_rng(1), n_resamples=40_000
    )
    assert found.route == "percentile"
    np.testing.assert_allclose(
        (found.low, found.high), binom(100, 0.85).ppf([0.025, 0.975]) / 100, atol=0.0101
    )
    assert found.undefined == 0


def test_bootstrap_reports_undefined_resamples():
    table = ConfusionMatrix(tp=2, fn=1, fp=0, tn=7)
    found = interval("precision", table, method="bootstrap", rng=5, n_resamples=50_000)
    np.testing.assert_allclose(found.undefined, 0.8**10, atol=0.01)
    assert found == interval("precision", table, method="bootstrap", rng=5, n_resamples=50_000)


def test_bootstrap_of_an_empty_table():
    empty = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    found = interval("true_positives", empty, method="bootstrap", rng=5)
    assert (found.low, found.high) == (0, 0)


@pytest.mark.parametrize("method", ["bayes", "wilson", "exact", "bootstrap"])
def test_undefined_is_nan_for_every_method(method):
    table = ConfusionMatrix(tp=0, fn=5, fp=0, tn=5)
    found = interval("precision", table, method=method, rng=1)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert (found.route, found.method) == ("undefined", method)
    assert found.reason == found.to_dict()["reason"] == metrics.precision.undefined_reason(table)
    assert interval("recall", table, method=method, rng=1).reason is None


@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_methods_for_proportions_refuse_other_metrics(method):
    with pytest.raises(errors.UnsupportedError, match=r"is for proportions.*'?bayes.*bootstrap"):
        interval("mcc", TABLE, method=method)


@pytest.mark.parametrize("method", ["wilson", "exact", "bootstrap"])
def test_weighted_counts_are_refused_where_cases_are_counted(method):
    weighted = ConfusionMatrix(tp=3.5, fn=1, fp=2, tn=4)
    with pytest.raises(errors.UnsupportedError, match=r"weighted.*method=\"bayes\""):
        interval("recall", weighted, method=method, rng=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "bootstrap"}, "rng must be given.*numpy.random.Generator or an integer seed"),
        ({"method": "bootstrap", "rng": 1, "n_resamples": 0}, "n_resamples must be a whole number"),
        ({"confidence_level": 95}, r"confidence_level must lie in \(0, 1\), got 95"),
        ({"confidence_level": 1.0}, r"confidence_level must lie in \(0, 1\)"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(errors.InvalidArgumentError, match=message):
        interval("mcc", TABLE, **options)


def test_unknown_names():
    with pytest.raises(errors.UnknownNameError, match="Did you mean 'wilson'"):
        interval("recall", TABLE, method="wilsn")
    with pytest.raises(errors.UnknownNameError, match="Did you mean 'precision'"):
        interval("precison", TABLE)


def test_no_default_route_loads_scipy_stats():
    code = (
        "import sys; from baserate import ConfusionMatrix; from baserate.inference import interval;"
        "t = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50);"
        "[interval(m, t) for m in ('recall', 'mcc', 'f1')]; interval('recall', t, method='exact');"
        "print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
