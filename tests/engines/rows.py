"""One awkward data set as plain rows, and a folder of Parquet files that holds it."""

import math
import random

import pyarrow as pa
import pyarrow.parquet as pq

N = 420
PARTS = ((0, 150), (150, 150), (150, 330), (330, N))  # the second is empty
CITIES = ("Zürich", "北京", "😀", "e\u0301", "é", "NA", "", " Zürich")
ODD = (0.0, -0.0, 1.0, math.inf, -math.inf, -3.5, 1e-30, 5e-324, 1e300)
SCHEMA = pa.schema(
    [
        ("outcome", pa.string()),  # text labels
        ("call", pa.string()),
        ("sick", pa.bool_()),  # nullable booleans
        ("alarm", pa.bool_()),
        ("second", pa.bool_()),
        ("risk", pa.float64()),  # a probability with ties, nulls and nan
        ("other_risk", pa.float32()),
        ("fine", pa.float64()),  # several scores to a cell of the grid, and odd ones
        ("stars", pa.int32()),  # whole numbers with nulls
        ("rank", pa.int64()),  # and beyond what a double holds
        ("weight", pa.float64()),
        ("city", pa.string()),  # skewed
        ("insured", pa.bool_()),
        ("year", pa.int16()),
        ("guess", pa.int16()),  # of the stars
    ]
)


def _row(rng, i):
    sick = rng.random() < 0.35
    risk = round(min(max(rng.gauss(0.6 if sick else 0.4, 0.2), 0.0), 1.0), 2)
    alarm = risk >= 0.45 if rng.random() < 0.9 else rng.random() < 0.5
    return {
        "outcome": "ja" if sick else "nein",
        "call": "ja" if alarm else "nein",
        "sick": sick,
        "alarm": alarm,
        "second": rng.random() < (0.7 if sick else 0.2),
        "risk": risk,
        "other_risk": round(rng.random() * 8) / 8,
        "fine": rng.choice(ODD) if rng.random() < 0.1 else 0.25 + rng.randrange(80) / 2**16,
        "stars": math.floor(risk * 5),
        "rank": 2**53 + math.floor(risk * 40) if i % 3 else -i,
        "weight": rng.choice((0.0, 0.1, 1.0, 2.5, 1e6)),
        "city": "Zürich" if rng.random() < 0.7 else rng.choice(CITIES),
        "insured": rng.random() < 0.8,
        "year": rng.choice((2024, 2025)),
        "guess": (math.floor(risk * 5) + (i % 3 == 0)) % 6,
    }


def _gap(rng, name, value):
    if name in {"rank", "year", "guess"} or rng.random() > 0.02:
        return value
    return (
        math.nan
        if name in {"risk", "other_risk", "fine", "weight"} and rng.random() < 0.5
        else None
    )


def make_rows():
    """Return the rows, the same every time."""
    rng = random.Random(15)  # noqa: S311 - no secrets
    full = [_row(rng, i) for i in range(N)]
    return [{name: _gap(rng, name, value) for name, value in row.items()} for row in full]


ROWS = make_rows()


def column(name):
    """Return one column as a list."""
    return [row[name] for row in ROWS]


def arrow_table():
    """Return the rows in chunks of an Arrow table, one of them empty."""
    whole = pa.Table.from_pylist(ROWS, SCHEMA)
    parts = [whole.slice(low, high - low) for low, high in PARTS]
    return pa.concat_tables(parts)


def write_parquet(folder):
    """Write one file for each part, one of them without rows."""
    whole = arrow_table()
    for i, (low, high) in enumerate(PARTS):
        pq.write_table(whole.slice(low, high - low), folder / f"part-{i}.parquet")
    return folder
