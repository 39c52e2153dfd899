"""Options, from the command line and from files: none ignored, every complaint to the point."""

import json
from inspect import signature
from typing import get_args

import pytest
from cyclopts import Parameter

from baserate.cli import main
from baserate.cli._app import COMMANDS
from baserate.cli._options import numbers, whole

HERE = ["evaluate", "d.csv", "--target", "y", "--prediction", "p", "--format", "json"]
GROUPED = ["audit", *HERE[1:], "--group", "s"]
TWO = ["compare", "d.csv", "--target", "y", "--prediction", "p", "s"]
GUESS = ["baseline", "--positives", "3", "--negatives", "4", "--format", "json"]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    (tmp_path / "d.csv").write_text("y,p,s\n1,1,.9\n0,1,.6\n1,0,.2\n0,0,.1\n")
    (tmp_path / "c.csv").write_text("tp,fn,fp,tn\n1,2,3,4\n")
    monkeypatch.chdir(tmp_path)

    def call(words, settings=None):
        if settings is not None:
            (tmp_path / "baserate.toml").write_text(settings)
        code = main(words)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def names(out):
    return [metric["name"] for metric in json.loads(out)["metrics"]]


def failed(result):
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert ".." not in err
    return err


@pytest.mark.parametrize(
    ("option", "value"), [("--threshold", "0.3"), ("--missing", "drop"), ("--weight", "w")]
)
def test_what_counts_have_no_use_for_is_refused(run, option, value):
    err = failed(run(["evaluate", "c.csv", "--counts", option, value]))
    assert f"{option} has no meaning for tables that were counted elsewhere (--counts)" in err


def test_a_threshold_without_a_score_is_refused(run):
    assert "cuts a score, and none is given, got 0.3: name one (--score)" in failed(
        run([*HERE, "--threshold", "0.3"])
    )


def test_metrics_named_twice_are_listed_once(run):
    assert names(run([*HERE, "--metrics", "recall,recall,tpr,f1"])[1]) == ["recall", "f1"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["evaluate", "--target", "y"], "baserate: FILE must be given: the path of a table"),
        ([*HERE, "--threshold"], "baserate: --threshold needs a value. See"),
        (["baseline", "--positives", "3"], "baserate: --negatives must be given too: pass it, or"),
        (
            ["baseline", "--n-positive", "3", "--n", "2"],
            "baserate: --n must be at least n_pos",
        ),
        (["baseline", "--n", "9", "--base-rate", ".3"], "baserate: --base-rate must make a whole"),
        (["baseline", "--base-rate", ".3", "--negatives", "3"], "baserate: --base-rate cannot be"),
        (["baseline", "--positives", "3", "--negatives", "-1"], "baserate: --negatives must lie"),
        (["compare", "c.csv", "--counts", "--naem", "zz"], "baserate: Unknown option: --naem. See"),
        (["sample-size", "--confidence", "2"], "baserate: --confidence must lie in (0, 1), got 2"),
        ([*HERE, "--cutoff", "1"], "baserate: Unknown option: --cutoff. See"),
        ([*HERE, "--cont", "1"], "baserate: Unknown option: --cont. Did you mean --counts? See"),
        ([*HERE, "--confidnce=1"], "Unknown option: --confidnce. Did you mean --confidence? See"),
        ([*HERE, "--reference", "mode"], "Unknown option: --reference. Did you mean --guess? See"),
        ([*GROUPED, "--by", "g"], "Unknown option: --by. Did you mean --group? See"),
        ([*GROUPED, "--sensitive", "g"], "--sensitive. Did you mean --group? See"),
        ([*GROUPED, "--baseline", "1"], "--baseline. Did you mean --reference? See"),
        ([*GROUPED, "--correction", "holm"], "--correction. Did you mean --adjust? See"),
        ([*TWO, "--fail-under", "recall=1"], "--fail-under. Did you mean --require? See"),
        ([*TWO, "--non-inferiority", "0.1"], "Did you mean --margin? See baserate compare"),
        ([*TWO, "--reference", "p"], "Unknown option: --reference. See baserate compare --help."),
        ([*GROUPED[:-1], "y,s"], "d.csv has no column 'y,s': name them apart, y s."),
        (["audit", "d.csv", *HERE[2:6], "s", "--group", "s"], "got 's' besides, which is no file"),
        ([*TWO, "--base-rate", "5%"], "must be shares with commas between them, got '5%'"),
        ([*GROUPED, "--fail-under", "1"], "--fail-under. Did you mean --require? See"),
        ([*GROUPED, "--threshold", "mcc"], "baserate threshold --metrics NAME, and compare --po"),
        (["evaluate", "d.csv", "e.csv", *HERE[2:]], "baserate: Unexpected argument: e.csv. See"),
        ([*HERE[:6], "q"], "--prediction is one column here: compare takes several"),
        ([*HERE, "--cluster", "p", "q"], "--cluster takes one value here: for clusters that are"),
        ([*HERE, "--cutoff", "1"], "See baserate evaluate --help."),
        (["sample-size", "--bad"], "See baserate sample-size --help."),
        (["compare", "c.csv", "d.csv", "--bad"], "See baserate compare --help."),
        (["evaluate", "", *HERE[2:]], "baserate: The path is empty: pass the path of a file"),
        (["evaluate", "nowhere.csv"], "baserate: nowhere.csv does not exist: pass the path of a"),
        ([*HERE, "--replicate-scale", "1/0"], "numbers with commas between them, got '1/0'"),
        ([*HERE, "--replicate-scale", "1e400"], "baserate: "),
    ],
)
def test_complaints_of_the_parser(run, words, expected):
    assert expected in failed(run(words))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("b.jsonl", b'{"y":1\n{"p":', "baserate: b.jsonl cannot be read: Malformed JSON at byte"),
        ("b.parquet", b"PAR1xxxxxx", "cannot be read: too small to be a Parquet file.\n"),
        ("b.json", b"[]", "baserate: b.json has no columns: pass named columns with rows.\n"),
        ("b.csv", b"y,p\n", "baserate: b.csv holds no rows: pass at least one case.\n"),
    ],
)
def test_a_file_is_named_once(run, tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)
    err = failed(run(["evaluate", name, *HERE[2:]]))
    assert expected in err
    assert err.count(name) == 1


