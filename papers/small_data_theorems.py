"""Briscoe et al. (2025): the theorems of section 5, expected values, and the sentences of 6.2."""

from collections.abc import Iterator
from math import erf, sqrt

import numpy as np

import baserate as br
from papers import small_data as paper
from papers.cells import Cell, Finding, Table, printed


def theorems() -> Table:
    """Return Theorems 5.1 to 5.3 at examples, and what section 3 calls an expected value."""
    cells = (_standardised(), *_marginal_benefit(), _sub_probability(), *_expected())
    return Table(name="Theorems of section 5, expected values", cells=cells)


def _standardised() -> Cell:
    exam = br.models.Multinomial(n=100, cells=(0.4, 0.15, 0.1, 0.35))
    mean = 100 * float(br.expect("accuracy", exam))
    deviation = 100 * float(br.variance("accuracy", exam)) ** 0.5
    return Cell(
        where="section 5.1: z of 80 right cases of 100 at p = 0.75",
        published=1.27,
        ours=(80.5 - mean) / deviation,
        within=printed(1.27, 2),
    )


def _marginal_benefit() -> Iterator[Cell]:
    """Yield the normal law of Theorem 5.2 at P(FP) = 0.15, P(FN) = 0.05, FP - FN = 3 of 30."""
    n, up, down, k = 30, 0.15, 0.05, 3
    mean, variance = up - down, up + down - (up - down) ** 2
    model = br.models.Multinomial(n=n, cells=(0.4, down, up, 0.4))
    exact = float(br.cdf("marginal_benefit", model, k / n))
    yield Cell(
        where="Theorem 5.2 as printed: P(FP - FN ≤ 3), 30 cases, P(FP) = 0.15, P(FN) = 0.05",
        published=_normal((k - mean) / sqrt(variance)),
        ours=exact,
        within=0.01,
        finding=Finding(
            kind="substance",
            value=0.5903752561,
            why="the sum of n cases has n times the mean and variance of one, and the continuity "
            "correction does not cancel: a difference of counts moves in steps of one",
            proof="sum over all pairs of counts, in fractions; 0.583 with both put right",
        ),
    )
    yield Cell(
        where="the same with n and 1/2 put in, which the theorem needs",
        published=_normal((k + 0.5 - n * mean) / sqrt(n * variance)),
        ours=exact,
        within=0.01,
    )


