"""What a call asks for by name is on the first screen of its answer."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate._measures import MEASURES
from baserate.errors import BaserateError, InvalidArgumentError
from baserate.evaluation.contracts import Contract
from tests.golden.texts import opening


def three_classes(**asked):
    """Evaluate counts whose F1 are 16/19, 8/13 and 6/8."""
    table = br.ClassTable([[8, 2, 0], [1, 4, 1], [0, 1, 3]], labels=["cat", "dog", "fox"])
    return br.evaluate(table, **asked)


def test_a_metric_of_each_class_leads_and_has_its_table(on_record):
    on_record(three_classes(metrics="f1").render())
    assert "F1 of each class" not in three_classes().render()
    assert three_classes(metrics="macro_f1").render().startswith("Macro F1 is")


@pytest.mark.slow
def test_the_top_of_the_list_is_on_the_first_screen_of_either_door():
    """The highest 6 of 40 scores are cases 34 to 39; of these 36 is positive, of 10 in all."""
    truth, score = np.arange(40) % 4 == 0, np.linspace(0.01, 0.99, 40)
    for found in (
        br.evaluate(truth, score=score, top=6),
        br.evaluate(truth, score=score, threshold=0.3, top=6),
        br.thresholds(truth, score, top="6, 50%", n_resamples=5, metrics="f1"),
    ):
        said = " ".join(found.render().split())
        assert "Of the 6 highest scores, 17% are positive (precision; 95% interval " in said
        assert "), which finds 10% of all positives (recall; " in said
        assert "Top of the list" in said
    unasked = br.evaluate(truth, score=score).render()
    assert "highest scores, " not in unasked
    assert "Top of the list" not in unasked


def test_a_share_that_came_as_counts_leads_and_nothing_certain_stands_beside_it(on_record):
    """Jeffreys' interval of 18 of 20 is 0.716 to 0.979 (Brown, Cai & DasGupta 2001)."""
    on_record(br.evaluate(br.ConfusionMatrix(tp=18, fn=2, fp=0, tn=0)).render())


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("asked", ["roc_auc", "AUC, average_precision", ["brier_score", "f1"]])
def test_measures_of_a_score_are_asked_for_as_metrics_are(asked):
    truth, score = np.arange(40) % 4 == 0, np.linspace(0.01, 0.99, 40)
    for found in (
        br.evaluate(truth, score=score, threshold=0.3, metrics=asked),
        br.thresholds(truth, score, metrics=asked, n_resamples=5),
    ):
        assert "Ranking (ROC area) and losses" in found.render()
    assert "Ranking (ROC area) and losses" not in (
        br.evaluate(truth, score=score, threshold=0.3, metrics="f1").render()
    )


def test_measures_of_a_score_need_one_and_no_predictions_beside_it():
    truth, score = np.arange(40) % 4 == 0, np.linspace(0.01, 0.99, 40)
    with pytest.raises(BaserateError, match=r"got 'auc': name the column of scores"):
        br.evaluate(truth, score > 0.5, metrics="auc")
    with pytest.raises(BaserateError, match="leave the predictions out"):
        br.evaluate(truth, score > 0.5, score=score, metrics="auc")
    frame = pd.DataFrame({"y": truth, "a": score, "b": score**2})
    both = br.compare(frame, target="y", score=["a", "b"], metrics="roc_auc, log_loss").render()
    assert both.startswith("ROC area: a ")
    with pytest.raises(BaserateError, match="average_precision is a measure of scores"):
        br.compare(frame, target="y", score=["a", "b"], metrics="average_precision")


def test_a_limit_of_a_measure_is_an_option_too():
    assert Contract.of("roc_auc=0.8@low", "--fail-under").metric is None
    with pytest.raises(BaserateError, match=r"write --fail-over brier=0\.2"):
        Contract.of("brier=0.2", "--fail-under")
    scores = np.linspace(-2, 2, 40)
    with pytest.raises(BaserateError, match="or ask thresholds"):
        br.evaluate(np.arange(40) % 4 == 0, score=scores)


