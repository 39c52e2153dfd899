"""What Python writes into a page for the explorer: counts that are right, short and harmless."""

import base64
import hashlib
import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.curves import convex_hull
from baserate.errors import InvalidArgumentError
from baserate.report.documents import sheet_as_html, sheet_as_json, sheet_as_markdown
from baserate.report.explorer import (
    MOST_CURVES,
    MOST_CUTS,
    evaluate_words,
    explorer_of,
    explorer_of_facts,
)
from baserate.report.explorer_counts import cuts_shown, short_thresholds
from baserate.report.sheet import Sheet

ODD = '</script><!--<script>"&\u202e\u2028\x1b[31m'


def scored(n, *, seed=1, **more):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    return br.sweep(truth, 1 / (1 + np.exp(1 - rng.normal(size=n) - truth)), **more)


def sheet_of(sweeps, **options):
    explorer = explorer_of(sweeps, **options)
    return Sheet(title="Scores", answer=("So it is.",), parts=(), explorer=explorer)


def data_of(sweeps, **options):
    return json.loads(explorer_of(sweeps, **options).data)


def on_page(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page)[1])


def counts_of(curve, side):
    return np.cumsum(curve[side]) if curve["steps"] else np.array(curve[side])


def test_counts_are_those_of_the_sweep_at_each_threshold():
    sweep = scored(200)
    [curve] = data_of({"all cases": sweep})["curves"]
    rules = sweep.rules_at(curve["thresholds"][1:])
    assert curve["thresholds"][0] is None
    assert rules.tolist() == list(range(1, 201))
    assert counts_of(curve, "tp").tolist() == sweep.true_positives.tolist()
    assert counts_of(curve, "fp").tolist() == sweep.false_positives.tolist()
    assert (curve["positives"], curve["negatives"]) == (sweep.n_positive, sweep.n_negative)


def test_weights_are_kept_in_full():
    weights = np.random.default_rng(3).random(50)
    sweep = scored(50, sample_weight=weights)
    [curve] = data_of({"": sweep})["curves"]
    assert curve["weighted"]
    assert curve["tp"] == sweep.true_positives.tolist()


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=30, unique=True))
def test_a_short_threshold_cuts_as_the_score_itself_does(scores):
    sweep = br.sweep([True] * len(scores), scores)
    every = np.arange(len(sweep.thresholds))
    short = short_thresholds(sweep, every)
    assert sweep.rules_at(short[1:]).tolist() == every[1:].tolist()
    [curve] = data_of({"": sweep})["curves"]
    above = curve["above"]
    assert above is None or int(sweep.rules_at([float(above)])[0]) == 0


def test_thresholds_are_short():
    [curve] = data_of({"": scored(300)})["curves"]
    assert np.mean([len(repr(t)) for t in curve["thresholds"][1:]]) < 8


def test_many_cuts_are_thinned_to_the_corners_and_others_evenly_between():
    sweep = scored(20_000)
    shown = cuts_shown(sweep, MOST_CUTS, keep=(0.5, None))
    assert len(shown.kept) == MOST_CUTS
    assert shown.corners
    assert {0, len(sweep.thresholds) - 1, int(sweep.rules_at([0.5])[0])} <= set(shown.kept.tolist())
    assert set(convex_hull(sweep).tolist()) <= set(shown.kept.tolist())
    tpr, fpr = sweep.true_positives / sweep.n_positive, sweep.false_positives / sweep.n_negative
    every = np.arange(len(tpr))
    for side in (tpr, fpr):  # no point of the curve is far from the line through those shown
        assert np.abs(np.interp(every, shown.kept, side[shown.kept]) - side).max() < 0.01


def test_more_corners_than_places_say_so():
    n = 2000
    steps = np.arange(n)  # a concave curve, each cut of which is a corner
    weights = np.concatenate((n - steps, steps + 1.0))
    sweep = br.sweep(
        [True] * n + [False] * n, np.concatenate((-steps, -steps)), sample_weight=weights
    )
    assert len(convex_hull(sweep)) == n + 1
    shown = cuts_shown(sweep, 100, keep=(-55.0,))
    assert not shown.corners
    assert len(shown.kept) <= 100
    assert int(sweep.rules_at([-55.0])[0]) in shown.kept


