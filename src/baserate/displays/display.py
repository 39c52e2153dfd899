"""Displays of scores and of tables: the ways in from labels, classifiers, cross-validation."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from baserate._checks import confidence
from baserate._figures import as_text, count, joined, label
from baserate.cases import class_table, held_out
from baserate.cases.arrays import read_arrays
from baserate.cases.cases import Cases
from baserate.cases.unseen_cases import positive_of, scores_of
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.curves import Population, ScoreHistogram
from baserate.curves.cut_points import Sweep, sweeps_by_group, sweeps_of
from baserate.displays.contract import Display
from baserate.errors import InvalidArgumentError

Table = ConfusionMatrix | ClassTable
ONE = ""  # the name of what stands alone


class ScoreDisplay(Display):
    """A picture of real scores, of one classifier or group or of several on the same axes.

    Parameters
    ----------
    sweeps : Sweep, or mapping of name to Sweep
    confidence_level : float
    """

    kinds: ClassVar[tuple[type, ...]] = (Sweep,)  # what can be drawn, beside their mappings

    def __init__(
        self, sweeps: Sweep | Mapping[str, Sweep], *, confidence_level: float = 0.95
    ) -> None:
        remedy = "pass baserate.sweep(y_true, y_score)"
        self.sweeps: dict[str, Any] = by_name("sweeps", sweeps, self.kinds, remedy)
        self.confidence_level = confidence(confidence_level)

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None, plot: bool = True, **options: Any) -> Self:
        """Draw a result, or the scores it was computed from; what its `plot` calls.

        Parameters
        ----------
        result
            What the display draws, or a result that holds its `sweep`.
        ax, plot, **options
            As in `from_predictions`.
        """
        known = isinstance(result, (*cls.kinds, ScoreHistogram))
        source = result if known else getattr(result, "sweep", result)
        return cls.of(source, ax=ax, plot=plot, options=options)

    @property
    def swept(self) -> dict[str, Sweep]:
        """What holds cases, by name."""
        return {name: one for name, one in self.sweeps.items() if isinstance(one, Sweep)}

    def who(self, name: str, one: Any) -> str:
        """Return a name for the legend: with its cases, if the title cannot say these for all."""
        name = label(name)
        sizes = {(s.n_positive, s.n_negative) for s in self.swept.values()}
        if len(sizes) < 2 or not isinstance(one, Sweep):
            return name
        return f"{name} ({count(one.n_positive)} of {count(one.n_positive + one.n_negative)})"

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        plot: bool = True,
        **options: Any,
    ) -> Self:
        """Draw scores of cases whose labels are known.

        Parameters
        ----------
        y_true : array-like of shape (n,)
        y_score : array-like of shape (n,), or mapping of name to array-like
            Several classifiers on the same cases are drawn on the same axes.
        groups : array-like of shape (n,), optional
            One curve for every group, instead of one for all cases.
        sample_weight, pos_label : optional
            As in `baserate.sweep`.
        name : str, optional
            What the legend calls it.
        ax : matplotlib axes, optional
        plot : bool
            Whether it is drawn by matplotlib at once; `to_svg` needs no matplotlib.
        **options
            Those of the display.
        """
        cases = _cases(y_true, "scores", y_score, "y_score", groups, sample_weight)
        two = cases.binary(pos_label, argument="pos_label")
        sweeps = sweeps_of(two) if groups is None else sweeps_by_group(two)
        named = _named(sweeps, y_score, groups, name)
        return cls.of(named, ax=ax, plot=plot, options=options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the scores of a fitted classifier: its probabilities, or else its decision function.

        See `from_predictions`.

        Raises
        ------
        InvalidArgumentError
            It is no classifier of two classes, or gives no scores.
        """
        positive = positive_of(two_classes(estimator, scores=True), pos_label)
        score = scores_of(estimator, X, positive)
        if name is None and options.get("groups") is None:
            name = type(estimator).__name__
        return cls.from_predictions(y, score, pos_label=positive, name=name, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        pooled: bool = False,
        **options: Any,
    ) -> Self:
        """Draw what the models of ``cross_validate`` said of cases they had not seen.

        Parameters
        ----------
        cv_results : dict
            Of ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y
            The same data.
        sample_weight : array-like of shape (n,), optional
        pooled : bool
            One curve of all held-out cases together, instead of one for each fold. For measures of
            single cases, such as calibration: ranked across models, scores that know nothing look
            worse than chance.
        pos_label, **options
            As in `from_predictions`.
        """
        found = held_out(cv_results, X, y, pos_label=pos_label)
        if found.score is None:
            rule, remedy = "must hold classifiers with scores", "use classifiers with probabilities"
            raise InvalidArgumentError.from_rule("cv_results", rule, "none", remedy)
        folds = None if pooled else [f"fold {k}" for k in found.fold.tolist()]
        weight = None if sample_weight is None else np.asarray(sample_weight)[found.rows]
        positive = positive_of(two_classes(cv_results["estimator"][0]), pos_label)
        return cls.from_predictions(
            found.y_true,
            found.score,
            groups=folds,
            sample_weight=weight,
            pos_label=positive,
            **options,
        )


