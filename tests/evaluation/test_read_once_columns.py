"""What was read once: a call names which of its columns it means, and a difference takes two."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError

RANDOM = np.random.default_rng(3)
Y = RANDOM.integers(0, 2, 120)
FRAME = pd.DataFrame(
    {
        "y": Y,
        "a": np.where(RANDOM.random(120) < 0.8, Y, 1 - Y),
        "b": np.where(RANDOM.random(120) < 0.7, Y, 1 - Y),
        "topic": np.repeat(np.arange(24), 5),
        "w": RANDOM.random(120) + 0.5,
    }
)


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("read", "beside"),
    [
        ({}, {}),
        ({"cluster": "topic"}, {"cluster": FRAME["topic"]}),
        ({"weight": "w"}, {"sample_weight": FRAME["w"]}),
    ],
)
@pytest.mark.parametrize("metric", ["recall", "f1"])
def test_a_difference_of_two_columns_that_were_read(metric, read, beside):
    cases = br.cases(FRAME, target="y", prediction=["a", "b"], **read)
    found = br.difference(metric, "a", "b", y_true=cases)
    direct = br.difference(metric, FRAME["a"], FRAME["b"], y_true=FRAME["y"], **beside)
    assert found.n_clusters == direct.n_clusters
    for name in ("value", "low", "high", "p_value", "p_better"):
        assert getattr(found, name) == pytest.approx(
            getattr(direct, name), rel=1e-6, nan_ok=True
        ), name
    assert (found.route, found.p_value_route) == (direct.route, direct.p_value_route)


def test_a_call_names_one_of_the_columns_that_were_read():
    cases = br.cases(FRAME, target="y", prediction=["a", "b"])
    for call in (br.evaluate, br.audit):
        more = {"groups": "topic"} if call is br.audit else {}
        read = br.cases(FRAME, target="y", prediction=["a", "b"], **more)
        alone = call(FRAME, target="y", prediction="b", metrics="recall", **more)
        assert call(read, prediction="b", metrics="recall").to_dict() == alone.to_dict()
    with pytest.raises(InvalidArgumentError, match="must be a column that was read"):
        br.evaluate(cases, prediction="c")


def test_the_weights_of_arrays_are_remembered_and_no_others():
    truth, score = [1, 0, 1, 0] * 5, [0.9, 0.2, 0.6, 0.4] * 5
    assert br.evaluate(br.cases(truth, score=score), top=5).facts.n == 20
    with pytest.raises(InvalidArgumentError, match="top has no meaning beside weights"):
        br.evaluate(br.cases(truth, score=score, weight=[1, 2] * 10), top=5)
