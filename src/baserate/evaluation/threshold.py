"""Where to cut a score, for each metric, and how far that can be trusted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from baserate._checks import DRAWS, confidence, whole_number
from baserate._files import origins
from baserate._measures import RANGE
from baserate.baselines.guessing import chosen_guess
from baserate.cases.scores import cutting_point
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.curves.score_histogram import ScoreHistogram
from baserate.errors import InvalidArgumentError
from baserate.evaluation.given import Given
from baserate.evaluation.keywords import ReadingKeywords, takes_reading
from baserate.evaluation.list_tops import tops_of
from baserate.evaluation.metric_choice import (
    OF_CUTS,
    besides_measures,
    chosen_metrics,
    named_singly,
    names_averages,
)
from baserate.evaluation.pictures import of_cuts
from baserate.evaluation.reading import given_groups, of_arrays, refuse_shared_groups
from baserate.evaluation.refusals import refuse
from baserate.evaluation.result import Reported
from baserate.evaluation.scoring import HELD
from baserate.evaluation.sources import read_classifier, unnamed_score
from baserate.evaluation.stakes import acted_at, refuse_search, stake_of, with_stake
from baserate.evaluation.threshold_facts import Cutting
from baserate.facts.threshold import ThresholdFacts
from baserate.metrics import Metric
from baserate.report.threshold import sheet_of
from baserate.tuning.targets import constraints_of

if TYPE_CHECKING:
    from baserate.displays.display import Display
    from baserate.evaluation.class_thresholds import ClassThresholds

Y_SCORE = "y_score"  # what reports call a score that has no name


@dataclass(frozen=True, slots=True, repr=False)
class Thresholds(Reported):
    """What `thresholds` found, and the ways to show it."""

    facts: ThresholdFacts
    sheet_of = staticmethod(sheet_of)

    def displays(self) -> "Mapping[str, Display]":
        """Return the metric of the answer at every cut, then the four of `evaluate`."""
        return of_cuts(self.cases, self.facts)


@takes_reading
def thresholds(
    data: Any,
    y_score: Any = None,
    /,
    *,
    guess: str | float | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    utility: Any = None,
    cost: Any = None,
    constraint: str | Iterable[str] | None = None,
    base_rate: float | None = None,
    default: float | None = None,
    top: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = 0,
    **reading: Unpack[ReadingKeywords],
) -> "Thresholds | ClassThresholds":
    """Find the best cut point of a score for each metric, with its spread and its optimism.

    Of more than two classes, with a probability for each, find the best weights of classes instead:
    a case is called the class with the largest weighted probability; see
    `baserate.tuning.class_weight_spread`.

    With folds thresholds are cross-validated. For every group there is what the best cut of all
    cases gives, and the group's own best cut. Weights count; with clusters or weights, of two
    classes or several, bootstrap samples draw whole clusters, within strata if there are any, or
    cases with their weights.

    Parameters
    ----------
    data : array-like, frame, path, Reading or HeldOut
        True labels, with `y_score` as a second array; or a frame or a path whose columns are named;
        or what `cases` read of such; or what `held_out` reads from a cross-validation, with its
        folds unless there are groups.
    **reading
        What says how data are read, as in `cases`.
    guess : {"dutch_draw", "uniform", "proportional", "mode"} or float, optional
        With folds, the guess that skill refers to; default the best guess.
    metrics : str, Metric or iterable, optional
        Default: Matthews correlation, F1, kappa, balanced accuracy and accuracy; of several classes
        macro F1 first, in place of F1.
    utility : 2x2 array, UtilityMatrix, mapping or path, optional
        Puts the mean utility per case first, as in `evaluate`.
    cost : str or mapping, optional
        The costs of the two errors instead, such as "fp=1,fn=20".
    constraint : str or sequence of str, optional
        Such as "recall >= 0.9": only cuts that meet all of them on these cases compete. The
        population keeps it at such a cut about half of the time; the report says how likely.
    base_rate : float, optional
        That of the population the cut is for: metrics and constraints are restated at it, if recall
        and specificity stay as they are.
    default : float, optional
        The threshold to compare with; 0.5 if every score lies in [0, 1].
    top : int, float, str or sequence of these, optional
        The k highest scores (50) or the top share (0.05, "5%") whose precision and recall are
        reported; default the top tenth.
    confidence_level : float
    n_resamples : int, optional
        Bootstrap samples. Default 200, and 20 of several classes.
    rng : seed or numpy.random.Generator
        Of the bootstrap; the same seed gives the same report.

    Examples
    --------
    >>> from baserate import thresholds
    >>> truth, score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    >>> found = thresholds(truth, score, metrics="f1", n_resamples=20)
    >>> found.facts.cuts[0].threshold, round(found.facts.cuts[0].value, 3)
    (0.3, 0.857)

    Three classes:

    >>> import numpy as np
    >>> y = np.repeat(["no", "yes", "maybe"], [30, 30, 10])
    >>> p = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]] * 35)
    >>> p = {"no": p[:, 0], "yes": p[:, 1], "maybe": p[:, 2]}
    >>> thresholds(y, p, metrics="macro_f1").facts.labels
    ('maybe', 'no', 'yes')
    """
    given = Given.of("thresholds", data, {"y_score": y_score}, reading)
    given = given.singly("y_score", cut=True)
    if given.models is not None:
        refuse("held out", fold=given.fold)
        given = replace(given, fold=given.models)
    if (given.read or given.models is not None) and given_groups(given.groups) is not None:
        given = replace(given, fold=None)
    stake = stake_of(utility, cost)
    refuse_search(stake)
    if given.fold is None:
        refuse("no folds", guess=guess)
    else:
        roles = ("weight", "strata", "cluster", "case_id")
        designed = {name: getattr(given, name) for name in roles}
        refuse("folds", groups=given.groups, **designed)
    default = None if default is None else cutting_point(default, argument="default")
    metrics, measures = besides_measures(metrics, "thresholds has one")
    averages = names_averages(metrics)
    cases, about = _read(given, default=default, several=2 if averages else 3)
    made_from = (*given.origins, *origins(utility))
    if isinstance(cases, ClassCases):
        from baserate.evaluation.class_thresholds import ClassThresholds, ClassWeighting

        ranged = next(filter(RANGE.fullmatch, measures), None)
        refuse("classes", len(cases.labels), base_rate=base_rate, metrics=ranged)
        refuse(
            "class weights", len(cases.labels), constraint=constraint, default=default, top=top,
            guess=guess, utility=utility, cost=cost,
        )  # fmt: skip
        weighting = ClassWeighting.of(metrics, confidence_level, n_resamples, rng)
        return ClassThresholds(weighting.of_cases(cases, about), made_from)
    if averages:
        rule = "must be of two classes where the score of one is cut"
        remedy = "name one, or pass a probability for each class (--score 'p_*')"
        raise InvalidArgumentError.from_rule("metrics", rule, averages[0], remedy)
    size = 200 if n_resamples is None else n_resamples
    chosen = chosen_metrics(OF_CUTS if metrics is None else metrics, base_rate)
    asked = Cutting(
        metrics=chosen,
        unasked=frozenset(m.name for m in chosen if metrics is None),
        constraint=constraints_of(constraint, base_rate),
        base_rate=base_rate,
        default=default,
        level=confidence(confidence_level),
        n_resamples=whole_number("n_resamples", size, minimum=1, maximum=DRAWS),
        rng=rng,
        guess=chosen_guess("dutch_draw" if guess is None else guess),
        tops=tops_of(top),
        named=(*measures, *(("top",) if top is not None else ())),
        asked_for=named_singly(metrics, base_rate),
        validates=given.fold is not None,
    )
    if base_rate is None:  # the risks at which stakes say to act are those of these cases
        at = acted_at(utility, cost, cases.positive, cases.labels, about.get("target"))
        asked = replace(asked, acted_at=at)
    *usual, last = with_stake(asked, stake, cases, about.get("target")).metrics
    if stake is not None:
        asked = replace(asked, metrics=(last, *usual), asked_for=(last.name, *asked.asked_for))
    return Thresholds(asked.of_cases(cases, about), made_from, cases)


def _read(
    given: Given, *, default: float | None, several: int
) -> tuple[BinaryCases | ClassCases, Mapping[str, Any]]:
    """Read cases with their score, or one for each class, and say what to call them."""
    if isinstance(given.data, ScoreHistogram):
        given = replace(given, score=Y_SCORE)
    elif given.target is None:
        models = given.fold if given.models is None else given.models
        score = given.score if given.second is None else given.second
        arrays = replace(given, fold=models, score=score, second=None)
        given = arrays.in_columns("y_score", Y_SCORE)
    fold = {} if of_arrays(given.data) else {"fold": given.fold}
    if given.score is None and given.second is None:
        raise unnamed_score(None)
    if fold and isinstance(given.score, str | int):
        refuse_shared_groups(given.groups, target=given.target, score=given.score, **fold)
    apart = given.fold is not None or given.weight is not None or given.designed
    hold = None if apart else HELD
    cases, about = read_classifier(given, several, threshold=default, hold=hold)
    about = {name: x for name, x in about.items() if name != "prediction"} | fold
    if isinstance(cases, BinaryCases):
        cases = replace(cases, decisions={})  # a default that was counted with parts rows
        about |= {"score": Y_SCORE} if of_arrays(given.data) else {}
    return cases, about
