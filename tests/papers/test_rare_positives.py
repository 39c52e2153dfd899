"""Section 6 of Holzmann and Klar: what it says of its tables, and these made from other data."""

import numpy as np
import pytest
from sklearn import metrics as peer

from baserate.curves import sweep
from papers import robust_metrics_rare as rare
from papers.robust_metrics_claims import NUMBERS, SLIPS, Rule, claims, printed_rules, sentences

SAMPLES = ("full", "subset")


def rules(number, *, recalls=(0.4, 0.2), cuts=(0.3, 0.1), forest=0.6):
    """Return a table of two metrics whose numbers are alike for both models but for the value."""
    return tuple(
        Rule(table=number, model=model, sample=sample, metric=metric, value=value,
             probability=cut, recall=recall, specificity=0.9)
        for model, value in (("logistic", 0.5), ("random_forest", forest))
        for sample, cut, recall in zip(SAMPLES, cuts, recalls, strict=True)
        for metric in ("not robust", "robust")
    )  # fmt: skip


def found(number, *, beside=None, **numbers):
    made = rules(number, **numbers)
    return {(one.about, one.found) for one in claims(made, beside or made)}


def test_the_paper_says_what_it_says():
    table = sentences()
    assert len(table.cells) == 196
    assert not table.having("failure")
    assert len(table.having("substance")) == 1
    assert len(table.having("remark")) == 3
    assert len(SLIPS) == 4
    assert set(table.counts()) == {"consistency"}
    assert sum("the cut" in cell.where for cell in table.cells) == 6 * 6 * 2


def test_the_one_cut_that_rises_is_of_yule():
    """Read off Table 7 by eye: 0.004 for the test set, 0.393 for its subset."""
    rising = [c.where for c in sentences().cells if "the cut" in c.where and c.ours != "smaller"]
    assert rising == ["Table 7, random forest, yule_q: the cut, where positives are rarer"]
    printed = {
        r.sample: r for r in printed_rules(7) if r.metric == "yule_q" and "forest" in r.model
    }
    assert (printed["full"].probability, printed["subset"].probability) == (0.004, 0.393)


def test_claims_of_the_table_that_is_not_robust():
    said = found(7)
    assert ("the cut, where positives are rarer", "smaller") in said
    assert ("recall, where positives are rarer", "decreases") in said
    assert ("recall of most metrics", "below 1/2") in said
    assert ("the better model", "random forest") in said
    otherwise = found(7, recalls=(0.5, 0.6), cuts=(0.1, 0.1), forest=0.5)
    assert ("the cut, where positives are rarer", "equal") in otherwise
    assert ("recall, where positives are rarer", "increases") in otherwise
    assert ("recall of most metrics", "at least 1/2") in otherwise
    assert ("the better model", "neither") in otherwise
    assert ("the better model", "logistic regression") in found(7, forest=0.4)


def test_claims_of_robust_tables_are_beside_the_others():
    beside = rules(7)
    above = "median recall of robust metrics, beside Table 7"
    fall = "how far it falls where positives are rarer, beside Table 7"
    said = found(8, beside=beside, recalls=(0.7, 0.6))
    assert {(above, "higher"), (fall, "less")} <= said
    assert {(above, "not higher"), (fall, "not less")} <= found(8, beside=beside)


PEERS = {
    "jaccard": peer.jaccard_score,
    "mcc": peer.matthews_corrcoef,
    "f_beta(beta=1.5)": lambda y, z: peer.fbeta_score(y, z, beta=1.5),
    "f_beta(beta=0.5)": lambda y, z: peer.fbeta_score(y, z, beta=0.5),
    "cohen_kappa": peer.cohen_kappa_score,
    "robust_f(d0=0, d1=1, c=0)": peer.f1_score,
}


