"""Files that appear whole or not at all, and what must not be left when a process ends at once."""

import errno
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from os import PathLike
from typing import Any

PathName = str | PathLike[str]
STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")  # an open file of this process, by number

_begun: set[str] = set()  # temporary files and folders that exist now


def write_text(path: PathName, text: str) -> None:
    """Write text as `write_files` does, in UTF-8 with plain line ends."""
    write_files({path: text.encode("utf-8")})


def write_bytes(path: PathName, data: bytes) -> None:
    """Write one file as `write_files` does."""
    write_files({path: data})


def write_files(contents: Mapping[Any, bytes]) -> None:
    """Write each file beside its target, and all of them before any takes its target's place.

    A link is followed, and a file that was there keeps its permissions. What is no plain file (a
    pipe, a device, `/dev/stdout`) is written to as it is.

    Raises
    ------
    OSError
        Of a target that `check_writable` refuses, or of a full disk; all targets are what they
        were, and `filename` is the path that was given.
    """
    with ExitStack() as stack:
        finished = [stack.enter_context(_beside(path, data)) for path, data in contents.items()]
        for finish in finished:
            finish()


def check_writable(path: PathName) -> None:
    """Refuse what could not be written, so that nobody computes for it.

    Raises
    ------
    OSError
        The path is a folder, or in none; or it, or its folder, may not be written to.
    """
    with _named(path):
        name = os.fspath(path)
        if _number(name) is not None:
            return
        if name.endswith(os.sep):
            raise _refusal(errno.EISDIR)
        if not name or "\0" in name:
            raise _refusal(errno.EINVAL if name else errno.ENOENT)
        with suppress(FileNotFoundError):
            mode = os.stat(name).st_mode  # noqa: PTH116
            if stat.S_ISDIR(mode):
                raise _refusal(errno.EISDIR)
            if not stat.S_ISREG(mode):
                return
            if not os.access(name, os.W_OK):
                raise _refusal(errno.EACCES)
        folder = os.path.dirname(os.path.realpath(name))  # noqa: PTH120
        os.stat(folder)  # noqa: PTH116  it may be missing
        if not os.access(folder, os.W_OK | os.X_OK):
            raise _refusal(errno.EACCES)


@contextmanager
def temporary(path: str) -> Iterator[str]:
    """Remove a file or folder at the end, or when the process ends at once; see below."""
    _begun.add(path)
    try:
        yield path
    finally:
        _remove(path)
        _begun.discard(path)


def remove_leftovers() -> None:
    """Remove what is temporary now; for a process that ends without cleaning up."""
    for path in tuple(_begun):
        _remove(path)


@contextmanager
def _beside(path: PathName, data: bytes) -> Iterator[Callable[[], None]]:
    """Write a temporary file; yield what puts it in the place of its target."""
    check_writable(path)
    if not _is_plain(path):
        yield lambda: _pour(path, data)
        return
    target = os.path.realpath(path)
    # The name is short, whatever that of the target, and hidden, so that no pattern takes it.
    name = f".baserate-{os.urandom(8).hex()}"
    with temporary(os.path.join(os.path.dirname(target), name)) as new:  # noqa: PTH118, PTH120
        with _named(path):
            _fill(new, data, target)
        yield lambda: _put(new, target, path)


def _fill(new: str, data: bytes, target: str) -> None:
    """Write a new file and wait for the disk, which may find only now that it is full."""
    with open(new, "xb") as file:  # noqa: PTH123
        with suppress(FileNotFoundError):
            _resemble(new, os.stat(target))  # noqa: PTH116
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _resemble(new: str, old: os.stat_result) -> None:
    """Give a new file the permissions of an old one, and its owner where that is allowed."""
    own = os.stat(new)  # noqa: PTH116
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):
            os.chown(new, old.st_uid, old.st_gid)
    os.chmod(new, stat.S_IMODE(old.st_mode))  # noqa: PTH101


def _put(new: str, target: str, path: PathName) -> None:
    with _named(path):
        os.replace(new, target)  # noqa: PTH105


def _pour(path: PathName, data: bytes) -> None:
    number = _number(os.fspath(path))
    with _named(path), open(path if number is None else os.dup(number), "wb") as stream:  # noqa: PTH123
        stream.write(data)


def _is_plain(path: PathName) -> bool:
    """Whether a path is that of a plain file, or of none yet."""
    if _number(os.fspath(path)) is not None:
        return False
    return not os.path.exists(path) or os.path.isfile(path)  # noqa: PTH110, PTH113


def _number(name: str) -> int | None:
    """Return the number of an open file that a path stands for; opened by name it would be cut."""
    found = DESCRIPTOR.fullmatch(name)
    return int(found[1]) if found else STREAMS.get(name)


@contextmanager
def _named(path: PathName) -> Iterator[None]:
    """Let an error of the system name the path that was given, not a temporary one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _refusal(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _remove(path: str) -> None:
    try:
        os.unlink(path)  # noqa: PTH108
    except FileNotFoundError:
        pass
    except OSError:  # a folder, or one that is no longer ours to change
        shutil.rmtree(path, ignore_errors=True)
