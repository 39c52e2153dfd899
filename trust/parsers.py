"""Targets of fuzzing that read text and bytes from users: each raises for a finding only.

A finding is anything but a right answer or an error of ours. What an answer says is checked where
there is a simple rule: a table has no negative count, what was saved loads as the same.
"""

import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from math import isfinite
from pathlib import Path

Target = Callable[[bytes], None]
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@contextmanager
def kept() -> Iterator[None]:
    """Let errors of ours pass, and nothing else; a warning is a finding too."""
    from baserate.errors import BaserateError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # ours, which say what to look at
        try:
            yield
        except BaserateError as error:
            said = str(error)
            if not said or "Traceback" in said:
                raise AssertionError(f"an error that explains nothing: {said!r}") from error


def text_of(data: bytes) -> str:
    """Return the bytes as text, whatever they are."""
    return data.decode("utf-8", "replace")


def metric_formula(data: bytes) -> None:
    """Names and formulas of metrics, as on the command line."""
    import baserate as br

    with kept():
        metric = br.metrics.get(text_of(data))
        if isinstance(metric, br.metrics.Metric):
            value = metric(br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=4))
            assert value != value or isfinite(value), (metric, value)


def list_of_metrics(data: bytes) -> None:
    """Lists of metrics with commas, parentheses and quotes between."""
    from baserate.evaluation.metric_choice import split_names

    with kept():
        names = split_names(text_of(data))
        assert all(isinstance(name, str) for name in names)


def contract(data: bytes) -> None:
    """What `--fail-under` demands."""
    from baserate.cli._contract import contracts

    with kept():
        contracts([text_of(data)], [text_of(data)[::-1]])


def list_of_numbers(data: bytes) -> None:
    """Numbers and fractions with commas between."""
    from baserate.cli._options import numbers

    with kept():
        numbers(text_of(data))


def costs(data: bytes) -> None:
    """What errors cost, as `fp=1,fn=20`."""
    import baserate as br

    tables = {
        "a": br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=4),
        "b": br.ConfusionMatrix(tp=2, fn=2, fp=1, tn=5),
    }
    with kept():
        br.compare(tables, cost=text_of(data))


def utilities_toml(data: bytes) -> None:
    """Utilities in TOML."""
    _utilities(data, ".toml")


def utilities_csv(data: bytes) -> None:
    """Utilities in CSV."""
    _utilities(data, ".csv")


def _utilities(data: bytes, suffix: str) -> None:
    import baserate as br

    with kept(), _file(data, suffix) as path:
        found = br.UtilityMatrix.from_file(path)
        assert all(isfinite(x) for row in found.matrix for x in row)


def settings(data: bytes) -> None:
    """A `baserate.toml` for every command."""
    from baserate.cli._app import COMMANDS
    from baserate.cli._config import configuration

    with kept(), tempfile.TemporaryDirectory(dir=MEMORY) as home, _inside(home):
        Path("baserate.toml").write_bytes(data)
        configuration(COMMANDS)


def histogram_json(data: bytes) -> None:
    """A histogram of scores in JSON."""
    _histogram(data, ".json")


def histogram_arrow(data: bytes) -> None:
    """A histogram of scores in Arrow."""
    _histogram(data, ".arrow")


def _histogram(data: bytes, suffix: str) -> None:
    import baserate as br

    with kept(), _file(data, suffix) as path:
        found = br.ScoreHistogram.load(path)
        assert found.n_missing >= 0
        found.save(path)
        assert repr(br.ScoreHistogram.load(path)) == repr(found)


def counts_file(data: bytes) -> None:
    """Counts of two classes in any format; a table for each row."""
    from baserate.adapters.counts_file import read_counts

    with kept():
        for row in read_counts(BytesIO(data)):
            assert min(row.tp, row.fn, row.fp, row.tn) >= 0


def class_counts_file(data: bytes) -> None:
    """Counts of several classes, square, long or in JSON."""
    from baserate.adapters.class_counts_file import read_class_counts

    with kept():
        assert read_class_counts(BytesIO(data)).n >= 0


def table_file(data: bytes) -> None:
    """A table of cases: first bytes, columns, labels, counts."""
    import baserate as br

    with kept():
        found = br.evaluate(BytesIO(data), target="y", prediction="p", metrics=["recall"])
        json.dumps(found.to_dict(), allow_nan=False)


