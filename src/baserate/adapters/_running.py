"""A query in a thread of its own: the engine hears of no interrupt while it works."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

POLL_SECONDS = 0.05

Progress = Callable[[float], None]


def run(
    connection: "DuckDBPyConnection",
    sql: str,
    parameters: Sequence[Any] = (),
    progress: Progress | None = None,
    fetch: str = "fetchall",
) -> Any:
    """Execute a query and fetch what it finds; meanwhile, tell `progress` how far it is.

    Ctrl-C, or whatever else is raised here meanwhile, ends the query at once.
    """
    worker = _Worker(connection, sql, parameters, fetch)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(POLL_SECONDS)
            if progress is not None:
                progress(min(max(connection.query_progress() / 100, 0.0), 1.0))
    except BaseException:  # an interrupt above all: leave no query behind
        while worker.is_alive():  # an interrupt is lost on a query that has yet to begin
            with suppress(Exception):
                connection.interrupt()
            worker.join(POLL_SECONDS)
        raise
    return worker.result()


class _Worker(threading.Thread):
    def __init__(
        self, connection: "DuckDBPyConnection", sql: str, parameters: Any, fetch: str
    ) -> None:
        super().__init__(daemon=True)
        self._arguments = connection, sql, parameters, fetch
        self._found: Any = None
        self._error: Exception | None = None

    def run(self) -> None:
        """Keep what is found, or the error."""
        connection, sql, parameters, fetch = self._arguments
        try:
            self._found = getattr(connection.execute(sql, parameters), fetch)()
        except Exception as error:  # noqa: BLE001  raised again by the thread that watches
            self._error = error

    def result(self) -> Any:
        """Return what was found, or raise the error."""
        if self._error is not None:
            raise self._error
        return self._found
