"""The figures of the papers, drawn by the displays: `python -m papers.figures`.

Burger and Meertens, figures 1 to 4; Holzmann and Klar, figures 1 to 5, 8 and 9; Dyrland, Lundervold
and Porta Mana, the plane of utilities; Briscoe, Kepler, DeFord and Gebremedhin, figures 1 to 7.
docs/papers_figures.md says what each shows, and what differs from what is published.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import baserate as br
from baserate.displays import Axis, Line, Picture, series_color, series_style
from papers.small_data import GROUPS, smoothing_errors
from papers.utility import CLASSIFIERS, UTILITIES

FOLDER = Path(__file__).parents[1] / "docs" / "pictures" / "papers"

# Shares, as nobody was tested; chance is that of test sets of 1,000 cases of every base rate.
CHIMPS = br.ConfusionMatrix.from_rates(recall=0.6, specificity=0.8, base_rate=0.5)
IN_A_THOUSAND = np.arange(4, 997, 4) / 1000
F1 = ("f1", "negative_f1")

RARE = 10.0 ** np.linspace(-4, -1, 13)
RATES = np.concatenate((RARE, np.arange(5, 36) / 40, 1 - RARE[::-1]))
METRICS = ("jaccard", "f_beta(beta=1.5)", "f_beta(beta=0.5)", "cohen_kappa", "matthews_correlation")
ROBUST_F = {
    "d0": ("robust_f(d0={}, d1=1, c=0)", (0, 0.1, 0.4, 1)),
    "d1": ("robust_f(d0=0.1, d1={}, c=0)", (0.25, 0.5, 2, 4)),
    "c": ("robust_f(d0={}, c=1)", ("1, d1=1", "2, d1=1", "0.5, d1=1", "0.5, d1=4")),
}
ROBUST_MCC = tuple(f"robust_mcc(d={d})" for d in (0, 0.01, 0.05, 0.1, 0.5, 1))
NORMAL = {"near": br.populations.LDA(distance=1.0), "far": br.populations.LDA(distance=2.0)}
QUADRATIC = {
    "1": br.populations.QDA(
        mean0=[0, 0], cov0=[[2, 0.5], [0.5, 1]], mean1=[2.5, 2.5], cov1=[[1, -0.5], [-0.5, 2]]
    ),
    "2": br.populations.QDA(
        mean0=[0, 0], cov0=[[2, 0.3], [0.3, 1]], mean1=[1.5, 1.5], cov1=[[1, -0.9], [-0.9, 2]]
    ),
}
WEIGHTS = (0.5, 0.2, 0.05, 0.02)

SIZES = (*range(5, 21), 25, 30, 40, 50, 65, 80, 100, 125, 149)
ALL_TABLES = (4, 10, 30)
HOLES = ("recall", "precision", "matthews_correlation", "f1", "prevalence_threshold_strict")
ESTIMATORS = {
    "raw": "as observed",
    "epsilon": "1e-10 added to every cell",
    "add_one": "1 added to every cell",
    "strength=5": "smoothed, strength 5",
    "strength=10": "smoothed, strength 10",
    "strength=20": "smoothed, strength 20",
}


class LinesDisplay(br.displays.Display):
    """Plain lines on plain axes: what the papers draw and no display of a classifier does.

    Parameters
    ----------
    title : str
    x, y : Axis
    series : mapping of name to (x, y)
    """

    def __init__(
        self,
        title: str,
        x: Axis,
        y: Axis,
        series: Mapping[str, tuple[Any, Any]],
    ) -> None:
        self.title, self.x, self.y = title, x, y
        self.series = dict(series)

    def _drawn(self) -> Picture:
        marks = tuple(
            Line(key="curve", name=name, x=np.asarray(x, dtype=float), y=np.asarray(y, dtype=float),
                 color=series_color(k), style=series_style(k))
            for k, (name, (x, y)) in enumerate(self.series.items())
        )  # fmt: skip
        told = f"{self.y.label} against {self.x.label}: {', '.join(self.series)}."
        return Picture(title=self.title, description=told, x=self.x, y=self.y, marks=marks)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "x": float(a), "y": float(b)}
            for name, (x, y) in self.series.items()
            for a, b in zip(x, y, strict=True)
        ]


def against_base_rate(
    metrics: Sequence[str], guess: str, *, balanced: bool = False
) -> br.displays.BaseRateDisplay:
    """Return a panel of Burger and Meertens: value, chance and skill in samples of 1,000."""
    chosen = [br.metrics.get(name) for name in metrics]
    if balanced:
        chosen = [metric.at_base_rate(0.5) for metric in chosen]
    return br.displays.BaseRateDisplay(
        CHIMPS, metric=chosen, show="all", guess=guess, n=1000, base_rates=IN_A_THOUSAND, band=False
    )


def best_cuts(
    population: br.curves.Population, metrics: Sequence[str]
) -> br.displays.BaseRateDisplay:
    """Return a panel of Holzmann and Klar: the density ratio of the best cut by base rate."""
    return br.displays.BaseRateDisplay(population, metric=metrics, show="cut", base_rates=RATES)  # pyright: ignore[reportArgumentType]


def robust_f(family: str) -> tuple[str, ...]:
    """Return the robust F of one family of curves: d0, d1 or c is what sets it apart."""
    pattern, values = ROBUST_F[family]
    return tuple(pattern.format(value) for value in values)


def best_points(curve: str) -> Any:
    """Return figure 5 of Holzmann and Klar: best cuts on one of its two kinds of curves."""
    metrics = ("matthews_correlation", "robust_mcc(d=0.15)")
    if curve == "roc":
        return br.displays.RocDisplay(NORMAL["far"], metrics=metrics, base_rate=WEIGHTS)
    return br.displays.PrecisionRecallDisplay(
        NORMAL["far"], metrics=metrics, base_rate=WEIGHTS, axes="recall_false_discovery"
    )


def utilities(coordinates: Any) -> br.displays.UtilityMapDisplay:
    """Return where A yields more than B, and where the paper's utilities lie."""
    return br.displays.UtilityMapDisplay(
        dict(CLASSIFIERS),
        coordinates=coordinates,
        utilities={"eq. 5": UTILITIES["eq. 5"], "eq. 4 and 6": UTILITIES["eq. 4"]},
    )


