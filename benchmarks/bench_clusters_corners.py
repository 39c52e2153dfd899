"""Where intervals by clusters are weakest: few clusters, unequal ones, and whole clusters wrong.

In each sample every cluster has a share of right decisions, by a Beta law, by a random intercept on
the logit scale (normal or heavy-tailed, going with the size or not), one of two, or all wrong with
some probability; a second classifier has a share of its own that is alike. Scores lie higher or
lower in a cluster, and tell its classes apart by more, less, not at all, or the wrong way round.
Per cent of 95% intervals that hold the population's value and lie above and below it, samples that
have none (undefined without a cluster), mean width, and how many times that is the width of
the interval before (the jackknife, or Obuchowski's variance, alone).

The designs are in the order in which they were written down, each group before what it judges was
tried: the floor of the variance was fixed before the first, then the weight of cases, the rule of
differences and that of scores were mended where a group showed them wrong. The last group of
either kind was seen by no rule before, nor were the later ones, where differences fail. The many
were written down before the floor was bounded by what clusters show. README.md has the figures.

    python benchmarks/bench_clusters_corners.py [SAMPLES] [KIND...]

KIND is decisions, later, many, uneven, scores or uneven-scores.
"""

import sys
import time
from functools import partial
from math import sqrt

import numpy as np
from cluster_designs import (
    DECISIONS,
    FIFTH,
    FOURTH,
    LAST_SCORES,
    MORE_SCORES,
    SCORES,
    SECOND,
    SIXTH,
    THIRD,
    UNEVEN,
    UNEVEN_SCORES,
    drawn,
    population,
    scored,
    tables,
)
from scipy.special import expit, logit
from scipy.stats import t as student

from baserate import metrics
from baserate._measures import MEASURES
from baserate.cases.clusters import Design
from baserate.cases.units import Law
from baserate.curves import compare_auc, roc_auc
from baserate.curves.area_spread import ScoredSample, shares_won
from baserate.curves.clustered_auc import ClusteredArea
from baserate.inference.binary_intervals import design_interval
from baserate.inference.design_ratios import DesignUnits
from baserate.inference.paired_clusters import ClusteredPair
from baserate.inference.survey_design import law_of, student_parts

METRICS = ("accuracy", "recall", "precision", "f1", "matthews_correlation")
OF_A_SURVEY = ("prevalence", "recall", "specificity", "accuracy", "f1")


class Ends:
    """Intervals of one number over all samples, now and before."""

    def __init__(self, truth):
        self.truth, self.now, self.before = float(truth), [], []

    def add(self, now, before):
        self.now.append(now)
        self.before.append(before)

    def row(self):
        """Return how often intervals lie above and below, are missing, and how wide they are."""
        now, before = np.array(self.now), np.array(self.before)
        there = ~np.isnan(now[:, 0]) & ~np.isnan(before[:, 0])
        none = 100 * np.mean(np.isnan(now[:, 0]))
        if there.sum() < 0.05 * len(now):
            return None, none
        sides = [
            (100 * np.mean(self.truth < low), 100 * np.mean(self.truth > high), *width)
            for (low, high), width in (
                (ends[there].T, [np.mean(np.diff(ends[there]))]) for ends in (now, before)
            )
        ]
        return sides, none


def design_of(cells):
    kept = cells[cells.any(axis=1)]
    return Design(
        total=cells.sum(axis=0), tables=kept, units=np.flatnonzero(cells.any(axis=1)),
        n_units=len(cells), n_cases=int(cells.sum()),
    )  # fmt: skip


def plain(law):
    """Return the same law without a floor: what there was before."""
    return Law(law.value, law.moves, law.units, law.scale, law.bounds)


def ends_of(metric, design):
    """Return the interval now and before; where all clusters agree both count each as one case."""
    now = law_of(metric, design)
    if student_parts(now, 0.95) is None:
        found = design_interval(metric, design, 0.95)
        return (found.low, found.high), (found.low, found.high)
    return now.within(0.95), plain(now).within(0.95)


def decisions(design, samples, rng, names=METRICS):
    """Return what is known of each metric and of the difference of two accuracies."""
    whole = population(design)
    a, b = (design_of(tables(whole, side)[None]) for side in (0, 1))
    chosen = {name: metrics.get(name) for name in names}
    found = {name: Ends(law_of(metric, a).value) for name, metric in chosen.items()}
    found["difference of accuracies"] = Ends(
        law_of(chosen["accuracy"], a).value - law_of(chosen["accuracy"], b).value
    )
    for cells in drawn(rng, design, samples):
        one, other = (design_of(tables(cells, side)) for side in (0, 1))
        for name, metric in chosen.items():
            found[name].add(*ends_of(metric, one))
        right = cells.sum(axis=0)  # class, A right or not, B right or not
        decided = np.stack([right[0], right[1, ::-1, ::-1]], axis=-1)
        law = ClusteredPair.of(decided, decided, one.n_cases, one, other).law(chosen["accuracy"])
        found["difference of accuracies"].add(law.around(0.95), plain(law).around(0.95))
    return found


def areas_before(sample, other, codes):
    """Return the interval of an area by Obuchowski's variance and effective clusters less one."""
    area = ClusteredArea.of(sample, codes)
    variance = area.variance
    far = student.ppf(0.975, max(area.effective_clusters - 1, 1e-9)) * sqrt(max(variance, 0.0))
    p = area.area
    single = tuple(expit(logit(p) + sign * far / (p * (1 - p))) for sign in (-1, 1))
    apart = area.less(ClusteredArea.of(other, codes))
    far = student.ppf(0.975, max(area.effective_clusters - 1, 1e-9)) * sqrt(apart.variance)
    return single, (apart.area - far, apart.area + far)


