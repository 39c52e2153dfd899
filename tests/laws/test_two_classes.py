"""Two classes through the doors of several: the binary answer to the last digit, at every door."""

import numpy as np
import pytest

import baserate as br
from baserate.inference.class_comparison import compare_classes
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.paired import compare_paired
from baserate.inference.separate_samples import compare_separate
from baserate.metrics import CLASS_CATALOGUE, class_metric
from baserate.models import ClassDirichletMultinomial, ClassHypergeometric, ClassMultinomial

RNG = np.random.default_rng(5)
N = 120
SICK = RNG.random(N) < 0.4
TRUTH = np.where(SICK, "yes", "no")
CALLED = np.where(RNG.random(N) < 0.8, TRUTH, np.where(SICK, "no", "yes"))
OTHER = np.where(RNG.random(N) < 0.7, TRUTH, np.where(SICK, "no", "yes"))
GROUP = np.where(RNG.random(N) < 0.5, "a", "b")
TABLE = br.class_table(TRUTH, CALLED)
FOUR = br.confusion_matrix(TRUTH, CALLED, pos_label="yes")
NAMES = [metric.name for metric in CLASS_CATALOGUE if metric.two_classes is not None]
EVERY = ", ".join(NAMES)
SIMULATED = {"matthews_correlation", "cohen_kappa"}  # where classifiers saw the same cases
AVERAGE = f"{EVERY}, macro_f1, recall, f1"  # several classes: an average is named

each_name = pytest.mark.parametrize("name", NAMES)


def same(one, other):
    """Whether numbers, or records written with all digits, are the same; nan is like nan."""
    return repr(one) == repr(other)


def test_the_second_class_is_positive():
    assert TABLE.labels == ("no", "yes")
    assert TABLE.one_vs_rest("yes") == FOUR
    assert set(NAMES) >= {"accuracy", "balanced_accuracy", "matthews_correlation", "cohen_kappa"}


@each_name
@pytest.mark.parametrize("method", ["bayes", "wilson", "exact", "bootstrap"])
def test_intervals(name, method):
    how = {"method": method, "rng": 1 if method == "bootstrap" else None}
    if method in {"wilson", "exact"} and name not in {"accuracy", "error_rate"}:
        for table in (TABLE, FOUR):
            with pytest.raises(br.errors.BaserateError):
                br.interval(name, table, **how)
    else:
        assert same(br.interval(class_metric(name), TABLE, **how), br.interval(name, FOUR, **how))


@each_name
@pytest.mark.parametrize("guess", ["dutch_draw", "same_alarms", "uniform", "proportional", "mode"])
def test_skill_and_chance(name, guess):
    one, two = (br.skill(name, table, guess=guess) for table in (TABLE, FOUR))
    for field in ("value", "chance", "perfect"):
        assert same(getattr(one, field), getattr(two, field))


def test_better_than_guessing():
    one, two = br.beats_chance(TABLE), br.beats_chance(FOUR)
    assert same((one.p_value, one.route), (two.p_value, two.route))


@each_name
@pytest.mark.parametrize(
    "model",
    [
        ClassHypergeometric(class_counts=(20, 12), predicted_counts=(17, 15)),
        ClassMultinomial(n=20, cells=TABLE),
        ClassDirichletMultinomial(n=12, concentration=TABLE),
    ],
    ids=lambda model: type(model).__name__,
)
def test_questions(name, model):
    binary, metric = model.one_vs_rest(model.labels[1]), class_metric(name)
    for question in (br.expect, br.variance, br.probability_defined):
        assert same(question(metric, model), question(name, binary))
    for question, x in ((br.cdf, 0.6), (br.sf, 0.6), (br.quantile, 0.3)):
        assert same(question(metric, model, x), question(name, binary, x))


def test_evaluations():
    several = br.evaluate(TRUTH, CALLED, metrics=AVERAGE).facts
    binary = br.evaluate(TRUTH, CALLED, metrics=EVERY, positive="yes").facts
    assert same(several.p_value, binary.p_value)
    for name in NAMES:
        one, two = several.metric(name), binary.metric(name)
        for field in ("value", "low", "high", "chance", "skill"):
            assert same(getattr(one, field), getattr(two, field)), (name, field)
    for row in several.classes:
        alone = br.evaluate(TRUTH, CALLED, metrics="recall, f1", positive=row.label).facts
        for one, two in zip(row.metrics, alone.metrics, strict=True):
            assert same((one.value, one.low, one.high), (two.value, two.low, two.high))


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("reference", ["rest", "overall", "a"])
def test_audits(reference):
    how = {"groups": GROUP, "reference": reference}
    several = br.audit(TRUTH, CALLED, metrics=AVERAGE, **how).facts
    binary = br.audit(TRUTH, CALLED, metrics=EVERY, positive="yes", **how).facts
    for mine, other in zip(several.groups, binary.groups, strict=True):
        for one, two in zip(mine.findings, other.findings, strict=False):
            fields = ("name", "value", "reference", "reference_value", "p_value", "route")
            for field in (*fields, "condition", "reason"):
                assert same(getattr(one, field), getattr(two, field)), (one.name, field)
    assert same(several.gaps[: len(NAMES)], binary.gaps)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in SIMULATED else n for n in NAMES],
)
def test_comparisons(name):
    metric = class_metric(name)
    pairs = ClassPairs.of_cases(*((side == "yes") * 1 for side in (TRUTH, CALLED, OTHER)), 2)
    assert same(
        compare_classes(metric, *pairs.tables)[name],
        compare_separate(metric.two_classes, *(t.one_vs_rest(1) for t in pairs.tables)),
    )
    joint = np.zeros((2, 2, 2))  # the positive class comes first
    np.add.at(joint, tuple((side == "no") * 1 for side in (CALLED, OTHER, TRUTH)), 1)
    known = compare_paired(metric.two_classes, joint, rng=20_250_101)
    assert same(compare_classes(metric, pairs)[name], known)


@each_name
def test_functions_of_labels(name):
    found = br.metric_function(class_metric(name))(TRUTH, CALLED)
    assert same(found, br.metric_function(name)(TRUTH, CALLED, pos_label="yes"))
    assert same(found, br.metrics.get(name)(FOUR))
