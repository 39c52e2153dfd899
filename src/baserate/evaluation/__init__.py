"""`evaluate` and its kin: the calls that answer the whole question, and what they return.

Each is loaded on first use: an evaluation needs nothing of an audit.
"""

from importlib import import_module

TYPE_CHECKING = False  # as `typing` has it, which takes its time to load
if TYPE_CHECKING:
    from typing import Any

    from baserate.evaluation.audits import Audit as Audit
    from baserate.evaluation.audits import audit as audit
    from baserate.evaluation.audits import audit_counts as audit_counts
    from baserate.evaluation.comparisons import Comparison as Comparison
    from baserate.evaluation.comparisons import compare as compare
    from baserate.evaluation.comparisons import compare_counts as compare_counts
    from baserate.evaluation.evaluations import Evaluation as Evaluation
    from baserate.evaluation.evaluations import evaluate as evaluate
    from baserate.evaluation.evaluations import evaluate_counts as evaluate_counts
    from baserate.evaluation.guesses import baseline as baseline
    from baserate.evaluation.threshold import Thresholds as Thresholds
    from baserate.evaluation.threshold import thresholds as thresholds

_MODULES = {
    "audits": ("Audit", "audit", "audit_counts"),
    "comparisons": ("Comparison", "compare", "compare_counts"),
    "evaluations": ("Evaluation", "evaluate", "evaluate_counts"),
    "guesses": ("baseline",),
    "threshold": ("Thresholds", "thresholds"),
}
_EXPORTS = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> "Any":
    if name not in _EXPORTS:
        message = f"module 'baserate.evaluation' has no attribute {name!r}"
        raise AttributeError(message)
    globals()[name] = getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted(_EXPORTS)