def scores_of_three(n=90):
    """Return labels, probabilities of three classes and the log loss that these have."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 3
    risks = rng.dirichlet([1, 1, 1], n) / 2 + np.eye(3)[truth] / 2
    frame = pd.DataFrame(risks, columns=["a", "b", "c"]).assign(y=np.array(["a", "b", "c"])[truth])
    return frame, float(-np.log(risks[np.arange(n), truth]).mean())


@pytest.mark.parametrize("cluster", [{}, {"cluster": "unit"}], ids=["cases", "clusters"])
def test_a_loss_of_several_classes_leads_and_has_its_table(cluster):
    frame, loss = scores_of_three()
    frame["unit"] = np.arange(len(frame)) // 3
    how = {"target": "y", "score": ["a", "b", "c"], **cluster}
    said = br.evaluate(frame, **how, metrics="log_loss").render()
    assert said.startswith(f"Log loss is {loss:.2f}")
    assert "Scores of all classes" in said
    assert "Metrics of all classes" not in said  # of which nothing was asked
    both = br.evaluate(frame, **how, metrics="log_loss, macro_f1").render()
    assert both.startswith(f"Log loss is {loss:.2f}")
    assert "Macro F1 is" in both
    assert "Metrics of all classes" in both
    assert "Log loss is" not in br.evaluate(frame, **how).render()


def test_what_other_sentences_tell_leads_in_these():
    frame, _ = scores_of_three()
    how = {"target": "y", "score": ["a", "b", "c"]}
    said = br.evaluate(frame, **how, metrics="roc_auc").render()
    assert said.startswith("Over all cuts, the ROC area")
    assert said.count("the ROC area, the mean") == 1
    with pytest.raises(BaserateError, match=r"'average_precision': ask for one of brier_score, "):
        br.evaluate(frame, **how, metrics="average_precision")


OF_CLASSES = {"roc_auc_ovr", "roc_auc_ovo", "top_2_accuracy"}  # of two classes others stand for it
NOT_SHOWN = {"cox_snell_r2", "expected_calibration_error"}  # by functions of their own


@pytest.mark.sweep(22, start=13)
@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_of_a_score_leads_where_it_is_asked_for_or_is_refused(name):
    rng = np.random.default_rng(0)
    risk = rng.uniform(0.05, 0.95, 60)
    truth = rng.random(60) < risk
    if name in OF_CLASSES | NOT_SHOWN or name.startswith("confidence_"):
        with pytest.raises(InvalidArgumentError, match="ask for one of roc_auc, average_precision"):
            br.evaluate(truth, score=risk, metrics=name)
        return
    said = br.evaluate(truth, score=risk, metrics=name)
    assert said[name].value == said[(*MEASURES[name].synonyms, name)[0]].value
    if name not in {"roc_auc", "observed_expected"}:  # their sentences come first in any case
        first = MEASURES[name].heading
        assert said.render().startswith(f"{first[0].upper()}{first[1:]} is ")
    else:
        assert MEASURES[name].spoken.split()[0] in said.render()[:200]


def test_a_measure_that_scores_do_not_have_is_refused():
    """Brier score and O:E are of probabilities; nothing was said of either before."""
    for call in (br.evaluate, br.thresholds):
        how = {"threshold": 0} if call is br.evaluate else {}
        with pytest.raises(
            InvalidArgumentError, match="have, got 'brier_score': ask for one of roc"
        ):
            call([0, 1, 0, 1, 1], score=[-3, 2, 0, 1, 5.0], metrics="brier, f1", **how)


def test_a_verdict_by_the_metric_asked_for_stands_before_another_one(on_record):
    """The interval of accuracy, 275 of 400, holds 257 of 400, which calling no one positive has.

    Of three classes right are 460 of 602; always saying "c", 460 of 602.
    """
    table = br.ConfusionMatrix(tp=91, fn=52, fp=73, tn=184)
    files = {"a": table, "b": br.ConfusionMatrix(tp=120, fn=23, fp=30, tn=227)}
    three = br.ClassTable([[10, 0, 80], [2, 10, 40], [10, 10, 440]], labels=["a", "b", "c"])
    on_record(
        {
            "two classes": opening(br.evaluate(table, metrics="accuracy")),
            "restated": opening(br.evaluate(table, metrics="accuracy", base_rate=0.05)),
            "each of a file": opening(br.evaluate(files, metrics="accuracy")),
            "three classes": opening(br.evaluate(three, metrics="accuracy")),
        }
    )
    for alike in ("mcc", "recall", None):
        said = opening(br.evaluate(table, metrics=alike))
        assert "Better than guessing: yes (informedness" in said
        assert "guessing by" not in said
    assert "Better than guessing: yes (" in opening(br.evaluate(three, metrics="macro_f1"))


def of_risks(door=br.evaluate, **asked):
    frame = pd.read_csv("examples/two_models.csv")
    return opening(door(frame, target="label", score="probability", **asked))


def test_what_a_base_rate_asks_is_answered_first_at_a_cut_that_was_named(on_record):
    """Recall 109/143 and specificity 170/257 at 5% positives: precision 0.106."""
    on_record(
        {
            "named": of_risks(base_rate=0.05, threshold=0.3),
            "a cut that nobody named": of_risks(base_rate=0.05),
        }
    )


@pytest.mark.sweep(2)
@pytest.mark.parametrize("door", [br.evaluate, br.thresholds])
def test_a_range_of_risks_that_was_asked_for_is_answered_first(door):
    said = of_risks(door, metrics="net_benefit(0.1..0.3)").replace("\n", " ")
    assert said.startswith("Worth using by risk acted from: cannot tell from 0.1 to 0.17, yes from")
    assert of_risks(door).startswith("Ranks better than chance")


def test_the_cut_that_costs_imply_is_related_to_that_of_the_cases():
    """A miss costs ten false alarms: act from 1/11."""
    how = {"cost": "fn=10,fp=1", "n_resamples": 5}
    said = of_risks(br.thresholds, **how)
    told = "implies a cut of 0.0909, the right one if risks are right; 0.081 fits these cases best."
    assert told in said.replace("\n", " ")
    for other in ({"base_rate": 0.1}, {"constraint": "recall >= 0.9"}, {"default": 1 / 11}):
        assert "implies a cut" not in of_risks(br.thresholds, **how, **other)


def test_details_show_of_how_many_cases_the_rates_of_groups_and_classifiers_are():
    truth = np.repeat([1, 0], [30, 50])
    new, old = np.arange(80) % 40 < 25, np.arange(80) % 40 < 20
    group = np.where(np.arange(80) % 2, "east", "west")
    for found, of in (
        (br.evaluate(truth, new * 1, groups={"at": group}), "east"),
        (br.audit(truth, new * 1, groups={"at": group}), "east"),
        (br.compare(pd.DataFrame({"y": truth, "n": new, "o": old}), target="y",
                    prediction=["n", "o"]), "n"),
    ):  # fmt: skip
        kept = group == "east" if of == "east" else truth >= 0
        cells = [
            ((truth == t) & (new == p) & kept).sum() for t, p in ((1, 1), (1, 0), (0, 1), (0, 0))
        ]
        row = next(
            line.split()[-4:]
            for line in found.render(details=True).split("Counts of each")[1].splitlines()
            if of in line.split()
        )
        assert row == [str(n) for n in cells]
        assert "Counts of each" not in found.render()
