"""A histogram of scores as data: the same facts as the cases, or what holds them."""

import numpy as np
import pytest

import baserate as br
from baserate.errors import BaserateError, DataError, InvalidArgumentError


def sample(n=400, seed=0, digits=3):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    score = np.round(np.clip(rng.normal(0.3 + 0.2 * y, 0.15), 0.001, 0.999), digits)
    return y, score, np.where(rng.random(n) < 0.4, "a", "b")


@pytest.fixture(scope="module")
def cases():
    return sample()


@pytest.fixture(scope="module")
def exact(cases):
    y, score, group = cases
    return br.ScoreHistogram().add(y, score, groups=group)


@pytest.fixture(scope="module")
def binned():
    y, score, group = sample(20_000, digits=9)
    return (y, score, group), br.ScoreHistogram(bins=4096).add(y, score, groups=group)


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threshold": 0.3},
        {"threshold": "mcc", "base_rate": 0.1},
        {"utility": [[5, -1], [0, 0]], "top": "5%", "guess": "uniform"},
    ],
)
def test_an_exact_histogram_gives_the_facts_of_its_cases(cases, exact, options):
    y, score, group = cases
    own = br.evaluate(y, score=score, groups={"group": group}, **options)
    assert br.evaluate(exact, **options).to_dict() == own.to_dict()


@pytest.mark.slow
def test_thresholds_and_audit_of_an_exact_histogram_are_those_of_its_cases(cases, exact):
    y, score, group = cases
    own = br.thresholds(y, score, groups={"group": group}, default=0.3)
    assert br.thresholds(exact, default=0.3).to_dict() == own.to_dict()
    own = br.audit(y, score=score, groups={"group": group}, reference="a")
    assert br.audit(exact, reference="a").to_dict() == own.to_dict()


@pytest.mark.slow
def test_tables_at_edges_are_exact_and_measures_have_bounds(binned):
    (y, score, group), histogram = binned
    assert not histogram.exact
    found = br.evaluate(histogram).facts
    assert found.table == br.confusion_matrix(y, score >= 0.5)
    for part in found.groups:
        inside = group == part.group["group"]
        assert part.table == br.confusion_matrix(y[inside], score[inside] >= 0.5)
    own = br.evaluate(y, score=score).facts.thresholds
    for name in ("roc_auc", "average_precision", "brier_score", "log_loss"):
        fact, true = (next(f for f in t.ranking if f.name == name) for t in (found.thresholds, own))
        assert fact.bounds[0] <= true.value <= fact.bounds[1], name
        assert 0 < fact.bounds[1] - fact.bounds[0] < 0.01
    for fact, true in zip(found.thresholds.net_benefit, own.net_benefit, strict=True):
        assert fact.bounds[0] <= true.value <= fact.bounds[1]
    for cut in found.thresholds.cuts:
        true = next(t for t in own.cuts if t.name == cut.name)
        assert cut.bounds[0] - 1e-12 <= true.value <= cut.bounds[1] + 1e-12


def test_the_report_says_how_scores_came_counted(binned):
    _, histogram = binned
    found = br.evaluate(histogram)
    bins = found.facts.thresholds.bins
    assert 0.9 * histogram.n < bins.n < histogram.n  # some bins hold one score
    assert bins.widest < 2**-8
    text = " ".join(found.render(details=True).split())
    assert f"came counted in {bins.n_bins:,} bins, the widest" in text
    assert "Spread and optimism of best cuts" in text
    assert found.facts.thresholds.cuts[0].low != found.facts.thresholds.cuts[0].low  # nan


@pytest.mark.slow
def test_bounds_stand_beside_a_value_only_if_they_show(binned):
    _, fine = binned
    auc = br.evaluate(fine).facts.thresholds.ranking[0]
    assert f"{auc.bounds[0]:.2f}" == f"{auc.bounds[1]:.2f}"
    assert f"(ROC area {auc.value:.2f}, 95%" in " ".join(str(br.evaluate(fine)).split())
    coarse = br.evaluate(fine.suppressed(minimum=40))
    auc = coarse.facts.thresholds.ranking[0]
    low, high = (f"{end:.2f}" for end in auc.bounds)
    text = " ".join(str(coarse).split())
    assert low != high
    assert f"({low} to {high}), 95% interval" in text
    assert f"({low} to {high}), 95% interval" in " ".join(coarse.render("html").split())


