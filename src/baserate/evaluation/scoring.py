"""What `evaluate` adds for scores: where a metric cuts them, and how well they rank."""

import io
import sys
from collections.abc import Iterable
from dataclasses import replace
from math import isfinite, isinf
from numbers import Real
from typing import Any

from baserate.cases.cases import Cases
from baserate.errors import BaserateError, InvalidArgumentError
from baserate.evaluation.cutting import Cutting
from baserate.evaluation.sources import refuse_given
from baserate.evaluation.threshold import DEFAULT, scored
from baserate.facts import CutFact
from baserate.metrics import Metric, get
from baserate.report.words import spoken

LARGEST = 1_000_000  # cases up to which every score is looked at unasked
SAMPLES = 200
WEIGHTED = "ranking and best cuts are those of cases counted one by one, and these have weights"


def rereadable(data: Any, score: Any) -> Any:
    """Return standard input as something that can be read twice, as scores need."""
    if score is None or not (isinstance(data, str) and data == "-"):
        return data
    return _Stream(sys.stdin.buffer.read())


def about_score(
    data: Any,
    metrics: tuple[Metric, ...],
    threshold: Any,
    *,
    target: Any,
    score: Any,
    positive: Any,
    missing: str,
    fold: Any,
    prediction: Any,
    weight: Any,
    level: float,
    guess: Any = "dutch_draw",
) -> tuple[float | None, dict[str, Any]]:
    """Return the threshold as a number, and the facts of the score."""
    chooser = None if _is_number(threshold) else _chooser(threshold)
    if score is None or prediction is not None or weight is not None:
        if chooser is not None:
            rule = "can be a metric only where scores of unweighted cases are cut"
            remedy = "pass a number, or drop the predictions and weights"
            raise InvalidArgumentError.from_rule("threshold", rule, chooser.name, remedy)
        refuse_given("has no meaning unless a metric cuts the score", {"fold": fold})
        silent = score is not None and prediction is None
        return threshold, {"ranking_reason": WEIGHTED} if silent else {}
    columns = {"target": target, "score": score, "fold": fold, "positive": positive}
    try:
        cases, about = scored(data, None, **columns, missing=missing)
    except BaserateError:
        if chooser is not None:
            raise
        return threshold, {}  # the count itself will say what is wrong
    if chooser is None:
        refuse_given("has no meaning unless a metric cuts the score", {"fold": fold})
        return threshold, _section(cases, metrics, about, threshold, level)
    asked = _cutting((chooser,), None, level)
    asked = replace(asked, unasked=frozenset(), guess=guess)
    facts = asked.of_cases(cases, about)
    [cut] = facts.cuts
    if cut.reason is not None:
        raise InvalidArgumentError(f"threshold cannot be chosen by {chooser.name}: {cut.reason}")
    return _finite(cut), {"cut_by": chooser.name, "thresholds": facts}


def _finite(cut: CutFact) -> float:
    """Return a number to cut at; where infinity is a score, any number above the next will do."""
    low, high = cut.step
    if cut.table is not None and not cut.table.n_predicted:
        raise _trivial(cut, "nothing")
    if cut.table is not None and not cut.table.tn + cut.table.fn and isinf(high):
        raise _trivial(cut, "everything")
    if not isinf(high):
        return cut.threshold
    return low + max(1.0, abs(low)) if isfinite(low) else 0.0


def _trivial(cut: CutFact, called: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"threshold cannot be chosen by {cut.name}: {spoken(cut.name)} is best when {called} is "
        "called positive. Pass a number, or a metric that loses something there, such as f1 or "
        "balanced_accuracy."
    )


def _is_number(threshold: Any) -> bool:
    real = isinstance(threshold, Real) and not isinstance(threshold, bool)
    return threshold is None or real


def _chooser(threshold: Any) -> Metric:
    """Return the metric that is to choose the threshold."""
    if isinstance(threshold, Metric | str):
        return get(threshold)
    rule = "must be a finite number or the name of a metric"
    raise InvalidArgumentError.from_rule("threshold", rule, threshold, "pass a score to cut at")


def _section(
    cases: Cases, metrics: tuple[Metric, ...], about: Any, default: float | None, level: float
) -> dict[str, Any]:
    if len(cases.truth) > LARGEST:
        return {
            "ranking_reason": f"there are over {LARGEST:,} cases; baserate threshold looks at all"
        }
    if cases.truth.all() or not cases.truth.any():
        return {"ranking_reason": "the cases are of one class"}
    chosen = metrics if len(metrics) <= len(DEFAULT) else tuple(map(get, DEFAULT))
    return {"thresholds": _cutting(chosen, default, level).of_cases(cases, about)}


def _cutting(metrics: Iterable[Metric], default: float | None, level: float) -> Cutting:
    chosen = tuple(metrics)
    return Cutting(
        metrics=chosen,
        unasked=frozenset(metric.name for metric in chosen),
        constraint=(),
        default=default,
        level=level,
        n_resamples=SAMPLES,
        rng=0,
    )


class _Stream(io.BytesIO):
    """Bytes that begin anew whenever someone has read them to the end."""

    name = "standard input"

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes; after the end, go back to the start."""
        found = super().read(size)
        if not found:
            self.seek(0)
        return found
