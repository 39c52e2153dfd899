"""What the pieces of reading return, in one table."""

import datetime as dt
from math import inf

import numpy as np
import pytest

from baserate import ClassTable, ConfusionMatrix
from baserate.cases.arrays import read_arrays
from baserate.cases.cases import Cases, columns_of
from baserate.cases.clusters import equal_clusters
from baserate.cases.counted import effective_size, effective_sizes
from baserate.cases.labels import Labels, grouped, read_alike, several_columns
from baserate.cases.scores import least_float, reaches
from baserate.cases.several_classes import ClassCounted
from baserate.cases.strata import clustered, read_clusters
from baserate.cases.units import TABLES, Floor, satterthwaite
from baserate.cases.values import from_text, python_value

TEXT = Cases(
    truth=Labels.of(["1", "1", "0"]), predictions={"model": Labels.of(["1.0", "0", "0"])},
    count=np.array([3, 1, 6]), from_text=True,
).binary()  # fmt: skip
THREE = Cases(
    truth=Labels.of("aabbc"), predictions={"m": Labels.of("abbbc")}, count=np.ones(5, int)
)
KEYS = {"cluster": list("ppqqr")}
CLUSTERED = read_arrays(list("abcab"), {"m": list("abbab")}, keys=KEYS).classes()
DESIGN = CLUSTERED.counted().design
ARRANGED = DESIGN.arranged([3, 0, 1], 4)
PATIENTS = read_arrays(list("abca"), {"m": list("abba")}, keys={"cluster": list("ppqr")})
ONE = PATIENTS.classes().one_vs_rest("a").counted()
HALVES = read_arrays(list("abca"), {"m": list("abba")}, groups={"half": [1, 1, 2, 2]})
PART = HALVES.classes().counted().within((2,))
SITES = ClassCounted.of_tables(
    ["site"],
    {
        ("x",): ClassTable([[3, 1], [0, 2]], ["a", "b"]),
        ("y",): ClassTable([[4, 0], [1, 2]], ["a", "c"]),
    },
)
RISKS = {"a": [0.7, 0.2, 0.5], "b": [0.3, 0.8, 0.5]}
RISKY = read_arrays(["a", "b", "b"], scores=RISKS)
CALLED = RISKY.decided("call", ["a", "b"], ["a", "b"]).predictions["call"]
SCORED = RISKY.classes(scores=["a", "b"])
WHOLE = ClassTable([[3, 1, 0], [0, 2, 1], [0, 0, 4]], ["a", "b", "c"])
SEVERAL = several_columns([Labels.of([2, 1, 2]), Labels.of([True, 1, 3])], ["truth", "m"])
ITEMS = clustered({"case_id": Labels.of([7, 8, 7])})
WEIGHTS = ConfusionMatrix(tp=3.0, fn=1.0, fp=0, tn=0), ConfusionMatrix(tp=9.0, fn=1.0, fp=0, tn=0)
AGES = grouped({"sex": Labels.of("fmf"), "age": Labels.of([60, 60, 20])})
CUT = read_arrays([1, 1, 0], scores={"risk": [0.9, 0.4, 0.5]}).binary().cut("risk", 0.5)
FLOOR = Floor.of(np.array([[30.0], [10.0], [10.0]]), np.array([0.0032]), TABLES)
NINE = Floor(alone=0.01, size=9.0, clusters=9.0, likeness=TABLES)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (TEXT.table("model"), ConfusionMatrix(tp=3, fn=1, fp=0, tn=6)),
        ((TEXT.positive, TEXT.labels), (1, (0, 1))),
        (THREE.classes().table("m").counts.tolist(), [[1, 1, 0], [0, 2, 0], [0, 0, 1]]),
        (CALLED.codes.tolist(), [0, 1, 0]),
        (
            columns_of("sick", ["test"], groups=["sex"]),
            [("truth", "sick"), ("predictions", "test"), ("groups", "sex")],
        ),
        (DESIGN.n_units, 3),
        (DESIGN.total.astype(int).tolist(), [[2, 0, 0], [0, 2, 0], [0, 1, 0]]),
        (
            DESIGN.binary(0, 0).tables.astype(int).tolist(),
            [[1, 0, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1]],
        ),
        (
            ARRANGED.total.astype(int).tolist(),
            [[2, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]],
        ),
        (
            ARRANGED.binary(3, 3).tables.astype(int).tolist(),
            [[1, 0, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1]],
        ),
        (SEVERAL.labels, (1, 2, 3)),
        ([place.tolist() for place in SEVERAL.places], [[1, 0], [0, 0, 2]]),
        ((ITEMS.cluster.codes.tolist(), ITEMS.cluster is ITEMS.case), ([0, 1, 0], True)),
        (read_clusters("cluster", ["north", "south", "north"], 3).tolist(), [0, 1, 0]),
        (equal_clusters(np.array([20, 20])), 2.0),
        (round(equal_clusters(np.array([500] + 19 * [5])), 2), 1.41),
        (effective_size(4.0, 10.0), 1.6),
        (effective_sizes(*WEIGHTS), (1.6, 0.0)),
        (AGES.keys, (("f", 20), ("f", 60), ("m", 60))),
        (AGES.codes.tolist(), [1, 2, 0]),
        (
            read_alike(("sex",), [("0",), ("1",)], [(0,), (2,)]),
            {("0",): (0,), ("1",): (1,), (0,): (0,), (2,): (2,)},
        ),
        (reaches(np.float32([0.7, 0.8]), 0.7).tolist(), [False, True]),
        (reaches(np.array([2, 3]), 2.5).tolist(), [False, True]),
        ([*map(least_float, (0.7, 2**53 + 1, 10**400))], [0.7, 2**53 + 2, inf]),
        ((SITES.table.labels, SITES.n), (("a", "b", "c"), 13)),
        (SITES.groups["y",].counts.tolist(), [[4, 0, 0], [0, 0, 0], [1, 0, 2]]),
        ((PART.n, PART.table.counts.tolist()), (2, [[1, 0, 0], [0, 0, 0], [0, 1, 0]])),
        (
            [one.table.tp for one in ClassCounted(table=WHOLE, n=11).against_the_rest()],
            [3, 2, 4],
        ),
        (SCORED.decided("score").table("score").counts.tolist(), [[1, 0], [1, 1]]),
        (SCORED.n_tied, 1),
        ((ONE.table, ONE.design.n_units), (ConfusionMatrix(tp=2, fn=0, fp=0, tn=2), 3)),
        (CUT.table("risk"), ConfusionMatrix(tp=1, fn=1, fp=1, tn=0)),
        ((FLOOR.size, round(FLOOR.clusters, 2)), (22.0, 2.27)),
        (round(FLOOR.variance / FLOOR.alone, 1), 5.2),
        (NINE.centre(1.0, wrong=0, right=1), 0.95),
        (satterthwaite(np.ones(4)), 3.0),
        (satterthwaite(np.array([9.0, 0.0, 0.0, 0.0])), 1.0),
        (python_value(np.datetime64("2020-01-02", "ns")), dt.date(2020, 1, 2)),
        (python_value(b"yes"), "yes"),
        (
            [*map(from_text, ("1.0", " TRUE ", "yes", "nan", "1_0"))],
            [1, True, None, None, None],
        ),
    ],
)
def test_piece(found, expected):
    assert found == expected
