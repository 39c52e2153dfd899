"""A missing group value is treated as every other missing value, by every command."""

import pandas as pd
import pytest

import baserate as br
from baserate.errors import MissingValueError

ROWS = {
    "y": [1, 0, 1, 0, 1, 0, 1, 0],
    "p": [1, 1, 1, 0, 0, 0, 1, 0],
    "q": [1, 0, 1, 0, 1, 0, 0, 0],
    "g": ["a", "b", None, "a", "b", "a", "b", None],
    "s": [0.9, 0.6, 0.8, 0.1, 0.3, 0.2, 0.7, 0.4],
    "w": [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0],
}
MESSAGE = r"""missing values: 2 in 'g'; pass missing="drop" \(--missing drop\)"""
COMMANDS = {
    "evaluate": ["--prediction", "p"],
    "audit": ["--prediction", "p", "--metrics", "recall"],
    "compare": ["--prediction", "p", "--prediction", "q"],
    "threshold": ["--score", "s", "--resamples", "5"],
}
CALLS = {
    "evaluate": lambda data, **how: br.evaluate(data, prediction="p", **how),
    "weights": lambda data, **how: br.evaluate(data, prediction="p", weight="w", **how),
    "audit": lambda data, **how: br.audit(data, prediction="p", metrics="recall", **how),
    "compare": lambda data, **how: br.compare(data, prediction=["p", "q"], **how),
    "thresholds": lambda data, **how: br.thresholds(data, score="s", n_resamples=5, **how),
}


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize("command", COMMANDS)
def test_files(run, tmp_path, command):
    pd.DataFrame(ROWS).to_csv(tmp_path / "d.csv", index=False)
    words = [command, "d.csv", "--target", "y", *COMMANDS[command], "--group", "g"]
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "missing values: 2 in 'g'; pass missing=\"drop\" (--missing drop)" in err
    code, out, _ = run(*words, "--missing", "drop")
    assert (code, "2 rows dropped as missing" in out) == (0, True)


@pytest.mark.sweep(5, start=2)
@pytest.mark.parametrize("call", CALLS)
def test_frames(call):
    frame = pd.DataFrame(ROWS)
    with pytest.raises(MissingValueError, match=MESSAGE):
        CALLS[call](frame, target="y", groups="g")
    facts = CALLS[call](frame, target="y", groups="g", missing="drop").facts
    kept = CALLS[call](frame.dropna(), target="y", groups="g").facts
    assert facts.missing == 2
    record, expected = facts.to_dict(), kept.to_dict()
    assert record | {"missing": 0, "unanswered": None} == expected


def test_a_row_that_lacks_two_things_is_dropped_once():
    frame = pd.DataFrame(ROWS)
    frame["p"] = frame["p"].astype(object)
    frame.loc[2, "p"] = None
    facts = br.evaluate(frame, target="y", prediction="p", groups="g", missing="drop").facts
    assert (facts.missing, facts.n) == (2, 6)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "columns", [["evaluate", "--prediction", "p"], ["threshold", "--score", "s"]]
)
def test_a_group_may_be_called_na(run, tmp_path, columns):
    rows = "1,1,NA,0.9\n0,1,NA,0.6\n1,0,b,0.2\n0,0,b,0.1\n"
    (tmp_path / "d.csv").write_text("y,p,g,s\n" + rows)
    command, *words = columns
    code, out, _ = run(command, "d.csv", "--target", "y", *words, "--group", "g")
    assert (code, "NA " in out) == (0, True)


@pytest.mark.parametrize("command", ["evaluate", "audit", "compare"])
def test_counts_need_names(run, tmp_path, command):
    (tmp_path / "c.csv").write_text("model,tp,fn,fp,tn\nold,3,1,2,4\n,4,1,1,4\n")
    code, out, err = run(command, "c.csv", "--counts")
    assert (code, out) == (2, "")
    assert err == "baserate: Row 2 of c.csv has no value in column 'model': name every row.\n"
