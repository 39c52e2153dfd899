"""`audit` on several classes."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import hypergeom
from sklearn.metrics import accuracy_score, f1_score
from statsmodels.stats.multitest import multipletests

import baserate as br
from baserate.errors import DataError, InvalidArgumentError, LabelError, UnsupportedError
from baserate.evaluation.audit_gaps import too_few
from baserate.inference.intervals import class_intervals

LABELS = ("ill", "sick", "well")


def cases(n=600, seed=3, *, missed=0.5):
    """Return truth, prediction and groups; in group B half of the ill are missed."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(LABELS, n, p=[0.3, 0.2, 0.5])
    group = rng.choice(["A", "B", "C"], n, p=[0.5, 0.35, 0.15])
    wrong = rng.random(n) < np.where((group == "B") & (truth == "ill"), missed, 0.15)
    prediction = np.where(wrong, rng.choice(LABELS, n), truth)
    return truth, prediction, group


@pytest.fixture(scope="module")
def found():
    truth, prediction, group = cases()
    return br.audit(truth, prediction, groups=group, metrics="accuracy, macro_f1, recall, f1")


def p_values_of(facts):
    """Return every p-value and its adjusted one."""
    pairs = [(f.p_value, f.adjusted_p) for group in facts.groups for f in group.findings]
    pairs += [
        (f.p_value, f.adjusted_p)
        for one in facts.classes
        for group in one.groups
        for f in group.findings
    ]
    return np.array(pairs).T


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("reference", ["rest", "overall", "A"])
def test_every_class_is_tested_as_it_is_alone(reference):
    truth, prediction, group = cases()
    about = {"groups": group, "reference": reference, "metrics": "recall, f1"}
    facts = br.audit(truth, prediction, **about).facts
    assert [one.label for one in facts.classes] == list(LABELS)
    for one in facts.classes:
        alone = br.audit(truth, prediction, positive=one.label, **about).facts
        assert len(one.groups) == len(alone.groups)
        for mine, other in zip(one.groups, alone.groups, strict=True):
            assert (mine.group, mine.table, mine.reference) == (
                other.group, other.table, other.reference,
            )  # fmt: skip
            for f, g in zip(mine.findings, other.findings, strict=True):
                for name in ("value", "low", "high", "reference", "p_value", "mid_p", "null"):
                    assert getattr(f, name) == getattr(g, name)
        assert one.gaps == alone.gaps


@pytest.mark.slow
@pytest.mark.parametrize(("adjust", "peer"), [("auto", "holm"), ("benjamini-hochberg", "fdr_bh")])
def test_all_comparisons_are_one_family(adjust, peer):
    truth, prediction, group = cases()
    about = {"groups": group, "metrics": "accuracy, macro_f1, recall, f1"}
    facts = br.audit(truth, prediction, **about, adjust=adjust).facts
    p, adjusted = p_values_of(facts)
    assert len(p) == facts.n_comparisons == 3 * (2 + 3 * 2)
    assert adjusted == pytest.approx(multipletests(p, method=peer)[1], rel=1e-12)


@pytest.mark.slow
def test_two_groups_are_compared_once():
    truth, prediction, group = cases()
    kept = group != "C"
    facts = br.audit(truth[kept], prediction[kept], groups=group[kept]).facts
    assert facts.mirrored
    assert facts.n_comparisons == 4 + 3
    for i in range(2):
        p, adjusted = np.array([(f.p_value, f.adjusted_p) for f in facts.findings_of(i)]).T
        assert adjusted == pytest.approx(multipletests(p, method="holm")[1], rel=1e-12)


def test_the_difference_is_found_where_it_is(found):
    differing = {
        (one.group.group["group"], one.label, one.finding.name, one.finding.verdict)
        for one in found.facts.differing
    }
    assert ("B", "ill", "recall", "lower") in differing
    assert not {one for one in differing if one[0] == "C"}
    assert 'B: class "ill" is found less often: ' in " ".join(found.render().split())
    assert max(map(len, found.render(details=True).splitlines())) <= 80


@pytest.mark.slow
def test_false_alarms_over_all_classes_groups_and_metrics():
    """In 40 audits of groups that are alike, the chance of any alarm is at most 5%: 2 expected."""
    alarms = 0
    for seed in range(40):
        truth, prediction, group = cases(200, seed, missed=0.15)
        facts = br.audit(truth, prediction, groups=group, gap=2.0).facts
        alarms += bool(facts.differing)
    assert alarms <= 6  # of a binomial with 5%: 0.3%


