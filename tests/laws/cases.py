"""Cases that the front doors are asked about, and every number of an answer by its name."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import baserate as br

RNG = np.random.default_rng(17)
N = 60


@dataclass(frozen=True)
class Cases:
    """Columns of one length, and which label is positive (None: several classes)."""

    name: str
    truth: Any
    called: Any
    other: Any
    score: Any
    group: Any
    cluster: Any = None
    weight: Any = None
    positive: Any = None

    def each(self, turn):
        """The same cases, every column turned."""
        names = ("truth", "called", "other", "score", "group", "cluster", "weight")
        columns = {name: getattr(self, name) for name in names}
        return replace(self, **{k: turn(v) for k, v in columns.items() if v is not None})

    @property
    def design(self):
        """What doors are told of the cases beside their labels."""
        told = {"positive": self.positive, "weight": self.weight, "cluster": self.cluster}
        return {name: value for name, value in told.items() if value is not None}


def two_classes():
    truth = np.where(np.arange(N) < 0.45 * N, "yes", "no")
    called = np.where(RNG.random(N) < 0.75, truth, np.where(truth == "yes", "no", "yes"))
    other = np.where(RNG.random(N) < 0.6, truth, "yes")
    score = np.round(np.clip(0.4 + 0.2 * (truth == "yes") + RNG.normal(0, 0.2, N), 0.02, 0.98), 2)
    group = np.resize(["north", "south", "east"], N)
    return Cases("two classes", truth, called, other, score, group, positive="yes")


def several_classes():
    n = 24  # the best draw of a metric of one's own looks at all class totals
    truth = np.resize(["cat", "dog", "owl"], n)
    called = np.where(RNG.random(n) < 0.7, truth, np.resize(["dog", "owl", "cat"], n))
    other = np.where(RNG.random(n) < 0.6, truth, "cat")
    return Cases("several classes", truth, called, other, None, np.resize(["x", "y"], n))


BINARY = two_classes()
CLASSES = several_classes()
WEIGHTED = replace(BINARY, name="weighted", weight=RNG.choice([0.5, 1.0, 2.5], N))
CLUSTERED = replace(BINARY, name="clustered", cluster=np.repeat(np.arange(N // 3), 3))
KINDS = [BINARY, WEIGHTED, CLUSTERED, CLASSES]


def evaluated(cases, metrics, **how):
    how = {"groups": cases.group, **cases.design, **how}
    return br.evaluate(cases.truth, cases.called, metrics=metrics, **how)


def audited(cases, metrics, **how):
    how = {"groups": cases.group, **cases.design, **how}
    return br.audit(cases.truth, cases.called, metrics=metrics, **how)


def compared(cases, metrics, **how):
    predictions = {"first": cases.called, "second": cases.other}
    return br.compare(cases.truth, predictions, metrics=metrics, **{**cases.design, **how})


def cut(cases, metrics, **how):
    how = {"n_resamples": 20, **cases.design, **how}
    how.pop("weight", None), how.pop("cluster", None)
    return br.thresholds(cases.truth, cases.score, metrics=metrics, **how)


DOORS = [evaluated, audited, compared, cut]


def numbers(result, leave=()):
    """Every number and word of a record by where it stands; rows that have a name go by that."""
    found = {}
    record = result.to_dict() if hasattr(result, "to_dict") else result
    _walk(record, "", found, {"source", *leave})
    return found


def _walk(value, where, found, leave):
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in leave:
                _walk(part, f"{where}.{key}", found, leave)
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            _walk(part, f"{where}[{_named(part, i)}]", found, leave)
    else:
        found[where] = value


def _named(row, i):
    if isinstance(row, dict):
        if isinstance(row.get("group"), dict):
            return "/".join(map(str, row["group"].values()))
        return row.get("name", row.get("label", i))
    return i


def agree(one, other, rtol=1e-9, atol=1e-12):
    """Both records say the same, numbers up to rounding."""
    assert one.keys() == other.keys()
    for where, value in one.items():
        found = other[where]
        if isinstance(value, float) and isinstance(found, float | int):
            np.testing.assert_allclose(value, found, rtol=rtol, atol=atol, err_msg=where)
        else:
            assert value == found, where
