"""`baserate examples`: the tables that the pages read, for whoever pastes from them."""

from pathlib import Path

import baserate
from baserate._whole_files import write_files
from baserate.cli._output import deliver
from baserate.errors import DataError

NAME = "examples"
SUFFIXES = (".csv", ".toml")


def examples() -> int:
    """Write the tables that the documentation reads into a folder called examples, here.

    Some of these tables of predictions are real, some made up. A file of the same name stays as it
    is; if it holds something else, nothing is written.
    """
    files = {Path(NAME) / file.name: file.read_bytes() for file in shipped()}
    for path, content in files.items():
        if path.exists() and (path.is_dir() or path.read_bytes() != content):
            raise DataError(f"{path} is another file already: move it, or go to another folder.")
    try:
        Path(NAME).mkdir(exist_ok=True)
        write_files(files)
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"Cannot write {NAME!r} ({reason}): go to another folder.") from None
    deliver("\n".join(path.as_posix() for path in files), None)
    return 0


def shipped() -> list[Path]:
    """Return the tables: beside the modules where the package was installed, else in the copy."""
    package = Path(baserate.__file__).parent
    places = (package / NAME, package.parents[1] / NAME)
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        raise DataError(f"The tables are not at {places[0]}: install baserate anew.")
    return sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)
