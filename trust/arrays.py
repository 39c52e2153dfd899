"""Call everything public with one bad argument, or two, and see that it answers or refuses.

An answer, or one of the library's own exceptions: never an exception of another library, a warning
of NumPy, pandas or SciPy, a changed argument, or an endless computation.
"""

import argparse
import json
import pickle
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import baserate as br
from baserate.errors import BaserateError
from trust.calls import Call, calls
from trust.hostile import ALONE, Maker, variants

RECORD = Path(__file__).with_name("arrays.json")
SECONDS = 20  # beyond which an answer counts as endless
MEMORY = 6 << 30
OURS = ("DataConversionWarning", "UndefinedMetricWarning", "UserWarning")
TOLD = ("taken as one entry per case", "is never better than")  # warnings of ours, at any place
CODE = f"{Path(__file__).parents[1]}/src/baserate/"


PLUMBING = {"ax", "progress", "plot", "memory", "copy", "options", "name"}  # hold no data
CALLED = {"estimator", "score"}  # of calls that only pass data on to these


class Endless(Exception):  # noqa: N818
    """A call took too long."""


def _ring(*_: Any) -> None:
    raise Endless


def fault(call: Call, arguments: dict[str, Any]) -> str | None:
    """Return what a call did that it must not do; None if it answered, or refused properly."""
    before = {name: _picture(value) for name, value in arguments.items()}
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            call.made(arguments)
    except BaserateError as refusal:
        try:
            str(refusal).encode("utf-8", "surrogatepass")
        except Exception as error:  # noqa: BLE001
            return f"unspeakable refusal: {error!r}"
    except Endless as error:
        return f"endless at {_place(error)}"
    except Exception as error:  # noqa: BLE001
        there = call.wraps_an_estimator and _raised_there(error)
        return None if there else f"{type(error).__name__} at {_place(error)}: {str(error)[:100]}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    for warning in raised:
        if not _is_ours(warning):
            where = warning.filename.replace(CODE, "")
            return f"warned {warning.category.__name__} at {where}: {str(warning.message)[:100]}"
    for name, picture in before.items():
        if picture is not None and picture != _picture(arguments[name]):
            return f"changed its argument {name}"
    return None


def _is_ours(warning: warnings.WarningMessage) -> bool:
    return (warning.category.__name__ in OURS and not warning.filename.startswith(CODE)) or any(
        told in str(warning.message) for told in TOLD
    )


def _raised_there(error: BaseException) -> bool:
    """Whether scikit-learn says what is wrong with data, as its protocol has it."""
    names = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    last = max((k for k, name in enumerate(names) if name.startswith(CODE)), default=-1)
    return any("/sklearn/" in name for name in names[last + 1 :])


