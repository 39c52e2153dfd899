"""The engines that hold one awkward data set, among them a Dask and a Spark cluster of processes.

Each cluster starts once. An engine that the machine lacks is skipped, and says so.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from engines.rows import arrow_table, write_parquet

CLUSTERS = ("dask", "spark", "Spark")
# Warnings that other packages raise, and why they are none of ours.
IGNORED = (
    # narwhals 2.29 announces a package that cannot be installed yet.
    "ignore:Dask support is moving out of Narwhals:FutureWarning",
    # Ibis 12 calls DuckDB by a name that DuckDB 2 renames.
    r"ignore:fetch_arrow_table\(\) is deprecated:DeprecationWarning",
)
SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Short lives: the second compiler of Java never pays.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave clusters to the slow run, since they take long to start; let other packages warn."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            if any(cluster in item.nodeid for cluster in CLUSTERS):
                item.add_marker(pytest.mark.slow)
            for warning in IGNORED:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture(scope="session")
def parts(tmp_path_factory):
    """Return a folder of Parquet files."""
    return write_parquet(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """Dask's workers, two processes."""
    pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    how = {"local_directory": str(tmp_path_factory.mktemp("dask")), "dashboard_address": ":0"}
    workers = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **how)
    with workers, distributed.Client(workers) as client:
        yield client


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A Spark session with a master, two workers and two executors, each a process of its own."""
    pyspark = pytest.importorskip("pyspark")
    if which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java here: apt-get install default-jre-headless")
    from pyspark.sql import SparkSession

    home = tmp_path_factory.mktemp("spark")
    for part in ("bin", "jars", "python", "sbin"):
        (home / part).symlink_to(Path(pyspark.__file__).parent / part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))  # executors work below it
        patch.setenv("SPARK_LOCAL_DIRS", str(home / "scratch"))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").config(
            "spark.sql.warehouse.dir", str(home / "warehouse")
        )
        for name, value in SPARK.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def _pandas(backend):
    with np.errstate(invalid="ignore"):  # pandas casts infinity to see whether it is whole
        return arrow_table().to_pandas().convert_dtypes(dtype_backend=backend)


def _duckdb(parts):
    import duckdb

    return duckdb.connect().read_parquet(str(parts / "*.parquet"))


def _ibis(parts):
    import duckdb
    import ibis

    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE cases AS FROM read_parquet('{parts}/*.parquet')")
    return ibis.duckdb.from_connection(connection).table("cases")


def _polars():
    import polars as pl

    return pl.DataFrame(arrow_table())


def _scanned(parts):
    import polars as pl

    return pl.scan_parquet(parts / "*.parquet")


def _batch():
    [batch] = arrow_table().combine_chunks().to_batches()
    return batch


def _dask(parts):
    import dask.dataframe as dd

    return dd.read_parquet(parts, split_row_groups=False)


def _dask_typed(parts):
    import dask.dataframe as dd

    return dd.read_parquet(parts, dtype_backend="pyarrow", split_row_groups=False)


ENGINES = {
    "pandas": lambda _parts: arrow_table().to_pandas(),
    "pandas nullable": lambda _parts: _pandas("numpy_nullable"),
    "pandas pyarrow": lambda _parts: _pandas("pyarrow"),
    "polars": lambda _parts: _polars(),
    "polars lazy": _scanned,
    "pyarrow table": lambda _parts: arrow_table(),
    "pyarrow batch": lambda _parts: _batch(),
    "pyarrow reader": lambda _parts: arrow_table().to_reader(),
    "duckdb": _duckdb,
    "ibis": _ibis,
    "dask": _dask,
    "dask pyarrow": _dask_typed,
    "pyspark": None,
}


LAZY = ("polars lazy", "duckdb", "ibis", "dask", "pyspark")


@pytest.fixture(params=ENGINES)
def frame(request, parts):
    """Return what makes a frame of the engine anew, since some are read once."""
    name = request.param
    package = name.split()[0]
    if package == "pyspark":
        session = request.getfixturevalue("spark")
        return lambda: session.read.parquet(str(parts))
    if package == "dask":
        request.getfixturevalue("cluster")
    elif find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    return lambda: ENGINES[name](parts)
