"""What is asked of a score, once every case is known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate._result import Deferred
from baserate.cases.scores import THRESHOLD, check_scale, reaches
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.cases.units import ALIKE
from baserate.counts import ConfusionMatrix
from baserate.curves.cut_points import Sweep, sweeps_by_fold, sweeps_of
from baserate.errors import InvalidArgumentError, LabelError, UnsupportedError
from baserate.evaluation.list_tops import DEFAULT, Top, risks_of
from baserate.evaluation.score_facts import (
    COUNTED,
    NO_PROBABILITIES,
    R_SQUARED,
    Judging,
    are_probabilities,
    bins_of,
    bins_of_rows,
    measures_in,
    outcomes,
    refuse_unnamed,
    score_range,
)
from baserate.evaluation.sources import refuse_one_class
from baserate.evaluation.unverified import left_out, of_score, surest
from baserate.facts.threshold import CutFact, GroupCutsFact, KeptFact, ThresholdFacts
from baserate.metrics import Metric
from baserate.tuning import cross_validated_threshold, density_ratio, optimal_threshold
from baserate.tuning.bagging import ThresholdSpread, can_be_resampled, threshold_spreads
from baserate.tuning.kept_constraints import kept
from baserate.tuning.optimism import Units
from baserate.tuning.targets import Constraint, all_hold, interval_of, no_cut

if TYPE_CHECKING:
    from baserate.cases.counted import Counted

FEWEST = 2  # clusters that show how much samples of them differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """What is asked of a score."""

    metrics: tuple[Metric, ...]
    # Metrics that nobody named: they are left out where they have no best cut.
    unasked: frozenset[str]
    constraint: tuple[Constraint, ...]
    default: float | None
    level: float
    n_resamples: int
    rng: Any
    base_rate: float | None = None  # that metrics and constraints are restated at
    # The guess that skill refers to, where thresholds are cross-validated.
    guess: str | float = "dutch_draw"
    # How many cases, or which share of them, count as the top of the list.
    tops: tuple[Top, ...] = DEFAULT
    # What the user named of it: "top", and measures of scores.
    named: tuple[str, ...] = ()
    acted_at: tuple[float, ...] = ()  # the probability at which utilities or costs say to act
    in_full: bool = True  # whether measures of scores are asked for that take the longest
    # Whether this is a report on cuts: groups get best cuts of their own. Else best cuts wait until
    # somebody looks at them, as a short text does not.
    own_cuts: bool = True
    asked_for: tuple[str, ...] = ()  # what the user asked to maximise, by name or by costs
    validates: bool = True  # whether thresholds are cross-validated where folds are known

    def of_cases(self, cases: BinaryCases, about: Mapping[str, Any]) -> ThresholdFacts:
        """Gather the facts of a score."""
        so = "no threshold separates one class: add cases of the other"
        n_positive = int(cases.count[cases.truth].sum())
        sizes = (n_positive, cases.n - n_positive)
        refuse_one_class(sizes, about["target"], cases.positive, so)
        if self._folds(cases):
            self._need_usable_folds(cases)
        swept = _swept(cases)
        if self.constraint and not np.any(all_hold(self.constraint, swept.tables)):
            raise no_cut(self.metrics[0], self.constraint, swept.tables)
        if self.default is not None and cases.highest:
            [name] = cases.highest  # a default between scores that were counted together
            cases.cut(name, self.default, argument="default")
        default = self._default(swept)
        make = partial(self._best_cuts, cases, swept, default)
        cuts = make() if self.own_cuts else Deferred(make)
        return self._facts(
            cases,
            swept,
            cuts=cuts,
            constraint=tuple(map(str, self.constraint)),
            folds=self._folds(cases),
            base_rate=self.base_rate,
            guess=str(self.guess) if self._folds(cases) else None,
            groups=tuple(self._of_groups(cases, cuts, default)) if self.own_cuts else (),
            absent=_without_spread(cases, swept),
            **sampling_of(cases, swept),
            group_names=cases.group_names if self.own_cuts else (),
            **about,
        )

    def without_cuts(
        self, cases: BinaryCases, why: str, about: Mapping[str, Any]
    ) -> ThresholdFacts:
        """Gather what can be told of a score that has no best cut, and say why it has none."""
        return self._facts(
            cases, _swept(cases), absent={"thresholds": why}, **units_of(cases), **about
        )

    def _folds(self, cases: BinaryCases) -> int:
        return len(cases.fold.keys) if self.validates and cases.fold is not None else 0

    def _facts(self, cases: BinaryCases, swept: Sweep, **about: Any) -> ThresholdFacts:
        default = self._default(swept)
        judging = judging_of(
            cases,
            level=self.level,
            tops=self.tops,
            risks=risks_of(self.named),
            in_full=self.in_full or not {*R_SQUARED.values()}.isdisjoint(self.named),
            acted_at=(*self.acted_at, *(() if default is None else (default,))),
            folds=sweeps_by_fold(cases),
        )
        found = judging.of_sweep(swept, outcomes(cases))
        if "calibration" in found:
            by_group = tuple(judging.of_groups(cases))
            found["calibration"] = replace(found["calibration"], groups=by_group)
        absent = {**about.pop("absent", {}), **found.pop("absent", {})}
        have = f"these scores have{' by clusters or replicate weights' * cases.is_designed}"
        refuse_unnamed(self.named, measures_in(found), have)
        return ThresholdFacts(
            positive=cases.positive,
            n=swept.n_positive + swept.n_negative,
            n_positive=swept.n_positive,
            n_negative=swept.n_negative,
            missing=cases.n_missing,
            unverified=surest([of_score(cases, score) for score in cases.scores]),
            **left_out(cases),
            n_cut_points=len(swept.thresholds) - 1,
            confidence_level=self.level,
            n_resamples=self.n_resamples,
            default=default,
            act_at=next((x for x in (*self.acted_at, self.default) if x is not None), None),
            asked_for=self.asked_for,
            named=self.named,
            bins=bins_of(swept),
            absent=absent,
            **found,
            **about,
        )

    def _best_cuts(
        self, cases: BinaryCases, swept: Sweep, default: float | None
    ) -> tuple[CutFact, ...]:
        """Return the best cut of every metric that has one, or why it has none if it was named."""
        best = self._all_chosen(cases, swept, default)
        left_out = {name for name in self.unasked if "reason" in best.get(name, ())}
        shown = {name: found for name, found in best.items() if name not in left_out}
        return self._cuts(shown, swept, default, units_in(cases))

    def _of_groups(
        self, cases: BinaryCases, cuts: Sequence[CutFact], default: float | None
    ) -> Iterator[GroupCutsFact]:
        """Compare, group by group, the best cut of all cases with the group's own."""
        known = {cut.name: cut.threshold for cut in cuts if cut.reason is None}
        asked = replace(self, metrics=tuple(m for m in self.metrics if m.name in known))
        for index, key in enumerate(cases.groups):
            own = cases.within(index)
            yield GroupCutsFact(
                group=dict(zip(cases.group_names, key, strict=True)),
                n=own.n,
                n_positive=int(own.count[own.truth].sum()),
                cuts=asked.of_group(own, known, default),
            )

    def of_group(
        self, cases: BinaryCases, known: Mapping[str, float], default: float | None
    ) -> tuple[CutFact, ...]:
        """Return the best cuts of one group, each beside what the cut of all cases gives there."""
        swept = _swept(cases)
        if swept.n_positive and swept.n_negative:
            best = self._all_chosen(cases, swept, default)
        else:
            lacking = "negatives" if swept.n_positive else "positives"
            best = {m.name: {"reason": f"the group has no {lacking}"} for m in self.metrics}
        cuts = self._cuts(best, swept, default, units_in(cases))
        return tuple(
            replace(cut, shared=_at(metric, swept, known[metric.name]))
            for metric, cut in zip(self.metrics, cuts, strict=True)
        )

    def _all_chosen(
        self, cases: BinaryCases, swept: Sweep, default: float | None
    ) -> dict[str, dict[str, Any]]:
        return {m.name: self._chosen(m, cases, swept, default) for m in self.metrics}

    def _chosen(
        self, metric: Metric, cases: BinaryCases, swept: Sweep, default: float | None
    ) -> dict[str, Any]:
        try:
            if self._folds(cases):
                return self._folded(metric, cases, swept, default)
            return self._searched(metric, swept, cases)
        except (InvalidArgumentError, UnsupportedError) as error:
            return {"reason": str(error)}

    def _cuts(
        self,
        best: dict[str, dict[str, Any]],
        swept: Sweep,
        default: float | None,
        units: Units | None = None,
    ) -> tuple[CutFact, ...]:
        metrics = [m for m in self.metrics if m.name in best]
        searched = [m for m in metrics if "plateau" in best[m.name]]
        spreads: dict[str, ThresholdSpread] = {}
        by_search = bool(searched) and "fold_values" not in best[searched[0].name]
        if by_search and can_be_resampled(swept) and not (units and units.n < FEWEST):
            found = threshold_spreads(
                searched, swept, rng=self.rng, n_resamples=self.n_resamples,
                constraint=self.constraint, confidence_level=self.level, units=units,
            )  # fmt: skip
            spreads = {spread.metric: spread for spread in found}
        return tuple(
            CutFact(
                name=metric.name,
                direction=metric.direction,
                default=nan if default is None else _at(metric, swept, default),
                ratio=_ratio(swept, best[metric.name].get("threshold", nan)),
                **best[metric.name],
                **{
                    name: getattr(spreads[metric.name], name)
                    for name in ("low", "high", "corrected")
                    if metric.name in spreads
                },
            )
            for metric in metrics
        )

    def _searched(self, metric: Metric, swept: Sweep, cases: BinaryCases) -> dict[str, Any]:
        best = optimal_threshold(metric, swept, constraint=self.constraint)
        return {
            "threshold": best.threshold,
            "plateau": best.plateau[0],
            "value": best.value,
            "step": _step(swept, best.threshold),
            "table": best.table,
            "bounds": best.bounds,
            "constraints": tuple(self._kept(best.table, best.threshold, cases)),
        }

    def _kept(self, table: ConfusionMatrix, cut: float, cases: BinaryCases) -> Iterator[KeptFact]:
        if not self.constraint:
            return
        at: ConfusionMatrix | Counted = table
        if cases.weight is not None or cases.is_designed:
            [score] = cases.scores.values()
            at = replace(cases, decisions={"cut": reaches(score, cut)}).counted()
        for one in self.constraint:
            found = kept(one, at, self.level)
            yield KeptFact(constraint=str(one), name=one.metric.name, **found._asdict())

    def _folded(
        self, metric: Metric, cases: BinaryCases, swept: Sweep, default: float | None
    ) -> dict[str, Any]:
        """Choose by mean skill over folds; what to expect anew is the nested mean skill."""
        folds = [(part.truth, next(iter(part.scores.values()))) for _, part in cases.folds()]
        found = cross_validated_threshold(metric, folds, guess=self.guess, nested=True)
        table = swept.tables[int(swept.rules_at(found.threshold))]
        return {
            "threshold": found.threshold,
            "plateau": found.plateau,
            "step": _step(swept, found.threshold),
            "value": float(metric(table)),
            "corrected": found.value,
            "default_skill": self._default_skill(metric, folds, default),
            "table": table,
            "fold_values": tuple(found.values.tolist()),
        }

    def _default_skill(self, metric: Metric, folds: Any, default: float | None) -> float:
        if default is None:
            return nan
        try:
            at = {"guess": self.guess, "thresholds": [default]}
            return cross_validated_threshold(metric, folds, **at).value
        except UnsupportedError:
            return nan

    def _need_usable_folds(self, cases: BinaryCases) -> None:
        if self.constraint:
            rule = "has no meaning for thresholds that are cross-validated"
            given = str(self.constraint[0])
            raise InvalidArgumentError.from_rule("constraint", rule, given, "leave out one of them")
        folds = cases.folds()
        if len(folds) < 2:
            rule = "must name at least two folds"
            raise LabelError.from_rule("fold", rule, len(folds), "leave it out (--fold)")
        for label, part in folds:
            if part.truth.all() or not part.truth.any():
                lacking = "no negatives" if part.truth.all() else "no positives"
                raise LabelError(
                    f"Every fold must hold both classes, and fold {label!r} has {lacking}: "
                    "stratify the folds."
                )

    def _default(self, swept: Sweep) -> float | None:
        """Return the threshold that people would use unless told otherwise, if there is one."""
        if self.default is not None:
            check_scale(*score_range(swept), self.default, name="the score", argument="default")
            return self.default
        fewest, most = swept.rules_around(THRESHOLD)  # apart between scores counted together
        return THRESHOLD if are_probabilities(swept) and fewest == most else None


