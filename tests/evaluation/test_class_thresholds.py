"""`thresholds` of several classes: weights and their worth; of two classes the binary report."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, f1_score

import baserate as br
from baserate.errors import InvalidArgumentError, LabelError, UnknownNameError
from baserate.report.class_threshold import answer
from baserate.tuning import class_weight_spread
from tests.golden.texts import opening

NAMES = np.array(["flu", "healthy", "plague"])
SHARES = [0.15, 0.8, 0.05]


def drawn(n, seed=0):
    """Return labels of which one is rare, and their true probabilities."""
    rng = np.random.default_rng(seed)
    y = np.concatenate((np.arange(3), rng.choice(3, n - 3, p=SHARES)))
    z = np.exp(rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[y] + np.log(SHARES))
    return y, z / z.sum(axis=1, keepdims=True)


Y, P = drawn(400)
TRUTH = NAMES[Y]


def f1(y, called):
    return f1_score(y, called, average="macro")


@pytest.fixture(scope="module")
def found():
    return br.thresholds(TRUTH, P, metrics="macro_f1, mcc").facts


def test_values_and_tables_are_scikit_learns(found):
    fact = found.metric("macro_f1")
    weights = np.array([one.weight for one in fact.classes])
    called, plain = NAMES[(P * weights).argmax(axis=1)], NAMES[P.argmax(axis=1)]
    assert fact.value == pytest.approx(f1(TRUTH, called), abs=1e-13)
    assert fact.unweighted == pytest.approx(f1(TRUTH, plain), abs=1e-13)
    assert np.array_equal(fact.table.counts, confusion_matrix(TRUTH, called))
    for k, one in enumerate(fact.classes):
        assert (one.label, one.n) == (NAMES[k], np.sum(NAMES[k] == TRUTH))
        assert one.called == np.sum(called == NAMES[k])
        assert one.called_unweighted == np.sum(plain == NAMES[k])
        assert one.offset == pytest.approx(np.log(one.weight), abs=1e-14)
    assert found.metric("matthews_correlation").route == "coordinate ascent"


def test_the_honest_value_is_out_of_the_bag(found):
    fact = found.metric("macro_f1")
    known = class_weight_spread("macro_f1", TRUTH, P, rng=0)
    assert (fact.corrected, fact.difference) == (known.corrected, known.difference)
    assert fact.low < fact.corrected < fact.high
    assert fact.corrected < fact.value
    again = br.inference.class_intervals("macro_f1", known.table, squared_weights=400)["macro_f1"]
    assert (fact.low, fact.high) == pytest.approx((again.low, again.high), abs=1e-13)


def test_one_class_against_the_rest_has_its_own_column():
    alone = br.thresholds(TRUTH == "plague", P[:, 2], metrics="mcc", n_resamples=30).facts
    named = br.thresholds(TRUTH, P, positive="plague", metrics="mcc", n_resamples=30).facts
    assert alone.cuts == named.cuts


def test_the_answer_weighs_what_is_expected_not_what_was_chosen(on_record):
    # Of accuracy the most probable class is best: these are the true probabilities.
    certain = np.eye(3)[Y] * 0.7 + 0.1
    on_record(
        {
            "a gain": opening(br.thresholds(TRUTH, P, metrics="macro_f1")),
            "no gain": opening(br.thresholds(TRUTH, P, metrics="accuracy")),
            "nothing better": opening(br.thresholds(Y, certain, metrics="accuracy")),
        }
    )


def test_where_no_metric_has_weights_the_answer_says_that_there_are_none():
    facts = br.thresholds(TRUTH, P, metrics="macro_f1", n_resamples=2).facts
    none = replace(facts, metrics=tuple(replace(one, reason="?") for one in facts.metrics))
    assert answer(none) == ("No weights of classes: see the reasons below.",)


def test_a_single_case_of_a_class_leaves_nothing_to_expect():
    truth = ["a"] * 20 + ["b"] * 20 + ["c"]
    p = np.array([[0.6, 0.2, 0.2]] * 19 + [[0.3, 0.6, 0.1]] * 21 + [[0.4, 0.3, 0.3]])
    fact = br.thresholds(truth, p, metrics="macro_f1").facts.metrics[0]
    assert np.isnan(fact.corrected)
    assert np.isnan(fact.low)
    assert fact.corrected_reason == "a single case of 'c' cannot be both in and out of the bag"
    assert fact.value > fact.unweighted


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize("form", ["table", "json", "markdown", "html"])
def test_every_format(form):
    text = br.thresholds(TRUTH, P, metrics="macro_f1, macro_base_rate", n_resamples=2).render(form)
    assert "plague" in text
    assert "neither more nor less of it is better" in text


def test_frames_and_numbers():
    result = br.thresholds(TRUTH, P, metrics="macro_f1, mcc", n_resamples=2)
    frame = result.to_frame("pandas")
    assert frame["name"].tolist() == ["macro_f1", "matthews_correlation"]
    assert frame["weight of plague"][0] == result.facts.metrics[0].classes[2].weight
    assert result.to_dict(flat=True)["macro_f1_corrected"] == result.facts.metrics[0].corrected


@pytest.mark.slow
def test_many_classes_show_those_whose_calls_change():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(50), 4)
    p = rng.dirichlet(np.ones(50), 200)
    p[np.arange(200), y] += 0.2
    p /= p.sum(axis=1, keepdims=True)
    found = br.thresholds(y, p, metrics="accuracy, macro_f1", n_resamples=2)
    text = found.render(details=True)
    assert "The 40 classes whose calls change most; 10 more: in the JSON." in text.replace(
        "\n", " "
    )


@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ({"metrics": "f1"}, UnknownNameError, 'for example "macro_f1"'),
        ({"constraint": "recall >= 0.9"}, InvalidArgumentError, "positive"),
        ({"default": 0.4}, InvalidArgumentError, "there are 3 classes, got 0.4"),
        ({"top": 5}, InvalidArgumentError, "the cut of one score"),
        ({"utility": np.eye(2)}, InvalidArgumentError, "UtilityMatrix.decide"),
        ({"cost": "fp=1,fn=2"}, InvalidArgumentError, "UtilityMatrix.decide"),
        ({"positive": "flu", "metrics": "macro_f1"}, InvalidArgumentError, "for each class"),
        ({"n_resamples": 0}, InvalidArgumentError, "at least 1"),
    ],
)
def test_what_has_no_meaning_is_refused(how, error, said):
    with pytest.raises(error, match=said):
        br.thresholds(TRUTH, P, **how)


def test_cases_that_cannot_choose_weights_are_refused():
    columns = {x: P[:, k] for k, x in enumerate(NAMES)}
    with pytest.raises(LabelError, match=r"one class only .* collect cases of 'flu', 'plague'"):
        br.thresholds(["healthy"] * 400, columns)
    with pytest.raises(InvalidArgumentError, match="must sum to one"):
        br.thresholds(TRUTH, P * 0.9)
    with pytest.raises(InvalidArgumentError, match=r"must lie in \[0, 1\]"):
        br.thresholds(TRUTH, np.log(P))
    two = np.where(TRUTH == "plague", "flu", TRUTH)
    [fact] = br.thresholds(two, columns, metrics="macro_f1").facts.metrics
    assert "no cases of 'plague'" in fact.reason
    [fact] = br.thresholds(two, columns, metrics="macro_f1.defined").facts.metrics
    assert fact.reason is None
    assert fact.value > 0.4


RNG = np.random.default_rng(8)
SITES = pd.DataFrame(
    {"site": np.where(np.arange(240) % 3, "N", "S"), "w": np.arange(240) % 2 + 1.0}
)
KIND = RNG.choice(3, 240, p=[0.5, 0.3, 0.2])
RISKS = RNG.dirichlet([1, 1, 1], 240) + np.eye(3)[KIND] * RNG.random((240, 1))
RISKS /= RISKS.sum(axis=1, keepdims=True)
SITES = SITES.assign(y=np.array(["a", "b", "c"])[KIND], **dict(zip("pqr", RISKS.T, strict=True)))
OF_SITES = {"target": "y", "score": {"a": "p", "b": "q", "c": "r"}, "n_resamples": 5}


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("given", [{}, {"weight": "w"}])
def test_groups_by_the_weights_of_all_cases_and_by_their_own(given):
    asked = {"metrics": "macro_f1, accuracy", **OF_SITES, **given}
    found = br.thresholds(SITES, **asked, groups="site").facts
    assert found.metrics == br.thresholds(SITES, **asked).facts.metrics
    assert [place.group for place in found.groups] == [{"site": "N"}, {"site": "S"}]
    for place in found.groups:
        part = SITES[SITES["site"] == place.group["site"]]
        alone = br.thresholds(part, **asked).facts.metrics
        weight = part["w"] if given else None
        for own, expected, of_all in zip(place.weights, alone, found.metrics, strict=True):
            assert (own.value, own.corrected) == (expected.value, expected.corrected)
            factors = np.array([one.weight for one in of_all.classes])
            called = np.array(["a", "b", "c"])[
                (part[["p", "q", "r"]] * factors).to_numpy().argmax(1)
            ]
            score = f1_score(part["y"], called, average="macro", sample_weight=weight)
            right = np.average(called == part["y"], weights=weight)
            shared = {"macro_f1": score, "accuracy": right}[own.name]
            assert own.shared == pytest.approx(shared, abs=1e-12)


def test_groups_are_told_and_framed():
    found = br.thresholds(SITES, **OF_SITES, groups="site", metrics="macro_f1")
    said = " ".join(str(found).split())
    assert "of its own" in said
    assert "Groups: macro F1" in said
    frame = found.to_frame()
    assert frame["site"].tolist() == ["all cases", "N", "S"]
    assert frame["shared"].notna().tolist() == [False, True, True]


def test_a_group_without_a_class_says_why_it_has_no_weights_of_its_own():
    lacking = SITES[(SITES["site"] == "N") | (SITES["y"] == "a")]
    found = br.thresholds(lacking, **OF_SITES, groups="site", metrics="macro_f1")
    south = found.facts.groups[1].weights[0]
    assert np.isnan(south.corrected)
    assert south.reason or south.corrected_reason


def test_folds_judge_weights_that_the_others_choose():
    fold = np.arange(240) % 4
    frame, columns = SITES.assign(fold=fold), ["p", "q", "r"]
    found = br.thresholds(frame, **OF_SITES, metrics="macro_f1", fold="fold").facts
    labels, called = np.array(["a", "b", "c"]), np.empty(240, dtype="<U1")
    chosen = []
    for k in range(4):
        others = frame[fold != k]
        scores = others[columns].to_numpy()
        chosen.append(
            br.tuning.optimal_class_weights("macro_f1", others["y"], scores, labels=labels).weights
        )
        own = frame.loc[fold == k, columns].to_numpy()
        called[fold == k] = labels[(own * chosen[-1]).argmax(axis=1)]
    [metric] = found.metrics
    assert metric.corrected == pytest.approx(f1_score(frame["y"], called, average="macro"))
    assert [c.low for c in metric.classes] == pytest.approx(np.min(chosen, axis=0))
    assert [c.high for c in metric.classes] == pytest.approx(np.max(chosen, axis=0))
    assert (found.folds, found.fold) == (4, "fold")
    said = " ".join(str(br.thresholds(frame, **OF_SITES, fold="fold")).split())
    assert "found on the other 3 folds call the cases of each" in said


@pytest.mark.parametrize("given", [{"cluster": "site"}, {"groups": "site"}, {"weight": "w"}])
def test_folds_stand_alone(given):
    with pytest.raises(InvalidArgumentError, match="no meaning beside folds"):
        br.thresholds(SITES.assign(fold=np.arange(240) % 4), **OF_SITES, fold="fold", **given)


def test_one_fold_is_none():
    with pytest.raises(InvalidArgumentError, match="at least two folds"):
        br.thresholds(SITES.assign(fold=1), **OF_SITES, fold="fold")
    with pytest.raises(InvalidArgumentError, match="beside clusters"):
        class_weight_spread(
            "macro_f1", SITES["y"], RISKS, labels=["a", "b", "c"], rng=0,
            fold=np.arange(240) % 4, cluster=np.arange(240),
        )  # fmt: skip
