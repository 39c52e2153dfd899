"""The built pages in a browser: silent, offline, no wider than a phone, readable by all."""

import pytest

from browser.visit import PHONE, Visit, axe_violations
from docs.scripts import SITE

pytestmark = pytest.mark.slow
PAGES = (
    "index",
    "five_minutes",
    "questions/better_than_guessing",
    "which_metric",
    "explanations/evidence",
    "displays",
    "made_stories/plot_3_audit",
    "made/metrics/f1",
    "made/api/names/baserate.interval",
    "made/commands",
    "search",
)
# What the theme says on any page.
THEME = ("console: [PST]:", "console: Got invalid theme mode")


@pytest.fixture
def visit(browser):
    if not (SITE / "index.html").exists():
        pytest.skip("no pages here: make docs")
    opened = []

    def visited(name, **options):
        opened.append(Visit(browser, SITE / f"{name}.html", beside=SITE, **options))
        return opened[-1]

    yield visited
    for each in opened:
        each.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_no_other_host_and_does_not_complain(visit, name):
    seen = visit(name)
    assert [line for line in seen.heard if not line.startswith(THEME)] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(visit, name, dark):
    seen = visit(name, dark=dark, bypass_csp=True)
    assert seen.page.evaluate("document.documentElement.dataset.theme") == (
        "dark" if dark else "light"
    )
    assert axe_violations(seen.page) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone(visit, name):
    assert visit(name, width=PHONE).overhang <= 0


def test_formulas_are_set_offline(visit):
    page = visit("made/metrics/f1").page
    page.wait_for_selector("mjx-container svg", timeout=20_000)


def test_the_search_finds_a_page_offline(visit):
    seen = visit("search")
    seen.page.goto(f"{seen.address}?q=interval")
    seen.page.wait_for_selector("#search-results ul.search li a", timeout=20_000)