def test_values_are_those_of_each_group(found):
    truth, prediction, group = cases()
    for one in found.facts.groups:
        mine = group == one.group["group"]
        assert one.table == br.class_table(truth[mine], prediction[mine])
        alone = class_intervals(["accuracy", "macro_f1"], one.table)
        values = (
            accuracy_score(truth[mine], prediction[mine]),
            f1_score(truth[mine], prediction[mine], average="macro"),
        )
        for f, value in zip(one.findings, values, strict=True):
            assert f.value == pytest.approx(value, rel=1e-12)
            assert (f.low, f.high) == (alone[f.name].low, alone[f.name].high)
            assert f.difference == pytest.approx(f.value - f.reference)  # as p has it
            assert f.difference_low < f.difference < f.difference_high


@pytest.mark.parametrize("reference", ["rest", "overall"])
def test_another_mix_of_classes_is_no_difference(reference):
    """Each class is called alike in both groups: p and the interval beside it see nothing."""
    rows = np.array([[18, 1, 1], [4, 12, 4], [2, 2, 16]])
    one, other = rows * [[10], [3], [1]], rows * [[1], [3], [10]]
    tables = {name: br.ClassTable(cells) for name, cells in (("a", one), ("b", other))}
    facts = br.audit(tables, metrics="accuracy, macro_f1", reference=reference).facts
    right, own = one.trace() / one.sum(), other.trace() / other.sum()
    assert abs(right - own) > 0.04
    for f in facts.groups[0].findings:
        assert abs(f.value - f.reference_value) > 0.02
        assert f.difference == pytest.approx(0, abs=1e-12)
        assert f.difference_low < 0 < f.difference_high
        assert f.p_value > 0.9


def test_unheld_the_mix_counts_in_both():
    rows = np.array([[18, 1, 1], [4, 12, 4], [2, 2, 16]])
    one, other = rows * [[40], [3], [1]], rows * [[1], [40], [1]]
    tables = {name: br.ClassTable(cells) for name, cells in (("a", one), ("b", other))}
    f = br.audit(tables, metrics="accuracy", condition="none").facts.groups[0].findings[0]
    assert f.difference == pytest.approx(one.trace() / one.sum() - other.trace() / other.sum())
    assert f.difference_low > 0
    assert f.p_value < 0.001


def test_condition_none_tests_all_cases_whatever_their_class():
    truth, prediction, group = cases()
    facts = br.audit(truth, prediction, groups=group, condition="none", metrics="accuracy").facts
    right, mine = truth == prediction, group == "B"
    law = hypergeom(len(right), right.sum(), mine.sum())
    tails = law.cdf((right & mine).sum()), law.sf((right & mine).sum() - 1)
    [finding] = facts.groups[1].findings
    assert finding.condition == "none"
    assert finding.p_value == pytest.approx(min(1, 2 * min(tails)), rel=1e-9)


def test_two_classes_by_an_average():
    truth, prediction, group = cases()
    two = truth != "sick"
    called = np.where(prediction == "sick", "well", prediction)
    facts = br.audit(truth[two], called[two], groups=group[two], metrics="macro_f1").facts
    assert facts.table.labels == ("ill", "well")
    assert not facts.classes


def test_a_class_that_a_group_lacks_is_named():
    truth, prediction, group = cases()
    kept = (group != "C") | ((truth != "sick") & (prediction != "sick"))
    result = br.audit(truth[kept], prediction[kept], groups=group[kept])
    assert result.facts.groups[2].absent == ("sick",)
    text = " ".join(result.render(details=True).split())
    assert 'C has no "sick".' in text
    assert "Undefined: " in text


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"base_rate": 0.2}, "base_rate speaks of one positive class"),
        ({"uncertain_reference": False}, "uncertain_reference speaks of one positive class"),
        ({"utility": [[1, 0], [0, 1]]}, "utility speaks of one positive class"),
    ],
)
def test_what_speaks_of_two_classes_is_refused(given, named):
    truth, prediction, group = cases()
    with pytest.raises(InvalidArgumentError, match=named) as refused:
        br.audit(truth, prediction, groups=group, **given)
    assert "--positive" in str(refused.value)


