"""Audits against a reference whose shares are known: the MATCH test as it was published."""

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate import ClassTable, ConfusionMatrix, audit
from baserate.errors import InvalidArgumentError
from baserate.evaluation import CountsFile

# Right in 80 of 100 cases, where the reference is right in three of four.
TABLES = {
    "ours": ConfusionMatrix(tp=45, fn=5, fp=15, tn=35),
    "theirs": ConfusionMatrix(tp=39, fn=13, fp=12, tn=36),
}


def first(**options):
    result = audit(TABLES, reference="theirs", metrics="accuracy", **options)
    return result, result.facts.groups[0].findings[0]


def test_the_worked_example_of_the_paper():
    """P(Binomial(100, 3/4) <= 80) = 0.900 (Briscoe et al. 2025, after theorem 5.1)."""
    result, found = first(condition="none", uncertain_reference=False)
    assert found.percentile == pytest.approx(stats.binom(100, 0.75).cdf(80), rel=1e-12)
    assert round(found.percentile, 3) == 0.900
    assert found.p_value == pytest.approx(2 * stats.binom(100, 0.75).sf(79), rel=1e-12)
    assert result.facts.uncertain_reference is False
    assert "whose shares are taken as known" in result.render("table", details=True)
    _, sampled = first(condition="none")
    dealt = stats.hypergeom(200, 155, 100)  # Fisher's test, for all cases are dealt out anew
    assert sampled.percentile == pytest.approx(dealt.cdf(80), rel=1e-9)
    assert sampled.p_value == pytest.approx(2 * dealt.sf(79), rel=1e-9)


def test_all_cases_may_be_the_population():
    result = audit(TABLES, reference="overall", metrics="recall", uncertain_reference=False)
    found = result.facts.groups[0].findings[0]
    law = stats.binom(50, 84 / 102)
    assert found.percentile == pytest.approx(law.cdf(45), rel=1e-12)
    assert found.p_value == pytest.approx(2 * law.sf(44), rel=1e-12)


def test_what_would_go_unseen_is_that_of_known_shares():
    _, known = first(condition="none", uncertain_reference=False)
    _, sampled = first(condition="none")
    assert known.unseen < sampled.unseen
    law = stats.binom(100, 0.75)
    rejected = [2 * min(law.cdf(k), law.sf(k - 1)) <= 0.05 for k in range(101)]
    up = [sum(stats.binom(100, 0.75 + gap).pmf(np.flatnonzero(rejected))) for gap in (0.11, 0.12)]
    assert up[0] < 0.8 < up[1] or known.unseen > 0.12  # the worse direction counts
    down = sum(stats.binom(100, 0.75 - known.unseen).pmf(np.flatnonzero(rejected)))
    assert down == pytest.approx(0.8, abs=1e-6)


def test_only_where_its_luck_is_all_there_is():
    classes = {name: ClassTable([[5, 1, 0], [1, 5, 1], [0, 1, 5]]) for name in "ab"}
    with pytest.raises(
        InvalidArgumentError, match="uncertain_reference speaks of one positive class"
    ):
        audit(classes, uncertain_reference=False)
    truth, guess = np.tile([0, 1], 20), np.tile([0, 1, 1, 1], 10)
    groups, weight = np.repeat(["a", "b"], 20), np.linspace(1, 2, 40)
    with pytest.raises(InvalidArgumentError, match="uncertain_reference must be True with weights"):
        audit(truth, guess, groups=groups, weight=weight, positive=1, uncertain_reference=False)


def test_a_file_of_counts(tmp_path):
    counts = tmp_path / "counts.csv"
    rows = [f"{name},{','.join(map(str, table))}" for name, table in TABLES.items()]
    counts.write_text("\n".join(["group,tp,fn,fp,tn", *rows]))
    how = {"metrics": "accuracy", "condition": "none", "uncertain_reference": False}
    found = br.audit(CountsFile.each(counts), reference="theirs", **how).facts.groups[0].findings[0]
    assert found.percentile == pytest.approx(0.900470, abs=5e-7)
