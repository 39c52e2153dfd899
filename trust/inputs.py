"""Hostile inputs from valid ones: words exchanged, doubled, left out, and strange ones put in."""

import os
import random
import re
from collections.abc import Iterable, Iterator, Sequence

LONGEST = 4096  # bytes of an input
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where files cost least
WORDS = re.compile(rb"\w+|\s|[^\w\s]")
STRANGE = (
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"9" * 400,
    b"-1",
    b"0",
    b"-0.0",
    b"nan",
    b"inf",
    b"1e999",
    b"1e-320",
    b"9007199254740993",
    b"0x10",
    b"1_000",
    b"1/3",
    b'"',
    b"'",
    b"\\",
    b"\r\n",
    b"\r",
    b"\n",
    b"\t",
    b" ",
    b",",
    b";",
    b"=",
    b"%",
    b"*",
    b"[",
    b"]",
    b"{",
    b"}",
    b"()",
    b"(" * 90,
    b"[" * 300,
    "\N{RIGHT-TO-LEFT OVERRIDE}e\N{COMBINING ACUTE ACCENT}".encode(),
    "\N{ARABIC-INDIC DIGIT THREE}".encode(),
    "\N{SUPERSCRIPT TWO}\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}\N{LINE SEPARATOR}".encode(),
    b"\xed\xa0\x80",
    b"true",
    b"None",
    b"NA",
    b"\x1b[2J",
    b"<b>&amp;",
    b"$x^2$",
    b"'; DROP TABLE t; --",
)


def mutated(valid: Iterable[bytes], n: int, seed: int) -> Iterator[bytes]:
    """Yield the valid inputs, then changed ones: n in all."""
    valid, rng = list(valid) or [b""], random.Random(seed)
    known = words_of(valid)
    yield from valid[:n]
    for _ in range(n - len(valid)):
        yield changed(rng.choice(valid), known, rng)


def words_of(valid: Iterable[bytes]) -> list[bytes]:
    """Return the different words of inputs, signs included."""
    return sorted({word for data in valid for word in WORDS.findall(data)})


def changed(
    data: bytes, known: Sequence[bytes], rng: random.Random, longest: int = LONGEST
) -> bytes:
    """Change an input in one place, or in a few."""
    for _ in range(min(int(rng.expovariate(0.7)) + 1, 8)):
        data = _changed_once(data, known, rng)
    return data[:longest]


def _changed_once(data: bytes, known: Sequence[bytes], rng: random.Random) -> bytes:
    kind = rng.randrange(6)
    if kind == 0 or not data:  # bytes
        at = rng.randint(0, len(data))
        return data[:at] + rng.randbytes(1) + data[at + rng.randint(0, 1) :]
    if kind == 1:  # lines
        lines = data.split(b"\n")
        at, other = rng.randrange(len(lines)), rng.choice(lines)
        lines[at : at + rng.randint(0, 2)] = rng.choice(([], [other], [other, other]))
        return b"\n".join(lines)
    spans = [found.span() for found in WORDS.finditer(data)] or [(0, len(data))]
    begin, end = rng.choice(spans)
    if kind == 2:  # a word less
        return data[:begin] + data[end:]
    new = rng.choice(known or [b""]) if kind < 5 else rng.choice(STRANGE)
    return data[:begin] + new + data[end if rng.random() < 0.7 else begin :]
