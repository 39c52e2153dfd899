"""Decisions that are no classes: three decisions about two classes, at every door."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate.errors import BaserateError

WORTH = {"treat": (10, -8), "test": (6, -2), "wait": (-5, 2)}  # in class 1, in class 0
U = br.UtilityMatrix(list(WORTH.values()), decisions=tuple(WORTH), classes=(1, 0))


def decided(p: float) -> str:
    """Take the first decision with the highest expected utility, in fractions."""
    q = Fraction(p)
    return max(WORTH, key=lambda d: WORTH[d][0] * q + WORTH[d][1] * (1 - q))


@pytest.fixture
def cases() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    p, noise = rng.uniform(size=400), rng.normal(scale=0.2, size=400)
    frame = pd.DataFrame({"y": (rng.uniform(size=400) < p).astype(int), "p": p})
    frame["q"] = np.clip(p + noise, 0.01, 0.99)
    frame["d"] = [decided(x) for x in p]
    frame["g"] = np.where(rng.uniform(size=400) < 0.4, "a", "b")
    return frame


def earned(frame: pd.DataFrame, column: str) -> float:
    total = sum(WORTH[d][0 if y else 1] for d, y in zip(frame[column], frame["y"], strict=True))
    return float(Fraction(total, len(frame)))


@pytest.mark.parametrize("how", [{"score": "p"}, {"prediction": "d"}])
def test_evaluate_sums_utilities_over_decisions_by_classes(cases, how) -> None:
    found = br.evaluate(cases, target="y", groups="g", utility=U, **how)
    assert found["yield"].value == earned(cases, "d")
    for group, part in cases.groupby("g"):
        assert found["yield", group].value == earned(part, "d")
    share = Fraction(int(cases["y"].sum()), len(cases))
    constants = [a * share + b * (1 - share) for a, b in WORTH.values()]
    best, perfect = max(constants), 10 * share + 2 * (1 - share)
    assert found.facts.constant_value == float(best)
    assert found.facts.worth.skill == pytest.approx(
        float((Fraction(earned(cases, "d")) - best) / (perfect - best)), abs=1e-12
    )
    paid = np.array([WORTH[d][0 if y else 1] for d, y in cases[["d", "y"]].to_numpy()])
    half = 1.96 * paid.std() / len(paid) ** 0.5  # of a mean, whatever its law
    assert found["yield"].low == pytest.approx(paid.mean() - half, abs=0.1 * half)
    assert found["yield"].high == pytest.approx(paid.mean() + half, abs=0.1 * half)
    json.dumps(found.to_dict(), allow_nan=False)
    rows = found.to_frame()
    assert {*rows["g"]} == {"all cases", "a", "b"}
    assert found.to_html()
    assert "Worth using:" in str(found)


@pytest.mark.slow
def test_scores_and_decisions_are_compared_alike(cases) -> None:
    found = br.compare(cases, target="y", score=["p", "q"], prediction="d", utility=U)
    cases["e"] = [decided(x) for x in cases["q"]]
    assert found["yield", "p"].value == found["yield", "d"].value == earned(cases, "d")
    assert found["yield", "q"].value == earned(cases, "e")
    alone = br.compare_auc(cases["y"], cases["p"], cases["q"])
    assert found["difference(roc_auc)", "p", "q"].value == pytest.approx(alone.difference)


def test_the_class_of_a_score_may_be_named(cases) -> None:
    named = br.UtilityMatrix(U.matrix, decisions=U.decisions, classes=("sick", "well"))
    frame = cases.assign(y=np.where(cases["y"], "sick", "well"))
    found = br.evaluate(frame, target="y", score="p", positive="sick", utility=named)
    assert found["yield"].value == earned(cases, "d")
    assert br.evaluate(cases["y"], cases["d"], utility=U)["yield"].value == earned(cases, "d")


@pytest.mark.parametrize(
    ("data", "how", "why"),
    [
        (None, {"score": "p", "threshold": 0.5}, "decisions are no classes"),
        (None, {"score": "s"}, "probabilities in"),
        (br.ConfusionMatrix(tp=1, fn=1, fp=1, tn=1), {}, "do not say which were taken"),
        (br.ScoreHistogram().add([0, 1], [0.2, 0.7]), {}, "between the edges of bins"),
    ],
)
def test_what_has_no_meaning_is_refused(cases, data, how, why) -> None:
    given = cases.assign(s=2.0 * cases["p"]) if data is None else data
    with pytest.raises(BaserateError, match=why):
        br.evaluate(given, **({"target": "y"} if data is None else {}), utility=U, **how)


def test_three_classes_and_four_decisions_decide_by_a_score_of_each_class() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1, 1, 1], size=90)
    y = np.array([rng.choice(list("abc"), p=row) for row in p])
    u = br.UtilityMatrix(
        [[5, 0, 0], [0, 5, 0], [0, 0, 5], [3, 3, 3]], ("A", "B", "C", "ask"), ("a", "b", "c")
    )
    paid = [3 if max(row) < 0.6 else 5 * ("abc"[int(row.argmax())] == x)  # 5p < 3: ask
            for row, x in zip(p, y, strict=True)]  # fmt: skip
    frame = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"]).assign(y=y)
    scores = (p, {"a": p[:, 0], "b": p[:, 1], "c": p[:, 2]})
    calls = [br.evaluate(frame, target="y", score="p_*", utility=u)]
    calls += [br.evaluate(y, score=score, utility=u) for score in scores]
    assert [r["yield"].value for r in calls] == [float(Fraction(int(sum(paid)), 90))] * 3


def test_a_scorer_decides_by_the_probabilities_of_a_classifier_of_classes(cases) -> None:
    model = LogisticRegression().fit(cases[["q"]], cases["y"])
    p = model.predict_proba(cases[["q"]])[:, list(model.classes_).index(1)]
    told = cases.assign(e=[decided(x) for x in p])
    found = br.scorer(utility=U)(model, cases[["q"]], cases["y"])
    assert found == pytest.approx(earned(told, "e"), abs=1e-12)
    taken = br.UtilityClassifier(LogisticRegression(), U).fit(cases[["q"]], cases["y"])
    assert br.scorer(utility=U)(taken, cases[["q"]], cases["y"]) == pytest.approx(found)


def test_utilities_fix_the_cuts(cases) -> None:
    with pytest.raises(BaserateError) as told:
        br.thresholds(cases, target="y", score="p", utility=U)
    low, high = Fraction(4, 15), Fraction(3, 5)  # 6p - 2q = 2q - 5p, 10p - 8q = 6p - 2q
    assert f"'test' from {float(low):.4g} to {float(high):.4g}" in str(told.value)
    histogram = br.ScoreHistogram().add(cases["y"], cases["p"])
    with pytest.raises(BaserateError, match="between the edges of bins"):
        br.compare({"a": histogram, "b": histogram}, utility=U)


def test_groups_are_audited_by_what_their_decisions_earn(cases) -> None:
    few = cases.iloc[:24]
    found = br.audit(few, target="y", prediction="d", groups="g", utility=U)
    for group, finding in ((g.group["g"], g.findings[0]) for g in found.facts.groups):
        assert finding.value == earned(few[few["g"] == group], "d")
        exact = dealt_out(few, group)
        assert finding.p_value == pytest.approx(float(exact), abs=4 * finding.p_error)
    whole = br.audit(cases, target="y", score="p", groups="g", utility=U)
    told = br.evaluate(cases, target="y", score="p", groups="g", utility=U)
    for group, finding in ((g.group["g"], g.findings[0]) for g in whole.facts.groups):
        beside = told["yield", group]
        assert (finding.low, finding.high) == (beside.low, beside.high)
        low, high = finding.difference_low, finding.difference_high
        assert (low, high) == pytest.approx(drawn_difference(cases, group), abs=0.1)
    assert whole.facts.class_labels == (0, 1)
    assert whole.facts.absent == ()
    text = " ".join(str(whole).split())
    assert "in what their decisions earn" in text
    assert 'Decisions: 3: "treat", "test", "wait"' in text
    assert len(whole.to_frame()) == 2
    assert whole.to_html()


def dealt_out(frame: pd.DataFrame, group: str) -> Fraction:
    """Deal the cases of each class out in all ways, and count those that are as extreme."""
    mine = frame["g"] == group
    size, law, here, worth = int(mine.sum()), {0: 1}, 0, 0
    for y in (0, 1):
        paid = [WORTH[d][1 - y] for d in frame["d"][frame["y"] == y]]
        n, own = len(paid), frame["d"][mine & (frame["y"] == y)]
        k = len(own)
        ways = Counter(sum(some) for some in combinations(paid, k))
        # of the group's sum s: s/size less (k/size) (total - s)/(n - k)
        shift = {s: Fraction(s) - Fraction(k, n - k) * (sum(paid) - s) for s in ways}
        seen = sum(WORTH[d][1 - y] for d in own)
        here += shift[seen]
        anew: dict[Fraction, int] = Counter()
        for a, m in law.items():
            for s, w in ways.items():
                anew[a + shift[s]] += m * w
        law = anew
    worth = sum(law.values())
    below = Fraction(sum(m for s, m in law.items() if s <= here), worth)
    above = Fraction(sum(m for s, m in law.items() if s >= here), worth)
    assert size
    return min(Fraction(1), 2 * min(below, above))


def drawn_difference(frame: pd.DataFrame, group: str) -> tuple[float, float]:
    """Draw both sides from Dirichlet laws with one case spread over six cells."""
    rng, sides = np.random.default_rng(5), []
    for part in (frame[frame["g"] == group], frame[frame["g"] != group]):
        cells = [[((part["d"] == d) & (part["y"] == y)).sum() for y in (1, 0)] for d in WORTH]
        drawn = rng.dirichlet(np.ravel(cells) + 1 / 6, 40_000).reshape(-1, 3, 2)
        sides.append((drawn.sum(1), (drawn * [*WORTH.values()]).sum(1)))
    (mine, own), (theirs, other) = sides
    gaps = own.sum(1) - (other * mine / theirs).sum(1)
    return tuple(np.quantile(gaps, [0.025, 0.975]))


@pytest.mark.parametrize("how", [{"weight": "w"}, {"cluster": "c"}, {"condition": "none"}])
def test_the_test_of_what_groups_earn_follows_the_design(cases, how) -> None:
    rng = np.random.default_rng(3)
    frame = cases.assign(w=rng.uniform(0.5, 2, 400), c=rng.integers(0, 100, 400))
    frame.loc[frame["g"] == "a", "d"] = "wait"
    found = br.audit(frame, target="y", prediction="d", groups="g", utility=U, **how)
    assert {f.verdict for g in found.facts.groups for f in g.findings} == {"lower", "higher"}
    told = br.evaluate(
        frame, target="y", prediction="d", groups="g", utility=U,
        **{k: v for k, v in how.items() if k != "condition"},
    )  # fmt: skip
    for group in found.facts.groups:
        beside = told["yield", group.group["g"]]
        ends = group.findings[0].low, group.findings[0].high
        assert ends == pytest.approx((beside.low, beside.high), abs=1e-12)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"threshold": 0.5, "score": "p"}, "threshold has no meaning"),
        ({"metrics": "accuracy", "prediction": "d"}, "metrics has no meaning"),
        ({"prediction": "d", "groups": None}, "needs groups"),
    ],
)
def test_an_audit_of_decisions_refuses_what_has_no_meaning(cases, how, why) -> None:
    with pytest.raises(BaserateError, match=why):
        br.audit(cases, **{"target": "y", "groups": "g", "utility": U, **how})
