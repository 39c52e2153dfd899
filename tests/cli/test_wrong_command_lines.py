"""Command lines that a new user gets wrong: one line says what to write, and nothing is written."""

from pathlib import Path

import pytest

ROWS = [(1, 1, 0.9), (0, 0, 0.2), (1, 0, 0.4), (0, 1, 0.6), (1, 1, 0.8), (0, 0, 0.1)]
FILES = {
    "t.csv": "label,pred,score,other,same\n" + "".join(f"{y},{p},{s},{y},a\n" for y, p, s in ROWS),
    "gap.csv": "label,pred\n1,1\n0,\n1,0\n",
    "beyond.csv": "label,score\n1,1.5\n0,0.2\n",
    "twice.csv": "label,pred,pred\n1,1,0\n0,0,1\n",
    "three.csv": "label,pred\na,a\nb,c\nc,a\n",
    "integers.csv": "label,score\n0,9007199254740992\n1,9007199254740993\n1,0.5\n",
    "buy.toml": "[utilities.buy]\nwin = 10\nlose = -1\n[utilities.pass]\nwin = 0\nlose = 0\n",
}
BOTH = "--target label --prediction pred"
SCORED = "--target label --score score"
TWO = "--target label --prediction pred other --positive 1"
WRONG = {  # what is typed: what the line says
    f"evaluate t.csv {BOTH} --output r.html --require recal>=0.8": "Did you mean 'recall'?",
    f"evaluate t.csv {BOTH} --output r.html --require recall>=80": "write 0.8",
    f"evaluate t.csv {BOTH} --output r.html --require recall>=80%": "write 0.8",
    f"evaluate t.csv {BOTH} --output r.html --require recall=>0.8": "NAME >= NUMBER",
    f"evaluate t.csv {BOTH} --output r.html --fail-under recall=80": "write 0.8",
    f"evaluate t.csv {BOTH} --output r.html --require recall>=0.8@lwo": "recall >= 0.8@low",
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
    f"evaluate gap.csv {BOTH} --output r.html": "--missing drop",
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
    f"evaluate twice.csv {BOTH}": "'pred'",
    f"evaluate three.csv {BOTH} --base-rate 0.5": "speaks of one positive class, and there are 3",
    f"evaluate t.csv {BOTH} --base-rate 0.2 --balanced": "--balanced cannot be given with --base-",
    f"evaluate t.csv {BOTH} --guess luck": "luck",
    f"evaluate t.csv {SCORED} --base-rate 7": "baserate: --base-rate must lie in (0, 1)",
    f"evaluate t.csv {SCORED} --threshold half": "No metric is called 'half'",
    f"evaluate t.csv {SCORED} --threshold base_rate": "threshold cannot be chosen by base_rate",
    f"evaluate t.csv {SCORED} --fold pred": "fold has no meaning unless a metric cuts the score",
    f"evaluate t.csv {SCORED} --threshold mcc --prediction pred": "drop the predictions",
    "evaluate t.csv --target label --prediction nope": "baserate: t.csv has no column",
    "threshold t.csv --score score": "--target must be given",
    "threshold t.csv --target label": "--score must be given",
    "threshold t.csv --target label --score scroe": "Did you mean 'score'",
    "threshold t.csv --target label --score z*": "baserate: --score must name columns",
    f"threshold t.csv {SCORED} --constraint recall": "METRIC >= VALUE",
    f"threshold t.csv {SCORED} --constraint recall>=2": "write recall >= 0.02",
    f"threshold t.csv {SCORED} --constraint recall>=nan": "constraint must have a finite VALUE",
    f"threshold t.csv {SCORED} --default nan": "default must be a finite number, got nan",
    f"threshold t.csv {SCORED} --guess mode": "no meaning unless thresholds are cross-validated",
    f"threshold t.csv {SCORED} --group same --fold pred": "baserate: --group has no meaning",
    f"threshold t.csv {SCORED} --fold label": "fold must differ from target, got 'label'",
    f"threshold t.csv {SCORED} --fold score": "fold must differ from score, got 'score'",
    f"threshold integers.csv {SCORED}": "beyond 2^53",
    f"threshold t.csv {SCORED} --fold pred --constraint recall>=0.5": "constraint has no meaning",
    f"threshold t.csv {SCORED} --resamples 0": "baserate: --resamples must be a whole number",
    f"threshold t.csv {SCORED} --confidence 2": "baserate: --confidence must lie in (0, 1)",
    f"threshold t.csv {SCORED} --top 99": "baserate: --top must be at most the number of cases",
    "audit t.csv --prediction pred --group other": "--target must be given",
    "compare t.csv --target label": "--prediction must be given unless --score is",
    "compare t.csv --target label --prediction pred pred": "must name each column once",
    "compare t.csv --target label --prediction p*": "baserate: --prediction must name a column",
    "compare t.csv --target label --score score score": "baserate: --score must name each column",
    "compare t.csv --target label --score s*": "baserate: --score must name a column for each",
    f"compare t.csv {TWO} --utility none.toml": "none.toml",
    f"compare t.csv {TWO} --utility buy.toml --cost fp=1,fn=2": "cost has no meaning beside util",
    f"compare t.csv {TWO} --cost fp=1": "and of a false negative",
    f"compare t.csv {TWO} --cost fp=1,fn=1e308": "from -1e+100 to 1e+100",
    f"compare t.csv {TWO} --cost fp=0,fn=0": "make some error cost",
    f"compare t.csv {TWO} --base-rate 0.5,1.5": "must lie in (0, 1)",
    f"compare t.csv {TWO} --base-rate half": "shares with commas",
    f"compare t.csv {TWO} --points mcc": "none is given",
    "compare t.csv --counts --prediction pred": "for tables that were counted elsewhere (--coun",
    "compare t.csv --counts": "lacks the count columns",
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
