"""Count a Parquet file far larger than memory allows: seconds, and the peak memory of the process.

    python benchmarks/bench_parquet.py --rows 100000000

Peak resident memory has to stay within 1 GiB; the exit code is 1 if it does not. The file lives in
a temporary folder and is deleted afterwards. Beside it stands the floor: a process that does the
imports and counts a thousand rows. This process stays small, because a child's peak starts at the
size of the parent that started it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT_MIB = 1024

MAKE = '''
import sys
import duckdb
path, rows = sys.argv[1:]
QUERY = """
    SELECT (hash(i) % 10 < 3)::TINYINT AS y, (hash(i + 1) % 10 < 3)::TINYINT AS p,
        (hash(i + 2) % 1000003) / 1000003.0::DOUBLE AS s, 1.0::DOUBLE + i % 3 AS w,
        'group ' || (i % 50) AS g,
        CASE WHEN hash(i) % 10 < 3 THEN 'sick' ELSE 'healthy' END AS ty,
        CASE WHEN hash(i + 1) % 10 < 3 THEN 'sick' ELSE 'healthy' END AS tp
    FROM range(?) AS t(i)
"""
with duckdb.connect(config={"preserve_insertion_order": False, "memory_limit": "2GiB"}) as engine:
    engine.execute("SET enable_progress_bar = false")  # it would be printed
    engine.execute(f"COPY ({QUERY}) TO '{path}' (FORMAT parquet)", [int(rows)])
'''

TALLY = """
import json, resource, sys, time
from baserate.adapters.files import read_file
path, roles = sys.argv[1:]
start = time.perf_counter()
cases = read_file(path, **json.loads(roles))
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
peak = peak / 2**10 if sys.platform == "darwin" else peak
found = {"seconds": seconds, "peak_mib": peak}
print(json.dumps({**found, "n": cases.n, "cells": len(cases.count)}))
"""

CASES = {
    "prediction": {"target": "y", "predictions": ["p"]},
    "score": {"target": "y", "scores": ["s"], "hold": 0},
    "score, group, weight": {
        "target": "y",
        "scores": ["s"],
        "hold": 0,
        "groups": ["g"],
        "weight": "w",
    },
    "text labels, group": {"target": "ty", "predictions": ["tp"], "groups": ["g"]},
}


def alone(code, *arguments):
    """Run code in a process of its own, whose peak is then its own."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout or "null")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    rows = parser.parse_args().rows
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.parquet"), Path(folder, "large.parquet")
        alone(MAKE, small, 1_000)
        alone(MAKE, large, rows)
        print(f"{rows:,} rows, {large.stat().st_size / 2**20:,.0f} MiB of Parquet")
        floor = alone(TALLY, small, json.dumps(CASES["prediction"]))
        print(f"{'floor (1,000 rows)':24} {floor['seconds']:7.2f} s {floor['peak_mib']:7.0f} MiB")
        for name, roles in CASES.items():
            found = alone(TALLY, large, json.dumps(roles))
            assert found["n"] == rows, found
            worst = max(worst, found["peak_mib"])
            rate = rows / found["seconds"] / 1e6
            print(
                f"{name:24} {found['seconds']:7.2f} s {found['peak_mib']:7.0f} MiB "
                f"{rate:7.1f} million rows/s, {found['cells']} cells"
            )
    verdict = "fine" if worst <= LIMIT_MIB else "TOO MUCH"
    print(f"peak {worst:,.0f} MiB of {LIMIT_MIB:,} MiB: {verdict}")
    return int(worst > LIMIT_MIB)


if __name__ == "__main__":
    sys.exit(main())
