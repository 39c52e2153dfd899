"""Several classifiers become one `Contest`: from predictions, tables, or scores that are cut."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from baserate.cases.cases import Cases
from baserate.cases.scores import check_scale, cutting_point, reaches
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.cases.values import distinct
from baserate.counts import ConfusionMatrix, has_both
from baserate.curves import ScoreHistogram, sweep
from baserate.curves.cut_points import Sweep
from baserate.errors import DataError, InvalidArgumentError, UnsupportedError
from baserate.evaluation.given import Given
from baserate.evaluation.metric_choice import listed
from baserate.evaluation.published_tables import counted_elsewhere
from baserate.evaluation.reading import columns_in, names_of, of_arrays, read_cases, refuse_second
from baserate.evaluation.refusals import refuse
from baserate.evaluation.score_facts import score_range
from baserate.evaluation.sources import about_columns, refuse_one_class
from baserate.facts.scores import SuppressionFact
from baserate.metrics import Metric, binary_metric
from baserate.tuning import optimal_threshold

TAU = "tau"
THRESHOLD = "threshold"
MOST = 30  # classifiers: beyond that nobody reads the pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where a score was cut, and what chose it: a metric, "threshold" or "tau".

    `also` names what chose other cuts that lead to the same decisions.
    """

    score: str
    threshold: float
    by: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Several classifiers, on the same cases or on test sets of their own."""

    tables: dict[str, ConfusionMatrix]
    cases: BinaryCases | None  # the same cases; None for separate test sets
    positive: Any
    labels: tuple[Any, ...]
    # Whether the positive class is the first of the utilities because nothing names one.
    assumed: bool = False
    missing: int = 0
    cuts: Mapping[str, Cut] = field(default_factory=dict)
    sweeps: Mapping[str, Sweep] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)  # where the data came from
    # What was done before counted scores left their site.
    suppressions: Mapping[str, SuppressionFact] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(self.tables)

    def table(self, name: str) -> ConfusionMatrix:
        """Return the table of one classifier."""
        return self.tables[name]


def read_several(
    given: Given,
    decide: Callable[[Cases, Any], BinaryCases | ClassCases],
    least: int = 2,
) -> tuple[Any, dict[str, Any]]:
    """Read several predictions or scores of the same cases, and say what to call them."""
    if given.target is None and given.judged:
        refuse("arrays", prediction=given.prediction)
        names = _keys("predictions", given.second), _keys("score", given.score)
        if both := sorted(set(names[0]) & set(names[1])):
            rule, remedy = "must have names that no prediction has", "rename one of the two"
            raise InvalidArgumentError.from_rule("score", rule, both[0], remedy)
        if not names[1]:
            refuse_too_few(names[0], least)
        given = given.in_columns("predictions")
    data, how = given.data, given.columns
    refuse_second(given.second, given.target)
    prediction, score = how.pop("prediction"), how.pop("score")
    if of_arrays(data) and isinstance(score, Mapping):  # labels or names, as it is asked
        score = list(score.values())
    named, scores = _names("prediction", prediction), _names("score", score)
    _names("groups", how["groups"])
    _refuse_patterns(data, prediction=named, score=scores)
    _check_number(given, (*named, *scores), scored=bool(scores), least=least)
    every = (*scores, *given.beside.values())
    cases, source = read_cases(
        data, predictions=named, scores=every, replicates=given.replicates, decide=decide, **how
    )
    if given.model is not None and cases.case is None:  # a row for each case of a long table
        how["case_id"] = None
    about = {**given.truth, **about_columns(data, source, how)}
    return cases, {name: value for name, value in about.items() if value is not None}


def refuse_one_sided(cases: BinaryCases, target: Any) -> None:
    """Refuse cases of one class only."""
    so = "one class cannot show which classifier is better: add cases of the other; columns that "
    so += "mark answers as right or wrong are passed as correct (--correct)"
    every = "" if cases.weight is None else " that has a weight"
    sizes = float(cases.amount[cases.truth].sum()), float(cases.amount[~cases.truth].sum())
    refuse_one_class(sizes, target, cases.positive, so, every=every)


def _check_number(given: Given, told: Sequence[Any], *, scored: bool, least: int) -> None:
    """Refuse too few classifiers, unless a single score is still cut in several places.

    Of a long table ask for what tells its rows apart: one column of answers, and case ids.
    """
    if given.model is None:
        if not scored:
            refuse_too_few(map(str, told), least)
        return
    if given.case_id is None:
        rule, remedy = "must be given beside model (--model)", "name the column of case ids (--id)"
        raise InvalidArgumentError.from_rule("case_id", rule, None, remedy)
    if len(told) != 1:
        rule = "tells the classifiers of one column apart"
        given_names = ", ".join(map(str, told))
        raise InvalidArgumentError.from_rule(
            "model", rule, given_names, "name one column of answers"
        )


def _refuse_patterns(data: Any, **named: Sequence[Any]) -> None:
    """Say that a pattern, which elsewhere stands for a score of each class, is no classifier."""
    asked = [
        (role, name)
        for role, names in named.items()
        for name in names
        if isinstance(name, str) and "*" in name
    ]
    if not asked or isinstance(data, Cases) or hasattr(data, "read") or str(data) == "-":
        return  # arrays bring their names along
    columns = columns_in(data)
    for role, name in asked:
        if name not in columns:
            rule = "must name a column for each classifier"
            remedy = "name them one by one"
            if role == "score":
                remedy += ", or where each has a score for every class by --score NAME=PATTERN"
            raise InvalidArgumentError.from_rule(role, rule, name, remedy)


def contest_of_tables(data: Any, positive: Any, *, assumed: bool) -> Contest:
    """Take tables that were counted elsewhere, each on a test set of its own."""
    counted, about = counted_elsewhere(data, positive)
    tables = {", ".join(map(str, key)): table for key, table in counted.groups.items()}
    refuse_too_few(tables)
    if any(table.is_weighted for table in tables.values()):
        raise UnsupportedError(
            "The counts are weights, and sums alone do not say how many cases they rest on: pass "
            "the cases with their weights, or pass unweighted counts."
        )
    if not all(map(has_both, tables.values())):
        _refuse_shares(tables)
    return Contest(
        tables=tables, cases=None, positive=counted.positive, labels=(), assumed=assumed,
        about=about,
    )  # fmt: skip


def _refuse_shares(tables: Mapping[str, ConfusionMatrix]) -> None:
    """Refuse tables of one class: shares such as recall, which other doors compare."""
    positive = all(table.n_positive for table in tables.values())
    one, two = ((t.tp, t.fn) if positive else (t.tn, t.fp) for t in [*tables.values()][:2])
    name = "recall" if positive else "specificity"
    rule = "must each hold both classes, whose errors compare weighs against each other"
    shares = ", ".join("({:.0f}, {:.0f})".format(*share) for share in (one, two))
    remedy = f'for {name} alone write br.difference("{name}", {shares}), or baserate audit FILE'
    raise InvalidArgumentError.from_rule("tables", rule, [*tables], f"{remedy} --metrics {name}")


def contest_of_histograms(
    histograms: Mapping[str, ScoreHistogram], *, points: Any, threshold: Any, tau: float | None
) -> Contest:
    """Cut the scores of several histograms, each of a test set of its own, in one place each.

    Two cuts of one score would be about the same cases, as separate test sets are not. Stakes cut
    at `tau` unless something else is asked for.
    """
    refuse_too_few(histograms)
    first = next(iter(histograms.values()))
    for name, other in histograms.items():
        if other.positive != first.positive:
            rule = f"must have the same positive label as the others, {first.positive!r}"
            remedy = "count the scores of one of them again"
            raise InvalidArgumentError.from_rule(name, rule, other.positive, remedy)
    cases = {name: histogram.cases(name) for name, histogram in histograms.items()}
    sweeps = {name: histogram.sweep() for name, histogram in histograms.items()}
    chosen = _points(points)
    if len(chosen) + (threshold is not None) > 1:
        rule = "must be one, without a threshold, for histograms, each cut in one place"
        raise InvalidArgumentError.from_rule("points", rule, list(chosen), "ask for one of them")
    named = {name: _one_cut(name, swept, chosen, threshold, tau) for name, swept in sweeps.items()}
    return Contest(
        tables={name: cases[cut.score].cut(cut.score, cut.threshold).table(cut.score)
                for name, cut in named.items()},
        cases=None,
        positive=first.positive,
        labels=distinct(label for one in histograms.values() for label in one.labels),
        missing=sum(one.n_missing for one in histograms.values()),
        cuts=named,
        sweeps=sweeps,
        suppressions={name: SuppressionFact(**one.suppression._asdict())
                      for name, one in histograms.items() if one.suppression is not None},
    )  # fmt: skip


def _one_cut(
    score: str, swept: Sweep, points: Mapping[str, Metric], threshold: Any, tau: float | None
) -> Cut:
    unasked = not points and threshold is None
    *_, cut = _cuts(score, swept, points, threshold, tau if unasked else None)
    return cut


def refuse_too_few(names: Iterable[str], least: int = 2) -> None:
    """Refuse a contest of one, and one that is too large to report."""
    found = list(names)
    if len(found) < least:
        only = f"one only ({found[0]})" if found else "none with a name"
        raise DataError(
            f"A comparison needs two classifiers, and there is {only}: name another prediction or "
            "score (where one column holds what all of them say, the column that tells them apart: "
            "model, --model), or of counts add a row for each, with its name in a column."
        )
    if len(found) > MOST:
        raise DataError(
            f"{len(found)} classifiers are too many for one comparison: compare at most {MOST}."
        )


def _keys(argument: str, given: Any) -> list[str]:
    if given is not None and not isinstance(given, Mapping):
        rule = "must name its columns when the truth is an array"
        remedy = 'pass {"A": array, "B": array}'
        raise InvalidArgumentError.from_rule(argument, rule, type(given).__name__, remedy)
    return [str(name) for name in given or ()]


def _names(argument: str, named: Any) -> tuple[Any, ...]:
    if isinstance(named, Mapping):
        rule = "must name columns when the data are a frame or a file"
        raise InvalidArgumentError.from_rule(argument, rule, list(named), "name the columns")
    return names_of(named)


def contest_of(
    joint: BinaryCases,
    about: Mapping[str, Any],
    *,
    points: Any,
    threshold: Any,
    tau: float | None,
) -> Contest:
    """Cut every score, and count what each classifier decides.

    A score is cut where each metric of `points` is best on these cases; at `threshold`; and at
    `tau`, if there are stakes and the score lies in [0, 1]. At 0.5 where none of these is given, or
    where there is nothing else to compare it with.
    """
    if not joint.scores:
        refuse("no score", threshold=threshold, points=points)
    sweeps = {
        name: sweep(joint.truth, score, sample_weight=joint.weight)
        for name, score in joint.scores.items()
    }
    chosen = _points(points)
    at: dict[str, Any] = {"threshold": threshold, "tau": tau}
    at["alone"] = len(sweeps) + len(joint.names) == 1
    cuts = [cut for name in sweeps for cut in _cuts(name, sweeps[name], chosen, **at)]
    different = _merged(cuts, sweeps)
    if len(cuts) > 1 == len(different) and not joint.names:
        raise DataError(
            f"The cuts of {different[0].score} at {_places(different[0])} flag the same cases, so "
            "there is one classifier only: name another score, or other points."
        )
    named = _named(different, [cut.score for cut in cuts])
    decided = {name: reaches(joint.scores[cut.score], cut.threshold) for name, cut in named.items()}
    refuse_too_few([*joint.names, *decided])
    whole = joint.with_decisions(decided) if decided else joint
    if (lost := whole.unverified) is not None:
        for name, cut in named.items():
            lost = lost.cut(cut.score, cut.threshold, name) if cut.score in lost.scores else lost
        whole = replace(whole, unverified=lost)
    return Contest(
        tables={name: whole.table(name) for name in whole.names},
        cases=whole,
        positive=whole.positive,
        labels=whole.labels,
        missing=whole.n_missing,
        cuts=named,
        sweeps=sweeps,
        about=about,
    )


def _points(points: Any) -> dict[str, Metric]:
    asked = listed(points)
    return {
        point if isinstance(point, str) else point.name: binary_metric(point) for point in asked
    }


def _cuts(
    score: str,
    swept: Sweep,
    points: Mapping[str, Metric],
    threshold: Any,
    tau: float | None,
    *,
    alone: bool = True,
) -> Iterator[Cut]:
    for name, metric in points.items():
        best = optimal_threshold(metric, swept)
        yield Cut(score=score, threshold=best.threshold, by=name)
    low, high = score_range(swept)
    priced = tau is not None and low >= 0 and high <= 1
    if threshold is not None or not (points or (priced and not alone)):
        at = cutting_point(threshold)
        check_scale(low, high, threshold, name=score)
        yield Cut(score=score, threshold=at, by=THRESHOLD)
        if at == tau:
            return
    if tau is not None and priced:
        yield Cut(score=score, threshold=tau, by=TAU)


def _merged(cuts: Iterable[Cut], sweeps: Mapping[str, Sweep]) -> list[Cut]:
    """Make one of all cuts of a score that flag the same cases: they are one classifier."""
    merged = dict[tuple[str, int], Cut]()
    for cut in cuts:
        # Cuts of one score flag the same cases if they flag equally many.
        key = cut.score, int(sweeps[cut.score].rules_at(cut.threshold))
        first = merged.get(key)
        merged[key] = cut if first is None else replace(first, also=(*first.also, _place(cut)))
    return list(merged.values())


def _named(cuts: list[Cut], times: list[str]) -> dict[str, Cut]:
    """Call a classifier as its score, and say where it is cut if the score is cut several times."""
    return {
        cut.score if times.count(cut.score) == 1 else f"{cut.score} @ {_places(cut)}": cut
        for cut in cuts
    }


def _places(cut: Cut) -> str:
    return ", ".join((_place(cut), *cut.also))


def _place(cut: Cut) -> str:
    return f"{cut.threshold:g}" if cut.by == THRESHOLD else cut.by
