"""What new users come with is done by one command, whose first lines answer the question."""

import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(1)


def decided(truth, recall, alarms):
    luck = RNG.random(len(truth))
    return np.where(truth == 1, luck < recall, luck < alarms).astype(int)


def write():
    """Write tables whose truth is known, the same every time."""
    RNG.bit_generator.state = np.random.default_rng(1).bit_generator.state
    y = (RNG.random(400) < 0.3).astype(int)
    old = decided(y, 0.8, 0.12)
    new = np.where(RNG.random(400) < 0.8, old, decided(y, 0.97, 0.03))
    pd.DataFrame({"label": y, "old": old, "new": new}).to_csv("models.csv", index=False)
    risk = 1 / (1 + np.exp(2 - 1.2 * RNG.normal(size=2000)))
    ill = (RNG.random(2000) < risk).astype(int)
    visits = {"y": ill, "risk": risk, "patient": np.arange(2000) // 4}
    pd.DataFrame(visits).to_csv("risk.csv", index=False)
    sex, race = RNG.choice(["f", "m"], 6000), RNG.choice(["white", "black"], 6000, p=[0.7, 0.3])
    y = (RNG.random(6000) < 0.4).astype(int)
    worse = (sex == "f") & (race == "black")
    people = {"sex": sex, "race": race, "y": y, "pred": decided(y, np.where(worse, 0.6, 0.8), 0.15)}
    people["hired"] = (RNG.random(6000) < np.where(race == "black", 0.2, 0.3)).astype(int)
    pd.DataFrame(people).to_csv("people.csv", index=False)
    month = np.repeat([f"2026-{m:02}" for m in range(1, 13)], 300)
    y = (RNG.random(3600) < 0.3).astype(int)
    recall = np.where(month >= "2026-10", 0.6, 0.85)
    months = {"month": month, "y": y, "pred": decided(y, recall, 0.1)}
    pd.DataFrame(months).to_csv("months.csv", index=False)
    a = (RNG.random(500) < 0.7).astype(int)
    b = np.where(RNG.random(500) < 0.8, a, RNG.random(500) < 0.9).astype(int)
    pd.DataFrame({"question": np.arange(500), "A": a, "B": b}).to_csv("bench.csv", index=False)
    human = RNG.choice(["good", "bad"], 300, p=[0.6, 0.4])
    judge = np.where(RNG.random(300) < 0.85, human, np.where(human == "good", "bad", "good"))
    pd.DataFrame({"human": human, "judge": judge}).to_csv("judge.csv", index=False)
    gold = RNG.choice(list("abcd"), 300)
    answer = np.where(RNG.random(300) < 0.7, gold, RNG.choice(list("abcd"), 300))
    pd.DataFrame({"gold": gold, "answer": answer}).to_csv("four.csv", index=False)


BOTH = "compare models.csv --target label --prediction old new"
PEOPLE = "audit people.csv --target y --prediction pred"
TASKS = {  # what is typed: what its first lines hold
    "evaluate models.csv --target label --prediction new --require recall>=0.5@low": "are found",
    f"{BOTH} --metrics f1 --fail-on-worse": "F1: ",
    f"{BOTH} --metrics recall --margin 0.05": "worse than old by more than 0.05 in recall",
    "threshold risk.csv --target y --score risk --cost fn=10,fp=1": "Cost per case is lowest",
    "sample-size recall --width 0.1 --expected 0.85 --base-rate 0.1": "195 positives, in about",
    "sample-size sensitivity>=0.8@low --expected 0.9 --base-rate 0.1": "positives, in about",
    "sample-size difference --only-a 0.15 --only-b 0.12 --power 0.8": "2,350 cases show",
    "sample-size roc_auc --base-rate 0.1 --auc 0.75 --width 0.1": "the ROC area asks for so many",
    "sample-size calibration --base-rate 0.1 --auc 0.75": "calibration slope asks for so many",
    "evaluate risk.csv --target y --score risk": "ROC area",
    "evaluate risk.csv --target y --score risk --threshold 0.1": "net benefit",
    "evaluate models.csv --target label --prediction new --base-rate 0.03 --metrics ppv,npv": (
        "At a base rate of 0.03"
    ),
    "evaluate risk.csv --target y --score risk --threshold 0.2 --cluster patient": "500 clusters",
    "audit people.csv --prediction hired --group race --metrics four-fifths": "Adverse impact",
    f"{PEOPLE} --group sex --metrics equal_opportunity": "sex f: recall",
    f"{PEOPLE} --group sex race --metrics recall": "sex f, race black: recall",
    "audit months.csv --target y --prediction pred --group month --metrics recall "
    "--reference 2026-01..2026-06": "lower than",
    "sample-size gap(recall) --gap -0.1 --reference 256,64,96,384": "positives, in about",
    "evaluate judge.csv --target human --prediction judge --positive good --metrics kappa": "kappa",
    "compare bench.csv --correct A B --id question": "B is better than A",
    "evaluate four.csv --target gold --prediction answer --metrics macro_f1": "Macro F1 is",
}


@pytest.fixture(autouse=True)
def tables(run):
    write()


@pytest.mark.sweep(4)
@pytest.mark.parametrize("typed", TASKS)
def test_one_command_answers(run, typed):
    code, out, told = run(*typed.split())
    assert code == 0, told
    answer = " ".join(out.split("\n\n")[0].split())
    assert TASKS[typed] in answer


def test_a_contract_in_a_file(run):
    with open("baserate.toml", "w", encoding="utf-8") as file:
        file.write('[evaluate]\nrequire = ["recall >= 0.8", "precision >= 0.99"]\n')
    code, _, told = run("evaluate", "models.csv", "--target", "label", "--prediction", "new")
    assert code == 1
    assert "precision" in told
    assert "under 0.99" in told
