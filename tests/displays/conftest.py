"""Real cases for pictures."""

import csv
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from baserate import sweep

mpl.use("Agg")
EXAMPLES = Path(__file__).parents[2] / "examples"


def read(file, truth, positive):
    with (EXAMPLES / file).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    labels = np.array([row[truth] == positive for row in rows])
    return labels, np.array([float(row["score"]) for row in rows]), rows


@pytest.fixture(scope="session")
def affairs():
    """Return labels, probabilities and rows of 6,366 women."""
    return read("affairs.csv", "affair", "yes")


@pytest.fixture(scope="session")
def tumours():
    """Return labels, probabilities and rows of 569 tumours."""
    return read("breast_cancer.csv", "diagnosis", "malignant")


@pytest.fixture(scope="session")
def affairs_swept(affairs):
    return sweep(*affairs[:2])


@pytest.fixture(autouse=True)
def _closed():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")
