"""One protocol of results: frozen, JSON-ready, a number where there is one value, yes or no."""

import inspect
import json
import math
from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import get_args, get_type_hints

import numpy as np
import pytest

import baserate as br
from baserate._result import Result
from baserate.cases.unseen_cases import HeldOut
from baserate.curves.losses import compare_brier
from baserate.errors import UnsupportedError
from baserate.inference.best_of_several import probability_best_separate

NAMESPACES = ("baselines", "curves", "estimators", "groups", "inference", "questions", "tuning",
              "utilities")  # fmt: skip

# Returned by public functions and no answers: values with facts, models, laws, functions.
VALUES = {
    "ClassMetric", "ClassTable", "ConfusionMatrix", "Metric", "PairMetric", "MetricFunction",
    "MetricScorer", "UtilityMatrix", "BoundedLaw", "ScoreHistogram",
}  # fmt: skip

A = br.ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
B = br.ConfusionMatrix(tp=20, fn=10, fp=25, tn=45)
TABLES = {"a": A, "b": B}
CELLS = [(row, column) for row in "ab" for column in "cd"]
CLASSES = br.ClassTable([[9, 1, 0], [2, 7, 1], [0, 4, 6]])
SIZES = {"n_positive": 30, "n_negative": 70}
MODEL = br.models.Hypergeometric(n_positive=6, n_negative=9, n_predicted=5)
U = br.UtilityMatrix([[15, -335], [-35, 165]])
TRUTH, SCORE = [0, 0, 1, 1, 0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.6, 0.9, 0.2, 0.3]
OF_THREE = [0, 1, 2] * 3, np.eye(3)[[0, 1, 2, 0, 1, 1, 2, 1, 2]]
SWEEP = br.sweep(TRUTH, SCORE)
TOO_LOW = br.sweep([1] * 40 + [0] * 60, [0.2] * 100)
LDA = br.populations.LDA(distance=2.0)
RAW = br.groups.Estimator.raw()


def returned(function):
    """Yield the classes that a function says it returns."""
    try:
        hint = get_type_hints(function).get("return")
    except NameError:
        hint = None
    queue = [hint]
    while queue:
        found = queue.pop()
        queue += get_args(found)
        if inspect.isclass(found) and found.__module__.startswith("baserate."):
            yield found


def answers():
    """Return every class that some public function returns, values aside."""
    spaces = [br, *(getattr(br, name) for name in NAMESPACES)]
    every = [getattr(space, name) for space in spaces for name in space.__all__]
    found = {c for f in every if inspect.isfunction(f) for c in returned(f)}
    return sorted((c for c in found if c.__name__ not in VALUES), key=lambda c: c.__name__)


ANSWERS = answers()


def match(metric="recall"):
    return br.match_test(metric, A, B)


