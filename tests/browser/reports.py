"""Every kind of report on the examples of the repository, as HTML."""

from functools import cache
from pathlib import Path

import pytest

import baserate as br
from baserate.evaluation import CountsFile
from baserate.evaluation.guesses import baseline
from baserate.report.catalogue import render_catalogue
from baserate.report.no_data import render_baseline, render_sample_size

EXAMPLES = Path(__file__).parents[2] / "examples"
AFFAIRS = EXAMPLES / "affairs.csv"
AFFAIR = {"target": "affair", "positive": "yes"}
TUMOURS = EXAMPLES / "breast_cancer.csv"
TUMOUR = {"target": "diagnosis", "positive": "malignant"}
STORY = EXAMPLES / "story_counts.csv"
COSTS = [[1, -1], [-2, 0]]

# Pages on which parts of all kinds stand; what is slow is tried on the others by `make test-slow`.
LEADING = ("groups", "audit", "compare-scores")
PAGES = {
    "predictions": lambda: br.evaluate(AFFAIRS, prediction="predicted", **AFFAIR).to_html(),
    "scores": lambda: br.evaluate(TUMOURS, score="score", **TUMOUR).to_html(),
    "groups": lambda: br.evaluate(AFFAIRS, score="score", groups="occupation", **AFFAIR).to_html(),
    "utility": lambda: br.evaluate(TUMOURS, score="score", utility=COSTS, **TUMOUR).to_html(),
    "classifiers": lambda: br.evaluate(CountsFile(STORY)).to_html(),
    "audit": lambda: br.audit(AFFAIRS, score="score", groups="occupation", **AFFAIR).to_html(),
    "threshold": lambda: br.thresholds(
        AFFAIRS, score="score", groups="occupation", n_resamples=20, **AFFAIR
    ).to_html(),
    "compare": lambda: br.compare(CountsFile(STORY), utility=EXAMPLES / "story.toml").to_html(),
    "compare-scores": lambda: br.compare(
        AFFAIRS, score="score", prediction="predicted", groups="occupation", utility=COSTS, **AFFAIR
    ).to_html(),
    "baseline": lambda: render_baseline(baseline(n_positive=30, n_negative=70), "html"),
    "metrics": lambda: render_catalogue("html"),
    "sample-size": lambda: render_sample_size(
        br.sample_size("calibration", base_rate=0.1, auc=0.8, threshold=0.2), "html"
    ),
}


def leading_first(names, leading):
    """Return parameters of tests, all but the leading ones marked as slow."""
    slow = {"marks": pytest.mark.slow}
    return [pytest.param(name, **({} if name in leading else slow)) for name in names]


@cache
def page(name):
    """Return the HTML of one of the pages, made once."""
    return PAGES[name]()
