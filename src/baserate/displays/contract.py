"""What every display offers: one picture, drawn on matplotlib axes or written as SVG."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import signature
from os import PathLike
from typing import Any, Self

import numpy as np

from baserate._figures import count, quoted
from baserate._result import frame_of
from baserate._whole_files import write_text
from baserate.curves.cut_points import Sweep
from baserate.displays.matplotlib_axes import draw, new_axes
from baserate.displays.picture import Picture
from baserate.displays.svg_writer import svg
from baserate.errors import InvalidArgumentError


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
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        chance_level_kwargs: Mapping[str, Any] | None = None,
        chance_level_kw: Mapping[str, Any] | None = None,
        **styles: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
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
        curve_kwargs : dict or list of dict, optional
            Keywords of matplotlib for the curves: for all, or a list with one dict for each.
        chance_level_kwargs, chance_level_kw : dict, optional
            The same for chance, under either of scikit-learn's names.
        **styles : dict or list of dict
            The same for any other kind of mark, such as ``band_kwargs``; see `artists_`.

        Returns
        -------
        Display
            Itself, with `ax_`, `figure_` and `artists_`.

        Raises
        ------
        MissingDependencyError
            matplotlib is not installed; `to_svg` needs nothing.
        InvalidArgumentError
            There is no mark of that kind, or the list has not one dict for each.
        """
        picture = self.picture if name is None else self._renamed(name)
        if not plot_chance_level:
            marks = tuple(mark for mark in picture.marks if mark.key != "chance")
            picture = replace(picture, marks=marks)
        chance = chance_level_kw if chance_level_kwargs is None else chance_level_kwargs
        given = {"curve_kwargs": curve_kwargs, "chance_kwargs": chance, **styles}
        chosen = _styles(given, picture)
        self.ax_ = new_axes(picture) if ax is None else ax
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

    @classmethod
    def from_result(
        cls,
        result: Any,
        *,
        ax: Any = None,
        plot: bool = True,
        **options: Any,
    ) -> Self:
        """Draw a result; what its `plot` calls.

        Parameters
        ----------
        result
            What the display is made of.
        ax : matplotlib axes, optional
        plot : bool
            Whether it is drawn by matplotlib at once; `to_svg` needs no matplotlib.
        **options
            Those of the display, and those of `plot`.
        """
        return cls.of(result, ax=ax, plot=plot, options=options)

    @classmethod
    def of(cls, source: Any, *, ax: Any, plot: bool, options: Mapping[str, Any]) -> Self:
        """Make a display and draw it at once, as scikit-learn's do, unless told otherwise.

        Options that end with ``_kwargs``, and the others of `plot`, go there.
        """
        known = list(signature(cls).parameters)[1:]
        styles = {k: v for k, v in options.items() if k not in known and _is_style(k)}
        own = {k: v for k, v in options.items() if k not in styles}
        for unknown in own.keys() - set(known):
            rule = f"must be one of {', '.join(sorted(known))}, or of those of plot"
            remedy = f"see help(baserate.displays.{cls.__name__})"
            raise InvalidArgumentError.from_rule("options", rule, unknown, remedy)
        made: Any = cls
        display: Self = made(source, **own)
        return display.drawn_at_once(ax, plot=plot, **styles)

    def drawn_at_once(self, ax: Any, *, plot: bool, **styles: Any) -> Self:
        """Draw at once, as scikit-learn's displays do, unless told otherwise."""
        return self.plot(ax, **styles) if plot or ax is not None else self


def rows_of(columns: Mapping[str, Any], **same: Any) -> list[dict[str, Any]]:
    """Return a row for each place of some columns, with what is the same in all rows."""
    values = (np.asarray(column).tolist() for column in columns.values())
    return [{**same, **dict(zip(columns, row, strict=True))} for row in zip(*values, strict=True)]


def _is_style(name: str) -> bool:
    return name in {"plot_chance_level", "chance_level_kw"} or name.endswith("_kwargs")


def _styles(given: Mapping[str, Any], picture: Picture) -> dict[str, Any]:
    """Return keywords of matplotlib by the key of the marks they are for."""
    chosen: dict[str, Any] = {}
    marks = {f"{mark.key}_kwargs": len(picture.of(mark.key)) for mark in picture.marks}
    for name, how in given.items():
        drawn = marks.get(name, 0)
        if not drawn and name not in {"curve_kwargs", "chance_kwargs"}:
            rule = f"must be one of {', '.join(sorted(marks))}"
            raise InvalidArgumentError.from_rule("styles", rule, name, "name one of these")
        if not how:
            continue
        if not isinstance(how, Mapping) and len(how) != drawn:
            rule = f"must be one dict, or one for each of the {drawn} that are drawn"
            raise InvalidArgumentError.from_rule(name, rule, len(how), "pass one dict for all")
        chosen[name.removesuffix("_kwargs")] = how
    return chosen


PLAIN = ("", "1", "True", "positive")  # labels that say no more than that a case is positive


def cases_told(held: Iterable[Any]) -> str:
    """Return cases and positives of sweeps or tables; of several, from the fewest to the most."""
    every = list(held)
    sizes = [(one.n_positive + one.n_negative, one.n_positive) for one in every]
    alike = len(set(sizes)) == 1
    n, positives = (_range(part) for part in zip(*sizes, strict=True))
    cases = f"{n} {'case' if n == '1' else 'cases'}"
    if any(one.is_weighted for one in every):
        cases = f"weights of {n} in all"
    samples = "" if alike else f"{len(every)} samples of "
    return f"{samples}{cases}, {positives} {positive_name(every[0])}"


def _range(values: tuple[Any, ...]) -> str:
    return " to ".join(dict.fromkeys(count(end(values)) for end in (min, max)))


def are_shares(held: Any) -> bool:
    """Whether nobody was tested: a table made of rates, whose cells sum to 1."""
    return held.is_weighted and abs(float(held.n_positive + held.n_negative) - 1) < 1e-9


def is_named(swept: Any) -> bool:
    """Whether the positive label says what positive cases are."""
    label = swept.positive if isinstance(swept, Sweep) else None
    return isinstance(label, str) and label not in PLAIN


def positive_name(swept: Any) -> str:
    """Return what positive cases are called: by their label, if it says something."""
    return quoted(swept.positive) if is_named(swept) else "positive"
