"""The page of what every call takes: made by calling each, so that no cell can be out of date."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import baserate as br
from baserate.errors import BaserateError

DOORS = {
    "evaluate": br.evaluate,
    "audit": br.audit,
    "compare": br.compare,
    "thresholds": br.thresholds,
}
CLASSES = {"two classes": 2, "several classes": 3}
# What can be given, in words, and the arguments that say it; of two classes, then of three.
GIVEN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "predictions": ({"prediction": "call"},) * 2,
    "scores": ({"score": "p_b"}, {"score": ["p_a", "p_b", "p_c"]}),
    "counted scores": ({"counted": True},) * 2,
    "groups": ({"groups": "site"},) * 2,
    "weights": ({"weight": "w"},) * 2,
    "clusters": ({"cluster": "ward"},) * 2,
    "items that come again": ({"case_id": "person"},) * 2,
    "runs of the items": ({"case_id": "person", "run": "turn"},) * 2,
    "replicate weights": (
        {"weight": "w", "replicate_weights": "rw*", "replicate_scale": 0.5},
    ) * 2,
    "strata and their clusters": ({"strata": "district", "cluster": "ward"},) * 2,
    "scores in strata": (
        {"score": "p_b", "strata": "district", "cluster": "ward"},
        {"score": ["p_a", "p_b", "p_c"], "strata": "district", "cluster": "ward"},
    ),
    "weights and clusters": ({"weight": "w", "cluster": "ward"},) * 2,
    "another base rate": ({"base_rate": 0.1},) * 2,
    "costs of errors": ({"cost": {"fp": 1, "fn": 5}},) * 2,
    "utilities": (
        {"utility": [[1, -1], [-5, 0]]},
        {"utility": [[1, -1, -1], [-2, 1, -1], [-9, -3, 1]]},
    ),
    "utilities and clusters": (
        {"utility": [[1, -1], [-5, 0]], "cluster": "ward"},
        {"utility": [[1, -1, -1], [-2, 1, -1], [-9, -3, 1]], "cluster": "ward"},
    ),
    "folds of held-out scores": (
        {"score": "p_b", "fold": "fold"},
        {"score": ["p_a", "p_b", "p_c"], "fold": "fold"},
    ),
    "rows that stand for several cases": ({"frequency": "many"},) * 2,
    "labels of other names": ({"relabel": "a=c"}, {"relabel": "a=d"}),
    "answers marked right or wrong": ({"correct": "call_right"},) * 2,
    "a long table, a row for each classifier": ({"model": "model", "case_id": "case"},) * 2,
    "several groups as the reference": ({"groups": "ward", "reference": "0..9"},) * 2,
    "a margin": ({"margin": 0.05},) * 2,
    "net benefit over a range of risks": (
        {"score": "p_b", "metrics": "net_benefit(0.1..0.3)"},
        {"score": ["p_a", "p_b", "p_c"], "metrics": "net_benefit(0.1..0.3)"},
    ),
    "a workbook (.xlsx) of the numbers": ({"workbook": True},) * 2,
}  # fmt: skip
INTRODUCTION = """\
# What every call takes

