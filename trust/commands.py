"""Targets of fuzzing that run whole commands in this process, with words and files nobody would send.

An input is a list of words, one a line, and after each empty line a file: data.csv, more.csv and
settings in baserate.toml. A finding is anything but an exit code of 0 to 2; when it is 2, anything
but one line on standard error and nothing elsewhere; in any case files that were changed, left
behind or half written, or reports that no parser reads.
"""

import io
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from trust.files import inside_folder, one_engine

Target = Callable[[bytes], None]
FILES = ("data.csv", "more.csv", "baserate.toml")
WRITTEN = ("out", "picture")  # names that a report may take, with any suffix
# Words that lead out of the folder, or to hours of work that was asked for.
ASTRAY = re.compile(r"(^|[=,:\s])[/~]|\.\.|//|\d{5}|[1-9]e\+?\d{2}|\*\*|^-$")
# What atheris says of itself on the way.
INSTRUMENTED = re.compile(r"^INFO: Instrumenting .*\n", re.MULTILINE)


class Outcome(NamedTuple):
    """What a command left."""

    code: int
    out: bytes
    err: str
    files: dict[str, bytes]


def command(name: str, data: bytes) -> None:
    """Run one command with the words and in a folder of the files that an input holds."""
    head, *bodies = data.split(b"\n\n", len(FILES))
    words = [line.decode("utf-8", "replace") for line in head.split(b"\n")]
    if any(ASTRAY.search(word) or "\0" in word for word in words):
        return
    given = {file: body for file, body in zip(FILES, bodies, strict=False) if body}
    found = outcome([name, *words], given)
    check(found, given, words)


def outcome(words: list[str], given: dict[str, bytes]) -> Outcome:
    """Run a command in a folder of its own; errors that it does not catch are findings."""
    from baserate.cli import main

    with inside_folder(), one_engine(), _streams() as (out, err):
        for name, body in given.items():
            Path(name).write_bytes(body)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("always", UserWarning)  # ours, which say what to look at
            code = main(words)
        out.flush()
        err.flush()
        written = {x.name: x.read_bytes() for x in Path().iterdir()}
        return Outcome(
            code,
            out.buffer.getvalue(),
            INSTRUMENTED.sub("", err.buffer.getvalue().decode()),
            written,
        )


def check(found: Outcome, given: dict[str, bytes], words: list[str]) -> None:
    """Raise if a command broke what every command promises."""
    assert found.code in {0, 1, 2}, found.code
    new = {name: body for name, body in found.files.items() if name not in given}
    assert {name: found.files.get(name) for name in given} == given, "an input was changed"
    told = found.err.splitlines()
    assert all(line.startswith("baserate: ") and line.isprintable() for line in told), found.err
    if found.code == 2:
        errors = [line for line in told if not line.startswith("baserate: warning: ")]
        assert len(errors) == 1, found.err
        assert not found.out, "something was printed before the error"
        assert not new, f"written before the error: {[*new]}"
    assert not any(name.startswith(".") and not _named(name, words) for name in new), [*new]
    assert "Traceback" not in found.err, found.err
    for body in (found.out, *new.values()):
        readable(body)


def _named(name: str, words: list[str]) -> bool:
    return any(name in word for word in words)


def readable(body: bytes) -> None:
    """Raise if a report is of a known form, and cannot be read."""
    if body.lstrip().startswith(b"{"):
        json.loads(body.decode(), parse_constant=_refuse)
    elif body.startswith(b"<!"):
        page = HTMLParser()
        page.feed(body.decode())
        page.close()


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@contextmanager
def _streams() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    made = tuple(io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(3))
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = made
    try:
        yield made[1:]
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


CASES = b"""y,p,q,s,r,g,w,f,c
1,1,1,0.9,0.8,a,1,1,1
0,0,1,0.2,0.6,a,2,1,1
1,0,1,0.4,0.7,b,1,2,2
0,0,0,0.1,0.3,b,0.5,2,2
1,1,0,0.8,0.2,a,1,1,3
0,1,0,0.7,0.1,b,3,2,3
"""
CLASSES = b"""y,p,q,p_a,p_b,p_c,g
a,a,b,0.7,0.2,0.1,u
b,b,b,0.1,0.8,0.1,u
c,a,c,0.4,0.3,0.3,v
a,b,a,0.3,0.6,0.1,v
b,b,c,0.2,0.5,0.3,u
c,c,c,0.1,0.1,0.8,v
"""
COUNTS = b"site,tp,fn,fp,tn\nnorth,35,5,10,50\nsouth,20,9,4,70\n"
LONG = b"truth,prediction,n\na,a,5\na,b,1\nb,b,4\nb,a,2\nc,c,3\nc,a,1\n"
SQUARE = b"truth,a,b,c\na,5,1,0\nb,0,4,2\nc,1,1,9\n"
UTILITY = b"decision,1,0\ntreat,10,-1\nwait,-20,0\n"
SETTINGS = b'positive = "1"\nmissing = "drop"\n[evaluate]\nmetrics = ["recall", "mcc"]\n'

