"""Everything public, with `pip install baserate` alone: run by a Python that has nothing besides.

    venv/bin/python trust/bare.py

The example of every public name is run, and every report is printed, written and made a page.
What needs an extra says which; anything else that fails is told, and ends with status 1. Examples
are left from where they import another library on.
"""

import doctest
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import baserate as br

EXTRAS = ("sklearn", "rich", "matplotlib", "cyclopts", "duckdb", "pandas", "polars", "pyarrow")
TRUTH = [1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0] * 20
CALLED = [1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0] * 20
SCORE = [0.9, 0.2, 0.8, 0.6, 0.4, 0.1, 0.7, 0.95, 0.3, 0.55, 0.65, 0.05] * 20
GROUP = list("aabbabababab") * 20
KIND, SAID = list("abcabcabcabc") * 20, list("abcacbabcbbc") * 20
REPORTS: dict[str, Callable[[], Any]] = {
    "evaluate labels": lambda: br.evaluate(TRUTH, CALLED),
    "evaluate scores": lambda: br.evaluate(TRUTH, score=SCORE, groups={"g": GROUP}),
    "evaluate classes": lambda: br.evaluate(KIND, SAID),
    "evaluate a table": lambda: br.evaluate(br.ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)),
    "audit": lambda: br.audit(TRUTH, CALLED, groups={"g": GROUP}),
    "compare": lambda: br.compare(TRUTH, {"one": CALLED, "other": TRUTH[1:] + TRUTH[:1]}),
    "thresholds": lambda: br.thresholds(TRUTH, SCORE),
}
FORMS = ("txt", "json", "md", "html")
Missing = br.errors.MissingDependencyError


class Examples(doctest.DocTestRunner):
    """Examples of one name, which may end at an import of another library."""

    def __init__(self) -> None:
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        super().__init__(verbose=False, optionflags=flags)
        self.found: list[str] = []
        self.left = ""

    def run(self, test: doctest.DocTest, *args: Any, **how: Any) -> Any:
        """Run until something is missing."""
        self.left = ""
        return super().run(test, *args, **how)

    def report_unexpected_exception(self, _out: Any, test: Any, example: Any, error: Any) -> None:
        """Leave an example that needs an extra, and says so."""
        foreign = "import" in example.source and issubclass(error[0], ImportError)
        if self.left or foreign or issubclass(error[0], Missing):
            self.left = self.left or str(error[1])
            return
        self.found.append(f"{test.name}: {example.source.strip()}: {error[0].__name__}: {error[1]}")

    def report_failure(self, _out: Any, test: Any, example: Any, got: str) -> None:
        """Keep what an example printed in the place of what it promises."""
        if not self.left:
            self.found.append(f"{test.name}: {example.source.strip()} printed {got.strip()!r}")


def public() -> Iterator[tuple[str, Any]]:
    """Yield every public name and what it is, or why it cannot be had here."""
    rooms = [(name, getattr(br, name)) for name in br._NAMESPACES]  # noqa: SLF001
    for room, name in [("", n) for n in br.__all__] + [
        (r, n) for r, m in rooms for n in getattr(m, "__all__", vars(m))
    ]:
        try:
            yield f"{room}.{name}", getattr(getattr(br, room) if room else br, name)
        except Missing as error:
            yield f"{room}.{name}", error


def examples() -> Iterator[str]:
    """Yield what goes wrong in the example of a public name."""
    finder, runner, seen = doctest.DocTestFinder(), Examples(), set[int]()
    for name, thing in public():
        if isinstance(thing, Missing) or id(thing) in seen or not hasattr(thing, "__module__"):
            continue
        seen.add(id(thing))
        home = sys.modules.get(thing.__module__)
        if not str(thing.__module__).startswith("baserate"):
            continue
        for test in finder.find(thing, name, module=home):
            runner.run(test, clear_globs=False)
    print(f"{len(seen)} public names, {runner.tries:,} lines of examples")
    yield from runner.found


def reports() -> Iterator[str]:
    """Yield which report cannot be printed, shown in a notebook or written."""
    with tempfile.TemporaryDirectory() as folder:
        for name, make in REPORTS.items():
            found = make()
            shown: dict[str, Callable[[], Any]] = {
                "print": lambda found=found: print(found),
                "notebook": found._repr_html_,
                "to_html": found.to_html,
                "to_dict": found.to_dict,
                **{
                    form: lambda found=found, form=form: found.write(Path(folder, f"r.{form}"))
                    for form in FORMS
                },
            }
            for how, show in shown.items():
                try:
                    with redirect_stdout(io.StringIO()) as text:
                        made = show()
                except Exception as error:  # noqa: BLE001  each is told
                    yield f"{name}, {how}: {type(error).__name__}: {error}"
                    continue
                if (how == "print" and not text.getvalue()) or (how == "notebook" and not made):
                    yield f"{name}, {how}: nothing"


def main() -> int:
    """Return 0 if everything runs that can."""
    here = [name for name in EXTRAS if find_spec(name)]
    if here:
        print(f"This is no bare environment, it has {', '.join(here)}.", file=sys.stderr)
    wrong = [*reports(), *examples()]
    print(*wrong, sep="\n")
    print(f"{len(wrong)} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
