"""Scores and their summaries: other units, the other class, copies, cases in another order."""

import numpy as np

import baserate as br
from baserate import curves
from baserate.curves.isotonic import decomposition, isotonic_curve
from baserate.curves.losses import compare_brier, compare_log_loss
from baserate.errors import InvalidArgumentError
from laws.subjects import METRICS, swapped_metric
from laws.sweep import law

RNG = np.random.default_rng(29)
N = 70
Y = np.arange(N) < 30
P = np.round(np.clip(0.35 + 0.25 * Y + RNG.normal(0, 0.2, N), 0.02, 0.98), 2)
OTHER = np.round(np.clip(0.4 + 0.15 * Y + RNG.normal(0, 0.2, N), 0.02, 0.98), 2)
ORDER = RNG.permutation(N)
WEIGHTS = RNG.integers(1, 4, N)
TIES = {
    "as given": P,
    "many ties": np.clip(np.round(P, 1), 0.05, 0.95),
    "all apart": P + np.arange(N) * 1e-5,
}

OF_RANKS = {
    "roc_auc": curves.roc_auc,
    "average_precision": curves.average_precision,
    "partial_auc": lambda y, s, **how: curves.partial_auc(y, s, max_fpr=0.4, **how),
    "partial_auc by recall": lambda y, s, **how: curves.partial_auc(y, s, min_recall=0.6, **how),
}
OF_PROBABILITIES = {
    "brier_score": curves.brier_score,
    "log_loss": curves.log_loss,
    "discrimination_slope": curves.discrimination_slope,
    "r_squared": curves.r_squared,
    "r_squared cox_snell": lambda y, s, **how: curves.r_squared(y, s, kind="cox_snell", **how),
    "r_squared nagelkerke": lambda y, s, **how: curves.r_squared(y, s, kind="nagelkerke", **how),
    "r_squared brier": lambda y, s, **how: curves.r_squared(y, s, kind="brier", **how),
}
EVERY = {**OF_RANKS, **OF_PROBABILITIES}
COMPARISONS = {
    "compare_auc": curves.compare_auc,
    "compare_brier": compare_brier,
    "compare_log_loss": compare_log_loss,
}
TRANSFORMS = {
    "odds": lambda s: s / (1 - s),
    "logarithm": np.log,
    "cube": lambda s: s**3,
    "ranks": lambda s: np.searchsorted(np.unique(s), s),
    "shifted": lambda s: 1000 + 8 * s,
}


def row(found):
    """Value, interval, chance and p-value of an estimate."""
    fields = ("value", "low", "high", "chance", "p_value")
    values = [getattr(found, field, None) for field in fields]
    return np.array([np.nan if value is None else float(value) for value in values])


def same(one, other, rtol=1e-9):
    np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-12)


@law([*OF_RANKS], [*TRANSFORMS], [*TIES])
def test_ranks_alone_count(measure, transform, ties):
    scores = TIES[ties]
    same(row(EVERY[measure](Y, scores)), row(EVERY[measure](Y, TRANSFORMS[transform](scores))))


@law([*EVERY], [*TIES])
def test_the_order_of_cases_does_not_matter(measure, ties):
    scores = TIES[ties]
    same(row(EVERY[measure](Y, scores)), row(EVERY[measure](Y[ORDER], scores[ORDER])))


@law([*EVERY], [*TIES])
def test_a_whole_weight_is_so_many_copies(measure, ties):
    scores, weights = TIES[ties], WEIGHTS
    one = EVERY[measure](Y, scores, sample_weight=weights.astype(float)).value
    copies = EVERY[measure](np.repeat(Y, weights), np.repeat(scores, weights)).value
    same(one, copies)
    scaled = EVERY[measure](Y, scores, sample_weight=weights * 0.125)
    same(row(scaled), row(EVERY[measure](Y, scores, sample_weight=weights * 1.0)))


MIRRORED = [name for name in EVERY if name in {"roc_auc", *OF_PROBABILITIES}]


@law(MIRRORED, [*TIES])
def test_the_other_class_has_the_mirrored_scores(measure, ties):
    """P(well) = 1 - P(ill) is as good a forecast, with the same interval and p-value."""
    scores = TIES[ties]
    same(row(EVERY[measure](Y, scores)), row(EVERY[measure](~Y, 1 - scores)), rtol=1e-8)


@law([*TIES], ["wilson", "conservative"])
def test_reversed_scores_have_the_complement_of_the_area(ties, method):
    scores = TIES[ties]
    sides = (Y, scores), (Y, -scores), (~Y, scores)
    one, other, swapped = (curves.roc_auc(*side, method=method) for side in sides)
    for found in (other, swapped):
        same([one.value, one.low, one.high], [1 - found.value, 1 - found.high, 1 - found.low])


