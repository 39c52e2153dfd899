"""Agreement beyond chance, and means that look at both classes or at all."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from baserate._arith import determinant, in_range, ratio
from baserate.counts import ConfusionMatrix
from baserate.metrics import shares
from baserate.metrics._class_metric import (
    ClassMetric,
    OneVsRest,
    OneVsRestCells,
    averaged,
    for_two_and_several,
)
from baserate.metrics._identity import family
from baserate.metrics._kinds import parameter, rising
from baserate.metrics._metric import Formula, Metric, show
from baserate.metrics.overlap import ROBUST

_MARGINS = ("tp+fn", "fp+tn", "tp+fp", "fn+tn")

balanced_accuracy = rising(
    name="balanced_accuracy",
    synonyms=("bacc", "balanced_acc", "macro_recall"),
    definition="(recall + specificity) / 2",
    meaning="Mean of recall and specificity: accuracy at a base rate of one half.",
    formula=lambda tp, fn, fp, tn: (ratio(tp, tp + fn) + ratio(tn, fp + tn)) / 2,
    bounds=(0, 1),
    undefined_if_zero=("tp+fn", "fp+tn"),
    linear_in_rates=True,
    affine_in_tp=True,
    chance=0.5,
    chance_shape="constant",
    depends_on_base_rate=False,
    class_swap="balanced_accuracy",
    reference="Brodersen et al. (2010), ICPR, doi:10.1109/ICPR.2010.764",
)

informedness = rising(
    name="informedness",
    synonyms=(
        "youden_j",
        "youden",
        "youden_index",
        "youdens_j",
        "j",
        "bookmaker_informedness",
        "peirce_skill_score",
        "deltap_prime",
    ),
    definition="recall + specificity - 1",
    meaning="Recall minus the false positive rate.",
    formula=lambda tp, fn, fp, tn: ratio(tp, tp + fn) - ratio(fp, fp + tn),
    bounds=(-1, 1),
    undefined_if_zero=("tp+fn", "fp+tn"),
    linear_in_rates=True,
    affine_in_tp=True,
    chance=0,
    chance_shape="constant",
    depends_on_base_rate=False,
    class_swap="informedness",
    transpose="markedness",
    reference="Youden (1950), Cancer 3:32, "
    "doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3",
)

markedness = rising(
    name="markedness",
    synonyms=("mk", "deltap", "mrk"),
    definition="precision + negative_predictive_value - 1",
    meaning="Precision minus the false omission rate: informedness of truth about prediction.",
    formula=lambda tp, fn, fp, tn: ratio(tp, tp + fp) - ratio(fn, fn + tn),
    bounds=(-1, 1),
    undefined_if_zero=("tp+fp", "fn+tn"),
    affine_in_tp=True,
    chance=0,
    chance_shape="constant",
    class_swap="markedness",
    transpose="informedness",
    reference="Powers (2011), Journal of Machine Learning Technologies 2:37, arXiv:2010.16061",
)

geometric_mean = rising(
    name="geometric_mean",
    synonyms=("g_mean_2", "g2", "g_mean", "gmean"),
    definition="sqrt(recall specificity)",
    meaning="Geometric mean of recall and specificity.",
    formula=lambda tp, fn, fp, tn: np.sqrt(ratio(tp, tp + fn) * ratio(tn, fp + tn)),
    bounds=(0, 1),
    undefined_if_zero=("tp+fn", "fp+tn"),
    chance_shape="concave",
    depends_on_base_rate=False,
    class_swap="geometric_mean",
    reference="Kubat and Matwin (1997), Addressing the curse of imbalanced training sets, ICML",
)

matthews_correlation = rising(
    name="matthews_correlation",
    synonyms=(
        "mcc",
        "phi",
        "matthews_corrcoef",
        "matthews_correlation_coefficient",
        "phi_coefficient",
        "yule_phi",
    ),
    definition="(tp tn - fp fn) / sqrt((tp + fn)(fp + tn)(tp + fp)(fn + tn))",
    meaning="Pearson correlation of truth and prediction.",
    # Pairing truth with truth margins makes the value of the perfect table exactly 1.
    formula=lambda tp, fn, fp, tn: ratio(
        determinant(tp, fn, fp, tn), np.sqrt(((tp + fn) * (fp + tn)) * ((tp + fp) * (fn + tn)))
    ),
    bounds=(-1, 1),
    undefined_if_zero=_MARGINS,
    affine_in_tp=True,
    chance=0,
    chance_shape="constant",
    class_swap="matthews_correlation",
    transpose="matthews_correlation",
    reference="Matthews (1975), BBA Protein Structure 405:442, doi:10.1016/0005-2795(75)90109-9",
)

chi_squared = Metric(
    name="chi_squared",
    synonyms=("chi2", "pearson_chi_squared"),
    definition="n (tp tn - fp fn)^2 / ((tp + fn)(fp + tn)(tp + fp)(fn + tn))",
    meaning="Pearson's statistic of independence, n mcc^2: as great for inverted predictions.",
    formula=lambda tp, fn, fp, tn: (
        (tp + fn + fp + tn) * matthews_correlation.formula(*in_range((tp, fn, fp, tn))) ** 2
    ),
    bounds=(0, inf),
    direction="neither",  # predictions that are all wrong have the value of those all right
    undefined_if_zero=_MARGINS,
    scale_invariant=False,
    chance_shape="constant",  # n / (n - 1), whatever is flagged
    class_swap="chi_squared",
    transpose="chi_squared",
    reference="Pearson (1900), Philosophical Magazine 50:157, doi:10.1080/14786440009463897",
)

cohen_kappa = rising(
    name="cohen_kappa",
    synonyms=("kappa", "heidke_skill_score", "hss"),
    definition="2 (tp tn - fp fn) / ((tp + fp)(fp + tn) + (tp + fn)(fn + tn))",
    meaning="Agreement of truth and prediction beyond that of independent ones.",
    formula=lambda tp, fn, fp, tn: ratio(
        2 * determinant(tp, fn, fp, tn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    ),
    bounds=(-1, 1),
    undefined_if_zero=("fn+fp+tn", "tp+fn+fp"),
    affine_in_tp=True,
    chance=0,
    chance_shape="constant",
    class_swap="cohen_kappa",
    transpose="cohen_kappa",
    reference="Cohen (1960), Educational and Psychological Measurement 20:37, "
    "doi:10.1177/001316446002000104",
)


@family
def robust_mcc(d: float) -> Metric:
    """Robust MCC = sqrt(d + π(1 - π)) (recall + specificity - 1) / sqrt(d + g(1 - g)).

    π is the base rate, g the predicted share. d = 0 is the Matthews correlation; with d > 0 the
    best density ratio is at most (1 + 2d)/(2d) for all π, and predicting one class only scores 0.
    Range [-1, 1]; undefined where a class is empty.

    Parameters
    ----------
    d : float
        From 0 to 1e100.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, section 5.2.

    Examples
    --------
    >>> from baserate.metrics import robust_mcc
    >>> from baserate import ConfusionMatrix, metrics
    >>> t = ConfusionMatrix(tp=8, fn=2, fp=30, tn=960)
    >>> round(robust_mcc(d=0.1)(t), 4), round(metrics.matthews_correlation(t), 4)
    (0.6905, 0.4006)
    """
    d = parameter("d", d, "[0, inf)", "d = 0 is the Matthews correlation")
    return rising(
        name=f"robust_mcc(d={show(d)})",
        definition=f"sqrt(d + π(1-π)) (recall + specificity - 1) / sqrt(d + g(1-g)), d = {show(d)}",
        meaning="Matthews correlation whose best threshold stays bounded for rare positives.",
        formula=_robust_mcc(d) if d else matthews_correlation.formula,
        bounds=(-1, 1),
        undefined_if_zero=_MARGINS[:2] if d else _MARGINS,
        affine_in_tp=True,
        chance=0,
        chance_shape="constant",
        class_swap=f"robust_mcc(d={show(d)})",
        transpose=None if d else "matthews_correlation",
        parameters={"d": d},
        reference=ROBUST,
    )


def _robust_mcc(d: float) -> Formula:
    def formula(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        n = tp + fn + fp + tn
        truth = np.sqrt(d * n * n + (tp + fn) * (fp + tn))
        guess = np.sqrt(d * n * n + (tp + fp) * (fn + tn))
        return (ratio(tp, tp + fn) - ratio(fp, fp + tn)) * ratio(truth, guess)

    return formula


# Of several classes.


def _correlation(every: ConfusionMatrix) -> Any:
    truth = (every.n_positive * every.n_negative).sum(-1)
    prediction = (every.n_predicted * (every.n_predicted_negative)).sum(-1)
    # The root of a square is exact, so that a table without errors has exactly 1.
    return ratio(_covariance(every), np.sqrt(truth * prediction))


def _kappa(every: ConfusionMatrix) -> Any:
    return ratio(_covariance(every), (every.n_positive * (every.n_predicted_negative)).sum(-1))


def _covariance(every: ConfusionMatrix) -> Any:
    """Return n² times the covariance of truth and prediction, summed over classes.

    n Σ hits - Σ t p, as a sum of determinants: zero, not a rounding error, in tables in which truth
    and prediction are independent.
    """
    return determinant(*every).sum(-1)


balanced_accuracy_of_classes = for_two_and_several(
    replace(
        averaged(shares.recall, "macro", "propagate"),
        name="balanced_accuracy",
        synonyms=("bacc", "balanced_acc", "macro_recall"),
        definition="mean over classes of n[c, c] / n[c, .]",
        meaning="Mean over the classes of the share of their cases that are found.",
        two_classes=balanced_accuracy,
    )
)


matthews_correlation_of_classes = for_two_and_several(
    ClassMetric(
        name="matthews_correlation",
        synonyms=("mcc", "r_k", "phi", "matthews_corrcoef"),
        definition="(n Σ n[c, c] - Σ t p) / sqrt((n² - Σ t²)(n² - Σ p²)), t and p the class totals",
        meaning="Correlation of truth and prediction over all classes.",
        of_margins=OneVsRest(_correlation),
        of_cells=OneVsRestCells(_correlation),
        two_classes=matthews_correlation,
        of_hits=True,
        transpose="matthews_correlation",
        bounds=(-1.0, 1.0),
        chance=0.0,
        reference="Gorodkin (2004), Computational Biology and Chemistry 28:367-374, "
        "doi:10.1016/j.compbiolchem.2004.09.006",
    )
)


cohen_kappa_of_classes = for_two_and_several(
    ClassMetric(
        name="cohen_kappa",
        synonyms=("kappa",),
        definition="(n Σ n[c, c] - Σ t p) / (n² - Σ t p), t and p the class totals",
        meaning="Agreement beyond that of a guess with the same class totals.",
        of_margins=OneVsRest(_kappa),
        of_cells=OneVsRestCells(_kappa),
        two_classes=cohen_kappa,
        of_hits=True,
        transpose="cohen_kappa",
        bounds=(-1.0, 1.0),
        chance=0.0,
        reference="Cohen (1960), Educational and Psychological Measurement 20:37-46, "
        "doi:10.1177/001316446002000104",
    )
)
