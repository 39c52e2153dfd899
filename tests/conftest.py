"""Shared set-up: how tests are shared out; a run that must not skip anything fails if it does."""

import os
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from tests.golden.texts import OnRecord

# Packages too large for every machine, and those that an environment says it may lack: without them
# their tests may skip, and say so.
OPTIONAL = ("'torch'", "'jax.numpy'", *map(repr, os.environ.get("BASERATE_MAY_LACK", "").split()))
FORBID_SKIPS = os.environ.get("BASERATE_FORBID_SKIPS") == "1"

# Time is not what the tests are about, and nothing may fail by chance: the same examples each time.
settings.register_profile(
    "baserate",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("baserate")

# Folders whose tests stay together, since each process would start browsers or clusters of its own.
TOGETHER = ("tests/browser/", "tests/engines/")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out whole files, so that what a file computes once is computed once, and whole folders.

    The marker `xdist_group` would do the same if pytest 9 still let xdist 3.8 append the group to
    the name of a test.
    """
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid):
            alone = super()._split_scope(nodeid)
            return next((folder for folder in TOGETHER if alone.startswith(folder)), alone)

    return Files(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave most parameters of a long sweep to the slow run: see the marker in pyproject.toml."""
    seen = Counter()
    for item in items:
        sweep = item.get_closest_marker("sweep")
        if sweep is None or item.get_closest_marker("slow"):
            continue
        test = item.nodeid.partition("[")[0]
        if (seen[test] - sweep.kwargs.get("start", 0)) % sweep.args[0]:
            item.add_marker(pytest.mark.slow)
        seen[test] += 1


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    optional = any(package in str(report.longrepr) for package in OPTIONAL)
    if FORBID_SKIPS and report.skipped and not optional and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be skipped: {report.longrepr}"


@pytest.fixture
def on_record(request):
    """Hold a text to the record of what reports say: see tests/golden/texts.py."""
    return OnRecord(request.path, request.node.name)


@pytest.fixture
def calls_of():
    """Return how many functions some work calls: what it costs on any processor."""

    def counted(work):
        made = Counter()
        sys.setprofile(lambda frame, event, argument: made.update((event,)))
        try:
            work()
        finally:
            sys.setprofile(None)
        return made["call"] + made["c_call"]

    return counted
