"""What cases hold, as plain numbers: what `cases` prints."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from typing import Any

import numpy as np

from baserate.cases.cases import Cases
from baserate.cases.labels import grouped, labels_of_columns
from baserate.cases.unseen_cases import HeldOut
from baserate.errors import LabelError
from baserate.evaluation.reading import KEYS
from baserate.facts.cases import CasesFacts, ClassSize


def facts_of(found: Cases, told: Mapping[str, Any]) -> CasesFacts:
    """Return what there is in cases, as plain numbers."""
    labels, [coded] = labels_of_columns([found.truth], from_text=found.from_text)
    sizes = np.bincount(found.truth.codes, found.count, len(found.truth.labels)).astype(int)
    cases_of = {x: sum(sizes[k].item() for k, y in coded.items() if y == x) for x in labels}
    positive = told.get("positive")
    if positive is not None or len(labels) == 2:
        # Nothing says which of two labels it is: utilities may.
        with suppress(LabelError) if positive is None else nullcontext():
            positive = found.binary(positive).positive
    beside = set(map(str, told.get("replicate_weights") or ()))
    strata, *others = KEYS
    apart = [role for role in others if role in found.keys][:1]
    drawn = grouped(found.drawn or {role: found.keys[role] for role in apart})
    return CasesFacts(
        n=found.n,
        missing=found.n_missing,
        source=found.source,
        target=str(found.target),
        classes=tuple(map(ClassSize, cases_of, cases_of.values())),
        positive=positive,
        predictions=tuple(found.predictions),
        scores=tuple(str(name) for name in found.scores if str(name) not in beside),
        groups=tuple(found.groups),
        n_groups=len(grouping.keys) if (grouping := grouped(found.groups)) else 0,
        n_clusters=None if drawn is None else len(drawn.keys),
        n_runs=len(found.keys["run"].found()) if "run" in found.keys else None,
        n_strata=len(found.keys[strata].found()) if strata in found.keys else None,
        weighted=found.weight is not None,
    )


def facts_apart(data: Any, positive: Any) -> CasesFacts:
    """Return the same of what was counted elsewhere, or held out: sizes and names."""
    named = data if isinstance(data, Mapping) else {"": data}
    sizes = [len(one.y_true) if isinstance(one, HeldOut) else one.n for one in named.values()]
    names = tuple(map(str, named)) if isinstance(data, Mapping) else ()
    return CasesFacts(n=sum(sizes), positive=positive, predictions=names)
