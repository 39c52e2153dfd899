"""Shared set-up: a run that must not skip anything fails if it does."""

import os

import pytest
from hypothesis import HealthCheck, settings

# Packages too large for every machine; without them their tests may skip, and say so.
OPTIONAL = ("'torch'", "'jax.numpy'")
FORBID_SKIPS = os.environ.get("BASERATE_FORBID_SKIPS") == "1"

# Time is not what the tests are about; where nothing may fail by chance, examples are fixed.
settings.register_profile(
    "baserate",
    deadline=None,
    derandomize=FORBID_SKIPS,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("baserate")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    optional = any(package in str(report.longrepr) for package in OPTIONAL)
    if FORBID_SKIPS and report.skipped and not optional and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be skipped: {report.longrepr}"
