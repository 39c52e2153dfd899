"""Reports of very many groups and metrics: those that matter, and how many are left to the JSON."""

from dataclasses import replace
from functools import partial

import pytest

from baserate import ConfusionMatrix
from baserate.facts.evaluation import GroupFact
from baserate.facts.threshold import CutFact, GroupCutsFact
from baserate.metrics import CATALOGUE
from baserate.report import evaluation as evaluation_report
from baserate.report import threshold as threshold_report
from baserate.report.opening import render as rendered

render_thresholds = partial(rendered, threshold_report.sheet_of)

render = partial(rendered, evaluation_report.sheet_of)

MANY = 1000
CUT = CutFact(name="mcc", direction="higher", threshold=0.4, value=0.5, shared=0.4, step=(0, 0.4))


@pytest.fixture
def crowd(make, catalogue, fact):
    """A thousand groups with long names, each of its own size; every tenth has no recall."""

    def of(n_metrics=4):
        names = ("accuracy", "recall", "precision", "f1", *(m.name for m in CATALOGUE))
        chosen = list(dict.fromkeys(names))[:n_metrics]
        groups = []
        for i in range(MANY):
            metrics = [fact(name, 0.5 + i / 10**4, low=0.4, high=0.7) for name in chosen]
            if i % 10 == 0:
                metrics[1] = fact("recall", float("nan"), undefined_reason="no positives")
            table = ConfusionMatrix(tp=i, fn=3, fp=4, tn=20)
            label = f"department {i:04d} of the hospital, a name of many words <b>"
            groups.append(GroupFact(group={"unit": label}, table=table, metrics=tuple(metrics)))
        return make(metrics=catalogue(chance=True), groups=tuple(groups), group_names=("unit",))

    return of


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_the_largest_forty_are_shown_in_their_order(crowd, form):
    text = " ".join(render(crowd(), form).split())
    assert "The 40 groups with the most cases; 960 more are in the JSON." in text
    assert "department 0960" in text
    assert "department 0959" not in text
    assert text.index("department 0960") < text.index("department 0999")


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(("n_metrics", "said"), [(4, False), (20, True), (40, False)])
def test_a_page_stays_light(crowd, n_metrics, said):
    page = render(crowd(n_metrics), "html")
    assert len(page.encode()) < 140_000  # pictures of scores come on top, up to 250 kB
    assert ("The first 12 metrics; 8 more of each group are in the JSON." in page) == said


def test_gaps_are_listed_once_for_each_reason(crowd):
    text = " ".join(render(crowd(), "markdown").split())
    [gaps] = [line for line in text.split(" - ") if line.startswith("recall in unit")]
    assert gaps.startswith("recall in unit = department 0960")
    assert "and 1 more groups" not in gaps
    assert render(crowd(), "json").count('"unit": ') == MANY


def test_a_terminal_folds_long_names(crowd):
    facts = crowd()
    few = replace(facts, groups=facts.groups[:3])
    text = render(few, "table")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "in the JSON" not in text


def test_best_cuts_of_groups_likewise(score):
    groups = tuple(
        GroupCutsFact(group={"unit": f"u{i:04d}"}, n=100 + i, n_positive=30, cuts=(CUT,))
        for i in range(MANY)
    )
    facts = score(cuts=(CUT,), groups=groups, group_names=("unit",))
    text = render_thresholds(facts, "markdown")
    assert "The 40 groups with the most cases; 960 more are in the JSON." in text
    assert "u0960" in text
    assert "u0959" not in text


def test_the_group_that_gains_most_was_picked(score):
    def asked(gains):
        own = [replace(CUT, corrected=CUT.shared + gain) for gain in gains]
        groups = tuple(
            GroupCutsFact(group={"unit": f"u{i}"}, n=100, n_positive=30, cuts=(cut,))
            for i, cut in enumerate(own)
        )
        facts = score(cuts=(CUT,), groups=groups, group_names=("unit",), asked_for=("mcc",))
        return " ".join(render_thresholds(facts).split())

    picked = 'help unit "u1", the most of 3 groups, which flatters it: mcc 0.50'
    assert picked in asked((0.05, 0.1, -0.1))
    assert "No gain from a cut of its own is seen in any group." in asked((-0.05, -0.1, 0))
