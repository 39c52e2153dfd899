"""What one can do with the explorer, by mouse, keyboard, link, phone, paper and notebook."""

import json
import shlex
import subprocess
import sys

import numpy as np
import pytest

import baserate as br
from baserate.report.documents import framed, sheet_as_html
from baserate.report.explorer import evaluate_words, explorer_of
from baserate.report.sheet import Sheet
from browser.visit import PHONE

EXPLORER = "document.querySelector('[data-explorer]').explorer"
ODD = '<script>alert(1)</script>"onmouseover=alert(2)\u202ecba\u2028 </script><!--'
RUNS = 60
CONTROLS = """group cut cutText baseRate baseRateText tau tauText bestBy best guess people pin reset
print copyCommand copyLink"""


def scored(seed, n, share, decimals=16):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    return truth, (1 / (1 + np.exp(1.5 - rng.normal(size=n) - 1.5 * truth))).round(decimals)


def html_of(sweeps, **options):
    explorer = explorer_of(sweeps, **options)
    return sheet_as_html(Sheet(title="Scores", answer=("So it is.",), parts=(), explorer=explorer))


@pytest.fixture(scope="module")
def html():
    sweeps = {
        "all cases": br.sweep(*scored(1, 2000, 0.2)),
        ODD: br.sweep(*scored(2, 60, 0.3, decimals=2)),
        "n" * 10_000: br.sweep(*scored(3, 30, 0.3)),
        "no positives": br.sweep([False] * 3, [0.2, 0.4, 0.9]),
    }
    return html_of(sweeps)


@pytest.fixture
def page(open_page, html):
    return open_page(html).page


def control(page, name):
    return page.locator(f"[data-control='{name}']")


def out(page, name):
    return page.locator(f"[data-out='{name}']")


def setting(page):
    return page.evaluate(f"{EXPLORER}.setting()")


@pytest.mark.slow
def test_labels_are_text_whatever_they_hold(page):
    names = control(page, "group").locator("option").all_inner_texts()
    assert names[1].startswith('<script>alert(1)</script>"onmouseover=alert(2)\\u202ecba\\u2028')
    assert len(names[2]) < 100
    control(page, "group").select_option(index=1)
    assert "alert(1)" in out(page, "setting").inner_text()


def test_the_answer_is_the_matrix_in_words(page):
    cells = {c: int(out(page, c).inner_text()) for c in ("tp", "fn", "fp", "tn")}
    assert sum(cells.values()) == 1000
    answer = out(page, "answer").inner_text()
    positives = cells["tp"] + cells["fn"]
    assert answer == (
        f"Of 1,000 people, {cells['tp'] + cells['fp']} get an alarm; {cells['tp']} of them are "
        f"right. {cells['fn']} of {positives} positives are missed."
    )
    # Net benefits are those of these cases, beside treating all and none: no cut is advised.
    worth = out(page, "worth").inner_text()
    assert ", net benefit on these cases is " in worth
    assert worth.endswith(" by treating all, 0 by treating none.")


@pytest.mark.slow
def test_arrow_keys_move_the_cut_one_by_one(page):
    before = setting(page)["cut"]
    control(page, "cut").focus()
    page.keyboard.press("ArrowRight")
    assert setting(page)["cut"] == before - 1  # to the right: a higher threshold
    page.keyboard.press("Home")
    assert setting(page)["cut"] == 511
    assert out(page, "quiet").inner_text() == "0"
    page.keyboard.press("End")
    assert setting(page)["cut"] == 0
    assert control(page, "cutText").input_value() == "none"


@pytest.mark.slow
def test_every_control_is_reached_by_tab_and_shows_it(page):
    page.locator("h1").click()
    seen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            "[document.activeElement.dataset.control || document.activeElement.dataset.out, "
            "getComputedStyle(document.activeElement).outlineStyle]"
        )
        if name is None:
            break
        assert outline == "solid"
        seen.append(name)
    assert set(CONTROLS.split()) <= set(seen)


