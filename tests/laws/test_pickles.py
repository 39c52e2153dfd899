"""Metrics, functions and results travel to other processes, and stay what they are."""

import copy
import multiprocessing
import pickle

import joblib
import numpy as np
import pytest

import baserate as br
from baserate.errors import UnsupportedError
from baserate.groups.pairs import PAIRS, difference, ratio
from baserate.metrics import CATALOGUE, define, f_beta, get, robust_f_for, utility

try:
    import cloudpickle
except ImportError:  # older versions of joblib bring their own
    from joblib.externals import cloudpickle

TABLE = br.ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
OTHER = br.ConfusionMatrix(tp=20, fn=9, fp=30, tn=80)


def double_recall(tp, fn, fp, tn):
    return 2 * tp / (tp + fn)


def no_positives(tp, fn, fp, tn):
    return tp + fn == 0


MADE = {
    "family": f_beta(beta=1.7),
    "family by position": f_beta(0.3),
    "utility": utility(np.array([[15, -335.5], [-35, 165]])),
    "restated": get("f1").at_base_rate(0.3),
    "restated family": get("robust_f(d0=0.1).at_base_rate(0.2)"),
    "restated, base rate without influence": get("recall").at_base_rate(0.2),
    "robust": robust_f_for(base_rate=0.01, as_if=0.1),
    "own": define("double_recall", double_recall, bounds=(0, 2)),
    "own, restated": define("double_recall", double_recall).at_base_rate(0.5),
    "own, with its undefined set": define("twice", double_recall, undefined_also=no_positives),
    **{name: get(name) for name in ("robust_mcc(d=0.05)", "net_benefit(0.2)")},
    "weighted accuracy": get("weighted_accuracy(weight=0.7)"),
}


def twice(value):
    """There and back, by pickle in every protocol, and by the pickle of joblib's workers."""
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(value, protocol))  # noqa: S301
    yield pickle.loads(cloudpickle.dumps(value))  # noqa: S301


@pytest.mark.parametrize("metric", [*CATALOGUE, *MADE.values()], ids=lambda m: m.name[:40])
def test_metrics(metric):
    for twin in twice(metric):
        assert twin == metric
        assert hash(twin) == hash(metric)
        assert (twin.name, twin(TABLE)) == (metric.name, metric(TABLE))
    assert copy.deepcopy(metric) is copy.copy(metric) is metric


def test_metrics_are_the_same_if_they_were_made_alike():
    assert f_beta(2) == f_beta(beta=2.0) == get("f_beta(beta=2)")
    assert f_beta(2) != f_beta(3) != get("f2")
    assert get("f1").at_base_rate(0.5) == get("f1").at_base_rate(0.5)
    assert get("f1").at_base_rate(0.5) != get("f1").at_base_rate(0.4)
    assert define("own", double_recall) == define("own", double_recall)
    assert define("own", double_recall) != define("own", double_recall, direction="neither")
    assert get("f1") != "f1"
    assert len({get("f1"), get("f1"), f_beta(1), f_beta(1)}) == 2


@pytest.mark.parametrize("pair", [*PAIRS, difference("f_beta(beta=2)"), ratio("recall")])
def test_metrics_of_two_tables(pair):
    for twin in twice(pair):
        assert twin == pair
        assert twin(TABLE, OTHER) == pair(TABLE, OTHER)


def test_a_lambda_is_named_with_the_remedy_and_goes_where_functions_go():
    def local(tp, fn, fp, tn):
        return tp + fn == 0

    own = define("own", lambda tp, fn, fp, tn: tp / (tp + fn))
    for metric in (own, own.at_base_rate(0.5), br.metric_function(own), difference(own)):
        with pytest.raises(UnsupportedError, match="'own' cannot be pickled, because its formula"):
            pickle.dumps(metric)
        assert pickle.loads(cloudpickle.dumps(metric)) is not metric  # noqa: S301
    with pytest.raises(UnsupportedError, match="because its undefined_also is a lambda or a local"):
        pickle.dumps(define("own", double_recall, undefined_also=local))


def test_functions_for_scikit_learn():
    for metric in ("mcc", "f_beta(beta=3)", MADE["own"], get("f1").at_base_rate(0.5)):
        function = br.metric_function(metric, undefined=0.5)
        for twin in twice(function):
            assert twin == function
            assert (twin.__name__, twin.__doc__) == (function.__name__, function.__doc__)
            assert twin([1, 0, 1], [1, 1, 0]) == function([1, 0, 1], [1, 1, 0])


Y, P, S = [1, 1, 0, 0, 1, 0] * 5, [1, 0, 0, 0, 1, 1] * 5, [0.9, 0.4, 0.1, 0.3, 0.8, 0.6] * 5
RESULTS = {
    "match_test": lambda: br.match_test("f1", TABLE, OTHER),
    "match_test of a metric with parameters": lambda: br.match_test(f_beta(3), TABLE, OTHER),
    "evaluate": lambda: br.evaluate(Y, P),
    "audit": lambda: br.audit(Y, P, groups=["a", "b"] * 15, metrics=["recall"]),
    "thresholds": lambda: br.thresholds(Y, S, metrics=["f1", "mcc"]),
    "compare": lambda: br.compare(Y, {"a": P}, score={"s": S}),
    "skill": lambda: br.skill("mcc", TABLE),
    "interval": lambda: br.interval("f1", TABLE),
    "dutch_draw": lambda: br.dutch_draw("f1", n_positive=4, n_negative=7),
    "sweep": lambda: br.sweep(Y, S),
    "optimal_threshold": lambda: br.optimal_threshold("f1", Y, S),
    "is_robust": lambda: br.is_robust("f1"),
    "smooth": lambda: br.smooth(TABLE, OTHER),
    "table": lambda: br.ConfusionMatrix(tp=[1, 2], fn=3, fp=4.5, tn=0),
    "counted": lambda: br.count_labels(Y, P),
    "error": lambda: br.errors.LabelError("what is wrong"),
}


@pytest.mark.sweep(11, start=2)
@pytest.mark.parametrize("name", RESULTS)
def test_results(name):
    result = RESULTS[name]()
    for twin in twice(result):
        assert type(twin) is type(result)
        assert str(twin) == str(result)
        if hasattr(result, "to_dict"):
            assert repr(twin.to_dict()) == repr(result.to_dict())


def value_at(metric, table):
    return metric, metric(table)


def test_a_process_that_starts_afresh():
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        sent = [get("mcc"), MADE["restated"], MADE["family"]]
        found = pool.starmap(br.metrics.Metric.__call__, [(metric, TABLE) for metric in sent])
    assert found == [metric(TABLE) for metric in sent]


@pytest.mark.slow
def test_workers_of_joblib():
    own = define("own", lambda tp, fn, fp, tn: tp / (tp + fn))
    sent = [get("mcc"), MADE["restated"], MADE["own"], own]
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(value_at)(m, TABLE) for m in sent)
    assert [value for _, value in found] == [metric(TABLE) for metric in sent]
    assert [metric == twin for metric, (twin, _) in zip(sent, found, strict=True)][:3] == [True] * 3
