"""Pictures of the page of evidence: what is computed exactly, and what the attacks recorded."""

import json
from pathlib import Path

import numpy as np
from error_rates import match_error_rate
from scipy.stats import binom

import baserate as br
from baserate.displays import Axis, Line, Picture, Points, Rule, series_color, series_style
from baserate.displays.svg_writer import svg

TRUST = Path(__file__).parent.parent / "trust"
POSITIVES = 20
RATES = np.linspace(0, 1, 401)
BESIDE = 1e-12  # relative distance from the end of an interval
SIZES = (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200)
REFERENCE = 1_000  # cases of the others, with whom a group is compared


def draw(folder: Path) -> None:
    """Draw all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in (("coverage", coverage()), ("size", size()), ("mutants", mutants())):
        (folder / f"{name}.svg").write_text(svg(picture), encoding="utf-8")


def coverage() -> Picture:
    """Return how often intervals of a recall hold the true one: sums over all 21 outcomes."""
    lines = [
        _line(number, name, *_held(method))
        for number, (name, method) in enumerate(
            (("bayes, the default", "bayes"), ("wilson", "wilson"), ("exact", "exact"))
        )
    ]
    return Picture(
        title=f"95% intervals of a recall, from {POSITIVES} positives",
        description="How often three intervals hold the true recall, whatever it is.",
        x=Axis(label="True recall", low=0, high=1),
        y=Axis(label="Share of samples that hold it", low=0.82, high=1),
        marks=(*lines, Rule(key="nominal", name="95%", at=0.95)),
    )


def _line(number: int, name: str, x: np.ndarray, y: np.ndarray) -> Line:
    key, color = name.split(",", maxsplit=1)[0], series_color(number)
    return Line(key=key, name=name, x=x, y=y, color=color, style=series_style(number), width=1.5)


def _held(method: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rates, and the probability that the interval holds each.

    It jumps where an interval ends, and is least right beside such an end.
    """
    found = np.arange(POSITIVES + 1)
    tables = br.ConfusionMatrix(tp=found, fn=POSITIVES - found, fp=0, tn=1)
    limits = br.interval("recall", tables, method=method)
    low, high = np.asarray(limits.low), np.asarray(limits.high)
    ends = np.concatenate([low[low > 0], high[high < 1]])
    rates = np.sort(np.concatenate([RATES, ends * (1 - BESIDE), ends * (1 + BESIDE)]))
    held = (low <= rates[:, None]) & (rates[:, None] <= high)
    return rates, (held * binom.pmf(found, POSITIVES, rates[:, None])).sum(axis=1)


def size() -> Picture:
    """Return how often the test of a small group rejects what is true, by exact sums."""
    lines = [
        _line(number, f"recall {rate:g}", np.array(SIZES), _rejected(rate))
        for number, rate in enumerate((0.5, 0.8, 0.95))
    ]
    return Picture(
        title="False alarms about a group that is like the others",
        description="How often the test of one group's recall rejects at 5%, by its positives.",
        x=Axis(label="Positives of the group", low=5, high=200, scale="log"),
        y=Axis(label="Share of samples", low=0, high=0.06),
        marks=(*lines, Rule(key="nominal", name="5%", at=0.05)),
    )


def _rejected(rate: float) -> np.ndarray:
    return np.array([match_error_rate(rate=rate, n=n, n_reference=REFERENCE) for n in SIZES])


def mutants() -> Picture:
    """Return the share of changed lines that a test of their package noticed."""
    record = json.loads((TRUST / "mutation.json").read_text(encoding="utf-8"))["packages"]
    tried = sorted((_tried(found), name) for name, found in record.items())
    rows = np.arange(len(tried), dtype=float)
    shares = np.array([killed / n for (n, killed), _ in tried])
    low, high = np.array([_limits(killed, n) for (n, killed), _ in tried]).T
    points = Points(
        key="noticed", name="share, 95% interval", x=shares, y=rows, x_low=low, x_high=high
    )
    labels = [f"{name}, {killed} of {n}" for (n, killed), name in tried]
    ticks = tuple(zip(rows.tolist(), labels, strict=True))
    return Picture(
        title="Changed lines that a test notices",
        description="Share of mutants that tests noticed, by package, with 95% intervals.",
        x=Axis(label="Share noticed", low=0, high=1),
        y=Axis(label="", low=-0.7, high=len(tried) - 0.3, ticks=ticks),
        marks=(points,),
        height=26.0 * len(tried),
    )


def _tried(found: dict[str, dict[str, str]]) -> tuple[int, int]:
    killed = len(found["killed"]) + len(found["too_slow"])
    return killed + len(found["survived"]), killed


def _limits(killed: int, n: int) -> tuple[float, float]:
    found = br.interval("recall", br.ConfusionMatrix(tp=killed, fn=n - killed, fp=0, tn=1))
    return float(found.low), float(found.high)