@pytest.mark.slow
def test_a_typed_threshold_is_that_rule(page):
    for text in ("0.5", "0.25", "0,75"):
        control(page, "cutText").fill(text)
        control(page, "cutText").press("Enter")
        found = setting(page)
        shown = page.evaluate(f"{EXPLORER}.data.curves[0].thresholds[{found['cut']}]")
        assert shown >= float(text.replace(",", "."))
    control(page, "cutText").fill("many")
    control(page, "cutText").press("Enter")
    assert setting(page) == found
    assert "nothing has changed" in out(page, "status").inner_text()


@pytest.mark.slow
def test_the_screen_reader_hears_the_answer_once_the_slider_rests(page):
    control(page, "cut").focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    assert out(page, "status").inner_text() == ""
    page.wait_for_timeout(900)
    assert out(page, "status").inner_text() == out(page, "answer").inner_text()


@pytest.mark.slow
def test_base_rate_and_back(page):
    control(page, "baseRateText").fill("0.02")
    control(page, "baseRateText").press("Enter")
    assert out(page, "positives").inner_text() == "20"
    control(page, "ownRate").click()
    assert setting(page)["baseRate"] is None
    assert page.evaluate("document.activeElement.dataset.control") == "baseRate"


@pytest.mark.slow
def test_the_best_cut_is_one_click_away(page):
    control(page, "bestBy").select_option("matthews_correlation")
    control(page, "best").click()
    truth, score = scored(1, 2000, 0.2)
    value = page.evaluate(
        f"{EXPLORER}.numbers({EXPLORER}.setting()).metrics.matthews_correlation.value"
    )
    assert value == pytest.approx(br.optimal_threshold("mcc", truth, score).value, rel=1e-12)


def test_undefined_says_why(page):
    control(page, "group").select_option("3")
    rows = out(page, "metrics").locator("tr").all_inner_texts()
    assert "undefined" in rows[1]
    assert "no positives (tp + fn = 0)" in rows[1]
    assert page.locator("[data-picture='roc']").text_content() == "undefined: no positives"
    control(page, "baseRateText").fill("0.1")
    control(page, "baseRateText").press("Enter")
    assert out(page, "tp").inner_text() == "undefined: no positives"
    assert out(page, "answer").inner_text().startswith("Undefined: no positives")


def test_of_equal_cuts_the_one_with_the_fewest_alarms_is_best(open_page):
    """Informedness is 1/2 at 0.9, and again at 0.4."""
    page = open_page(html_of({"": br.sweep([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])})).page
    control(page, "bestBy").select_option("informedness")
    control(page, "best").click()
    assert control(page, "cutText").input_value() == "0.9"


def test_cuts_that_rounding_alone_tells_apart_are_equal(open_page):
    """Informedness is 1/10 after each positive; in floats 0.4 - 0.3 is more than 0.1."""
    scores = [(20 - i) / 20 for i in range(20)]
    page = open_page(html_of({"": br.sweep([1, 0] * 10, scores)})).page
    control(page, "bestBy").select_option("informedness")
    control(page, "best").click()
    assert control(page, "cutText").input_value() == "1"
    assert br.optimal_threshold("informedness", [1, 0] * 10, scores).threshold == 1


@pytest.mark.slow
def test_another_classifier_shows_the_same_group(open_page):
    first, second = (br.sweep(*scored(seed, 90, 0.3)) for seed in (5, 6))
    both = {name: {"all cases": first, "north": second} for name in ("A", "B")}
    del both["B"]["all cases"]
    page = open_page(html_of({"A": both["A"], "B": both["B"] | {"south": first}})).page
    control(page, "group").select_option("1")
    control(page, "classifier").select_option("B")
    assert setting(page)["curve"] == 2
    assert "B, north" in out(page, "setting").inner_text()
    control(page, "classifier").select_option("A")
    control(page, "group").select_option("0")
    control(page, "classifier").select_option("B")  # which has no such group: its first
    assert setting(page)["curve"] == 2
    names = control(page, "group").locator("option").all_inner_texts()
    assert [name.partition(" ")[0] for name in names] == ["north", "south"]


