"""Facts made by hand: a report shows what it is given, so its numbers may be made up."""

import math
from dataclasses import replace

import pytest

from baserate import ConfusionMatrix
from baserate.facts.evaluation import EvaluationFacts, GroupFact, MetricFact
from baserate.facts.scores import CalibrationFact, EstimateFact, RegionFact
from baserate.facts.threshold import ThresholdFacts
from baserate.metrics import CATALOGUE

NAN = math.nan
ODD = '<b>"x" & y</b>, a|b `c` [red]d[/red]'


def metric_fact(name, value=0.6, **more):
    return MetricFact(**{"name": name, "direction": "higher", "value": value, **more})


def whole_catalogue(*, chance=False, undefined=()):
    """One made-up fact for each metric, all different; those named have no value."""
    facts = []
    for i, metric in enumerate(CATALOGUE):
        value = (i + 1) / 44
        fact = metric_fact(
            metric.name, value, direction=metric.direction, low=value - 0.01, high=value + 0.012
        )
        if chance and metric.direction != "neither":
            fact = replace(fact, chance=value / 3, skill=0.1 + i / 100, p_value=0.0004)
        if metric.name in undefined:
            reason = "nothing predicted positive (tp + fp = 0)"
            fact = metric_fact(metric.name, NAN, undefined_reason=reason)
        facts.append(fact)
    return tuple(facts)


def facts_with(**changes):
    table = changes.pop("table", ConfusionMatrix(tp=762, fn=1291, fp=476, tn=3837))
    plain = {
        "positive": "yes",
        "labels": ("no", "yes"),
        "n": table.n,
        "missing": 0,
        "table": table,
        "guess": "dutch_draw",
        "base_rate": table.base_rate,
        "confidence_level": 0.95,
        "metrics": whole_catalogue(),
        "source": "affairs.csv",
        "target": "affair",
        "prediction": "predicted",
    }
    given = {**plain, **changes}
    known = (m.p_value for m in given["metrics"] if not math.isnan(m.p_value))
    return EvaluationFacts(**{"p_value": next(known, math.nan), **given})


def estimate(name, value=NAN, low=NAN, high=NAN, p=NAN, **more):
    return EstimateFact(name=name, value=value, low=low, high=high, p_value=p, **more)


def calibration(observed, expected, oe, slope=(NAN, NAN, NAN, NAN), regions=(), **more):
    """Made-up calibration: O:E as (value, low, high, p), slope likewise."""
    measures = (estimate("observed_expected", *oe), estimate("calibration_slope", *slope))
    found = tuple(
        RegionFact(direction=way, low=low, high=high, n=10, at_least=0.01, at=low)
        for way, low, high in regions
    )
    given = {"observed": observed, "expected": expected, "measures": measures, "regions": found}
    return CalibrationFact(**{**given, "band_level": 0.95, **more})


def score_with(**changes):
    plain = {
        "positive": "yes",
        "n": 100,
        "n_positive": 20,
        "n_negative": 80,
        "missing": 0,
        "n_cut_points": 90,
        "confidence_level": 0.95,
        "n_resamples": 200,
        "default": 0.5,
        "ranking": (),
        "score_range": (0.01, 0.98),
    }
    return ThresholdFacts(**{**plain, **changes})


def odd_facts():
    """Everything that could break a page: labels, groups, gaps, weights, three labels, chance."""
    undefined = ("precision", "f1_harmonic")
    small = ConfusionMatrix(tp=0.0, fn=7.25, fp=0.0, tn=33.5)
    group = GroupFact(
        group={"<i>job</i>": ODD, "age|band": None},
        table=small,
        metrics=whole_catalogue(chance=True, undefined=undefined),
    )
    return facts_with(
        positive=ODD,
        labels=("a", ODD, "c\nd"),
        missing=12,
        table=ConfusionMatrix(tp=762.5, fn=1291.25, fp=476.0, tn=3837.125),
        effective_n=812.25,
        metrics=whole_catalogue(chance=True, undefined=undefined),
        groups=(group,),
        group_names=("<i>job</i>", "age|band"),
        source="<script>alert(1)</script>.csv",
        score="p(<yes>)",
        prediction=None,
        threshold=0.35,
    )


@pytest.fixture
def make():
    return facts_with


@pytest.fixture
def odd():
    return odd_facts()


@pytest.fixture
def catalogue():
    return whole_catalogue


@pytest.fixture
def fact():
    return metric_fact


@pytest.fixture
def score():
    return score_with


@pytest.fixture
def measured():
    return estimate


@pytest.fixture
def calibrated():
    return calibration
