"""Several classifiers, given what their decisions are worth: which is best, where, how surely."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Number
from typing import TYPE_CHECKING, Any, Unpack

from baserate._checks import each_of, number_in
from baserate._files import Origin, origins
from baserate._measures import COMPARED
from baserate.baselines.guessing import chosen_guess
from baserate.cases.several_classes import ClassCases
from baserate.cases.unseen_cases import HeldOut
from baserate.curves.cut_points import sweeps_by_group, sweeps_of
from baserate.errors import InvalidArgumentError, LabelError
from baserate.evaluation.class_comparison_facts import ClassComparing
from baserate.evaluation.class_contest import (
    SEVERAL,
    ClassContest,
    tables_of_classes,
    usual_of_tables,
)
from baserate.evaluation.comparison_facts import MANY, Comparing
from baserate.evaluation.contest import (
    Contest,
    contest_of,
    contest_of_histograms,
    contest_of_tables,
    read_several,
    refuse_one_sided,
    refuse_too_few,
)
from baserate.evaluation.decisions import contest_of_one, deciding, refuse_uncounted
from baserate.evaluation.evaluation_facts import Evaluating
from baserate.evaluation.given import Given
from baserate.evaluation.keywords import ReadingKeywords, takes_reading
from baserate.evaluation.label_columns import EVERYONE
from baserate.evaluation.metric_choice import (
    acting_cut,
    besides_measures,
    marked_metrics,
    names_averages,
)
from baserate.evaluation.published_tables import CountsFile, given_tables
from baserate.evaluation.ranked import Ranked
from baserate.evaluation.reading import side_by_side
from baserate.evaluation.refusals import refuse
from baserate.evaluation.score_histograms import counted_classifiers
from baserate.evaluation.stakes import FittedStakes, GivenStakes, fitted, is_uneven, stakes_of
from baserate.facts.comparison import ClassComparisonFacts, ComparisonFacts
from baserate.metrics import Metric
from baserate.report.class_compare import sheet_of as sheet_of_classes
from baserate.report.compare import sheet_of
from baserate.utilities.metric_rankings import USUAL

if TYPE_CHECKING:
    from baserate.curves.cut_points import Sweep
    from baserate.displays.display import Display
    from baserate.report.explorer import Explorer


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Ranked):
    """What `compare` found, and the ways to show it.

    Attributes
    ----------
    counted : mapping of str to Sweep
        The scores of histograms, each of cases of its own.
    """

    facts: ComparisonFacts
    sheet_of = staticmethod(sheet_of)
    counted: "Mapping[str, Sweep]" = field(
        default_factory=dict[str, "Sweep"], repr=False, compare=False
    )

    def _explorer(self) -> "Explorer | None":
        """Return the explorer of several scores of the same cases, each with its groups."""
        from baserate.report.explorer import explorer_of_comparison  # for pages only

        cases = self.cases
        swept = {
            name: {
                EVERYONE: whole,
                **sweeps_by_group(replace(cases, scores={name: cases.scores[name]})),
            }
            for name, whole in sweeps_of(cases).items()
        }
        return explorer_of_comparison(swept, self.facts)

    @property
    def sweeps(self) -> "Mapping[str, Sweep]":
        """Every cut point of each score; empty without scores."""
        return self.counted if self.cases is None else sweeps_of(self.cases)

    def displays(self) -> "dict[str, Display]":
        """Return what is best by the stakes and by the base rate, and the curves of scores."""
        from baserate.evaluation.comparison_pictures import displays_of  # for pictures only

        return displays_of(self.facts, self.sweeps)


@dataclass(frozen=True, slots=True, repr=False)
class ClassComparison(Ranked):
    """What `compare` found about classifiers of several classes, and the ways to show it."""

    facts: ClassComparisonFacts
    sheet_of = staticmethod(sheet_of_classes)

    def displays(self) -> "Mapping[str, Display]":
        """Return yields beside the best constant decision, and differences of the first two.

        "differences" is of every metric of the whole table, "classes" of each class.
        """
        from baserate.evaluation.comparison_pictures import displays_of_classes  # for pictures only

        return displays_of_classes(self.facts)


if TYPE_CHECKING:
    from baserate.curves import ScoreHistogram

NO_SUCH_LABEL = "positive must be a label that occurs"


@takes_reading
def compare(
    data: Any,
    predictions: Any = None,
    /,
    *,
    threshold: float | None = None,
    points: str | Metric | Iterable[str | Metric] | None = None,
    utility: Any = None,
    cost: Any = None,
    guess: str | float = "dutch_draw",
    base_rate: float | Iterable[float] | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    margin: float | None = None,
    confidence_level: float = 0.95,
    rng: Any = 0,
    **reading: Unpack[ReadingKeywords],
) -> Comparison | ClassComparison:
    """Say which of several classifiers is best, given what their decisions are worth.

    Of more than two classes, none of which is named positive, they are compared by all of them: by
    their yields (accuracy without utilities), by averages over classes, and class by class; of
    cases in clusters or with weights too. Groups have their yields and their best classifier.

    Parameters
    ----------
    data : array-like, frame, path, Reading, or mapping of name to tables or HeldOut
        True labels, with `predictions` or `score` as mappings of arrays; a frame or a path whose
        columns are named below; or what `cases` read of such; or published tables or histograms of
        scores, each from a test set of its own; or what `held_out` reads from cross-validations on
        the same data.
    predictions : mapping of name to array-like, optional
        Predicted labels of each classifier, for the same cases.
    **reading
        What says how data are read, as in `cases`.
    threshold : float, optional
        Default 0.5, or the risk of the net benefit asked for, unless `points` are given.
    points : str, Metric or iterable, optional
        Metrics whose best cut point on each score is compared. Each is also cut at the utilities'
        own threshold tau if it lies in [0, 1], as calibrated probabilities do.
    utility : array, UtilityMatrix, mapping or path (.toml, .csv), optional
        What each decision (row) is worth in each class (column). Named classes must be those of the
        data; a 2x2 array has the positive decision and class first, a larger one the classes in
        order, numbers by size and text by alphabet. Where decisions have names of their own, or
        are more or fewer than the classes, predictions hold decisions, and probabilities of two
        classes decide by expected utility.
    cost : mapping or str, optional
        Costs of the two errors instead, {"fp": 1, "fn": 20} or "fp=1,fn=20". With neither, every
        right decision counts the same: accuracy. Tables without labels have the first class of
        these as positive, and the report says so.
    guess : {"dutch_draw", "uniform", "proportional", "mode"} or float
        The guess that the chance level of each metric refers to.
    base_rate : float or iterable of float, optional
        Base rates in (0, 1) of deployment: the rates within each class stay. Everything but the
        groups is stated at the first; more of them are compared by yield and best classifier.
    metrics : str, Metric or iterable, optional
        Metrics that are compared, up to eight, and whose rankings are judged. Default: recall,
        specificity and accuracy, and the rankings of the usual eight; of several classes accuracy,
        balanced accuracy, macro F1, Matthews correlation, and recall of every class.
    margin : float, optional
        What may be lost: of every other classifier it is said whether it is worse than the first
        named by no more than this, by each metric compared, ROC areas and Brier scores. The limit
        of the interval decides: by default about 2.5% of samples pass by luck where just the margin
        is lost. Of shares of the same cases, such as recall, it is Tango's score interval, by which
        that is 4% at most from 25 cases on; other metrics pass by luck more often where the two
        seldom differ.
    confidence_level : float
    rng : seed or numpy.random.Generator
        Of the simulation that says how probably each of three or more classifiers on the same cases
        is best (with clusters or weights by the joint Student law of their differences); nothing
        else is simulated.

    Returns
    -------
    Comparison or ClassComparison

    Raises
    ------
    BaserateError
        In one sentence: a single classifier, utilities that do not fit the labels, or what
        `evaluate` refuses.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t.

    Examples
    --------
    >>> from baserate import compare
    >>> from baserate import ConfusionMatrix
    >>> found = compare(
    ...     {
    ...         "A": ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
    ...         "B": ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
    ...     },
    ...     utility=[[15, -335], [-35, 165]],
    ...     metrics="accuracy, recall",
    ... ).facts
    >>> [(c.name, c.value) for c in found.classifiers], found.constant_value
    ([('A', 3.5), ('B', -3.5)], 65.0)
    >>> round(found.pairs[0].a_better, 4), [r.name for r in found.rankings if r.wrong]
    (0.6171, ['accuracy', 'recall'])
    """
    given = Given.of("compare", data, {"predictions": predictions}, reading)
    data, positive = given.data, given.positive
    if held := _held_out(data):
        known = {"predictions": given.second, "target": given.target, "score": given.score}
        data, calls = side_by_side(held, **known)
        positive = next(iter(held.values())).positive if positive is None else positive
        given = replace(given, data=data, second=calls, positive=positive)
    columns = {k: v for k, v in given.columns.items() if k not in ("positive", "progress")}
    unread = {**columns, "predictions": given.second, "replicate_weights": given.replicates}
    histograms = counted_classifiers(data)
    if histograms:
        refuse("histograms", **unread)
    paths = data.values() if isinstance(data, Mapping) else ()
    made_from = (*given.origins, *origins(*paths, utility))
    stakes = stakes_of(utility, cost)
    metrics = marked_metrics(
        metrics, given.correct, cost=cost, utility=utility, base_rate=base_rate, points=points,
        guess=guess,
    )  # fmt: skip
    scores = "histograms" if histograms else given.score
    metrics, measures = besides_measures(metrics, scores, COMPARED)
    threshold = acting_cut(threshold, metrics, cuts=scores is not None and points is None)
    averages = names_averages(metrics)  # asked of several classes only
    how = {"rng": rng, "margin": _margin(margin), "measures": measures}
    comparing = _asked(None if averages else metrics, guess, base_rate, confidence_level, how)
    several = partial(
        _of_classes, metrics=metrics, guess=guess, confidence_level=confidence_level, **how
    )
    if histograms:
        cuts = {"points": points, "threshold": threshold}
        contest, worth = _of_histograms(histograms, stakes, positive, cuts)
        named = any(x is not None for x in (threshold, points)) or stakes.kind != "accuracy"
        found = comparing(contest=contest, stakes=worth, cut_named=named)
        return Comparison(found.facts(), made_from, counted=contest.sweeps)
    if isinstance(data, CountsFile | Mapping) and given.target is None:
        refuse("counts", **unread, threshold=threshold, points=points)
        data, about = given_tables(data) if isinstance(data, Mapping) else (data, {})
        if tables := tables_of_classes(data, positive):
            n_classes = len(next(iter(tables.values())).labels)
            refuse("classes", n_classes, cost=cost, base_rate=base_rate)
            return several(ClassContest.of_tables(tables, stakes, about), made_from)
        contest, worth = _of_tables(data, stakes, positive)
        found = comparing(contest=replace(contest, about={**contest.about, **about}), stakes=worth)
        return Comparison(found.facts(), made_from)
    decide, given = deciding(given, stakes, several=2 if averages else SEVERAL)
    joint, about = _read(given, stakes.positive(positive), decide, named=positive is not None)
    if isinstance(joint, ClassCases):
        unused = {"cost": cost, "base_rate": base_rate, "threshold": threshold, "points": points}
        return several(_contest_of_classes(joint, stakes, about, unused), made_from)
    if given.judged:
        refuse_one_sided(joint, about["target"])
    _refuse_averages(averages)
    worth = fitted(stakes, joint.positive, joint.labels, about.get("target"))
    tau = None if stakes.kind == "accuracy" else worth.fact.tau
    contest = contest_of(joint, about, points=points, threshold=threshold, tau=tau)
    named = not contest.cuts or any(x is not None for x in (threshold, points, tau))
    found = comparing(contest=contest, stakes=worth, cut_named=named)
    # Curves have bands, which take cases as independent.
    drawn = contest.sweeps and contest.cases is not None and not contest.cases.is_designed
    return Comparison(found.facts(), made_from, contest.cases if drawn else None)


def _read(
    given: Given, wanted: Any, decide: Callable[[Any, Any], Any], *, named: bool
) -> tuple[Any, dict[str, Any]]:
    """Read the cases; a positive label that nobody passed is the one that the utilities name."""
    try:
        return read_several(replace(given, positive=wanted), decide)
    except LabelError as error:
        if not named and wanted is not None and NO_SUCH_LABEL in str(error):
            raise LabelError(f"The utilities do not fit the labels: {error}") from None
        raise


def _contest_of_classes(
    joint: ClassCases, stakes: GivenStakes, about: dict[str, Any], unused: dict[str, Any]
) -> ClassContest:
    refuse("decisions" if is_uneven(stakes) else "classes", len(joint.labels), **unused)
    contest = ClassContest.of_cases(joint, stakes, about)
    refuse_too_few(contest.names)  # scores of two classes, which are cut nowhere else
    return contest


def _of_classes(contest: ClassContest, made_from: tuple[Origin, ...], **asked: Any) -> Any:
    return ClassComparison(ClassComparing.of(contest, **asked).facts(), made_from)


def of_one(
    given: Given, stakes: Any, made_from: tuple[Origin, ...], *, guess: Any,
    confidence_level: float, **asked: Any,
) -> ClassComparison:  # fmt: skip
    """Return what the decisions of one classifier earn: a comparison of one, by groups too."""
    contest = contest_of_one(given, stakes, **asked)
    how = {"guess": guess, "confidence_level": confidence_level}
    return _of_classes(contest, made_from, metrics=None, **how)


def _refuse_averages(averages: list[Any]) -> None:
    if averages:
        rule = "must be of two classes where one is positive, as scores, costs and positive say"
        remedy = "name metrics of two classes, or leave positive out"
        raise InvalidArgumentError.from_rule("metrics", rule, averages[0], remedy)


def _of_histograms(
    histograms: "Mapping[str, ScoreHistogram]",
    stakes: GivenStakes,
    positive: Any,
    how: dict[str, Any],
) -> tuple[Contest, FittedStakes]:
    """Cut the scores of histograms, of which the first says what is positive."""
    first = next(iter(histograms.values()))
    if positive is not None and str(positive) != str(first.positive):
        rule = f"must be {first.positive!r}, which the histograms counted as positive"
        raise InvalidArgumentError.from_rule("positive", rule, positive, "leave it out")
    refuse_uncounted("histogram", stakes)
    worth = fitted(stakes, first.positive, first.labels, None)
    tau = None if stakes.kind == "accuracy" else worth.fact.tau
    return contest_of_histograms(histograms, **how, tau=tau), worth


def _of_tables(data: Any, stakes: GivenStakes, positive: Any) -> tuple[Contest, FittedStakes]:
    named = usual_of_tables(data) if positive is None else positive
    refuse_uncounted("counts", stakes)
    wanted, assumed = stakes.positive_of_counts(named)
    contest = contest_of_tables(data, wanted, assumed=assumed)
    return contest, fitted(stakes, contest.positive, (), None)


def _margin(given: Any) -> float | None:
    remedy = "pass the largest loss that does not matter, such as 0.02"
    return None if given is None else number_in("margin", given, "(0, inf)", remedy)


def _held_out(data: Any) -> dict[str, HeldOut]:
    """Return the held-out cases of several classifiers by name, if data are such."""
    named = data if isinstance(data, Mapping) else {}
    found = {str(k): value for k, value in named.items() if isinstance(value, HeldOut)}
    return found if len(found) == len(named) else {}


def _asked(
    metrics: Any, guess: Any, base_rate: Any, level: float, how: dict[str, Any]
) -> Callable[..., Comparing]:
    """Check what does not depend on the data, before these are read."""
    given = [] if base_rate is None else each_of("base_rate", base_rate, Number | str)
    guess = chosen_guess(guess)  # one for all classifiers, whatever their numbers of alarms
    asked = Evaluating.of(USUAL if metrics is None else metrics, guess, None, level)
    named = () if metrics is None or len(asked.metrics) > MANY else asked.metrics
    remedy = "pass the share of positives where decisions will be taken"
    found = (number_in("base_rate", value, "(0, 1)", remedy) for value in given)
    rates = tuple(dict.fromkeys(found))
    return partial(Comparing, asked=asked, base_rates=rates, named=named, **how)
