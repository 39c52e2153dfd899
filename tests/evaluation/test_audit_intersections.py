"""An audit of two group columns says whether a cell is more than both explain."""

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
            assert one.adjusted_p >= cell.adjusted_p - 1e-12  # of two metrics
    smallest = min(facts.beyond, key=lambda one: one.p_value)
    assert smallest.adjusted_p == pytest.approx(6 * smallest.p_value)  # three races, two metrics


def test_the_answer_names_the_cell_and_only_then():
    said = " ".join(br.audit(BEYOND, **NAMED, metrics="recall").render().split())
    first = "More than sex and race by themselves explain, by tests of their own: recall"
    assert f"{first} of black (adjusted p < 0.001); which of the cells" in said
    rng = np.random.default_rng(5)
    many = BEYOND.assign(sex=np.where(rng.random(len(BEYOND)) < 0.3, "x", BEYOND["sex"]))
    said = " ".join(br.audit(many, **NAMED, metrics="recall").render().split())
    assert f"{first} of f, black is 0." in said
    two = BEYOND[BEYOND["race"].isin(["black", "white"])]  # of two by two all cells have one test
    said = " ".join(br.audit(two, **NAMED, metrics="recall").render().split())
    assert f"{first} (adjusted p" in said
    assert said.count("which of the cells it is cannot be told") == 1
    quiet = br.audit(ADDED, **NAMED, metrics="recall")
    assert "explain" not in quiet.render()
    assert "More than their margins say" in quiet.render(details=True)


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