@pytest.mark.slow
def test_a_threshold_typed_with_three_decimals_is_the_very_rule(open_page):
    sweep = br.sweep(*scored(7, 300, 0.3))  # all cuts are shown
    page = open_page(html_of({"": sweep})).page
    for threshold in (0.05, 0.123, 0.314, 0.5, 0.777, 0.999):
        control(page, "cutText").fill(str(threshold))
        control(page, "cutText").press("Enter")
        assert setting(page)["cut"] == int(sweep.rules_at([threshold])[0])


@pytest.mark.slow
def test_a_pinned_setting_is_compared_and_swapped(page):
    assert not out(page, "difference").is_visible()
    control(page, "pin").click()
    control(page, "cut").focus()
    page.keyboard.press("PageDown")
    alarms = out(page, "differences").locator("tr").first.locator("td").all_inner_texts()
    first, second, change = (int(text.replace(",", "")) for text in alarms)
    assert second - first == change > 0
    control(page, "swap").click()
    swapped = out(page, "differences").locator("tr").first.locator("td").all_inner_texts()
    assert [int(text.replace(",", "")) for text in swapped] == [second, first, -change]
    control(page, "unpin").click()
    assert not out(page, "difference").is_visible()


@pytest.mark.slow
def test_a_link_restores_the_setting(page, open_page, html, tmp_path):
    control(page, "group").select_option("1")
    for name, text in (("baseRateText", "0.031"), ("tauText", "0.2"), ("cutText", "0.4")):
        control(page, name).fill(text)
        control(page, name).press("Enter")
    control(page, "pin").click()
    control(page, "guess").select_option("dutch_draw")
    control(page, "cut").focus()
    page.keyboard.press("ArrowLeft")
    control(page, "copyLink").click()
    link, answer = out(page, "link").input_value(), out(page, "answer").inner_text()
    state, pinned = setting(page), page.evaluate(f"{EXPLORER}.pinned()")
    other = page.context.new_page()
    other.goto(link)
    assert setting(other) == state
    assert other.evaluate(f"{EXPLORER}.pinned()") == pinned
    assert out(other, "answer").inner_text() == answer


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize(
    "fragment",
    [
        "cut=nan&base_rate=7&tau=-1&curve=99&guess=none&people=3",
        "curve=__proto__",
        "cut=%3Cb%3E",
        "",
    ],
)
def test_a_broken_link_leaves_what_it_cannot_say(page, fragment):
    before = setting(page)
    page.evaluate(f"location.hash = '#explorer?{fragment}'")
    page.wait_for_timeout(50)
    assert setting(page) == before


def test_a_link_to_a_group_alone_keeps_the_threshold(page):
    page.evaluate("location.hash = '#explorer?curve=1'")
    page.wait_for_timeout(50)
    assert setting(page)["curve"] == 1
    assert "0.5 or more" in out(page, "setting").inner_text()


