"""Dutch Draw baselines: this library beside the DutchDraw package, in time and in what is right.

Both sides run in one process on one machine, so the ratios can be compared and the times cannot.
The package (0.0.2) declares no dependencies: it needs numpy, scipy and tqdm beside it. It sleeps
for two seconds before it searches for the geometric mean.
"""

import argparse
import contextlib
import io
import time
import warnings
from collections.abc import Callable

import DutchDraw
import numpy as np

from baserate import ConfusionMatrix, metrics
from baserate.baselines import dutch_draw
from baserate.estimators import RandomGuessClassifier
from baserate.models import Hypergeometric
from baserate.questions import expect, variance

# Its name of each measure, and ours; all but the last have closed forms.
MEASURES = {
    "TP": "tp", "TN": "tn", "FP": "fp", "FN": "fn", "TPR": "tpr", "TNR": "tnr", "FPR": "fpr",
    "FNR": "fnr", "PPV": "ppv", "NPV": "npv", "FDR": "fdr", "FOR": "for_", "ACC": "accuracy",
    "BACC": "bacc", "FBETA": "f1", "MCC": "mcc", "J": "j", "MK": "mk", "KAPPA": "kappa",
    "FM": "fm", "TS": "jaccard", "G2": "g_mean_2",
}  # fmt: skip
LARGE = {10**6: 10**5, 10**8: 10**7, 10**10: 10**9, 10**12: 10**11}


def quietly(function: Callable[[], object]) -> object:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return function()