Each cell was tried while this page was made. *yes*: the call answers with it, intervals and tests
included. A number is that of the refusal below, which says why. –: the call has no such argument.
"""
ANSWERED, ABSENT = "yes", "–"
ONE_SCORE = "A histogram counts one score of two classes: count each class against the rest."
# What is compared in the place of one prediction or score.
TWO_OF: dict[str, tuple[Any, Any]] = {
    "prediction": (["call", "other"],) * 2,
    "correct": (["call_right", "other_right"],) * 2,
    "score": (
        ["p_b", "q_b"],
        {"p": ["p_a", "p_b", "p_c"], "q": ["q_a", "q_b", "q_c"]},
    ),
}


def capability_pages() -> dict[str, str]:
    """Return the page by its name."""
    reasons = dict[str, int]()
    heads = [f"`{door}`, {of}" for door in DOORS for of in CLASSES]
    lines = [f"| given | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for given in GIVEN:
        cells = [
            _written(tried(door, k, given), reasons) for door in DOORS for k in CLASSES.values()
        ]
        lines.append(f"| {given} | {' | '.join(cells)} |")
    notes = [f"{number}. {reason}" for reason, number in reasons.items()]
    return {"capabilities.md": "\n".join([INTRODUCTION, *lines, "", "## Refusals", "", *notes, ""])}


def tried(door: str, n_classes: int, given: str) -> str:
    """Return whether a call answers: "yes", why it refuses, or "–" without such an argument."""
    call, arguments = DOORS[door], dict(GIVEN[given][n_classes - 2])
    counted, known = arguments.pop("counted", False), inspect.signature(call).parameters
    workbook = arguments.pop("workbook", False)
    if not set(arguments) <= set(known):
        return ABSENT
    data: Any = cases(n_classes)
    usual = dict(_usual(door, n_classes, arguments))
    if counted and n_classes > 2:
        return ONE_SCORE
    if counted:
        data, usual = _histogram(data), {}
        if door == "compare":
            data = {"p": data, "q": _histogram(cases(n_classes), "q_b")}
    if door == "compare":
        arguments |= {name: TWO_OF[name][n_classes - 2] for name in TWO_OF if name in arguments}
    if "model" in arguments:
        data = _long(data)
        usual |= {} if door == "thresholds" else {"prediction": "call"}
    try:
        found = call(data, **{**usual, **arguments})
        if workbook:
            found.to_xlsx()
    except BaserateError as refused:
        return str(refused)
    return ANSWERED


def cases(n_classes: int, n: int = 120) -> pd.DataFrame:
    """Return cases with a model that is right two times in three, and another one."""
    rng = np.random.default_rng(n_classes)
    word, truth = np.array(["a", "b", "c"][:n_classes]), rng.integers(0, n_classes, n)
    found: dict[str, Any] = {"truth": word[truth]}
    for name, letter in (("call", "p"), ("other", "q")):
        weight = np.exp(1.5 * np.eye(n_classes)[truth] + rng.normal(size=(n, n_classes)))
        shares = weight / weight.sum(axis=1, keepdims=True)
        found[name] = word[shares.argmax(axis=1)]
        found |= {f"{letter}_{label}": shares[:, k] for k, label in enumerate(word)}
        found[f"{name}_right"] = found[name] == found["truth"]
    ward = np.arange(n) % 20
    found |= {"site": rng.integers(0, 2, n), "ward": ward, "person": np.arange(n) // 2}
    found |= {"fold": np.arange(n) % 4, "w": rng.integers(1, 4, n) / 2}
    found |= {"many": np.arange(n) % 4, "turn": np.arange(n) % 2, "district": ward % 4}
    return pd.DataFrame(found | {f"rw{k}": found["w"] * (ward % 5 != k) for k in range(5)})


def _long(wide: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each case and classifier."""
    parts = (wide.assign(model=name, call=wide[name]) for name in ("call", "other"))
    return pd.concat([part.assign(case=np.arange(len(wide))) for part in parts])


def _usual(door: str, n_classes: int, given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a call needs beside what is tried."""
    if "correct" in given:
        yield from (("groups", "site"),) if door == "audit" else ()
        return
    yield "target", "truth"
    if n_classes == 2:
        yield "positive", "b"
    if door == "audit" and "groups" not in given:
        yield "groups", "site"
    scored = "score" in given
    if door == "thresholds" and not scored:
        yield from {"score": GIVEN["scores"][n_classes - 2]["score"]}.items()
    if door == "thresholds":
        yield "n_resamples", 20
    if door == "audit" and scored and n_classes == 2:
        yield "threshold", 0.5
    if door == "evaluate" and "fold" in given and n_classes == 2:
        yield "threshold", "mcc"
    if door in {"evaluate", "audit"} and not scored:
        yield "prediction", "call"
    if door == "compare" and not scored:
        yield "prediction", ["call", "other"]


def _histogram(data: pd.DataFrame, score: str = "p_b") -> br.ScoreHistogram:
    return br.ScoreHistogram().add(data["truth"] == "b", data[score], groups=data["site"])


def _written(found: str, reasons: dict[str, int]) -> str:
    if found in {ANSWERED, ABSENT}:
        return found
    return str(reasons.setdefault(found, len(reasons) + 1))
