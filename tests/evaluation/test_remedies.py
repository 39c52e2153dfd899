"""Refusals name what was given, and a way out that exists from there."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import BaserateError
from baserate.inference.validation_size import validation_sample_size

Y = [0, 1, 0, 1, 1, 0, 1, 0]
P = [0, 1, 1, 1, 0, 0, 1, 0]
S = [0.1, 0.8, 0.6, 0.7, 0.3, 0.2, 0.9, 0.4]
K = list("aabbccab")
FRAME = pd.DataFrame({"y": Y, "p": P})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: br.evaluate(Y), "y_pred must be given beside labels: pass it, or score."),
        (lambda: br.thresholds(Y), "y_score must be given beside labels: pass it."),
        (
            lambda: br.evaluate(FRAME, target="y"),
            "prediction must be given unless score is: name one of the two.",
        ),
        (
            lambda: br.evaluate(FRAME, target="y", prediction=P),
            (
                "prediction must be the name of a column when the data are a frame or a file, got "
                "'values such as 1': add it to the data, then name it."
            ),
        ),
        (
            lambda: br.evaluate(Y, P, weight=[-1] * 8),
            "weight must be non-negative and finite, got -1.0: pass numbers of at least 0.",
        ),
        (
            lambda: br.evaluate(Y, P, missing="skip"),
            "missing must be one of error, drop, got 'skip'.",
        ),
        (
            lambda: br.audit(Y, P, groups=list("aabb" * 2), adjust="hol"),
            "adjust must be one of auto, holm, benjamini-hochberg, got 'hol'. Did you mean 'holm'?",
        ),
    ],
)
def test_the_whole_message(call, message):
    with pytest.raises(BaserateError) as refused:
        call()
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("call", "told", "untold"),
    [
        # Who asks for one number has no constraint, and whoever has scores no class table.
        (lambda: br.evaluate(Y, score=S, threshold="recall"), "f1 or balanced", "constraint"),
        (lambda: br.evaluate(K, score=S), "a score for each class", "class_table"),
        (lambda: br.confusion_matrix(Y, S), "or to baserate.sweep", "or pass scores as"),
        (lambda: br.evaluate(K, K, cost="fp=1,fn=2"), "pass utility", "leave it out"),
        (lambda: br.evaluate(Y, P, replicate_weights=np.ones((8, 2))), "pass weight", "got"),
        (lambda: br.evaluate(Y, P, threshold=0.3), "name one (--score), or leave", "(--score) is"),
        (lambda: br.audit(Y, P), "groups=", "got"),
        # With the label named, these doors refuse too: one class has answers in two others only.
        (lambda: br.thresholds(["right"] * 8, S), "'right', to evaluate or audit to see", "sweep"),
        (
            lambda: br.compare(["right"] * 2, {"a": ["right", "wrong"], "b": ["wrong", "right"]}),
            "'wrong', to evaluate or audit to see",
            "mcnemar",
        ),
        # Utilities of three decisions: no positive class was named that could be left out.
        (lambda: br.evaluate(Y, P, utility=[[1, 0], [0, 1], [0.5, 0.5]]), "decisions=", "leave"),
        (lambda: validation_sample_size(base_rate=0.1), "--lp-mean, --lp-sd", "got None"),
        (
            lambda: br.displays.ConfusionDisplay.from_estimator(3, [[1]], [1]),
            "fitted classifier",
            "attribute",
        ),
    ],
)
def test_the_way_out_is_one(call, told, untold):
    with pytest.raises(BaserateError) as refused:
        call()
    assert told in str(refused.value)
    assert untold not in str(refused.value)
