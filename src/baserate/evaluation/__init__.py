"""`evaluate` and its kin: the calls that answer the whole question, and what they return.

Each is loaded on first use: an evaluation needs nothing of an audit.
"""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.evaluation.audits import audit as audit
    from baserate.evaluation.comparisons import compare as compare
    from baserate.evaluation.evaluations import evaluate as evaluate
    from baserate.evaluation.published_tables import CountsFile as CountsFile
    from baserate.evaluation.read_once import cases as cases
    from baserate.evaluation.score_histograms import count_scores as count_scores
    from baserate.evaluation.size_questions import sample_size as sample_size
    from baserate.evaluation.threshold import thresholds as thresholds
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "audits": ("audit",),
            "comparisons": ("compare",),
            "size_questions": ("sample_size",),
            "score_histograms": ("count_scores",),
            "evaluations": ("evaluate",),
            "published_tables": ("CountsFile",),
            "read_once": ("cases",),
            "threshold": ("thresholds",),
        },
    )