@pytest.mark.parametrize("words", [["--prediction", "p"], ["--score", "p"]])
def test_a_header_alone_is_no_cases_with_weights_either(run, tmp_path, words):
    (tmp_path / "b.csv").write_text("y,p,w\n")
    told = failed(run(["evaluate", "b.csv", "--target", "y", *words, "--weight", "w"]))
    assert told == "baserate: b.csv holds no rows: pass at least one case.\n"


@pytest.mark.parametrize("value", ['["recall", "f1"]', '"recall, f1"'])
def test_lists_of_metrics_in_a_file(run, value):
    assert names(run(HERE, f"metrics = {value}\n")[1]) == ["recall", "f1"]
    assert names(run(GUESS, f"metric = {value}\n")[1]) == ["recall", "f1"]


@pytest.mark.slow
def test_tables_hold_options_of_one_command_and_win(run):
    settings = 'guess = "mode"\n[evaluate]\nguess = "uniform"\nmetrics = ["f1"]\n'
    evaluated = json.loads(run(HERE, settings)[1])
    assert (evaluated["guess"], names(run(HERE)[1])) == ("uniform", ["f1"])
    guessed = json.loads(run(GUESS)[1])
    assert guessed["guess"] == "mode"
    assert len(guessed["metrics"]) == 12


def test_tables_in_a_project_file(run, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.baserate.baseline]\nmetric = "f1"\n')
    assert names(run(GUESS)[1]) == ["f1"]
    assert len(names(run(HERE)[1])) == 12


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('[files]\nx = "f1"\n', "No table is called 'files'. Mend "),
        ('[evalute]\nmetrics = "f1"\n', "No table is called 'evalute'. Did you mean 'evaluate'?"),
        ('[evaluate]\nmetrcs = "f1"\n', "No option is called 'metrcs'. Did you mean 'metrics'?"),
        ("[evaluate]\npositives = 3\n", "No option is called 'positives'. Did you mean 'positive"),
        ('evaluate = "f1"\n', "No option is called 'evaluate'. Mend "),
        ("metrics = [1]\n", "metrics must be text or a list of text, got [1]: mend "),
    ],
)
def test_what_a_file_may_not_hold(run, settings, expected):
    assert expected in failed(run(HERE, settings))


@pytest.mark.parametrize(
    "words",
    [
        "baseline --n 100.7", "baseline --positives 3.5 --negatives 4",
        "baseline --positives 3 --negatives 4.2", "sample-size --n 20.5",
        "threshold d.csv --resamples 20.5", "threshold d.csv --seed 1.5",
        "compare d.csv --seed 1.5", "count d.csv --suppress 4.5",
    ],
)  # fmt: skip
def test_a_part_of_a_case_is_not_rounded(run, words):
    given = next(word for word in words.split() if word[0].isdigit() and "." in word)
    assert f"write a whole number, not {given}" in failed(run(words.split()))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_that_counts_is_read_so(name):
    for option in signature(COMMANDS[name]).parameters.values():
        hint, *about = get_args(option.annotation) or [option.annotation]
        if int in (hint, *get_args(hint)):
            assert [x.converter for x in about if isinstance(x, Parameter)] == [whole], option


def test_numbers_may_be_fractions_and_several():
    assert (numbers("1/80"), numbers("0.5,3/4"), numbers(None)) == (0.0125, [0.5, 0.75], None)