@pytest.mark.sweep(2)
@pytest.mark.parametrize("ask", [br.evaluate, br.audit])
def test_a_threshold_within_a_bin_is_refused_with_those_beside_it(binned, ask):
    (y, score, _), histogram = binned
    with pytest.raises(InvalidArgumentError, match="threshold must not lie between") as refused:
        ask(histogram, threshold=0.31234)
    words = str(refused.value).split("pass ")[1].split(" or ")
    below, above = float(words[0]), float(words[1].split(",")[0])
    assert below < 0.31234 < above
    for near in (below, above):
        counted = br.evaluate(histogram, threshold=near).table
        assert counted == br.confusion_matrix(y, score >= near)


def test_a_default_within_a_bin_is_refused(binned):
    with pytest.raises(InvalidArgumentError, match="default must not lie between"):
        br.thresholds(binned[1], default=0.31234)


@pytest.mark.slow
def test_files_of_counts_are_data_too(cases, exact, tmp_path):
    for name in ("week.json", "week.arrow"):
        exact.save(tmp_path / name)
        found = br.evaluate(tmp_path / name).to_dict()
        assert found["source"] == f"{name} (counted scores)"
        assert found["metrics"] == br.evaluate(exact).to_dict()["metrics"]
    assert "baserate evaluate week.json" in br.evaluate(tmp_path / "week.json").to_html().replace(
        str(tmp_path) + "/", ""
    )
    with pytest.raises(InvalidArgumentError, match="must not be a file"):
        br.evaluate(tmp_path / "week.json").write(tmp_path / "week.json")


@pytest.mark.parametrize(
    "beside",
    [{"groups": ["a"]}, {"target": "y"}, {"score": "s"}, {"weight": "w"}, {"missing": "drop"},
     {"fold": [1]}],
)  # fmt: skip
def test_what_only_cases_can_answer_is_refused(exact, beside):
    with pytest.raises(BaserateError, match="has no meaning"):
        br.evaluate(exact, **beside)


def test_another_positive_label_is_refused(exact):
    with pytest.raises(InvalidArgumentError, match="which the histogram counted as positive"):
        br.evaluate(exact, positive="no")


def test_an_empty_histogram_is_refused():
    with pytest.raises(InvalidArgumentError, match="must hold cases"):
        br.evaluate(br.ScoreHistogram())


@pytest.mark.slow
def test_histograms_are_compared_as_separate_test_sets(cases):
    (y, score, _), (y2, score2, _) = cases, sample(seed=5)
    sides = {"old": br.ScoreHistogram().add(y, score), "new": br.ScoreHistogram().add(y2, score2)}
    tables = {"old": br.confusion_matrix(y, score >= 0.25),
              "new": br.confusion_matrix(y2, score2 >= 0.25)}  # fmt: skip
    found, own = (
        br.compare(side, cost="fp=1,fn=3", base_rate=0.3).facts for side in (sides, tables)
    )
    assert [(c.name, c.table, c.value) for c in found.classifiers] == [
        (c.name, c.table, c.value) for c in own.classifiers
    ]
    assert found.pairs[0].a_better == own.pairs[0].a_better
    assert [s.auc for s in found.scores] == [br.roc_auc(h).value for h in sides.values()]
    assert not found.score_pairs
    assert {"roc", "decision_curve"} <= br.compare(sides, base_rate=0.3).displays().keys()


def test_a_cut_that_is_named_goes_before_that_of_costs(exact):
    sides = {"a": exact, "b": exact}
    for named, cut in (({}, 0.25), ({"threshold": 0.4}, 0.4)):
        found = br.compare(sides, cost="fp=1,fn=3", **named).facts
        assert [one.cut for one in found.classifiers] == [cut, cut]


def test_histograms_know_nothing_of_pairs(cases, exact):
    with pytest.raises(InvalidArgumentError, match="what two classifiers say of the same case"):
        br.compare({"a": exact, "b": exact}, target="y")
    with pytest.raises(InvalidArgumentError, match="must be a histogram of scores, as the others"):
        br.compare({"a": exact, "b": br.confusion_matrix([1, 0], [1, 1])})
    with pytest.raises(InvalidArgumentError, match="each cut in one place"):
        br.compare({"a": exact, "b": exact}, points="mcc, f1")
    with pytest.raises(DataError, match="needs two classifiers"):
        br.compare({"a": exact})


