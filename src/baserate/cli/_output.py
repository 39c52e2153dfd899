"""Where a report and its picture go: standard output, or files that appear whole or not at all."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, TextIO

from baserate._files import FORMATS, format_of, origins, refuse_origin
from baserate._whole_files import check_writable, write_files
from baserate.cli._config import settings_file
from baserate.cli._terminal import hush, is_terminal, say, silence, standard
from baserate.errors import (
    DataError,
    InvalidArgumentError,
    MissingDependencyError,
    UnknownNameError,
)

# Suffix -> the package that draws it, besides our own.
BACKEND = "MPLBACKEND"  # the variable that says what matplotlib draws windows with
PICTURES = {".svg": "", ".png": "matplotlib", ".pdf": "matplotlib"}


def chosen_format(asked: str | None, output: Path | None, *inputs: Any) -> str:
    """Return the format asked for, else that of the output's suffix, else table.

    Called before anything is read: a report that would take the place of an input is refused.
    """
    if output is None:
        made_from = origins(*inputs, settings_file(Path.cwd()))
        refuse_origin(standard("stdout"), made_from, "standard output")
    else:
        check_target("--output", output, *inputs)
    form = asked or ("table" if output is None else format_of(output))
    if package := FORMATS[form].package:
        if output is None:
            rule, remedy = "is a file", f"name it: --output numbers{FORMATS[form].suffixes[0]}"
            raise InvalidArgumentError.from_rule("--format", rule, form, remedy)
        if not find_spec(package[0]):
            raise MissingDependencyError.from_extra(*package)
    return form


def report(
    result: Any, form: str, output: Path | None, pictures: Mapping[Path, bytes], *, details: bool
) -> None:
    """Print or write the report of a result, and its pictures."""
    if (method := FORMATS[form].method) != "render":
        deliver(getattr(result, method)(), output, pictures)
    else:
        deliver(result.render(form, color=in_color(output), details=details), output, pictures)


def check_target(option: str, path: Path, *inputs: Any) -> None:
    """Refuse a file that is an input, or that could not be written, before anything is read."""
    refuse_origin(path, origins(*inputs, settings_file(Path.cwd())), option)
    with writing({option: path}):
        check_writable(path)


def check_plot(path: Path | None, picture: str | None, output: Path | None, *inputs: Any) -> None:
    """Refuse a picture that could not be written, before anything is read."""
    if path is None:
        if picture is not None:
            rule, remedy = "has no meaning without --plot", "name a file (--plot)"
            raise InvalidArgumentError.from_rule("--picture", rule, picture, remedy)
        return
    suffix = path.suffix.lower()
    if suffix not in PICTURES:
        rule, remedy = f"must end in {', '.join(PICTURES)}", "choose such a name"
        raise InvalidArgumentError.from_rule("--plot", rule, str(path), remedy)
    if PICTURES[suffix] and not find_spec(PICTURES[suffix]):
        purpose = f"--plot of {suffix} files (an .svg needs nothing)"
        raise MissingDependencyError.from_extra(PICTURES[suffix], purpose, "plot")
    check_target("--plot", path, *inputs)
    if output is not None and os.path.realpath(output) == os.path.realpath(path):
        rule, remedy = "must not be the file of the report (--output)", "name another file"
        raise InvalidArgumentError.from_rule("--plot", rule, str(path), remedy)


def drawn(result: Any, path: Path | None, picture: str | None) -> dict[Path, bytes]:
    """Draw a picture of a result, the one of that name, else the first; none without a path."""
    if path is None:
        return {}
    known = result.displays()
    if not known:
        rule = "has nothing to draw"
        raise InvalidArgumentError.from_rule("--plot", rule, str(path), "leave it out")
    if picture is not None and picture not in known:
        raise UnknownNameError.from_choice("--picture", picture, [*known])
    return {path: _drawn(known[picture or next(iter(known))], path.suffix.lower())}


def _drawn(display: Any, suffix: str) -> bytes:
    if suffix == ".svg":
        return (str(display.to_svg()) + "\n").encode()
    with _no_window():
        from matplotlib.figure import Figure

    from baserate.displays.matplotlib_axes import figure_size

    figure = Figure(figsize=figure_size(display.picture), layout="constrained")
    display.plot(figure.subplots())
    held = BytesIO()
    figure.savefig(held, format=suffix[1:], dpi=200)
    return held.getvalue()


@contextmanager
def _no_window() -> Iterator[None]:
    """Let matplotlib draw into files, whatever the settings: it refuses to load by wrong ones."""
    before = os.environ.get(BACKEND)
    os.environ[BACKEND] = "agg"
    try:
        yield
    finally:
        if before is None:
            del os.environ[BACKEND]
        else:
            os.environ[BACKEND] = before


def in_color(output: Path | None) -> bool:
    """Whether the report goes to a terminal that wants colours (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return output is None and is_terminal("stdout") and not plain


def deliver(
    text: str | bytes, output: Path | None, pictures: Mapping[Path, bytes] | None = None
) -> None:
    """Print, or write the file; and the pictures: all files take their places, or none does."""
    hush()
    files = dict(pictures or {})
    named = {"--plot": next(iter(files), None), "--output": output}
    if output is not None:
        files[output] = text.encode("utf-8") if isinstance(text, str) else text
    with writing(named):
        write_files(files)
    tell(*files)
    if output is None and isinstance(text, str):
        _print(text if text.endswith("\n") else text + "\n")


def tell(*written: Path) -> None:
    """Say on standard error, where no pipe takes it for the report, which files were written."""
    if written:
        say(f"{' and '.join(map(str, written))} written.")


@contextmanager
def writing(targets: Mapping[str, Path | None]) -> Iterator[None]:
    """Let what the system has against a target be one line, which names the option."""
    try:
        yield
    except BrokenPipeError:  # its reader left early
        pass
    except OSError as error:
        known = [option for option, path in targets.items() if str(path) == str(error.filename)]
        option = (known or list(targets))[-1]  # the last is the report
        reason = f"Cannot write {str(targets[option])!r} ({error.strerror or error})"
        raise DataError(f"{reason}: pass another {option}.") from None


def flush() -> None:
    """Empty standard output now: at exit, Python would complain in lines of its own."""
    stream = standard("stdout")
    if stream is not None:
        with _written(stream):
            stream.flush()


def _print(text: str) -> None:
    """Write to standard output, whatever its encoding, and though its reader may leave early."""
    stream = standard("stdout")
    if stream is None:
        raise _unwritable("it is closed")
    encoding = stream.encoding or "utf-8"
    with _written(stream):
        stream.write(text.encode(encoding, errors="replace").decode(encoding))
    flush()


@contextmanager
def _written(stream: TextIO) -> Iterator[None]:
    """Let what the system has against standard output be one line."""
    try:
        yield
    except BrokenPipeError:  # its reader left early
        silence(stream)
    except OSError as error:
        silence(stream)
        raise _unwritable(error.strerror or str(error)) from None


def _unwritable(reason: str) -> DataError:
    return DataError(f"Cannot write to standard output ({reason}): pass --output.")
