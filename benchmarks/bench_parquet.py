"""Evaluate a folder of Parquet far larger than memory: seconds, processor seconds, peak memory.

    python benchmarks/bench_parquet.py --rows 10000000 100000000

Beside each question stands what DuckDB itself needs to count the same columns with as many threads,
and the ratio of processor seconds; beside a histogram of scores also the ratio to DuckDB's plain
`count(*) GROUP BY` of as many cells, `floor(s * 1024)` or, without groups, `floor(s * 16384)`.
Peak resident memory has to stay within 2 GiB; the exit code is 1 if it does not. The files (10
million rows each, scores of 53 random bits, 20 groups) lie in a temporary folder and are deleted
afterwards. This process stays small, because a child's peak starts at the size of the parent that
started it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT_MIB = 2048
STEP = 10_000_000  # rows of a file

MAKE = '''
import sys
import duckdb
folder, rows, step = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
QUERY = """
    SELECT (u < 0.2)::TINYINT AS y, (v < CASE WHEN u < 0.2 THEN 0.7 ELSE 0.1 END)::TINYINT AS p,
        v * 0.9 + CASE WHEN u < 0.2 THEN 0.1 ELSE 0 END AS s, 1.0::DOUBLE + i % 3 AS w,
        'group ' || (hash(i) % 20) AS g, CASE WHEN u < 0.2 THEN 'sick' ELSE 'healthy' END AS ty,
        CASE WHEN v < 0.3 THEN 'sick' ELSE 'healthy' END AS tp
    FROM (SELECT i, (hash(3 * i + 1) >> 11)::DOUBLE / 2**53 AS u,
            (hash(3 * i + 2) >> 11)::DOUBLE / 2**53 AS v
        FROM range(?, ?) AS t(i))
"""
with duckdb.connect(config={"preserve_insertion_order": False, "memory_limit": "1GiB"}) as engine:
    engine.execute("SET enable_progress_bar = false")  # it would be printed
    for k, first in enumerate(range(0, rows, step)):
        target = f"'{folder}/part-{k:04d}.parquet' (FORMAT parquet)"
        engine.execute(f"COPY ({QUERY}) TO {target}", [first, min(first + step, rows)])
'''

WATCHED = """
import json, os, resource, sys, time
given = json.loads(sys.argv[2])
def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime
%s
start, before = time.perf_counter(), used()
found = work(sys.argv[1])
seconds, cpu = time.perf_counter() - start, used() - before
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
peak = peak / 2**10 if sys.platform == "darwin" else peak
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "found": found}))
"""
OURS = (
    WATCHED
    % """
import baserate as br
import baserate.adapters.files
def work(path):
    return br.evaluate(path, target=given.pop("target"), **given).to_dict()["n"]
"""
)
PEER = (
    WATCHED
    % """
import duckdb
def work(path):
    settings = {"preserve_insertion_order": False, "memory_limit": "512MiB"}
    with duckdb.connect(config=settings | {"threads": min(8, os.cpu_count() or 1)}) as engine:
        engine.execute("SET enable_progress_bar = false")
        sql = f"SELECT {given['by']}, count(*) FROM read_parquet(?) GROUP BY ALL"
        return sum(row[-1] for row in engine.execute(sql, [path]).fetchall())
"""
)

CASES = {
    "prediction": ({"target": "y", "prediction": "p"}, "y, p"),
    "prediction, group": ({"target": "y", "prediction": "p", "groups": "g"}, "g, y, p"),
    "text labels, group": (
        {"target": "ty", "prediction": "tp", "groups": "g", "positive": "sick"},
        "g, ty, tp",
    ),
    "score at 0.5, group, weight": (
        {"target": "y", "score": "s", "threshold": 0.5, "groups": "g", "weight": "w"},
        "g, y, s >= 0.5, sum(w), sum(w * w)",
    ),
    "score at 0.5, and its histogram": (
        {"target": "y", "score": "s", "threshold": 0.5},
        "y, s >= 0.5",
    ),
    "score at 0.5, group, and its histogram": (
        {"target": "y", "score": "s", "threshold": 0.5, "groups": "g"},
        "g, y, s >= 0.5",
    ),
}
CELLS = {
    "score at 0.5, and its histogram": "y, floor(s * 16384)::INTEGER",
    "score at 0.5, group, and its histogram": "g, y, floor(s * 1024)::INTEGER",
}


def alone(code, *arguments):
    """Run code in a process of its own, whose peak is then its own."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout or "null")


def measured(rows, cases):
    """Print one table; return the worst peak in MiB."""
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        alone(MAKE, folder, rows, STEP)
        files = list(Path(folder).iterdir())
        size = sum(file.stat().st_size for file in files) / 2**30
        print(f"\n{rows:,} rows in {len(files)} files, {size:.2f} GiB of Parquet\n")
        print("| what | s | CPU s | peak MiB | DuckDB s | CPU s | peak MiB | ratio | of cells |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
        pattern = f"{folder}/*.parquet"
        for name in cases:
            roles, columns = CASES[name]
            peer = alone(PEER, pattern, json.dumps({"by": columns}))
            ours = alone(OURS, pattern, json.dumps(roles))
            assert peer["found"] == rows
            assert "weight" in roles or ours["found"] == rows
            worst = max(worst, ours["peak"])
            cells = [f"{one[key]:.{digits}f}" for one in (ours, peer)
                     for key, digits in (("seconds", 1), ("cpu", 1), ("peak", 0))]  # fmt: skip
            cells.append(f"{ours['cpu'] / peer['cpu']:.1f}")
            cells.append("")
            if name in CELLS:
                peer = alone(PEER, pattern, json.dumps({"by": CELLS[name]}))
                cells[-1] = f"{ours['cpu'] / peer['cpu']:.1f}"
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000, 100_000_000])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    asked = parser.parse_args()
    worst = max(measured(rows, asked.cases) for rows in asked.rows)
    verdict = "fine" if worst <= LIMIT_MIB else "TOO MUCH"
    print(f"\npeak {worst:,.0f} MiB of {LIMIT_MIB:,} MiB: {verdict}")
    return int(worst > LIMIT_MIB)


if __name__ == "__main__":
    sys.exit(main())
