"""A progress bar on standard error, on a terminal, when reading takes more than a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0  # seconds


@contextmanager
def progress_bar() -> Iterator[Callable[[float], None] | None]:
    """Yield what to call with the share of the work done; None where nobody watches."""
    if not getattr(sys.stderr, "isatty", bool)():  # None in a process without the stream
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    start = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("Reading", total=1.0)

    def update(share: float) -> None:
        if not bar.live.is_started and time.monotonic() - start > PATIENCE:
            bar.start()
        bar.update(task, completed=share)

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()