def test_other_refusals():
    truth, prediction, group = cases()
    with pytest.raises(DataError, match="An audit needs groups"):
        br.audit(truth, prediction)
    with pytest.raises(InvalidArgumentError, match="must be of two classes"):
        br.audit(truth, prediction, groups=group, positive="ill", metrics="macro_f1")
    weighed = {g: br.ClassTable(np.eye(3) * 2.5) for g in "ab"}
    with pytest.raises(UnsupportedError, match="The counts are weights"):
        br.audit(weighed)
    with pytest.raises(LabelError):
        br.audit(truth, prediction, groups=group, positive="nobody")


@pytest.mark.slow
def test_the_largest_gap_of_all_classes_is_not_that_of_a_group_too_small_to_show_one():
    right = {"many": (300, 240), "more": (300, 180), "tiny": (3, 0)}
    truth, called, group = [], [], []
    for name, (n, hits) in right.items():
        truth += [k % 3 for k in range(n)]
        called += [(k + (k // 3 >= hits // 3)) % 3 for k in range(n)]
        group += [name] * n
    names = ["accuracy", "macro_f1", "matthews_correlation", "recall"]
    found = br.audit(truth, called, groups=group, metrics=names)
    for gap in found.facts.gaps:
        assert (gap.largest, gap.smallest) == ({"group": "many"}, {"group": "more"})
        assert gap.too_small == ({"group": "tiny"},)
        assert gap.low <= gap.difference <= gap.high
    assert found.facts.gaps[0].difference == pytest.approx(0.2)
    told = " ".join(found.render("table", details=True).split())
    assert "Left out of gaps, too small to show one Of all metrics: tiny" in told
    # Nobody could show a gap of 1 in 1,000: left out is who has less than a quarter of the second.
    keen = br.audit(truth, called, groups=group, metrics=names, gap=0.001, alpha=1e-9).facts.gaps
    assert all(gap.too_small == ({"group": "tiny"},) for gap in keen)
    two = [name != "more" for name in group]
    pair = br.audit(*(np.array(x)[two] for x in (truth, called)), groups=np.array(group)[two])
    assert all(gap.smallest == {"group": "tiny"} for gap in pair.facts.gaps)
    assert not any(gap.too_small for gap in pair.facts.gaps)


def test_many_groups_and_classes_are_cut():
    rng = np.random.default_rng(5)
    truth, group = rng.integers(0, 12, 3000), rng.integers(0, 15, 3000)
    prediction = np.where(rng.random(3000) < 0.2, rng.integers(0, 12, 3000), truth)
    result = br.audit(truth, prediction, groups=group, metrics="recall")
    text = " ".join(result.render(details=True).split())
    assert "12 of 180 groups within a class" in text
    few = br.audit(truth % 4, prediction % 4, groups=group, metrics="recall").render(details=True)
    assert len(few.split("Recall of each class")[1].split("Largest gaps")[0].splitlines()) > 15


def few_of(*rows):
    """Return the keys of groups too few to show a gap, of (key, cases, verdict, tested, reason)."""
    groups = [
        SimpleNamespace(
            n=n, effective_n=None, n_clusters=None,
            findings=[SimpleNamespace(
                name="accuracy", value=0.7, verdict=verdict, tested=tested, reason=reason,
                difference_low=-0.05, difference_high=0.08,
            )],
        )
        for _, n, verdict, tested, reason in rows
    ]  # fmt: skip
    return too_few([key for key, *_ in rows], groups)["accuracy"]


def test_groups_are_too_few_up_to_the_largest_that_shows_no_gap():
    open_ones = [("a", 100, "consistent"), ("b", 20, "too_small"), ("c", 200, "consistent")]
    rows = [(*row, None, None) for row in (*open_ones, ("d", 10, "too_small"))]
    # Half as wide an interval takes four times as many cases.
    assert few_of(*rows) == pytest.approx({"b": 0.093 * 10**0.5, "d": 0.093 * 20**0.5}, 0.01)
    assert few_of(*rows[:1], *rows[2:3]) == {}


@pytest.mark.parametrize(("n", "expected"), [(7, {"a"}), (8, set()), (10, set())])
def test_where_all_are_too_few_those_are_of_less_than_a_quarter_of_the_second_largest(n, expected):
    rows = [("a", n), ("b", 32), ("c", 400)]
    assert {*few_of(*((*row, "too_small", None, None) for row in rows))} == expected
