"""Command lines that a new user gets wrong: one line says what to write, and nothing is written."""

from pathlib import Path

import pytest

ROWS = [(1, 1, 0.9), (0, 0, 0.2), (1, 0, 0.4), (0, 1, 0.6), (1, 1, 0.8), (0, 0, 0.1)]
FILES = {
    "t.csv": "label,pred,score\n" + "".join(f"{y},{p},{s}\n" for y, p, s in ROWS),
    "empty.csv": "",
    "header.csv": "label,pred\n",
    "gap.csv": "label,pred\n1,1\n0,\n1,0\n",
    "one.csv": "label,pred\n1,1\n1,0\n",
    "other.csv": "label,pred\nyes,1\nno,0\n",
    "words.csv": "label,score\n1,high\n0,low\n",
    "beyond.csv": "label,score\n1,1.5\n0,0.2\n",
    "fake.parquet": "label,pred\n1,1\n0,0\n",
}
BOTH = "--target label --prediction pred"
SCORED = "--target label --score score"
WRONG = {  # what is typed: what the line says
    f"evaluate t.csv {BOTH} --output r.html --require recal>=0.8": "Did you mean 'recall'?",
    f"evaluate t.csv {BOTH} --output r.html --require recall>=80": "write 0.8",
    f"evaluate t.csv {BOTH} --output r.html --require recall>=80%": "write 0.8",
    f"evaluate t.csv {BOTH} --output r.html --require recall=>0.8": "NAME >= NUMBER",
    f"evaluate t.csv {BOTH} --output r.html --fail-under recall=80": "write 0.8",
    f"evaluate t.csv {BOTH} --output r.html --require recall>=0.8@lwo": "recall >= 0.8@low",
    f"evaluate t.csv {BOTH} --output r.html --metrics recal": "Did you mean 'recall'?",
    f"evaluate t.csv {BOTH} --output r.html --group site": "no column 'site'",
    f"evaluate t.csv {BOTH} --output r.html --positive 2": "label holds 0, 1",
    f"evaluate t.csv {BOTH} --output r.html --cost fn=-10,fp=1": "must lie in [0, inf)",
    f"evaluate t.csv {BOTH} --output r.html --cost 10:1": "fp=1,fn=20",
    f"evaluate t.csv {BOTH} --output r.html --base-rate 3": "pass a share",
    f"evaluate t.csv {BOTH} --output r.html --base-rate 3%": "write 0.03",
    f"evaluate t.csv {BOTH} --output r.html --confidence 95": "0.95 is usual",
    f"evaluate t.csv {BOTH} --output r.html --level 95": "Did you mean --confidence?",
    f"evaluate t.csv {BOTH} --output r.html --pos-label 1": "Did you mean --positive?",
    f"evaluate t.csv {BOTH} --output r.html --sample-weight w": "Did you mean --weight?",
    f"evaluate t.csv {BOTH} --output r.docx": ".html",
    f"evaluate t.csv {BOTH} --output r.html --plot r.xyz": ".svg",
    "evaluate t.csv --target lable --prediction pred --output r.html": "Did you mean 'label'?",
    "evaluate t.csv --target label --output r.html": "--prediction must be given",
    "evaluate t.csv --output r.html": "--target must be given",
    "evaluate": "FILE must be given",
    f"evaluate none.csv {BOTH} --output r.html": "does not exist",
    f"evaluate fake.parquet {BOTH} --output r.html": "cannot be read",
    f"evaluate empty.csv {BOTH} --output r.html": "is empty",
    f"evaluate header.csv {BOTH} --output r.html": "holds no rows",
    f"evaluate gap.csv {BOTH} --output r.html": "--missing drop",
    f"evaluate one.csv {BOTH} --output r.html": "one class only",
    f"evaluate other.csv {BOTH} --output r.html": "must use the same labels",
    f"evaluate words.csv {SCORED} --output r.html": "'high'",
    f"evaluate beyond.csv {SCORED} --output r.html": "pass threshold",
    f"evaluate t.csv {SCORED} --output r.html --threshold 30": "as a share, 0.3",
    f"evaluate t.csv {SCORED} --output r.html --threshold 20%": "write 0.2, or 20 where",
    f"evaluate t.csv {BOTH} --prediction label --output r.html": "compare takes several",
    f"evaluate t.csv {BOTH} --output r.html --require p<=0.05": "A p-value is no promise",
    f"audit t.csv {BOTH} --group score --reference 0.1-0.4 --output r.html": "write 0.1..0.4",
    "sample-size --only-a 0.1 --only-b 0.2": "takes --base-rate, --auc, --lp-mean, --lp-sd",
    "sample-size recall>=0.8@low": "--expected must be known",
    "sample-size difference --only-a 70 --only-b 4": "--only-a, --only-b must be two shares",
    "evaluate t.csv --target label --prediction score --output r.html": "pass them as score",
    f"audit t.csv {BOTH} --output r.html": "--group",
    f"audit t.csv {BOTH} --group score --reference D --output r.html": "It may be rest",
    f"compare t.csv {BOTH} --output r.html": "two classifiers",
    "compare t.csv --target label --prediction pred,score": "--prediction pred score",
    "sample-size recall --width 5 --expected .85": "must be less than 1, as recall lies in 0 to 1",
    "sample-size roc_auc --width 1 --auc .8 --base-rate .3": "must lie in (0, 1)",
    f"threshold t.csv {BOTH} --output r.html": "Did you mean --score?",
    f"threshold t.csv {SCORED} --cost fn=10 --output r.html": "fp=1,fn=20",
    "sample-size recall>=0.8@low --expected 0.7": "no number of cases shows what is not so",
    "sample-size power": "No question is called 'power'",
    "evalaute t.csv": 'Did you mean "evaluate"?',
}


@pytest.mark.parametrize("typed", WRONG)
def test_one_line_says_what_to_write(run, typed):
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    code, out, told = run(*typed.split())
    assert code == 2
    assert out == ""
    assert told.count("\n") == 1
    assert WRONG[typed] in told
    assert {path.name for path in Path().iterdir()} == {*FILES}
