"""An audit of two group columns: margins, cells, and whether a cell is more than both explain."""

import numpy as np
import pandas as pd
import pytest

import baserate as br

RNG = np.random.default_rng(6)
N = 4000
SEX, RACE = RNG.choice(["f", "m"], N), RNG.choice(["black", "white", "other"], N)


def people(recall):
    truth = RNG.integers(0, 2, N)
    found = RNG.random(N) < np.where(truth == 1, recall, 0.15)
    return pd.DataFrame({"sex": SEX, "race": RACE, "y": truth, "p": 1 * found})


def odds(women, black):
    score = 1.5 + women * (SEX == "f") + black * (RACE == "black")
    return 1 / (1 + np.exp(-score))


ADDED = people(odds(-0.6, -0.7))
BEYOND = people(np.where((SEX == "f") & (RACE == "black"), 0.5, odds(0, -0.2)))
NAMED = {"target": "y", "prediction": "p", "groups": ["sex", "race"]}


def test_the_numbers_are_those_of_the_test():
    facts = br.audit(BEYOND, **NAMED, metrics=["recall", "precision", "f1"]).facts
    cells = {key: br.confusion_matrix(x.y, x.p) for key, x in BEYOND.groupby(["sex", "race"])}
    assert {one.name for one in facts.beyond} == {"recall", "precision"}
    for name in ("recall", "precision"):
        wanted = {one.group: one for one in br.groups.beyond_margins(name, cells).cells}
        for one in (x for x in facts.beyond if x.name == name):
            cell = wanted[tuple(one.group.values())]
            assert (one.n, one.value, one.expected) == (cell.n, cell.value, cell.expected)
            assert one.p_value == pytest.approx(cell.p_value)


def test_the_answer_names_the_cell_and_only_then():
    said = " ".join(br.audit(BEYOND, **NAMED, metrics="recall").render().split())
    first = "More than sex and race by themselves explain:"
    assert f"{first} how recall differs by sex within black: f 0." in said
    assert "(adjusted p < 0.001, one test of both)." in said
    first += " recall"
    rng = np.random.default_rng(5)
    many = BEYOND.assign(sex=np.where(rng.random(len(BEYOND)) < 0.3, "x", BEYOND["sex"]))
    said = " ".join(br.audit(many, **NAMED, metrics="recall").render().split())
    assert f"{first} of f, black is 0." in said
    two = BEYOND[BEYOND["race"].isin(["black", "white"])]  # of two by two all cells have one test
    said = " ".join(br.audit(two, **NAMED, metrics="recall").render().split())
    assert f"{first}: f, black 0." in said
    assert said.count("one test of these 4") == 1
    quiet = br.audit(ADDED, **NAMED, metrics="recall")
    assert "themselves explain" not in quiet.render()
    assert "More than their margins say" in quiet.render(details=True)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "how",
    [
        {"groups": "sex"},
        {"groups": ["sex", "race", "half"], "metrics": "accuracy"},
        {"cluster": BEYOND.index.to_numpy() // 2},
    ],
)
def test_elsewhere_there_is_nothing(how):
    data = BEYOND.assign(half=BEYOND.index.to_numpy() % 2)
    if "cluster" in how:
        data, how = BEYOND.assign(unit=how["cluster"]), {"cluster": "unit"}
    found = br.audit(data, **{**NAMED, "metrics": "recall", **how})
    assert found.facts.beyond == ()


FRAME = BEYOND.assign(
    unit=BEYOND.index.to_numpy() // 4,
    w=RNG.random(N),
    k=np.where(RNG.random(N) < 0.7, BEYOND["y"], 2),
    q=np.where(RNG.random(N) < 0.7, BEYOND["p"], 2),
)
AXES = [
    {},
    {"cluster": "unit"},
    {"weight": "w"},
    {"weight": "w", "cluster": "unit"},
    {"reference": "overall"},
    {"target": "k", "prediction": "q", "metrics": ["recall", "accuracy"]},
    {"target": "k", "prediction": "q", "metrics": ["recall", "accuracy"], "cluster": "unit"},
]
AUDITED = {"target": "y", "prediction": "p", "metrics": ["recall", "precision"]}


def of_findings(facts):
    """Return what was found of every group, before p-values are adjusted."""
    return {
        (*one.group.group.items(), one.label, one.finding.name): (
            one.group.table.n,
            one.finding.value,
            one.finding.p_value,
            one.finding.low,
            one.group.effective_n or 0,
            one.group.n_clusters or 0,
        )
        for one in facts.judged
    }