class PopulationDisplay(Display):
    """A picture that populations whose law is known have too."""

    @classmethod
    def from_population(
        cls,
        population: Population | Mapping[str, Population],
        *,
        name: str | None = None,
        ax: Any = None,
        plot: bool = True,
        **options: Any,
    ) -> Self:
        """Draw populations whose law is known.

        Parameters
        ----------
        population : LDA, QDA, Empirical or any Population, or mapping of name to such
        name : str, optional
            What the legend calls it.
        ax, plot, **options
            As in `from_predictions`, such as the `base_rate`, which populations have none of.
        """
        named = {name: population} if name is not None else population
        return cls.of(named, ax=ax, plot=plot, options=options)


class TableDisplay(Display):
    """A picture of confusion matrices, of one classifier or group or of several.

    Parameters
    ----------
    tables : ConfusionMatrix, or mapping of name to ConfusionMatrix
    confidence_level : float
    """

    kinds: ClassVar[tuple[type, ...]] = (ConfusionMatrix,)  # what can be drawn, as for scores
    several: ClassVar[bool] = False  # whether it draws more than two classes

    def __init__(
        self,
        tables: Table | Mapping[str, Table],
        *,
        confidence_level: float = 0.95,
    ) -> None:
        remedy = "pass baserate.confusion_matrix(y_true, y_pred)"
        self.tables: dict[str, Any] = by_name("tables", tables, self.kinds, remedy)
        self.confidence_level = confidence(confidence_level)

    @classmethod
    def from_table(
        cls,
        table: Table | Mapping[str, Table],
        *,
        ax: Any = None,
        plot: bool = True,
        **options: Any,
    ) -> Self:
        """Draw a table, or several by name."""
        return cls.of(table, ax=ax, plot=plot, options=options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        plot: bool = True,
        **options: Any,
    ) -> Self:
        """Draw predicted labels of cases whose labels are known.

        Parameters
        ----------
        y_true : array-like of shape (n,)
        y_pred : array-like of shape (n,), or mapping of name to array-like
        groups : array-like of shape (n,), optional
            One table for every group, instead of one for all cases.
        sample_weight, pos_label : optional
            As in `baserate.confusion_matrix`.
        name, ax, plot, **options
            As in the displays of scores.
        """
        cases: Any = _cases(y_true, "predictions", y_pred, "y_pred", groups, sample_weight)
        if cls.several and pos_label is None and cases.n_classes > 2:
            cases = cases.classes()
        else:
            cases = cases.binary(pos_label, argument="pos_label")
        if groups is None:
            tables = {key: cases.table(key) for key in cases.names}
        else:
            tables = {joined(key): table for key, table in cases.counted().groups.items()}
        named = _named(tables, y_pred, groups, name)
        return cls.of(named, ax=ax, plot=plot, options=options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the predictions of a fitted classifier; see `from_predictions`."""
        if not hasattr(estimator, "predict"):
            two_classes(estimator)
        predicted, classes = estimator.predict(X), getattr(estimator, "classes_", ())
        if cls.several and pos_label is None and len(classes) > 2 and not options.get("groups"):
            every = np.unique(np.concatenate([classes, np.asarray(y)])).tolist()
            weight = options.pop("sample_weight", None)
            table = class_table(y, predicted, labels=every, sample_weight=weight)
            ax, plot = options.pop("ax", None), options.pop("plot", True)
            return cls.of(table, ax=ax, plot=plot, options=options)
        positive = positive_of(two_classes(estimator), pos_label)
        if name is None and options.get("groups") is None:
            name = type(estimator).__name__
        return cls.from_predictions(y, predicted, pos_label=positive, name=name, **options)


def two_classes(estimator: Any, *, scores: bool = False) -> Any:
    """Return the classes of a fitted classifier: there must be two, and scores where needed."""
    classes = np.asarray(getattr(estimator, "classes_", ()))
    given = type(estimator).__name__
    if len(classes) != 2:
        rule = "must be a fitted classifier of two classes"
        given = f"{given} with {len(classes)}" if len(classes) else given
        remedy = "fit it first; of several classes, pass y == one of them and its scores"
        raise InvalidArgumentError.from_rule("estimator", rule, given, remedy)
    if scores and not any(
        hasattr(estimator, way) for way in ("predict_proba", "decision_function")
    ):
        rule, remedy = "must have predict_proba or decision_function", "use one that gives scores"
        raise InvalidArgumentError.from_rule("estimator", rule, given, remedy)
    return classes


def by_name(
    argument: str, given: Any, kind: type | tuple[type, ...], remedy: str
) -> dict[str, Any]:
    """Return things by name, which must differ as text; one alone has no name."""
    named = given if isinstance(given, Mapping) else {ONE: given}
    named = {
        name: one.sweep() if isinstance(one, ScoreHistogram) else one for name, one in named.items()
    }
    wrong = [type(value).__name__ for value in named.values() if not isinstance(value, kind)]
    if wrong or not named:
        kinds = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
        rule = f"must be a {kinds}, or a mapping of names to such"
        raise InvalidArgumentError.from_rule(argument, rule, (wrong or ["none"])[0], remedy)
    names = [as_text(name) for name in named]
    found = dict(zip(names, named.values(), strict=True))
    if len(found) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        rule, remedy = "must have names that differ as text", "rename all but one of them"
        raise InvalidArgumentError.from_rule(argument, rule, twice, remedy)
    return found


def _named(found: dict[str, Any], given: Any, groups: Any, name: str | None) -> dict[str, Any]:
    """Give what was found for one classifier its name; several have names already."""
    if groups is None and not isinstance(given, Mapping):
        return dict(zip((name or ONE,), found.values(), strict=True))
    if name is not None:
        rule, remedy = "can name one curve only", "leave it out: several have names already"
        raise InvalidArgumentError.from_rule("name", rule, name, remedy)
    return found


def _cases(y_true: Any, part: str, values: Any, argument: str, groups: Any, weight: Any) -> Cases:
    """Read labels beside predictions or scores, of one classifier or of several by name."""
    named = values if isinstance(values, Mapping) else {argument: values}
    if groups is not None and len(named) > 1:
        rule, remedy = "cannot go with several classifiers", "draw the groups of one classifier"
        raise InvalidArgumentError.from_rule("groups", rule, list(named), remedy)
    by = None if groups is None else {"groups": groups}
    given: dict[str, Any] = {part: named, "groups": by, "sample_weight": weight}
    return read_arrays(y_true, **given)