@pytest.mark.slow
def test_the_command_prints_the_same_numbers(open_page, tmp_path):
    truth, score = scored(4, 400, 0.3)
    lines = [
        f"{int(y)},{s!r},{'ab'[i % 2]}"
        for i, (y, s) in enumerate(zip(truth, score.tolist(), strict=True))
    ]
    path = tmp_path / "it's <mine>.csv"
    path.write_text("\n".join(["y,p,g", *lines]), encoding="utf-8")
    words = evaluate_words(str(path), target="y", score="p", positive=1)
    page = open_page(html_of({"all cases": br.sweep(truth, score)}, command=words)).page
    page.evaluate(f"{EXPLORER}.show({{cut: 37, baseRate: 0.04, tau: 0.15}})")
    command = out(page, "command").text_content()
    shown = page.evaluate(f"{EXPLORER}.numbers({EXPLORER}.setting())")
    program, *arguments = shlex.split(command)
    assert program == "baserate"
    ran = subprocess.run(
        [sys.executable, "-m", "baserate.cli", *arguments, "--format", "json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    document = json.loads(ran.stdout)
    assert document["table"] == shown["table"]
    found = {
        m["name"].partition(".at_base_rate")[0].partition("(")[0]: m for m in document["metrics"]
    }
    assert len(found) == 11
    for name, metric in shown["metrics"].items():
        assert found[name]["value"] == pytest.approx(metric["value"], abs=1e-9)
        assert found[name]["chance"] == pytest.approx(metric["chance"]["same_alarms"], abs=1e-9)
        assert found[name]["skill"] == pytest.approx(metric["skill"], abs=1e-9)


@pytest.mark.slow
def test_without_a_file_it_is_a_call_of_python(page):
    page.evaluate(f"{EXPLORER}.show({{cut: 100, baseRate: 0.04, tau: 0.15}})")
    truth, score = scored(1, 2000, 0.2)
    call = out(page, "command").text_content()
    result = eval(call, {"br": br, "y_true": truth, "y_score": score})  # noqa: S307  our own page's
    shown = page.evaluate(f"{EXPLORER}.numbers({EXPLORER}.setting())")["metrics"]
    found = [fact.value for fact in result.facts.metrics]
    assert found == pytest.approx([metric["value"] for metric in shown.values()], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "dark"),
    [
        (PHONE, False),
        (1200, True),
        pytest.param(PHONE, True, marks=pytest.mark.slow),
        pytest.param(1200, False, marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing(violations, html, width, dark):
    state = "#explorer?a.curve=0&curve=3"
    assert violations(html, width=width, dark=dark, before=f"location.hash = '{state}'") == []


@pytest.mark.slow
def test_a_phone_never_scrolls_sideways(open_page, html):
    visit = open_page(html, width=PHONE)
    assert visit.overhang == 0
    control(visit.page, "pin").click()
    for group in range(4):
        control(visit.page, "group").select_option(str(group))
        assert visit.overhang == 0


@pytest.mark.slow
def test_paper_has_the_setting_and_no_controls(page):
    page.emulate_media(media="print")
    assert not page.locator(".controls").is_visible()
    assert out(page, "setting").is_visible()
    assert out(page, "command").is_visible()
    assert not control(page, "copyCommand").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF-")


def test_without_javascript_it_says_what_is_missing(browser, html, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    words = page.locator("[data-explorer]").inner_text()
    assert "needs JavaScript" in words
    assert page.locator("[data-explorer] button:visible").count() == 0
    context.close()


def test_another_script_than_its_own_does_not_run(open_page, html):
    visit = open_page(
        html.replace("</section>", "<script>document.title = 'mine'</script></section>")
    )
    assert visit.page.title() == "Scores – baserate"
    assert [line.startswith("console: ") for line in visit.heard] == [True]
    visit.heard.clear()


@pytest.mark.slow
def test_a_notebook_holds_several_and_each_is_by_itself(open_page, html):
    notebook = f"<!DOCTYPE html><title>n</title>{framed(html)}{framed(html)}"
    page = open_page(notebook).page
    first, second = page.frames[1:]
    first.locator("[data-control='cut']").press("End")
    assert first.evaluate(f"{EXPLORER}.setting().cut") == 0
    assert second.evaluate(f"{EXPLORER}.setting().cut") != 0
    assert not first.locator("[data-control='copyLink']").is_visible()


def test_two_in_one_document_share_nothing(open_page, html):
    section = html[html.index('<section class="explorer"') : html.index("</section>") + 10]
    twice = html.replace(section, section + section)
    page = open_page(twice).page
    page.locator("[data-control='cut']").nth(1).press("End")
    cuts = page.evaluate(
        "[...document.querySelectorAll('[data-explorer]')].map(root => root.explorer.setting().cut)"
    )
    assert cuts[0] != 0 == cuts[1]
    page.evaluate("location.hash = '#explorer1?tau=0.125'")
    page.wait_for_timeout(50)
    taus = page.evaluate(
        "[...document.querySelectorAll('[data-explorer]')].map(root => root.explorer.setting().tau)"
    )
    assert taus == [0.5, 0.125]


@pytest.mark.slow
def test_a_redraw_is_within_one_frame(page):
    times = page.evaluate(
        f"""() => Array.from({{length: {RUNS}}}, (_, i) => {{
            const before = performance.now();
            {EXPLORER}.show({{cut: 8 * i}});
            document.body.getBoundingClientRect();
            return performance.now() - before;
        }})"""
    )
    assert min(times) < 16  # the rest is what else the machine has to do
