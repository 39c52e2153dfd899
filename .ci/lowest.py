"""Print the lowest version of each package that pyproject.toml allows, as constraints of pip."""

import re
import tomllib
from itertools import chain
from pathlib import Path

PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())
BOUND = re.compile(r"(?P<name>[\w.-]+)(\[.*\])?>=(?P<version>[\d.]+)")
# Frames that users bring along, which no extra installs.
FRAMES = ("pandas", "polars")
# What they need in turn is the newest, except where an old version does not bear it.
ELSEWISE = ["pyparsing<3.3"]  # matplotlib 3.10 warns about its names

project, tests = PROJECT["project"], PROJECT["dependency-groups"]["test-core"]
needed = chain(
    project["dependencies"],
    *project["optional-dependencies"].values(),
    (each for each in tests if each.startswith(FRAMES)),
)
found = filter(None, map(BOUND.match, needed))
print(*sorted({f"{bound['name']}=={bound['version']}" for bound in found}), *ELSEWISE, sep="\n")
