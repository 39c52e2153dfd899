"""Interruption and load: what happens to files, answers and memory when much goes wrong at once.

`python -m trust.load` writes trust/load.json, and exits with 1 if anything failed; `--only NAME`
measures one part, and leaves the others in the record as they are.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

RECORD = Path(__file__).with_suffix(".json")
ROOT = RECORD.parents[1]
PARTS = ("interruption", "parallel", "growth")


def main(arguments: list[str] | None = None) -> int:
    """Measure all parts, write the record, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--output", type=Path, default=RECORD)
    given = parser.parse_args(arguments)
    output = given.output.absolute()
    record = json.loads(output.read_text()) if given.only and output.exists() else {}
    record["machine"] = machine()
    here = Path.cwd()
    # For processes of other interpreters, and in other folders.
    places = (ROOT, ROOT / "src", os.environ.get("PYTHONPATH", ""))
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, places)).strip(os.pathsep)
    for name in (given.only,) if given.only else PARTS:
        record[name] = measured(name)
        os.chdir(here)
        output.write_text(json.dumps(record, indent=1) + "\n")
    failures = [text for name in PARTS for text in record.get(name, {}).get("failures", ())]
    for text in failures:
        print(f"FAILED {text}")
    print(f"{len(failures)} failures; the record is {output}")
    return 1 if failures else 0


def measured(name: str) -> dict[str, Any]:
    """Measure one part in a folder of its own."""
    began = time.monotonic()
    measure: Callable[..., dict[str, Any]] = import_module(f"trust.{name}").measure
    with tempfile.TemporaryDirectory(prefix="trust-") as folder:
        found = measure(Path(folder), lambda text: print(f"{name}: {text}", flush=True))
    return {"seconds": round(time.monotonic() - began)} | found


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    import numpy as np

    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
    }


if __name__ == "__main__":
    sys.exit(main())
