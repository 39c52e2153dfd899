"""The files that commands on the pages name, besides those of examples/: small, made up, seeded."""

from pathlib import Path

import numpy as np
import pandas as pd

CLASSES = ("cat", "dog", "fox")


def write(home: Path) -> None:
    """Write them into a folder."""
    rng = np.random.default_rng(11)
    _predictions(rng, 400).to_csv(home / "predictions.csv", index=False)
    for day in ("monday", "tuesday"):
        cases = _predictions(rng, 300)
        cases.to_csv(home / f"{day}.csv", index=False)
        cases.to_parquet(home / f"{day}.parquet", index=False)
    for year in (2024, 2025):
        part = home / "data" / f"year={year}"
        part.mkdir(parents=True)
        _predictions(rng, 200).to_parquet(part / "cases.parquet", index=False)
    images = _predictions(rng, 300).assign(patient=np.repeat(np.arange(30), 10))
    images.to_csv(home / "images.csv", index=False)
    survey = images.assign(stratum=np.repeat(np.arange(15), 20), psu=images["patient"] % 2 + 1)
    survey["weight"] = survey["stratum"] % 4 + 0.5
    survey.to_csv(home / "survey.csv", index=False)
    _answers(rng).to_csv(home / "answers.csv", index=False)
    _classes(rng).to_csv(home / "cases.csv", index=False)
    _months().to_csv(home / "monthly.csv", index=False)


def _predictions(rng: np.random.Generator, n: int) -> pd.DataFrame:
    risk = rng.beta(1.2, 2.4, n)
    label = np.where(rng.random(n) < risk, 1, 0)
    frame = pd.DataFrame({"label": label, "risk": risk, "probability": risk, "predicted": 0})
    frame["predicted"] = (risk > 0.4).astype(int)
    frame["old"] = (rng.random(n) < 0.15) ^ frame["predicted"]
    frame["new"] = (rng.random(n) < 0.05) ^ frame["predicted"]
    frame["site"] = rng.choice(["north", "south", "west"], n)
    return frame


def _answers(rng: np.random.Generator) -> pd.DataFrame:
    question = np.repeat(np.arange(80), 3)
    truth = (rng.random(80) < 0.5)[question]
    hard = rng.beta(2.4, 0.6, 16)[question // 5]
    frame = pd.DataFrame({"question": question, "topic": question // 5, "truth": truth})
    for name in ("model", "model_a", "model_b"):
        frame[name] = np.where(rng.random(240) < hard, truth, ~truth)
    return frame.assign(run=np.arange(240) % 3)


def _months() -> pd.DataFrame:
    rng = np.random.default_rng(12)
    frame = _predictions(rng, 4000).assign(
        month=np.repeat([f"2026-{m:02}" for m in range(1, 9)], 500)
    )
    missed = (frame["month"] > "2026-06") & (rng.random(len(frame)) < 0.25)
    return frame.assign(predicted=frame["predicted"].where(~missed, 0))


def _classes(rng: np.random.Generator) -> pd.DataFrame:
    scores = rng.dirichlet((1, 1, 1), 300)
    label = [rng.choice(CLASSES, p=row) for row in scores]
    frame = pd.DataFrame(scores.round(6), columns=[f"p_{name}" for name in CLASSES])
    called = np.array(CLASSES)[scores.argmax(axis=1)]
    return frame.assign(label=label, predicted=called)
