"""Every kind of report on a few made-up cases, with all names in it given by a function."""

import random

import pandas as pd

import baserate as br
from baserate import ConfusionMatrix
from baserate.evaluation.guesses import baseline
from baserate.report.no_data import render_baseline

TABLES = {
    "first": ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
    "second": ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
}


def cases(called, number=160):
    """Return truth, two predictions, two scores and a group, every name and label as called."""
    draw = random.Random(5)  # noqa: S311 - no secret
    columns = {"truth": [], "one": [], "two": [], "risk": [], "other risk": [], "ward": []}
    for i in range(number):
        truth = draw.random() < 0.3
        risks = [min(0.99, max(0.01, draw.gauss(0.6 if truth else 0.3, s))) for s in (0.2, 0.3)]
        columns["truth"].append(called("yes" if truth else "no"))
        columns["one"].append(called("yes" if risks[0] > 0.5 else "no"))
        columns["two"].append(called("yes" if risks[1] > 0.5 else "no"))
        columns["risk"].append(round(risks[0], 2))
        columns["other risk"].append(round(risks[1], 2))
        columns["ward"].append(called("north" if i % 7 else "south"))
    # Texts as objects: the strings that pandas 3 takes by itself hold no half signs.
    names = pd.Index([called(name) for name in columns], dtype=object)
    held = {
        place: pd.Series(values, dtype=object if isinstance(values[0], str) else None)
        for place, values in enumerate(columns.values())
    }
    return pd.DataFrame(held).set_axis(names, axis=1)


def _of_cases(call, called, *, score=(), prediction=(), groups=(), **options):
    given = {"score": score, "prediction": prediction, "groups": groups}
    named = {key: called(name) for key, name in given.items() if name}
    frame = cases(called)
    return call(frame, target=called("truth"), positive=called("yes"), **named, **options).render


def _own(called):
    forbidden = str.maketrans(dict.fromkeys(",()", "_"))  # `define` refuses these
    name = called("cost").translate(forbidden)
    return br.metrics.define(
        name, lambda tp, fn, fp, tn: 2.0 * fn + fp, direction="lower", definition="2 fn + fp"
    )


def _worth(called):
    return {
        called("treat"): {called("yes"): 10, called("no"): -2},
        called("wait"): {called("yes"): -20, called("no"): 0},
    }


def _named(called):
    return {called(name): table for name, table in TABLES.items()}


def _compared(called):
    frame = cases(called)
    predictions = {called(name): frame[called(name)] for name in ("one", "two")}
    truth, worth = frame[called("truth")], _worth(called)
    return br.compare(truth, predictions, utility=worth, positive=called("yes")).render


def _compared_scores(called):
    names = [called("risk"), called("other risk")]
    frame = cases(called)
    return br.compare(
        frame, target=called("truth"), positive=called("yes"), score=names, groups=called("ward")
    ).render


def _baseline(called):
    facts = baseline(n_positive=3, n_negative=7, metrics=[_own(called)])
    return lambda form: render_baseline(facts, form)


REPORTS = {
    "evaluate predictions": lambda called: _of_cases(
        br.evaluate, called, prediction="one", groups="ward", metrics=["recall", _own(called)]
    ),
    "evaluate scores": lambda called: _of_cases(
        br.evaluate, called, score="risk", groups="ward", utility=_worth(called)
    ),
    "evaluate tables": lambda called: br.evaluate(_named(called)).render,
    "audit": lambda called: _of_cases(br.audit, called, score="risk", groups="ward"),
    "thresholds": lambda called: _of_cases(
        br.thresholds, called, score="risk", groups="ward", n_resamples=5
    ),
    "compare predictions": _compared,
    "compare scores": _compared_scores,
    "compare tables": lambda called: br.compare(_named(called), utility=_worth(called)).render,
    "baseline": _baseline,
}