# What follows the command, then its files: options with = stay together when lines are mixed.
SEEDS: dict[str, list[tuple[str, tuple[bytes, ...]]]] = {
    "evaluate": [
        ("data.csv --target=y --prediction=p", (CASES,)),
        ("data.csv --target=y --score=s --threshold=0.5 --group=g --format=json", (CASES,)),
        ("data.csv --target=y --score=s --threshold=mcc --fold=f --weight=w", (CASES,)),
        ("data.csv --target=y --prediction=p --cluster=c --id=f --output=out.html", (CASES,)),
        (
            "data.csv --target=y --prediction=p --fail-under=recall=0.8@low@groups --group=g",
            (CASES,),
        ),
        ("data.csv --target=y --prediction=p --interval=wilson --details --missing=drop", (CASES,)),
        ("data.csv --target=y --prediction=p --guess=0.3 --base-rate=0.5 --p-value=sup", (CASES,)),
        ("data.csv --target=y --prediction=p --positive=a --metrics=f1,mcc", (CLASSES,)),
        ("data.csv --target=y --prediction=p --fail-under=macro_f1=0.5@classes", (CLASSES,)),
        ("data.csv --target=y --score=s --require=brier_score<=0.3@high", (CASES,)),
        ("data.csv --target=y --score=p_* --top=2 --format=markdown", (CLASSES,)),
        ("data.csv --counts --metrics=all --confidence=0.9", (COUNTS,)),
        ("data.csv --counts --plot=picture.svg", (SQUARE,)),
        ("data.csv --target=y --prediction=p --utility=more.csv", (CASES, UTILITY)),
        ("data.csv --target=y --prediction=p", (CASES, b"", SETTINGS)),
        (
            "*.csv --target=y --prediction=p --replicate-weights=w --replicate-scale=1/2",
            (CASES, CASES),
        ),
    ],
    "audit": [
        ("data.csv --target=y --prediction=p --group=g --format=json", (CASES,)),
        (
            "data.csv --target=y --prediction=p --group=g --reference=a --alpha=0.1 --gap=0.2",
            (CASES,),
        ),
        ("data.csv --target=y --score=s --group=g --weight=w --fail-on-difference", (CASES,)),
        ("data.csv --target=y --prediction=p --group=g --require=ratio(ppr)>=0.8", (CASES,)),
        (
            "data.csv --target=y --prediction=p --group=g --cluster=c --adjust=holm --details",
            (CASES,),
        ),
        ("data.csv --target=y --prediction=p --group=g --output=out.md", (CLASSES,)),
        ("data.csv --counts --reference=overall --known-reference --strength=2", (COUNTS,)),
        ("data.csv more.csv --counts --condition=none", (SQUARE, SQUARE)),
    ],
    "compare": [
        ("data.csv --target=y --prediction=p --prediction=q --cost=fp=1,fn=20", (CASES,)),
        ("data.csv --target=y --score=s --score=r --points=mcc --group=g --format=json", (CASES,)),
        ("data.csv --target=y --prediction=p --prediction=q --weight=w --metrics=f1", (CASES,)),
        (
            "data.csv --target=y --prediction=p --prediction=q --cluster=c --base-rate=0.1,0.2",
            (CASES,),
        ),
        ("data.csv --target=y --prediction=p --prediction=q --output=out.html", (CLASSES,)),
        ("data.csv --counts --utility=more.csv", (COUNTS, UTILITY)),
        ("data.csv more.csv --counts --guess=mode", (SQUARE, LONG)),
    ],
    "threshold": [
        ("data.csv --target=y --score=s --resamples=5 --metrics=mcc,f1", (CASES,)),
        ("data.csv --target=y --score=s --resamples=5 --fold=f --guess=uniform", (CASES,)),
        ("data.csv --target=y --score=s --resamples=5 --group=g --format=json --seed=3", (CASES,)),
        ("data.csv --target=y --score=s --resamples=5 --cost=fp=1,fn=20 --default=0.3", (CASES,)),
        ("data.csv --target=y --score=s --resamples=5 --top=5% --output=out.html", (CASES,)),
        ("data.csv --target=y --score=p_* --resamples=3 --metrics=macro_f1", (CLASSES,)),
        (
            "data.csv\n--target=y\n--score=s\n--resamples=5\n--constraint=recall >= 0.9\n--top=2",
            (CASES,),
        ),
    ],
    "count": [
        ("data.csv --target=y --prediction=p --group=g --output=out.csv", (CASES,)),
        ("data.csv more.csv --target=y --score=s --twice --output=out.json", (CASES, CASES)),
        ("data.csv --target=y --score=s --group=g --suppress=2 --output=out.arrow", (CASES,)),
        ("data.csv --target=y --prediction=p --output=out.json", (CLASSES,)),
    ],
    "merge": [
        ("data.csv more.csv --twice --output=out.csv", (COUNTS, COUNTS)),
        ("data.csv more.csv --output=out.json", (LONG, SQUARE)),
    ],
    "baseline": [
        ("--positives=3 --negatives=7 --metrics=f1,mcc", ()),
        ("--positives=0 --negatives=9 --guess=uniform --format=json --output=out.json", ()),
        ("--positives=30 --negatives=2 --guess=0.25 --format=markdown --metrics=all", ()),
    ],
    "sample-size": [
        ("--base-rate=0.1 --auc=0.8 --threshold=0.2", ()),
        ("--lp-mean=-2 --lp-sd=1 --format=json", ()),
        ("--beta-a=1 --beta-b=9 --slope-width=0.3 --confidence-level=0.9", ()),
    ],
}


def seeds(name: str) -> list[bytes]:
    """Return the valid inputs of a command."""
    found = SEEDS[name.removeprefix("command_").replace("_", "-")]
    return [b"\n\n".join([_lines(words), *map(bytes.rstrip, files)]) for words, files in found]


def _lines(words: str) -> bytes:
    return ("\n".join(words.split()) if "\n" not in words else words).encode()


TARGETS: dict[str, Target] = {
    f"command_{name.replace('-', '_')}": partial(command, name) for name in SEEDS
}

INPUTS = {
    "command_evaluate": 2_500,
    "command_audit": 2_000,
    "command_compare": 2_000,
    "command_threshold": 2_000,
    "command_count": 1_500,
    "command_merge": 1_500,
    "command_baseline": 2_500,
    "command_sample_size": 2_500,
}