def fan() -> br.displays.SmallSampleDisplay:
    """Return figure 1 of Briscoe et al.: the predicted positive rate in samples of a group."""
    return br.displays.SmallSampleDisplay(
        GROUPS["FT Multiracial"], metric="predicted_positive_rate", sizes=range(1, 151)
    )


def all_tables(metric: str) -> br.displays.Display:
    """Return a panel of figure 2: how many of all tables of n cases score at most so much."""
    sizes = {f"{n} cases": br.models.UniformTables(n=n) for n in ALL_TABLES}
    return br.displays.ChanceDisplay.from_models(sizes, metric=metric, plot=False)


def errors(metric: str, estimators: Sequence[str]) -> LinesDisplay:
    """Return a panel of figures 3 to 7: mean squared error by size, mean of the ten groups."""
    strengths = [float(one[9:]) for one in estimators if one.startswith("strength=")]
    found = smoothing_errors(metrics=[metric], sizes=SIZES, strengths=strengths)
    series = {ESTIMATORS[one]: (found.sizes, mean_error(found, one)) for one in estimators}
    heights = np.concatenate([y for _, y in series.values()])
    x = Axis(label="Cases in the sample", low=SIZES[0], high=SIZES[-1], scale="log")
    y = Axis(label="Mean squared error", low=heights.min() / 1.2, high=heights.max() * 1.2,
             scale="log")  # fmt: skip
    at_ten = {name: y[SIZES.index(10)] for name, (_, y) in series.items()}
    worst, best = (end(at_ten, key=at_ten.__getitem__) for end in (max, min))
    times = at_ten[worst] / at_ten[best]
    told = f"{worst} errs {times:.2g} times as much as {best} (squared, mean of ten groups)"
    return LinesDisplay(f"{sentence(spoken(metric))} in samples of 10: {told}", x, y, series)


