"""JSON: the facts as they are, undefined as null."""

import json
from collections.abc import Sequence
from typing import Any

from baserate.facts import EvaluationFacts
from baserate.metrics import Metric
from baserate.report.declared import record
from baserate.report.provenance import provenance
from baserate.report.sheet import Sheet


def render_json(facts: EvaluationFacts) -> str:
    """Return the versioned JSON document of an evaluation."""
    return _dumped(facts.to_dict())


def render_catalogue(metrics: Sequence[Metric]) -> str:
    """Return a list with every declared fact of every metric that is plain data."""
    return _dumped([record(metric) for metric in metrics])


def render_sheet(sheet: Sheet) -> str:
    """Return the facts behind a sheet."""
    return _dumped(sheet.document)


def _dumped(document: Any) -> str:
    """Write a document, and what made it; the catalogue is a list, and needs no maker."""
    if isinstance(document, dict):
        document = {**document, "baserate": provenance()}
    return json.dumps(document, allow_nan=False, ensure_ascii=False, indent=2) + "\n"
