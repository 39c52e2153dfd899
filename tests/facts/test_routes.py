"""Every way in which an interval or a test was found has its words in every table of reports."""

from typing import get_args

import pytest

from baserate.baselines.significance import OF_EACH
from baserate.evaluation.contracts import LAWS
from baserate.facts.evaluation import (
    IntervalOfDesign,
    IntervalOfShares,
    TestOfClasses,
    TestOfDesign,
    TestOfTwo,
)
from baserate.report import class_words
from baserate.report.evaluation_methods import INTERVALS, P_VALUES, SHARES, TESTS
from baserate.report.results import KINDS

SHARES_OF, DESIGNS = {*get_args(IntervalOfShares)}, {*get_args(IntervalOfDesign)}
OF_TWO, OF_DESIGN = {*get_args(TestOfTwo)}, {*get_args(TestOfDesign)}


@pytest.mark.parametrize(
    ("table", "routes"),
    [
        (INTERVALS, SHARES_OF | DESIGNS | {"kish", "strata"}),
        (SHARES, SHARES_OF),
        (class_words.SHARES, SHARES_OF),
        (KINDS, SHARES_OF | DESIGNS | {"bootstrap"}),
        (LAWS, DESIGNS),
        (P_VALUES, OF_TWO | OF_DESIGN),
        (TESTS, OF_TWO - {*OF_EACH} | OF_DESIGN),
        (class_words.ROUTES, {*get_args(TestOfClasses)} | OF_DESIGN),
        (("fisher", *OF_EACH), OF_TWO),
    ],
)
def test_no_route_is_without_words(table, routes):
    assert {*table} == routes
