"""The built pages: links lead somewhere, nothing is asked of another host, everybody can read them.

`make docs` builds them; without them these tests are skipped, and say so.
"""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from browser.visit import PHONE, Visit, axe_violations

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
TEN = [
    *("index", "five_minutes", "which_metric", "gallery", "questions/better_than_guessing"),
    *("explanations/decisions", "made/metrics/f1", "made/metrics/index", "made/commands"),
    "made_stories/plot_3_audit",
]
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
LOADING = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="no pages here: make docs"),
]


class Page(HTMLParser):
    """What a page names: anchors, links, and what a browser loads with it."""

    def __init__(self, path):
        super().__init__()
        self.path, self.anchors, self.links, self.loaded = path, set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if given.get("href"):
            self.links.append(given["href"])
            if tag == "link" and LOADING & set(given.get("rel", "").split()):
                self.loaded.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]):
            self.links.append(given[LOADED[tag]])
            self.loaded.append(given[LOADED[tag]])


@pytest.fixture(scope="module")
def pages():
    every = (path for path in SITE.rglob("*.html") if "_static" not in path.parts)
    return {path: Page(path) for path in every}


def test_there_are_pages_of_all_kinds(pages):
    names = {path.relative_to(SITE).as_posix() for path in pages}
    assert {f"{name}.html" for name in TEN} <= names
    assert len(pages) > 300


def test_every_link_within_leads_to_a_page_and_a_place_of_it(pages):
    assert [told for page in pages.values() for told in _broken(page, pages)] == []


def _broken(page, pages):
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        place = unquote(parts.fragment)
        known = pages[target].anchors if target in pages else None
        if not target.is_file() or (place and known is not None and place not in known):
            yield f"{page.path.relative_to(SITE)} links to {link}"


def test_nothing_is_loaded_from_another_host(pages):
    asked = [
        (page.path.name, each)
        for page in pages.values()
        for each in page.loaded
        if urlsplit(each).netloc
    ]
    assert asked == []
    for sheet in SITE.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", text), sheet


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", TEN)
def test_a_page_is_silent_and_accessible(browser, name, dark):
    visit = Visit(browser, SITE / f"{name}.html", dark=dark, bypass_csp=True, beside=SITE)
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.evaluate("document.documentElement.dataset.theme") == (
        "dark" if dark else "light"
    )
    assert axe_violations(visit.page) == []
    visit.close()
    assert visit.heard == []


@pytest.mark.parametrize("name", TEN)
def test_a_phone_shows_a_page_without_scrolling_sideways(browser, name):
    visit = Visit(browser, SITE / f"{name}.html", width=PHONE, beside=SITE)
    visit.page.wait_for_load_state("networkidle")
    assert visit.overhang <= 0
    visit.close()
