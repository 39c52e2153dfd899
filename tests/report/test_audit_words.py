"""What an audit says about smoothing, from the checks to the sentence."""

from dataclasses import replace

from baserate import ConfusionMatrix
from baserate.evaluation.audit_facts import smoothing_fact
from baserate.groups import best_strength, smooth
from baserate.report.audit import on_smoothing

GROUP = ConfusionMatrix(tp=3, fn=3, fp=9, tn=15)


def said(group, reference, strength):
    return on_smoothing(
        smoothing_fact(smooth(group, reference, strength=strength).checks), strength
    )


def test_smoothing_toward_oneself_helps():
    fact = smoothing_fact(smooth(GROUP, GROUP, strength=10).checks)
    assert (fact.checked, fact.unjudged) == (11, ())
    assert fact.worst_ratio <= 1
    assert on_smoothing(fact, 10).startswith(
        "Strength 10 helps: none of the 11 metrics checked gets a larger mean squared error"
    )


def test_a_far_reference_may_hurt_and_the_best_strength_is_named():
    far, reference = ConfusionMatrix(tp=1, fn=1, fp=40, tn=58), (1, 1, 1, 97)
    fact = smoothing_fact(smooth(far, reference, strength=40).checks)
    assert fact.worst_ratio > 1
    assert fact.best_strength == best_strength(fact.worst, far, reference)
    text = on_smoothing(fact, 40)
    assert text.startswith(f"Strength 40 may hurt, because {fact.worst} gets ")
    assert text.endswith(f"and its best strength is {fact.best_strength:.1f}.")
    assert "best strength" not in on_smoothing(replace(fact, best_strength=float("nan")), 40)


def test_what_an_observed_rate_of_one_leaves_unjudged():
    text = said(ConfusionMatrix(tp=3, fn=0, fp=2, tn=15), (30, 20, 30, 40), 5)
    assert "inf" not in text
    assert "Not judged, because the observed table shows no error: recall, neg" in text
    assert "recall gets" not in text


def test_nothing_to_judge_by():
    text = said(ConfusionMatrix(tp=6, fn=0, fp=0, tn=0), (30, 20, 30, 40), 5)
    assert text.startswith("Strength 5 cannot be judged. Not judged, because")
