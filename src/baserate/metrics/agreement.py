"""Agreement beyond chance, and means that look at both classes.

The chance shapes of Yule's Q and Y (monotone; constant for equal classes) and of the Gilbert skill
score (unimodal, its top at as many predicted positives as positives) are measured, not proved: in
exact fractions for all class totals up to 40 cases (Y: long doubles), in long doubles up to 150.
"""

from math import inf

import numpy as np

from baserate._arith import determinant, ratio
from baserate.metrics._kinds import rising
from baserate.metrics._metric import Metric, in_range

_MARGINS = ("tp+fn", "fp+tn", "tp+fp", "fn+tn")
_YULE = "Yule (1912), Journal of the Royal Statistical Society 75:579, doi:10.2307/2340126"

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

gilbert_skill_score = rising(
    name="gilbert_skill_score",
    synonyms=("gss", "equitable_threat_score", "ets"),
    definition="(tp - r) / (tp + fn + fp - r), r = (tp + fn)(tp + fp) / n",
    meaning="Jaccard index beyond that of independent predictions: kappa / (2 - kappa).",
    # Both parts multiplied by n, and the lower one expanded so that nothing cancels.
    formula=lambda tp, fn, fp, tn: ratio(
        determinant(tp, fn, fp, tn), tp * tn + (tp + tn) * (fn + fp) + fn * fn + fn * fp + fp * fp
    ),
    bounds=(-1 / 3, 1),
    undefined_if_zero=("fn+fp+tn", "tp+fn+fp"),
    chance_shape="unimodal",
    class_swap="gilbert_skill_score",
    transpose="gilbert_skill_score",
    reference="Schaefer (1990), Weather and Forecasting 5:570, "
    "doi:10.1175/1520-0434(1990)005<0570:TCSIAA>2.0.CO;2",
)

yule_q = rising(
    name="yule_q",
    synonyms=("q", "odds_ratio_skill_score"),
    definition="(tp tn - fp fn) / (tp tn + fp fn)",
    meaning="The diagnostic odds ratio on a scale from -1 to 1.",
    formula=lambda tp, fn, fp, tn: ratio(determinant(tp, fn, fp, tn), tp * tn + fp * fn),
    bounds=(-1, 1),
    undefined_if_zero=_MARGINS,
    chance_shape="monotone",
    depends_on_base_rate=False,
    class_swap="yule_q",
    transpose="yule_q",
    reference=_YULE,
)

yule_y = rising(
    name="yule_y",
    synonyms=("y", "coefficient_of_colligation"),
    definition="(sqrt(tp tn) - sqrt(fp fn)) / (sqrt(tp tn) + sqrt(fp fn))",
    meaning="Yule's Q after square roots: informedness of the table made symmetric.",
    formula=lambda tp, fn, fp, tn: ratio(
        np.sqrt(tp * tn) - np.sqrt(fp * fn), np.sqrt(tp * tn) + np.sqrt(fp * fn)
    ),
    bounds=(-1, 1),
    undefined_if_zero=_MARGINS,
    chance_shape="monotone",
    depends_on_base_rate=False,
    class_swap="yule_y",
    transpose="yule_y",
    reference=_YULE,
)
