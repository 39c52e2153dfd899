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


def test_what_smoothing_does_is_told(on_record):
    far, reference = ConfusionMatrix(tp=1, fn=1, fp=40, tn=58), (1, 1, 1, 97)
    fact = smoothing_fact(smooth(far, reference, strength=40).checks)
    assert fact.worst_ratio > 1
    assert fact.best_strength == best_strength(fact.worst, far, reference)
    on_record(
        {
            "toward oneself it helps": said(GROUP, GROUP, 10),
            "a far reference may hurt": on_smoothing(fact, 40),
            "no best strength": on_smoothing(replace(fact, best_strength=float("nan")), 40),
            "a rate of one": said(ConfusionMatrix(tp=3, fn=0, fp=2, tn=15), (30, 20, 30, 40), 5),
            "nothing": said(ConfusionMatrix(tp=6, fn=0, fp=0, tn=0), (30, 20, 30, 40), 5),
        }
    )