def best(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several times, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        quietly(function)
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def labels(n: int, n_positive: int) -> np.ndarray:
    return (np.arange(n) < n_positive).astype(int)


def both_goals(name: str, n_positive: int, n_negative: int) -> tuple[float, float]:
    goals = ("max", "min")
    sizes = {"n_positive": n_positive, "n_negative": n_negative}
    return tuple(dutch_draw(name, goal=goal, **sizes).value for goal in goals)


def compare_times(n: int, *, repeats: int) -> None:
    p = n // 10
    y = labels(n, p)
    print(f"\nBest and worst draw, {n} cases, {p} positive; milliseconds")
    print(f"{'measure':10}{'baserate':>10}{'DutchDraw':>12}{'ratio':>12}   same values")
    for theirs, ours in MEASURES.items():
        mine = best(lambda name=ours: both_goals(name, p, n - p), 20)
        found = []
        other = best(
            lambda name=theirs, to=found: to.append(
                DutchDraw.optimized_baseline_statistics(y, name)
            ),
            1 if theirs == "G2" else repeats,
        )
        high, low = both_goals(ours, p, n - p)
        theirs_high = found[0]["Max Expected Value"], found[0]["Min Expected Value"]
        same = np.allclose(theirs_high, (high, low), rtol=1e-12, atol=1e-15)
        print(f"{theirs:10}{mine:10.3f}{other:12.3f}{other / mine:11.1f}x   {same}", flush=True)
    print("FBETA: the package leaves out k = 0, where 2 tp / (2 tp + fn + fp) is 0, not undefined")


def time_large() -> None:
    print("\nOurs at sizes the package cannot reach; milliseconds")
    print(f"{'cases':>16}{'21 measures':>14}{'geometric mean':>18}{'best draw':>16}")
    closed = [metrics.get(name) for name in MEASURES.values() if name != "g_mean_2"]
    for n, p in LARGE.items():
        sizes = {"n_positive": p, "n_negative": n - p}
        all_closed = best(lambda s=sizes: [dutch_draw(m, **s) for m in closed], 20)
        g_mean = best(lambda s=sizes: dutch_draw("g_mean", **s), 20)
        ((k, _),) = dutch_draw("g_mean", **sizes).n_predicted
        print(f"{n:16,}{all_closed:14.2f}{g_mean:18.2f}{k:16,}")


def said(function: Callable[[], object]) -> str:
    """Return what the package answers, or how it fails."""
    try:
        answer = quietly(function)
    except Exception as error:  # noqa: BLE001 (whatever it raises is the finding)
        return type(error).__name__
    return f"{answer:.6g}" if isinstance(answer, float | np.floating) else str(answer)


def at(theta: float, y: list[int], measure: str, what: str) -> object:
    return DutchDraw.baseline_functions_given_theta(theta, y, measure)[what]


def best_shares(y: list[int], measure: str) -> object:
    return DutchDraw.optimized_baseline_statistics(y, measure)["Argmax Expected Value"]


def law(y: list[int], measure: str, what: str) -> Callable[..., object]:
    return DutchDraw.baseline_functions(y, measure)[what]


def overflowing() -> tuple[np.ndarray, np.ndarray]:
    y_true = labels(200_000, 100_000)
    y_pred = np.concatenate((labels(100_000, 49_900), labels(100_000, 50_000)))
    return y_true, y_pred


def flagged(n: int, theta: float, seed: int) -> np.ndarray:
    x, y = [[0]] * n, [0, 1] * n
    guess = RandomGuessClassifier(theta, random_state=seed).fit([[0]] * len(y), y)
    return guess.predict(x)


def findings() -> list[tuple[str, Callable[[], object], str]]:
    """Return what was asked, what the package does, and the right answer of ours."""
    y = [1] * 3 + [0] * 7
    half = Hypergeometric(n_positive=3, n_negative=7, n_predicted=5)
    table = ConfusionMatrix(tp=49_900, fn=50_100, fp=50_000, tn=50_000)
    jaccard = dutch_draw("jaccard", n_positive=1, n_negative=9)
    empty = {"n_positive": 0, "n_negative": 10}
    quarter = Hypergeometric(n_positive=4, n_negative=6, theta=0.25)
    single = Hypergeometric(n_positive=1, n_negative=0, n_predicted=1)
    pt = dutch_draw("pt", n_positive=3, n_negative=7)
    drawn = [flagged(10, 0.3, seed).tolist() for seed in (1, 2)]
    return [
        ("variance of G2, M=10 P=3 k=5", lambda: at(0.5, y, "G2", "Variance"),
         f"{variance('g_mean', half).value:.6g}"),
        ("variance of TS, M=10 P=3 k=5", lambda: at(0.5, y, "TS", "Variance"),
         f"{variance('jaccard', half).value:.6g}"),
        ("variance of TP, a single case", lambda: at(1.0, [1], "TP", "Variance"),
         f"{variance('tp', single).value:.6g}"),
        ("best shares of TS, M=10 P=1", lambda: best_shares([1] + [0] * 9, "TS"),
         f"all of {jaccard.theta_star}"),
        ("best TPR without positives", lambda: DutchDraw.optimized_baseline_statistics(
            [0] * 10, "TPR")["Max Expected Value"], str(dutch_draw("tpr", **empty).value)),
        ("best BACC without positives", lambda: DutchDraw.optimized_baseline_statistics(
            [0] * 10, "BACC")["Max Expected Value"], str(dutch_draw("bacc", **empty).value)),
        ("best G2 without positives", lambda: best_shares([0] * 10, "G2"),
         str(dutch_draw("g_mean", **empty).value)),
        ("best kappa shares without positives", lambda: best_shares([0] * 10, "KAPPA")[:2],
         f"from {dutch_draw('kappa', **empty).theta_star[0][0]} on"),
        ("prevalence threshold, M=10 P=3", lambda: best_shares(y, "PT"),
         f"{pt.value} at k={pt.n_predicted[0][0]}"),
        ("mean of TP at theta 0.25, M=10 P=4", lambda: at(0.25, [1] * 4 + [0] * 6, "TP", "Mean"),
         f"{expect('tp', quarter).value:.6g} (rounds half up)"),
        ("MCC of 200000 labels", lambda: DutchDraw.measure_score(*overflowing(), "MCC"),
         f"{metrics.matthews_correlation(table):.6g}"),
        ("probability of a score, ACC", lambda: law(y, "ACC", "Distribution")(0.5, 0.5),
         "see baserate.questions.pmf"),
        ("support, ACC", lambda: law(y, "ACC", "Domain")(0.5), "see baserate.questions.pmf"),
        ("accuracy of labels 0 and 5", lambda: DutchDraw.measure_score([0, 5, 0], [0, 9, 0], "ACC"),
         "refused"),
        ("3 of 10 flagged at random, twice", lambda: [DutchDraw.DutchDraw_classifier(
            y, theta=0.3, measure="MCC") for _ in range(2)], str(drawn)),
        ("labels for 3 cases at theta 0.5", lambda: len(DutchDraw.DutchDraw_classifier(
            [1, 0, 0], theta=0.5, measure="MCC")), str(len(flagged(3, 0.5, 1)))),
    ]  # fmt: skip


def compare_answers() -> None:
    print("\nWhat the package gets wrong")
    for question, theirs, ours in findings():
        print(f"{question}\n    DutchDraw {said(theirs)}\n    baserate  {ours}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--peer-repeats", type=int, default=5)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # the package divides by zero on its way
    compare_times(arguments.cases, repeats=arguments.peer_repeats)
    time_large()
    compare_answers()


if __name__ == "__main__":
    main()
