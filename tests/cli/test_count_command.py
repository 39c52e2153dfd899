"""`baserate count` and `baserate merge`: only counts travel, and they add up."""

import json
import subprocess
import sys

import numpy as np
import pytest

import baserate as br
from quick import one_in

COMMAND = [sys.executable, "-m", "baserate.cli"]
COUNT = ["--target", "ill", "--score", "risk", "--group", "sex"]


@pytest.fixture
def days(tmp_path):
    rng = np.random.default_rng(0)
    for day in range(3):
        y, sex = rng.random(300) < 0.3, np.where(rng.random(300) < 0.4, "a", "b")
        risk = np.round(np.clip(rng.normal(0.3 + 0.2 * y, 0.15), 0.001, 0.999), 3)
        rows = [f"{int(a)},{b},{c},{int(b > 0.5)}\n" for a, b, c in zip(y, risk, sex, strict=True)]
        (tmp_path / f"day{day}.csv").write_text("ill,risk,sex,call\n" + "".join(rows))
    return ["day0.csv", "day1.csv", "day2.csv"]


def whole(tmp_path, days):
    parts = [(tmp_path / day).read_text().splitlines() for day in days]
    lines = [parts[0][0], *(line for part in parts for line in part[1:])]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("command", one_in(3, ["evaluate", "threshold", "audit"]))
def test_days_add_up_to_the_report_of_all_cases(run, days, tmp_path, command):
    whole(tmp_path, days)
    for day in days:
        name = day.replace("csv", "arrow")
        assert run("count", day, *COUNT, "--output", name) == (
            0,
            "",
            f"baserate: {name} written.\n",
        )
    counted = [day.replace("csv", "arrow") for day in days]
    assert run("merge", *counted, "--output", "week.arrow")[:2] == (0, "")
    code, of_counts, _ = run(command, "week.arrow", "--format", "json")
    _, of_cases, _ = run(command, "all.csv", *COUNT, "--format", "json")
    assert code == 0
    facts, own = json.loads(of_counts), json.loads(of_cases)
    for found in (facts, own):
        found.pop("source")
        found.pop("baserate")
        if isinstance(found.get("thresholds"), dict):
            found["thresholds"].pop("source")
    assert {k: v for k, v in facts.items() if v != own[k]} == {}


def test_merging_in_any_order_gives_the_same_bytes(run, days, tmp_path):
    for day in days:
        run("count", day, *COUNT, "--output", f"{day}.json")
    names = [f"{day}.json" for day in days]
    run("merge", *names, "--output", "one.json")
    run("merge", *names[1:], "--output", "two.json")
    run("merge", "two.json", names[0], "--output", "two.json.json")
    run("count", *reversed(days), *COUNT, "--output", "three.json")
    found = {(tmp_path / n).read_bytes() for n in ("one.json", "two.json.json", "three.json")}
    assert len(found) == 1


@pytest.mark.slow
def test_predictions_become_a_file_of_counts(run, days, tmp_path):
    words = ["--target", "ill", "--prediction", "call", "--group", "sex"]
    for name in ("day.csv", "day.json"):
        assert run("count", *days, *words, "--output", name)[:2] == (0, "")
        (tmp_path / f"other.{name}").write_bytes((tmp_path / name).read_bytes())
        both = (name, f"other.{name}")
        assert run("merge", *both, "--twice", "--output", f"two.{name}")[:2] == (0, "")
        whole(tmp_path, days)
        _, own, _ = run("evaluate", "all.csv", *words, "--format", "json")
        _, once, _ = run("evaluate", name, "--counts", "--format", "json")
        _, twice, _ = run("evaluate", f"two.{name}", "--counts", "--format", "json")
        own, once, twice = (json.loads(text)["table"] for text in (own, once, twice))
        assert once == own
        assert twice == {cell: 2 * n for cell, n in own.items()}


@pytest.mark.slow
def test_small_cells_are_joined_and_small_groups_left_out(run, tmp_path):
    rows = [
        f"{k % 3 == 0:d},{k * 7 % 1000 / 1000},{'few' if k < 8 else 'many'}\n" for k in range(1000)
    ]
    (tmp_path / "d.csv").write_text("ill,risk,sex\n" + "".join(rows))
    words = ["count", "d.csv", *COUNT, "--suppress", "5", "--output", "d.json"]
    assert run(*words) == (0, "", "baserate: d.json written.\n")
    document = json.loads((tmp_path / "d.json").read_text())
    assert min(document["rows"]["cases"]) >= 5
    assert document["groups"] == [["many"]]
    assert document["suppression"] == {"minimum": 5, "cases": 8, "groups": 1}
    for command in ("evaluate", "threshold"):
        _, out, _ = run(command, "d.json")
        told = "below 5 cases, joined before the counts left their site; 8 cases in 1 group"
        assert told in " ".join(out.split())


