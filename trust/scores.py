"""What the record of mutants says, as the section of docs/trust.md between two marks."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trust.covering import ROOT
from trust.mutants import SOURCES

RECORD, EXPLAINED = (Path(__file__).with_name(x) for x in ("mutation.json", "survivors.json"))
PAGE = ROOT / "docs" / "trust.md"
# What an explanation begins with where no answer can tell: only time, memory, or the way taken.
SAME = ("equivalent", "cost", "route choice")
_NUMBER = re.compile(r" #\d+$")
BEGIN, END = "<!-- mutants: begin -->", "<!-- mutants: end -->"


def written(page: str, record: dict[str, Any]) -> str:
    """Return the page with its part between the marks made from the record."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join([before + BEGIN, "", *_lines(record), "", END]) + after


def rewrite() -> None:
    """Bring docs/trust.md up to the record."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), recorded()), encoding="utf-8")


def recorded() -> dict[str, Any]:
    """Return the record as it stands."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def packages_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return what the record says of each package."""
    return record.get("packages", {})


def explanations() -> dict[str, str]:
    """Return why mutants survive and lines are not run, by their names."""
    return json.loads(EXPLAINED.read_text(encoding="utf-8")) if EXPLAINED.exists() else {}


def why(key: str, explained: dict[str, str]) -> str:
    """Return why a mutant survives, whichever of several alike it is."""
    return explained.get(key) or explained.get(_NUMBER.sub("", key), "")


def _lines(record: dict[str, Any]) -> Iterator[str]:
    yield "| package | places | sampled | killed | same answers | survive | score |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    explained = explanations()
    for name, found in packages_of(record).items():
        killed = len(found["killed"]) + len(found["too_slow"])
        same = sum(why(key, explained).startswith(SAME) for key in found["survived"])
        others = len(found["survived"]) - same
        row = [f"`{name}`", f"{found['places']:,}", killed + same + others, killed, same, others]
        score = f"{100 * killed / (killed + others):.1f}%" if killed + others else "none yet"
        yield "| " + " | ".join(map(str, row)) + f" | {score} |"
    yield ""
    yield from _survivors(record, explained)
    if "branches" in record:
        yield from _branches(record["branches"])


def _survivors(record: dict[str, Any], explained: dict[str, str]) -> Iterator[str]:
    """Yield the survivors, and why they do."""
    yield "Survivors, and why:"
    yield ""
    for name, found in packages_of(record).items():
        for key, survivor in found["survived"].items():
            place = survivor["place"].removeprefix("baserate/")
            because = why(key, explained) or "not explained yet"
            yield f"- `{name}`: `{place}` `{survivor['change']}`: {because}."


def _branches(branches: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield "| package | statements | never run | branches | never taken |"
    yield "|---|---:|---:|---:|---:|"
    for name, counts in branches["packages"].items():
        yield "| " + " | ".join([f"`{name}`", *(f"{count:,}" for count in counts)]) + " |"
    yield ""
    yield "Lines that no test runs, and ways that none takes, are listed in `trust/mutation.json`."
    for missing in branches["missing"]:
        if missing["why"]:
            yield f"- `{missing['place']}` `{missing['line']}`: {missing['why']}."


def branches(folder: Path, packages: list[str], explained: dict[str, str]) -> dict[str, Any]:
    """Return how many statements and branches of each package no test runs, and which."""
    from coverage import Coverage

    report = folder / "branches.json"
    measured = Coverage(data_file=str(folder / "coverage.data"), branch=True)
    measured.load()
    measured.json_report(outfile=str(report), include=["*/src/baserate/*"])
    found = json.loads(report.read_text(encoding="utf-8"))["files"]
    counts, missing = {name: Counter[str]() for name in packages}, []
    for file, about in sorted(found.items()):
        path = file.rpartition("src/")[2]
        name = path.split("/")[1].removesuffix(".py")
        if name in counts:
            counts[name].update({key: about["summary"][key] for key in _COUNTED})
            missing += _missing(path, about, explained)
    return {
        "packages": {name: [count[key] for key in _COUNTED] for name, count in counts.items()},
        "missing": missing,
    }


_COUNTED = ("num_statements", "missing_lines", "num_branches", "missing_branches")


def _missing(path: str, about: dict[str, Any], explained: dict[str, str]) -> list[dict[str, str]]:
    """Return each run of lines that no test runs, and each branch into lines that are run."""
    lines = (SOURCES / path).read_text(encoding="utf-8").splitlines()
    never = set(about["missing_lines"])
    firsts = [line for line in sorted(never) if line - 1 not in never]
    ways = [start for start, end in about["missing_branches"] if {start, end}.isdisjoint(never)]
    return [
        {
            "place": f"{path.removeprefix('baserate/')}:{line}",
            "line": lines[line - 1].strip(),
            "why": explained.get(f"{path} | {lines[line - 1].strip()}", ""),
        }
        for line in sorted({*firsts, *ways})
    ]