def _place(error: BaseException) -> str:
    """Return the innermost place of the library in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith(CODE)]
    if not own:
        return "its call"
    return f"{own[-1].filename.replace(CODE, '')}:{own[-1].lineno} {own[-1].name}"


def _picture(value: Any) -> bytes | None:
    """Return what an argument holds, to be compared afterwards; None if it cannot be told."""
    if isinstance(value, np.ma.MaskedArray):
        return None if value is np.ma.masked else pickle.dumps((value.data, value.mask))
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.tobytes()
    if isinstance(value, (pd.Series, pd.DataFrame)):  # their pickles also hold what they remember
        return repr((value.to_numpy().tolist(), value.index, value.dtypes)).encode()
    if isinstance(value, (list, tuple, dict, set, np.ndarray)):
        try:
            return pickle.dumps(value)
        except Exception:  # noqa: BLE001  what cannot be pickled is not compared
            return None
    return None


COUNTS = (0, 1, 2, 3, 2**53 + 1, 2**63 - 1, 10**18, 10**30, 0.5, 1e-50, 1e50, 7, 40)


def counts(data: bytes) -> None:
    """Metrics, intervals and p-values of any four counts: an answer, or a refusal."""
    cells = [COUNTS[byte % len(COUNTS)] for byte in data[:4].ljust(4, b"\0")]
    names = [m.name for m in br.metrics.CATALOGUE]
    metric = names[data[4] % len(names)] if len(data) > 4 else "f1"
    with suppress(BaserateError), warnings.catch_warnings():
        warnings.simplefilter("error")
        table = br.ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
        value = br.metrics.get(metric)(table)
        assert not np.isinf(value), (metric, table, value)
        if len(data) > 5 and data[5] % 4 == 0 and table.n < 10**4:
            found = br.interval(metric, table)
            assert np.isnan(found.low) or found.low <= found.value <= found.high, found


def one_spoiled(data: bytes) -> None:
    """Any call with one or two spoiled arguments."""
    draw = random.Random(data)
    call = draw.choice(_calls())
    title, bad = two_bad(call, draw)
    assert not (wrong := tried(call, bad)), f"{call.name}({title}): {wrong}"


@cache
def _calls() -> list[Call]:
    return calls()


TARGETS = {"counts_to_values": counts, "spoiled_arguments": one_spoiled}
INPUTS = {"counts_to_values": 200_000, "spoiled_arguments": 20_000}


def seeds(_: str) -> list[bytes]:
    """Return valid inputs of a target: any bytes are."""
    return [bytes(6), b"\x03\x02\x01\x04\x07\x04", b"\x0b\x05\x06\x0a\x10\x01"]


def one_bad(call: Call) -> Iterator[tuple[str, dict[str, Maker]]]:
    """Yield each argument's hostile values, by name."""
    for argument, good in call.attacked().items():
        if argument in PLUMBING or (call.wraps_an_estimator and argument in CALLED):
            continue
        for name, make in variants(good):
            yield f"{argument}: {name}", {argument: make}


def two_bad(call: Call, draw: random.Random) -> tuple[str, dict[str, Maker]]:
    """Return hostile values for two arguments at random."""
    left = PLUMBING | (CALLED if call.wraps_an_estimator else set[str]())
    attacked = {name: good for name, good in call.attacked().items() if name not in left}
    chosen = draw.sample(sorted(attacked), min(2, len(attacked)))
    picked = {a: draw.choice(list(variants(attacked[a]))) for a in chosen}
    title = ", ".join(f"{a}: {name}" for a, (name, _) in picked.items())
    return title, {a: make for a, (_, make) in picked.items()}


def tried(call: Call, bad: dict[str, Maker]) -> str | None:
    """Make a call with these arguments spoiled; a value that cannot be made is left out."""
    try:
        made = {name: make() for name, make in bad.items()}
    except Exception:  # noqa: BLE001  not every column wears every dress
        return ""
    return fault(call, {**call.arguments, **made})


def main() -> int:
    """Attack, print each kind of fault once, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="calls whose name contains this")
    parser.add_argument("--step", type=int, default=1, help="of the single values, one in so many")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=0, help="how many pairs of bad arguments")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    began, every = time.monotonic(), [c for c in calls() if given.only in c.name]
    found: dict[str, list[str]] = {}
    sizes: Counter[str] = Counter()
    draw = random.Random(given.seed)
    singles = ((c, *bad) for c in every for bad in one_bad(c))
    chosen = (x for k, x in enumerate(singles) if k % given.step == given.start)
    pairs = ((c, *two_bad(c, draw)) for c in draw.choices(every, k=given.pairs))
    for kind, attacks in (("single", chosen), ("pairs", pairs)):
        for call, title, bad in attacks:
            if kind == "pairs" or given.step:
                wrong = tried(call, bad)
                sizes[kind] += wrong != ""
                if wrong:
                    found.setdefault(wrong.partition(": ")[0], []).append(
                        f"{call.name}({title}): {wrong}"
                    )
    seconds = round(time.monotonic() - began)
    for place, examples in sorted(found.items()):
        print(f"{len(examples):6d}  {place}\n          {examples[0]}\n          {examples[-1]}")
    print(f"{dict(sizes)} calls of {len(every)}, {seconds} s, {len(found)} kinds of fault")
    if given.write:
        record = {"calls": dict(sizes), "callables": len(every), "values": len(ALONE),
                  "seconds": seconds, "faults": found}  # fmt: skip
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
