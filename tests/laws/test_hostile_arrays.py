"""What nobody would send, sent to everything: an answer or a refusal of ours, nothing changed."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.errors import BaserateError, InvalidArgumentError, LabelError
from oracles import metric_twins

# Where every hostile value was answered or refused; the others are on their way here.
CLEAN = ("confusion_matrix", "count_labels", "roc_auc", "ConfusionMatrix")


def spoiled(name, step):
    """Yield what happened to the calls of this name with one bad argument."""
    from trust.arrays import one_bad, tried
    from trust.calls import calls

    chosen = [call for call in calls() if call.name.partition(" (")[0] == name]
    assert chosen
    for call in chosen:
        for title, bad in list(one_bad(call))[::step]:
            yield f"{call.name}({title})", tried(call, bad)


@pytest.mark.parametrize("name", CLEAN)
def test_one_bad_argument_is_answered_or_refused(name):
    assert not {title: wrong for title, wrong in spoiled(name, 97) if wrong}


@pytest.mark.slow
@pytest.mark.parametrize("name", CLEAN)
def test_every_bad_argument_is_answered_or_refused(name):
    assert not {title: wrong for title, wrong in spoiled(name, 1) if wrong}


COLUMNS = {
    "binary": pl.Series([b"a", b"b", b"a"]),
    **(
        {
            "128 bits": pl.Series([2**100, 5, 2**100], dtype=pl.Int128),
            "unsigned 128 bits": pl.Series([2**127, 5, 2**127], dtype=pl.UInt128),
        }
        if hasattr(pl, "UInt128")  # before, polars panics at such numbers
        else {}
    ),
    "levels": pd.MultiIndex.from_tuples([(1, 2), (3, 4), (1, 2)]),
    "huge": [10**400, 5, 10**400],
    "fractions": [Fraction(10**400, 3), Decimal("0.5"), Fraction(10**400, 3)],
    "decimals": [Decimal("1e5000"), Fraction(1, 3), Decimal("1e5000")],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_any_kind_are_counted(name):
    truth = COLUMNS[name]
    found = br.class_table(truth, truth)
    assert sorted(found.hits.tolist()) == [1, 2]
    assert found.n == 3


@pytest.mark.parametrize("hole", [Decimal("sNaN"), Decimal("NaN"), pd.NA, np.ma.masked, math.nan])
def test_every_missing_value_is_missed(hole):
    found = br.count_labels([1, hole, 0], [1, 1, 0], missing="drop")
    assert (found.n, found.n_missing) == (2, 1)


@pytest.mark.parametrize(
    "label",
    [pl.col("a"), pl.Series([1, 2]), np.array([1, 2]), {}, 3, pd.DataFrame()],
    ids=lambda label: type(label).__name__,
)
def test_a_positive_label_that_is_none_is_refused(label):
    with pytest.raises(LabelError, match="pos_label must be"):
        br.confusion_matrix([1, 0], [1, 0], pos_label=label)


@pytest.mark.parametrize("weight", [1e151, np.finfo(float).max, np.longdouble("1e4000")])
def test_weights_whose_squares_overflow_are_refused(weight):
    with pytest.raises(InvalidArgumentError, match="sample_weight must"):
        br.confusion_matrix([1, 0], [1, 0], sample_weight=[weight, 1])


MODEL = br.models.Hypergeometric(n_positive=4, n_negative=5, n_predicted=3)


def test_seeds_that_numpy_dies_of_are_refused():
    itself = [1]
    itself.append(itself)
    with pytest.warns(PendingDeprecationWarning):
        row = np.asmatrix([[1, 0]])
    for rng in (itself, row, "x", -1, 0.5, object()):
        with pytest.raises(InvalidArgumentError, match="rng must be a seed"):
            br.sample(MODEL, 3, rng=rng)
    assert br.sample(MODEL, 3, rng=[1, 2]).shape == (3,)


def test_text_and_columns_are_no_numbers():
    for given in ("half", [0.5], np.array([0.5]), pd.Series([0.5]), Decimal("sNaN"), b"0.5"):
        with pytest.raises(InvalidArgumentError, match="confidence_level must lie in"):
            br.interval("f1", br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=4), confidence_level=given)


CELLS = (0, 1, 2, 2**53 + 1, 2**63 - 1, 10**18)


@pytest.mark.parametrize("name", ["recall", "f1", "accuracy", "jaccard", "markedness", "lift"])
def test_huge_counts_have_the_values_of_exact_fractions(name):
    metric = br.metrics.get(name)
    for tp in CELLS:
        for fn, fp, tn in ((0, 1, 2**53 + 1), (10**18, 2**63 - 1, 3), (1, 10**18, 0)):
            wanted = metric_twins.value(name, tp, fn, fp, tn)
            try:
                found = metric(br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn))
            except BaserateError:
                continue
            assert found == pytest.approx(math.nan if wanted is None else wanted, rel=1e-12,
                                          abs=1e-15, nan_ok=True)  # fmt: skip
