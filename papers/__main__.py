"""Recompute the papers: `python -m papers [WORD ...] [--format text|json|markdown]`.

Every published number agrees, is an erratum with its proof, or is a failure, and then the exit code
is 1. Words choose the papers whose names hold one of them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from types import ModuleType
from typing import Any

from papers import chimps
from papers.cells import Paper, Table

PAPERS: dict[str, ModuleType] = {"Burger & Meertens": chimps}


def recomputed(name: str, progress: Callable[[str], None]) -> Paper:
    """Recompute all tables of one paper, and tell after each how far it is."""
    module = PAPERS[name]
    jobs = list(module.tables())
    found = []
    for done, job in enumerate(jobs):
        progress(f"{name}: {done} of {len(jobs)} tables")
        found.append(job())
    return Paper(
        name=name, reference=module.REFERENCE, tables=tuple(found), figures=module.FIGURES
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
        "differences": [asdict(cell) for cell in (*cells["erratum"], *cells["failure"])],
    }


def as_text(papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the lines that a person reads: counts by table, then what is wrong."""
    for paper in papers:
        yield paper.name
        for table in paper.tables:
            agree, errata, failures = (
                len(table.having(status)) for status in ("agree", "erratum", "failure")
            )
            wrong = f", {failures} FAILED" if failures else ""
            yield f"  {table.name:38} {len(table.cells):5} cells: {agree} agree, {errata} errata{wrong}"
            for cell in table.having("failure"):
                yield f"    FAILED {cell.where}: published {cell.published}, ours {cell.ours}"
    yield ""


def as_markdown(papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the page of errata: what was printed, what is right, why, and how that is known."""
    yield "# Errata of the source papers"
    yield ""
    yield "Made by `make papers`: every published number was recomputed through the public names, and"
    yield "these are the ones that are not right as printed. *Our copy* marks what may be a slip of the"
    yield "text at hand and not of the paper."
    for paper in papers:
        yield ""
        yield f"## {paper.name}"
        yield ""
        yield paper.reference
        for table in paper.tables:
            yield from _errata(table)


def _errata(table: Table) -> Iterator[str]:
    wrong = table.having("erratum")
    if not wrong:
        return
    yield ""
    yield f"### {table.name}"
    yield ""
    yield "| where | printed | right | why | proof | origin |"
    yield "|---|---|---|---|---|---|"
    for cell in wrong:
        slip = cell.erratum
        if slip is not None:
            values = (cell.where, _shown(cell.published), _shown(slip.value), slip.why, slip.proof)
            yield "| " + " | ".join((*map(_plain, values), slip.origin)) + " |"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "no value" if value != value else f"{value:.6g}"  # noqa: PLR0124


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main(words: Sequence[str] | None = None) -> int:
    """Recompute, print, and return 1 where a number is neither right nor a known erratum."""
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    parser.add_argument("paper", nargs="*", help="part of a paper's name; default: all")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    asked = parser.parse_args(words)
    names = [name for name in PAPERS if _is_asked(name, asked.paper)]
    papers = [recomputed(name, _progress()) for name in names]
    _progress()("")
    if asked.format == "json":
        print(json.dumps(as_document(papers), indent=1, default=float))
    else:
        print("\n".join((as_text if asked.format == "text" else as_markdown)(papers)))
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