# One example of each; the number that `float()` gives, by name, where there is one.
EXAMPLES = [
    (lambda: br.admissible("f1"), None),
    (lambda: br.expect("f1", MODEL), "value"),
    (lambda: br.pmf("f1", MODEL), None),
    (lambda: br.questions.tails("f1", MODEL, 0.5), None),
    (lambda: br.count_undefined(["f1", "mcc"], [3, 9]), None),
    (lambda: br.groups.downsample(TABLES, "recall", sizes=[3, 9]), None),
    (lambda: br.displays.SmallSampleDisplay(TABLES).fan, None),
    (lambda: br.audit(TABLES, metrics="recall"), None),
    (lambda: br.evaluate(A, metrics="recall"), None),
    (lambda: br.compare({"a": CLASSES, "b": CLASSES.transpose()}), None),
    (lambda: br.count_labels([1, 1, 0], [1, 0, 0], cluster=list("aab")), None),
    (lambda: br.compare(TABLES, metrics="recall"), None),
    (lambda: br.thresholds(TRUTH, SCORE, metrics="f1"), None),
    (lambda: br.thresholds(*OF_THREE, metrics="accuracy"), None),
    (lambda: br.skill("f1", A), "value"),
    (lambda: br.dutch_draw("f1", **SIZES), "value"),
    (lambda: br.dutch_draw(["f1", "accuracy"], **SIZES), None),
    (lambda: br.random_guess("f1", **SIZES), "value"),
    (lambda: br.dutch_draw_multiclass("accuracy", [2, 3, 4]), "value"),
    (lambda: br.dutch_scaler("f1", A), "value"),
    (lambda: br.beats_chance(A, "f1"), "p_value"),
    (lambda: br.independence_test(br.ClassTable([[3, 1, 0], [1, 2, 0], [0, 1, 1]])), "p_value"),
    (lambda: SWEEP, None),
    (lambda: br.roc_auc(SWEEP), "value"),
    (lambda: br.compare_auc(TRUTH, SCORE, SCORE[::-1]), "difference"),
    (
        lambda: br.difference("f1", paired=[[[[3, 1], [2, 1]], [[1, 2], [1, 3]]]] * 3),
        "value",
    ),
    (lambda: br.curves.average_precision(SWEEP), "value"),
    (lambda: br.curves.top_of_list(SWEEP, k=3), None),
    (lambda: br.curves.partial_auc(SWEEP, max_fpr=0.5), "value"),
    (lambda: br.curves.brier_score(SWEEP), "value"),
    (lambda: compare_brier(TRUTH, SCORE, SCORE[::-1]), "difference"),
    (lambda: br.curves.calibration(SWEEP), None),
    (lambda: br.calibration([0, 1, 2, 0], np.full((4, 3), 1 / 3)), None),
    (lambda: br.calibration(SWEEP).curve(), None),
    (lambda: br.calibration(SWEEP).decomposition(), "score"),
    (lambda: br.calibration(SWEEP).band(), None),
    (lambda: br.calibration(SWEEP).bins(), None),
    (lambda: br.calibration(TOO_LOW).regions()[0], None),
    (lambda: br.curves.roc_curve(SWEEP), None),
    (lambda: br.curves.roc_band(SWEEP), None),
    (lambda: br.curves.precision_recall(SWEEP), None),
    (lambda: br.curves.roc_dominance(SWEEP, SWEEP), None),
    (lambda: br.interval("f1", A), "value"),
    (lambda: br.probability("f1", A, ">= 0.5"), "value"),
    (lambda: br.difference("recall", A, B), "value"),
    (lambda: br.inference.mcnemar_test(3, 5), "p_value"),
    (lambda: br.difference("f1", [1, 3], [1, 2], folds=(9, 3)), "value"),
    (lambda: HeldOut(*np.zeros((5, 2)), positive=1), None),
    (lambda: probability_best_separate([A, B], U), None),
    (match, "p_value"),
    (lambda: br.min_p(["recall", "f1"], A, B), None),
    (lambda: br.smooth(A, B), None),
    (lambda: br.smooth(A, B).checks, None),
    (lambda: br.groups.family_adjust([match()], ["a"]), None),
    (lambda: br.groups.beyond_margins("recall", dict.fromkeys(CELLS, A)), None),
    (lambda: br.groups.compare_calibration(TRUTH, SCORE, list("aabbabab")), None),
    (lambda: br.groups.compare_calibration(TRUTH, SCORE, list("aabbabab")).groups[0], None),
    (lambda: br.groups.group_difference("recall", TABLES), "value"),
    (lambda: br.groups.pair_interval(br.groups.difference("recall"), A, B), "value"),
    (lambda: br.groups.estimate_strength(TABLES), "value"),
    (lambda: br.sample_size("gap(recall)", group=A, reference=B, alternative="less"), "below"),
    (lambda: br.sample_size("gap(recall)", reference=B, gap=0.3), "n"),
    (lambda: br.groups.smooth_multiclass([[3, 1], [2, 4]], [[9, 4], [5, 9]]), None),
    (lambda: br.groups.risks("recall", br.models.Multinomial(n=9, cells=A), [RAW])[0], None),
    (lambda: br.optimal_threshold("f1", SWEEP), "threshold"),
    (lambda: br.cross_validated_threshold("f1", [(TRUTH, SCORE)] * 2), "threshold"),
    (lambda: br.tuning.threshold_spread("f1", SWEEP, rng=1, n_resamples=5), None),
    (lambda: br.tuning.optimal_class_weights("accuracy", *OF_THREE), "value"),
    (lambda: br.tuning.class_weight_spread("accuracy", *OF_THREE, rng=1), "corrected"),
    (lambda: br.bayes_threshold("f1", LDA, base_rate=0.3), None),
    (lambda: br.tuning.base_rate_curves("f1", {"a": A, "b": B}, n=9), None),
    (lambda: br.tuning.stationary_ratios("f1", LDA, base_rate=0.3), None),
    (lambda: br.is_robust("mcc", LDA), None),
    (lambda: br.compare_utilities(A, B, U), None),
    (lambda: br.compare_utilities(A, B, U).region, None),
    (lambda: br.utilities.best_by_threshold(TABLES), None),
    (lambda: br.utilities.information(U, [[5, 2], [1, 9]]), "value"),
    (lambda: br.utilities.rankings(TABLES, U)[0], None),
    (lambda: U.constant_decisions([0.3, 0.7]), "value"),
    (lambda: br.net_benefit_curve(SWEEP), None),
    (lambda: br.value_of_information(A, threshold=0.2, m=5), None),
    (lambda: br.sample_size("calibration", base_rate=0.1, auc=0.8), "n"),
    (lambda: br.sample_size("gap(recall)", reference=A, group=B, gap=0.2), "power"),
    (lambda: br.sample_size("recall >= 0.8@low", expected=0.9, n=20), "power"),
    (lambda: br.cases([1, 0, 1], [1, 0, 0]), None),
    (lambda: br.evaluate(["a", "b", "c"] * 3, ["a", "b", "b"] * 3, metrics="accuracy"), None),
    (
        lambda: br.audit(
            ["a", "b", "c"] * 6, ["a", "b", "b"] * 6, groups={"g": [0, 1] * 9}, metrics="accuracy"
        ),
        None,
    ),
]


