"""A watcher beside the command: it shows progress on a terminal, and makes Ctrl-C end at once.

Python hears of Ctrl-C only between two of its own steps, and what it raises then may be lost: in a
destructor, in an import, in a library that catches everything. So the system's signal also wakes a
thread, which ends the process if it has not ended by itself soon after.
"""

import os
import signal
import sys
import time
from threading import Lock, Thread

from baserate.cli._terminal import draw, hush, is_terminal, part

INTERRUPTED = 130  # the exit code of a process that Ctrl-C ended
PATIENCE = 1.5  # seconds before anything is shown
BEAT = 0.25  # seconds between two looks
GRACE = 0.5  # seconds in which an interrupted command may clean up

_heard: tuple[float, float] = (0.0, 0.0)  # the share of the file that was read, and when


def reading(share: float) -> None:
    """Take note of the share of the file that has been read."""
    global _heard  # noqa: PLW0603  there is one command
    _heard = share, time.monotonic()


class Watch:
    """Watches the command of a process that is all ours, from within a thread.

    Attributes
    ----------
    interrupted : bool
        Whether Ctrl-C was pressed. What is raised afterwards, or lost, means that and no more.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._over = False
        self._start = time.monotonic()
        self._lock = Lock()
        # A shell lets a command in the background ignore Ctrl-C, and so do we.
        self._listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._listens:
            signal.signal(signal.SIGINT, self._interrupt)

    def __enter__(self) -> "Watch":  # noqa: PYI034  `typing` takes its time to load
        import socket  # only now that Ctrl-C is attended to

        self._near, self._far = socket.socketpair()
        if self._listens:
            self._far.setblocking(False)
            signal.set_wakeup_fd(self._far.fileno(), warn_on_full_buffer=False)
        self._thread = Thread(target=self._watch, daemon=True, name="baserate-watch")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True  # from here on Ctrl-C has nothing to end
        if self.interrupted:
            self.leave()
        if self._listens:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.set_wakeup_fd(-1)
        hush()
        self._far.send(b"\0")
        self._thread.join()

    def leave(self) -> None:
        """End the process as it is: nothing that still runs could add to what was said."""
        self._over = True
        with self._lock:
            os._exit(INTERRUPTED)

    def _interrupt(self, *_: object) -> None:
        if not (self.interrupted or self._over):
            self.interrupted = True
            sys.unraisablehook = lambda _: None
            part()
            raise KeyboardInterrupt

    def _watch(self) -> None:
        from select import select

        shown = is_terminal("stderr")
        while not select([self._near], [], [], BEAT)[0]:
            if shown and time.monotonic() - self._start > PATIENCE:
                draw(self._line())
        if self._near.recv(1) == bytes([signal.SIGINT]):
            time.sleep(GRACE)
            if self.interrupted or not self._over:
                part()
                self.leave()

    def _line(self) -> str:
        share, when = _heard
        now = time.monotonic()
        doing = f"reading, {share:.0%}" if now - when < 2 * BEAT else "computing"
        return f"baserate: {doing}, {now - self._start:.0f} s "