@contextmanager
def _file(data: bytes, suffix: str) -> Iterator[str]:
    with tempfile.NamedTemporaryFile(suffix=suffix, dir=MEMORY) as file:
        file.write(data)
        file.flush()
        yield file.name


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


# Valid inputs that mutations start from: without them a fuzzer stays at the first "if".
SEEDS: dict[str, list[bytes]] = {
    "metric_formula": [
        b"mcc", b"F-1 ", b"robust_mcc(d=0.05)", b"f_beta(3)", b"tpr.at_base_rate(0.5)",
        b"utility([[1, -20], [0, 0]])", b"macro_f1", b"weighted_kappa(quadratic)", b"net_benefit(threshold=1e-3)",
    ],
    "list_of_metrics": [b"mcc,f1", b"robust_f(d0=0.1, d1=2),recall", b"all", b"utility([[1,-2],[0,0]])"],
    "contract": [b"recall=0.8", b"f1=0.5@low", b"robust_mcc(d=0.1)=0.2@high@groups", b"mcc=1e-3@groups"],
    "list_of_numbers": [b"1/80", b"0.1,2e-3, 1/3", b"-1", b"1e400"],
    "costs": [b"fp=1,fn=20", b"fp=0.5, fn=2, tp=-1", b"fn=1e308"],
    "utilities_toml": [
        b'positive = "ill"\n[utilities]\ntreat = {ill = 10, well = -1}\nwait = {ill = -20, well = 0}\n',
        b"[utilities.a]\nx = 1\ny = 2\n[utilities.b]\nx = 0.5\ny = -inf\n",
    ],
    "utilities_csv": [b"decision,ill,well\ntreat,10,-1\nwait,-20,0\n", b'd;"a;b";c\nx;1;2\ny;3;4\nz;5;6\n'],
    "settings": [
        b'positive = "yes"\nmetrics = ["recall", "mcc"]\n[evaluate]\nfail_under = ["recall=0.8@low"]\n',
        b"base-rate = [0.1, 0.2]\n[compare]\ncost = 'fp=1,fn=2'\n",
    ],
    "counts_file": [
        b"tp,fn,fp,tn\n1,2,3,4\n", b"site,tp,fn,fp,tn\nnorth,35,5,10,50\nsouth,1e3,2,0,7\n",
        b'{"tp": 1, "fn": 2, "fp": 3, "tn": 4}\n', b"tp\tfn\tfp\ttn\n0\t0\t0\t0\n",
    ],
    "class_counts_file": [
        b"truth,cat,dog,fox\ncat,5,1,0\ndog,0,4,2\nfox,1,1,9\n",
        b"truth,prediction,n\ncat,cat,5\ncat,dog,1\ndog,dog,4\ndog,cat,2\n",
        b'{"classes": ["a", "b", "c"], "matrix": [[5, 1, 0], [0, 4, 2], [1, 1, 9]]}',
    ],
    "table_file": [
        b"y,p\n1,1\n0,1\n1,0\n0,0\n", b'y,p\n"yes",no\nno,no\nyes,"yes"\n', b'{"y": true, "p": false}\n{"y": false, "p": false}\n',
        b"\xef\xbb\xbfy;p\r\n1;0\r\n0;0\r\n", b"y\tp\n1\t1\n0\t0\n", b"y,p\n2,1\n3,3\n1,2\n",
    ],
    "histogram_json": [], "histogram_arrow": [],
}  # fmt: skip

TARGETS: dict[str, Target] = {
    f.__name__: f
    for f in (
        metric_formula, list_of_metrics, contract, list_of_numbers, costs, utilities_toml,
        utilities_csv, settings, histogram_json, histogram_arrow, counts_file, class_counts_file,
        table_file,
    )
}  # fmt: skip


def seeds(name: str) -> list[bytes]:
    """Return valid inputs of a target; histograms are written anew, as their format grows."""
    if not name.startswith("histogram"):
        return SEEDS[name]
    import baserate as br

    made = br.ScoreHistogram().add([0, 1, 1, 0], [0.1, 0.4, 0.9, 0.4])
    with _file(b"", f".{name.rpartition('_')[2]}") as path:
        made.save(path)
        return [Path(path).read_bytes()]
