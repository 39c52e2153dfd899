"""--fail-under and --fail-over: the value, the end of its interval, and every group."""

import json

import pytest
from scipy.stats import beta

GROUP_A = "1,1,a\n" * 13 + "1,0,a\n" * 3 + "0,0,a\n" * 10
GROUP_B = "1,1,b\n" + "1,0,b\n0,0,b\n" * 2
HEADER = "y,p,g\n"


@pytest.fixture
def judge(run, tmp_path):
    (tmp_path / "d.csv").write_text(HEADER + GROUP_A + GROUP_B)
    (tmp_path / "a.csv").write_text(HEADER + GROUP_A)

    def call(*words, file="a.csv"):
        fixed = ["evaluate", file, "--target", "y", "--prediction", "p", "--metrics", "f1"]
        code, out, err = run(*fixed, "--format", "json", *words)
        if code < 2:
            assert len(json.loads(out)["metrics"]) > 1  # what is judged is shown
        return code, err

    return call


def test_24_of_24_do_not_vouch_for_0_9(judge, tmp_path):
    # A recall of 0.9 finds 24 of 24 in 8% of samples; Jeffreys' quantile, 0.902, let it pass.
    (tmp_path / "all.csv").write_text("y,p\n" + "1,1\n" * 24 + "0,0\n" * 10)
    code, err = judge("--fail-under", "recall=0.9@low", file="all.csv")
    shown = f"{0.025 ** (1 / 24):.6g}"
    said = f"the lower end of the 95% Clopper-Pearson interval of recall is {shown}, under 0.9"
    said += "; whether it is under 0.9 cannot be told: it may be 1"
    assert (code, err) == (1, f"baserate: failed: {said}\n")
    code, err = judge("--fail-under", "recall=0.9", file="all.csv")
    assert (code, "passed, but the data are compatible with 0.858" in err) == (0, True)


@pytest.mark.slow
def test_what_no_share_decides_is_judged_by_the_posterior_and_called_so(judge, tmp_path):
    code, err = judge("--fail-under", "mcc=0.9@low")
    assert (code, "the lower end of the 95% posterior interval of matthews" in err) == (1, True)
    (tmp_path / "w.csv").write_text(
        "y,p,w\n" + "1,1,2.5\n" * 20 + "1,0,1\n" * 4 + "0,0,1\n" * 9 + "0,1,0.5\n" * 5
    )
    code, err = judge("--weight", "w", "--fail-under", "mcc=0.9@low", file="w.csv")
    assert (code, "95% approximate (weighted) posterior interval of matt" in err) == (1, True)


@pytest.mark.parametrize("option", ["--weight", "--cluster"])
def test_weights_and_clusters_open_no_gate_that_independent_cases_do_not(judge, tmp_path, option):
    """24 of 24, each of weight 3, or a cluster of its own; 24 of 24 classes of three as well."""
    column = {"--weight": lambda _: 3, "--cluster": lambda row: row}[option]
    for cells, gate in (
        (("1,1",) * 24 + ("0,0",) * 10, ["recall=0.9@low"]),
        (("a,a", "b,b", "c,c") * 8, ["accuracy=0.9@low", "macro_f1=0"]),
    ):
        rows = [f"{cell},{column(row)}\n" for row, cell in enumerate(cells)]
        (tmp_path / "all.csv").write_text("y,p,x\n" + "".join(rows))
        code, err = judge(option, "x", "--fail-under", *gate, file="all.csv")
        assert f") Clopper-Pearson interval of {gate[0].split('=')[0]} is 0.857526" in err
        assert code == 1


def test_f1_has_the_limit_of_the_share_that_decides_it(judge):
    # 13 of 16 decide it: J from Beta(13, 4), F1 = 2 J / (1 + J).
    j = beta.ppf(0.025, 13, 4)
    low = 2 * j / (1 + j)
    assert judge("--fail-under", f"f1={low - 1e-6}@low", "recall=0") == (0, "")
    assert judge("--fail-under", f"f1={low + 1e-6}@low", "recall=0")[0] == 1


