"""Questions: what to ask of the law that a metric inherits from a model.

Every question takes a metric (or its name) and a model, goes the shortest exact route, and says
which. Unless told otherwise it conditions on the metric being defined.

Of the rooms, `moments` answers `expect` and `variance`, by formulas (`affine`) where there are any;
`probabilities` answers `cdf`, `sf`, `tails` and `probability_defined`; `quantiles` answers
`quantile` and `pmf`, and many quantiles at many sample sizes; `maximum` asks for the mean of the
best of several linear functions. All of them ask the `law`, which lists tables, or lumps of them,
as a `question` does: along the first route that applies, or of draws (`sample`). The route by
`thresholds` (one fp parts each row of tables) has a room of its own. `listed_laws` says what equals
a number, `undefined` where a metric has no value.
"""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.questions.moments import affine as affine
    from baserate.questions.moments import expect as expect
    from baserate.questions.moments import variance as variance
    from baserate.questions.probabilities import cdf as cdf
    from baserate.questions.probabilities import probability_defined as probability_defined
    from baserate.questions.probabilities import sf as sf
    from baserate.questions.probabilities import tails as tails
    from baserate.questions.quantiles import pmf as pmf
    from baserate.questions.quantiles import quantile as quantile
    from baserate.questions.question import sample as sample
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "moments": ("affine", "expect", "variance"),
            "probabilities": ("cdf", "probability_defined", "sf", "tails"),
            "quantiles": ("pmf", "quantile"),
            "question": ("sample",),
        },
    )
