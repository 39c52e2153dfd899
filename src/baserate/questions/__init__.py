"""Questions: what to ask of the law that a metric inherits from a model.

Every question takes a metric (or its name) and a model, goes the shortest exact route, and says
which. Unless told otherwise it conditions on the metric being defined.

Of the rooms, `moments` answers `expect` and `variance`, by `closed_forms` (where `affine` lives)
where there are some; `probabilities` answers `cdf`, `sf`, `tails` and `probability_defined`;
`quantiles` answers `quantile` and `pmf`. All of them ask the `law`, which lists tables, as a
`question` does: along the first route that applies, or of draws (`sample`). Two routes have rooms
of their own: `lumps` (two sums of cells decide the value) and `thresholds` (one fp parts each row
of tables, found in `crossings`). `ties` says what equals a number, `undefined` where a metric has
no value.
"""

from baserate.questions.closed_forms import affine
from baserate.questions.moments import expect, variance
from baserate.questions.probabilities import Tails, cdf, probability_defined, sf, tails
from baserate.questions.quantiles import Atoms, pmf, quantile
from baserate.questions.question import Answer, sample

__all__ = [
    "Answer",
    "Atoms",
    "Tails",
    "affine",
    "cdf",
    "expect",
    "pmf",
    "probability_defined",
    "quantile",
    "sample",
    "sf",
    "tails",
    "variance",
]
