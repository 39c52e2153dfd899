"""A line for each measure of scores: its name, its value, its interval and what that is."""

import math
from collections.abc import Callable, Iterable, Mapping

from baserate import _figures as figures
from baserate.facts.comparison import ScorePairFact
from baserate.facts.scores import EstimateFact
from baserate.report import routes
from baserate.report.columns import Column, exactly, number, span, text
from baserate.report.sheet import Cell
from baserate.report.words import reason_of

NAMES = {
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC (OvR)",
    "roc_auc_ovo": "ROC AUC (OvO)",
    "confidence_observed_expected": "O:E of largest",
    "confidence_calibration_slope": "slope of largest",
    "brier_score": "Brier score",
    "precision_recall_gain_auc": "PRG AUC",
    "scaled_brier_score": "scaled Brier score",
    "mcfadden_r2": "McFadden R2",
    "cox_snell_r2": "Cox-Snell R2",
    "nagelkerke_r2": "Nagelkerke R2",
    "observed_expected": "O:E ratio",
    "integrated_calibration_index": "ICI (mean error)",
    "e50": "E50 (median error)",
    "e90": "E90 (90% have less)",
    "estimated_calibration_index": "ECI",
    "expected_calibration_error": "ECE",
}
ROUNDED = 1e-12  # bounds are rounded outward, so that 0 may be a little less


def measure(name: str) -> str:
    """Name a measure of scores."""
    return NAMES.get(name, name.replace("_", " "))


def bounded(
    written: str, bounds: tuple[float, float] | None, write: Callable[[float], str] = figures.number
) -> str:
    """Add to a value what holds that of the scores themselves, where the digits could differ."""
    if bounds is None:
        return written
    low, high = (write(end if abs(end) > ROUNDED else 0.0) for end in bounds)
    return written if low == written == high else f"{written} ({low} to {high})"


def valued(fact: EstimateFact) -> Cell:
    """Write the value of an estimate."""
    return exactly(fact.value, write=lambda x: bounded(figures.number(x), fact.bounds))


def _kind(fact: EstimateFact | ScorePairFact) -> str:
    known = not math.isnan(fact.low + fact.high)
    return routes.kind(fact.route) if known else figures.NOTHING


# An estimate in a table: value, interval and what it is; what stands beside it; p.
KIND = Column("kind", _kind)
ESTIMATE = (
    text("measure", "name", measure),
    Column("value", valued),
    span(),
    KIND,
)
CHANCE = number("chance", write=figures.or_nothing)
SKILL = number("skill", write=figures.or_nothing)
P = number("p", "p_value", figures.p_value)


def tests(estimates: tuple[EstimateFact, ...]) -> tuple[str, ...]:
    """Say which p-values are enumerated and which are not."""
    of_kind: dict[str, list[str]] = {}
    for fact in estimates:
        if not math.isnan(fact.p_value):
            of_kind.setdefault(routes.kind_of_p(fact.p_value_route or ""), []).append(
                measure(fact.name)
            )
    said = "; ".join(f"{word} for {' and '.join(names)}" for word, names in of_kind.items())
    return (f"p: {said}.",) if said else ()


def lacking(
    estimates: Iterable[EstimateFact], beside: Mapping[str, str] | None = None
) -> tuple[tuple[str, str], ...]:
    """Say what estimates lack and why, those that lack it for one reason together."""
    found: dict[str, dict[str, list[str]]] = {}
    for fact in estimates:
        what = "" if math.isnan(fact.value) else "interval"
        more = (("chance", fact.chance_reason), ("p", fact.p_value_reason))
        for of, why in ((what, fact.reason), *((o, w) for o, w in more if w != fact.reason)):
            if why:
                found.setdefault(why, {}).setdefault(of, []).append(measure(fact.name))
    for name, why in (beside or {}).items():
        found.setdefault(why, {}).setdefault("", []).append(name)
    return tuple((_named_once(of), reason_of(why)) for why, of in found.items())


def _named_once(parts: Mapping[str, list[str]]) -> str:
    """Write "intervals of a and b" where more than one lacks the same part."""
    heads = {"interval": ("interval of ", "intervals of "), "chance": ("chance of ",) * 2}
    heads |= {"p": ("p of ",) * 2, "": ("",) * 2}
    return "; ".join(
        heads[part][len(names) > 1] + ", ".join(names) for part, names in parts.items()
    )