@pytest.mark.sweep(8, start=7)
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["count", *COUNT, "--output", "x.json"], "FILE must be given"),
        (["count", "day0.csv", *COUNT], "--output must be given"),
        (["count", "day0.csv", *COUNT, "--output", "x.csv"], "must end in .json or .arrow"),
        (["count", "day0.csv", *COUNT, "--output", "day0.csv"], "must not be a file that the"),
        (["count", "day0.csv", "--target", "ill", "--output", "x.json"], "--prediction must be"),
        (["count", "day0.csv", *COUNT, "--prediction", "call", "--output", "x.json"], "beside a"),
        (["count", "gone.csv", *COUNT, "--output", "x.json"], "gone.csv"),
        (["count", "--bad", *COUNT, "--output", "x.json"], "Unknown option: --bad"),
        (["count", "day0.csv", *COUNT, "--suppress", "1", "--output", "x.json"], "minimum"),
        (["count", "day0.csv", "--target", "ill", "--score", "no", "--output", "x.json"], "'no'"),
        (["merge", "day0.csv", "--output", "x.json"], "lacks the count columns"),
        (["merge", "h.json", "day0.csv", "--output", "x.json"], "merge files of one kind"),
        (["merge", "h.json", "--output", "h.json"], "must not be a file that the report"),
        (["merge", "h.json", "--output", "no/x.json"], "Cannot write"),
        (["evaluate", "h.json", "--target", "ill"], "--target has no meaning beside a histogram"),
        (["threshold", "h.json", "--score", "risk"], "--score has no meaning beside a histogram"),
        (["evaluate", "h.json", "--group", "sex"], "--group has no meaning beside a histogram"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_line(run, days, tmp_path, words, why):
    assert run("count", "day1.csv", *COUNT, "--output", "h.json")[0] == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert why in err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_threshold_within_a_bin_is_one_line_on_the_command_line(run, days):
    run("count", "day0.csv", *COUNT, "--suppress", "20", "--output", "h.json")
    code, out, err = run("evaluate", "h.json", "--threshold", "0.41")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("baserate: threshold must not lie between scores that were counted")


@pytest.mark.slow
def test_a_killed_count_leaves_no_file_or_a_whole_one(tmp_path):
    rng = np.random.default_rng(0)
    pairs = zip(rng.random(90_000) < 0.3, rng.random(90_000).tolist(), strict=True)
    rows = "".join(f"{ill:d},{risk!r},x\n" for ill, risk in pairs)
    (tmp_path / "d.csv").write_text("ill,risk,sex\n" + rows)
    words = [*COMMAND, "count", "d.csv", *COUNT, "--output", "h.json"]
    left = set()
    for patience in (*np.linspace(0.2, 3.0, 8), 100):
        (tmp_path / "h.json").unlink(missing_ok=True)
        with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                process.kill()
        left.add((tmp_path / "h.json").exists())
        if (tmp_path / "h.json").exists():
            assert br.ScoreHistogram.load(tmp_path / "h.json").n == 90_000
    assert left == {True, False}


@pytest.mark.slow
def test_counted_scores_are_compared_by_the_names_of_their_files(run, days, tmp_path):
    two = ["day0.arrow", "day1.arrow", "--points", "mcc", "--base-rate", "0.3"]
    for day in days[:2]:
        name = day.replace("csv", "arrow")
        run("count", day, *COUNT[:4], "--suppress", "5", "--output", name)
    code, text, error = run("compare", *two, "--format", "json")
    assert (code, error) == (0, ""), error
    found = json.loads(text)
    assert [one["name"] for one in found["classifiers"]] == ["day0", "day1"]
    for one, day in zip(found["scores"], days, strict=False):
        table = br.evaluate(tmp_path / day.replace("csv", "arrow")).facts
        assert one["suppression"]["minimum"] == 5
        assert one["bins"]["n"] <= table.n
    text = " ".join(run("compare", *two, "--details")[1].split())
    assert "day0: below 5 cases, joined before the counts left their site" in text
    assert "of day1 came counted in" in text


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["day0.arrow"], "A comparison needs two classifiers, and there is one only (day0)"),
        (["day0.arrow", "day1.csv"], "day1.csv holds no histogram of scores"),
        (["day0.arrow", "none.arrow"], "none.arrow does not exist"),
        (["day0.arrow", "day0.arrow", "--cluster", "sex"], "cluster has no meaning beside"),
        (["day0.arrow", "day0.arrow", "--positive", "0"], "positive must be 1"),
        ([], "FILE must be given"),
        (
            ["day0.csv", "--target", "ill", "--prediction", "call,risk"],
            "write --prediction call risk",
        ),
        (
            ["day0.csv", "--target", "ill", "--prediction", "call"],
            "the column that tells them apart: model, --model",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(run, days, args, message):
    run("count", days[0], *COUNT, "--output", "day0.arrow")
    code, out, error = run("compare", *args)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert message in error
