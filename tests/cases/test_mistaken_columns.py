"""What looks like data and is something else is named as what it is, or understood."""

import io

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.curves.losses import compare_brier
from baserate.errors import DataError, InvalidArgumentError, LabelError
from trust.calls import calls

ROWS = "sick,test,risk\nyes,yes,0.9\nyes,no,0.4\nno,no,0.2\nno,yes,0.6\n"
NAMED = {"target": "sick", "prediction": "test"}
TRUTH = pd.Series([1, 0, 1, 0], index=list("abcd"))
TURNED = pd.Series([0.9, 0.2, 0.6, 0.1], index=list("dcba"))
SHARES = pd.DataFrame({0: 1 - TURNED, 1: TURNED})
COLUMNS = [  # of calls that take two or more, one value per case
    (call, names)
    for call in calls()
    if not call.wraps_an_estimator
    and call.function is not br.evaluate  # reads no score beside a prediction
    and len(names := [k for k, v in call.arguments.items() if np.shape(v) == (12,)]) > 1
]


@pytest.mark.parametrize(
    "call",
    [
        lambda: br.evaluate(TRUTH, TURNED > 0.5),
        lambda: br.evaluate(TRUTH, TRUTH, groups=TURNED),
        lambda: br.confusion_matrix(TRUTH, TURNED > 0.5),
        lambda: br.roc_auc(TRUTH, TURNED),
        lambda: br.brier_score(TRUTH, TURNED),
        lambda: br.compare_auc(TRUTH, TRUTH, TURNED),
        lambda: compare_brier(TRUTH, TURNED, TRUTH),
        lambda: br.roc_auc(TRUTH, TRUTH, sample_weight=TURNED),
        lambda: br.compare(TRUTH, {"one": TRUTH, "two": TURNED > 0.5}),
        lambda: br.roc_auc(TRUTH, [1, 2, 3, 4], fold=TURNED),
        lambda: br.roc_auc(TRUTH, SHARES),
        lambda: br.brier_score(TRUTH, SHARES),
        lambda: br.evaluate(TRUTH, score=SHARES),
        lambda: br.evaluate(TRUTH, score=dict(SHARES)),
        lambda: br.thresholds(TRUTH, SHARES),
        lambda: br.thresholds(TRUTH, dict(SHARES)),
    ],
)
def test_series_of_the_same_rows_in_another_order_are_refused(call):
    with pytest.raises(DataError, match="has the rows of y_true in another order, by their labels"):
        call()


@pytest.mark.parametrize(("call", "names"), COLUMNS, ids=lambda x: getattr(x, "name", None))
def test_every_call_of_two_columns_compares_their_rows(call, names):
    series = {name: pd.Series(call.arguments[name]) for name in names}
    for name in names[1:]:
        turned = {**series, name: series[name][::-1]}
        with pytest.raises(DataError, match=r"has the rows of \w+ in another order"):
            call.made({**call.arguments, **turned})


def test_series_in_the_same_order_or_of_other_rows_are_taken_as_they_come():
    aligned = TURNED.loc[TRUTH.index]
    assert br.roc_auc(TRUTH, aligned).value == br.roc_auc(TRUTH.tolist(), aligned.tolist()).value
    for other in (TURNED.to_numpy(), TURNED.reset_index(drop=True), TURNED.set_axis(list("wxyz"))):
        assert br.roc_auc(TRUTH, other).value == 1


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize(
    ("positive", "recall"), [("yes", 0.5), ("No", 0.5), ("t", 0.5), (True, 0.5)]
)
def test_words_that_an_engine_took_for_truth_values(tmp_path, positive, recall):
    (tmp_path / "d.csv").write_text(ROWS + "yes,yes,0.7\n" * 2)
    relation = duckdb.connect().read_csv(str(tmp_path / "d.csv"))
    found = br.evaluate(relation, positive=positive, **NAMED).to_dict()["table"]
    right = br.evaluate(io.BytesIO((ROWS + "yes,yes,0.7\n" * 2).encode()),
                        positive="no" if positive == "No" else "yes", **NAMED)  # fmt: skip
    assert found == right.to_dict()["table"]
    with pytest.raises(LabelError, match="must be a label that occurs, got 'maybe'"):
        br.evaluate(relation, positive="maybe", **NAMED)


def test_a_dataset_of_pyarrow_is_a_frame(tmp_path):
    frame = pd.read_csv(io.StringIO(ROWS))
    for site in "ab":
        pq.write_table(pa.Table.from_pandas(frame), tmp_path / f"{site}.parquet")
    data = pa.dataset.dataset(tmp_path)
    double = pd.concat([frame, frame])
    for call in (
        lambda d: br.evaluate(d, positive="yes", **NAMED).to_dict()["table"],
        lambda d: br.count_scores(d, target="sick", score="risk", positive="yes").rows.cases.sum(),
    ):
        assert call(data) == call(double)
    with pytest.raises(DataError, match="has no column 'sic'"):
        br.evaluate(data, positive="yes", target="sic", prediction="test")


def of_scores(scores, **how):
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "s": scores})
    return br.evaluate(frame, target="y", score="s", **how)


def test_percentages_and_infinite_scores_are_called_so():
    percent, endless = [97.67, 0, 50, 20], [np.inf, 0, 0.5, 0.2]
    with pytest.raises(InvalidArgumentError, match=r"97\.67, as percentages do: divided by 100"):
        of_scores(percent)
    with pytest.raises(InvalidArgumentError, match="from 0 to inf, so that some are infinite"):
        of_scores(endless)
    with pytest.raises(InvalidArgumentError, match=r"got 97\.67: divide percentages by 100"):
        br.brier_score([1, 0, 1, 0], percent)
    with pytest.raises(InvalidArgumentError, match="got inf: mend what is infinite"):
        br.calibration([1, 0, 1, 0], endless)
    with pytest.raises(InvalidArgumentError, match=r"from -3 to 0\.9.: pass threshold"):
        of_scores([-3, 0.9, 0, 0])


@pytest.mark.slow
def test_a_percentage_is_no_threshold_of_probabilities(tmp_path):
    why = r"must be on the scale of the scores \(.* reaches 0.9 at most\), got 40: .* share, 0.4\."
    with pytest.raises(InvalidArgumentError, match=why):
        of_scores([0.9, 0.2, 0.6, 0.1], threshold=40)
    (tmp_path / "d.csv").write_text(ROWS)
    with pytest.raises(InvalidArgumentError, match=why):
        br.evaluate(tmp_path / "d.csv", target="sick", score="risk", positive="yes", threshold=40)
    for scores, at in (([0.9, 0.2, 0.6, 0.1], 1.0), ([90, 20, 60, 10], 40), ([3.0, 0, 0, 0], 2)):
        of_scores(scores, threshold=at)
