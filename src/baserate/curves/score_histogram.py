"""Counts of scores that can be merged: days, partitions and sites, each counted where it lies.

Nothing here depends on the order in which cases arrive. Distinct scores are kept apart while they
fit; then cases are counted in the cells of `baserate.curves.score_grid`, on the finest level on
which they fit, which is a property of all cases together.
"""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate._checks import float_array, whole_number
from baserate._figures import count as figure
from baserate.cases.arrays import read_arrays
from baserate.cases.labels import Grouping, read_alike
from baserate.cases.scores import EXACT
from baserate.cases.two_classes import BinaryCases
from baserate.cases.values import distinct, in_order
from baserate.counts import ConfusionMatrix
from baserate.curves.counted_rows import Bins, Focus, Suppressed, counted, suppressed
from baserate.curves.cut_points import Sweep, sweep_of_bins
from baserate.curves.histogram_files import load_histogram, save_histogram
from baserate.curves.score_bins import boxes_at
from baserate.curves.score_grid import COARSEST, FINEST, cases_on_device
from baserate.errors import DataError, InvalidArgumentError

BINS = 1 << 18  # rows of some 40 bytes
FEWEST = 4096  # so that the coarsest level always fits
COARSE_CELLS = 1024  # more than the coarsest level has, infinities and both signs included