@pytest.mark.parametrize(
    "scores", [[2**60, 2**60 + 1, 3], [math.inf, 0.5, -math.inf], [7.0, 7.0, 7.0], [-math.inf] * 3]
)
def test_odd_scores_are_written_too(scores):
    [curve] = data_of({"": br.sweep([True, False, True], scores)})["curves"]
    assert len(curve["thresholds"]) == len(curve["tp"]) == len(set(scores)) + 1
    if math.inf in scores:
        assert curve["thresholds"][1:] == ["inf", 0.5, "-inf"]
        assert curve["above"] is None
    if max(scores) == -math.inf:
        assert curve["above"] == 0
    if 2**60 in scores:
        assert curve["thresholds"][1:] == [str(2**60 + 1), str(2**60), 3]
        assert curve["above"] == str(2**60 + 2)


def test_calibration_is_that_of_the_bins_and_only_of_probabilities():
    sweep = scored(500)
    [curve] = data_of({"": sweep})["curves"]
    bins = br.calibration(sweep).bins()
    assert curve["calibration"]["share"] == pytest.approx(bins.share.tolist(), rel=1e-6)
    assert curve["calibration"]["low"] == pytest.approx(bins.low.tolist(), rel=1e-6)
    [curve] = data_of({"": br.sweep([True, False], [-1, 3])})["curves"]
    assert curve["calibration"] is None


def test_the_histogram_holds_every_case():
    sweep = scored(500)
    [curve] = data_of({"": sweep})["curves"]
    bars = curve["histogram"]
    assert (bars["low"], bars["high"]) == (0, 1)
    assert (sum(bars["positive"]), sum(bars["negative"])) == (sweep.n_positive, sweep.n_negative)


def test_nothing_in_the_data_ends_a_script_or_turns_text_round():
    explorer = explorer_of(
        {ODD: scored(20)}, command=evaluate_words(ODD, target=ODD, score="p", positive=ODD)
    )
    assert explorer.data.isascii()
    assert not re.search(r"[<>&\x00-\x1f]", explorer.data)
    [curve] = json.loads(explorer.data)["curves"]
    assert curve["group"] == '</script><!--<script>"&\\u202e\\u2028\\x1b[31m'
    assert ODD in curve["command"]


