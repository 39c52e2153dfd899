"""The value of more data, beside the draws that others take; and studies of the sizes planned.

Prints CPU milliseconds and errors, in one process. With --studies, validations are simulated at the
sizes that `validation_sample_size` finds, and what their intervals turn out to be.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from baserate import ConfusionMatrix, net_benefit_curve, value_of_information
from baserate.inference.validation_size import validation_sample_size

TABLE = ConfusionMatrix(tp=6, fn=4, fp=9, tn=81)
ALPHA, TAU = np.array([7.0, 5.0, 10.0, 82.0]), 0.2
ODDS = TAU / (1 - TAU)
WORTHS = np.array([[0, 0, 0, 0], [1, 0, -ODDS, 0], [1, 1, -ODDS, -ODDS]])


def timed(function: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Return the shortest of several times in CPU milliseconds, and the result."""
    times, result = [], None
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return 1000 * min(times), result


def drawn(m: int | None, n_draws: int) -> tuple[float, float]:
    """Return what m more cases (None: all) are worth by draws, and the standard error."""
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(ALPHA, n_draws)
    if m is not None:
        shares = (rng.multinomial(m, shares) + ALPHA) / (m + ALPHA.sum())
    values = shares @ WORTHS.T
    gain = values.max(axis=1) - values[:, 1]
    return float(gain.mean()), float(gain.std() / n_draws**0.5)


def information(n_draws: int) -> None:
    """Print ours and the draws."""
    print(
        "what                     ours, ms  draws, ms   ours (per 1,000)  draws      error  route"
    )
    ours, found = timed(lambda: value_of_information(TABLE, threshold=TAU))
    theirs, (value, error) = timed(lambda: drawn(None, n_draws), 1)
    show("perfect", ours, theirs, found.perfect, value, error, found.route)
    for m in (100, 500, 1000, 2000, 10_000, 100_000):
        ours, found = timed(lambda m=m: value_of_information(TABLE, threshold=TAU, m=m))
        theirs, (value, error) = timed(lambda m=m: drawn(m, n_draws), 1)
        show(f"{m:,} more cases", ours, theirs, found.sample, value, error, found.sample_route)
    rng = np.random.default_rng(0)
    p = rng.beta(1, 6, 1000)
    curve = net_benefit_curve(rng.random(1000) < p, p)
    print(
        f"decision curve, 99 thresholds, P(useful) and perfect {timed(curve.information)[0]:.0f} ms"
    )
    print(f"the same with 500 more cases {timed(lambda: curve.information(m=500))[0]:.0f} ms")


def show(
    name: str, ours: float, theirs: float, value: float, draws: float, error: float, route: str
) -> None:
    """Print one row."""
    numbers = f"{1000 * value:17.9f} {1000 * draws:9.6f} {1000 * error:9.6f}"
    print(f"{name:24} {ours:8.2f} {theirs:10.0f} {numbers}  {route}")


def studies(n_studies: int) -> None:
    """Simulate validations of the sizes found; print how wide intervals are, how often right."""
    z = float(norm.ppf(0.975))
    print("law of log odds   measure      n   width asked   mean width   holds the truth, %")
    for mean, sd in ((-1.5, 1.2), (-3.0, 1.0), (0.0, 2.0)):
        found = validation_sample_size(linear_predictor=(mean, sd), oe_width=0.3, slope_width=0.3)
        rng = np.random.default_rng(3)
        for name, criterion in found.criteria.items():
            widths, right = [], 0
            for _ in range(n_studies):
                lp = rng.normal(mean, sd, criterion.n)
                p = expit(lp)
                y = rng.random(criterion.n) < p
                low, high = interval(name, lp, p, y, z)
                widths.append(high - low)
                right += low <= criterion.value <= high
            row = f"N({mean}, {sd})".ljust(18) + f"{name:8} {criterion.n:6} {criterion.width:12.2f}"
            print(f"{row} {np.mean(widths):13.4f} {100 * right / n_studies:12.1f}")


def interval(name: str, lp: Any, p: Any, y: Any, z: float) -> tuple[float, float]:
    """Return the interval that the criterion is about, of one study."""
    if name == "oe":
        ratio, spread = y.sum() / p.sum(), z * np.sqrt((1 - y.mean()) / y.sum())
        return ratio * np.exp(-spread), ratio * np.exp(spread)
    if name == "slope":
        value, error = slope(lp, y)
    else:
        value, error = area(lp, y)
    return value - z * error, value + z * error


def slope(lp: Any, y: Any) -> tuple[float, float]:
    """Fit intercept and slope by Newton's steps."""
    x, beta, information = np.column_stack([np.ones_like(lp), lp]), np.array([0.0, 1.0]), np.eye(2)
    for _ in range(8):
        p = expit(x @ beta)
        information = (x * (p * (1 - p))[:, None]).T @ x
        beta = beta + np.linalg.solve(information, x.T @ (y - p))
    return float(beta[1]), float(np.sqrt(np.linalg.inv(information)[1, 1]))


def area(lp: Any, y: Any) -> tuple[float, float]:
    """Return the area and the standard error that the criterion takes, at the estimate."""
    ranks, n1 = lp.argsort().argsort() + 1, int(y.sum())
    n0, n = len(y) - n1, len(y)
    c = (ranks[y].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)
    more = (n / 2 - 1) * ((1 - c) / (2 - c) + c / (1 + c))
    return float(c), float(np.sqrt(c * (1 - c) * (1 + more) / (n1 * n0)))


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1_000_000)
    parser.add_argument("--studies", type=int, default=0)
    given = parser.parse_args()
    information(given.draws)
    if given.studies:
        studies(given.studies)


if __name__ == "__main__":
    main()
