"""Counts of several classes and groups, from one file or from a file per group."""

import json

import pytest

import baserate as br
from baserate.evaluation import CountsFile

NORTH = br.ClassTable([[50, 5, 2], [4, 40, 6], [1, 2, 30]], ["a", "b", "c"])
SOUTH = br.ClassTable([[30, 15, 12], [4, 40, 6], [1, 2, 30]], ["a", "b", "c"])
SITES = {"north": NORTH, "south": SOUTH}


@pytest.fixture
def squares(tmp_path):
    for name, table in SITES.items():
        table.to_frame().to_csv(tmp_path / f"{name}.csv")
    return [tmp_path / "north.csv", tmp_path / "south.csv"]


@pytest.fixture
def long(tmp_path):
    rows = [
        f"{name},{t},{p},{table.counts[i, j]}"
        for name, table in SITES.items()
        for i, t in enumerate(table.labels)
        for j, p in enumerate(table.labels)
    ]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["site,truth,prediction,count", *rows]) + "\n")
    return path


def as_json(run, *given):
    code, out, err = run(*given, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def compared(found):
    """The facts without the name of the group's column and of the source."""
    text = json.dumps(found.to_dict())
    return json.loads(text.replace('"site"', '"name"')) | {"source": None}


@pytest.mark.slow
def test_both_are_what_tables_in_memory_are(run, squares, long):
    wanted = compared(br.audit(SITES).facts)
    for given in (squares, [long]):
        found = json.dumps(as_json(run, "audit", "--counts", *given)).replace('"site"', '"name"')
        found = json.loads(found) | {"source": None}
        del found["baserate"]
        assert found == wanted
    assert compared(br.audit(CountsFile.each(long)).facts) == wanted
    named = dict(zip(SITES, squares, strict=True))
    assert compared(br.audit(CountsFile.each(named)).facts) == wanted
    assert br.audit(CountsFile.each(named)).facts.source == "north.csv, south.csv"


def test_one_class_against_the_rest(run, squares, long):
    rest = {name: table.one_vs_rest("b") for name, table in SITES.items()}
    wanted = br.audit(rest).facts
    for given in (squares, [long]):
        found = as_json(run, "audit", "--counts", *given, "--positive", "b")
        p_values = [[f["p_value"] for f in group["metrics"]] for group in found["groups"]]
        assert p_values == [[f.p_value for f in group.findings] for group in wanted.groups]


def test_evaluation_shows_the_groups(long):
    facts = br.evaluate(CountsFile.each(long)).facts
    assert [dict(group.group) for group in facts.groups] == [{"site": "north"}, {"site": "south"}]
    assert facts.table == NORTH + SOUTH


@pytest.mark.parametrize("door", ["audit", "compare"])
def test_files_of_other_kinds_are_refused_in_one_line(run, squares, long, door):
    code, out, err = run(door, "--counts", squares[0], long)
    assert (code, out) == (2, "")
    assert err.endswith("holds tables of several groups, not one class table: pass it alone, or "
                        "one class table per file.\n")  # fmt: skip


def test_a_comparison_says_what_to_do_with_groups(run, long):
    code, out, err = run("compare", "--counts", long)
    assert (code, out) == (2, "")
    assert "or pass a file for each classifier" in err


def test_files_without_counts_are_one_table(run, squares):
    code, out, err = run("audit", *squares, "--target", "y", "--prediction", "p", "--group", "g")
    assert (code, out) == (2, "")
    assert "got 2 files: pass a pattern" in err


@pytest.mark.parametrize("header", ["site,truth,prediction,n", "site,Truth,Prediction,n"])
def test_cells_without_their_count_are_told_what_is_missing(run, tmp_path, header):
    (tmp_path / "cells.csv").write_text(f"{header}\nx,a,a,5\nx,b,a,1\ny,b,b,2\n")
    code, out, err = run("audit", "cells.csv", "--counts")
    assert (code, out) == (2, "")
    assert "cells.csv has columns truth and prediction and lacks one called count" in err
    assert "'n'" in err


@pytest.mark.slow
def test_columns_of_a_long_file_come_in_any_order_and_cells_more_than_once(run, tmp_path):
    """Two group columns; the cell (x, old, a called a) stands in two rows of 4 and 6 cases."""
    (tmp_path / "cells.csv").write_text(
        "count,prediction,site,age,truth\n4,a,x,old,a\n6,a,x,old,a\n5,b,x,old,b\n5,a,x,old,b\n"
        "3,a,y,young,a\n7,b,y,young,a\n9,b,y,young,b\n1,a,y,young,b\n"
    )
    code, out, err = run("audit", "cells.csv", "--counts", "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["table"]["counts"] == [[13, 7], [6, 14]]
    accuracy = {
        tuple(group["group"].values()): group["metrics"][0]["value"] for group in found["groups"]
    }
    assert accuracy == {("x", "old"): 15 / 20, ("y", "young"): 12 / 20}
