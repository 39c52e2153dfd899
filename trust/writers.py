"""Every command with every format of file that it writes, on data small enough to be quick."""

from pathlib import Path

import baserate as br

ROWS = "y,p,q,s,g\n" + "1,1,0,.9,a\n0,1,0,.6,b\n1,0,1,.2,a\n0,0,0,.1,b\n" * 3
COUNTS = "model,tp,fn,fp,tn\nold,3,1,2,4\nnew,4,1,1,4\n"
CELLS = '[{"model": "old", "tp": 1, "fn": 2, "fp": 3, "tn": 4}]'
REPORTS = (".html", ".json", ".md", ".txt")
TABLE = ["d.csv", "--target", "y"]
# What each command reads, the first of it first.
READING = {
    "evaluate": [*TABLE, "--prediction", "p"],
    "evaluate --score": [*TABLE, "--score", "s", "--threshold", ".5"],
    "evaluate --counts": ["c.csv", "--counts"],
    "evaluate of a histogram": ["h.arrow", "--threshold", ".5"],
    "audit": [*TABLE, "--prediction", "p", "--group", "g"],
    "audit --counts": ["c.csv", "--counts"],
    "compare": [*TABLE, "--prediction", "p", "--prediction", "q"],
    "compare --counts": ["c.csv", "--counts", "--base-rate", ".5"],
    "compare of two files": ["h.arrow", "k.json", "--threshold", ".5"],
    "threshold": [*TABLE, "--score", "s", "--resamples", "3"],
    "threshold of a histogram": ["h.arrow", "--resamples", "3"],
}
TALKING = {
    "metrics": [],
    "baseline": ["--positives", "3", "--negatives", "4"],
    "sample-size": ["--base-rate", ".1", "--auc", ".8"],
}
COUNTING = {
    "count": ([*TABLE, "--prediction", "p"], (".csv", ".json")),
    "count --score": ([*TABLE, "--score", "s"], (".arrow", ".json")),
    "merge": (["h.arrow", "k.json"], (".arrow", ".json")),
    "merge of tables": (["t.csv", "u.json"], (".csv", ".json")),
}
PICTURED = ("evaluate --score", "audit", "compare", "threshold")


def writing() -> dict[str, list[str]]:
    """Return the words of every command that writes a file r.*, by what it does."""
    found = {}
    for name, words in (READING | TALKING).items():
        for suffix in REPORTS:
            found[f"{name}, {suffix}"] = [name.split()[0], *words, "--output", f"r{suffix}"]
    for name, (words, suffixes) in COUNTING.items():
        for suffix in suffixes:
            found[f"{name}, {suffix}"] = [name.split()[0], *words, "--output", f"r{suffix}"]
    return found


def drawing(*suffixes: str) -> dict[str, list[str]]:
    """Return the words of every command that draws a picture r.* beside a report r.json."""
    return {
        f"{name}, {suffix}": [
            *(name.split()[0], *READING[name]),
            *("--output", "r.json", "--plot", f"r{suffix}"),
        ]
        for name in PICTURED
        for suffix in suffixes
    }


def fill(folder: Path) -> None:
    """Write what the commands read."""
    for name, text in {"d.csv": ROWS, "c.csv": COUNTS, "t.csv": COUNTS, "u.json": CELLS}.items():
        (folder / name).write_text(text)
    for name, last in {"h.arrow": 0.2, "k.json": 0.4}.items():
        histogram = br.ScoreHistogram()
        histogram.add([1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.8, 0.1, 0.3, last]).save(folder / name)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what every file of a folder holds, hidden ones too."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
