"""What ``import baserate`` adds to ``import numpy``: medians of fresh processes, in turn."""

import statistics
import subprocess
import sys

CODE = "import time; import numpy; t = time.perf_counter(); {}; print(time.perf_counter() - t)"


def seconds(statement):
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(statement)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def main(runs=15):
    statements = ["import baserate", "import baserate; baserate.metrics; baserate.ConfusionMatrix"]
    for statement in statements:
        seconds(statement)  # byte-compile
        times = [seconds(statement) for _ in range(runs)]
        print(f"{statement}: {1e3 * statistics.median(times):.1f} ms after numpy (limit 100 ms)")


if __name__ == "__main__":
    main()
