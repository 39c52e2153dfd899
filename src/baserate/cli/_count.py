"""`baserate count` and `baserate merge`: only counts travel, and they add up."""

from filecmp import cmp
from functools import reduce
from hashlib import sha256
from operator import add
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import baserate.evaluation
from baserate._files import files_of, identity_of
from baserate.cli._options import (
    FILES,
    SWITCH,
    Whole,
    keywords,
    reads,
    refuse_missing,
    refuse_options,
    require_columns,
)
from baserate.cli._output import check_target, tell, writing
from baserate.cli._terminal import hush, say
from baserate.cli._watch import reading
from baserate.errors import DataError, InvalidArgumentError

Files = Annotated[
    str,
    Parameter(
        help=f"{FILES}, one or several that are added up; - for standard input.",
        allow_leading_hyphen=True,
    ),
]
Counts = Annotated[str, Parameter(help="Files that `baserate count` wrote.")]
Twice = Annotated[
    bool,
    Parameter(help="Add up files of the same content, too: they are different cases.", **SWITCH),
]
To = Annotated[
    Path | None,
    Parameter(help=".arrow or .json for scores, .csv or .json for predictions."),
]


@reads("target", "prediction", "groups", "positive", "missing", "many_groups")
def count(
    *file: Files,
    score: str | None = None,
    suppress: Whole = None,
    twice: Twice = False,
    output: To = None,
    **columns: Any,
) -> int:
    """Count cases where they lie, into a file of counts that stands in for them.

    `baserate merge` adds such files up, over days, partitions and sites, and the other commands
    read them.

    Parameters
    ----------
    score
        Column of scores: the file then holds each of them while distinct ones are few, else a
        histogram, with bounds for everything derived from it.
    suppress
        With a score, join cells of fewer cases than this, and leave out groups that are too small,
        so that the file tells nothing about few people.
    """
    target_file = _checked(file, output)
    _refuse_repeated(file, twice=twice)
    how = keywords(columns)
    require_columns(**how, score=score)
    prediction = how.pop("prediction", None)
    if score is not None and prediction is not None:
        rule = "must be left out beside a prediction: a file holds counts of one of the two"
        raise InvalidArgumentError.from_rule("--score", rule, score, "count them into two files")
    if score is None:
        _count_decisions(file, target_file, suppress, prediction=prediction, **how)
        return 0
    from baserate.curves.histogram_files import check_suffix

    check_suffix(target_file, "--output")
    parts = (
        baserate.evaluation.count_scores(path, score=score, progress=reading, **how)
        for path in file
    )
    found = reduce(add, parts)
    _save(found if suppress is None else found.suppressed(suppress), target_file)
    return 0


def _count_decisions(
    files: tuple[str, ...], output: Path, suppress: int | None, **how: Any
) -> None:
    from baserate.evaluation.counted_tables import CountedTables, check_suffix, summed

    if suppress is not None:
        rule = "has no meaning for predictions, which have four counts for each group"
        remedy = "count a score, or drop --suppress and join small groups"
        raise InvalidArgumentError.from_rule("--suppress", rule, suppress, remedy)
    check_suffix(output)
    _save(summed(CountedTables.of_cases(path, progress=reading, **how) for path in files), output)


def merge(*file: Counts, twice: Twice = False, output: To = None) -> int:
    """Add up files of counts that `baserate count` wrote: days, partitions, sites."""
    target_file = _checked(file, output)
    _refuse_repeated(file, twice=True)
    from baserate.curves.histogram_files import check_suffix
    from baserate.evaluation.score_histograms import histogram_in

    found = [histogram_in(path) for path in file]
    tables = [path for path in found if isinstance(path, str)]
    refuse_missing(tables)
    if not tables:
        check_suffix(target_file, "--output")
        _refuse_alike(file, [_of_scores(one) for one in found], twice=twice)
        _save(reduce(add, found), target_file)
        return 0
    if len(tables) < len(found):
        raise DataError(
            f"{tables[0]} holds no histogram of scores, and others of these files do: merge files "
            "of one kind."
        )
    from baserate.evaluation import counted_tables

    counted_tables.check_suffix(target_file)
    parts = [counted_tables.CountedTables.read(path) for path in tables]
    _refuse_alike(file, [_of_decisions(one) for one in parts], twice=twice)
    _save(counted_tables.summed(parts), target_file)
    return 0


def _checked(files: tuple[str, ...], output: Path | None) -> Path:
    """Refuse what could not be written, before anything is read."""
    if not files:
        raise InvalidArgumentError("FILE must be given: the path of a table, one or several.")
    refuse_options(files, "count")
    if output is None:
        rule, remedy = "must be given", "name a file, such as day.arrow"
        raise InvalidArgumentError.from_rule("--output", rule, None, remedy)
    check_target("--output", output, *files)
    return output


def _refuse_repeated(files: tuple[str, ...], *, twice: bool) -> None:
    """Refuse a file that is named twice, be it by a link or a pattern, or one byte for byte alike.

    Whether two files are the same is asked of the system; whether they hold the same, of those of
    one size.
    """
    known: dict[Any, Path] = {}
    sizes: dict[int, list[Path]] = {}
    for path in (path for file in files for path in files_of(file) or [Path(file)]):
        identity = identity_of(path)
        if identity is None:  # a stream, or none: whoever reads it says so
            continue
        if identity in known:
            raise DataError(
                f"{path} is the same file as {known[identity]}, whose cases would count twice: "
                "name it once."
            )
        known[identity] = path
        alike = sizes.setdefault(path.stat().st_size, [])
        if not twice:
            _refuse_pair(path, next((one for one in alike if cmp(one, path, shallow=False)), None))
        alike.append(path)


def _refuse_alike(files: tuple[str, ...], parts: list[Any], *, twice: bool) -> None:
    """Refuse counts that equal others, whatever the format of their files."""
    for i, part in enumerate(parts):
        if part is not None and part in parts[:i] and not twice:
            _refuse_pair(files[i], files[parts.index(part)])


def _refuse_pair(file: Any, other: Any) -> None:
    if other is not None:
        raise DataError(
            f"{file} holds the same as {other}, so that its cases would count twice: leave one of "
            "them out, or pass --twice if they are different cases."
        )


def _of_scores(found: Any) -> Any:
    """Return a mark that histograms of the same cases share; None without cases."""
    mark = sha256(repr([tuple(map(str, key)) for key in found.groups]).encode())
    for column in found.rows:
        mark.update(column.tobytes())
    return mark.digest() if found.n else None


def _of_decisions(found: Any) -> Any:
    """Return what two files of tables of the same cases share; None without cases."""
    tables = {tuple(map(str, key)): tuple(table) for key, table in found.tables.items()}
    return tables if any(map(any, tables.values())) else None


def _save(found: Any, output: Path) -> None:
    from baserate.report.sheet import settings_lines

    hush()
    with writing({"--output": output}):
        found.save(output)
    tell(output)
    for line in settings_lines():
        say(line)
