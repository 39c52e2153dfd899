"""What every result of this layer offers: frozen facts, and the ways to show them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from baserate._checks import one_of
from baserate._figures import count
from baserate._files import FORMATS, Origin, format_of, refuse_origin
from baserate._result import Result, frame_of
from baserate._whole_files import write_bytes, write_text
from baserate.curves.cut_points import Sweep, sweeps_by_group, sweeps_of
from baserate.curves.estimates import Estimate
from baserate.errors import BaserateError, InvalidArgumentError, UnknownNameError
from baserate.evaluation.label_columns import EVERYONE, IN_FRAMES, LabelColumns
from baserate.evaluation.named_numbers import better, number
from baserate.evaluation.pictures import on_page
from baserate.facts.numbers import Part
from baserate.report.documents import framed
from baserate.report.opening import UNDRAWN, render
from baserate.report.sheet import writer_of

if TYPE_CHECKING:
    from baserate.displays.display import Display
    from baserate.evaluation.contracts import Checked
    from baserate.report.explorer import Explorer

PARTS = ("classifiers", "cuts", "metrics", "groups")
# What other libraries call what a report has.
INSTEAD = {
    "metrics": "r.facts.metrics, r.to_frame() or r['recall']",
    "save": "r.write(path)",
    "score": "r['recall'], or the name of another number",
    "summary": "print(r), or r.render()",
    "to_csv": "r.to_frame(), or r.write(path)",
    "to_json": "r.render('json'), or r.write(path)",
}
UNSAFE = re.compile(r"[^\w./ :-]", re.ASCII)  # what MLflow refuses in the name of a metric


@dataclass(frozen=True, slots=True, repr=False)
class Reported(Result):
    """Facts with ways to show them; printing gives the report.

    Attributes
    ----------
    facts : record
        Everything, as plain frozen records.
    origins : tuple of Origin
        The files that it was made from, which no report overwrites.
    cases : Cases of two classes or of several, or None
        The cases, if scores of them are known: what pictures of scores are drawn from.
    """

    facts: Any
    origins: tuple[Origin, ...] = field(default=(), repr=False, compare=False)
    cases: Any = field(default=None, repr=False, compare=False)
    sheet_of: ClassVar[Callable[..., Any]]  # how the facts are arranged
    in_frames: ClassVar[Mapping[str, str]] = IN_FRAMES  # what a field is called beside all others
    __iter__: ClassVar[None] = None  # numbers go by their names, not by their places

    def __getattr__(self, name: str) -> Any:
        """Say how a number is asked for that is no attribute."""
        said = f"{type(self).__name__!r} object has no attribute {name!r}"
        own = {one.name for one in fields(self)}  # absent while a copy is made
        if name in INSTEAD:
            said += f": write {INSTEAD[name]}"
        elif not name.startswith("_") and name not in own:
            with suppress(BaserateError):
                self[name]
                said += f": write r[{name!r}] for this number"
        raise AttributeError(said)

    def render(
        self,
        format: str = "table",  # noqa: A002 - the command line's word
        *,
        color: bool = False,
        details: bool = False,
    ) -> str:
        """Return the report as "table" (text), "json", "markdown" or "html", or its numbers.

        Text leaves out definitions, tests one by one, and metrics beyond the headlines unless
        `details` are asked for; a page folds them. Of very many groups or metrics all but JSON show
        those that matter, and say how many they leave out. "csv" has the rows of `to_frame`, and
        "latex" whose metric, value and interval in a table with the rules of booktabs.
        """
        form = FORMATS.get(format)
        if form is not None and form.rows and form.method == "render":
            return writer_of(format)(self._rows()[1])
        page = format == "html"
        return render(
            self.sheet_of, self.facts, format, color=color, details=details,
            drawn=on_page(self._page()) if page else UNDRAWN,
            explorer=self._explorer() if page and self.cases is not None else None,
            **self._beside(format, details=details),
        )  # fmt: skip

    def to_xlsx(self) -> bytes:
        """Return the rows of `to_frame` as an Excel workbook, for which XlsxWriter is needed."""
        return writer_of("xlsx")(self._rows()[1])

    def _page(self) -> "Mapping[str, Display]":
        """Return the pictures of the page: all, unless a result has too many."""
        return self.displays()

    def _explorer(self) -> "Explorer | None":
        """Return what a reader of the page moves the cut of the score with."""
        from baserate.report.explorer import explorer_of_facts  # for pages only

        return explorer_of_facts(self.sweeps, self.facts)

    def _beside(self, format: str, *, details: bool) -> Mapping[str, Any]:  # noqa: A002, ARG002
        """Return what the sheet takes beside facts and pictures."""
        return {}

    @property
    def sweeps(self) -> Mapping[str, Sweep]:
        """Every cut point of the scores: of all cases, then of each group; empty without scores.

        Computed from the cases whenever it is asked for.
        """
        if self.cases is None:
            return {}
        [whole] = sweeps_of(self.cases).values()
        return {EVERYONE: whole} | sweeps_by_group(self.cases)

    def displays(self) -> "Mapping[str, Display]":
        """Return the pictures of this result by name, in the order of its page."""
        return {}

    def plot(self, kind: str | None = None, ax: Any = None, **options: Any) -> "Display":
        """Draw a picture by matplotlib.

        Parameters
        ----------
        kind : str, optional
            Which of `displays`; default the first, which answers the question.
        ax : matplotlib axes, optional
        **options
            As of the display's ``plot``.

        Returns
        -------
        Display
            With ``ax_`` and ``figure_``.

        Raises
        ------
        InvalidArgumentError
            There is no such picture.
        MissingDependencyError
            matplotlib is not installed.
        """
        found = self.displays()
        if not found:
            rule, remedy = "has nothing to draw", "read the report"
            raise InvalidArgumentError.from_rule("plot", rule, type(self).__name__, remedy)
        chosen = next(iter(found)) if kind is None else one_of("kind", kind, found)
        return found[chosen].plot(ax, **options)

    def __getitem__(self, key: Any) -> Estimate:
        """Return any number that the report shows, by its name, with its interval.

        A metric or a synonym of one ("recall", "tpr", "macro_f1"), a measure of scores ("roc_auc",
        "brier_score", "observed_expected", "slope", "net_benefit(0.1)"), "cost", "gap(recall)" of
        groups, "difference(recall, new, old)" of classifiers, "threshold(f1)". Behind it stand the
        labels of a group, a class or a classifier: ``r["recall", "North"]``, or several of them in
        the order of their columns, or by column: ``r["recall", {"region": "North"}]``.

        Raises
        ------
        UnknownNameError
            The report shows no such number; it is a `KeyError`, and says what there is.

        Examples
        --------
        >>> import baserate as br
        >>> region = ["North"] * 20 + ["South"] * 20
        >>> r = br.evaluate([1] * 10 + [0] * 30, ([1] * 8 + [0] * 12) * 2, groups=region)
        >>> print(r["recall"])
        recall 0.80 (95% credible interval 0.497 to 0.956)
        >>> r["recall", "North"].value, round(r["tpr", {"group": "North"}].low, 3)
        (0.8, 0.497)
        """
        return number(self.facts, key)

    def value(self, name: Any) -> float:
        """Return a number that the report shows, or of `evaluate` any metric of its table.

        Raises
        ------
        UnknownNameError
            There is neither; see ``r[name]``, which has intervals and the numbers of groups too.

        Examples
        --------
        >>> import baserate as br
        >>> r = br.evaluate([1, 0, 1, 0, 0], score=[0.9, 0.2, 0.6, 0.7, 0.1])
        >>> r.value("roc_auc"), r.value("jaccard")
        (0.8333333333333334, 0.6666666666666666)
        """
        try:
            return self._value(name)
        except UnknownNameError as unknown:
            try:
                return self[name].value
            except UnknownNameError:
                raise unknown from None

    def _value(self, metric: Any) -> float:
        """Return a number that the report need not show."""
        return self[metric].value

    def check(self, *statements: str) -> "Checked":
        """Say whether the report keeps what is demanded of its numbers.

        Parameters
        ----------
        *statements : str
            NAME >= NUMBER (or <=, >, <) or NAME in A..B, of any name that ``r[name]`` answers:
            "roc_auc >= 0.7", "observed_expected in 0.8..1.25", "gap(recall) <= 0.1",
            "ratio(selection_rate) >= 0.8", "difference(recall, new, old) >= -0.02@low". Then, if
            wanted, what is judged in place of the value: @low or @high, an end of its interval (of
            what one share of cases decides Clopper and Pearson's, which 2.5% of samples at most
            pass by luck), or @probability=0.95, the posterior probability. Then @groups, @classes
            or @classifiers for each of them, @group=LABEL for one.

        Returns
        -------
        Checked
            ``bool()`` says whether all is kept, ``.sentences`` what failed, and by what.

        Raises
        ------
        InvalidArgumentError
            A statement is not of this form, or about what the report does not know.
        UnknownNameError
            The report shows no such number.

        Examples
        --------
        >>> import baserate as br
        >>> r = br.evaluate(br.ConfusionMatrix(tp=18, fn=2, fp=5, tn=75))
        >>> kept = r.check("recall >= 0.8@low", "specificity >= 0.9")
        >>> bool(kept), kept.sentences[0][:57]
        (False, 'the lower end of the 95% Clopper-Pearson interval of reca')
        >>> bool(r.check("recall >= 0.8@probability=0.85"))
        True
        """
        from baserate.evaluation.contracts import Contract, check  # few reports are checked

        return check(self.facts, [Contract.of(one) for one in statements or (None,)])

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Return the versioned JSON document as plain values.

        Parameters
        ----------
        flat : bool
            Return instead the finite numbers of `to_frame` by one name each, as trackers of
            experiments log them: "recall", "recall_low", and "a/recall" of group, class or
            classifier "a".
        """
        return dict(self._numbers()) if flat else self.facts.to_dict()

    def _numbers(self) -> Iterator[tuple[str, float]]:
        """Yield each finite number of the rows beside its name, of letters that trackers take."""
        labels, rows = self._rows(everywhere=True)
        left_out = {*labels.columns.values(), "n"}
        for row in rows:
            path = labels.path(row)
            for key, value in row.items():
                if key not in left_out and isinstance(value, float | int) and isfinite(value):
                    yield UNSAFE.sub("_", path if key == "value" else f"{path}_{key}"), value

    def _rows(self, *, everywhere: bool = False) -> tuple[LabelColumns, list[dict[str, Any]]]:
        """Return the columns of labels, and a row per number: metrics, then others of their parts.

        Of parts without metrics there are rows if they are asked for `everywhere`.
        """
        parts = [*self.facts.parts()]
        firsts = self._firsts(parts)
        columns = dict.fromkeys(key for _, row in firsts for key in row)
        labels = self._labels(parts, [part.place for part, _ in firsts], columns)
        rows = [labels.at(part.place) | self._named(row, columns) for part, row in firsts]
        places, told = ({(*place(row),) for row in rows} for place in (labels.place, labels.key))
        for part in parts:
            at = labels.at(part.place)
            for one in part.beside if everywhere or labels.place(at) in places else ():
                about = {"n": part.n, "direction": better(one.name), **one.row}
                row = at | self._named(about, columns)
                if labels.key(row) not in told:
                    told.add(labels.key(row))
                    rows.append(row)
        return labels, rows

    def _firsts(self, parts: Sequence[Part]) -> list[tuple[Part, dict[str, Any]]]:
        """Return a row per part and metric."""
        return [
            (part, ({} if part.n is None else {"n": part.n}) | one.record.row())
            for part in parts
            for one in part.rows
        ]

    def _labels(self, parts: Any, rows: Any, columns: Iterable[str]) -> LabelColumns:
        """Return the columns that say of which part a row is."""
        known = [*rows, *(part.place for part in parts if part.table is not None)]
        return LabelColumns.of(self.facts.group_names, known, rows, columns)

    def _named(self, row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
        """Return a row with names that stand alone: of what a p-value is, which end is better."""
        return {self.in_frames.get(key, key): row.get(key) for key in columns}

    def to_frame(self, backend: Any = None) -> Any:
        """Return one row per group or classifier and metric.

        Then one row per count (tp, fn, fp, tn, n), base rate and measure of scores that the report
        knows; of `thresholds`, whose rows are cuts, none.

        A p-value says of what it is: `p_luck` that guessing with as many alarms does as well (of
        `evaluate` and `compare`), `p_difference` that a group is like its reference (of `audit`).
        `better` is "higher", "lower" or "neither": which end of the metric is.

        Labels stand in it as they are. A spreadsheet that opens a CSV file of it takes a label that
        begins with =, +, - or @ for a formula: where labels come from strangers, put an apostrophe
        in front of those before handing such a file on.

        Parameters
        ----------
        backend : str, module or narwhals implementation, optional
            "pandas", "polars", "pyarrow" or another library that narwhals makes frames of. Default:
            the first of these three that is installed.

        Raises
        ------
        MissingDependencyError
            The library is not installed, or none of the three is.
        """
        return frame_of(self._rows()[1], backend)

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """Return the report as one offline page, or write it to `path`; see `write`."""
        if path is None:
            return self.render("html")
        self.write(path, "html")
        return None

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:  # noqa: A002
        """Write the report to a file that appears whole or not at all; see `render`.

        A name that ends in .xlsx stands for the workbook of `to_xlsx`.

        A file that the report was made from is refused, and so is one in a folder of such files.

        Raises
        ------
        OSError
            The directory is missing or may not be written to, or the disk is full.
        """
        refuse_origin(path, self.origins, "path")
        chosen = format_of(path) if format is None else format
        if chosen in FORMATS and (method := FORMATS[chosen].method) != "render":
            write_bytes(path, getattr(self, method)())
        else:
            write_text(path, self.render(chosen))

    def __repr__(self) -> str:
        facts = self.facts
        sizes = {name: len(getattr(facts, name)) for name in PARTS if hasattr(facts, name)}
        parts = (f"{n} {name if n != 1 else name.removesuffix('s')}" for name, n in sizes.items())
        cases = "1 case" if facts.n == 1 else f"{count(facts.n)} cases"
        return f"<{type(self).__name__} of {cases}: {', '.join(parts)}; print it for the report>"

    def __str__(self) -> str:
        return self.render("table")

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style stays off the notebook."""
        return framed(self.render("html"))
