"""Calls of the four doors with options crossed, and the record of what they answer.

The record tells what a change of the house changes for users: `python -m tests.golden.calls` writes
it anew, and its differences are read like any other. A refusal is an answer, and on record too.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import baserate as br
from baserate.errors import BaserateError
from baserate.evaluation.keywords import KEYWORDS
from tests.golden.texts import plain

ABSENT = "(absent)"
FOLDER = Path(__file__).parent
DOORS = {"evaluate": br.evaluate, "audit": br.audit, "compare": br.compare, "cut": br.thresholds}
EXAMPLES = Path(__file__).parents[2] / "examples"

# What is named in the tables below: arguments of every door, of two classes and of several.
P, PP = {"prediction": "call"}, {"prediction": ["call", "other"]}
S, SS = {"score": "risk"}, {"score": ["risk", "rival"]}
C, CC = {"score": ["p_*"]}, {"score": {"one": ["p_a", "p_b", "p_c"], "two": ["q_a", "q_b", "q_c"]}}
SITE, SEX, BOTH = {"groups": "site"}, {"groups": "sex"}, {"groups": ["site", "sex"]}
W, CLUSTER, PERSON = {"weight": "w"}, {"cluster": "ward"}, {"case_id": "person"}
RUNS = {**PERSON, "run": "turn"}
STRATA = {"strata": "district", "cluster": "ward"}
REPLICATES = {"replicate_weights": "rw*", "replicate_scale": 0.5, "weight": "w"}
RARE = {"base_rate": 0.02}
COST, STAKES = {"cost": {"fp": 1, "fn": 5}}, {"utility": [[1, -1], [-5, 0]]}
STAKES_3 = {"utility": [[1, -1, -1], [-2, 1, -1], [-9, -3, 1]]}
DROP = {"missing": "drop"}

# Name of the call, door, table, and the arguments in the order in which they are laid over.
TWO = {
    "labels": ("evaluate", "two", P),
    "labels, positive no": ("evaluate", "two", P, {"positive": "no"}),
    "some metrics": ("evaluate", "two", P, {"metrics": ["recall", "mcc", "f1", "dor", "kappa"]}),
    "at 90%": ("evaluate", "two", P, {"confidence_level": 0.9, "interval": "exact"}),
    "another p-value": ("evaluate", "two", P, {"p_value": "sup"}),
    "one guess": ("evaluate", "two", P, {"guess": 0.3}),
    "rare": ("evaluate", "two", P, RARE),
    "groups": ("evaluate", "two", P, SITE),
    "groups of two columns": ("evaluate", "two", P, BOTH),
    "weights": ("evaluate", "two", P, W),
    "weights and groups": ("evaluate", "two", P, W, SITE),
    "rare and weights": ("evaluate", "two", P, W, RARE),
    "clusters": ("evaluate", "two", P, CLUSTER),
    "clusters and groups": ("evaluate", "two", P, CLUSTER, SEX),
    "clusters and weights": ("evaluate", "two", P, CLUSTER, W),
    "persons": ("evaluate", "two", P, PERSON),
    "replicates": ("evaluate", "two", P, REPLICATES),
    "runs": ("evaluate", "two", P, RUNS),
    "strata": ("evaluate", "two", P, STRATA, W),
    "cost": ("evaluate", "two", P, COST),
    "cost and groups": ("evaluate", "two", P, COST, SITE),
    "utility": ("evaluate", "two", P, STAKES),
    "utility, rare": ("evaluate", "two", P, STAKES, RARE),
    "utility, clusters": ("evaluate", "two", P, STAKES, CLUSTER),
    "utility, groups, weights": ("evaluate", "two", P, STAKES, SITE, W),
    "holes": ("evaluate", "holes", P, DROP),
    "holes refused": ("evaluate", "holes", P),
    "four cases": ("evaluate", "four", P),
    "one class": ("evaluate", "one class", P),
    "published": ("evaluate", "published", {}),
    "score": ("evaluate", "two", S),
    "score at a cut": ("evaluate", "two", S, {"threshold": 0.4}),
    "score at its best": ("evaluate", "two", S, {"threshold": "mcc"}),
    "score, cost": ("evaluate", "two", S, COST),
    "score, groups": ("evaluate", "two", S, SEX),
    "score, weights": ("evaluate", "two", S, W),
    "score, clusters": ("evaluate", "two", S, CLUSTER),
    "score, replicates": ("evaluate", "two", S, REPLICATES),
    "score, rare": ("evaluate", "two", S, RARE),
    "score, top": ("evaluate", "two", S, {"top": [10, 0.2]}),
    "score, folds": ("evaluate", "two", S, {"fold": "fold", "threshold": "mcc"}),
    "score counted": ("evaluate", "counted", {}),
    "audit": ("audit", "two", P, SITE),
    "audit of two": ("audit", "two", P, SEX),
    "audit, reference": ("audit", "two", P, SITE, {"reference": "north"}),
    "audit, weights": ("audit", "two", P, SITE, W),
    "audit, clusters": ("audit", "two", P, SITE, CLUSTER),
    "audit, replicates": ("audit", "two", P, SEX, REPLICATES),
    "audit, strata": ("audit", "two", P, SEX, STRATA, W),
    "audit, rare": ("audit", "two", P, SITE, RARE),
    "audit, utility": ("audit", "two", P, SITE, STAKES),
    "audit, score": ("audit", "two", S, SEX, {"threshold": 0.4}),
    "audit, columns": ("audit", "two", P, BOTH, {"adjust": "benjamini-hochberg"}),
    "audit of counts": ("audit", "hospitals", {}),
    "compared": ("compare", "two", PP),
    "compared, cost": ("compare", "two", PP, COST),
    "compared, utility, rare": ("compare", "two", PP, STAKES, RARE),
    "compared, groups": ("compare", "two", PP, SEX),
    "compared, weights": ("compare", "two", PP, W),
    "compared, clusters": ("compare", "two", PP, CLUSTER),
    "compared, replicates": ("compare", "two", PP, REPLICATES),
    "compared, runs": ("compare", "two", PP, RUNS),
    "compared scores, strata": ("compare", "two", SS, STRATA),
    "compared scores": ("compare", "two", SS),
    "compared scores, cost": ("compare", "two", SS, COST, {"points": "mcc"}),
    "compared scores, clusters": ("compare", "two", SS, CLUSTER),
    "published rows": ("compare", "published", {}),
    "published rows, cost": ("compare", "published", COST),
    "cuts": ("cut", "two", S, {"n_resamples": 50}),
    "cuts, cost": ("cut", "two", S, COST, {"n_resamples": 50}),
    "cuts, constraint": ("cut", "two", S, {"constraint": "recall >= 0.9", "n_resamples": 50}),
    "cuts, groups": ("cut", "two", S, SEX, {"n_resamples": 50}),
    "cuts, folds": ("cut", "two", S, {"fold": "fold", "n_resamples": 50}),
    "cuts, counted": ("cut", "counted", {"n_resamples": 50}),
}
SEVERAL = {
    "labels": ("evaluate", "three", P),
    "averages": ("evaluate", "three", P, {"metrics": ["macro_f1", "weighted_f1", "kappa", "mcc"]}),
    "groups": ("evaluate", "three", P, SITE),
    "weights": ("evaluate", "three", P, W),
    "clusters": ("evaluate", "three", P, CLUSTER),
    "clusters, groups": ("evaluate", "three", P, CLUSTER, SEX),
    "averages, clusters": ("evaluate", "three", P, CLUSTER, {"metrics": ["macro_f1", "accuracy"]}),
    "replicates": ("evaluate", "three", P, REPLICATES),
    "runs": ("evaluate", "three", P, RUNS),
    "strata": ("evaluate", "three", P, STRATA),
    "utility": ("evaluate", "three", P, STAKES_3),
    "utility, groups": ("evaluate", "three", P, STAKES_3, SITE),
    "utility, clusters": ("evaluate", "three", P, STAKES_3, CLUSTER),
    "rare": ("evaluate", "three", P, {"base_rate": {"a": 0.9, "b": 0.05, "c": 0.05}}),
    "holes": ("evaluate", "three holes", P, DROP),
    "a class never named": ("evaluate", "never", P),
    "score": ("evaluate", "three", C),
    "score, groups": ("evaluate", "three", C, SEX),
    "score, weights": ("evaluate", "three", C, W),
    "score, top": ("evaluate", "three", C, {"top": 2}),
    "score, clusters": ("evaluate", "three", C, CLUSTER),
    "audit": ("audit", "three", P, SITE),
    "audit of two": ("audit", "three", P, SEX),
    "audit, weights": ("audit", "three", P, SITE, W),
    "audit, clusters": ("audit", "three", P, SITE, CLUSTER),
    "audit, replicates": ("audit", "three", P, SEX, REPLICATES),
    "audit, utility": ("audit", "three", P, SITE, STAKES_3),
    "audit, score": ("audit", "three", C, SEX),
    "compared": ("compare", "three", PP),
    "compared, groups": ("compare", "three", PP, SEX),
    "compared, utility": ("compare", "three", PP, STAKES_3),
    "compared, weights": ("compare", "three", PP, W),
    "compared, clusters": ("compare", "three", PP, CLUSTER),
    "compared scores": ("compare", "three", CC),
    "cuts": ("cut", "three", C, {"n_resamples": 20}),
    "cuts, utility": ("cut", "three", C, STAKES_3, {"n_resamples": 20}),
    "counts": ("evaluate", "counts of three", {}),
    "counts compared": ("compare", "published of three", {}),
    "counts audited": ("audit", "published of three", {}),
}
KINDS = {"two": TWO, "several": SEVERAL}


@cache
def table(name: str) -> object:
    """Return the cases that a call is about: made here, by a generator that stays the same."""
    return TABLES[name]()


def two(n: int = 120) -> pd.DataFrame:
    """Cases of two classes in wards, with weights, folds, groups and two models."""
    rng = np.random.default_rng(7)
    beside = _beside(rng, n)
    ward = rng.normal(0, 0.6, 24)[beside["ward"]]
    yes = rng.random(n) < 1 / (1 + np.exp(0.5 - ward))
    risk, rival = (1 / (1 + np.exp(-(1.6 * yes - 1 + rng.normal(0, s, n)))) for s in (1.0, 1.6))
    word = np.array(["no", "yes"])
    return pd.DataFrame(
        {
            "target": word[yes * 1],
            "call": word[(risk > 0.45) * 1],
            "other": word[(rival > 0.5) * 1],
            "risk": risk.round(4),
            "rival": rival.round(4),
            **beside,
        }
    )


def three(n: int = 150) -> pd.DataFrame:
    """Cases of three classes, the third rare, with probabilities of two models."""
    rng = np.random.default_rng(11)
    beside = _beside(rng, n)
    word, truth = np.array(["a", "b", "c"]), rng.choice(3, n, p=[0.5, 0.35, 0.15])
    cases = {"target": word[truth]}
    for name, letter, sharp in (("call", "p", 1.7), ("other", "q", 1.1)):
        logits = sharp * np.eye(3)[truth] + rng.normal(size=(n, 3))
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        cases[name] = word[shares.argmax(axis=1)]
        shares = shares.round(4)
        shares[:, 2] = 1 - shares[:, 0] - shares[:, 1]
        cases |= {f"{letter}_{word[k]}": shares[:, k].round(4) for k in range(3)}
    return pd.DataFrame({**cases, **beside})


def _beside(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    ward = np.sort(rng.integers(0, 24, n))
    replicates = {f"rw{k}": rng.integers(1, 4, n) * (ward % 4 != k) for k in range(4)}
    return {
        "ward": ward,
        "district": ward // 2,
        "person": np.arange(n) // 2,
        "turn": np.arange(n) % 2,
        "site": np.array(["north", "south", "west"])[rng.choice(3, n, p=[0.6, 0.32, 0.08])],
        "sex": rng.integers(0, 2, n),
        "fold": np.arange(n) % 5,
        "w": rng.integers(1, 4, n) / 2,
        **replicates,
    }


def _holes(cases: pd.DataFrame) -> pd.DataFrame:
    return cases.assign(target=cases["target"].where(np.arange(len(cases)) % 6 != 1))


def _counted() -> br.ScoreHistogram:
    cases = two()
    return br.ScoreHistogram(bins=4096).add(cases["target"] == "yes", cases["risk"])


def _of_three(name: str) -> br.ClassTable:
    cells = pd.crosstab(three()["target"], three()[name])
    return br.ClassTable(cells.to_numpy(), labels=list(cells))


TABLES: dict[str, Callable[[], object]] = {
    "two": two,
    "three": three,
    "holes": lambda: _holes(two()),
    "three holes": lambda: _holes(three()),
    "four": lambda: two().iloc[[0, 1, 2, 5]],
    "one class": lambda: two().query("target == 'no'"),
    "never": lambda: three().assign(call=lambda cases: cases["call"].replace("c", "a")),
    "published": lambda: {
        "A": br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
        "B": br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
    },
    "hospitals": lambda: {
        row.hospital: br.ConfusionMatrix(tp=row.tp, fn=row.fn, fp=row.fp, tn=row.tn)
        for row in pd.read_csv(EXAMPLES / "hospitals.csv").itertuples()
    },
    "counted": _counted,
    "counts of three": lambda: _of_three("call"),
    "published of three": lambda: {name: _of_three(name) for name in ("call", "other")},
}


def result_of(kind: str, name: str, *, read: bool = False) -> Any:
    """Return the result of a call; `read` says whether `br.cases` reads the cases before."""
    door, cases, *laid = KINDS[kind][name]
    given: dict[str, object] = {}
    for words in laid:
        given |= words
    data = table(cases)
    if isinstance(data, pd.DataFrame):
        given = {"target": "target", **given}
        if "yes" in set(data["target"]):
            given = {"positive": "yes", **given}
    if read:
        reading = {key: given.pop(key) for key in list(given) if key in KEYWORDS}
        data = br.cases(data, **reading)
    return DOORS[door](data, **given)


def answer(kind: str, name: str, *, read: bool = False) -> dict[str, object]:
    """Return what a call answers: its fields and its text, or how it is refused."""
    try:
        result = result_of(kind, name, read=read)
    except BaserateError as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    text = plain(result.render("markdown")).splitlines()
    fields = json.loads(result.render("json"), parse_float=_rounded)
    del fields["baserate"]  # version and date
    return {"fields": fields, "text": text}


def _rounded(digits: str) -> float:
    """Return the number to twelve digits: processors differ in those that follow."""
    return float(f"{float(digits):.12g}")


def differences(one: object, other: object, where: str = "") -> Iterator[str]:
    """Yield the places at which two answers differ, numbers by more than 1e-9 of their size."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            yield from differences(one.get(key, ABSENT), other.get(key, ABSENT), f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{where}[{k}]")
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{where}: {one} on record, {other} found"
    elif one != other:
        yield f"{where}: {one!r:.99} on record, {other!r:.99} found"


def recorded(kind: str) -> dict[str, dict[str, object]]:
    """Return the answers on record."""
    return json.loads((FOLDER / f"{kind}.json").read_text("utf-8"))


def main() -> None:
    """Write the record of every call anew."""
    for kind, calls in KINDS.items():
        found = {name: answer(kind, name) for name in calls}
        text = json.dumps(found, indent=0, ensure_ascii=False, allow_nan=False)
        (FOLDER / f"{kind}.json").write_text(text + "\n", "utf-8")
        refused = [name for name, one in found.items() if "refused" in one]
        sys.stderr.write(f"{kind}: {len(found)} calls, refused: {'; '.join(refused)}\n")


if __name__ == "__main__":
    main()
