"""Whether cells of the two group columns of an audit are more than their margins say."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import isnan
from typing import Any

from baserate.cases.counted import Counted
from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.evaluation.audit_groups import named
from baserate.evaluation.audit_samples import is_sampled
from baserate.facts.audit import BeyondFact
from baserate.groups import beyond_margins
from baserate.metrics import Metric

MOST = 400  # cells: of more, columns are hardly sex and race
EMPTY = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
Way = tuple[Any, ...]


def beyond_of(metrics: Sequence[Metric], counted: Counted) -> list[list[BeyondFact]]:
    """Return every tested cell beside what its margins say, those with one test together.

    Nothing but of two columns; of two labels either has the same test.
    """
    if len(counted.group_names) != 2 or is_sampled(counted):
        return []
    labels = [list(dict.fromkeys(key[k] for key in counted.groups)) for k in range(2)]
    shape = [len(column) for column in labels]
    if min(shape) < 2 or shape[0] * shape[1] > MOST:
        return []
    tables = {(i, j): counted.groups.get((i, j), EMPTY) for i, j in product(*labels)}
    ways: dict[Way, list[BeyondFact]] = {}
    for fact in _tested(metrics, tables, counted):
        apart = (x if n > 2 else None for x, n in zip(fact.group.values(), shape, strict=True))
        ways.setdefault((fact.name, *apart), []).append(fact)
    return [*ways.values()]


def _tested(
    metrics: Sequence[Metric], tables: dict[Any, ConfusionMatrix], counted: Counted
) -> Iterator[BeyondFact]:
    for metric in metrics:
        if metric.proportion is None:
            continue
        try:
            cells = beyond_margins(metric, tables).cells
        except UnsupportedError:  # too many cases to enumerate
            continue
        for cell in cells:
            if not isnan(cell.p_value):
                yield BeyondFact(
                    name=metric.name,
                    group=named(counted, cell.group) or {},
                    n=cell.n,
                    value=cell.value,
                    expected=cell.expected,
                    p_value=cell.p_value,
                )
