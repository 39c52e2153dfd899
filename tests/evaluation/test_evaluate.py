"""One call, many inputs: the same facts from arrays, frames, files, tables."""

import re
from functools import cache
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import fisher_exact

import baserate as br
from baserate.errors import (
    BaserateError,
    InvalidArgumentError,
    LabelError,
    UnsupportedError,
)
from baserate.evaluation import CountsFile
from baserate.evaluation.guesses import baseline
from baserate.evaluation.stakes import GivenStakes
from baserate.metrics import HEADLINES

AFFAIRS = Path(__file__).parents[2] / "examples" / "affairs.csv"
FRAME = pd.read_csv(AFFAIRS)
COLUMNS = {"target": "affair", "prediction": "predicted", "positive": "yes", "groups": "occupation"}
SOME = ("accuracy", "recall", "f1", "matthews_correlation", "lift")


def numbers(result):
    facts = result.to_dict()
    for name in ("source", "target", "prediction", "score", "threshold"):
        facts.pop(name)
    return facts


@cache
def expected():
    return numbers(br.evaluate(AFFAIRS, metrics=SOME, **COLUMNS))


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_frames_equal_the_file(make):
    assert numbers(br.evaluate(make(FRAME), metrics=SOME, **COLUMNS)) == expected()


def test_scores_with_gaps_and_outside_the_unit_interval():
    y, s = [1, 0, 1, 0], [0.9, float("nan"), 0.2, 0.4]
    with pytest.raises(BaserateError, match="missing"):
        br.evaluate(y, score=s)
    assert br.evaluate(y, score=s, missing="drop", metrics="f1").to_dict()["missing"] == 1
    with pytest.raises(InvalidArgumentError, match="threshold must be given"):
        br.evaluate(y, score=[3, 1, 2, 0])
    assert br.evaluate(y, score=[3, 1, 2, 0], threshold=2, metrics="f1").table.tp == 2
    with pytest.raises(InvalidArgumentError, match="score must hold one real number per case"):
        br.evaluate(y, score=["a", "b", "c", "d"])


def test_tables_and_mappings():
    a, b = br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7), br.ConfusionMatrix(tp=5, fn=5, fp=0, tn=9)
    one = br.evaluate(a, metrics="f1")
    assert one.facts.groups == ()
    assert one.facts.metrics[0].value == pytest.approx(16 / 21)
    two = br.evaluate({"a": a, "b": b}, metrics=["recall", "precision"])
    assert two.table == a + b
    assert [g["group"] for g in two.to_dict()["groups"]] == [{"name": "a"}, {"name": "b"}]
    with pytest.raises(InvalidArgumentError, match="single ConfusionMatrix"):
        br.evaluate({"a": 3})
    with pytest.raises(InvalidArgumentError, match="must hold a table"):
        br.evaluate({})


def test_weights_shrink_the_intervals_to_the_effective_size():
    y, p = [1, 1, 0, 0] * 25, [1, 0, 0, 0] * 25
    plain = br.evaluate(y, p, metrics="accuracy").facts.metrics[0]
    heavy = br.evaluate(y, p, weight=[10.0] * 100, metrics="accuracy").facts
    assert heavy.n == 1000
    assert heavy.effective_n == pytest.approx(100)
    assert heavy.metrics[0].low == pytest.approx(plain.low)
    counts = br.evaluate(y, p, weight=[10.0] * 100, metrics="true_positives").facts.metrics[0]
    assert counts.low < counts.value == 250 < counts.high


def test_a_users_metric_and_a_utility():
    mine = br.metrics.define("mine", lambda tp, fn, fp, tn: tp / (tp + 3 * fn), bounds=(0, 1))
    found = br.evaluate([1, 1, 0], [1, 0, 0], metrics=[mine], utility=[[1, -1], [0, 0]]).facts
    assert [m.name for m in found.metrics] == ["mine", "utility([[1, -1], [0, 0]])"]
    assert found.metrics[0].low < 0.25 < found.metrics[0].high


def test_restated_at_a_base_rate():
    found = br.evaluate(AFFAIRS, base_rate=0.5, metrics="accuracy, f1", **COLUMNS)
    recall, specificity = 762 / 2053, 3837 / 4313
    assert found.facts.metrics[0].value == pytest.approx((recall + specificity) / 2)
    assert (found.facts.base_rate, found.facts.restated) == (0.5, True)
    assert found.value("accuracy") == found.facts.metrics[0].value


def test_undefined_groups_say_why():
    found = br.evaluate([1, 0, 0, 0], [1, 0, 1, 0], groups=["a", "a", "b", "b"], metrics="recall")
    b = found.to_dict()["groups"][1]["metrics"][0]
    assert (b["value"], b["low"], b["high"]) == (None, None, None)
    assert b["undefined_reason"] == "no positives (tp + fn = 0)"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: br.evaluate([1, 0]), InvalidArgumentError, "y_pred must be given beside"),
        (lambda: br.evaluate(FRAME, [1], target="affair"), InvalidArgumentError, "one frame"),
        (lambda: br.evaluate(FRAME, target="affair"), InvalidArgumentError, "prediction"),
        (lambda: br.evaluate([1, 0], [1, 0], guess="luck"), InvalidArgumentError, "guess"),
        (lambda: br.evaluate([1, 0], [1, 0], metrics=[]), InvalidArgumentError, "metrics"),
    ],
)
def test_errors_finish_the_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call()


