"""A complaint names what was typed: the option, not the argument of the function behind it."""

import pickle

import pytest

from baserate.errors import InvalidArgumentError

CASES = "1,1,0,.9,.5,.9,.1,x\n0,1,0,.6,.4,.6,.4,x\n0,0,1,.2,.3,.2,.8,x\n"
ROWS = "y,p,q,s,t,c_a,c_b,word\n" + 4 * CASES


@pytest.fixture
def file(tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    return "d.csv"


def test_a_column_with_a_star_in_its_name_is_a_column(run, tmp_path):
    (tmp_path / "d.csv").write_text(ROWS.replace("c_a", "c_*"))
    code, _, err = run("compare", "d.csv", "--target", "y", "--score", "c_*", "--score", "s")
    assert (code, err) == (0, "")


def test_errors_say_which_argument_and_travel_between_processes():
    error = InvalidArgumentError.from_rule("score", "must be given", None, "name it")
    assert error.argument == "score"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (str(again), again.argument) == (str(error), "score")
    assert InvalidArgumentError("the file is empty").argument is None