def _without_spread(cases: BinaryCases, swept: Sweep) -> dict[str, str]:
    """Say why nothing tells how much the best cut depends on the sample, if nothing does."""
    if not can_be_resampled(swept):
        return {"spread": COUNTED}
    units = units_in(cases)
    return {"spread": ALIKE} if units and units.n < FEWEST else {}


def units_in(cases: BinaryCases) -> Units | None:
    """Return what is drawn as a whole, where that is not each case by itself."""
    plain = cases.weight is None and not cases.is_designed
    return None if plain else Units.of_cases(cases)


def sampling_of(cases: BinaryCases, swept: Sweep) -> dict[str, Any]:
    """Return what weights are worth, and how many clusters there are."""
    known: dict[str, Any] = {"effective_n": swept.effective_n} if swept.is_weighted else {}
    return {**known, **units_of(cases)}


def units_of(cases: BinaryCases | ClassCases) -> dict[str, int | None]:
    """Return how many clusters or replicates say how sure everything is, if any do."""
    if cases.cluster is not None:
        return {"n_clusters": len(np.unique(cases.cluster.codes))}
    return {} if cases.replicated is None else cases.replicated.sizes


def judging_of(cases: BinaryCases, **asked: Any) -> Judging:
    """Ask of independent cases, or of those in clusters or with replicate weights."""
    if not cases.is_designed:
        return Judging(**asked)
    from baserate.evaluation.design_scores import DesignJudging  # few are so

    return DesignJudging(cases=cases, **asked)


