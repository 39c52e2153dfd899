"""One smoke test: another engine shows a report as it is, and finds nothing to say about it."""

from pathlib import Path

import baserate as br

CASES = Path(__file__).parents[2] / "examples" / "affairs.csv"


def test_firefox_shows_a_report_in_silence(firefox, tmp_path):
    columns = {"target": "affair", "prediction": "predicted", "score": "score"}
    result = br.evaluate(CASES, **columns, positive="yes", groups=["occupation"])
    path = tmp_path / "affairs.html"
    result.to_html(path)
    firefox.resize(390)
    firefox.open(path.as_uri())
    assert "affairs.csv" in firefox.evaluate("document.querySelector('h1').textContent")
    root = "document.documentElement"
    assert firefox.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
    assert firefox.heard == []
