"""The fixture `contract` of pytest: a test fails unless a report keeps its promises."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def contract() -> Callable[..., Any]:
    """Return a function that takes a report and promises, such as ``"recall >= 0.8@low"``.

    The test fails if one is broken, with the sentence that `report.check` says of it; else the
    function returns what that found::

        def test_screening(contract):
            contract(baserate.evaluate("cases.csv", target="ill", score="risk"), "roc_auc >= 0.7")
    """

    def keeps(report: Any, *promises: str) -> Any:
        found = report.check(*promises)
        if not found:
            pytest.fail(str(found), pytrace=False)
        return found

    return keeps