def groups_judged(cases: BinaryCases, level: float) -> dict[str, Any]:
    """Return whether the probabilities of each group are right, or why nobody can tell."""
    [(name, score)] = cases.scores.items()
    bins = {"bins": bins_of_rows(cases, name)}
    if not (score.min() >= 0 and cases.highest.get(name, score).max() <= 1):
        return {"calibration_reason": NO_PROBABILITIES, **bins}
    return {"calibration": tuple(judging_of(cases, level=level).of_groups(cases)), **bins}


def _at(metric: Metric, swept: Sweep, threshold: float) -> float:
    return float(metric(swept.tables[int(swept.rules_at(threshold))]))


def _ratio(swept: Sweep, threshold: float) -> float:
    """Return a cut of probabilities as a ratio of densities, at the base rate of these cases."""
    if not are_probabilities(swept) or not 0 <= threshold <= 1:
        return nan
    share = swept.n_positive / (swept.n_positive + swept.n_negative)
    return density_ratio(threshold, base_rate=share)


def _step(swept: Sweep, threshold: float) -> tuple[float, float]:
    rule = int(swept.rules_at(threshold))
    return interval_of(swept, rule, rule)


def _swept(cases: BinaryCases) -> Sweep:
    [swept] = sweeps_of(cases).values()
    return swept
