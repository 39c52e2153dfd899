"""What a table knows of base rate, recall and false positive rate: three independent Beta laws.

Weighted cases count by Kish's effective size (Σw)² / Σw², taken within the cells on which a rate is
conditioned: ten heavy positives are ten positives, however many light negatives there are.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from baserate._arith import plain
from baserate.counts import CELLS, ConfusionMatrix, as_float
from baserate.errors import UnsupportedError

Law = tuple[Any, Any]  # both parameters of a Beta law, or of a batch of them

POSITIVE, NEGATIVE = ("tp", "fn"), ("fp", "tn")
MOST_CASES = 1e16  # of more, two shares a standard deviation apart are nearly the same float


class Evidence(NamedTuple):
    """The laws of base rate, recall and false positive rate, and the sizes behind them."""

    n: Any  # total weight, at which counts are stated
    size: Any  # effective number of cases
    laws: tuple[Law, Law, Law]

    def row(self, i: int) -> "Evidence":
        """Return what is known of one table of a batch."""
        base, recall, fpr = ((float(a[i]), float(b[i])) for a, b in self.laws)
        return Evidence(float(self.n[i]), float(self.size[i]), (base, recall, fpr))


def evidence(table: ConfusionMatrix, squared: ConfusionMatrix | None = None) -> Evidence:
    """Return the posterior that a table leaves, or each of a batch: half a case in each cell.

    `squared` holds sums of squared weights; None means that the table holds counts.
    """
    tp, fn, fp, tn = (plain(as_float(cell)) for cell in table)
    every, of_positive, of_negative = (
        cases_per_weight(table, squared, cells) for cells in (CELLS, POSITIVE, NEGATIVE)
    )
    n = tp + fn + fp + tn
    refuse_beyond(every * n)
    laws = (
        (every * (tp + fn) + 1, every * (fp + tn) + 1),
        (of_positive * tp + 0.5, of_positive * fn + 0.5),
        (of_negative * fp + 0.5, of_negative * tn + 0.5),
    )
    return Evidence(n, every * n, laws)


def is_dirichlet(known: Evidence) -> bool:
    """Whether the cell shares have a Dirichlet law: with squared weights they have none."""
    (a, b), recall, fpr = known.laws
    return bool(np.allclose((a, b), (sum(recall), sum(fpr)), rtol=1e-12, atol=0))


def refuse_beyond(cases: Any) -> None:
    """Raise if there are more cases than quantiles of a Beta law have digits for."""
    most = float(np.max(cases, initial=0.0))
    if most > MOST_CASES:
        raise UnsupportedError(
            f"an interval is right for at most {MOST_CASES:.0e} cases, got {most:.3g}: so many "
            "leave no sampling error to speak of (below 1e-8): report the metric alone, or pass "
            "counts of cases if these are sums of weights."
        )


def cases_per_weight(
    table: ConfusionMatrix, squared: ConfusionMatrix | None, cells: Sequence[str]
) -> Any:
    """Return Σw / Σw² over these cells: times a weight, it gives effective cases."""
    if squared is None:
        return 1.0
    weight, squares = (as_float(sum(getattr(t, c) for c in cells)) for t in (table, squared))
    return plain(np.where(squares > 0, weight / np.where(squares > 0, squares, 1.0), 1.0))
