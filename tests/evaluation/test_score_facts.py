"""What `thresholds` and `evaluate` find out about a score as such, against other ways to count."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.evaluation.scoring import Scoring
from baserate.evaluation.threshold import thresholds
from baserate.report.score_rows import KINDS, kind

RNG = np.random.default_rng(3)
RISK = np.round(RNG.beta(1.2, 3, 400), 3)
TRUTH = RNG.random(400) < np.clip(1.5 * RISK, 0, 1)  # risks are underestimated
FACTS = thresholds(TRUTH, RISK, n_resamples=5, top=[30, 0.05], default=0.25).facts


def measure(facts, name):
    return facts.calibration.measure(name)


def test_observed_and_expected_are_sums():
    assert FACTS.calibration.observed == TRUTH.sum()
    assert FACTS.calibration.expected == pytest.approx(RISK.sum())
    assert measure(FACTS, "observed_expected").value == pytest.approx(TRUTH.sum() / RISK.sum())
    assert measure(FACTS, "observed_expected").p_value < 1e-6
    assert measure(FACTS, "calibration_intercept").value > 0


def test_bins_hold_every_case_once():
    bins = FACTS.calibration.bins
    assert sum(b.n for b in bins) == 400
    assert sum(b.n_positive for b in bins) == TRUTH.sum()
    for b in bins:
        inside = (b.low <= RISK) & (b.high >= RISK)
        assert b.mean == pytest.approx(RISK[inside].mean())
        exact = stats.binomtest(int(TRUTH[inside].sum()), int(inside.sum())).proportion_ci()
        assert (b.observed_low, b.observed_high) == pytest.approx((exact.low, exact.high))


def test_regions_are_where_the_score_underestimates():
    assert {r.direction for r in FACTS.calibration.regions} == {"underestimates"}
    for r in FACTS.calibration.regions:
        inside = (r.low <= RISK) & (r.high >= RISK)
        assert r.n == inside.sum()
        assert TRUTH[inside].mean() > RISK[inside].mean()


def test_risks_by_outcome_are_quantiles_of_each_class():
    for fact, inside in zip(FACTS.risks, (TRUTH, ~TRUTH), strict=True):
        known = np.quantile(RISK[inside], [0.05, 0.25, 0.5, 0.75, 0.95], method="inverted_cdf")
        assert fact.quantiles == tuple(known)
        assert (fact.n, fact.mean) == (inside.sum(), pytest.approx(RISK[inside].mean()))
    assert [fact.outcome for fact in FACTS.risks] == [True, False]
    assert [fact.is_positive for fact in FACTS.risks] == [True, False]


def test_net_benefit_is_that_of_its_definition_and_useful_is_a_product():
    """Better than none: P(precision > t); better than all: P(false omission rate < t)."""
    shown = [fact.threshold for fact in FACTS.net_benefit]
    assert shown == [0.05, 0.1, 0.2, 0.25, 0.3, 0.5]
    for fact in FACTS.net_benefit:
        t, flagged = fact.threshold, fact.threshold <= RISK
        tp, fp = (flagged & TRUTH).sum(), (flagged & ~TRUTH).sum()
        fn, tn = TRUTH.sum() - tp, (~TRUTH).sum() - fp
        odds = t / (1 - t)
        assert fact.value == pytest.approx((tp - odds * fp) / 400)
        assert fact.treat_all == pytest.approx((TRUTH.sum() - odds * (~TRUTH).sum()) / 400)
        beats_none = stats.beta(tp + 0.5, fp + 0.5).sf(t)
        beats_all = stats.beta(fn + 0.5, tn + 0.5).cdf(t)
        assert fact.useful == pytest.approx(beats_none * beats_all, rel=1e-6)
        assert 0 <= fact.perfect_information < 0.01
        assert fact.low < fact.value < fact.high


@pytest.mark.slow
def test_stakes_are_acted_at_too():
    cost = thresholds(TRUTH, RISK, n_resamples=5, cost="fp=1,fn=24").facts
    assert 0.04 in [fact.threshold for fact in cost.net_benefit]
    worth = br.evaluate(
        TRUTH, score=RISK, utility=[[1, -1], [-3, 0]], metrics="f1"
    ).facts.thresholds
    assert 0.2 in [round(fact.threshold, 12) for fact in worth.net_benefit]


def test_rare_positives_are_acted_on_at_small_risks():
    truth = np.arange(400) < 8
    rare = thresholds(truth, np.where(truth, 0.3, 0.01), n_resamples=5).facts
    assert [fact.threshold for fact in rare.net_benefit][:2] == [0.01, 0.02]


def test_the_top_is_sorted_out_by_hand():
    [thirty, share] = FACTS.top
    assert (thirty.k, share.k, share.share) == (30, 20, 0.05)
    order = np.argsort(-RISK, kind="stable")
    cut = RISK[order[29]]
    sure, tied = cut < RISK, cut == RISK
    expected = TRUTH[sure].sum() + TRUTH[tied].mean() * (30 - sure.sum())
    assert thirty.threshold == cut
    assert thirty.precision.value == pytest.approx(expected / 30)
    assert thirty.recall.value == pytest.approx(expected / TRUTH.sum())
    assert thirty.tied == (tied.sum() if sure.sum() + tied.sum() > 30 else 0)


def test_scores_outside_the_unit_interval_lack_what_is_for_probabilities():
    facts = thresholds(TRUTH, 4 * RISK - 2, n_resamples=5).facts
    assert facts.calibration is None
    assert facts.net_benefit == ()
    assert dict(facts.absent) == dict.fromkeys(("calibration", "net_benefit"), "no_probabilities")
    assert [fact.name for fact in facts.ranking] == ["roc_auc", "average_precision"]
    said = " ".join(str(br.thresholds(TRUTH, 4 * RISK - 2, n_resamples=5)).split())
    assert "The score is no probability, since it runs from -1.9" in said


def test_weights_have_all_but_a_top_and_the_best_cuts_of_thresholds():
    weight = np.where(np.arange(400) % 2, 2.0, 1.0)
    found = br.evaluate(TRUTH, score=RISK, weight=weight, metrics="f1")
    facts = found.facts.thresholds
    known = br.thresholds(TRUTH, score=RISK, weight=weight, metrics="f1").facts.cuts[0]
    [cut] = facts.cuts
    assert (cut.threshold, cut.low, cut.high) == (known.threshold, known.low, known.high)
    assert (facts.top, dict(facts.absent)) == ((), {"top": "weighted_list"})
    oe = measure(facts, "observed_expected")
    assert oe.value == pytest.approx(weight[TRUTH].sum() / (weight @ RISK))
    assert np.isnan(oe.p_value)
    assert oe.p_value_reason


def test_infinite_scores_count_for_the_class_that_has_them():
    score = [np.inf, 2.0, 1.0, 0.5, -1.0, -np.inf]
    facts = thresholds([1, 1, 0, 1, 0, 0], score, n_resamples=5).facts
    positive, negative = facts.risks
    assert (positive.mean, negative.mean) == (np.inf, -np.inf)
    assert positive.quantiles == (0.5, 0.5, 2.0, np.inf, np.inf)
    assert negative.quantiles == (-np.inf, -np.inf, -1.0, 1.0, 1.0)


@pytest.mark.slow
def test_a_restated_base_rate_is_not_that_of_the_score():
    asked = {"score": RISK, "metrics": "f1"}
    said = "net benefit are those of the base rate of these cases"
    assert said in " ".join(
        br.evaluate(TRUTH, base_rate=0.01, **asked).render(details=True).split()
    )
    assert said not in " ".join(br.evaluate(TRUTH, **asked).render(details=True).split())


@pytest.mark.slow
def test_one_class_still_has_its_calibration():
    """Of ten cases at 0.1, none positive: (1 - 0.1)^10 twice is no evidence."""
    found = br.evaluate([0] * 10, score=[0.1] * 10, positive=1, metrics="accuracy")
    facts = found.facts.thresholds
    assert (facts.calibration.observed, facts.calibration.expected) == (0, pytest.approx(1))
    oe = measure(facts, "observed_expected")
    assert oe.p_value == pytest.approx(2 * 0.9**10, rel=1e-12)
    assert facts.absent["thresholds"] == "one_class"
    text = " ".join(found.render(details=True).split())
    assert "No evidence that risks are wrong: 0 observed for 1 expected (O:E 0.000" in text
    assert "ROC AUC" in text
    assert "no positives" in text


def test_every_route_found_here_has_its_words():
    kinds = {known.word for known in KINDS}
    tops = [e for top in FACTS.top for e in (top.precision, top.recall)]
    every = [*FACTS.ranking, *FACTS.calibration.measures, *tops, *FACTS.net_benefit]
    found = {fact.route for fact in every}
    found |= {fact.p_value_route for fact in every if hasattr(fact, "p_value_route")}
    assert {kind(route) for route in found - {None}} <= kinds
    assert len(found) > 4


@pytest.mark.slow
def test_calibration_of_groups_is_that_of_each_group_by_itself():
    rng = np.random.default_rng(3)
    score = rng.beta(2, 5, 400)
    ward = rng.choice(["a", "b"], 400)
    truth = rng.random(400) < np.where(ward == "b", np.minimum(1, 1.6 * score), score)
    found = br.evaluate(truth.astype(int), score=score, groups={"ward": ward})
    first, second = found.facts.thresholds.calibration.groups
    assert (dict(first.group), dict(second.group)) == ({"ward": "a"}, {"ward": "b"})
    for one, name in ((first, "a"), (second, "b")):
        own = ward == name
        alone = br.calibration(truth[own], score[own]).observed_expected
        assert one.n == own.sum()
        assert one.observed_expected.value == pytest.approx(truth[own].sum() / score[own].sum())
        assert one.observed_expected.p_value == pytest.approx(alone.p_value)
        assert one.adjusted_p_value >= alone.p_value
    assert 'For ward "b" risks are underestimated' in " ".join(str(found).split())
    assert found.facts.thresholds.groups == ()  # no cuts of their own in this report
    cut = br.thresholds(truth.astype(int), score, groups={"ward": ward}, n_resamples=5)
    shown, same = (
        f.to_dict()["calibration"]["groups"] for f in (cut.facts, found.facts.thresholds)
    )
    assert shown == same


@pytest.mark.slow
def test_best_cuts_that_nobody_asked_for_wait_until_they_are_shown(monkeypatch):
    from baserate.evaluation import threshold_facts as module

    drawn = []
    draw = module.threshold_spreads
    monkeypatch.setattr(
        module, "threshold_spreads", lambda *given, **how: drawn.append(1) or draw(*given, **how)
    )
    found = br.evaluate(TRUTH, score=RISK)
    text = " ".join(str(found).split())
    assert "Best cuts" not in text
    assert "--details (details=True) adds" in text
    assert not drawn
    told = {cut["name"]: cut["value"] for cut in found.to_dict()["thresholds"]["thresholds"]}
    most = max(((cut <= RISK) == TRUTH).mean() for cut in np.unique(RISK))
    assert told["accuracy"] == pytest.approx(most)
    assert "Best cuts" in found.render(details=True)
    assert drawn == [1]
    assert "Best cuts" in str(br.evaluate(TRUTH, score=RISK, threshold="accuracy"))


@pytest.mark.parametrize(
    ("looks", "chooser", "fold", "kept"),
    [
        (False, None, None, 0),  # nothing is asked of scores
        (False, "f1", None, 0),
        (True, None, None, 1_000_000),
        (True, "f1", None, 2_000_000),  # the best cut is sought among the cases themselves
        (True, "f1", "fold", None),  # and within folds among all of them
    ],
)
def test_as_many_cases_are_kept_one_by_one_as_what_is_asked_needs(looks, chooser, fold, kept):
    asked = SimpleNamespace(looks=looks, chooser=chooser, fold=fold)
    assert Scoring.hold.fget(asked) == kept
