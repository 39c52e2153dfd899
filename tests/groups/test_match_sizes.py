"""How often the match test errs: exact sums over every table, as docs/small_groups.md prints them.

The figures of the theory of small samples, section 7, are given beside each test.
"""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import betabinom, binom, multinomial

from baserate import ConfusionMatrix
from baserate.groups import match_test, min_p
from baserate.groups.power import group_size, smallest_gap
from docs.error_rates import match_error_rate

PAGE = (Path(__file__).parents[2] / "docs" / "small_groups.md").read_text(encoding="utf-8")
OTHER, REST = 1676 / 18089, 0.295  # base rates: Folktables "Other", and all the others
CUT = 1e-7  # tables less likely than this are left out


def rows_of(section):
    """Return the tables' rows, as cells, of the section whose title holds these words."""
    (text,) = [part for part in PAGE.split("\n## ") if section in part.splitlines()[0]]
    lines = (line for line in text.splitlines() if line.startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def printed(*first, section=""):
    """Return the cells that the page prints in the row that begins with these."""
    titles = [
        part.splitlines()[0] for part in PAGE.split("\n## ")[1:] if section in part.splitlines()[0]
    ]
    rows = [row for title in titles for row in rows_of(title)]
    (found,) = [row for row in rows if row[: len(first)] == list(first)]
    return found[len(first) :]


def same(values, cells):
    """Whether the values round to what is printed."""
    for value, cell in zip(values, cells, strict=True):
        digits = len(re.sub(r".*\.", "", cell))
        assert f"{value:.{digits}f}" == cell


# .146 .241 .155 .068 .040; uncertain .042 .045 .046 .040 .038; mid-p .049 to .051
@pytest.mark.sweep(5, start=3)
@pytest.mark.parametrize(
    "sizes", [("100", "100"), ("200", "100"), ("500", "500"), ("100", "345"), ("100", "3276")]
)
def test_an_uncertain_reference_keeps_the_level(sizes):
    n, m = map(int, sizes)
    kinds = ((False, False), (True, False), (True, True))
    found = [
        match_error_rate(rate=0.2, n=n, n_reference=m, uncertain_reference=u, mid_p=mid)
        for u, mid in kinds
    ]
    same(found, printed(*sizes, section="The reference is a sample too"))
    assert max(found[1:]) < 0.052


def cells(base_rate, recall, false_positive_rate):
    r, f = recall, false_positive_rate
    return (base_rate * r, base_rate * (1 - r), (1 - base_rate) * f, (1 - base_rate) * (1 - f))


def rate_of(n, truth, p_of):
    """Sum the chances of the tables of n cases at which p_of is at most 5%."""
    found = 0.0
    for p in range(n + 1):
        if binom.pmf(p, n, truth[0] + truth[1]) < CUT:
            continue
        for tp, fp in itertools.product(range(p + 1), range(n - p + 1)):
            table = (tp, p - tp, fp, n - p - fp)
            chance = multinomial.pmf(table, n, truth)
            if chance > CUT and p_of(table) <= 0.05:
                found += chance
    return found


def table(counts):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), counts, strict=True)))


# .263 and .318 by mid-p, against .021 and .045: recall .626 in both
@pytest.mark.slow
def test_equal_recall_at_another_base_rate():
    known = cells(REST, 0.6263, 0.1)
    found = {"none": [0.0, 0.0], "auto": [0.0, 0.0]}
    chance_of = binom(100, OTHER)
    for k, condition in itertools.product(range(1, 101), found):
        if chance_of.pmf(k) < CUT:
            continue
        for tp in range(k + 1):
            chance = chance_of.pmf(k) * binom.pmf(tp, k, 0.6263)
            if chance < CUT:
                continue
            test = match_test("recall", table((tp, k - tp, 0, 100 - k)), known, condition=condition)
            found[condition][0] += chance * (test.p_value <= 0.05)
            found[condition][1] += chance * (test.mid_p <= 0.05)
    same(found["none"], printed("nothing held fixed"))
    same(found["auto"], printed("given the group's positives"))


# 61% and 20% with nothing held fixed, 3.8% and 4.4% given the class totals
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "row"), [("f1", "F1"), ("mcc", "Matthews correlation"), ("precision", "Precision")]
)
def test_equal_rates_at_another_base_rate(name, row):
    truth, known = cells(OTHER, 0.626, 0.191), cells(REST, 0.626, 0.191)
    asked = ("none", "classes", "denominator")[: 3 if name == "precision" else 2]
    found = [rate_of(60, truth, _p_of(name, known, condition)) for condition in asked]
    same(found, printed(row)[: len(asked)])


