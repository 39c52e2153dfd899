"""Answers marked right or wrong: models are compared, and groups audited, by the share right."""

import re
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import baserate as br
from baserate.errors import BaserateError, LabelError

RNG = np.random.default_rng(8)
A = (RNG.random(300) < 0.7).astype(int)
B = np.where(RNG.random(300) < 0.85, A, 1)
FRAME = pd.DataFrame({"A": A, "B": B, "C": A & B, "topic": np.arange(300) // 10})


def mid_p(one, other):
    many, n = max(one, other), one + other
    beyond = sum(comb(n, k) for k in range(many + 1, n + 1))
    return min(1.0, (2 * beyond + comb(n, many)) / 2**n)


def test_two_models_by_mcnemar_and_their_shares():
    found = br.compare(FRAME, correct=["A", "B"])
    [pair] = found.facts.pairs
    [gap] = pair.metrics
    assert (gap.name, gap.difference) == ("accuracy", pytest.approx(A.mean() - B.mean()))
    only = ((A > B).sum(), (B > A).sum())
    assert pair.discordant == (*only, 0, 0)
    assert gap.p_value == pytest.approx(mid_p(*map(int, only)))
    alone = br.interval("recall", br.ConfusionMatrix(tp=A.sum(), fn=300 - A.sum(), fp=0, tn=0))
    assert found["accuracy", "A"].low == pytest.approx(alone.low)
    assert found.facts.graded
    assert found.check("difference(accuracy, B, A) >= 0")


def test_the_report_speaks_of_nothing_else():
    for shown in (
        br.compare(FRAME, correct=["A", "B"]).render(),
        br.compare(FRAME, correct=["A", "B", "C"], margin=0.05, groups="topic").render("markdown"),
        br.compare(FRAME, correct=["A", "B"], cluster="topic").render(details=True),
    ):
        said = " ".join(shown.split())
        assert "answers marked right or wrong" in said
        for word in ("false alarm", "best guess", "always", "tau", "Base rate", "specificity"):
            assert word not in said, word
    pictures = br.compare(FRAME, correct=["A", "B"]).displays()
    assert [*pictures] == ["differences"]
    assert "The leading classifier less the next" in br.compare(FRAME, correct=["A", "B"]).render(
        "html"
    )


def test_nothing_is_guessed():
    found = br.compare(FRAME, correct=["A", "B"])
    for one in found.facts.classifiers:
        assert np.isnan([one.beats_constant, one.metrics[0].chance, one.metrics[0].p_value]).all()
    assert "constant" not in found.render("html")


def test_labels_of_any_kind():
    words = FRAME[["A", "B"]].replace({1: "right", 0: "wrong"})
    with pytest.raises(LabelError, match="positive"):
        br.compare(words, correct=["A", "B"])
    found = br.compare(words, correct=["A", "B"], positive="right").facts.pairs
    assert found == br.compare(FRAME, correct=["A", "B"]).facts.pairs


def test_topics_are_audited():
    frame = FRAME.assign(topic=np.where(np.arange(300) < 150, "law", "art"))
    found = br.audit(frame, correct="A", groups="topic")
    wanted = br.audit(
        frame.assign(y=1), target="y", prediction="A", positive=1, groups="topic",
        metrics="accuracy",
    )  # fmt: skip
    assert [g.findings for g in found.facts.groups] == [g.findings for g in wanted.facts.groups]
    assert f"Cases: 300: {A.sum()} marked right" in " ".join(found.render().split())


def test_a_group_is_tested_as_recall_is():
    frame = FRAME.assign(topic=np.where(np.arange(300) < 150, "law", "art"))
    found = br.audit(frame, correct="A", groups="topic").facts
    recall = br.audit(
        frame.assign(y=1), target="y", prediction="A", positive=1, groups="topic", metrics="recall"
    ).facts
    for one, other in zip(found.groups, recall.groups, strict=True):
        [mine], [theirs] = one.findings, other.findings
        assert (mine.p_value, mine.unseen) == pytest.approx((theirs.p_value, theirs.unseen))
        assert mine.condition == "denominator"


def jeffreys(right, n):
    return beta(right + 0.5, n - right + 0.5).ppf([0.025, 0.975])


def test_one_model_by_the_share_that_is_right():
    found = br.evaluate(FRAME.assign(half=np.arange(300) < 150), correct="A", groups="half")
    [fact] = found.facts.metrics
    assert (fact.name, fact.value) == ("accuracy", pytest.approx(A.mean()))
    assert (fact.low, fact.high) == pytest.approx(jeffreys(A.sum(), 300))
    half = found["accuracy", "True"]
    assert (half.low, half.high) == pytest.approx(jeffreys(A[:150].sum(), 150))
    unknown = (fact.chance, fact.skill, fact.p_value, fact.same_alarms, found.facts.base_rate)
    assert np.isnan(unknown).all()
    assert fact.chance_reason == fact.p_value_reason == "nothing_to_guess"
    assert found.facts.better_than_guessing is None


def test_a_limit_that_is_demanded_is_clopper_and_pearsons():
    found = br.evaluate(FRAME, correct="A")
    low = beta(A.sum(), 301 - A.sum()).ppf(0.025)
    assert found.check(f"accuracy >= {low - 1e-6}@low")
    assert not found.check(f"accuracy >= {low + 1e-6}@low")


@pytest.mark.parametrize("design", [{"cluster": "topic"}, {"case_id": "topic"}, {"weight": "w"}])
def test_it_has_the_interval_that_it_has_beside_another(design):
    frame = FRAME.assign(w=1 + np.arange(300) % 3)
    alone = br.evaluate(frame, correct="A", **design)["accuracy"]
    beside = br.compare(frame, correct=["A", "B"], **design)["accuracy", "A"]
    assert (alone.value, alone.low, alone.high) == pytest.approx(
        (beside.value, beside.low, beside.high)
    )


@pytest.mark.sweep(12, start=4)
@pytest.mark.parametrize("how", [{}, {"groups": "topic"}, {"cluster": "topic"}, {"weight": "B1"}])
@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_the_report_of_one_model_speaks_of_nothing_else(how, form):
    frame = FRAME.assign(B1=B + 1)
    said = " ".join(br.evaluate(frame, correct="A", **how).render(form, details=True).split())
    assert "are right (accuracy; 95% interval" in said
    assert "marked right" in said
    absent = ("positive", "negative", "alarm", "guess", "luck", "Base rate", "skill", "Fisher")
    assert [word for word in absent if word in re.sub("<(style|script).*?</", "", said)] == []


def test_few_marks_are_called_few():
    said = br.evaluate(FRAME[:5], correct="A").render()
    assert "Few data: only 5 cases are marked; read the intervals" in said


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: br.compare(FRAME, correct=["A", "B"], metrics="recall"), "accuracy or error_rate"),
        (lambda: br.compare(FRAME, correct=["A", "B"], cost="fn=1,fp=2"), "cost has no meaning"),
        (lambda: br.compare(FRAME, correct=["A", "B"], target="C"), "target has no meaning"),
        (lambda: br.compare(FRAME, correct=["A"]), "two classifiers"),
        (lambda: br.evaluate(FRAME, correct=["A", "B"]), "correct must be one column"),
        (lambda: br.evaluate(FRAME, correct="A", metrics="recall"), "accuracy or error_rate"),
        (lambda: br.evaluate(FRAME, correct="A", guess="uniform"), "guess has no meaning"),
        (lambda: br.evaluate(FRAME, correct="A", base_rate=0.5), "base_rate has no meaning"),
        (lambda: br.cases(FRAME, correct="A"), "evaluate, audit and compare take"),
        (lambda: br.thresholds(FRAME, correct="A"), "evaluate, audit and compare take"),
        (lambda: br.compare(FRAME, correct=["A", "D"]), "no column 'D'"),
        (
            lambda: br.compare(FRAME.assign(y=1), target="y", prediction=["A", "B"], positive=1),
            "correct",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, told):
    with pytest.raises(BaserateError, match=told):
        call()


@pytest.mark.slow
def test_on_the_command_line(tmp_path, capsys):
    from baserate.cli import main

    FRAME.to_csv(tmp_path / "bench.csv", index=False)
    typed = [str(tmp_path / "bench.csv"), "--correct"]
    assert main(["compare", *typed, "A", "B", "--fail-on-worse"]) == 0
    assert capsys.readouterr().out.startswith("Accuracy: B 0.")
    assert main(["compare", *typed, "B", "A", "--fail-on-worse"]) == 1
    assert main(["compare", *typed, "A,B"]) == 2
    assert "--correct A B" in capsys.readouterr().err
    assert main(["audit", *typed, "A", "--group", "C"]) == 0
    capsys.readouterr()
    assert main(["evaluate", *typed, "A", "--require", "accuracy >= 0.6@low"]) == 0
    assert f"Of the 300 answers, {A.mean():.0%} are right" in capsys.readouterr().out
    assert main(["evaluate", *typed, "A", "--details", "--require", "accuracy >= 0.9"]) == 1
    assert "error_rate" in capsys.readouterr().out
