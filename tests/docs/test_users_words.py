"""Words that users come with lead somewhere: in the pages, and on the command line."""

import re
from pathlib import Path

from baserate.report.catalogue import render_catalogue

DOCS = Path(__file__).parents[2] / "docs"
WORDS = (
    "adverse impact", "AUC", "Bonferroni", "bootstrap", "c-statistic", "calibration in the large",
    "champion and challenger", "chance-corrected", "concordance", "cross-validation", "cutoff",
    "decision curve", "DeLong", "demographic", "disparate", "drift", "dummy classifier",
    "equal opportunity", "equalized odds", "four-fifths", "gate", "Gini", "Hosmer-Lemeshow",
    "imbalance", "inter-rater", "judge", "label shift", "leaderboard", "lift", "majority class",
    "McNemar", "monitoring", "multilabel", "no-information rate", "non-inferiority",
    "number needed to evaluate", "odds ratio", "operating point", "pass rate", "permutation",
    "reliability diagram", "sensitivity", "survey weights", "Youden",
)  # fmt: skip


def test_every_word_is_found():
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    for text in (pages, render_catalogue()):
        plain = " ".join(text.translate({ord("_"): " ", ord("("): None}).lower().split())
        lost = [x for x in WORDS if not re.search(rf"\b{re.escape(x.lower())}", plain)]
        assert lost == []
