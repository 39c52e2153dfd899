"""Recompute the papers: `python -m papers [WORD ...] [--format text|json] [--errata FILE]`.

Every published number agrees, has a finding with its proof, or is a failure, and then the exit
code is 1. Cells are counted by what stands behind them: only what public names of the library give
counts as recomputed. Words choose the papers whose names hold one of them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from papers.cells import BASES, KINDS, STATES, Basis, Cell, Kind, Paper, Status, Table
from papers.words import WORDS

FEW = 5  # findings of one cause that are written out
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
        words=WORDS[name],
    )


def as_document(papers: Sequence[Paper]) -> dict[str, Any]:
    """Return what `--format json` prints: counts by table, and every finding and failure."""
    return {
        "papers": [
            {
                "paper": paper.name,
                "reference": paper.reference,
                "findings": {kind: paper.found(kind) for kind in KINDS},
                "tables": [_table(table) for table in paper.tables],
                "figures": [
                    {"figure": f.name, "pictures": list(f.pictures), "differs": f.differs}
                    for f in paper.figures
                ],
                "words": [asdict(one) for one in paper.words],
            }
            for paper in papers
        ],
        "totals": totals(papers),
    }


def totals(papers: Sequence[Paper]) -> dict[Basis, dict[Status, int]]:
    """Return how many cells of each basis have which status, of all papers together."""
    kept: dict[Basis, dict[Status, int]] = {basis: {} for basis in BASES}
    for paper in papers:
        for table in paper.tables:
            for basis, found in table.counts().items():
                for status, number in found.items():
                    kept[basis][status] = kept[basis].get(status, 0) + number
    return kept


def _table(table: Table) -> dict[str, Any]:
    noted = [cell for cell in table.cells if cell.status != "agree"]
    return {
        "table": table.name,
        "cells": len(table.cells),
        **{status: len(table.having(status)) for status in STATES},
        "by_basis": table.counts(),
        "notes": list(table.notes),
        "differences": [_plain_values(asdict(cell) | {"status": cell.status}) for cell in noted],
        **({"rows": list(table.rows)} if table.rows else {}),
    }


def _plain_values(record: Any) -> Any:
    """Write no value as null, as JSON has it."""
    if isinstance(record, dict):
        return {name: _plain_values(value) for name, value in record.items()}
    return None if isinstance(record, float) and isnan(record) else record


SPOKEN: dict[Basis, str] = {
    "recomputed": "recomputed by public names",
    "consistency": "printed numbers held against printed ones, not recomputed",
    "arithmetic": "arithmetic without the library",
    "other data": "sentences asked of other data, not recomputed",
}
TITLES: dict[Kind, str] = {
    "substance": "Errors of substance",
    "misprint": "Misprints and last digits",
    "remark": "Remarks",
    "our copy": "Our copy",
}


def as_text(papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the lines that a person reads: counts by table, then counts of all."""
    for paper in papers:
        yield paper.name
        for table in paper.tables:
            for basis, found in table.counts().items():
                kind = "" if basis == "recomputed" else f" ({SPOKEN[basis]})"
                yield f"  {table.name:38} {sum(found.values()):5} cells: {_counted(found)}{kind}"
            if table.rows:
                yield f"    {table.notes[0]}"
            for cell in table.having("failure"):
                yield f"    FAILED {cell.where}: published {cell.published}, ours {cell.ours}"
    yield ""
    for basis, found in totals(papers).items():
        if found:
            yield f"{sum(found.values()):5} {SPOKEN[basis]}: {_counted(found)}"
    yield ""


def _counted(found: Mapping[Status, int]) -> str:
    words = {"failure": "FAILED", "misprint": "misprints or last digits", "remark": "remarks",
             "substance": "of substance", "differs": "differ",
             "our copy": "damaged in our copy"}  # fmt: skip
    return ", ".join(f"{found[s]} {words.get(s, s)}" for s in STATES if s in found)


