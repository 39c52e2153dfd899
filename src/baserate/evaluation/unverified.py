"""Whether rows that were left out are like the others.

Without a truth: as often predicted. Without a prediction: as often of a class.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from baserate import groups
from baserate.cases.counted import Beside, Unverified
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.cases.values import distinct
from baserate.counts import ConfusionMatrix
from baserate.facts.report import UnansweredFact, UnverifiedFact


def unverified_of(
    beside: Beside | None, *, weighted: bool = False, per_case: float = 1.0, name: str | None = None
) -> UnverifiedFact | None:
    """Compare the share of alarms among rows without a truth with that of the others.

    Counts of `weighted` rows do not tell the recall; in clusters a case is worth fewer, `per_case`.
    """
    if beside is None:
        return None
    kept = beside.kept
    flagged, passed = int(kept.n_predicted), int(kept.n_predicted_negative)
    sides = (beside.alarms, beside.n - beside.alarms), (flagged, passed)
    found = UnverifiedFact(
        name=name,
        n=beside.n,
        alarms=beside.alarms,
        kept=flagged + passed,
        kept_alarms=flagged,
        p_value=_p_value(*sides, per_case),
    )
    if weighted or not (flagged and passed and kept.n_positive):
        return found
    # Begg and Greenes (1983): precision and the risk of what is passed over, of all rows alike.
    caught = kept.tp / flagged * (flagged + beside.alarms)
    missed = kept.fn / passed * (passed + beside.n - beside.alarms)
    return replace(
        found, recall=float(kept.tp / kept.n_positive), corrected=float(caught / (caught + missed))
    )


def _p_value(lost: tuple[int, int], kept: tuple[int, int], per_case: float) -> float:
    tables = [
        ConfusionMatrix(tp=round(per_case * hit), fn=0, fp=0, tn=round(per_case * miss))
        for hit, miss in (lost, kept)
    ]
    return groups.match_test("predicted_positive_rate", *tables, law="permutation").p_value


def left_out(cases: BinaryCases | ClassCases | None) -> dict[str, Any]:
    """Return what facts say of rows and labels that count as nothing, or as negative, by name."""
    found = {"unanswered": unanswered_of(cases), "idle": 0 if cases is None else cases.n_idle}
    if not isinstance(cases, BinaryCases):
        return found
    only = cases.only_predicted
    strange = {str(label): only[label] for label in distinct(only)}
    return {**found, "only_predicted": strange, "n_labels": len(cases.labels)}


def unanswered_of(cases: BinaryCases | ClassCases | None) -> UnansweredFact | None:
    """Compare the classes of rows left out of which the truth is known; the surest difference.

    Its p-value is adjusted for the number of classes; of two classes it is about the positive one.
    """
    if cases is None or cases.unanswered is None or not cases.unanswered.any():
        return None
    if isinstance(cases, BinaryCases):
        labels, codes = (cases.positive,), (~cases.truth).astype(np.intp)
    else:
        labels, codes = cases.labels, cases.truth
    lost, n = cases.unanswered.tolist(), int(cases.unanswered.sum())
    kept = np.bincount(codes, cases.count, len(lost)).astype(int).tolist()
    found = [
        UnansweredFact(
            label=label,
            n=n,
            of_label=lost[k],
            kept=cases.n,
            kept_of_label=kept[k],
            p_value=_p_value((lost[k], n - lost[k]), (kept[k], cases.n - kept[k]), worth(cases)),
        )
        for k, label in enumerate(labels)
    ]
    least = min(found, key=lambda one: one.p_value)
    return replace(least, p_value=min(1.0, len(found) * least.p_value))


def of_cases(cases: BinaryCases, name: str, *, called: bool = False) -> UnverifiedFact | None:
    """Compare the alarms of one classifier, which is `called` by its name among several."""
    if cases.unverified is None:
        return None
    return unverified_of(
        cases.unverified.beside(name, cases.unweighted(name)),
        weighted=cases.weight is not None,
        per_case=worth(cases),
        name=name if called else None,
    )


def of_classes(cases: ClassCases | None, *, called: bool = False) -> UnverifiedFact | None:
    """Compare how often each class is predicted, by each classifier; the surest difference."""
    if cases is None or cases.unverified is None:
        return None
    labels = cases.labels if cases.decisions is None else cases.decisions
    found = list[UnverifiedFact | None]()
    for k, label in enumerate(labels):
        lost = Unverified.of(cases.unverified, label)
        for name, predicted in cases.predictions.items():
            flagged = int(cases.count[predicted == k].sum())
            # Of one class alone it is not known what verified rows tell of the others.
            kept = ConfusionMatrix(tp=0, fn=0, fp=flagged, tn=cases.n - flagged)
            beside = lost and lost.beside(name, kept)
            fact = unverified_of(beside, per_case=worth(cases), name=name if called else None)
            found.append(fact and replace(fact, label=label))
    return surest(found)


def surest(facts: Iterable[UnverifiedFact | None]) -> UnverifiedFact | None:
    """Return the fact with the smallest p-value, adjusted for their number."""
    known = [one for one in facts if one is not None]
    if not known:
        return None
    found = min(known, key=lambda one: one.p_value)
    return replace(found, p_value=min(1.0, found.p_value * len(known)))


def of_score(cases: BinaryCases, score: str) -> UnverifiedFact | None:
    """Compare how often a score exceeds its median over all rows."""
    lost = cases.unverified
    if lost is None or score not in lost.scores:
        return None
    both = (cases.scores[score], cases.count), (lost.scores[score], lost.count)
    values, sizes = (np.concatenate(one).astype(float) for one in zip(*both, strict=True))
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]  # nan last
    half = np.cumsum(sizes[order]) > sizes[order].sum() / 2
    higher = values[order][values[order] > values[order][np.argmax(half)]]
    if not higher.size:
        return None
    above = float(higher[0])
    cut = lost.cut(score, above).beside(score, cases.cut(score, above).unweighted(score))
    found = unverified_of(cut, weighted=True, per_case=worth(cases))
    return found and replace(found, above=above)


def worth(cases: BinaryCases | ClassCases) -> float:
    """Return how many independent cases a case is worth at least."""
    unit = cases.cluster if cases.cluster is not None else cases.case
    return 1.0 if unit is None else min(1.0, len(unit.keys) / max(1, cases.n))