@pytest.mark.parametrize("metric", PEERS)
def test_the_best_cut_is_the_best_of_every_score(metric):
    """Another package at each score; ties everywhere."""
    rng = np.random.default_rng(7)
    y = rng.random(150) < 0.2
    score = np.round(rng.random(150) * 0.7 + 0.3 * y, 2)
    rule = rare.best_rule(sweep(y, score), metric, table=7, model="logistic", sample="full")
    cuts = np.unique(score)
    values = np.array([PEERS[metric](y, score >= cut) for cut in cuts])
    best = cuts[values >= values.max() - 1e-12]
    assert rule.value == pytest.approx(values.max(), rel=1e-12)
    assert rule.probability == best.max()
    assert rule.recall == pytest.approx(np.mean(score[y] >= best.max()))
    assert rule.specificity == pytest.approx(np.mean(score[~y] < best.max()))


@pytest.mark.parametrize(
    ("survey", "cases", "positives", "columns"),
    [(rare.health, 20190, 1862, 7), (rare.marriage, 6366, 447, 8)],
)
def test_surveys_are_those_that_are_told(survey, cases, positives, columns):
    x, y = survey()
    assert x.shape == (cases, columns)
    assert y.sum() == positives
    assert f"{cases:,}" in rare.DATA[survey.__name__]
    assert f"{positives / cases:.1%}" in rare.DATA[survey.__name__]


def test_steps_of_the_paper(monkeypatch):
    """80% to train, 20% to test, the share of positives kept; a fifth of the positives."""
    monkeypatch.setattr(rare, "TREES", 60)
    x, y = rare.marriage()
    monkeypatch.setattr(rare, "marriage", lambda: (x[::4], y[::4]))
    rare._sweeps.cache_clear()
    sizes = {}
    for (_, sample), parts in rare._sweeps("marriage").items():
        for part, swept in parts.items():
            everyone = swept.tables[-1]  # flags every case
            sizes.setdefault((sample, part), set()).add((int(everyone.tp), int(everyone.fp)))
    rare._sweeps.cache_clear()
    n, positives = y[::4].size, int(y[::4].sum())
    for sample, kept in (("full", positives), ("subset", round(0.2 * positives))):
        ((tp, fp),), ((unseen_tp, unseen_fp),) = sizes[sample, "training"], sizes[sample, "test"]
        assert (tp + unseen_tp, fp + unseen_fp) == (kept, n - positives)
        assert unseen_tp == pytest.approx(0.2 * kept, abs=1)
        assert unseen_fp == pytest.approx(0.2 * (n - positives), abs=1)


@pytest.mark.slow
@pytest.mark.parametrize("data", rare.DATA)
def test_tables_made_again(data):
    """Every sentence is a cell, held or not; d = 0 and d0 = 0 repeat what is not robust."""
    tables = [rare.repeated(number, data) for number in NUMBERS]
    value = {}
    for table in tables:
        assert len(table.rows) == 24
        assert table.cells
        assert not table.having("failure")
        of = 38 if table.name[6:8] in ("7,", "19") else 30
        assert len(table.cells) == of
        assert set(table.counts()) == {"other data"}
        holding = len(table.having("agree"))
        assert len(table.having("differs")) == of - holding
        assert f"Of {of} things" in table.notes[0]
        assert f" {holding} hold" in table.notes[0]
        assert (len(table.notes) == 1) == (holding == of)
        value |= {(r["table"], r["model"], r["sample"], r["metric"]): r for r in table.rows}
    for (number, model, sample, metric), cell in value.items():
        if metric in ("robust_mcc(d=0)", "robust_f(d0=0, d1=1, c=0)"):
            first = 7 if number in (8, 9) else 19
            name = "matthews_correlation" if "mcc" in metric else "jaccard"
            other = value[first, model, sample, name]
            jaccard = other["value"]
            assert cell["probability"] == other["probability"]
            assert cell["value"] == pytest.approx(
                jaccard if "mcc" in metric else 2 * jaccard / (1 + jaccard), rel=1e-12
            )


def test_the_page_has_every_table():
    made = [
        rare.Table(name=f"Table {number}, its steps on {data} data", cells=(), notes=("A note.",),
                   rows=tuple(rare.asdict(rule) for rule in rules(number)))
        for data in rare.DATA for number in NUMBERS
    ]  # fmt: skip
    text = "\n".join(rare.page(made))
    for number in NUMBERS:
        assert text.count(f"### Table {number}\n") == 2
    assert "| random forest | a fifth of the positives | cut δ̃ | 0.100 | 0.100 |" in text
    assert text.count("A note.") == 12
