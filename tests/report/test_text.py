"""The terminal report."""

import math
import re
from functools import partial

import pytest

from baserate import ConfusionMatrix, evaluate
from baserate.facts.evaluation import GroupFact
from baserate.facts.verdict import VerdictFact
from baserate.metrics import CATALOGUE
from baserate.report import evaluation as evaluation_report
from baserate.report.catalogue import catalogue_as_text
from baserate.report.evaluation import sheet_of
from baserate.report.opening import render as rendered
from baserate.report.sheet import Cell, Grid, Sheet
from baserate.report.text import sheet_as_text

render = partial(rendered, evaluation_report.sheet_of)


def render_text(facts, *, details=True, **how):
    return sheet_as_text(sheet_of(facts), details=details, **how)


def test_the_answer_comes_first_and_sections_follow_in_order(make, catalogue):
    text = render_text(make(metrics=catalogue(chance=True, undefined=("lift",))), width=100)
    assert text.startswith("Of the 2,053 positives, 37% are found (recall); of the 1,238 alarms, ")
    places = [text.index(f"\n{t}") for t in ("Positive:", "Counts", "Metrics", "Undefined")]
    assert places == sorted(places)
    assert re.search(r"lift: +nothing predicted positive \(tp \+ fp = 0\)", text)


def test_the_dozen_metrics_people_read_and_where_the_others_are(make):
    text = render_text(make(), width=100)
    section = text[text.index("\nMetrics") : text.index("\nOther metrics")]
    names = re.findall(r"^(\w+) +\d\.\d{3} +\S+ to \S+$", section, re.MULTILINE)
    assert names == [
        "accuracy", "balanced_accuracy", "recall", "specificity", "precision",
        "negative_predictive_value", "f1", "matthews_correlation", "cohen_kappa", "informedness",
        "jaccard", "geometric_mean",
    ]  # fmt: skip
    screen = render_text(make(), width=100, details=False)
    shown = re.findall(r"^(\w+) +\d\.\d{3} +\S+ to \S+$", screen, re.MULTILINE)
    assert shown == names[:7]
    assert "More: --details (details=True) adds counts, all metrics, definitions" in screen
    assert re.search("\nOther metrics\n.*\nlift +0[.]932 ", text, re.DOTALL)
    assert re.search(
        "\nDefinitions\n.*\naccuracy: +\\(tp [+] tn\\) / n. Share of cases", text, re.DOTALL
    )


@pytest.mark.parametrize(
    ("times", "legend", "shown"), [(1, (), True), (9, (), False), (9, (Cell("low"),), True)]
)
def test_a_long_note_is_on_the_first_screen_if_it_says_what_signs_mean(times, legend, shown):
    part = Grid(headings=("a",), rows=(("1",),), labels=1, note="So it is. " * times, legend=legend)
    text = sheet_as_text(Sheet(title="", answer=(), parts=(part,)), details=False, width=80)
    assert ("So it is." in text) == shown


def test_metrics_that_were_asked_for_are_all_shown_in_their_order(make, fact):
    text = render_text(make(metrics=(fact("lift", 1.909), fact("error_ratio", 27.125))))
    assert re.search("\nlift +1[.]909\nerror_ratio +27[.]1[23]\n", text)


def test_chance_columns_appear_only_with_chance(on_record, make, catalogue):
    assert "skill" not in render_text(make(), details=False)
    sure = VerdictFact.of("informedness", (0.26, 0.24, 0.28))
    fisher = make(metrics=catalogue(chance=True), better_than_guessing=sure, p_value=0.0004)
    sup = make(metrics=catalogue(chance=True), p_value_method="sup")
    told = {"one p, in the answer": fisher, "a p of each metric": sup}
    on_record({how: render_text(facts, width=100, details=False) for how, facts in told.items()})


def test_the_confusion_table_has_the_truth_in_rows(on_record, make):
    text = render_text(make(), width=100)
    on_record(text[text.index("Counts (truth in rows") : text.index("\n\nMetrics")])


def test_what_the_report_is_about(on_record, make):
    of_score = {"score": "p", "prediction": None, "threshold": 0.35}
    changes = {
        "plain": {},
        "a row is missing": {"missing": 1},
        "rows are missing": {"missing": 1200},
        "three labels": {"labels": ("a", "b", "yes")},
        "many labels": {"labels": (*range(19), "yes")},
        "a score": of_score,
        "a score that was not used": {"score": "p"},
        "weights": {"effective_n": 812.25},
        "restated": {"restated": True, "base_rate": 0.5},
        "another guess": {"guess": "0.25"},
        "another level": {"confidence_level": 0.975},
    }
    texts = {how: render_text(make(**given), width=200) for how, given in changes.items()}
    on_record({how: about(text) for how, text in texts.items()})
    assert "Intervals of metrics hold 97.5% of the posterior" in texts["another level"]


def about(text):
    """Return the lines between the answer and the first table."""
    return text.split("\n\n")[1]


def test_the_guess_is_named_with_and_without_chance(make, catalogue):
    assert "the best guess (dutch-draw); not scored in this report" in render_text(make())
    with_chance = render_text(make(metrics=catalogue(chance=True)))
    assert "the best guess (dutch-draw)\n" in with_chance


