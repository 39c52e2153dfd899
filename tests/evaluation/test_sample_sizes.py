"""One door for all sizes: the numbers of its routes, what each asks for, and what is printed."""

import re

import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import beta, binom, multinomial, norm

import baserate as br
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.groups.power import match_power, smallest_gap
from baserate.inference.sample_size import (
    sample_size_discordant,
    sample_size_paired,
    sample_size_separate,
)

REST = br.ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
PILOT = br.ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
A, B, UTILITY = [[27, 15], [23, 35]], [[43, 18], [7, 32]], [[15, -335], [-35, 165]]


def kept(n, bound, expected):
    """Return how probably Clopper and Pearson's lower limit reaches the bound, by SciPy."""
    hits = range(1, n + 1)
    enough = [k for k in hits if beta.ppf(0.025, k, n - k + 1) >= bound]
    return binom.sf(min(enough) - 1, n, expected) if enough else 0.0


def test_a_promise():
    found = br.sample_size("recall >= 0.8@low", expected=0.9, base_rate=0.25)
    assert kept(found.n, 0.8, 0.9) >= 0.8 > kept(found.n - 1, 0.8, 0.9)
    assert (found.counted, found.cases, int(found)) == ("positives", 4 * found.n, found.n)
    mirrored = br.sample_size("false_positive_rate<=0.2@high", expected=0.1, base_rate=0.25)
    assert (mirrored.n, mirrored.counted) == (found.n, "negatives")
    assert mirrored.cases == -(-found.n * 4 // 3)
    assert br.sample_size("precision >= 0.8@low", expected=0.9).cases is None
    assert br.sample_size("accuracy >= 0.8@low", expected=0.9).cases == found.n
    clustered = br.sample_size("recall >= 0.8@low", expected=0.9, design_effect=1.5)
    assert clustered.n == -(-found.n * 3 // 2)


def test_a_width():
    by_table = br.sample_size("recall", table=PILOT, width=0.1)
    rates = {"recall": 35 / 40, "specificity": 50 / 60, "base_rate": 0.4}
    assert br.sample_size("recall", width=0.1, **rates).n == by_table.n
    positives = 0.4 * by_table.n
    law = beta(7 / 8 * positives + 0.5, positives / 8 + 0.5)
    assert law.ppf(0.975) - law.ppf(0.025) == pytest.approx(0.1, rel=1e-3)


def test_a_width_of_a_share_asks_for_no_other_rate():
    found = br.sample_size("recall", width=0.1, expected=0.85, base_rate=0.1)
    widths = [
        beta.ppf(0.975, 0.85 * n + 0.5, 0.15 * n + 0.5)
        - beta.ppf(0.025, 0.85 * n + 0.5, 0.15 * n + 0.5)
        for n in (found.n - 1, found.n)
    ]
    assert widths[0] > 0.1 >= widths[1]
    assert (found.counted, found.cases) == ("positives", 10 * found.n)
    assert br.sample_size("recall", width=0.1, recall=0.85, base_rate=0.1).n == found.n
    for name in ("specificity", "precision", "accuracy"):
        assert br.sample_size(name, width=0.1, expected=0.15).n == found.n
    with pytest.raises(InvalidArgumentError, match=r"pass expected=0\.85, if that is the recall"):
        br.sample_size("recall", width=0.1)
    with pytest.raises(InvalidArgumentError, match="matthews_correlation is not"):
        br.sample_size("mcc", width=0.1, expected=0.5)
    with pytest.raises(InvalidArgumentError, match="specificity has no meaning beside expected"):
        br.sample_size("recall", width=0.1, expected=0.85, specificity=0.9)


def test_a_difference_with_a_power():
    found = br.sample_size("difference", discordant=(0.4, 0.1), power=0.8, design_effect=2)
    assert found.n == 2 * sample_size_discordant(0.4, 0.1) == found.cases
    assert "show which of the two is better (p below 0.05) with probability 0.8" in str(found)
    with pytest.raises(InvalidArgumentError, match="power has no meaning beside"):
        br.sample_size("difference", a=A, b=B, utility=UTILITY, power=0.8)


@pytest.mark.slow
def test_a_difference():
    separate = br.sample_size("difference", a=A, b=B, utility=UTILITY)
    assert separate.n == sample_size_separate(A, B, UTILITY) == 4361  # with A's and B's own cases
    assert separate.cases == 2 * separate.n
    paired = br.sample_size("difference", discordant=(0.09, 0.22), certainty=0.99)
    joint = [[[0.345], [0.09]], [[0.22], [0.345]]]
    assert paired.n == sample_size_paired(joint, [[1], [0]], certainty=0.99)
    assert abs(paired.n - (2.326**2 * (0.31 - 0.13**2) / 0.13**2)) < 10  # by the normal law
    assert br.sample_size("difference", joint=joint, utility=[[1], [0]], certainty=0.99) == paired


def tango(first, second, n, margin):
    """Return the score of a second that is worse by the margin; shares by a search, not a formula.

    With q the share that only the second gets right, that of the first alone is q + margin.
    """

    def unlikely(q):
        return (
            -xlogy(first, q + margin)
            - xlogy(second, q)
            - xlogy(n - first - second, 1 - 2 * q - margin)
        )

    end = (1 - margin) / 2
    q = minimize_scalar(unlikely, bounds=(0, end), method="bounded", options={"xatol": 1e-10}).x
    return (second - first + n * margin) / (n * (2 * q + margin - margin**2)) ** 0.5


def margin_power(n, shares, margin):
    """Return how probably the second is shown to be no worse, table by table."""
    tables = [(k, m) for k in range(n + 1) for m in range(n + 1 - k) if m - k + n * margin > 0]
    shown = [(k, m) for k, m in tables if tango(k, m, n, margin) >= norm.ppf(0.975)]
    counts = [(k, m, n - k - m) for k, m in shown]
    return multinomial.pmf(counts, n, (*shares, 1 - sum(shares))).sum()


@pytest.mark.slow
def test_a_margin():
    shares, margin = (0.06, 0.1), 0.15
    found = br.sample_size("difference", discordant=shares, margin=margin)
    assert margin_power(found.n, shares, margin) >= 0.8 > margin_power(found.n - 1, shares, margin)
    assert (found.counted, found.cases, found.route) == ("cases", found.n, "enumerated")
    promised = br.sample_size("difference(recall) >= -0.15@low", discordant=shares, base_rate=0.25)
    assert (promised.n, promised.counted, promised.cases) == (found.n, "positives", 4 * found.n)
    mirrored = br.sample_size("difference(error_rate) <= 0.15@high", discordant=shares)
    assert (mirrored.n, mirrored.counted) == (found.n, "cases")
    more = {"discordant": shares, "margin": margin, "power": 0.9, "design_effect": 2}
    assert br.sample_size("difference", **more).n > 2 * found.n


def test_a_margin_takes_about_as_many_cases_as_the_normal_law_says():
    found = br.sample_size("difference", discordant=(0.05, 0.05), margin=0.02, power=0.9)
    far = norm.ppf(0.975) + norm.ppf(0.9)
    assert found.n == pytest.approx(far**2 * 0.1 / 0.02**2, rel=0.03)


def test_a_margin_is_what_compare_decides():
    """A table at the edge: with one more case that only the new one gets right it is shown."""
    n, old_alone = 400, 12
    new = next(m for m in range(40) if tango(old_alone, m, n, 0.03) > norm.ppf(0.975))
    for alone, told in ((new, "yes"), (new - 1, "cannot tell")):
        rest = n - old_alone - alone
        old = [1] * old_alone + [0] * alone + [1] * rest
        better = [0] * old_alone + [1] * (alone + rest)
        calls = {"old": [*old, 0, 0], "new": [*better, 0, 0]}
        truth = [1] * n + [0, 0]
        found = br.compare(truth, calls, margin=0.03, metrics="recall")
        assert found.facts.margins[0].not_worse == told


@pytest.mark.parametrize(
    ("question", "known", "told"),
    [
        ("difference(precision) >= -0.02@low", {}, "share of the same cases for both"),
        ("difference(recall) >= 0.02@low", {}, "leave room for the second to be worse"),
        ("difference(recall) <= 0.02@high", {}, "leave room for the second to be worse"),
        ("difference(recall) >= x@low", {}, "leave room for the second to be worse"),
        ("difference(recall) >= -0.02@high", {}, "must say which limit"),
        ("difference(recall) >= -0.02@low", {"discordant": (0.1, 0.05)}, "less than the margin"),
        ("difference", {"margin": 0.02, "utility": UTILITY}, "no meaning beside margin"),
        ("difference", {"margin": 2}, "margin"),
    ],
)
def test_margins_that_nothing_shows_are_refused(question, known, told):
    with pytest.raises(InvalidArgumentError, match=told):
        br.sample_size(question, **{"discordant": (0.05, 0.05), **known})


def test_probabilities():
    found = br.sample_size("calibration", base_rate=0.1, auc=0.8)
    area = br.sample_size("roc_auc", base_rate=0.1, auc=0.8)
    assert area.n == found.validation.criteria["auc"].n
    assert found.n == max(one.n for one in found.validation.criteria.values())


def test_a_gap():
    found = br.sample_size("gap(recall)", reference=REST, gap=-0.2)
    group = br.ConfusionMatrix(tp=found.n, fn=0, fp=0, tn=found.n)
    power = br.sample_size("gap(recall)", reference=REST, gap=-0.2, group=group)
    assert float(power) == match_power("recall", group, REST, gap=-0.2) >= 0.8
    assert br.sample_size("gap(recall)", reference=REST, group=group) == smallest_gap(
        "recall", group, REST
    )
    few = br.ConfusionMatrix(tp=4, fn=1, fp=1, tn=4)
    none = br.sample_size("gap(recall)", reference=few, gap=-0.05)
    assert none.n is None
    assert str(none).startswith("no number of cases is enough: no group of up to")
    with pytest.raises(InvalidArgumentError, match="ask for less"):
        int(none)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    ("question", "known", "said"),
    [
        ("mcc", {"table": PILOT, "width": 0.1}, "781 cases make the 95% interval of mcc 0.1 wide"),
        ("difference", {"a": A, "b": B, "utility": UTILITY},
         ("4,361 cases for each make it 0.975 certain which of the two is better, where they "
         "differ as much as expected; about half of samples show less")),
        ("difference", {"discordant": (0.05, 0.06), "margin": 0.02},
         ("976 cases show that the second is worse by less than 0.02, if at all, (score limit, "
         "0.975) with probability 0.8, if the two differ as expected")),
        ("roc_auc", {"auc": 0.8, "base_rate": 0.1},
         "836 cases, 84 of them with the event: the ROC area asks for so many"),
        ("gap(recall)", {"reference": REST, "gap": -0.2},
         "46 positives, in about 92 cases, show a gap of -0.2 with probability 0.8, at level 0.05"),
        ("gap(recall)", {"reference": REST, "gap": -0.2, "group": 100},
         "a gap of -0.2 is seen with probability 0.844, at level 0.05"),
    ],
)  # fmt: skip
def test_sentences(question, known, said):
    assert str(br.sample_size(question, **known)) == said


@pytest.mark.parametrize(
    ("question", "known", "told"),
    [
        ("recall", {}, "width must be known for 'recall', got None: 'recall' needs width, and"),
        (
            "mcc",
            {"width": 0.1},
            "specificity=0.8 and base_rate=0.3, if these are to expect, or a table=",
        ),
        ("recall >= 0.8", {"expected": 0.9}, "as recall >= 0.8@low"),
        ("recall >= 0.8@high", {"expected": 0.9}, "as recall >= 0.8@low"),
        ("recall >= x@low", {"expected": 0.9}, "must name a number between 0 and 1"),
        ("recall >= 0.8@low", {"expected": 0.8}, "expected must keep the promise >= 0.8"),
        ("f1 >= 0.8@low", {"expected": 0.9}, 'ask for "f1" to within a width'),
        ("recall >= 0.8@low", {"expected": 0.9, "powr": 1}, "does not ask for powr: did you mean"),
        ("difference", {}, "in its place joint, or both a and b"),
        ("difference", {"discordant": 3}, "must be two shares of all cases"),
        ("difference", {"discordant": (0.7, 0.6)}, "must be two shares of all cases"),
        ("calibration", {"aucc": 1}, "'calibration' does not ask for aucc: did you mean auc?"),
        ("gap(recall)", {"reference": REST}, "pass the gap that matters"),
        ("gap(recall)", {"gap": 0.1}, "reference must be known"),
        (3, {}, "question must be text"),
    ],
)
def test_what_is_missing_is_said(question, known, told):
    with pytest.raises(InvalidArgumentError, match=re.escape(told)):
        br.sample_size(question, **known)


def test_a_question_that_nobody_knows():
    with pytest.raises(UnknownNameError, match=r"Did you mean 'recall'\? Ask \"recall >= "):
        br.sample_size("recal")


ALONE = {"discordant": (0.09, 0.22)}


@pytest.mark.parametrize(
    ("question", "known", "named"),
    [
        ("recall", {"table": PILOT, "width": 0.1, "base_rate": 0.3}, "base_rate .* a pilot table"),
        ("difference", ALONE | {"utility": UTILITY}, "utility has no meaning beside discordant"),
        ("difference", ALONE | {"a": A}, "a has no meaning beside discordant or joint"),
        ("difference", ALONE | {"class_shares": (0.5, 0.5)}, "class_shares has no meaning"),
        (
            "gap(recall)",
            {"reference": REST, "group": PILOT, "gap": -0.1, "power": 0.9},
            "power has no meaning beside group and gap",
        ),
        (
            "calibration",
            {"base_rate": 0.08, "auc": 0.78, "recall": 0.85},
            'none is named, got 0.85: ask "recall" to within a width',
        ),
    ],
)
def test_what_would_have_no_effect_is_refused(question, known, named):
    with pytest.raises(InvalidArgumentError, match=named):
        br.sample_size(question, **known)


def test_a_metric_of_ones_own():
    mine = br.metrics.define("found_share", lambda tp, fn, fp, tn: tp / (tp + fn))
    own = br.sample_size(mine, table=PILOT, width=0.1)
    assert own.n == br.sample_size("recall", table=PILOT, width=0.1).n
    assert own.question == "found_share"


def test_gaps_in_words():
    shown = br.sample_size("gap(recall)", reference=REST, group=PILOT)
    assert repr(shown) == (
        f"a fall of {shown.below:.2f} or a rise of {shown.above:.2f} in recall is seen with "
        "probability 0.8, at level 0.05"
    )


def test_one_positive_is_a_positive():
    one = br.sample_size("recall", expected=0.85, width=0.97)
    assert one.n == 1
    assert repr(one).startswith("1 positive make")
