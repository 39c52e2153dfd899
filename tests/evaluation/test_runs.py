"""Items answered in several runs: beside the two-way variance, each unit left out by hand."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import t as student

import baserate as br
from baserate.errors import DataError, InvalidArgumentError, UnsupportedError

ITEMS, RUNS = 40, 4
KEYS = {"case_id": "item", "run": "seed"}


def answers(seed: int = 3, *, spread: float = 0.6) -> pd.DataFrame:
    """Answers of two models to all items in every run, which differ by item and by run."""
    rng = np.random.default_rng(seed)
    item, run = np.divmod(np.arange(ITEMS * RUNS), RUNS)
    truth, kind = rng.integers(0, 2, ITEMS)[item], rng.integers(0, 3, ITEMS)[item]
    ease, own = rng.normal(1, 1, ITEMS)[item], rng.normal(0, spread, RUNS)[run]
    data = pd.DataFrame({"item": item, "seed": run + 11, "truth": truth, "kind": kind})
    for name, better in (("a", 0.0), ("b", 0.4)):
        right = rng.random(len(data)) < 1 / (1 + np.exp(-(ease + own + better)))
        data[name] = np.where(right, truth, 1 - truth)
        data[f"kind_{name}"] = np.where(right, kind, (kind + 1) % 3)
    data["p"] = np.clip(0.5 + (truth - 0.5) * rng.normal(0.4 + 0.2 * own, 0.5), 0.02, 0.98).round(3)
    data["w"] = rng.uniform(0.5, 2, ITEMS)[item].round(2)
    data["site"] = rng.choice(["x", "y"], ITEMS)[item]
    return data


DATA = answers()
MODELS = pd.concat(
    [DATA.assign(model=name, answer=DATA[name]) for name in "ab"], ignore_index=True
).sample(frac=1, random_state=1)


def parts(data: pd.DataFrame, number, units=("item", "seed")) -> list[np.ndarray]:
    """Return squared moves of a number by items, by runs and by cells, each left out by hand."""
    whole, found = number(data), []
    for names in ([units[0]], [units[1]], list(units)):
        code = data.groupby(names).ngroup().to_numpy()
        m = code.max() + 1
        left = np.array([number(data[code != k]) for k in range(m)])
        found.append((m - 1) / m * (left - whole) ** 2)
    return found


def two_way(data: pd.DataFrame, number, **how) -> tuple[float, float]:
    """Return the standard error by items and runs, and its degrees of freedom."""
    *ways, cells = parts(data, number, **how)
    one, other = (way.sum() for way in ways)
    variance = max(one + other - cells.sum(), one)
    items = np.clip(3 * one**2 / (ways[0] ** 2).sum() - 2, 1, len(ways[0]) - 1)
    below = one**2 / items + other**2 / (len(ways[1]) - 1)
    return variance**0.5, max(variance**2 / below, len(ways[1]) - 1)


def error(found, degrees: float) -> float:
    """Return the standard error that a Student interval on the logit scale has."""
    far = (logit(found.high) - logit(found.low)) / 2
    return far * found.value * (1 - found.value) / student.ppf(0.975, degrees)


def accuracy(data: pd.DataFrame) -> float:
    return float((data.truth == data.a).mean())


def recall(data: pd.DataFrame) -> float:
    return float(np.average(data.a[data.truth == 1], weights=data.w[data.truth == 1]))


def apart(data: pd.DataFrame) -> float:
    return float((data.truth == data.b).mean() - (data.truth == data.a).mean())


@pytest.mark.parametrize(("name", "number", "beside"), [
    ("accuracy", accuracy, {}), ("recall", recall, {"weight": "w"}),
])  # fmt: skip
def test_rates_have_the_two_way_variance(name, number, beside):
    found = br.evaluate(DATA, target="truth", prediction="a", metrics=name, **KEYS, **beside)
    by_hand, degrees = two_way(DATA, number)
    assert found.value(name) == pytest.approx(number(DATA), rel=1e-12)
    assert error(found[name], degrees) == pytest.approx(by_hand, rel=1e-9)
    facts = found.facts
    assert (facts.n_items, facts.n_runs, facts.run, facts.case_id) == (ITEMS, RUNS, "seed", "item")
    assert facts.n_replicates == ITEMS + RUNS + ITEMS * RUNS
    said = " ".join(str(found).split())
    assert "40 items answered in 4 runs, both taken as drawn" in said
    assert "taken to be alike" not in said


def test_runs_of_which_some_lack_items_and_weights():
    some = DATA[(DATA.item + DATA.seed) % 5 > 0]
    found = br.evaluate(some, target="truth", prediction="a", metrics="accuracy", **KEYS)
    by_hand, degrees = two_way(some, accuracy)
    assert error(found["accuracy"], degrees) == pytest.approx(by_hand, rel=1e-9)


def test_clusters_of_items_take_the_place_of_items():
    data = DATA.assign(topic=DATA.item // 3)
    how = {"target": "truth", "prediction": "a", "metrics": "accuracy"}
    found = br.evaluate(data, cluster="topic", **KEYS, **how)
    by_hand, degrees = two_way(data, accuracy, units=("topic", "seed"))
    assert error(found["accuracy"], degrees) == pytest.approx(by_hand, rel=1e-9)
    assert "14 clusters of items answered in 4 runs" in " ".join(str(found).split())


def test_three_classes_and_groups():
    how = {"target": "kind", "prediction": "kind_a", "groups": "site", "metrics": "accuracy"}
    found = br.evaluate(DATA, **KEYS, **how)
    by_hand, degrees = two_way(DATA, lambda d: float((d.kind == d.kind_a).mean()))
    assert error(found["accuracy"], degrees) == pytest.approx(by_hand, rel=1e-9)
    how |= {"target": "truth", "prediction": "a"}
    [one, _] = br.evaluate(DATA, **KEYS, **how).facts.groups
    here = DATA[DATA.site == "x"]
    by_hand, degrees = two_way(here, accuracy)
    assert one.metrics[0].value == accuracy(here)
    assert error(one.metrics[0], degrees) == pytest.approx(by_hand, rel=0.05)  # (m - 1)/m of all


def test_scores():
    found = br.evaluate(DATA, target="truth", score="p", **KEYS)

    def area(data: pd.DataFrame) -> float:
        sick, well = (data.p[data.truth == k].to_numpy() for k in (1, 0))
        return float((np.sign(sick[:, None] - well) / 2 + 0.5).mean())

    by_hand, degrees = two_way(DATA, area)
    assert found["roc_auc"].value == pytest.approx(area(DATA), rel=1e-12)
    assert error(found["roc_auc"], degrees) == pytest.approx(by_hand, rel=0.03)
    by_hand, degrees = two_way(DATA, lambda d: float(((d.truth - d.p) ** 2).mean()))
    assert error(found["brier_score"], degrees) == pytest.approx(by_hand, rel=1e-9)


def test_difference_of_two_models():
    by_hand, degrees = two_way(DATA, apart)
    wide = br.compare(DATA, target="truth", prediction=["b", "a"], metrics="accuracy", **KEYS)
    long = br.compare(
        MODELS, target="truth", prediction="answer", model="model", metrics="accuracy", **KEYS
    )
    for found, sign in ((wide, 1), (long, -1)):
        [pair] = found.facts.pairs
        [gap] = pair.metrics
        assert gap.difference == pytest.approx(sign * apart(DATA), rel=1e-12)
        half = (gap.high - gap.low) / 2 / student.ppf(0.975, degrees)
        assert half == pytest.approx(by_hand, rel=1e-9)
        assert (found.facts.n_items, found.facts.n_runs) == (ITEMS, RUNS)
        assert "40 items answered in 4 runs, both taken as drawn" in " ".join(str(found).split())
    read = br.cases(DATA, target="truth", prediction=["a", "b"], **KEYS)
    again = br.difference("accuracy", "b", "a", y_true=read)
    assert again.high - again.low == pytest.approx(2 * half * student.ppf(0.975, degrees), rel=1e-9)
    assert "40 clusters, answered in 4 runs" in repr(read)


def test_scores_of_two_models():
    data = DATA.assign(q=(DATA.p * 0.7 + 0.1).round(3))
    found = br.compare(data, target="truth", score=["p", "q"], **KEYS)
    gap = next(pair for pair in found.facts.score_pairs if pair.measure == "brier_score")
    by_hand, degrees = two_way(
        data, lambda d: float(((d.truth - d.p) ** 2 - (d.truth - d.q) ** 2).mean())
    )
    half = (gap.high - gap.low) / 2 / student.ppf(0.975, degrees)
    assert half == pytest.approx(by_hand, rel=1e-9)


def test_runs_add_nothing_or_more():
    """Runs that take off more than they add leave the variance by items."""
    alike = DATA.assign(a=DATA.truth.where((DATA.item + DATA.seed) % 4 > 0, 1 - DATA.truth))
    alike["a"] = alike.a.where(alike["item"] > 4, alike.truth)  # in every run as many are right
    how = {"target": "truth", "prediction": "a", "metrics": "accuracy"}
    item, cells = (parts(alike, accuracy)[k].sum() for k in (0, 2))
    assert parts(alike, accuracy)[1].sum() < cells  # else this shows nothing
    found = br.evaluate(alike, **KEYS, **how)["accuracy"]
    _, degrees = two_way(alike, accuracy)
    assert error(found, degrees) == pytest.approx(item**0.5, rel=1e-9)
    same = DATA.assign(a=DATA.truth)  # nobody errs: nothing differs
    assert br.evaluate(same, **KEYS, **how)["accuracy"].reason


def test_runs_name_their_remedy_where_they_are_not_given():
    how = {"target": "truth", "prediction": "a", "case_id": "item"}
    said = " ".join(str(br.evaluate(DATA, **how)).split())
    assert "as by their seed, the intervals are too narrow. Name the run (--run, run=)" in said
    two = br.evaluate(DATA[DATA.seed < 13], run="seed", **how)
    assert "Two runs hardly show how much runs differ" in " ".join(str(two).split())


def within_strata(data: pd.DataFrame, number) -> tuple[float, float]:
    """Return the same where items were drawn in sites: items and cells are left out within these.

    Each is left out by hand, and the others of its site stand for it.
    """
    whole, found = number(data, np.ones(len(data))), []
    for names, drawn in (
        (["item"], data.site),
        (["seed"], data.site * 0),
        (["item", "seed"], data.site),
    ):
        code, square = data.groupby(names).ngroup().to_numpy(), list[float]()
        for k in range(code.max() + 1):
            mine = (drawn == drawn[code == k].iloc[0]).to_numpy()
            m = len(np.unique(code[mine]))
            weight = np.where(mine, m / (m - 1), 1.0) * (code != k)
            square.append((m - 1) / m * (number(data, weight) - whole) ** 2)
        found.append(np.array(square))
    one, other, cells = (way.sum() for way in found)
    variance = max(one + other - cells, one)
    items = min(3 * one**2 / (found[0] ** 2).sum() - 2, ITEMS - data.site.nunique())
    below = one**2 / items + other**2 / (RUNS - 1)
    return variance**0.5, max(variance**2 / below, RUNS - 1)


@pytest.mark.parametrize("sites", [2, 10])
def test_items_that_were_drawn_in_strata(sites):
    data = DATA.assign(site=DATA.item % sites)
    for name, right in (("a", DATA.truth == DATA.a), ("kind_a", DATA.kind == DATA.kind_a)):
        target = "truth" if name == "a" else "kind"
        found = br.evaluate(
            data, target=target, prediction=name, metrics="accuracy", strata="site", **KEYS
        )
        by_hand, degrees = within_strata(
            data, lambda _, w, right=right: float(np.average(right, weights=w))
        )
        assert error(found["accuracy"], degrees) == pytest.approx(by_hand, rel=1e-9)
        assert (found.facts.n_items, found.facts.n_runs) == (ITEMS, RUNS)
        assert 'of column "item" in strata of "site", in 4 runs' in " ".join(
            found.render(details=True).split()
        )


def test_one_stratum_of_items_is_as_none():
    how = {"target": "truth", "prediction": "a", "metrics": "accuracy", **KEYS}
    one = br.evaluate(DATA.assign(site="all"), strata="site", **how)["accuracy"]
    assert one == br.evaluate(DATA, **how)["accuracy"]


def test_what_cannot_be_is_refused():
    how = {"target": "truth", "prediction": "a"}
    with pytest.raises(InvalidArgumentError, match="run must come with the items"):
        br.evaluate(DATA, run="seed", **how)
    with pytest.raises(DataError, match="one run only, which does not show how much runs differ"):
        br.evaluate(DATA[DATA.seed == 11], **KEYS, **how)
    with pytest.raises(DataError, match="one item only"):
        br.evaluate(DATA[DATA.item == 1], **KEYS, **how)
    lonely = DATA.assign(site=np.where(DATA.item == 3, "z", DATA.site))
    with pytest.raises(DataError, match=r"Stratum 'z' of site had a single .* merge it with"):
        br.evaluate(lonely, strata="site", **KEYS, **how)
    weights = {"weight": "w", "replicate_weights": ["w", "p"], "replicate_scale": 1}
    with pytest.raises(InvalidArgumentError, match="says what replicate weights say already"):
        br.evaluate(DATA, **KEYS, **how, **weights)
    with pytest.raises(InvalidArgumentError, match="an audit tests numbers of all groups together"):
        br.audit(DATA, groups="site", **KEYS, **how)
    with pytest.raises(InvalidArgumentError, match=r"a best cut jumps .* with run"):
        br.thresholds(DATA, target="truth", score="p", **KEYS)
    for name in ("runs", "trial", "seed"):
        with pytest.raises(TypeError, match="Write run"):
            br.evaluate(DATA, **{name: "seed"}, **how)
    read = br.cases(DATA, groups="site", **KEYS, **how)
    with pytest.raises(InvalidArgumentError, match="all groups together"):
        br.audit(read)
    own = MODELS.assign(seed=MODELS.seed + 10 * (MODELS.model == "b"))
    with pytest.raises(DataError, match=r"no row of .* of run \d+: number the runs of every model"):
        br.compare(own, target="truth", prediction="answer", model="model", **KEYS)


def test_too_many_cells_are_refused(monkeypatch):
    monkeypatch.setattr(sys.modules["baserate.cases.strata"], "MOST", 100)
    with pytest.raises(UnsupportedError, match=r"mark answers as right or wrong"):
        br.evaluate(DATA, target="kind", prediction="kind_a", **KEYS)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [3, 5, 10])
@pytest.mark.parametrize("spread", [0.0, 0.25])
def test_equal_models_rarely_differ(runs, spread):
    """At 5%; by items alone some 40% with runs that differ."""
    rng, wrong, samples, m = np.random.default_rng(runs), 0, 300, 200
    item, run = np.divmod(np.arange(m * runs), runs)
    for _ in range(samples):
        ease = rng.normal(1, 1.2, m)[item]
        a, b = (
            rng.random(len(item)) < 1 / (1 + np.exp(-ease - rng.normal(0, spread, runs)[run]))
            for _ in range(2)
        )
        read = br.cases(
            np.ones(len(item), dtype=int), {"a": a.astype(int), "b": b.astype(int)},
            case_id=item, run=run, positive=1,
        )  # fmt: skip
        wrong += br.difference("accuracy", "a", "b", y_true=read).p_value < 0.05
    assert wrong / samples < 0.09
