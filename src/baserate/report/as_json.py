"""JSON: the facts as they are, undefined as null."""

import json
from collections.abc import Sequence
from typing import Any

from baserate.facts import EvaluationFacts
from baserate.metrics import Metric
from baserate.report.declared import record


def render_json(facts: EvaluationFacts) -> str:
    """Return the versioned JSON document of an evaluation."""
    return _dumped(facts.to_dict())


def render_catalogue(metrics: Sequence[Metric]) -> str:
    """Return a list with every declared fact of every metric that is plain data."""
    return _dumped([record(metric) for metric in metrics])


def _dumped(document: Any) -> str:
    return json.dumps(document, allow_nan=False, ensure_ascii=False, indent=2) + "\n"
