"""Make the example tables: out-of-fold predictions on data that packages bundle, and made up ones.

Run ``python examples/make_tables.py`` with scikit-learn and statsmodels installed; it rewrites
``breast_cancer.csv`` and ``affairs.csv`` beside this file, where every prediction was made by a
model that had not seen its row, and ``two_models.csv`` and ``answers.csv``, which are made up.
"""

import csv
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from statsmodels.datasets import fair

HERE = Path(__file__).parent
FOLDS = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
# Codes as documented in statsmodels.datasets.fair.
OCCUPATION = {
    1: "student",
    2: "farming, unskilled",
    3: "white-collar",
    4: "teacher, nurse, skilled",
    5: "managerial, business",
    6: "professional",
}


def out_of_fold(model, features, positive):
    """Return each row's score from the fold that held it out."""
    return cross_val_predict(model, features, positive, cv=FOLDS, method="predict_proba")[:, 1]


def write(name, header, rows):
    """Write one table."""
    with (HERE / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def breast_cancer():
    """569 tumours of the Wisconsin data; positive is malignant."""
    data = load_breast_cancer()
    malignant = data.target == 0
    model = make_pipeline(StandardScaler(), LogisticRegression())
    score = out_of_fold(model, data.data, malignant)
    label = {True: "malignant", False: "benign"}
    rows = [
        (label[y], label[s >= 0.5], f"{s:.4f}")
        for y, s in zip(malignant.tolist(), score, strict=True)
    ]
    write("breast_cancer.csv", ("diagnosis", "predicted", "score"), rows)


def affairs():
    """6,366 women who answered a magazine in 1974; positive is at least one affair (Fair 1978)."""
    data = fair.load_pandas().data
    had_affair = data["affairs"] > 0
    features = data[["rate_marriage", "age", "yrs_married", "children", "religious", "educ"]]
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=1000))
    score = out_of_fold(model, features, had_affair)
    label = {True: "yes", False: "no"}
    rows = [
        (label[y], label[s >= 0.5], f"{s:.4f}", OCCUPATION[int(job)])
        for y, s, job in zip(had_affair.tolist(), score, data["occupation"], strict=True)
    ]
    write("affairs.csv", ("affair", "predicted", "score", "occupation"), rows)


def two_models():
    """400 made up cases of three sites: a probability, and what an old and a new model call."""
    rng = np.random.default_rng(11)
    risk = rng.beta(1.2, 2.4, 400)
    label = (rng.random(400) < risk).astype(int)
    old, new = (((risk > 0.4) ^ (rng.random(400) < share)).astype(int) for share in (0.05, 0.25))
    site = rng.choice(["north", "south", "west"], 400, p=[0.6, 0.3, 0.1])
    rows = zip(label, (f"{p:.4f}" for p in risk), old, new, site, strict=True)
    write("two_models.csv", ("label", "probability", "old", "new", "site"), rows)


def answers():
    """80 made up questions of 16 topics, asked thrice, each answer judged by two annotators."""
    rng = np.random.default_rng(1)
    question = np.repeat(np.arange(80), 3)
    easy = rng.beta(4, 1.5, 16)[question // 5]
    right = rng.random(240) < easy
    verdicts = [np.where(rng.random(240) < 0.1, ~right, right) for _ in range(2)]
    words = [np.where(verdict, "right", "wrong") for verdict in verdicts]
    rows = zip(question, question // 5, *words, strict=True)
    write("answers.csv", ("question", "topic", "judge_1", "judge_2"), rows)


if __name__ == "__main__":
    breast_cancer()
    affairs()
    two_models()
    answers()