@pytest.mark.slow
def test_metrics_of_which_less_is_better(judge):
    high = beta.ppf(0.975, 4, 13)
    assert judge("--fail-over", f"false_negative_rate={high + 1e-6}@high") == (0, "")
    code, err = judge("--fail-over", "miss_rate=0.1")
    assert (code, err) == (1, "baserate: failed: false_negative_rate is 0.1875, over 0.1\n")
    code, err = judge("--fail-over", "fnr=0.2")
    assert code == 0
    assert f"the data are compatible with {high:.3g}" in err
    assert "--fail-over fnr=0.2@high demands" in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--fail-under", "recall"], "METRIC=VALUE"),
        (["--fail-under", "recall=high"], "METRIC=VALUE"),
        (["--fail-under", "recall=nan"], "METRIC=VALUE"),
        (["--fail-under", "recall=0.8@lower"], "recall=0.8@low"),
        (["--fail-under", "recall=0.8@low@high"], "recall=0.8@low"),
        (["--fail-under", "error_rate=0.1"], "write --fail-over error_rate=0.1"),
        (["--fail-over", "recall=0.1"], "write --fail-under recall=0.1"),
    ],
)
def test_what_is_no_contract(judge, words, expected):
    code, err = judge(*words)
    assert (code, expected in err, err.count("\n")) == (2, True, 1)


@pytest.mark.slow
def test_a_metric_is_judged_where_it_is_stated(judge):
    """At base rate 0.5, recall 13/16 and no false alarms give F1 = 2 * 13 / (2 * 13 + 3)."""
    plain, restated = "f1=0.89", "f1.at_base_rate(0.9)=0.89"
    for words in (["--fail-under", restated, plain], ["--fail-under", plain, restated]):
        code, err = judge(*words)
        assert "passed, but" in err
        assert code == 0
    code, err = judge("--fail-under", "f1.at_base_rate(0.5)=0.9")
    assert (code, f"f1.at_base_rate(0.5) is {26 / 29:.6g}, under 0.9" in err) == (1, True)
    code, err = judge("--base-rate", "0.3", "--fail-under", "f1.at_base_rate(0.5)=0.9", "f1=0.9")
    assert (code, err.count("failed: f1.at_base_rate(0.5) is"), err.count("(0.3) is")) == (1, 1, 1)


@pytest.mark.slow
def test_parameters_and_undefined_values(judge, run, tmp_path):
    code, err = judge("--fail-under", "robust_f(d0=0.1,d1=4)=0.999")
    assert (code, "robust_f(" in err) == (1, True)
    (tmp_path / "n.csv").write_text("y,p\n1,0\n0,0\n")
    code, err = judge("--fail-under", "precision=0.1@low", "recall=0", file="n.csv")
    assert (code, "interval of precision is undefined, so that nothing is shown" in err) == (
        1,
        True,
    )


@pytest.mark.slow
def test_require_judges_any_number_of_the_report(judge, run, tmp_path):
    low = beta.ppf(0.025, 13, 4)
    assert judge("--require", f"recall >= {low - 1e-6}@low", "specificity >= 1")[0] == 0
    code, err = judge("--require", "recall >= 0.9", "--require", "precision<=0.5", "--fail-under",
                      "recall=0.95")  # fmt: skip
    assert code == 1
    assert err.splitlines() == [
        "baserate: failed: recall is 0.8125, under 0.95",
        "baserate: failed: recall is 0.8125, under 0.9",
        "baserate: failed: precision is 1, over 0.5",
    ]
    (tmp_path / "s.csv").write_text("y,s\n1,0.9\n1,0.4\n0,0.6\n0,0.1\n")
    score = ["evaluate", "s.csv", "--target", "y", "--score", "s", "--require"]
    brier = (0.01 + 0.36 + 0.36 + 0.01) / 4
    assert run(*score, f"brier_score <= {brier + 1e-9}", "net_benefit(0.5) >= 0")[0] == 0
    code, _, err = run(*score, "roc_auc >= 0.8")
    assert (code, err) == (1, "baserate: failed: roc_auc is 0.75, under 0.8\n")
    code, _, err = run(*score, "recall = 0.8")
    assert (code, "--require must have the form NAME >= NUMBER" in err) == (2, True)


@pytest.mark.slow
def test_require_of_a_comparison(run, tmp_path):
    (tmp_path / "two.csv").write_text("y,new,old\n" + "1,1,1\n1,1,0\n0,0,0\n0,1,0\n" * 5)
    compare = ["compare", "two.csv", "--target", "y", "--prediction", "new", "old", "--require"]
    code, _, err = run(*compare, "difference(recall, new, old) >= 0.6", "recall >= 1@classifiers")
    assert code == 1
    assert "failed: difference(recall, new, old) is 0.5, under 0.6" in err
    assert "failed: recall of classifier old is 0.5, under 1" in err


def test_what_a_file_of_settings_requires(judge, run, tmp_path):
    settings = '[evaluate]\nrequire = ["recall >= 0.9", "f1 >= 0.1"]\n'
    (tmp_path / "baserate.toml").write_text(settings)
    code, _, err = run("evaluate", "a.csv", "--target", "y", "--prediction", "p")
    assert (code, "failed: recall is 0.8125, under 0.9" in err) == (1, True)