TABLE = br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7)


@pytest.mark.parametrize("data", [TABLE, {"a": TABLE}])
@pytest.mark.parametrize(
    "ignored",
    [
        {"groups": "g"}, {"weight": [1.0]}, {"threshold": 0.3}, {"score": "s"},
        {"prediction": "p"}, {"missing": "drop"},
    ],
)  # fmt: skip
def test_what_a_table_has_no_use_for_is_refused(data, ignored):
    (name,) = ignored
    with pytest.raises(InvalidArgumentError, match=f"^{name} has no meaning for tables that were"):
        br.evaluate(data, **ignored)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: br.evaluate([1, 0], [1, 0], prediction="p"), "prediction names a column of a fra"),
        (
            lambda: br.evaluate(FRAME, target="affair", prediction="predicted", threshold=0.3),
            r"threshold cuts a score, and none is given, got 0.3: name one \(--score\), or leave",
        ),
    ],
)
def test_no_argument_is_ignored_in_silence(call, words):
    with pytest.raises(InvalidArgumentError, match=words):
        call()


@pytest.mark.parametrize(
    ("found", "column"),
    [
        (br.evaluate([1, 0], [1, 0], score=[0.2, 0.9], metrics="f1"), "score"),
        (br.evaluate(FRAME, score="score", metrics="f1", **COLUMNS), "score"),
        (br.evaluate(AFFAIRS, score="score", threshold=0.9, metrics="f1", **COLUMNS), "score"),
    ],
)
def test_a_score_beside_a_prediction_is_said_to_be_unused(found, column):
    words = f'; the score in column "{column}" and any threshold were not used'
    assert words in " ".join(str(found).split())
    assert found.facts.threshold is None


def test_spellings_are_refused_in_arrays_and_files(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("y,p\nyes,yes \nno,no\n")
    told = "'yes', 'yes ' differ only by spaces or letter case: clean them first"
    with pytest.raises(LabelError, match=told):
        br.evaluate(["yes", "no"], ["yes ", "no"], positive="yes")
    with pytest.raises(LabelError, match=told):
        br.evaluate(path, target="y", prediction="p", positive="yes")


def test_one_metric_and_metrics_named_twice():
    one = br.metrics.get("recall")
    for asked in (one, [one, "recall"], "recall, tpr, sensitivity", ["recall", "recall"]):
        found = br.evaluate([1, 0, 1], [1, 0, 0], metrics=asked)
        assert [m.name for m in found.facts.metrics] == ["recall"]
    guessed = baseline(n_positive=3, n_negative=4, metrics=one)
    assert [m.name for m in guessed.metrics] == ["recall"]


def test_two_rows_of_one_name_are_named_plainly(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("g,tp,fn,fp,tn\nA,1,2,3,4\nA,1,2,3,4\n")
    with pytest.raises(BaserateError, match=r"counts\.csv are called 'A': give each its own name"):
        br.evaluate(CountsFile.each(path))


def test_classifiers_on_the_same_cases_are_not_added_up():
    a, b = br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7), br.ConfusionMatrix(tp=5, fn=5, fp=0, tn=10)
    two = br.evaluate({"a": a, "b": b}, metrics=["recall", "f1"])
    document = two.to_dict()
    assert (document["table"], document["metrics"], document["n"]) == (None, [], 20)
    assert [g["table"]["tp"] for g in document["groups"]] == [8, 5]
    text = str(two)
    assert "all cases" not in text
    assert "they are not added up" in " ".join(text.split())
    assert "\na: " in "\n" + text
    assert "Classifiers\n" in text
    with pytest.raises(UnsupportedError, match="have no table in common"):
        _ = two.table
    for form in ("markdown", "html", "json"):
        two.render(form)
    turned = br.ConfusionMatrix(tp=2, fn=8, fp=7, tn=3)
    text = " ".join(str(br.evaluate({"a": a, "turned": turned}, metrics="f1")).split())
    assert "; better than guessing: no, its answers look reversed (informedness -0.50" in text


def test_the_answer_is_about_what_decisions_are_worth():
    """By hand: 100 cases, half positive; always the second decision is worth 65 per case."""
    t = br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    report = br.evaluate(t, utility=[[15, -335], [-35, 165]])
    text = " ".join(report.render(details=True).split())
    assert text.startswith(
        "Better than guessing by utility per case: no. Utility per case is 3.500"
    )
    assert "the best guess scores 65.00, which is better" in text
    assert re.search(r"utility\(\[\[15, -335\],.* 3\.500 +-30\.63", text)
    cost = br.metrics.define(
        "cost", lambda tp, fn, fp, tn: (3 * fn + fp) / (tp + fn + fp + tn), direction="lower"
    )
    good = br.ConfusionMatrix(tp=45, fn=5, fp=5, tn=45)
    assert str(br.evaluate(good, metrics=[cost, "f1"])).startswith(
        "Better than guessing by cost: yes"
    )


def test_a_reversed_classifier_is_told_so():
    turned = br.evaluate(br.ConfusionMatrix(tp=5, fn=23, fp=35, tn=15), metrics="mcc")
    # the other tail of Fisher's test, by SciPy
    p = fisher_exact([[5, 23], [35, 15]], alternative="less").pvalue
    assert turned.facts.p_reversed == pytest.approx(p, rel=1e-9)
    assert "its answers look reversed" in " ".join(str(turned).split())
    poor = br.evaluate(br.ConfusionMatrix(tp=2, fn=3, fp=4, tn=3), metrics="mcc")
    assert "reversed" not in str(poor)
    often_right = br.ConfusionMatrix(tp=1, fn=29, fp=300, tn=700)  # its opposite is right in 32%
    assert not br.evaluate(often_right).facts.better_than_guessing.reversed
    lonely = br.evaluate(br.ConfusionMatrix(tp=0, fn=1, fp=1, tn=98), metrics="mcc")
    assert "reversed" not in str(lonely)


def test_a_metric_and_its_restatement_are_told_apart():
    t = br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    text = str(br.evaluate(t, metrics="f1.at_base_rate(0.1), f1"))
    assert "\nf1.at_base_rate(0.1) " in text
    assert "\nf1  " in text
    assert "F1 (at a base rate of 0.1) is" in text
    assert "at_base_rate" not in str(br.evaluate(t, metrics="f1", base_rate=0.1))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("AUC", "where there is no score, got 'AUC': name the column of scores"),
        ("gini", "gini is a measure of scores, and only metrics of a confusion.* 'informed"),
    ],
)
def test_areas_under_curves_are_no_metrics_of_a_table(name, said):
    with pytest.raises(BaserateError, match=said):
        br.evaluate([1, 0], [1, 0], metrics=f"f1,{name}")


