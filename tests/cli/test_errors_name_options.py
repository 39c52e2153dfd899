"""A complaint names what was typed: the option, not the argument of the function behind it."""

import pickle

import pytest

from baserate.errors import InvalidArgumentError

CASES = "1,1,0,.9,.5,.9,.1,x\n0,1,0,.6,.4,.6,.4,x\n0,0,1,.2,.3,.2,.8,x\n"
ROWS = "y,p,q,s,t,c_a,c_b,word\n" + 4 * CASES
SCORED = ("--target", "y", "--score", "s")


@pytest.fixture
def file(tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    return "d.csv"


@pytest.mark.parametrize(
    ("command", "words", "said"),
    [
        ("threshold", (*SCORED, "--resamples", "0"), "--resamples must be a whole number"),
        ("threshold", (*SCORED, "--confidence", "2"), "--confidence must lie in (0, 1)"),
        ("threshold", (*SCORED, "--group", "word", "--fold", "p"), "--group has no meaning"),
        ("threshold", (*SCORED, "--top", "99"), "--top must be at most the number of cases"),
        ("threshold", ("--target", "y", "--score", "z*"), "--score must name columns"),
        ("evaluate", (*SCORED, "--base-rate", "7"), "--base-rate must lie in (0, 1)"),
        ("compare", ("--target", "y", "--score", "s", "s"), "--score must name each column once"),
        ("compare", ("--target", "y", "--score", "c_*"), "--score must name a column for each"),
        ("compare", ("--target", "y", "--prediction", "p*"), "--prediction must name a column"),
    ],
)
def test_the_option_is_named(run, file, command, words, said):
    code, out, err = run(command, file, *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"baserate: {said}")


def test_a_column_with_a_star_in_its_name_is_a_column(run, tmp_path):
    (tmp_path / "d.csv").write_text(ROWS.replace("c_a", "c_*"))
    code, _, err = run("compare", "d.csv", "--target", "y", "--score", "c_*", "--score", "s")
    assert (code, err) == (0, "")


def test_what_is_no_option_of_the_command_keeps_its_name(run, file):
    code, _, err = run("evaluate", file, "--target", "y", "--prediction", "nope")
    assert (code, err.startswith("baserate: d.csv has no column")) == (2, True)


def test_errors_say_which_argument_and_travel_between_processes():
    error = InvalidArgumentError.from_rule("score", "must be given", None, "name it")
    assert error.argument == "score"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (str(again), again.argument) == (str(error), "score")
    assert InvalidArgumentError("the file is empty").argument is None
