"""The pictures of a result on its page, and in a file of their own."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from baserate.cases import BinaryCases
from baserate.report.pictures import NOTHING, Drawn, drawn_of, figures
from baserate.report.sheet import Part

if TYPE_CHECKING:
    from baserate.displays.display import Display

WIDTH = 440  # pixels: small enough for its 12 pixel letters to be read on a phone


def on_page(drawn: "Callable[[], Mapping[str, Display]]", format: str) -> tuple[Part, ...]:  # noqa: A002
    """Return the displays of a result as parts of its page; no other format has any.

    Parameters
    ----------
    drawn : callable
        The result's `displays`, called only for a page.
    format : str
    """
    return figures(*_written(drawn)) if format == "html" else ()


def pictured(drawn: "Callable[[], Mapping[str, Display]]", format: str) -> Drawn:  # noqa: A002
    """Return the displays of a result as SVG, for a page that arranges them itself."""
    return drawn_of(*_written(drawn)) if format == "html" else NOTHING


def essentials(cases: BinaryCases | None, level: float) -> "dict[str, Display]":
    """Return the four pictures that clinical guidance asks for; none without scores.

    References
    ----------
    Van Calster et al. (2025), Lancet Digital Health 7:100916, doi:10.1016/j.landig.2025.100916.
    """
    if cases is None:
        return {}
    from baserate import displays
    from baserate.curves.cut_points import sweeps_of

    [swept] = sweeps_of(cases).values()
    return {"roc": displays.RocDisplay(swept, confidence_level=level)}


def _written(
    drawn: "Callable[[], Mapping[str, Display]]",
) -> tuple[Iterator[tuple[str, Callable[[], str]]], str]:
    from baserate.displays.svg import style_sheet

    return ((name, _writer(display)) for name, display in drawn().items()), style_sheet()


def _writer(display: "Display") -> Callable[[], str]:
    return lambda: str(display.to_svg(width=WIDTH, alone=False))
