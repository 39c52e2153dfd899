"""What every display offers: one picture, drawn on matplotlib axes or written as SVG."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import Any, Self

from baserate._checks import confidence
from baserate._figures import label
from baserate._files import write_text
from baserate._frames import frame_of
from baserate.cases import BinaryCases, held_out, read_arrays
from baserate.cases.unseen_cases import positive_of, scores_of
from baserate.counts import ConfusionMatrix
from baserate.curves import Sweep
from baserate.curves.cut_points import sweeps_by_group, sweeps_of
from baserate.displays.picture import Picture
from baserate.displays.svg import svg
from baserate.errors import InvalidArgumentError

ONE = ""  # the name of what stands alone


class Display(ABC):
    """A picture of something, computed when first looked at.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Once it is plotted.
    artists_ : dict of str to list of artists
        Once it is plotted: what was drawn, by what it stands for ("curve", "chance", "band").
    """

    ax_: Any
    figure_: Any
    artists_: dict[str, list[Any]]

    @abstractmethod
    def _drawn(self) -> Picture:
        """Return what is to be drawn."""

    @abstractmethod
    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of `to_frame`: the numbers that are drawn."""

    @cached_property
    def picture(self) -> Picture:
        """Axes and marks as plain records."""
        return self._drawn()

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        curve_kwargs: Mapping[str, Any] | None = None,
        chance_level_kwargs: Mapping[str, Any] | None = None,
        **styles: Mapping[str, Any],
    ) -> Self:
        """Draw on matplotlib axes; no setting of matplotlib is touched.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Default: those of a new figure. What they hold already stays.
        name : str, optional
            What the legend calls the curve; for displays of one.
        plot_chance_level : bool
            Whether chance is drawn.
        curve_kwargs, chance_level_kwargs : dict, optional
            Keywords of matplotlib for the curves and for chance.
        **styles : dict
            The same for any other kind of mark, such as ``band_kwargs``; see `artists_`.

        Returns
        -------
        Display
            Itself, with `ax_`, `figure_` and `artists_`.

        Raises
        ------
        MissingDependencyError
            matplotlib is not installed; `to_svg` needs nothing.
        """
        from baserate.displays.matplotlib_axes import draw, new_axes

        picture = self.picture if name is None else self._renamed(name)
        if not plot_chance_level:
            marks = tuple(mark for mark in picture.marks if mark.key != "chance")
            picture = replace(picture, marks=marks)
        given = {"curve_kwargs": curve_kwargs, "chance_kwargs": chance_level_kwargs, **styles}
        known = {f"{mark.key}_kwargs" for mark in picture.marks}
        for unknown in given.keys() - known - {"curve_kwargs", "chance_kwargs"}:
            rule = f"must be one of {', '.join(sorted(known))}"
            raise InvalidArgumentError.from_rule("styles", rule, unknown, "name one of these")
        chosen = {key.removesuffix("_kwargs"): how for key, how in given.items() if how}
        self.ax_ = new_axes(square=picture.square, height=picture.height) if ax is None else ax
        self.figure_ = self.ax_.figure
        self.artists_ = draw(picture, self.ax_, chosen)
        return self

    def to_svg(
        self,
        path: str | PathLike[str] | None = None,
        *,
        width: float = 480,
        height: float | None = None,
        alone: bool = True,
    ) -> str | None:
        """Return the picture as SVG, or write it to `path`; matplotlib is not needed.

        Parameters
        ----------
        path : path, optional
        width, height : float
            In pixels of 12 pixel letters; by default as high as it needs.
        alone : bool
            Whether it brings its colours along; a page of many has them once.
        """
        text = svg(self.picture, width=width, height=height, alone=alone)
        if path is None:
            return text
        write_text(path, text)
        return None

    def to_frame(self, backend: Any = None) -> Any:
        """Return the numbers that are drawn as a data frame; see the results' `to_frame`."""
        return frame_of(self._rows(), backend)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Show a picture in notebooks, unless matplotlib has shown it."""
        shown = {"text/plain": repr(self)}
        return shown if hasattr(self, "ax_") else shown | {"image/svg+xml": str(self.to_svg())}

    def _renamed(self, name: str) -> Picture:
        curves = [mark for mark in self.picture.marks if mark.key == "curve"]
        if len(curves) > 1:
            rule, remedy = "can rename one curve only", "name several where they are passed"
            raise InvalidArgumentError.from_rule("name", rule, name, remedy)
        marks = (m.named(name) if m.key == "curve" else m for m in self.picture.marks)
        return replace(self.picture, marks=tuple(marks))

    def drawn_at_once(self, ax: Any, *, plot: bool) -> Self:
        """Draw at once, as scikit-learn's displays do, unless told otherwise."""
        return self.plot(ax) if plot or ax is not None else self


