"""Options that mean the same are called the same, and a report says what made it."""

import json
import shlex
from importlib import import_module

import pandas as pd
import pytest

import baserate as br
from baserate.errors import InvalidArgumentError, MissingDependencyError, UnsupportedError

ROWS = "y,p,q,s,g\n" + "1,1,0,.9,1\n0,1,0,.6,2\n1,0,1,.2,1\n0,0,0,.1,2\n" * 3
HERE = ["d.csv", "--target", "y"]
COMMANDS = {
    "evaluate": [*HERE, "--prediction", "p"],
    "audit": [*HERE, "--prediction", "p", "--group", "g"],
    "compare": [*HERE, "--prediction", "p", "--prediction", "q"],
    "threshold": [*HERE, "--score", "s", "--resamples", "5"],
    "baseline": ["--positives", "3", "--negatives", "4"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def without_maker(out):
    document = json.loads(out)
    return {key: value for key, value in document.items() if key != "baserate"}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("command", COMMANDS)
def test_metric_and_metrics_are_one_option(run, folder, command):
    words = [command, *COMMANDS[command], "--format", "json"]
    found = [run(*words, option, "recall") for option in ("--metrics", "--metric")]
    assert [code for code, _, _ in found] == [0, 0]
    assert without_maker(found[0][1]) == without_maker(found[1][1])
    (folder / "baserate.toml").write_text(f'[{command}]\nmetric = ["recall"]\n')
    assert without_maker(run(*words)[1]) == without_maker(found[0][1])


@pytest.mark.sweep(5, start=4)
@pytest.mark.parametrize("command", COMMANDS)
def test_who_made_it_when_and_how(run, monkeypatch, command):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86399")
    words = [command, *COMMANDS[command], "--metrics", "recall"]
    code, out, _ = run(*words, "--format", "json")
    line = shlex.join(["baserate", *words])
    made = {"version": br.__version__, "date": "1970-01-01T23:59:59Z", "settings": None}
    assert (code, json.loads(out)["baserate"]) == (0, {**made, "command": f"{line} --format json"})
    assert run(*words, "--format", "json")[1] == out
    page = run(*words, "--format", "html")[1]
    assert f"baserate {br.__version__}" in page
    assert '<time datetime="1970-01-01T23:59:59Z">' in page
    assert f"<code>{line} --format html</code>" in page


def test_in_python_there_is_no_command(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    made = json.loads(br.evaluate([1, 0], [1, 0]).render("json"))["baserate"]
    none = {"command": None, "settings": None}
    assert made == {"version": br.__version__, "date": "1970-01-01T00:00:00Z", **none}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(InvalidArgumentError, match="SOURCE_DATE_EPOCH must be a whole number of"):
        br.evaluate([1, 0], [1, 0]).render("json")
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    now = json.loads(br.evaluate([1, 0], [1, 0]).render("json"))["baserate"]["date"]
    assert abs(pd.Timestamp.now("UTC") - pd.Timestamp(now)) < pd.Timedelta(minutes=5)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_tells_of_configuration_files(run, command):
    code, out, _ = run(*([command] if command else []), "--help")
    assert (code, "baserate.toml" in out, "[tool.baserate]" in out) == (0, True, True)


def test_intervals_on_the_command_line(run):
    """6 positives, of which 3 are found; of shares alone the kind matters."""
    words = ["evaluate", *COMMANDS["evaluate"], "--metrics", "recall,f1", "--format", "json"]
    for kind in ("bayes", "wilson", "exact"):
        recall, f1 = json.loads(run(*words, "--interval", kind)[1])["metrics"]
        known = br.interval("recall", br.ConfusionMatrix(tp=3, fn=3, fp=3, tn=3), method=kind)
        assert (recall["low"], recall["high"]) == pytest.approx((known.low, known.high))
        assert f1["low"] == json.loads(run(*words)[1])["metrics"][1]["low"]
    with pytest.raises(UnsupportedError, match='pass "bayes"'):
        br.evaluate([1, 0], [1, 0], weight=[1.5, 2], interval="wilson")


RESULTS = {
    "evaluate": lambda: br.evaluate("d.csv", target="y", prediction="p", groups="g", metrics="f1"),
    "audit": lambda: br.audit("d.csv", target="y", prediction="p", groups="g", metrics="recall"),
    "compare": lambda: br.compare("d.csv", target="y", prediction=["p", "q"], metrics="f1"),
    "thresholds": lambda: br.thresholds("d.csv", target="y", score="s", n_resamples=5),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_one_line_and_prints_as_a_report(name):
    result = RESULTS[name]()
    assert "\n" not in repr(result)
    assert len(repr(result)) < 100
    assert "12 cases" in repr(result)
    assert str(result) == result.render("table")


def hide(monkeypatch, libraries):
    def found(name):
        if name in libraries:
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr("baserate._result.import_module", found)


@pytest.mark.sweep(8, start=1)
@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_the_library_that_is_there(monkeypatch, name, library):
    result = RESULTS[name]()
    hide(monkeypatch, {"pandas", "polars", "pyarrow"} - {library})
    frame = result.to_frame()
    assert type(frame).__module__.split(".")[0] == library


def test_without_any_library(monkeypatch):
    result = RESULTS["evaluate"]()
    hide(monkeypatch, {"pandas", "polars", "pyarrow"})
    with pytest.raises(
        MissingDependencyError, match=r"needs pandas, polars or pyarrow: .*\[arrow\]"
    ):
        result.to_frame()
    with pytest.raises(MissingDependencyError, match="backend needs modin: install modin"):
        result.to_frame("modin")
    with pytest.raises(InvalidArgumentError, match="backend must be a library that narwhals"):
        result.to_frame("excel")


def test_the_pooled_row_has_its_name():
    frame = RESULTS["evaluate"]().to_frame("pandas")
    assert list(dict.fromkeys(frame["g"])) == ["all cases", "1", "2"]
