"""What `llms-full.txt` says of a name: its docstring, which the source of its page asks for."""

import inspect
import pkgutil
from pathlib import Path
from typing import Any

import baserate
from baserate.metrics import Metric

PAGES = "made/api/names"


def write(app: Any, failure: Exception | None) -> None:
    """Write the sources of the pages of names anew, as they are copied beside the built pages."""
    folder = Path(app.outdir) / "_sources" / PAGES
    if failure is None and app.builder.name == "html":
        for source in folder.glob("*.rst.txt"):
            source.write_text(said(source.name.removesuffix(".rst.txt")), encoding="utf-8")


def said(name: str) -> str:
    """Return the name, how it is called, and its docstring; of a class its methods too."""
    thing = found(name)
    text = f"# {name}\n\n"
    if callable(thing) and not isinstance(thing, Metric):
        text += f"```python\n{name}{_signature(thing)}\n```\n\n"
    text += f"{inspect.getdoc(thing) or ''}\n"
    if inspect.isclass(thing):
        text += "".join(_members(thing))
    return text


def found(name: str) -> Any:
    """Return what a dotted name stands for: `cases` what is called, not the package."""
    _, _, own = name.partition(".")
    return getattr(baserate, own) if own in baserate.__all__ else pkgutil.resolve_name(name)


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing))
    except ValueError:  # classes without a constructor of their own
        return "(...)"


def _members(kind: type) -> list[str]:
    lines = []
    for name, member in inspect.getmembers(kind):
        first = (inspect.getdoc(member) or "").partition("\n")[0]
        if not name.startswith("_") and inspect.isroutine(member) and first:
            lines.append(f"- `{name}`: {first}\n")
    return ["\n", *lines] if lines else []