@pytest.mark.parametrize("name", ["precision", "npv", "false_discovery_rate", "fomr"])
def test_another_base_rate_is_no_other_precision(name):
    """Recall 0.6 and false positive rate 0.2 on both sides; positive is half, or a tenth."""
    group = ConfusionMatrix(tp=600, fn=400, fp=200, tn=800)
    reference = ConfusionMatrix(tp=600, fn=400, fp=1800, tn=7200)
    assert match_test(name, group, reference, condition="classes").p_value > 0.9
    assert match_test(name, group, reference).p_value < 1e-50


# One comparison seen from both sides: how often at least one of the two tests rejects equal rates.
@pytest.mark.parametrize(("sizes", "rate"), [((20, 100), 0.2), ((50, 50), 0.2), ((20, 300), 0.05)])
def test_two_groups_and_each_other_s_rest_are_one_comparison(sizes, rate):
    p = [_p_values(*sizes), _p_values(*sizes[::-1]).T]
    chances = np.outer(*(binom.pmf(np.arange(n + 1), n, rate) for n in sizes))
    found = [float(chances[q <= 0.05].sum()) for q in (*p, np.minimum(*p))]
    same(found, printed(f"{sizes[0]} and {sizes[1]}", str(rate)))
    assert found[-1] <= 0.05


def _p_values(n, m):
    """Every p-value of a recall of x out of n, against y out of m."""
    found = np.empty((n + 1, m + 1))
    for y in range(m + 1):
        pmf = betabinom.pmf(np.arange(n + 1), n, y + 0.5, m - y + 0.5)
        tails = np.cumsum(pmf), np.cumsum(pmf[::-1])[::-1]
        found[:, y] = np.minimum(1, 2 * np.minimum(*tails))
    return found


def _p_of(name, known, condition):
    """Return the p-value of a table, nan where undefined."""
    return lambda t: match_test(name, table(t), known, condition=condition).p_value


# 0.3% and 3.4%
@pytest.mark.slow
def test_a_reference_that_contains_the_group():
    chances = binom.pmf(np.arange(101), 100, 0.75)
    kept = [k for k in range(101) if chances[k] > CUT]
    found = dict.fromkeys(["known", "uncertain", "contained", "permutation", "rest"], 0.0)
    for x, y in itertools.product(kept, kept):
        group, rest = table((x, 100 - x, 0, 0)), table((y, 100 - y, 0, 0))
        tests = {
            "known": match_test("recall", group, group + rest, uncertain_reference=False),
            "uncertain": match_test("recall", group, group + rest),
            "contained": match_test("recall", group, group + rest, law="contained"),
            "permutation": match_test("recall", group, rest, law="permutation"),
            "rest": match_test("recall", group, rest),
        }
        for kind, test in tests.items():
            found[kind] += chances[x] * chances[y] * (test.p_value <= 0.05)
    same([found["known"]], printed("the overall table, taken as known"))
    same([found["uncertain"]], printed("the overall table, taken as an uncertain sample"))
    same([found["contained"]], printed('the overall table, `law="contained"`'))
    same([found["permutation"]], printed('the rest, `law="permutation"`'))
    same([found["rest"]], printed("the rest, taken as an uncertain sample"))


ELEVEN = (
    "accuracy", "base_rate", "ppr", "recall", "fpr", "precision", "npv", "f1", "mcc",
    "prevalence_threshold", "marginal_benefit",
)  # fmt: skip
COMPAS_REST = table((116, 177, 554, 2429))


# .102 .157 .175, cut-offs .0232 .0159 .0122
@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("n", ["20", "50", "100"])
def test_eleven_metrics(n):
    found = min_p(ELEVEN, table((int(n), 0, 0, 0)), COMPAS_REST, condition="none",
                  uncertain_reference=False)  # fmt: skip
    same([found.error_rate(0.05), found.cut_off(0.05)], printed(n, section="Many metrics"))


BIG = table((4000, 1000, 500, 4500))


def test_what_a_group_can_show():
    rows = rows_of("What a group can show")
    gaps = [row for row in rows if len(row) == 3 and row[0].isdigit()]
    sizes = [row for row in rows if len(row) == 2 and row[0].startswith("0.")]
    assert (len(gaps), len(sizes)) == (5, 3)
    for positives, fall, rise in gaps:
        found = smallest_gap("recall", table((int(positives), 0, 0, 5)), BIG)
        same([found.below], [fall])
        assert rise == ("none" if np.isnan(found.above) else f"{found.above:.3f}")
    for fall, needed in sizes:
        assert group_size("recall", BIG, gap=-float(fall)).size == int(needed)


@pytest.mark.slow
def test_a_large_group_beside_a_small_reference():
    rows = [row for row in rows_of("A large group") if row[0].isdigit()]
    assert len(rows) == 5
    for n, m, rate, *sizes in rows:
        asked = {"rate": float(rate), "n": int(n), "n_reference": int(m)}
        found = [match_error_rate(**asked), match_error_rate(**asked, dealt=True)]
        same(found, sizes)