def test_curves_of_counted_scores_are_not_said_to_cross(binned, exact):
    found = br.compare({"a": binned[1], "b": exact}, base_rate=0.3)
    assert found.facts.curves[0].relation == "unknown"
    assert "not known: scores came counted in bins" in " ".join(found.render(details=True).split())


@pytest.mark.slow
def test_a_billion_cases_take_seconds_and_little_memory(exact):
    import tracemalloc

    many = exact
    for _ in range(22):
        many = many + many
    tracemalloc.start()
    found = br.evaluate(many)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.facts.n == 400 * 2**22 > 10**9
    assert most < 500e6


@pytest.mark.slow
def test_cuts_between_many_bins_spread_as_those_of_the_cases_do():
    y, score, _ = sample(60_000, digits=15)
    counts = br.ScoreHistogram(bins=1 << 14).add(y, score)
    assert not counts.exact
    how = {"metrics": ["mcc", "accuracy"], "rng": 0}
    binned, exact = (br.thresholds(*data, **how).facts for data in ([counts], [y, score]))
    assert not binned.absent
    for one, other in zip(binned.cuts, exact.cuts, strict=True):
        assert one.low == pytest.approx(other.low, abs=0.02)
        assert one.high == pytest.approx(other.high, abs=0.02)
        assert one.corrected == pytest.approx(other.corrected, abs=0.001)
    few = br.thresholds(br.ScoreHistogram(bins=4096).add(y, score), **how)
    assert few.facts.absent == {"spread": "counted_scores"}


@pytest.mark.slow
def test_more_rows_than_are_held_keep_the_spread_of_their_cuts(tmp_path, monkeypatch):
    import polars as pl

    y, score, _ = sample(110_000, digits=15)
    pl.DataFrame({"y": y, "s": score}).write_parquet(tmp_path / "many.parquet")
    monkeypatch.setattr("baserate.evaluation.threshold.HELD", 50_000)
    facts = br.thresholds(tmp_path / "many.parquet", target="y", score="s").facts
    assert facts.n_cut_points < 20_000
    assert all(cut.low <= cut.threshold <= cut.high for cut in facts.cuts)


def test_more_rows_than_are_held_are_looked_at_where_few_scores_differ(tmp_path, monkeypatch):
    monkeypatch.setattr("baserate.evaluation.scoring.LARGEST", 20)
    (tmp_path / "d.csv").write_text("y,s\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.6\n" * 10)
    found = br.evaluate(tmp_path / "d.csv", target="y", score="s")
    assert found["roc_auc"].value == 0.75


def test_one_bin_is_not_taken_for_one_score():
    truth, risk = [0, 1] * 20, np.linspace(0.02, 0.9, 40)
    one = br.ScoreHistogram().add(truth, risk).suppressed(minimum=20)
    text = " ".join(str(br.thresholds(one)).split())
    assert "All scores came counted in one bin" in text
    assert "Every case has the same score" not in text


def test_an_audit_says_how_scores_came_counted_and_what_was_tested(on_record):
    rng = np.random.default_rng(0)
    score = rng.random(900)
    truth, group = rng.random(900) < score, rng.choice(["north", "south", "west"], 900)
    kept = br.ScoreHistogram().add(truth, score, groups=group)
    joined = kept.suppressed(5)
    rows = joined.rows
    wide = rows.highest > rows.lowest
    facts = br.audit(joined, threshold=0.5, metrics="recall").facts
    assert (facts.bins.n_bins, facts.bins.n) == (wide.sum(), rows.cases[wide].sum())
    assert facts.bins.widest == (rows.highest - rows.lowest).max()
    report = br.audit(joined, threshold=0.5, metrics="recall")
    on_record(report.render("markdown"))
    assert "where scores came counted in bins at their worst for it" in report.to_html()
    plain = br.audit(kept, threshold=0.5, metrics="recall")
    assert plain.facts.bins is None
    assert "at the stated risks (Poisson-binomial)" in plain.to_html()
    assert "came counted in bins" not in plain.to_html()
