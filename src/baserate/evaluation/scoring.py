"""What `evaluate` and `audit` add for scores: where they are cut, how well they rank."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite, isinf
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

from baserate.cases.scores import ActingRisk
from baserate.cases.two_classes import BinaryCases, Sample
from baserate.errors import InvalidArgumentError
from baserate.evaluation.evaluation_facts import Evaluating
from baserate.evaluation.list_tops import Top, risks_of, tops_of
from baserate.evaluation.metric_choice import OF_CUTS
from baserate.evaluation.reading import SCORE
from baserate.evaluation.refusals import refuse
from baserate.evaluation.stakes import acted_at
from baserate.facts.threshold import CutFact
from baserate.metrics import Metric, binary_metric
from baserate.tuning.targets import check_target

if TYPE_CHECKING:
    from baserate.evaluation.given import Given
    from baserate.evaluation.threshold_facts import Cutting

LARGEST = 1_000_000  # cases up to which every score is looked at unasked
HELD = 2_000_000  # cases that are kept one by one where a metric cuts
SAMPLES = 200
# Why there is nothing about the score itself; reports say it in words.
TOO_MANY, ONE_CLASS = "too_many_cases", "one_class"
CLUSTERED, REPLICATED = "cases_in_clusters", "replicate_weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """What is asked of a score beside the table it makes."""

    chooser: Metric | None  # the metric that chooses the threshold
    threshold: float | None  # given as a number
    looks: bool  # whether scores make the table, so that all of them can be looked at
    fold: Any  # the fold that each case was held out in, for the chooser
    # The fold whose model scored each case, if a cross-validation is read: ranks are within it.
    models: Any
    tops: tuple[Top, ...]  # how many cases, or which share of them, count as the top of the list
    named: tuple[str, ...]  # what the user named of the score: "top", and measures
    utility: Any  # what decisions are worth, which says at which probability to act
    cost: Any  # what errors cost instead
    asked: Evaluating  # what is asked of the table

    @classmethod
    def of(
        cls, given: "Given", threshold: Any, top: Any, asked: Evaluating, *, utility: Any,
        cost: Any, measures: tuple[str, ...] = (),
    ) -> Self:  # fmt: skip
        """Check the arguments before anything is read."""
        chooser, weighted = _chooser(threshold), given.weight is not None
        if chooser is not None and (not given.cuts or weighted or given.designed):
            rule = "can be a metric only where scores of unweighted, independent cases are cut"
            remedy = "pass a number, or drop the predictions, weights and clusters"
            raise InvalidArgumentError.from_rule("threshold", rule, chooser.name, remedy)
        risks_of(measures)  # refused before anything is read
        lacking = {"no cut": not given.cuts, "weights": weighted, "clusters": given.designed}
        for beside in (name for name, holds in lacking.items() if holds):
            refuse(beside, top=top)
        fold = None if chooser is None and given.read else given.fold
        if chooser is None:
            refuse("no chooser", fold=fold)
        return cls(
            chooser=chooser,
            threshold=threshold if chooser is None else None,
            looks=given.cuts,
            fold=fold,
            models=given.models,
            tops=tops_of(top),
            named=(*measures, *(("top",) if top is not None else ())),
            utility=utility,
            cost=cost,
            asked=asked,
        )

    @property
    def hold(self) -> int | None:
        """How many cases are kept one by one, if need be."""
        if not self.looks or self.chooser is None:
            return LARGEST if self.looks else 0
        return HELD if self.fold is None else None

    def about(
        self, cases: BinaryCases, about: Mapping[str, Any]
    ) -> tuple[float | None, dict[str, Any]]:
        """Return the threshold as a number, and the facts of the score."""
        if not self.looks:
            return self.threshold, {}
        kept = ("target", "score", "source", "suppression")
        names = {key: about[key] for key in kept if key in about}
        arrays = "source" not in about and about.get("score") == SCORE
        names |= {"score": "y_score"} if arrays else {"fold": self.fold}
        at = acted_at(self.utility, self.cost, cases.positive, cases.labels, about.get("target"))
        if self.chooser is None:
            cut = acting_at(at, cases, about.get("score"), self.threshold)
            return cut, replace(self, threshold=cut).section(cases, names, at)
        cutting = replace(self._cutting((self.chooser,)), acted_at=at)
        _refuse_unfit(self.chooser)
        named = (self.chooser.name,)
        asked = replace(cutting, unasked=frozenset(), guess=self.asked.guess, asked_for=named)
        facts = asked.of_cases(cases, names)
        [cut] = facts.cuts
        if cut.reason is not None:
            reason = f"threshold cannot be chosen by {self.chooser.name}: {cut.reason}"
            raise InvalidArgumentError(reason)
        return _finite(cut), {"cut_by": self.chooser.name, "thresholds": facts}

    def section(
        self, cases: BinaryCases, names: Mapping[str, Any], at: tuple[float, ...]
    ) -> dict[str, Any]:
        """Return what all cut points show, or why that is not looked at."""
        one_class = cases.truth.all() or not cases.truth.any()
        if not cases.scores or len(cases.truth) > LARGEST:
            return {"ranking_reason": TOO_MANY}
        if (design := design_of(cases)) and (one_class or cases.n != len(cases.truth)):
            return {"ranking_reason": design}
        if self.threshold is not None:
            [name] = cases.scores
            cases.cut(name, self.threshold)  # refused where scores are in bins
        few = len(self.asked.metrics) <= len(OF_CUTS)
        chosen = self.asked.metrics if few else tuple(map(binary_metric, OF_CUTS))
        cutting = replace(self._cutting(chosen), acted_at=at)
        why = ONE_CLASS if one_class else None
        if why := design if cases.replicated is not None else why:
            return {"thresholds": cutting.without_cuts(cases, why, names)}
        return {"thresholds": cutting.of_cases(cases, names)}

    def _cutting(self, metrics: tuple[Metric, ...]) -> "Cutting":
        from baserate.evaluation.threshold_facts import Cutting  # only scores need it

        return Cutting(
            metrics=metrics,
            unasked=frozenset(metric.name for metric in metrics),
            constraint=(),
            default=self.threshold,
            level=self.asked.level,
            n_resamples=SAMPLES,
            rng=0,
            tops=self.tops,
            named=self.named,
            in_full=False,
            own_cuts=False,  # groups have tables
            validates=self.fold is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrating:
    """What an audit asks of the scores of every group."""

    threshold: float | None
    alpha: float  # accepted chance of any false alarm over all groups; a family of its own
    looks: bool  # whether scores make the table, so that all of them can be looked at
    utility: Any  # what decisions are worth, which says at which probability to act
    cost: Any  # what errors cost instead
    fold: None = None
    models: None = None

    @property
    def hold(self) -> int:
        """How many cases are kept one by one, if need be."""
        return LARGEST if self.looks else 0

    def about(
        self, cases: BinaryCases, about: Mapping[str, Any]
    ) -> tuple[float | None, dict[str, Any]]:
        """Return where to cut, and the calibration of the groups; as in `Scoring`."""
        if not self.looks:
            return self.threshold, {}
        at = acted_at(self.utility, self.cost, cases.positive, cases.labels, about.get("target"))
        return acting_at(at, cases, about.get("score"), self.threshold), self._groups(cases)

    def _groups(self, cases: BinaryCases) -> dict[str, Any]:
        if cases.grouping is None:
            return {}
        if (design := design_of(cases)) and (cases.highest or cases.n != len(cases.truth)):
            return {"calibration_reason": design}
        if not cases.scores or len(cases.truth) > LARGEST:
            return {"calibration_reason": TOO_MANY}
        from baserate.evaluation.threshold_facts import groups_judged  # only scores need it

        return groups_judged(cases, 1 - self.alpha)


def design_of(cases: Sample) -> str | None:
    """Say by what cases are not independent, if they are not."""
    if not cases.is_designed:
        return None
    return CLUSTERED if cases.replicated is None else REPLICATED


def _chooser(threshold: Any) -> Metric | None:
    if threshold is None or (isinstance(threshold, Real) and not isinstance(threshold, bool)):
        return None
    if isinstance(threshold, Metric | str):
        return binary_metric(threshold)
    rule = "must be a finite number or the name of a metric"
    raise InvalidArgumentError.from_rule("threshold", rule, threshold, "pass a score to cut at")


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


def _refuse_unfit(metric: Metric) -> None:
    """Refuse a metric that chooses no cut by itself; there is no constraint to help it here."""
    try:
        check_target(metric, constrained=False)
    except InvalidArgumentError:
        why = "it is perfect wherever one of the two errors is avoided"
        if metric.direction == "neither":
            why = "neither more nor less of it is better"
        raise InvalidArgumentError.about(
            "threshold",
            f"cannot be chosen by {metric.name}, for {why}: pass a number, or a metric that sees "
            "both errors, such as f1 or balanced_accuracy.",
        ) from None


def _trivial(cut: CutFact, called: str) -> InvalidArgumentError:
    name = cut.name.replace("_", " ")
    return InvalidArgumentError.about(
        "threshold",
        f"cannot be chosen by {cut.name}: {name} is best when {called} is called positive. Pass a "
        "number, or a metric that loses something there, such as f1 or balanced_accuracy.",
    )


def acting_at(
    at: tuple[float, ...], cases: BinaryCases, score: Any, threshold: float | None
) -> float | None:
    """Return where to cut: if nobody says, where one acts, unless scores were counted together."""
    named = threshold is not None or not at or score in cases.highest
    return threshold if named else ActingRisk(at[0])