def errata(papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the page of findings: what is printed, what is right, why, and how that is known."""
    yield "# Errata of the source papers, and remarks"
    yield ""
    yield "This library stands on five papers ([thanks](papers.md)). Recomputing them found little,"
    yield "and most of that is small. Made by `make papers`, in four lists for each paper:"
    yield ""
    yield "- *Errors of substance*: a reader who relies on the print is misled."
    yield "- *Misprints and last digits*: the paper itself shows what is meant, or a last digit is"
    yield "  off."
    yield "- *Remarks*: nothing is wrong; an edge case, a definition, an omission, or more that"
    yield "  holds."
    yield "- *Our copy*: the text at hand is damaged there. This is not the paper's doing, and says"
    yield "  nothing about what it prints."
    yield ""
    yield "How many causes, and in brackets how many numbers or sentences these touch:"
    yield ""
    yield f"| | {' | '.join(TITLES[kind].lower() for kind in KINDS)} |"
    yield "|---|" + "---:|" * len(KINDS)
    for paper in papers:
        yield f"| {paper.name} | {' | '.join(_how_many(paper, kind) for kind in KINDS)} |"
    yield ""
    yield "Corrections of this page are welcome, from the authors first of all."
    for paper in papers:
        yield ""
        yield f"## {paper.name}"
        yield ""
        yield paper.reference
        for kind in KINDS:
            if paper.found(kind):
                yield from _list(paper, kind)


def _how_many(paper: Paper, kind: Kind) -> str:
    return f"{paper.causes(kind)} ({paper.found(kind)})" if paper.found(kind) else "0"


def _list(paper: Paper, kind: Kind) -> Iterator[str]:
    """Yield one of the four lists of a paper; of many cells with one cause the first few."""
    yield ""
    yield f"### {TITLES[kind]}"
    yield ""
    holds = "what holds" if kind == "remark" else "right"
    read = "as read" if kind == "our copy" else "printed"
    yield f"| where | {read} | {holds} | why | how that is known |"
    yield "|---|---|---|---|---|"
    causes: dict[tuple[str, str], list[Cell]] = {}
    for table in paper.tables:
        for cell in table.having(kind):
            if cell.finding is not None:
                causes.setdefault((table.name, cell.finding.why), []).append(cell)
    for (name, _), cells in causes.items():
        shown = cells[:FEW] if len(cells) > FEW + 1 else cells
        yield from (_row(name, cell) for cell in shown)
        if len(cells) > len(shown):
            yield f"| {_plain(name)}: and {len(cells) - len(shown)} more of that kind | | | | |"
    for one in paper.words:
        if one.kind == kind:
            texts = (one.where, one.printed, one.right, one.why, one.proof)
            yield "| " + " | ".join(map(_plain, texts)) + " |"


def _row(table: str, cell: Cell) -> str:
    noted = cell.finding
    if noted is None:
        return ""
    said, right = _shown(cell.published, cell.decimals), _right(noted.value, cell.decimals)
    if said == right:  # a last digit beyond the sixth
        said, right = f"{cell.published:.9g}", f"{noted.value:.9g}"
    values = (f"{table}: {cell.where}", said, right)
    return "| " + " | ".join(map(_plain, (*values, noted.why, noted.proof))) + " |"


def _shown(value: Any, decimals: int | None = None) -> str:
    """Write six digits, or all before the point and two behind it where these are more."""
    if isinstance(value, str):
        return value
    if isnan(value):
        return "no value"
    if decimals is not None:
        return f"{value:.{decimals}f}"
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.2f}"


def _right(value: Any, decimals: int | None) -> str:
    """Write as `_shown` does, or two digits more than the print has, of the ten that are known."""
    if isinstance(value, str) or decimals is None or isnan(value):
        return _shown(value)
    whole = len(str(int(abs(value))))
    return f"{value:.{min(10, max(6, whole + decimals + 2))}g}"


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _rare(papers: Sequence[Paper]) -> Iterator[str]:
    made = [table for paper in papers for table in paper.tables if table.rows]
    return robust_metrics_rare.page(made)


def main(words: Sequence[str] | None = None) -> int:
    """Recompute, print, and return 1 where a number is neither right nor known not to be."""
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    parser.add_argument("paper", nargs="*", help="part of a paper's name; default: all")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--errata", type=Path, help="write the page of findings to this file")
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
