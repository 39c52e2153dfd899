"""Numbers of Dyrland, Lundervold and Porta Mana, draft of 12 May 2022, and what follows from them.

Published: equations 1-6, Table 1, sections 1 (issue 1 and 4), 2.3 and 2.5. The rest is exact
arithmetic on these, and the corrections of the draft.
"""

from fractions import Fraction

import pytest

from papers import utility as paper

# Table 1, as printed to two digits. "0.70" for the precision of B is 43/61 = 0.705.
PRINTED = {
    "accuracy": (0.62, 0.75),
    "precision": (0.64, 0.70),
    "f1": (0.59, 0.77),
    "matthews_correlation": (0.24, 0.51),
    "recall": (0.54, 0.86),
    "specificity": (0.70, 0.64),
}

# With the other class positive: precision, F1, recall and specificity change.
EXACT = {
    0: {
        "accuracy": (Fraction(62, 100), Fraction(75, 100)),
        "precision": (Fraction(27, 42), Fraction(43, 61)),
        "f1": (Fraction(54, 92), Fraction(86, 111)),
        "recall": (Fraction(27, 50), Fraction(43, 50)),
        "specificity": (Fraction(35, 50), Fraction(32, 50)),
    },
    1: {
        "accuracy": (Fraction(62, 100), Fraction(75, 100)),
        "precision": (Fraction(35, 58), Fraction(32, 39)),
        "f1": (Fraction(70, 108), Fraction(64, 89)),
        "recall": (Fraction(35, 50), Fraction(32, 50)),
        "specificity": (Fraction(27, 50), Fraction(43, 50)),
    },
}


def test_table_1_as_printed():
    for name, values in paper.table_1().items():
        assert values == pytest.approx(PRINTED[name], abs=0.0051), name


@pytest.mark.parametrize("positive", [0, 1])
def test_table_1_in_fractions(positive):
    found = paper.table_1(positive=positive)
    for name, values in EXACT[positive].items():
        assert found[name] == pytest.approx([float(x) for x in values], rel=1e-14)
    a = (27 * 35 - 15 * 23) / (42 * 58 * 50 * 50) ** 0.5
    b = (43 * 32 - 18 * 7) / (61 * 39 * 50 * 50) ** 0.5
    assert found["matthews_correlation"] == pytest.approx((a, b))


def test_what_changes_with_the_positive_class():
    """Specificity alone favours A if class 0 is positive, recall alone if class 1 is."""
    for positive, odd in ((0, "specificity"), (1, "recall")):
        found = paper.table_1(positive=positive)
        assert [name for name, (a, b) in found.items() if a > b] == [odd]
    assert found["precision"] == pytest.approx((0.603, 0.821), abs=5e-4)
    assert found["f1"] == pytest.approx((0.648, 0.719), abs=5e-4)


def test_yields():
    """Equation 3 (+-3.5), section 1 (4.7 and 7.3); 338.5 and 331.5 months, 7 apart."""
    found = paper.yields()
    assert found.pop("eq. 5") == pytest.approx((4.7, 7.3), rel=1e-14)
    assert found == {"eq. 4": (3.5, -3.5), "eq. 6": (338.5, 331.5)}


def test_no_classifier_is_needed():
    found = paper.constant_decisions()
    assert {name: c.value for name, c in found.items()} == {"eq. 4": 65, "eq. 5": 50, "eq. 6": 400}
    assert all(c.best == 1 for c in found.values())
    for pair in paper.values_of_information().values():
        assert pair == (0, 0)


def test_where_a_classifier_is_best():
    found = paper.best_by_class_share()
    for name in ("eq. 4", "eq. 6"):
        assert found[name].intervals["B"] == (float(Fraction(180, 223)), float(Fraction(320, 327)))
        assert found[name].never_best == ("A",)
    # Equation 5: 110 x 0.86 pi > 500 x 0.36 (1 - pi), 110 x 0.14 pi < 500 x 0.64 (1 - pi).
    assert found["eq. 5"].intervals["B"] == (
        float(Fraction(1800, 2746)),
        float(Fraction(3200, 3354)),
    )


def test_comparisons():
    found = paper.comparisons()
    assert [c.a_better for c in found.values()] == [True, False, True]
    assert {c.tau_star for c in found.values()} == {float(Fraction(16, 19))}
    assert found["eq. 4"].probability_a_better == pytest.approx(0.616, abs=5e-4)
    assert found["eq. 5"].probability_a_better == pytest.approx(0.459, abs=5e-4)


def test_lottery():
    found = paper.lottery()
    assert [x.buy for x in found] == pytest.approx(
        [float(Fraction(6, 5)), float(Fraction(-89, 100)), 4.5]
    )
    assert [x.best for x in found] == ["buy", "not-buy", "buy"]