@law([*COMPARISONS], [*TIES])
def test_two_scores_the_other_way_round(compare, ties):
    """The difference and both of its ends change sign, the p-value stays."""
    scores = TIES[ties]
    one = COMPARISONS[compare](Y, scores, OTHER)
    other = COMPARISONS[compare](Y, OTHER, scores)
    names = ("difference", "low", "high", "p_value")
    d, low, high, p = (float(getattr(one, name)) for name in names)
    e, other_low, other_high, q = (float(getattr(other, name)) for name in names)
    same([d, low, high, p], [-e, -other_high, -other_low, q])
    shuffled = COMPARISONS[compare](Y[ORDER], scores[ORDER], OTHER[ORDER])
    same([d, low, high, p], [float(getattr(shuffled, name)) for name in names])
    same(float(COMPARISONS[compare](Y, scores, scores).difference), 0)


@law([*TIES])
def test_calibration_of_the_other_class(ties):
    """Logits change sign: the intercept with them, the slope not."""
    scores = np.clip(TIES[ties], 0.02, 0.98)
    one, other = curves.calibration(Y, scores), curves.calibration(~Y, 1 - scores)
    same(row(one.slope), row(other.slope), rtol=1e-6)
    value, low, high, _, p = row(one.intercept)
    mirror, mirror_low, mirror_high, _, q = row(other.intercept)
    same([value, low, high, p], [-mirror, -mirror_high, -mirror_low, q], rtol=1e-6)


@law([*TIES])
def test_isotonic_recalibration_is_done_once(ties):
    """Recalibrated scores are calibrated: a second time nothing moves, no loss is left."""
    fitted = isotonic_curve(curves.sweep(Y, TIES[ties])).at(TIES[ties])
    same(isotonic_curve(curves.sweep(Y, fitted)).at(fitted), fitted)
    same(fitted.sum(), Y.sum())
    order = np.argsort(TIES[ties], kind="stable")
    assert (np.diff(fitted[order]) >= 0).all()
    for loss in ("brier", "log"):
        left = decomposition(curves.sweep(Y, fitted), loss=loss)
        parts = decomposition(curves.sweep(Y, TIES[ties].clip(0, 1)), loss=loss)
        same(left.miscalibration, 0)
        same(left.discrimination, parts.discrimination)
        same(parts.score, parts.miscalibration - parts.discrimination + parts.uncertainty)


def is_target(metric):
    """Whether a cut may be sought by it: not where flagging nobody, or everybody, is perfect."""
    try:
        br.optimal_threshold(metric, [True, False], [0.6, 0.4])
    except InvalidArgumentError:
        return False
    return True


TARGETS = [metric for metric in METRICS if metric.direction != "neither" and is_target(metric)]


def test_most_metrics_are_targets():
    assert len(TARGETS) > 30  # those that were added later may be some too


@law(TARGETS, [*TRANSFORMS], few=12, most=120)
def test_a_best_cut_moves_with_the_scores(metric, transform):
    turn = TRANSFORMS[transform]
    one, other = (br.optimal_threshold(metric, Y, scores) for scores in (P, turn(P)))
    same(one.value, other.value)
    assert one.table == other.table
    where = np.flatnonzero(one.threshold == P)
    if where.size:
        same(other.threshold, turn(P)[where[0]])


@law(TARGETS, few=12)
def test_the_best_cut_is_the_best_of_all(metric):
    """No cut of the sweep is better, and the swapped classes have as good a one."""
    found = br.optimal_threshold(metric, Y, P)
    values = metric(br.sweep(Y, P).tables)
    best = np.nanmax(values) if metric.direction == "higher" else np.nanmin(values)
    same(found.value, best)
    partner = swapped_metric(metric)
    if partner in TARGETS:
        same(br.optimal_threshold(partner, ~Y, np.round(1 - P, 2)).value, best)


@law([*TIES])
def test_a_sweep_is_every_table_once_and_merges(ties):
    """Cut points rise in recall and in false alarms; groups add up; ends are all and none."""
    swept = br.sweep(Y, TIES[ties])
    tables = swept.tables
    assert (np.diff(tables.tp) >= 0).all()
    assert (np.diff(tables.fp) >= 0).all()
    assert (np.diff(tables.n_predicted) > 0).all()
    assert (tables.n_positive == Y.sum()).all()
    for t, i in zip(swept.thresholds.tolist(), range(tables.shape[0]), strict=True):
        assert br.confusion_matrix(Y, TIES[ties] >= t) == tables[i]
