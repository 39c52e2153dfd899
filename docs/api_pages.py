"""Pages of all public names, a page for each package and one for each name."""

import inspect
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import baserate
from baserate.metrics import ClassMetric, Metric

HEAD = {
    "metrics": "Functions of tables; each has :doc:`a page of its own <../metrics/index>`.",
}


def _entries(names: list[str], package: str, *, toctree: bool = True) -> str:
    return _listed([f"{package}.{name}" for name in names], toctree=toctree)


def _listed(names: Sequence[str], *, toctree: bool = True) -> str:
    lines = [".. autosummary::", *(["   :toctree: names"] if toctree else []), ""]
    return "\n".join(lines + [f"   {name}" for name in names]) + "\n"


def _titled(title: str, sign: str = "=") -> str:
    return f"{title}\n{sign * len(title)}\n\n"


def summary(module: ModuleType) -> str:
    """Return the first sentence of a module's docstring."""
    return (module.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")


def is_value(thing: Any) -> bool:
    """Say whether a name is a metric or a constant, which have no docstring of their own."""
    return not (inspect.isfunction(thing) or inspect.isclass(thing) or inspect.isbuiltin(thing))


def packages() -> dict[str, ModuleType]:
    """Return the public packages by their names in `baserate`."""
    found = {name: getattr(baserate, name) for name in baserate.__all__}
    return {name: thing for name, thing in found.items() if inspect.ismodule(thing)}


def own_names(package: ModuleType) -> list[str]:
    """Return what a package is for, sorted; modules that declare no names list what they define."""
    names = getattr(package, "__all__", None) or [
        name
        for name, thing in vars(package).items()
        if getattr(thing, "__module__", "") == package.__name__ and not name.startswith("_")
    ]
    return sorted(names, key=str.lower)


def _package_page(name: str, package: ModuleType) -> str:
    daily, rest, values = [], [], []
    for each in own_names(package):
        thing = getattr(package, each)
        if is_value(thing):
            values.append(each)
        elif getattr(baserate, each, None) is thing:
            daily.append(each)
        else:
            rest.append(each)
    text = _titled(f"baserate.{name}") + f"{HEAD.get(name, summary(package))}\n\n"
    if daily:
        text += _titled("Also in baserate itself", "-") + _entries(daily, "baserate", toctree=False)
    if rest:
        text += "\n" + _titled("Here", "-") + _entries(rest, package.__name__)
    metrics = [n for n in values if isinstance(getattr(package, n), (Metric, ClassMetric))]
    if metrics:
        text += "\n" + _titled("Metrics", "-")
        links = (f":doc:`{n} <../metrics/{getattr(package, n).name}>`" for n in metrics)
        text += ", ".join(links) + "\n"
    return text


def api_pages() -> dict[str, str]:
    """Return the pages by their paths."""
    found = packages()
    daily = [n for n in baserate.__all__ if n not in found]
    groups: dict[str, list[str]] = {}
    for name in daily:
        origin = getattr(baserate, name).__module__.split(".")[1]
        groups.setdefault(origin, []).append(name)
    text = _titled("Names of daily use")
    text += "``import baserate as br``; each of these is ``br.NAME``.\n\n"
    for origin, names in groups.items():
        head = summary(import_module(f"baserate.{origin}")).rstrip(".")
        text += _titled(head, "-") + _entries(sorted(names), "baserate") + "\n"
    pages = {"api/daily.rst": text}
    for name, package in found.items():
        pages[f"api/{name}.rst"] = _package_page(name, package)
    listed = "\n".join(f"   {name}" for name in ["daily", *found])
    pages["api/index.rst"] = (
        _titled("Names")
        + "Every public name with its formula, shapes, ranges, errors and an example; "
        + ":ref:`all in one list <genindex>`.\n\n"
        + f".. toctree::\n   :maxdepth: 1\n\n{listed}\n"
    )
    return pages
