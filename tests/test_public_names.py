"""Everything public has a way in, no name hides another, and what is private stays at home."""

import ast
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import baserate

SOURCE = Path(baserate.__file__).parent
# What users reach by `br.PACKAGE.NAME`; the other packages are the machine room behind them.
PUBLIC = (
    "baselines", "curves", "displays", "estimators", "groups", "inference", "metrics", "models",
    "questions", "tuning", "utilities",
)  # fmt: skip

SECTIONS = ("Parameters", "Returns", "Raises", "References")


def walked(package):
    """Yield every module below a package that has no underscore on its way, by its short name."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        name = found.name.removeprefix(f"{package.__name__}.")
        if not any(part.startswith("_") for part in name.split(".")):
            yield name, import_module(found.name)


def explained(module):
    """Yield the functions and classes of a module whose docstring has sections, as for users."""
    for name, value in vars(module).items():
        if name.startswith("_") or not (inspect.isfunction(value) or inspect.isclass(value)):
            continue
        text = inspect.getdoc(value) or ""
        if value.__module__ == module.__name__ and any(f"{s}\n---" in text for s in SECTIONS):
            yield name


def test_everything_explained_has_a_way_in():
    lost = set()
    for name in PUBLIC:
        package = import_module(f"baserate.{name}")
        assert getattr(baserate, name) is package
        reached = {*package.__all__, *baserate.__all__, *baserate.results.__all__}
        for short, module in walked(package):
            if getattr(baserate, short, None) is not module:  # such as `br.populations`
                lost |= {f"{name}.{short}.{n}" for n in explained(module) if n not in reached}
    assert lost == set()


@pytest.mark.parametrize("name", [*PUBLIC, "results"])
def test_what_a_package_lists_is_there(name):
    package = import_module(f"baserate.{name}")
    assert [listed for listed in package.__all__ if not hasattr(package, listed)] == []
    assert set(package.__all__) <= set(dir(package))


def test_no_name_hides_a_module():
    import_module("baserate.cli")
    for found in pkgutil.walk_packages(baserate.__path__, "baserate."):
        if found.ispkg or "." not in found.name or found.name.endswith("__main__"):
            continue
        home, _, name = found.name.rpartition(".")
        seen = getattr(import_module(home), name, None)
        assert seen is None or isinstance(seen, ModuleType), found.name


@pytest.mark.slow
def test_no_package_imports_what_is_private_to_another():
    """A module with an underscore, or a name with one, is used at home only."""
    across = []
    for path in SOURCE.rglob("*.py"):
        home = path.relative_to(SOURCE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(
                "baserate."
            ):
                continue
            owner, *rest = node.module.removeprefix("baserate.").split(".")
            private = [part for part in (*rest, *(n.name for n in node.names)) if part[0] == "_"]
            if private and owner != home and not owner.startswith("_"):
                across.append(f"{path.relative_to(SOURCE)}: {node.module} {private}")
    assert across == []


@pytest.mark.slow
def test_every_function_has_a_name():
    """Such as those that `singledispatch` registers, whose name a traceback shows."""
    bare = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and not node.name.strip("_")
    ]
    assert bare == []