class ScoreDisplay(Display):
    """A picture of real scores, of one classifier or group or of several on the same axes.

    Parameters
    ----------
    sweeps : Sweep, or mapping of name to Sweep
    confidence_level : float
    """

    def __init__(
        self, sweeps: Sweep | Mapping[str, Sweep], *, confidence_level: float = 0.95
    ) -> None:
        self.sweeps = by_name("sweeps", sweeps, Sweep, "pass baserate.sweep(y_true, y_score)")
        self.confidence_level = confidence(confidence_level)

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
        cases = _read(y_true, "scores", y_score, "y_score", groups, sample_weight, pos_label)
        sweeps = sweeps_of(cases) if groups is None else sweeps_by_group(cases)
        if groups is None and not isinstance(y_score, Mapping):
            sweeps = dict(zip((name or ONE,), sweeps.values(), strict=True))
        return cls(sweeps, **options).drawn_at_once(ax, plot=plot)

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
        """
        positive = positive_of(estimator.classes_, pos_label)
        score = scores_of(estimator, X, positive)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, score, pos_label=positive, name=name, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: Any,
        *,
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
        pooled : bool
            One curve of all held-out cases together, instead of one for each fold.
        pos_label, **options
            As in `from_predictions`.
        """
        found = held_out(cv_results, X, y, pos_label=pos_label)
        if found.score is None:
            rule, remedy = "must hold classifiers with scores", "use classifiers with probabilities"
            raise InvalidArgumentError.from_rule("cv_results", rule, "none", remedy)
        folds = None if pooled else [f"fold {k}" for k in found.fold.tolist()]
        return cls.from_predictions(
            found.y_true, found.score, groups=folds, pos_label=pos_label, **options
        )


class TableDisplay(Display):
    """A picture of confusion matrices, of one classifier or group or of several.

    Parameters
    ----------
    tables : ConfusionMatrix, or mapping of name to ConfusionMatrix
    confidence_level : float
    """

    def __init__(
        self,
        tables: ConfusionMatrix | Mapping[str, ConfusionMatrix],
        *,
        confidence_level: float = 0.95,
    ) -> None:
        remedy = "pass baserate.confusion_matrix(y_true, y_pred)"
        self.tables = by_name("tables", tables, ConfusionMatrix, remedy)
        self.confidence_level = confidence(confidence_level)

    @classmethod
    def from_table(
        cls,
        table: ConfusionMatrix | Mapping[str, ConfusionMatrix],
        *,
        ax: Any = None,
        plot: bool = True,
        **options: Any,
    ) -> Self:
        """Draw a table, or several by name."""
        return cls(table, **options).drawn_at_once(ax, plot=plot)

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
        cases = _read(y_true, "predictions", y_pred, "y_pred", groups, sample_weight, pos_label)
        if groups is None:
            tables = {key: cases.table(key) for key in cases.names}
            if not isinstance(y_pred, Mapping):
                tables = dict(zip((name or ONE,), tables.values(), strict=True))
        else:
            tables = {
                ", ".join(map(label, key)): table for key, table in cases.counted().groups.items()
            }
        return cls(tables, **options).drawn_at_once(ax, plot=plot)

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
        positive = positive_of(estimator.classes_, pos_label)
        name = type(estimator).__name__ if name is None else name
        predicted = estimator.predict(X)
        return cls.from_predictions(y, predicted, pos_label=positive, name=name, **options)


def by_name(argument: str, given: Any, kind: type, remedy: str) -> dict[str, Any]:
    """Return things by name; one alone has no name.

    Raises
    ------
    InvalidArgumentError
        There are none, or they are something else.
    """
    named = given if isinstance(given, Mapping) else {ONE: given}
    wrong = [type(value).__name__ for value in named.values() if not isinstance(value, kind)]
    if wrong or not named:
        rule = f"must be a {kind.__name__}, or a mapping of names to such"
        raise InvalidArgumentError.from_rule(argument, rule, (wrong or ["none"])[0], remedy)
    return {label(name): value for name, value in named.items()}


def _read(
    y_true: Any, part: str, values: Any, argument: str, groups: Any, weight: Any, pos_label: Any
) -> BinaryCases:
    """Read labels beside predictions or scores, of one classifier or of several by name."""
    named = values if isinstance(values, Mapping) else {argument: values}
    if groups is not None and len(named) > 1:
        rule, remedy = "cannot go with several classifiers", "draw the groups of one classifier"
        raise InvalidArgumentError.from_rule("groups", rule, list(named), remedy)
    by = None if groups is None else {"groups": groups}
    given: dict[str, Any] = {part: named, "groups": by, "sample_weight": weight}
    return read_arrays(y_true, **given).binary(pos_label, argument="pos_label")
