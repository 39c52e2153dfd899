"""Answers marked right or wrong: models are compared, and groups audited, by the share right."""

from math import comb

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import BaserateError, LabelError

RNG = np.random.default_rng(8)
A = (RNG.random(300) < 0.7).astype(int)
B = np.where(RNG.random(300) < 0.85, A, 1)
FRAME = pd.DataFrame({"A": A, "B": B, "C": A & B, "topic": np.arange(300) // 10})
ONES = np.ones(300, int)


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


@pytest.mark.parametrize("design", [{}, {"cluster": "topic"}, {"case_id": "topic"}])
def test_the_difference_is_that_of_the_function(design):
    found = br.compare(FRAME, correct=["A", "B"], **design)
    units = FRAME["topic"] if design else None
    wanted = br.difference("accuracy", A, B, y_true=ONES, cluster=units)
    [gap] = found.facts.pairs[0].metrics
    assert (gap.difference, gap.low, gap.high) == pytest.approx(
        (wanted.value, wanted.low, wanted.high)
    )


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
    assert pictures["differences"].to_svg()


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


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: br.compare(FRAME, correct=["A", "B"], metrics="recall"), "accuracy or error_rate"),
        (lambda: br.compare(FRAME, correct=["A", "B"], cost="fn=1,fp=2"), "cost has no meaning"),
        (lambda: br.compare(FRAME, correct=["A", "B"], target="C"), "target has no meaning"),
        (lambda: br.compare(FRAME, correct=["A"]), "two classifiers"),
        (lambda: br.evaluate(FRAME, correct="A"), "compare several, or audit"),
        (lambda: br.cases(FRAME, correct="A"), "compare several, or audit"),
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
