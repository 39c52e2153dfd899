"""One table of ratios: each question, at sizes from 10^3 to 10^8, beside the best peer.

    make bench                              every size within the memory and half a minute a call
    python benchmarks/table.py --quick      up to 10^5 cases

A limit is the time in which the machine could move the bytes of a question once, by the bandwidth
of one thread, which is measured first. A peer whose name goes on in brackets answers less than is
asked, and competes only where no peer answers it all. Every number is a median of wall-clock times
of one run.
"""

import argparse
import json
import os
import sys
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import baserate as br
from benchmarks.measuring import bandwidth, free_memory, growth, in_turn, seconds
from benchmarks.questions import QUESTIONS, Cases, Question

FOLDER = Path(__file__).parent
PATIENCE = 20.0  # seconds that a call may be expected to take; a contestant then leaves the table
PEERS = ("sklearn", "fairlearn", "pycm", "torchmetrics", "DutchDraw", "confidenceinterval",
         "dcurves", "pyspark")  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One question at one size: seconds of everybody, and of moving the bytes once."""

    question: str
    n: int
    times: dict[str, float]
    limit: float

    @property
    def ours(self) -> float:
        return self.times["baserate"]

    @property
    def best_peer(self) -> str | None:
        """The fastest peer that answers the question; if none does, the fastest that tries."""
        peers = [name for name in self.times if name != "baserate"]
        same = [name for name in peers if not answers_less(name)]
        return min(same or peers, key=self.times.__getitem__, default=None)

    @property
    def ratio(self) -> float | None:
        """How many times as long the best peer takes; below 1 it wins."""
        best = self.best_peer
        return None if best is None else self.times[best] / self.ours

    @property
    def faster_with_less(self) -> str | None:
        """The fastest peer that answers less and beats ours, if one does."""
        faster = [name for name in self.times if answers_less(name)]
        best = min(faster, key=self.times.__getitem__, default=None)
        return best if best and self.times[best] < self.ours else None


def answers_less(name: str) -> bool:
    """Whether a peer answers less than it is asked; its name then says so in brackets."""
    return "(" in name


def missing_peers(absent: dict[str, str]) -> list[str]:
    """Note the peers that cannot be imported, and why."""
    import importlib

    for name in PEERS:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001  whatever it is, the table names it
            absent[name] = f"{type(error).__name__}: {error}".splitlines()[0][:90]
    return list(absent)


def contest(
    question: Question, cases: Cases, past: dict[str, float], absent: dict[str, str], *, alone: bool
) -> dict[str, float]:
    """Return the time of everybody who can be expected to answer within the patience."""
    everybody = {"baserate": question.ours, **({} if alone else question.peers)}
    calls = {}
    for name, prepare in everybody.items():
        if past.get(name) == np.inf:
            absent.setdefault(f"{name}, {question.name}, n = {cases.n:,}", "left before: too slow")
            continue
        try:
            call = prepare(cases)
            took = seconds(call)
        except Exception as error:  # a peer's failure is part of the table
            if name == "baserate":
                raise
            absent[f"{name}, {question.name}, n = {cases.n:,}"] = (
                f"{type(error).__name__}: {error}".splitlines()[0][:90]
            )
            past[name] = np.inf
            continue
        calls[name] = call
        past[name] = np.inf if 10 * took > PATIENCE else took
    return in_turn(calls)


def measured(sizes: list[int], absent: dict[str, str], *, alone: bool) -> tuple[list[Cell], float]:
    speed = bandwidth()
    past: dict[str, dict[str, float]] = {question.name: {} for question in QUESTIONS}
    cells = []
    for n in sizes:
        cases = Cases(n)
        for question in QUESTIONS:
            if question.room * n > 0.7 * free_memory():
                absent[f"{question.name}, n = {n:,}"] = "more memory than is free"
                continue
            if past[question.name].get("baserate") == np.inf:
                absent[f"{question.name}, n = {n:,}"] = "longer than the patience of this table"
                continue
            times = contest(question, cases, past[question.name], absent, alone=alone)
            limit = n * (question.read + 2 * question.written) / speed
            cells.append(Cell(question.name, n, times, limit))
            print(line(cells[-1]), flush=True)
    return cells, speed


def line(cell: Cell) -> str:
    best = cell.best_peer
    peer = "none" if best is None else f"{best}, {1000 * cell.times[best]:.4g}"
    ratio = "" if cell.ratio is None else f"{cell.ratio:.3g}"
    wins = "" if cell.ratio is None or cell.ratio >= 1 else "  the peer wins"
    less = cell.faster_with_less
    if less:
        wins = f"  faster with less: {less}, {1000 * cell.times[less]:.4g}"
    over = f"{cell.ours / cell.limit:.3g}" if cell.limit else ""
    title = f"{cell.question:31}{cell.n:>12,}{1000 * cell.ours:>12.4g}"
    return f"{title}  {peer:45}{ratio:>9}{1000 * cell.limit:>10.3g}{over:>10}{wins}"


HEAD = (
    f"{'question':31}{'cases':>12}{'ours, ms':>12}  {'best peer, ms':45}{'ratio':>9}"
    f"{'limit, ms':>10}{'ours/that':>10}"
)


def exponents(cells: list[Cell]) -> dict[str, dict[str, float | None]]:
    """Return the growth of ours and of each peer in n, from 10^5 cases on where there are two."""
    found: dict[str, dict[str, float | None]] = {}
    for name in dict.fromkeys(cell.question for cell in cells):
        rows = [cell for cell in cells if cell.question == name]
        large = [cell for cell in rows if cell.n >= 10**5]
        used = large if len(large) > 1 else rows
        who = dict.fromkeys(peer for cell in used for peer in cell.times)
        found[name] = {
            peer: growth({cell.n: cell.times[peer] for cell in used if peer in cell.times})
            for peer in who
        }
    return found


def draw(cells: list[Cell], path: Path) -> None:
    """Draw how many times as long the best peer takes, by size; a line for every question."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 5.2), layout="constrained")
    axes = figure.add_subplot()
    markers = "osD^vPX<>*"
    names = list(dict.fromkeys(cell.question for cell in cells if cell.ratio))
    for k, name in enumerate(names):
        rows = [cell for cell in cells if cell.question == name and cell.ratio]
        less = answers_less(rows[0].best_peer)
        look = {"linestyle": ":", "markerfacecolor": "white"} if less else {"linestyle": "-"}
        label = f"{name}\n  beside {rows[0].best_peer}"
        x, y = [cell.n for cell in rows], [cell.ratio for cell in rows]
        axes.plot(x, y, marker=markers[k], color=f"C{k}", markersize=5, label=label, **look)
    axes.axhline(1, color="black", linewidth=1)
    axes.set(xscale="log", yscale="log", xlabel="cases")
    axes.set_ylabel("time of the best peer / ours")
    axes.set_title("Dotted: the peer answers less than it is asked", fontsize=9, loc="left")
    axes.grid(visible=True, alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    FigureCanvasSVG(figure).print_svg(str(path), metadata={"Date": None})


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 10^5 cases")
    parser.add_argument("--alone", action="store_true", help="without peers")
    parser.add_argument("--largest", type=int, default=8, help="the power of ten to end with")
    parser.add_argument("--output", type=Path, default=FOLDER / "results.json")
    parser.add_argument("--picture", type=Path, default=None)
    return parser.parse_args()


def main() -> None:
    given = options()
    warnings.simplefilter("ignore")
    absent: dict[str, str] = {}
    if not given.alone:
        missing_peers(absent)
    last = min(given.largest, 5) if given.quick else given.largest
    load = os.getloadavg()
    print(f"baserate {br.__version__}, NumPy {np.__version__}, Python {sys.version.split()[0]}, ")
    print(f"{os.cpu_count()} processors, load before the run {load[0]:.1f}")
    print(HEAD)
    cells, speed = measured([10**k for k in range(3, last + 1)], absent, alone=given.alone)
    print(f"memory read by one thread: {speed / 1e9:.1f} GB/s; load after {os.getloadavg()[0]:.1f}")
    fitted = exponents(cells)
    print("\nTime grows as n to the power of")
    for name, who in fitted.items():
        shown = ", ".join(f"{p} {b:.2f}" for p, b in who.items() if b is not None)
        print(f"  {name:31}{shown}")
    for name, why in absent.items():
        print(f"absent: {name} ({why})")
    record = {
        "load": load, "bytes_per_second": speed, "growth": fitted, "absent": absent,
        "cells": [asdict(cell) | {"best_peer": cell.best_peer, "ratio": cell.ratio}
                  for cell in cells],
    }  # fmt: skip
    given.output.write_text(json.dumps(record, indent=1) + "\n")
    if given.picture:
        draw(cells, given.picture)


if __name__ == "__main__":
    main()