def mean_error(found: br.results.Downsampled, estimator: str) -> Any:
    """Return the mean over groups of the exact errors of one metric, given that it is defined."""
    return found.of(estimator)[:, 0].mean(axis=0)


def holes() -> br.displays.SampleSizeDisplay:
    """Return Table 1 as a picture: the share of all tables that have no value."""
    return br.displays.SampleSizeDisplay(br.count_undefined(HOLES, range(3, 151)))


def spoken(metric: str) -> str:
    """Return the name of a metric as people write it."""
    return br.metrics.get(metric).name.replace("_", " ").replace("matthews", "Matthews")


def sentence(words: str) -> str:
    """Return words that begin with a capital letter."""
    return words[:1].upper() + words[1:]


def _chimps() -> Iterator[tuple[str, Callable[[], br.displays.Display]]]:
    panels = ((1, F1, "uniform"), (2, ("accuracy",), "uniform"),
              (3, ("accuracy",), "proportional"), (4, F1, "proportional"))  # fmt: skip
    for number, metrics, guess in panels:
        yield f"chimps_{number}", partial(against_base_rate, metrics, guess)
        balanced = partial(against_base_rate, metrics, guess, balanced=True)
        yield f"chimps_{number}_balanced", balanced


def _robust() -> Iterator[tuple[str, Callable[[], br.displays.Display]]]:
    for name, population in NORMAL.items():
        yield f"robust_1_{name}", partial(best_cuts, population, METRICS)
    for name, population in QUADRATIC.items():
        yield f"robust_2_scenario_{name}", partial(best_cuts, population, METRICS)
    for family in ROBUST_F:
        yield f"robust_3_{family}", partial(best_cuts, NORMAL["far"], robust_f(family))
    yield "robust_4", partial(best_cuts, NORMAL["far"], ROBUST_MCC)
    yield "robust_5_roc", partial(best_points, "roc")
    yield "robust_5_recall", partial(best_points, "recall")
    for family in ROBUST_F:
        yield f"robust_8_{family}", partial(best_cuts, QUADRATIC["1"], robust_f(family))
    yield "robust_9", partial(best_cuts, QUADRATIC["1"], ROBUST_MCC)


def _small_data() -> Iterator[tuple[str, Callable[[], br.displays.Display]]]:
    yield "small_1", fan
    for metric in ("accuracy", "matthews_correlation"):
        yield f"small_2_{metric}", partial(all_tables, metric)
    smoothed = ("epsilon", "strength=5", "strength=10", "strength=20")
    for metric in ("matthews_correlation", "false_positive_rate", "recall", "prevalence_threshold"):
        yield f"small_3_{metric}", partial(errors, metric, smoothed)
    yield "small_4", partial(errors, "base_rate", ("raw", "add_one", *smoothed[1:]))
    for number, metric in ((5, "precision"), (6, "accuracy")):
        yield f"small_{number}", partial(errors, metric, ("raw", *smoothed))
    for metric in ("negative_predictive_value", "recall"):
        yield f"small_7_{metric}", partial(errors, metric, ("epsilon", "add_one", "strength=10"))
    yield "small_holes", holes


FIGURES: dict[str, Callable[[], br.displays.Display]] = {
    **dict(_chimps()),
    **dict(_robust()),
    "utility_published": partial(utilities, "published"),
    "utility_stakes": partial(utilities, "stakes"),
    **dict(_small_data()),
}


def main() -> None:
    """Draw those whose names hold any of the words given; without words all."""
    words = sys.argv[1:] or [""]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, figure in FIGURES.items():
        if any(word in name for word in words):
            figure().to_svg(FOLDER / f"{name}.svg")
            print(f"  {name}")


if __name__ == "__main__":
    main()
