"""Fans of small samples: against SciPy's laws and the tables of Briscoe et al."""

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

import baserate as br
from baserate.displays import SmallSampleDisplay
from baserate.errors import InvalidArgumentError, UnsupportedError

BLACK = br.ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
WHITE = br.ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)
FEW = br.ConfusionMatrix(tp=1, fn=9, fp=20, tn=10)
NONE = br.ConfusionMatrix(tp=0, fn=0, fp=3, tn=9)
GROUPS = {"Black": BLACK, "few": FEW, "none": NONE}


def test_fan_of_accuracy_is_binomial():
    display = SmallSampleDisplay(
        {"a": FEW}, metric="accuracy", reference=WHITE, sizes=[10, 50, 200]
    )
    sizes, right = np.array([10, 50, 200]), (77 + 1679) / 2265
    levels = (0.025, 0.25, 0.5, 0.75, 0.975)
    expected = [binom.ppf(q, sizes, right) / sizes for q in levels]
    np.testing.assert_allclose(display.fan.quantiles, expected)
    wide, half = display.picture.of("band")
    np.testing.assert_allclose((wide.low, wide.high), (expected[0], expected[4]))
    np.testing.assert_allclose((half.low, half.high), (expected[1], expected[3]))
    [median] = display.picture.of("median")
    np.testing.assert_allclose(median.y, expected[2])
    [line] = display.picture.of("chance")
    assert line.at == pytest.approx(right)


def test_fan_without_replacement_is_hypergeometric_and_ends_in_a_point():
    display = SmallSampleDisplay(FEW, metric="accuracy", replace=False)
    sizes = display.fan.sizes
    assert (sizes[0], sizes[-1]) == (1, 40)
    for level, row in zip((0.025, 0.25, 0.5, 0.75, 0.975), display.fan.quantiles, strict=True):
        np.testing.assert_allclose(row, hypergeom.ppf(level, 40, 11, sizes) / sizes)
    assert display.fan.quantiles[:, -1].tolist() == [11 / 40] * 5
    assert "samples of 10 drawn without replacement" in display.picture.title
    within = SmallSampleDisplay(GROUPS, metric="accuracy", reference="few", replace=False)
    assert max(within.sizes) == 40
    with pytest.raises(InvalidArgumentError, match="at most the number of cases"):
        _ = SmallSampleDisplay(FEW, sizes=[41], replace=False).fan


def test_groups_outside_are_named_and_told_in_the_title():
    display = SmallSampleDisplay(GROUPS, metric="accuracy", reference=BLACK)
    found = {group.name: group for group in display.groups}
    n, right = 40, (273 + 1692) / 3178
    assert found["few"].value == 11 / 40 < binom.ppf(0.025, n, right) / n
    assert [group.outside for group in display.groups] == [False, True, False]
    assert [text.text for text in display.picture.of("name")] == ["few"]
    title = display.picture.title
    assert "1 of 3 groups differs by more than luck, 1 outside the 95% fan of reference" in title
    [outside] = display.picture.of("differs")
    assert (outside.x, outside.y) == ([40.0], [11 / 40])


def test_sizes_without_a_value_are_hatched_and_such_groups_shown():
    display = SmallSampleDisplay(GROUPS, metric="recall")
    whole = BLACK + FEW + NONE
    empty = (1 - whole.base_rate) ** display.fan.sizes
    np.testing.assert_allclose(1 - display.fan.probability_defined, empty, rtol=1e-9, atol=1e-15)
    [hatch] = display.picture.of("undefined")
    assert max(hatch.x) == display.fan.sizes[empty > 0.05].max()
    [missing] = display.picture.of("no_value")
    assert missing.x == [12.0]


def test_a_reference_may_be_a_group_or_shares():
    named = SmallSampleDisplay(GROUPS, metric="accuracy", reference="Black")
    assert [group.name for group in named.groups] == ["few", "none"]
    assert named.picture.of("chance")[0].name == "Black"
    shares = SmallSampleDisplay(GROUPS, metric="accuracy", reference=(0.25, 0.25, 0.25, 0.25))
    assert shares.fan.value == 0.5


def test_heavy_metrics_stop_at_300_cases_and_say_so():
    display = SmallSampleDisplay({"a": BLACK, "b": FEW}, metric="mcc", sizes=[5, 20])
    assert "fan up to 20 cases" in display.picture.title
    assert SmallSampleDisplay({"a": BLACK, "b": FEW}, metric="mcc").sizes[-1] == 300
    assert SmallSampleDisplay({"a": BLACK, "b": FEW}, metric="f1").sizes[-1] == 3178


def test_without_groups_it_speaks_of_samples():
    display = SmallSampleDisplay(FEW, metric="recall", sizes=[5, 20])
    low, high = display.fan.quantiles[[0, -1], 1]
    told = f"In 95% of samples of 20 recall is {low:.3f} to {high:.2f} by luck, "
    assert display.picture.title.startswith(told)
    assert display.picture.x.label == "Cases in the sample"
    named = {mark.name for mark in display.picture.marks}
    assert {"95% of samples", "half of samples", "undefined in over 5% of samples"} <= named


def test_frame_holds_fan_and_groups():
    frame = SmallSampleDisplay(GROUPS, metric="accuracy", sizes=[10, 20]).to_frame("pandas")
    assert frame["n"].tolist() == [10, 20, 3178, 40, 12]
    assert frame["name"].tolist() == ["", "", "Black", "few", "none"]


def test_many_groups_with_long_names():
    rng = np.random.default_rng(1)
    cells = rng.multinomial(60, (0.3, 0.2, 0.2, 0.3), size=200)
    names = [f"{'<group>' * 1000}{k}" for k in range(200)]
    tables = {
        name: br.ConfusionMatrix(tp=a, fn=b, fp=c, tn=d)
        for name, (a, b, c, d) in zip(names, cells.tolist(), strict=True)
    }
    display = SmallSampleDisplay(tables, metric="accuracy")
    assert len(display.picture.of("name")) <= 12
    assert len(display.to_svg()) < 60_000


def test_what_has_no_fan_says_so():
    with pytest.raises(UnsupportedError, match="counts are weights"):
        SmallSampleDisplay({"a": br.ConfusionMatrix(tp=1.5, fn=1, fp=1, tn=1)})
    with pytest.raises(InvalidArgumentError, match="overall, a table, or a group"):
        SmallSampleDisplay(GROUPS, reference="nobody")
    with pytest.raises(InvalidArgumentError, match="a group with cases"):
        SmallSampleDisplay({"a": br.ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)})


def test_who_lies_outside_by_luck_is_not_flagged():
    """Of twenty groups alike one lies outside: a finding of no audit, and named by no picture."""
    groups = {f"g{k}": br.ConfusionMatrix(tp=35, fn=15, fp=10, tn=40) for k in range(19)}
    groups["odd"] = br.ConfusionMatrix(tp=27, fn=23, fp=12, tn=38)
    display = SmallSampleDisplay(groups, metric="accuracy")
    found = {group.name: group for group in display.groups}
    assert found["odd"].outside
    assert found["odd"].shade == ""
    assert display.picture.of("name") == display.picture.of("differs") == ()
    assert "no difference beyond luck seen in 20 groups, 1 outside the 95% fan" in (
        display.picture.title
    )
