"""The fixtures hear what they are there to hear."""

import pytest

from browser.visit import PHONE, Visit

POLICY = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"
HEAD = "<!DOCTYPE html><html lang=en><head><title>t</title>"


@pytest.mark.sweep(5, start=3)
@pytest.mark.parametrize(
    ("body", "heard"),
    [
        ("<script>console.info('here')</script>", "console: here"),
        ("<script>throw new Error('lost')</script>", "error: lost"),
        ("<script>alert(1)</script>", "dialog: 1"),
        ("<img src=none.png alt=''>", "request: file://"),
        (f"{POLICY}<script>alert(1)</script>", "console: "),
    ],
)
def test_what_a_page_may_not_do_is_heard(browser, tmp_path, body, heard):
    path = tmp_path / "loud.html"
    path.write_text(HEAD + body, encoding="utf-8")
    visit = Visit(browser, path)
    visit.page.wait_for_timeout(50)
    assert any(line.startswith(heard) for line in visit.heard), visit.heard
    assert not any(line.startswith("dialog") for line in visit.heard) or heard == "dialog: 1"
    visit.close()


def test_a_silent_page_is_silent_and_its_overhang_is_measured(open_page):
    visit = open_page(f"{HEAD}<div style='width: 500px'>wide</div>", width=PHONE)
    assert visit.overhang == 500 + 8 - PHONE  # a body's margin is 8 pixels


@pytest.mark.slow
def test_axe_finds_grey_on_grey_and_no_heading(violations):
    found = violations(f"{HEAD}<p style='color: #ddd; background: #eee'>faint</p>")
    assert {line.split()[0] for line in found} >= {"color-contrast", "page-has-heading-one"}