@pytest.mark.sweep(7, start=6)
@pytest.mark.parametrize("how", AXES, ids=str)
def test_margins_are_the_audits_of_each_column(how):
    how = {**AUDITED, **how}
    both = br.audit(FRAME, **how, groups=["sex", "race"]).facts
    found, n_tests = of_findings(both), 0
    for column in ("sex", "race"):
        for place, margin in of_findings(br.audit(FRAME, **how, groups=column).facts).items():
            assert found[place] == pytest.approx(margin, nan_ok=True)
            n_tests += not np.isnan(margin[2])
    assert both.n_marginal == n_tests
    assert len(both.groups) == 2 + 3 + 6
    assert both.gaps[0].largest.keys() == {"sex", "race"}


@pytest.mark.sweep(6, start=1)
@pytest.mark.parametrize("how", AXES, ids=str)
@pytest.mark.parametrize(("adjust", "method"), [("holm", "holm"), ("benjamini-hochberg", "fdr_bh")])
def test_all_p_values_are_adjusted_together(how, adjust, method):
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    facts = br.audit(FRAME, **{**AUDITED, **how}, groups=["sex", "race"], adjust=adjust).facts
    every = [one.finding for one in facts.judged if not np.isnan(one.finding.p_value)]
    beyond = getattr(facts, "beyond", ())
    ways = {(one.name, one.group["race"]): one for one in beyond}  # either sex says the same
    every += ways.values()
    wanted = multipletests([one.p_value for one in every], method=method)[1]
    assert [one.adjusted_p for one in every] == pytest.approx(wanted)
    assert facts.n_comparisons == len(every)
    assert len(ways) == getattr(facts, "n_beyond", 0)
    for one in beyond:
        assert one.adjusted_p == ways[one.name, one.group["race"]].adjusted_p


def test_margins_are_left_out_where_they_are_no_other_groups():
    one = br.audit(FRAME.assign(race="same"), **AUDITED, groups=["sex", "race"]).facts
    assert [group.group for group in one.groups] == [
        {"sex": "f", "race": "same"},
        {"sex": "m", "race": "same"},
    ]
    cell = br.audit(FRAME, **AUDITED, groups=["sex", "race"], reference=("m", "white")).facts
    assert all(len(group.group) == 2 for group in cell.groups)
    assert cell.n_marginal == 0 < cell.n_beyond
    three = br.audit(FRAME.assign(half=FRAME["k"] > 0), **AUDITED, groups=["sex", "race", "half"])
    assert {len(group.group) for group in three.facts.groups} == {1, 3}


@pytest.mark.slow
def test_the_report_says_which_questions_are_one_family(on_record):
    """And one of two groups that are beside each other says what both do."""
    found = br.audit(FRAME, **AUDITED, groups=["sex", "race"])
    on_record(str(found))
    assert (
        found["recall", "f"].value == br.audit(FRAME, **AUDITED, groups="sex")["recall", "f"].value
    )


@pytest.mark.slow
@pytest.mark.parametrize("sex", [0.0, -1.5], ids=["no difference", "sex alone"])
def test_a_false_alarm_of_any_kind_is_as_rare_as_alpha_says(sex):
    """Of 200 samples without a difference; then with one of sex, whose alarms are none."""
    rng, n, false = np.random.default_rng(8), 480, 0
    frame = pd.DataFrame({"sex": ["f", "m"] * (n // 2), "race": [*"aaaabbcccc"] * (n // 10)})
    for _ in range(200):
        y = rng.integers(0, 2, n)
        right = 1 / (1 + np.exp(-1.0 - sex * (frame["sex"] == "f")))
        p = np.where(rng.random(n) < right, y, 1 - y)
        data = frame.assign(y=y, p=p)
        facts = br.audit(data, **{**AUDITED, "metrics": METRICS}, groups=["sex", "race"]).facts
        alarms = [one.group.group for one in facts.differing]
        true = [one for one in alarms if sex and "sex" in one]
        beyond = any(one.adjusted_p <= facts.alpha for one in facts.beyond)
        false += len(alarms) > len(true) or beyond
    assert false <= 19  # 10 expected at most: more of 200 have a chance of 0.003


METRICS = ["accuracy", "recall", "false_positive_rate", "predicted_positive_rate"]


def test_labels_that_two_columns_share_are_told_apart():
    same = FRAME.assign(sex=1 * (FRAME["sex"] == "f"), race=1 * (FRAME["race"] == "black"))
    found = br.audit(same, **AUDITED, groups=["sex", "race"])
    flat = found.to_dict(flat=True)
    wanted = {name: br.audit(same, **AUDITED, groups=name)["recall", 1] for name in ("sex", "race")}
    assert flat["1/all cases/recall"] == found["recall", {"sex": 1}].value == wanted["sex"].value
    assert flat["all cases/1/recall"] == found["recall", {"race": 1}].value == wanted["race"].value
    assert len(found.facts.differing) == len({*map(str, found.facts.differing)})
    names = [row.name for row in found.displays()["recall"].rows]
    assert names == ["sex 0", "sex 1", "race 0", "race 1", "0, 0", "0, 1", "1, 0", "1, 1"]
