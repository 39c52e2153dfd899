"""Namespaces that load a module when one of its names is first asked for.

A package lists its public names by module. Whoever calls one in a way that does not fit is told
what to write. What the type checkers read stands beside the list, as
imports that never run.
"""

import sys
from importlib import import_module
from types import FunctionType

TYPE_CHECKING = False  # as `typing` has it, which takes its time to load
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(
    package: str, modules: "Mapping[str, tuple[str, ...]]", *, root: str = ""
) -> "tuple[Callable[[str], object], Callable[[], list[str]], list[str]]":
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, from its names by module.

    A name is kept in the package once it is loaded, so that the next access finds it at once.
    Modules are named as seen from `root`, the package itself unless given.
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def load(name: str) -> object:
        if name not in homes:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = called_clearly(import_module(f"{root or package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*homes, *vars(sys.modules[package])})

    return load, listed, list(homes)


def called_clearly(home: "Any", name: str) -> "Any":
    """Return what a module has of this name, which from now on explains calls that do not fit.

    The module has the same from then on, so that it can be pickled. Of classes it is the making.
    """
    value: Any = getattr(home, name)
    made = isinstance(value, type) and next(one for one in value.__mro__ if "__init__" in vars(one))
    call = vars(made)["__init__"] if made else value
    if not (isinstance(call, FunctionType) and call.__module__.startswith("baserate.")):
        return value
    from baserate._calls import explained

    setattr(*((made, "__init__") if made else (home, name)), explained(call))
    return getattr(home, name)