def losses(y, p):
    """Return numerator and denominator of each measure, case by case, and its loss all wrong."""
    ones = np.ones(len(y))
    turned = np.minimum(-np.log(np.where(y, 1 - p, p)), np.log(len(y) + 1)).mean()
    return {
        "brier_score": ((y - p) ** 2, ones, 1.0),
        "log_loss": (-np.log(np.where(y, p, 1 - p)), ones, turned),
        "observed_expected": (y.astype(float), p, None),
    }


def scores(design, samples, rng):
    """Return what is known of area, losses and O:E, and of two differences."""
    many = max(2000, int(600_000 / np.mean(design.sizes(rng, (1, 1000))))) // design.m * design.m
    y, both, _ = scored(np.random.default_rng(3), design, many)
    area = [shares_won(ScoredSample(y, p, None))[0].mean() for p in both]
    found = {"roc_auc": Ends(area[0]), "difference of areas": Ends(area[0] - area[1])}
    for name, (top, bottom, _) in losses(y, both[0]).items():
        found[name] = Ends(top.sum() / bottom.sum())
    found["difference of Brier scores"] = Ends(
        np.mean((y - both[0]) ** 2) - np.mean((y - both[1]) ** 2)
    )
    for _ in range(samples):
        y, both, cluster = scored(rng, design)
        if min(y.sum(), (~y).sum()) < 2:
            continue
        one, pair = roc_auc(y, both[0], cluster=cluster), compare_auc(y, *both, cluster=cluster)
        samples_of = [ScoredSample(y, p, None) for p in both]
        if one.value < 1:
            before = areas_before(*samples_of, cluster)
            found["roc_auc"].add((one.low, one.high), before[0])
            found["difference of areas"].add((pair.low, pair.high), before[1])
        units, laws = DesignUnits(np.ones(len(y)), cluster), []
        for name, (top, bottom, wrong) in losses(y, both[0]).items():
            law = units.of_ratio(top, bottom, MEASURES[name].bounds, wrong)
            found[name].add(law.within(0.95), plain(law).within(0.95))
        squares = [(y - p) ** 2 for p in both]
        laws = [units.of_ratio(square, np.ones(len(y)), (0.0, 1.0)) for square in squares]
        law = units.apart(*laws, squares[0] - squares[1])
        found["difference of Brier scores"].add(law.around(0.95), plain(law).around(0.95))
    return found


def judge(title, designs, of, samples):
    """Print one row for each number, and the least and the widest."""
    print(f"\n{title}")
    print("| design | number | now: held (above / below) | before | none | width, times before |")
    print("|---|---|---:|---:|---:|---:|")
    least, ratios, widths = [], [], []
    for place, design in enumerate(designs):
        found = of(design, samples, np.random.default_rng([2026, len(title), place]))
        for name, ends in found.items():
            sides, none = ends.row()
            if sides is None:
                print(f"| {design.name} | {name} | | | {none:.0f} | |")
                continue
            (up, down, width), (up_before, down_before, width_before) = sides
            held = 100 - up - down
            print(
                f"| {design.name} | {name} | {held:.1f} ({up:.1f} / {down:.1f}) | "
                f"{100 - up_before - down_before:.1f} | {none:.0f} | "
                f"{width:.3f}, {width / width_before:.2f} |",
                flush=True,
            )
            least.append((held, up, down, 100 - up_before - down_before, design.name, name))
            ratios.append(width / width_before)
            widths.append((width, width_before))
    now, before = np.sum(widths, axis=0)
    worst, few = min(least), sum(one[0] < 93 for one in least)
    up, down = (max(one[i] for one in least) for i in (1, 2))
    least_before = min(one[3] for one in least)
    print(
        f"least {worst[0]:.1f} ({worst[4]}, {worst[5]}), below 93: {few} of {len(least)}; most "
        f"above {up:.1f}, most below {down:.1f}; before: least {least_before:.1f}, below 93: "
        f"{sum(one[3] < 93 for one in least)}; width {now / before:.2f} times that before, "
        f"{np.mean(ratios):.2f} on average"
    )


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    asked, start = (
        sys.argv[2:] or ["decisions", "later", "many", "uneven", "scores", "uneven-scores"],
        time.process_time(),
    )
    print(f"{samples} samples: one standard error is {100 * sqrt(0.95 * 0.05 / samples):.1f}")
    groups = {
        "decisions": (
            decisions,
            {"First": DECISIONS, "Second": SECOND, "Third": THIRD, "Last": FOURTH},
        ),
        "later": (decisions, {"Later": FIFTH}),
        "many": (partial(decisions, names=OF_A_SURVEY), {"Many": SIXTH}),
        "uneven": (decisions, {"Uneven": UNEVEN}),
        "scores": (scores, {"First": SCORES, "Second": MORE_SCORES, "Last": LAST_SCORES}),
        "uneven-scores": (scores, {"Uneven": UNEVEN_SCORES}),
    }
    for kind in asked:
        of, sets = groups[kind]
        for name, designs in sets.items():
            judge(f"{name} designs, {kind}", designs, of, samples)
    print(f"\n{time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
