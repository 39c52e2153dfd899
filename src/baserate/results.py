"""What calls return, by name, for annotations: nobody makes one of these by hand.

Whole questions return an `Evaluation`, `Audit`, `Comparison` or `Thresholds`, which prints, draws
and writes itself; what a report says, number by number, are the records whose names end in "Fact".
What their fields mean is told in docs/json.md.

`results.pyi` lists them for type checkers, and is read here.
"""

from pkgutil import get_data

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if not TYPE_CHECKING:
    _LINES = (get_data("baserate", "results.pyi") or b"").decode().splitlines()
    _MODULES = {}
    for _, _module, _, _name, *_ in map(str.split, _LINES):
        _MODULES.setdefault(_module.removeprefix("baserate."), []).append(_name)
    __getattr__, __dir__, __all__ = lazy_names(__name__, _MODULES, root="baserate")
