"""A headless Chromium, and pages of reports opened in it; a Firefox for the smoke test.

Debian's browser serves (`apt-get install chromium`), and so does that of `playwright install
chromium`. Without one, the tests here are skipped, and say so.
"""

from itertools import count
from pathlib import Path
from shutil import which

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    """Playwright's browser; one for each file of tests, since it keeps an event loop running."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as engine:
        own = engine.chromium.executable_path
        found = next(filter(None, map(which, NAMES)), own if Path(own).exists() else None)
        if found is None:
            pytest.skip(
                "no Chromium here: apt-get install chromium, or playwright install chromium"
            )
        launched = engine.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open HTML text in the browser, as often as wanted: `open_page(text, width=390, dark=True)`.

    It returns a `Visit`. At the end of the test no page may have written to the console, asked for
    anything, broken its Content-Security-Policy or popped up a dialog.
    """
    from browser.visit import Visit

    visits, number = [], count()

    def opened(text, **options):
        path = tmp_path / f"page{next(number)}.html"
        path.write_text(text, encoding="utf-8")
        visits.append(Visit(browser, path, **options))
        return visits[-1]

    yield opened
    heard = [line for visit in visits for line in visit.heard]
    for visit in visits:
        visit.close()
    assert heard == []


@pytest.fixture
def violations(open_page):
    """Return what axe-core finds on the page of an HTML text: `violations(text, dark=True)`.

    `before` is a line of JavaScript to run first, `rules` names those to apply in place of all.
    """
    from browser.visit import axe_violations

    def found(text, before="0", rules=None, **options):
        page = open_page(text, bypass_csp=True, **options).page
        page.evaluate(before)
        return axe_violations(page, rules)

    return found


@pytest.fixture(scope="session")
def firefox(tmp_path_factory):
    """Firefox on an empty profile, started once."""
    pytest.importorskip("websocket")
    from browser.firefox import Firefox

    program = which("firefox-esr") or which("firefox")
    if program is None:
        pytest.skip("no Firefox here: apt-get install firefox-esr")
    started = Firefox(program, str(tmp_path_factory.mktemp("profile")))
    yield started
    started.close()