def plain(value):
    """Return whether JSON holds the value without loss: no nan, no infinity, names as keys."""
    return json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.mark.parametrize("kind", ANSWERS, ids=lambda kind: kind.__qualname__)
def test_every_answer_is_frozen_and_turns_into_a_document(kind):
    assert issubclass(kind, (Result, tuple))
    assert callable(kind.to_dict)
    assert issubclass(kind, tuple) or (is_dataclass(kind) and kind.__dataclass_params__.frozen)


@pytest.mark.slow
def test_every_answer_has_an_example():
    shown = {type(make()) for make, _ in EXAMPLES}
    assert {kind.__qualname__ for kind in ANSWERS} <= {kind.__qualname__ for kind in shown}


@pytest.mark.sweep(5, start=2)
@pytest.mark.parametrize(("make", "number"), EXAMPLES)
def test_documents_survive_and_numbers_are_plain(make, number):
    found = make()
    document = found.to_dict()
    assert isinstance(document, dict)
    assert document
    assert plain(document)
    assert not any(name.startswith("_") for name in document)
    if number is None:
        assert not hasattr(found, "__float__")
    else:
        wanted = float(getattr(found, number))
        assert float(found) == wanted or math.isnan(wanted)
    if is_dataclass(found):
        with pytest.raises(FrozenInstanceError):
            setattr(found, fields(found)[0].name, 0)


@pytest.mark.slow
def test_a_yes_or_no_is_one():
    assert (bool(br.admissible("accuracy")), bool(br.admissible("f1"))) == (True, False)
    assert (bool(br.is_robust("mcc")), bool(br.is_robust("mcc", LDA))) == (False, True)
    with pytest.raises(UnsupportedError, match="not a yes or a no: compare p_value with"):
        bool(br.beats_chance(A))


def test_a_number_that_does_not_exist_is_null_and_says_why():
    none = br.ConfusionMatrix(tp=0, fn=0, fp=3, tn=5)
    document = br.skill("recall", none).to_dict()
    assert (document["value"], document["reason"]) == (None, "no positives (tp + fn = 0)")
    assert SWEEP.to_dict()["thresholds"][0] is None  # infinity


def test_arrays_become_lists_and_groups_names():
    draw = br.models.Hypergeometric(n_positive=1, n_negative=1, n_predicted=1)
    document = br.pmf("accuracy", draw).to_dict()
    assert (document["values"], document["probabilities"]) == ([0.0, 1.0], [0.5, 0.5])
    assert set(br.groups.group_difference("recall", TABLES).to_dict()["values"]) == {"a", "b"}
