"""Rows of plain values as a data frame of whatever library is there."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from baserate.errors import InvalidArgumentError, MissingDependencyError

LIBRARIES = ("pandas", "polars", "pyarrow")


class Framed:
    """Many numbers, which `to_frame` gives as the rows of a data frame."""

    __slots__ = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One mapping of columns to plain values per row."""
        raise NotImplementedError

    def to_frame(self, backend: Any = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        backend : str, module or narwhals implementation, optional
            "pandas", "polars", "pyarrow" or another library that narwhals makes frames of. Default:
            the first of these three that is installed.
        """
        return frame_of(self.rows, backend)


def frame_of(rows: Sequence[Mapping[str, Any]], backend: Any = None) -> Any:
    """Return rows, which have the same columns, as a data frame.

    Parameters
    ----------
    rows : sequence of mapping
    backend : str, module or narwhals implementation, optional
        "pandas", "polars", "pyarrow" or another library that narwhals makes frames of. Default: the
        first of these three that is installed.

    Raises
    ------
    MissingDependencyError
        The library is not installed, or none of the three is.
    """
    import narwhals.stable.v2 as nw

    chosen: Any = _installed() if backend is None else backend
    columns = {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}
    try:
        return nw.from_dict(columns, backend=chosen).to_native()
    except ImportError:
        remedy = f"install {chosen}, or leave backend out"
        raise MissingDependencyError(f"backend needs {chosen}: {remedy}.") from None
    except Exception:  # noqa: BLE001  narwhals raises what its version likes
        rule = "must be a library that narwhals makes frames of"
        remedy = f"pass one of {', '.join(LIBRARIES)}"
        raise InvalidArgumentError.from_rule("backend", rule, backend, remedy) from None


def _installed() -> str:
    """Return the first library of data frames that is there."""
    for name in LIBRARIES:
        try:
            import_module(name)
        except ImportError:
            continue
        return name
    raise MissingDependencyError.from_extra("pandas, polars or pyarrow", "A data frame", "arrow")