def test_intervals_of_all_groups_are_asked_for_at_once_and_of_equal_tables_once(monkeypatch):
    from baserate.evaluation import asked as module

    a, b = br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7), br.ConfusionMatrix(tp=5, fn=4, fp=0, tn=9)
    sizes = []

    def recorded(metric, table, **how):
        sizes.append(table.shape)
        return br.interval(metric, table, **how)

    monkeypatch.setattr(module, "interval", recorded)
    found = br.evaluate({"a": a, "b": b, "c": a}, metrics="mcc")
    assert sizes[0] == (3,)  # all cases, and two of the groups
    assert set(sizes[1:]) == {(1,)}  # what the answer tells of all cases
    for group, table in zip(found.facts.groups, (a, b, a), strict=True):
        one = br.interval("mcc", table)
        assert group.metrics[0].low == pytest.approx(one.low, rel=1e-5)
        assert group.metrics[0].high == pytest.approx(one.high, rel=1e-5)


@pytest.mark.slow
def test_a_table_without_an_interval_leaves_the_others_theirs():
    """Beyond 1e16 cases floats have no digits for the law of a rate."""
    huge = br.ConfusionMatrix(tp=10**17, fn=10**17, fp=10**16, tn=10**17)
    small = br.ConfusionMatrix(tp=8, fn=2, fp=3, tn=7)
    groups = br.evaluate({"huge": huge, "small": small}, metrics="recall").facts.groups
    assert groups[0].metrics[0].interval_reason
    assert groups[1].metrics[0].interval_reason is None
    assert groups[1].metrics[0].low == pytest.approx(br.interval("recall", small).low)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("asked", [None, "headline"])
def test_the_dozen_by_default_and_four_of_a_group(asked):
    groups = ["a", "b", "a", "b", "a", "b"]
    found = br.evaluate([1, 0, 1, 0, 1, 0], [1, 1, 0, 0, 1, 0], groups=groups, metrics=asked)
    assert [m.name for m in found.facts.metrics] == list(HEADLINES)
    rates = [m.name for m in found.facts.groups[0].metrics]
    assert rates == ["accuracy", "recall", "precision", "f1"]
    every = br.evaluate([1, 0, 1, 0], [1, 1, 0, 0], metrics="all").facts.metrics
    assert [m.name for m in every] == [m.name for m in br.metrics.CATALOGUE]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((0, 1), (1, False)),  # whatever stands first, 1 is the usual one
        ((1, 0), (1, False)),
        (("cat", "dog"), ("cat", True)),  # the first, and the report says that it was assumed
    ],
)
def test_utilities_of_counts_without_labels_have_their_usual_class_else_the_first(names, expected):
    utilities = br.UtilityMatrix([[4, -1], [-2, 1]], classes=names)
    assert GivenStakes("utilities", utilities).positive_of_counts(None) == expected
    assert GivenStakes("utilities", utilities, stated=True).positive_of_counts(None) == (
        names[0],
        False,
    )
