"""Criteria of fairness by their usual names, and the metrics that they ask to be equal.

Equal opportunity and equalized odds are of Hardt, Price and Srebro (2016), NeurIPS 29; predictive
parity and predictive equality of Chouldechova (2017), Big Data 5:153, doi:10.1089/big.2016.0047;
the last two of Berk, Heidari, Jabbari, Kearns and Roth (2021), Sociological Methods & Research
50:3, doi:10.1177/0049124118782533.

>>> from baserate.metrics.fairness import criterion
>>> criterion("equalized odds"), criterion("recall")
(('recall', 'false_positive_rate'), ())
"""

from collections.abc import Mapping

CRITERIA: Mapping[str, tuple[str, ...]] = {
    "demographic_parity": ("predicted_positive_rate",),
    "equal_opportunity": ("recall",),
    "predictive_equality": ("false_positive_rate",),
    "equalized_odds": ("recall", "false_positive_rate"),
    "predictive_parity": ("precision",),
    "conditional_use_accuracy_equality": ("precision", "negative_predictive_value"),
    "overall_accuracy_equality": ("accuracy",),
}
OTHER_NAMES: Mapping[str, str] = {
    "statistical_parity": "demographic_parity",
    "adverse_impact": "demographic_parity",
    "adverse_impact_ratio": "demographic_parity",
    "disparate_impact": "demographic_parity",
    "disparate_impact_ratio": "demographic_parity",
    "four_fifths": "demographic_parity",
    "four_fifths_rule": "demographic_parity",
    "equalised_odds": "equalized_odds",
}


def criterion(name: str) -> tuple[str, ...]:
    """Return the metrics that a criterion asks to be equal in all groups; () if it is none."""
    written = "_".join(name.lower().replace("-", " ").replace("_", " ").split())
    return CRITERIA.get(OTHER_NAMES.get(written, written), ())
