"""Every link and anchor of the built pages leads somewhere, and none asks another host."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs.scripts import SITE

pytestmark = pytest.mark.slow
# What a browser fetches by itself; a link of <a> is followed by hand only.
FETCHED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "link": ("href",),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "object": ("data",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}
ELSEWHERE = re.compile(r"(?:https?:)?//[\w.-]+\.\w+")


class Page(HTMLParser):
    """Where the elements of a page lead, what they fetch, and the anchors in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.anchors = [], [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") in {"canonical", "license", "alternate"}:
            return
        self.fetched += [given[key] for key in FETCHED.get(tag, ()) if given.get(key)]


@cache
def read(path):
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def site():
    if not (SITE / "index.html").exists():
        pytest.skip("no pages here: make docs")
    return SITE


def pages(site):
    found = sorted(site.rglob("*.html"))
    return [path for path in found if "_static" not in path.relative_to(site).parts]


def lost(page, address):
    """Say whether a relative address of a page leads nowhere."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return False
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return True
    fragment = unquote(parts.fragment)
    return target.suffix == ".html" and fragment not in read(target).anchors


def test_there_are_pages_of_all_kinds(site):
    names = {str(page.relative_to(site)) for page in pages(site)}
    assert {"index.html", "made/metrics/f1.html", "made/commands.html"} <= names
    assert len(names) > 400


def test_every_link_leads_somewhere(site):
    dead = {
        f"{page.relative_to(site)}: {address}"
        for page in pages(site)
        for address in {*read(page).links, *read(page).fetched}
        if lost(page, address)
    }
    assert sorted(dead) == []


def test_pages_fetch_from_their_own_folder_only(site):
    foreign = {
        f"{page.relative_to(site)}: {address}"
        for page in pages(site)
        for address in read(page).fetched
        if ELSEWHERE.match(address)
    }
    assert sorted(foreign) == []


def test_styles_and_pictures_fetch_nothing_from_elsewhere(site):
    asked = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"]|<image[^>]*href=['\"])(?:https?:)?//")
    found = [*site.rglob("*.css"), *site.rglob("*.svg")]
    assert found
    assert [str(p) for p in found if asked.search(p.read_text(encoding="utf-8"))] == []


def test_every_page_is_reached_from_the_landing_page(site):
    seen, left = set(), [site / "index.html"]
    while left:
        page = left.pop()
        if page in seen:
            continue
        seen.add(page)
        for address in read(page).links:
            parts = urlsplit(address)
            target = (page.parent / unquote(parts.path)).resolve()
            if not parts.scheme and target.suffix == ".html" and target.is_file():
                left.append(target)
    lost_pages = {str(page.relative_to(site)) for page in pages(site) if page not in seen}
    assert lost_pages <= {"search.html"}  # where the field above every page leads


def test_a_lost_link_is_found(tmp_path):
    page, other = tmp_path / "page.html", tmp_path / "other.html"
    page.write_text('<a href="other.html#here">x</a>', encoding="utf-8")
    other.write_text('<h1 id="here">x</h1>', encoding="utf-8")
    assert [lost(page, address) for address in read(page).links] == [False]
    assert all(lost(page, a) for a in ("nowhere.html", "other.html#there", "#there"))


def test_the_text_for_machines_names_every_page(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    addresses = re.findall(r"\]\(([^)]+)\)", text)
    assert len(addresses) > 100
    assert [a for a in addresses if not Path(site / a).is_file()] == []
