"""Ask Parquet files several questions through engines: seconds, and the driver's peak memory.

    python benchmarks/bench_engines.py --rows 100000000 [--engines duckdb dask]

The files lie in a temporary folder and are deleted afterwards. The driver is the process that asks;
Dask's workers and Spark's executors are processes of their own, and so is the Java side of Spark's
driver, which is given 1 GiB. What a driver needs may not grow with the rows: beside its peak stands
that of the same job over a tenth of them.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter

PARTS = 8
ENGINES = ("duckdb", "polars", "dask", "spark")
QUESTIONS = {
    "prediction": {"prediction": "p"},
    "prediction, 20 groups": {"prediction": "p", "groups": "g"},
    "score, 20 groups": {"score": "s", "groups": "g", "threshold": 0.5, "missing": "drop"},
}
CASES = """
    SELECT hash(i) % 10 < 3 AS y, hash(i + 1) % 10 < 3 AS p, 'group ' || (i % 20) AS g,
        CASE WHEN hash(i + 3) % 50 > 0
            THEN pow((hash(i + 2) % 1000003) / 1000003::DOUBLE, CASE WHEN y THEN 0.5 ELSE 2 END)
        END AS s
    FROM range({}, {}) AS t(i)
"""
SPARK = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def make(folder, rows):
    import duckdb

    engine = duckdb.connect(config={"preserve_insertion_order": False, "memory_limit": "2GiB"})
    engine.execute("SET enable_progress_bar = false")
    for i in range(PARTS):
        cases = CASES.format(rows * i // PARTS, rows * (i + 1) // PARTS)
        engine.execute(f"COPY ({cases}) TO '{folder}/part-{i}.parquet' (FORMAT parquet)")


def opened_by_duckdb(folder, home):
    import duckdb

    engine = duckdb.connect(config={"memory_limit": "1GiB", "temp_directory": home})
    return engine.read_parquet(f"{folder}/*.parquet")


def opened_by_polars(folder, _home):
    import polars as pl

    return pl.scan_parquet(f"{folder}/*.parquet")


def opened_by_dask(folder, home):
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    how = {"dashboard_address": None, "local_directory": home}
    Client(LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **how))
    return dd.read_parquet(folder)


def opened_by_spark(folder, home):
    import pyspark
    from pyspark.sql import SparkSession

    for part in ("bin", "jars", "python", "sbin"):  # executors work where Spark lies
        Path(home, part).symlink_to(Path(pyspark.__file__).parent / part)
    os.environ |= {"SPARK_HOME": home, "SPARK_LOCAL_DIRS": home, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session.read.parquet(folder)


def ask(engine, folder, home):
    """Ask everything, and print what it took."""
    warnings.simplefilter("ignore")
    import baserate as br

    start = perf_counter()
    data = globals()[f"opened_by_{engine}"](folder, home)
    took, peaks, found = {"start": perf_counter() - start}, {"start": peak()}, []
    for name, roles in QUESTIONS.items():
        start = perf_counter()
        answer = br.evaluate(data, target="y", metrics="recall, precision", **roles)
        took[name], peaks[name] = perf_counter() - start, peak()
        found.append([group.table.to_dict() for group in (answer, *answer.facts.groups)])
        print(name, took[name], peaks[name], file=sys.stderr, flush=True)
    print(json.dumps({"took": took, "peak": peaks, "found": found}))


def peak():
    """Return the most memory that this process has had, in MiB."""
    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kib / (2**20 if sys.platform == "darwin" else 2**10)


def measured(engine, folder):
    """Ask in a process of its own."""
    with tempfile.TemporaryDirectory() as home:
        asked = [sys.executable, __file__, "--ask", engine, str(folder), home]
        done = subprocess.run(asked, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{engine} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--ask", nargs=3, metavar=("ENGINE", "FOLDER", "HOME"))
    asked = parser.parse_args()
    if asked.ask:
        ask(*asked.ask)
        return
    with tempfile.TemporaryDirectory() as scratch:
        few, many = Path(scratch, "few"), Path(scratch, "many")
        for folder, rows in ((few, asked.rows // 10), (many, asked.rows)):
            folder.mkdir()
            make(folder, rows)
        size = sum(path.stat().st_size for path in many.iterdir()) / 2**20
        print(f"{asked.rows:,} rows, {PARTS} files, {size:,.0f} MiB")
        answers = set()
        for engine in asked.engines:
            before, found = measured(engine, few), measured(engine, many)
            times = ", ".join(f"{name} {took:.1f} s" for name, took in found["took"].items())
            peaks = f"{found['peak']:,.0f} MiB (of a tenth {before['peak']:,.0f})"
            print(f"{engine}: {times}; driver's peak {peaks}", flush=True)
            answers.add(json.dumps(found["found"]))
        print("the same answers" if len(answers) == 1 else f"ANSWERS DIFFER: {answers}")


if __name__ == "__main__":
    main()
