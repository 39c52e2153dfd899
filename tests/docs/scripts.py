"""The scripts that make the pages, which are no package, and where the pages come to lie."""

import importlib.util
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
SITE = DOCS / "_build" / "html"


def module(name):
    """Load docs/NAME.py."""
    if name in sys.modules:
        return sys.modules[name]
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))  # they import each other
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found  # dataclasses look their module up
    spec.loader.exec_module(found)
    return found
