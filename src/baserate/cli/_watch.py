"""A watcher beside the command: it shows progress on a terminal, and makes signals end it at once.

Python hears of Ctrl-C only between two of its own steps, and what it raises then may be lost: in a
destructor, in an import, in a library that catches everything. So the system's signal also wakes a
thread, which ends the process if it has not ended by itself soon after. The same goes for the
signals by which a system or a closing terminal asks a process to end.
"""

import os
import signal
import sys
import time
from threading import Lock, Thread

from baserate.cli._terminal import draw, hush, is_terminal, part

INTERRUPTED = 130  # the exit code of a process that Ctrl-C ended: 128 and the signal's number
WORDS = {"SIGINT": "interrupted.", "SIGTERM": "terminated.", "SIGHUP": "the terminal is gone."}
PATIENCE = 1.5  # seconds before anything is shown
BEAT = 0.25  # seconds between two looks
GRACE = 0.5  # seconds in which an interrupted command may clean up

_heard: tuple[float, float] = (0.0, 0.0)  # the share of the file that was read, and when


def reading(share: float) -> None:
    """Take note of the share of the file that has been read."""
    global _heard  # noqa: PLW0603  there is one command
    _heard = share, time.monotonic()


class Watch:
    """Watches the command of a process that is all ours, from within a thread."""

    def __init__(self) -> None:
        self.ended_by = 0  # by which signal: what is raised afterwards, or lost, means that alone
        self._over = False
        self._start = time.monotonic()
        self._lock = Lock()
        # A shell lets a background command ignore Ctrl-C, and nohup a gone terminal: so do we.
        usual = {signal.SIG_DFL, signal.default_int_handler}
        known = (getattr(signal, name) for name in WORDS if hasattr(signal, name))
        self._heeded = [one for one in known if signal.getsignal(one) in usual]
        for one in self._heeded:
            signal.signal(one, self._end)

    def __enter__(self) -> "Watch":  # noqa: PYI034  `typing` takes its time to load
        import socket  # only now that Ctrl-C is attended to

        self._near, self._far = socket.socketpair()
        if self._heeded:
            self._far.setblocking(False)
            signal.set_wakeup_fd(self._far.fileno(), warn_on_full_buffer=False)
        self._thread = Thread(target=self._watch, daemon=True, name="baserate-watch")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True  # from here on no signal has anything to end
        if self.ended_by:
            self.leave()
        for one in self._heeded:
            signal.signal(one, signal.SIG_IGN)
        if self._heeded:
            signal.set_wakeup_fd(-1)
        hush()
        self._far.send(b"\0")
        self._thread.join()
        self._near.close()
        self._far.close()

    def leave(self, number: int = 0) -> None:
        """End the process as it is: nothing that still runs could add to what was said."""
        self._over = True
        with self._lock:
            files = sys.modules.get("baserate._whole_files")
            if files is not None:
                files.remove_leftovers()
            os._exit(128 + (self.ended_by or number or signal.SIGINT))

    def _end(self, number: int, _: object) -> None:
        if not (self.ended_by or self._over):
            self.ended_by = number
            sys.unraisablehook = lambda _: None
            part(_word(number))
            raise KeyboardInterrupt

    def _watch(self) -> None:
        from select import select

        shown = is_terminal("stderr")
        while not select([self._near], [], [], BEAT)[0]:
            if shown and time.monotonic() - self._start > PATIENCE:
                draw(self._line())
        number = self._near.recv(1)[0]
        if number:
            time.sleep(GRACE)
            if self.ended_by or not self._over:
                part(_word(number))
                self.leave(number)

    def _line(self) -> str:
        share, when = _heard
        now = time.monotonic()
        doing = f"reading, {share:.0%}" if now - when < 2 * BEAT else "computing"
        return f"baserate: {doing}, {now - self._start:.0f} s "


def _word(number: int) -> str:
    return WORDS[signal.Signals(number).name]