def _normal(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


def _sub_probability() -> Cell:
    """Return Theorem 5.3 at the largest score: recall of 5 cases, a tenth of them positive."""
    model = br.models.Multinomial(n=5, cells=(0.06, 0.04, 0.3, 0.6))
    return Cell(
        where="Theorem 5.3, the printed sum: P(S ≤ 1), recall of 5 cases, base rate 0.1",
        published=1 - 0.9**5,
        ours=float(br.cdf("recall", model, 1.0)),
        finding=Finding(
            kind="substance",
            value=1.0,
            why="the sum starts at one case and leaves out that there is none: it must be divided "
            "by 1 - (1 - p)^n to be a distribution function",
            proof="no score is above 1; the printed sum is P(some positive) = 0.410",
        ),
    )


def _expected() -> Iterator[Cell]:
    """Yield metrics of the expected table, which is not the expected metric."""
    group = paper.GROUPS["COMPAS Black"]
    model = br.models.Multinomial(n=5, cells=group)
    for name, right, valued in (
        ("f1", 0.2362199785, "55 of 56, of probability 0.957"),
        ("matthews_correlation", 0.2312844105, "36 of 56, of probability 0.493"),
        ("prevalence_threshold_strict", 0.5205103617, "36 of 56, of probability 0.493"),
    ):
        yield Cell(
            where='section 3, "the expected value is E[M(p_TP, p_FN, p_FP, p_TN)]": M(p) of these '
            f"four, {name}, and the mean of 5 cases, COMPAS Black",
            published=float(br.metrics.get(name)(group)),
            ours=float(br.expect(name, model)),
            finding=Finding(
                kind="remark",
                value=right,
                why="M(p) is the limit for many cases, of which the sentence before speaks; the "
                "mean of a metric that is not linear in the counts can differ in small samples",
                proof=f"mean over the tables of five cases that give it a value ({valued})",
            ),
        )


def experiments() -> Iterator[Cell]:
    """Yield the sentences of section 6.2 on sizes, on recall and on the base rate."""
    sizes = range(1, 31)
    errors = paper.smoothing_errors(metrics=["recall", "base_rate"], sizes=sizes)
    recall, base_rate = ({e: errors.of(e)[:, k].mean(axis=0) for e in errors.estimators}
                         for k in (0, 1))  # fmt: skip
    baseline = recall["epsilon"]
    yield Cell(
        where="section 6.2: largest size, 1.45 billion samples of a million from ten groups",
        published=150,
        ours=5 + round(1.45e9 / (1e6 * len(paper.GROUPS))) - 1,
        basis="arithmetic",
        finding=Finding(
            kind="misprint",
            value=149,
            why="145 sizes from 5 end at 149",
            proof="1.45e9 = 145 · 10 · 10^6; the authors' code has range(min_n, max_n), with "
            "5 and 150",
        ),
    )
    yield Cell(
        where="section 6.2: size at which the baseline's error in recall is largest",
        published=8,
        ours=int(baseline.argmax()) + 1,
    )
    yield Cell(
        where="section 6.2: what the baseline's error in recall does from its largest value on",
        published="stabilizing",
        ours="falls" if (np.diff(baseline[8:]) < 0).all() else "stabilizing",
        finding=Finding(
            kind="remark",
            value="falls",
            why="it no longer rises, and falls again at every size",
            proof="exact errors, mean of ten groups: 0.123 at 8 cases, 0.090 at 20, 0.065 at 30",
        ),
    )
    yield Cell(
        where="section 6.2: error in recall without smoothing, where it starts",
        published=0.035,
        ours=float(recall["raw"][0]),
        finding=Finding(
            kind="misprint",
            value=0.239,
            why="neither one case nor five give so little; the authors' picture of this curve, in "
            "Figure 5, starts near 0.19 at five",
            proof="exact errors, mean of ten groups: 0.239 at one case, 0.195 at five",
        ),
    )
    for strength in (5, 10, 20):
        smoothed = base_rate[f"strength={strength}"][4:]
        worse = [e for e in ("raw", "add_one") if (smoothed >= base_rate[e][4:]).any()]
        yield Cell(
            where=f"Figure 4: base rate, λ = {strength} beside raw and add-one, 5 to 30 cases",
            published="better",
            ours="better" if not worse else f"not better than {worse[0]}",
        )


def rankings(errors: br.results.Downsampled) -> Iterator[Cell]:
    """Yield which metrics gain most and least, and whether λ = 40 is worse than λ = 10."""
    mean = {name: errors.of(name).mean(axis=0) for name in errors.estimators}
    gained = (mean["epsilon"] - mean["strength=5"]).sum(axis=1)
    yield Cell(
        where="section 6.2: most improved metric, λ = 5",
        published="prevalence_threshold",
        ours=errors.metrics[int(gained.argmax())],
    )
    yield Cell(
        where="section 6.2: least improved metric, λ = 5",
        published="false_positive_rate",
        ours=errors.metrics[int(gained.argmin())],
        finding=Finding(
            kind="substance",
            value="base_rate",
            why="the false positive rate has least of the four metrics in Figure 3, but five of "
            "the fifteen have less space between the curves (the false omission rate errs as the "
            "negative predictive value does), and the base rate has least at λ = 10 and 20 too",
            proof="exact errors, mean of ten groups; what λ = 5 takes off, summed over 5 to 149 "
            "cases: base rate 0.140, negative predictive value 0.166, predicted positive rate "
            "0.173, accuracy 0.196, false positive rate 0.200",
        ),
    )
    worse = mean["strength=40"] > mean["strength=10"]
    own = worse[errors.metrics.index("base_rate")]  # of which the paragraph and Figure 4 are
    yield Cell(
        where="section 6.2: λ = 40 beside λ = 10, base rate",
        published="worse",
        ours="worse" if own.all() else "better" if not own.any() else "mixed",
    )
