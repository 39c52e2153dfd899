"""Files of counts are known by their columns, on the command line and in calls."""

import json

import pytest

import baserate as br
from baserate.cli import main
from baserate.evaluation import CountsFile

ROWS = [
    {"site": "North", "tp": 40, "fn": 10, "fp": 5, "tn": 45},
    {"site": "South", "tp": 30, "fn": 20, "fp": 9, "tn": 41},
]
NAMED = {row["site"]: {k: n for k, n in row.items() if k != "site"} for row in ROWS}
CSV = "site,tp,fn,fp,tn\nNorth,40,10,5,45\nSouth,30,20,9,41\n"
FORMS = {
    "rows.json": json.dumps(ROWS),
    "spaced.json": json.dumps(ROWS, indent=2),
    "lines.json": "\n".join(map(json.dumps, ROWS)),
    "named.json": json.dumps(NAMED),
    "spaced_named.json": json.dumps(NAMED, indent=2),
    "table.csv": CSV,
    "capitals.csv": CSV.replace("tp,fn,fp,tn", "TP,FN,FP,TN"),
    "table.tsv": CSV.replace(",", "\t"),
}


@pytest.fixture(params=FORMS)
def counts(request, tmp_path):
    path = tmp_path / request.param
    path.write_text(FORMS[request.param])
    return str(path)


@pytest.mark.sweep(8, start=4)
def test_no_word_is_needed(counts, capsys):
    for door in ("audit", "evaluate", "compare"):
        assert main([door, counts, "--format", "json"]) == 0
        alone = json.loads(capsys.readouterr().out)
        assert main([door, "--counts", counts, "--format", "json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert {**alone, "baserate": 0} == {**told, "baserate": 0}
    for one in (br.audit(counts), br.audit(CountsFile.each(counts))):
        assert one["recall", "North"].value == 0.8
        assert one["recall", "South"].value == 0.6
    assert br.evaluate(counts)["recall", "South"].value == 0.6
    assert br.compare(counts)["difference(accuracy)", "North", "South"].value == pytest.approx(0.14)


def test_other_files_are_asked_for_their_columns(tmp_path, capsys):
    for name, text in (
        ("cases.csv", "tp,fn,site\n1,0,a\n"),
        ("cases.json", json.dumps([{"tp": 1, "fn": 2}, ROWS[0]])),
        ("empty.csv", ""),
        ("binary.parquet", "PAR1\x00tp,fn,fp,tn"),
    ):
        (tmp_path / name).write_text(text)
        assert main(["audit", str(tmp_path / name)]) == 2
        assert "--target must be given" in capsys.readouterr().err
    # Whoever names a column has cases.
    (tmp_path / "table.csv").write_text(CSV)
    assert main(["audit", str(tmp_path / "table.csv"), "--target", "site"]) == 2
    assert "--prediction must be given" in capsys.readouterr().err


def test_names_whose_values_are_no_tables_are_refused(tmp_path, capsys):
    (tmp_path / "odd.json").write_text(json.dumps({**NAMED, "East": {"tp": 1}}))
    assert main(["audit", "--counts", str(tmp_path / "odd.json")]) == 2
    assert "baserate: " in capsys.readouterr().err


def test_two_columns_of_an_item_are_named_in_one_line(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    rows = [(q, run, m, (q + run) % 2) for q in (1, 2) for run in (1, 2) for m in ("a", "b")]
    lines = ["question,run,model,right", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines))
    typed = ["compare", str(path), "--model", "model", "--correct", "right", "--id", "question"]
    assert main([*typed, "run"]) == 2
    told = capsys.readouterr().err
    assert "run is a column of " in told
    assert "--id takes one column, the item, and several rows of an item are its runs" in told
    assert main([*typed, "nowhere.csv"]) == 2
    assert "nowhere.csv does not exist" in capsys.readouterr().err
    assert main(typed) == 0