def test_the_policy_names_the_script_of_the_page():
    page = sheet_as_html(sheet_of({"all cases": scored(20)}))
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in page
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(|\bfetch\(", page)


def test_other_formats_hold_no_explorer():
    with_it, without = (
        sheet_of({"": scored(20)}),
        Sheet(title="Scores", answer=("So it is.",), parts=()),
    )
    assert sheet_as_markdown(with_it) == sheet_as_markdown(without)
    assert sheet_as_json(with_it) == sheet_as_json(without)
    assert "<script" not in sheet_as_html(without)


def test_twenty_groups_of_five_hundred_cuts_are_small():
    groups = {f"group {i}": scored(3000, seed=i) for i in range(20)}
    assert len(sheet_as_html(sheet_of(groups))) < 250_000


@pytest.mark.slow
def test_of_very_many_groups_the_largest_are_shown():
    groups = {"all cases": scored(3)} | {f"{n} cases": scored(n) for n in range(4, 1004)}
    document = data_of(groups)
    assert len(document["curves"]) == MOST_CURVES
    assert document["leftOut"] == 1001 - MOST_CURVES
    names = [curve["group"] for curve in document["curves"]]
    assert names[0] == "all cases"
    assert names[1:] == [f"{n} cases" for n in range(1003 - MOST_CURVES + 2, 1004)]
    assert len(json.dumps(document)) < 400_000


def test_classifiers_have_groups_and_commands_of_their_own():
    swept = {"a": {"all cases": scored(9), "north": scored(5)}, "b": {"all cases": scored(9)}}
    commands = {name: ("baserate", "evaluate", "x.csv", f"--score={name}") for name in swept}
    curves = data_of(swept, command=commands)["curves"]
    found = [(curve["classifier"], curve["group"], curve["command"]) for curve in curves]
    assert found == [
        ("a", "all cases", "baserate evaluate x.csv --score=a"),
        ("a", "north", "baserate evaluate x.csv --score=a"),
        ("b", "all cases", "baserate evaluate x.csv --score=b"),
    ]


def test_names_that_only_differ_beyond_what_a_menu_shows_are_numbered():
    swept = {"n" * 100 + middle + "n" * 100: {"": scored(5)} for middle in "ab"}
    found = [curve["classifier"] for curve in data_of(swept)["curves"]]
    assert found == ["n" * 59 + "…" + "n" * 20, "n" * 59 + "…" + "n" * 20 + " (2)"]


def test_start_is_the_threshold_of_the_report_and_the_price_it_stands_for():
    swept = {"": scored(30)}
    assert data_of(swept)["start"] == {
        "threshold": 0.5, "base_rate": None, "tau": 0.5, "guess": "same_alarms",
    }  # fmt: skip
    start = data_of(swept, threshold=0.2, base_rate=0.1, guess="dutch_draw")["start"]
    assert (start["threshold"], start["tau"], start["base_rate"], start["guess"]) == (
        0.2,
        0.2,
        0.1,
        "dutch_draw",
    )
    logits = {"": br.sweep([True, False], [-3, 2])}
    assert data_of(logits)["start"]["threshold"] is None
    assert data_of(logits, threshold=-1.0)["start"]["tau"] == 0.5


def test_no_sweep_is_refused():
    with pytest.raises(InvalidArgumentError, match="sweeps must hold a sweep"):
        explorer_of({})


AFFAIRS = Path(__file__).parents[2] / "examples" / "affairs.csv"
COLUMNS = {"target": "affair", "score": "score", "positive": "yes", "groups": "occupation"}


@pytest.mark.slow
def test_the_page_of_a_report_starts_at_its_own_setting():
    result = br.evaluate(AFFAIRS, **COLUMNS, threshold=0.3, base_rate=0.1, guess="same_alarms")
    explorer = explorer_of_facts(result.sweeps, result.facts)
    assert explorer.start == {
        "threshold": 0.3, "base_rate": 0.1, "tau": 0.3, "guess": "same_alarms",
    }  # fmt: skip
    command = json.loads(explorer.data)["curves"][0]["command"]
    assert command == (
        f"baserate evaluate {AFFAIRS} --target=affair --score=score --positive=yes "
        "--group=occupation"
    )


@pytest.mark.slow
def test_the_page_of_thresholds_starts_at_the_default():
    result = br.thresholds(AFFAIRS, **COLUMNS, n_resamples=2, metrics="f1")
    explorer = explorer_of_facts(result.sweeps, result.facts)
    assert explorer.start["threshold"] == 0.5
    assert len(explorer.curves) == 1 + len(result.facts.groups)


def test_in_memory_there_is_no_command_and_without_scores_no_explorer():
    result = br.evaluate(["no", "yes", "yes"], score=[0.1, 0.3, 0.9], positive="yes")
    document = json.loads(explorer_of_facts(result.sweeps, result.facts).data)
    assert document["curves"][0]["command"] == ""
    assert document["positiveInCode"] == "'yes'"
    assert explorer_of_facts({}, result.facts) is None


@pytest.mark.slow
def test_the_page_of_an_audit_starts_at_its_threshold():
    page = br.audit(AFFAIRS, **COLUMNS, threshold=0.25).to_html()
    document = on_page(page)
    assert document["start"]["threshold"] == 0.25
    assert len(document["curves"]) == 7
    assert "data-explorer" not in br.audit(AFFAIRS, **(COLUMNS | {"score": None}),
                                           prediction="predicted").to_html()  # fmt: skip


@pytest.mark.slow
def test_the_page_of_a_comparison_holds_each_score_with_its_groups():
    frame = pd.read_csv(AFFAIRS)
    frame["other"] = frame["score"] ** 2
    result = br.compare(
        frame, **(COLUMNS | {"score": ["score", "other"]}), cost={"fp": 1, "fn": 4}, base_rate=0.1
    )
    document = on_page(result.to_html())
    assert document["start"] == {
        "threshold": 0.2, "base_rate": 0.1, "tau": 0.2, "guess": "dutch_draw",
    }  # fmt: skip
    curves = {(curve["classifier"], curve["group"]): curve for curve in document["curves"]}
    assert len(curves) == 14
    for (name, group), curve in curves.items():
        part = frame if group == "all cases" else frame[frame.occupation == group]
        alarms = part[part[name] >= 0.2]
        cut = np.array([math.inf, *curve["thresholds"][1:]]) >= 0.2
        found = [counts_of(curve, side)[cut][-1] for side in ("tp", "fp")]
        assert found == [sum(alarms.affair == "yes"), sum(alarms.affair == "no")]
    labels = {"a": frame["predicted"], "b": frame["predicted"]}
    labels_alone = br.compare(frame["affair"], labels, positive="yes")
    assert "data-explorer" not in labels_alone.to_html()


def test_a_comparison_of_columns_of_a_file_gives_commands():
    result = br.compare(AFFAIRS, **COLUMNS, prediction="predicted")
    assert on_page(result.to_html())["curves"][0]["command"] == (
        f"baserate evaluate {AFFAIRS} --target=affair --score=score --positive=yes "
        "--group=occupation"
    )
