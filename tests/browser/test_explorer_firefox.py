"""Another engine runs the explorer: its script is let through, and it finds nothing to say."""

import pytest

import baserate as br
from baserate.report.documents import sheet_as_html
from baserate.report.explorer import explorer_of
from baserate.report.sheet import Sheet

EXPLORER = "document.querySelector('[data-explorer]').explorer"


@pytest.mark.slow
def test_firefox_runs_the_explorer_in_silence(firefox, tmp_path):
    sweep = br.sweep([0, 1, 0, 1, 1], [0.1, 0.4, 0.5, 0.6, 0.9])
    explorer = explorer_of({"all cases": sweep})
    path = tmp_path / "scores.html"
    sheet = Sheet(title="Scores", answer=("So it is.",), parts=(), explorer=explorer)
    path.write_text(sheet_as_html(sheet), encoding="utf-8")
    firefox.resize(390)
    firefox.open(f"{path.as_uri()}#explorer?cut=0.4&base_rate=0.5&tau=0.25")
    answer = firefox.evaluate("document.querySelector('[data-out=answer]').textContent")
    assert answer == (
        "Of 1,000 people, 750 get an alarm; 500 of them are right. 0 of 500 positives are missed."
    )
    assert firefox.evaluate(f"{EXPLORER}.setting().tau") == 0.25
    root = "document.documentElement"
    assert firefox.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
    assert firefox.heard == []