class ScoreHistogram:
    """Counts of real scores by class, of any number of cases, that merge with other such counts.

    Up to `bins` different combinations of group, class and score are counted exactly. Beyond,
    scores are counted in cells that depend on the number alone (see `level`), with the lowest and
    the highest score in each. Every measure then knows bounds that hold the exact value: the order
    within a cell is all that is lost. The result is the same to the bit, in whatever order and in
    how many parts the cases come.

    Parameters
    ----------
    pos_label : label, optional
        The positive label. Default: True, or 1 of {0, 1} or {-1, 1}.
    bins : int
        How many rows are kept, over all groups; at least 4,096.
    focus : sequence of (low, high), optional
        Ranges of scores, both ends included, within which every distinct score is kept apart: for a
        second reading of the data, around the cuts that matter (`OptimalThreshold.ranges`). They
        may hold as many rows besides, and only histograms of one focus merge.

    Examples
    --------
    >>> import baserate as br
    >>> monday = br.ScoreHistogram().add([0, 0, 1], [0.1, 0.4, 0.35])
    >>> tuesday = br.ScoreHistogram().add([1], [0.8])
    >>> both = monday + tuesday
    >>> both
    <ScoreHistogram: 2 positives, 2 negatives, exact>
    >>> br.roc_auc(both).value
    0.75
    """

    def __init__(self, *, pos_label: Any = None, bins: int = BINS, focus: Any = ()) -> None:
        self.bins = whole_number("bins", bins, minimum=FEWEST)
        self._focus = focus if isinstance(focus, Focus) else Focus.of(focus)
        self.pos_label = pos_label
        self.positive: Any = None
        self.labels: tuple[Any, ...] = ()
        self.group_names: tuple[str, ...] = ()
        self.groups: tuple[tuple[Any, ...], ...] = ()
        self._rows, self._level = Bins.none(), None
        self._waiting: tuple[Bins, ...] = ()  # batches that were not joined yet
        self.n_missing = 0
        self.suppression: Suppressed | None = None
        self.columns: tuple[str | None, str | None] = (None, None)  # of truth and score, if known
        self.source: str | None = None  # the file that it was read from, for reports

    def add(self, y_true: Any, y_score: Any, groups: Any = None, *, missing: str = "error") -> Self:
        """Count more cases.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n,)
            Labels and scores, as `sweep` takes them, but for whole numbers beyond 2^53.
        groups : array-like or mapping of name to array-like, optional
            Group columns; either every batch has them, or none (DataError).
        missing : {"error", "drop"}
        """
        named = groups if isinstance(groups, Mapping) or groups is None else {"group": groups}
        cases = None if named else cases_on_device(y_true, y_score, self.bins // 4)
        if cases is None:
            cases = read_arrays(y_true, scores={"y_score": y_score}, groups=named, missing=missing)
        cases = cases.complete(missing)
        binary = cases.binary(self.pos_label)
        return self._absorb(ScoreHistogram.of(binary, bins=self.bins, focus=self._focus))

    @classmethod
    def of(cls, cases: BinaryCases, *, bins: int = BINS, focus: Any = ()) -> Self:
        """Count cases that were read already; they have one score."""
        [(name, score)] = cases.scores.items()
        made = cls(pos_label=cases.positive, bins=bins, focus=focus)
        made.positive, made.labels, made.n_missing = cases.positive, cases.labels, cases.n_missing
        group = np.zeros(len(score), dtype=np.int64)
        if cases.grouping is not None:
            made.group_names, made.groups = cases.grouping.names, cases.grouping.keys
            group = cases.grouping.codes.astype(np.int64)
        lowest = _floats(name, score)
        if name not in cases.highest and cases.count.strides == (0,):  # one case a row
            made._keep(counted(group, cases.truth, lowest), None)
            return made
        highest = _floats(name, cases.highest.get(name, score))
        rows = Bins(group, cases.truth, lowest, highest, np.asarray(cases.count, dtype=np.int64))
        made._keep(rows, None)
        return made

    def __add__(self, other: "ScoreHistogram") -> "ScoreHistogram":
        if not isinstance(other, ScoreHistogram):
            return NotImplemented
        how: Any = {"bins": min(self.bins, other.bins), "focus": self._focus}
        made = ScoreHistogram(pos_label=self.pos_label, **how)
        return made._absorb(self)._absorb(other)

    def _absorb(self, other: "ScoreHistogram") -> Self:
        """Count the cases of another histogram, too; if they are refused, nothing changes."""
        if other.n:
            if self._holds_cases:
                self._check_alike(other)
            self._join(other)
        truth, score = (_agreed(*pair) for pair in zip(self.columns, other.columns, strict=True))
        self.columns = truth, score
        if other.suppression is not None:
            self.suppression = other.suppression.and_others(self.suppression)
        return self

    def _join(self, other: "ScoreHistogram") -> None:
        """Keep the rows of both, or let those of a small batch wait for others."""
        read = read_alike(other.group_names, self.groups, other.groups)
        keys = in_order(set(read.values()))
        place = {key: code for code, key in enumerate(keys)}
        mine, theirs = (
            np.array([place[read[key]] for key in side.groups] or [0], dtype=np.int64)
            for side in (self, other)
        )
        batch = other.rows.regrouped(theirs)
        # Joining later is surely not refused where all cells of the coarsest level fit.
        fits = 2 * max(len(self.groups), 1) * COARSE_CELLS <= self.bins
        plain = self.suppression is None and other.suppression is None and not self._focus.pairs
        waits = fits and plain and other.level is None and self._holds_cases
        if tuple(keys) == self.groups and waits:
            self._waiting += (batch,)
            self._join_waiting(sum(len(rows.cases) for rows in self._waiting))
        else:
            known = [level for level in (self.level, other.level) if level is not None]
            level = min(known, default=None)
            self._keep(self.rows.regrouped(mine).and_others(batch), level)
        self.groups = tuple(keys)
        self.positive, self.group_names = other.positive, other.group_names
        self.labels = distinct([*self.labels, *other.labels])
        self.n_missing += other.n_missing

    def _join_waiting(self, size: int | None = None) -> None:
        """Join the batches that wait; if their size is given, once they are as many as the rows."""
        if self._waiting and (size is None or size >= len(self._rows.cases)):
            parts = (self._rows, *self._waiting)
            columns: Any = (np.concatenate(column) for column in zip(*parts, strict=True))
            self._keep(Bins(*columns), self._level)

    @property
    def rows(self) -> Bins:
        """The rows of counts, sorted by group, class and score."""
        self._join_waiting()
        return self._rows

    @property
    def level(self) -> int | None:
        """The level of the grid on which scores were counted; None where all are kept apart."""
        self._join_waiting()
        return self._level

    @property
    def _holds_cases(self) -> bool:
        return bool(len(self._rows.cases) or self._waiting)

    def _check_alike(self, other: "ScoreHistogram") -> None:
        if self.positive != other.positive:
            rule = "must have the same positive label as the histogram it is added to"
            given = f"{other.positive!r} beside {self.positive!r}"
            raise DataError(f"A histogram {rule}, got {given}: count one of them again.")
        if self.focus != other.focus:
            sizes = [f"{len(side.focus):,} ranges" for side in (other, self)]
            raise DataError(
                f"Histograms must have the same focus, got {sizes[0]} beside {sizes[1]} that are "
                "others: count one of them again."
            )
        if self.group_names != other.group_names:
            mine, theirs = (", ".join(side.group_names) or "none" for side in (self, other))
            raise DataError(
                f"Histograms must have the same group columns, got {theirs} beside {mine}: count "
                "one of them again."
            )

    def _keep(self, rows: Bins, level: int | None) -> None:
        """Keep rows on the finest level, from this one on, on which they are few enough."""
        kept = rows.joined(level, self._focus)
        if self._excess(kept) and level is None:
            level = FINEST if self.focus else kept.finest_level(self.bins)
            kept = kept.joined(level, self._focus)
        while self._excess(kept) and level is not None and level > COARSEST:
            level -= 1
            kept = kept.joined(level, self._focus)
        if len(kept.cases) > self.bins and self._focus.holds(kept).sum() > self.bins:
            rule = f"must hold at most {self.bins:,} different scores"
            given, remedy = f"{len(self.focus):,} ranges", "pass more bins, or narrower ranges"
            raise InvalidArgumentError.from_rule("focus", rule, given, remedy)
        if self._excess(kept):
            groups = f"{len(np.unique(rows.group)):,} groups"
            rule, remedy = "must leave room for every group", "pass more bins, or fewer groups"
            raise InvalidArgumentError.from_rule("bins", f"{rule} ({groups})", self.bins, remedy)
        self.restore(kept, level)

    def restore(self, rows: Bins, level: int | None) -> None:
        """Hold rows that fit, in place of all others."""
        self._rows, self._level, self._waiting = rows, level, ()

    def _excess(self, rows: Bins) -> bool:
        """Whether there are too many rows outside the focus."""
        size = len(rows.cases)
        return size > self.bins and size - int(self._focus.holds(rows).sum()) > self.bins

    @property
    def focus(self) -> tuple[tuple[float, float], ...]:
        """The ranges within which every distinct score is kept apart."""
        return self._focus.pairs

    @property
    def n(self) -> int:
        """Cases."""
        return int(self.rows.cases.sum())

    @property
    def n_positive(self) -> int:
        """Cases that are positive."""
        return int(self.rows.cases[self.rows.positive].sum())

    @property
    def n_negative(self) -> int:
        """Cases that are negative."""
        return self.n - self.n_positive

    @property
    def exact(self) -> bool:
        """Whether every distinct score is kept apart, so that nothing is lost."""
        return bool((self.rows.lowest == self.rows.highest).all())

    def cases(self, name: str = "y_score") -> BinaryCases:
        """Return the rows as cases, many of which look alike, for whatever reads cases."""
        if not self.n:
            rule, remedy = "must hold cases", "add some first"
            raise InvalidArgumentError.from_rule("histogram", rule, "an empty one", remedy)
        rows = self.rows
        grouping = None
        if self.group_names:
            grouping = Grouping(self.group_names, rows.group.astype(np.intp), self.groups)
        return BinaryCases(
            truth=rows.positive,
            decisions={},
            scores={name: rows.lowest},
            highest={} if self.exact else {name: rows.highest},
            count=rows.cases,
            weight=None,
            squared=None,
            grouping=grouping,
            fold=None,
            positive=self.positive,
            labels=self.labels,
            n_missing=self.n_missing,
        )

    def sweep(self, group: Any = None) -> Sweep:
        """Return every cut point that the counts tell apart, with exact tables.

        Of one `group` (a label or a tuple of them), or of all cases together; InvalidArgumentError
        where there are no cases, or no such group.
        """
        cases = self.cases()
        if group is not None:
            key = group if isinstance(group, tuple) else (group,)
            if key not in self.groups:
                rule = f"must be one of the {len(self.groups):,} groups"
                given, remedy = group, "see .groups"
                raise InvalidArgumentError.from_rule("group", rule, given, remedy)
            cases = cases.within(self.groups.index(key))
        return sweep_of_bins(cases, "y_score")

    def tables_at(
        self, thresholds: Any, group: Any = None
    ) -> tuple[ConfusionMatrix, ConfusionMatrix]:
        """Return the tables between which those at these thresholds lie, cell by cell.

        The first has the fewest true positives and the most false ones, the second the most and the
        fewest. They are equal where no row lies across a threshold. `group` is as in `sweep`.

        Examples
        --------
        >>> from baserate import ScoreHistogram
        >>> h = ScoreHistogram().add([0] * 6 + [1] * 6, [0.1, 0.2, 0.3, 0.9, 0.9, 0.9] * 2)
        >>> small = h.suppressed(minimum=3)
        >>> small.tables_at(0.5)[0]
        ConfusionMatrix(tp=3, fn=3, fp=3, tn=3)
        >>> [int(table.tp) for table in small.tables_at(0.2)]
        [3, 6]
        """
        at = float_array("thresholds", thresholds)
        boxes = boxes_at(self.sweep(group), np.atleast_1d(at))
        worst = boxes.tables(boxes.tp, boxes.fp + boxes.negative)
        best = boxes.tables(boxes.tp + boxes.positive, boxes.fp)
        return (worst, best) if at.ndim else (worst[0], best[0])

    def suppressed(self, minimum: int = 5) -> "ScoreHistogram":
        """Return counts in which no cell is small, as they may leave a site.

        Cases of a group and class are counted in the smallest cells of the grid that hold at least
        `minimum` of them, and the range of their scores is that of the cell: a score itself is told
        only where so many share it. A group in which a class has some cases but fewer is left out,
        and so is a number of missing rows that is smaller. What is derived from the result still
        has bounds that hold the exact value, of the cases left.

        Two counts of nearly the same cases tell their difference: let a site's leave it once.

        Parameters
        ----------
        minimum : int
            At least 2. The `suppression` of the result says what was done.

        Examples
        --------
        >>> from baserate import ScoreHistogram
        >>> h = ScoreHistogram().add([0] * 6 + [1] * 6, [0.1, 0.2, 0.3, 0.9, 0.9, 0.9] * 2)
        >>> small = h.suppressed(minimum=3)
        >>> small.rows.highest.round(4).tolist(), small.rows.cases.tolist(), small.suppression
        ([0.3125, 0.9, 0.3125, 0.9], [3, 3, 3, 3], Suppressed(minimum=3, cases=0, groups=0))
        """
        return suppressed(self, minimum)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the counts to a file, JSON or Arrow by its suffix, which appears whole or never.

        Labels are text, numbers, booleans or dates; an .arrow file needs pyarrow.
        """
        save_histogram(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "ScoreHistogram":
        """Read counts that `save` wrote; DataError where they are none, or do not fit together."""
        return load_histogram(path, cls)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreHistogram):
            return NotImplemented
        plain = ("positive", "labels", "group_names", "groups", "level", "n_missing", "focus",
                 "suppression")  # fmt: skip
        same = all(getattr(self, name) == getattr(other, name) for name in plain)
        pairs = zip(self.rows, other.rows, strict=True)
        return same and all(np.array_equal(one, two) for one, two in pairs)

    __hash__ = None  # pyright: ignore[reportAssignmentType]  it changes

    def __repr__(self) -> str:
        parts = [f"{figure(self.n_positive)} positives, {figure(self.n_negative)} negatives"]
        parts += [f"{len(self.groups):,} groups"] if self.group_names else []
        level = "" if self.level is None else f" of level {self.level}"
        parts += ["exact" if self.exact else f"{len(self.rows.cases):,} bins{level}"]
        return f"<ScoreHistogram: {', '.join(parts)}>"


def _agreed(one: str | None, other: str | None) -> str | None:
    """Return what two histograms call a column; nothing, in words, where they differ."""
    if one is None or other is None:
        return other if one is None else one
    return one if one == other else ""


def _floats(name: str, scores: NDArray[Any]) -> Array:
    """Return scores as doubles, -0.0 as 0.0, unless that would merge some."""
    if scores.dtype.kind in "iu" and len(scores):
        low, high = int(scores.min()), int(scores.max())
        if low < -EXACT or high > EXACT:
            rule = "must not hold whole numbers beyond 2^53, which floats would merge"
            raise InvalidArgumentError.from_rule(name, rule, high, "pass their ranks")
    return float_array(name, scores) + 0.0