def test_why_there_is_no_chance_level(make, fact):
    metrics = (
        fact("recall", 1.0, chance=1.0, chance_reason="guessing is perfect here"),
        fact("f1", chance_reason="f1 is undefined however one guesses"),
        fact("jaccard", chance_reason="jaccard is undefined however one guesses"),
        fact("lift", math.nan, undefined_reason="no alarms", chance_reason="no alarms"),
        fact("base_rate", direction="neither", chance_reason="neither is better"),
        fact("accuracy", chance=0.5, skill=0.2),
    )
    text = render_text(make(metrics=metrics), width=100)
    section = text[text.index("\nNo chance level or skill\n") : text.index("\nDefinitions")]
    assert section.split("\n")[2:-1] == ["f1, jaccard:  each is undefined however one guesses"]
    assert "No chance level" not in render_text(make(metrics=metrics[:1] + metrics[3:]))


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("fisher", "does as well (Fisher's exact test at the table's own margins, one-sided)."),
        ("sup", "does as well by that metric, the largest over all numbers predicted positive."),
    ],
)
@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_the_p_value_says_how_it_was_found(make, catalogue, method, words, form):
    facts = make(metrics=catalogue(chance=True), p_value_method=method)
    text = render(facts, form, details=True)
    assert words in " ".join(text.replace("&#39;", "'").split())


def test_groups_called_missing_and_all_are_told_from_the_gap_and_the_total(make, catalogue):
    groups = tuple(
        GroupFact(group={"g": name}, table=make().table, metrics=catalogue())
        for name in ("missing", "all", None)
    )
    shown = make(groups=groups, group_names=("g",))
    labels = ["all cases", "missing", "all", "(missing)"]
    text = render_text(shown, width=100)
    first = text[text.index("\nGroups") : text.index("\nCounts of each")]
    rows = [line.split("  ")[0] for line in first.splitlines()]
    assert [row for row in rows if row in labels] == labels
    markdown = render(shown, "markdown")
    assert all(f"\n| {label} |" in markdown for label in labels)
    page = render(shown, "html")
    assert all(f">{label}</t" in page for label in labels)


def test_groups_stand_below_all_cases_and_say_what_is_undefined(odd):
    text = render_text(odd, width=160)
    rows = text[text.index("\nGroups") : text.index("\nUndefined")]
    assert re.search(r"\nall cases +6,367 +0\.323 +0\.11 ", rows)
    assert "(missing)" in rows  # the group whose age band is None
    assert rows.count("undefined") == 2  # precision, overall and in the group
    assert "precision in <i>job</i> = " in text[text.index("\nUndefined") :]


def test_labels_are_shown_as_they_are_but_for_control_characters(odd, make):
    text = render_text(odd, width=300)
    assert '<b>"x" & y</b>, a|b `c` [red]d[/red]' in text
    assert r'"c\nd"' in text
    text = render_text(make(positive="\x1b[31mred", labels=("\x1b[31mred", "no")))
    assert "\x1b" not in text
    assert r"\x1b[31mred" in text


def test_plain_by_default_and_coloured_when_asked(make):
    assert "\x1b[" not in render_text(make())
    assert "\x1b[" in render_text(make(), color=True)
    assert "\x1b[" in render(make(), color=True)
    assert "\x1b[" not in render(make(), "markdown", color=True)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_number_is_cut_short_on_a_narrow_page(odd, width):
    text = render_text(odd, width=width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    row = r"negative_predictive_value +0\.364 +0\.354 to 0\.376 +0\.121 +0\.250\n"
    if width == 80:
        assert re.search(row, text)
    for number in ("0.364", "0.354 to 0.376", "0.121", "0.250"):  # in blocks below one another
        assert re.search(rf"negative_[^\n]*\b{number}", text)


def test_the_catalogue_lists_every_metric_with_its_facts():
    text = catalogue_as_text(CATALOGUE, width=120)
    assert all(re.search(rf"^{m.name}$", text, re.MULTILINE) for m in CATALOGUE)
    assert "    From -1 to 1, higher is better; 0 by guessing\n" in text
    assert "    Undefined where tp + fp = 0\n    Also: ppv, positive_predictive_value" in text
    assert "\nWith parameters of your own\n    " in text
    assert "    net_benefit(threshold): Net benefit" in text
    assert {len(line) - len(line.lstrip()) for line in text.splitlines()} == {0, 4}


def test_a_metric_that_shows_a_chance_level_is_not_said_to_have_none():
    """A likelihood ratio is infinite without errors: chance has a value, and skill has none."""
    table = ConfusionMatrix(tp=3, fn=7, fp=28, tn=62)
    facts = evaluate(table, metrics="positive_likelihood_ratio, recall").facts
    assert not math.isnan(facts.metrics[0].chance)
    lucky = evaluate(table, metrics="diagnostic_odds_ratio, recall").facts
    for found, heading in ((facts, "No skill"), (lucky, "No value of the guess, and no skill")):
        text = render_text(found)
        assert f"\n{heading}\n{found.metrics[0].name}:" in text
        assert "No chance level" not in text
