"""Recompute the papers: `python -m papers [WORD ...] [--format text|json] [--errata FILE]`.

Every published number agrees, is an erratum with its proof, or is a failure, and then the exit code
is 1. Words choose the papers whose names hold one of them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from math import isnan
from pathlib import Path
from types import ModuleType
from typing import Any

from papers import (
    chimps,
    dutch_draw,
    robust_metrics_rare,
    robust_metrics_tables,
    small_data_tables,
    utility_tables,
)
from papers.cells import Cell, Misprint, Paper, Table
from papers.misprints import MISPRINTS

FEW = 5  # errata of one cause that are written out
PAPERS: dict[str, ModuleType] = {
    "Burger & Meertens": chimps,
    "Dutch Draw": dutch_draw,
    "Holzmann & Klar": robust_metrics_tables,
    "Dyrland et al.": utility_tables,
    "Briscoe et al.": small_data_tables,
}


def recomputed(name: str, progress: Callable[[str], None]) -> Paper:
    """Recompute all tables of one paper, and tell after each how far it is."""
    module = PAPERS[name]
    jobs = list(module.tables())
    found = []
    for done, job in enumerate(jobs):
        progress(f"[{'#' * (20 * done // len(jobs)):20}] {name}: {done} of {len(jobs)} tables")
        found.append(job())
    return Paper(
        name=name,
        reference=module.REFERENCE,
        tables=tuple(found),
        figures=module.FIGURES,
        misprints=MISPRINTS[name],
    )


def as_document(papers: Sequence[Paper]) -> dict[str, Any]:
    """Return what `--format json` prints: counts by table, and every erratum and failure."""
    return {
        "papers": [
            {
                "paper": paper.name,
                "reference": paper.reference,
                "tables": [_table(table) for table in paper.tables],
                "figures": [
                    {"figure": f.name, "pictures": list(f.pictures), "differs": f.differs}
                    for f in paper.figures
                ],
                "misprints": [asdict(misprint) for misprint in paper.misprints],
            }
            for paper in papers
        ]
    }


def _table(table: Table) -> dict[str, Any]:
    cells = {status: table.having(status) for status in ("agree", "erratum", "failure")}
    return {
        "table": table.name,
        "cells": len(table.cells),
        "agree": len(cells["agree"]),
        "errata": len(cells["erratum"]),
        "failures": len(cells["failure"]),
        "notes": list(table.notes),
        "differences": [_plain_values(asdict(c)) for c in (*cells["erratum"], *cells["failure"])],
        **({"rows": list(table.rows)} if table.rows else {}),
    }


def _plain_values(record: Any) -> Any:
    """Write no value as null, as JSON has it."""
    if isinstance(record, dict):
        return {name: _plain_values(value) for name, value in record.items()}
    return None if isinstance(record, float) and isnan(record) else record


def as_text(papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the lines that a person reads: counts by table, then what is wrong."""
    for paper in papers:
        yield paper.name
        for table in paper.tables:
            agree, errata, failures = (
                len(table.having(status)) for status in ("agree", "erratum", "failure")
            )
            wrong = f", {failures} FAILED" if failures else ""
            counts = f"{len(table.cells):5} cells: {agree} agree, {errata} errata{wrong}"
            yield f"  {table.name:38} {counts}"
            if table.rows:
                yield f"    {table.notes[0]}"
            for cell in table.having("failure"):
                yield f"    FAILED {cell.where}: published {cell.published}, ours {cell.ours}"
    yield ""


def errata(papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the page of errata: what was printed, what is right, why, and how that is known."""
    yield "# Errata of the source papers"
    yield ""
    yield "Made by `make papers`: every published number was recomputed through the public names,"
    yield "and these are the ones that are not right as printed; last come those of words, signs"
    yield "and references, from which no number follows. *Our copy* marks what may be a slip of the"
    yield "text at hand and not of the paper."
    for paper in papers:
        yield ""
        yield f"## {paper.name}"
        yield ""
        yield paper.reference
        for table in paper.tables:
            yield from _errata(table)
        yield from _misprints(paper.misprints)


def _misprints(misprints: Sequence[Misprint]) -> Iterator[str]:
    """Yield what no number depends on."""
    if misprints:
        yield ""
        yield "### Words, signs and references"
        yield ""
        yield "| where | printed | right | why | origin |"
        yield "|---|---|---|---|---|"
    for one in misprints:
        texts = (one.where, one.printed, one.right, one.why)
        yield "| " + " | ".join((*map(_plain, texts), one.origin)) + " |"


def _errata(table: Table) -> Iterator[str]:
    """Yield the errata of one table; of many with one cause the first few."""
    causes: dict[str, list[Cell]] = {}
    for cell in table.having("erratum"):
        causes.setdefault(f"{cell.erratum.why} {cell.erratum.origin}", []).append(cell)
    if not causes:
        return
    yield ""
    yield f"### {table.name}"
    yield ""
    yield "| where | printed | right | why | proof | origin |"
    yield "|---|---|---|---|---|---|"
    for cells in causes.values():
        yield from map(_row, cells[:FEW] if len(cells) > FEW + 1 else cells)
        if len(cells) > FEW + 1:
            yield f"| and {len(cells) - FEW} more of that kind | | | | | |"


def _row(cell: Cell) -> str:
    slip = cell.erratum
    if slip is None:
        return ""
    values = (cell.where, _shown(cell.published), _shown(slip.value), slip.why, slip.proof)
    return "| " + " | ".join((*map(_plain, values), slip.origin)) + " |"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "no value" if isnan(value) else f"{value:.6g}"


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _rare(papers: Sequence[Paper]) -> Iterator[str]:
    made = [table for paper in papers for table in paper.tables if table.rows]
    return robust_metrics_rare.page(made)


def main(words: Sequence[str] | None = None) -> int:
    """Recompute, print, and return 1 where a number is neither right nor a known erratum."""
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    parser.add_argument("paper", nargs="*", help="part of a paper's name; default: all")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--errata", type=Path, help="write the page of errata to this file")
    parser.add_argument("--rare", type=Path, help="write the tables made again to this file")
    asked = parser.parse_args(words)
    names = [name for name in PAPERS if _is_asked(name, asked.paper)]
    papers = [recomputed(name, _progress()) for name in names]
    _progress()("")
    if asked.format == "json":
        print(json.dumps(as_document(papers), indent=1, default=float))
    else:
        print("\n".join(as_text(papers)))
    for path, page in ((asked.errata, errata), (asked.rare, _rare)):
        if path is not None:
            path.write_text("\n".join(page(papers)) + "\n", encoding="utf-8")
    return int(any(table.having("failure") for paper in papers for table in paper.tables))


def _is_asked(name: str, words: Sequence[str]) -> bool:
    return not words or any(word.casefold() in name.casefold() for word in words)


def _progress() -> Callable[[str], None]:
    """Return what writes one passing line, on a terminal only."""
    if not sys.stderr.isatty():
        return lambda line: None
    return lambda line: print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
