"""What every display of scores offers: scikit-learn's ways in, styles, frames, no matplotlib."""

import copy
import pickle
import subprocess
import sys
from operator import attrgetter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import baserate as br
from baserate._result import Drawable
from baserate.displays import DecisionCurveDisplay, PrecisionRecallDisplay, RocDisplay
from baserate.errors import InvalidArgumentError, LabelError

DISPLAYS = [RocDisplay, PrecisionRecallDisplay, DecisionCurveDisplay]
X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :3]
PETALS, FLOWER = load_iris(return_X_y=True)
SPECIES = LogisticRegression(C=0.1).fit(PETALS[:, :2], FLOWER).predict_proba(PETALS[:, :2])
RNG = np.random.default_rng(20264)
W = RNG.random(len(Y))
MODEL = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
SCORE = MODEL.predict_proba(X)[:, 1]

each = pytest.mark.parametrize("display", DISPLAYS)

TABLE = br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
OTHER = br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
U = br.UtilityMatrix([[15, -335], [-35, 165]])


def curve(display):
    """Return what is drawn as the one curve."""
    [line] = display.artists_["curve"]
    return np.array(line.get_data())


@pytest.mark.sweep(3)
@each
def test_from_estimator_is_from_predictions(display):
    found = display.from_estimator(MODEL, X, Y)
    assert_array_equal(curve(found), curve(display.from_predictions(Y, SCORE)))
    assert found.figure_ is found.ax_.figure
    assert any("Pipeline" in mark.name for mark in found.picture.of("curve"))
    named = display.from_estimator(MODEL, X, Y, name="mine", sample_weight=W)
    assert named.picture.of("curve")[0].name.startswith("mine")


def test_the_other_class_can_be_the_positive_one():
    benign, malignant = (RocDisplay.from_estimator(MODEL, X, Y, pos_label=k) for k in (1, 0))
    assert_allclose(curve(malignant)[::-1, ::-1], 1 - curve(benign), atol=1e-12)
    theirs = RocCurveDisplay.from_estimator(MODEL, X, Y, pos_label=0, drop_intermediate=False)
    assert set(curve(malignant)[1]) <= set(theirs.tpr)
    with pytest.raises(LabelError, match="pos_label must be one of"):
        RocDisplay.from_estimator(MODEL, X, Y, pos_label=7)


def test_decision_functions_are_scores():
    machine = LinearSVC().fit(X, Y)
    found = RocDisplay.from_estimator(machine, X, Y)
    theirs = RocCurveDisplay.from_estimator(machine, X, Y)
    assert set(theirs.tpr) >= set(curve(found)[1])


def test_what_is_no_classifier_of_two_classes_is_refused():
    many = LogisticRegression(max_iter=500).fit(*load_iris(return_X_y=True))
    for wrong, given in ((many, "LogisticRegression with 3"), (StandardScaler(), "StandardScaler")):
        with pytest.raises(InvalidArgumentError, match=f"two classes, got '?{given}"):
            RocDisplay.from_estimator(wrong, X, Y)


@pytest.mark.sweep(3, start=1)
@each
def test_columns_of_any_library_and_strings(display):
    expected = curve(display.from_predictions(Y, SCORE))
    words = np.where(Y == 1, "benign", "malignant")
    for frame in (pd.DataFrame, pl.DataFrame):
        data = frame({"y": words, "p": SCORE})
        found = display.from_predictions(data["y"], data["p"], pos_label="benign")
        assert_array_equal(curve(found), expected)


@each
def test_groups_and_classifiers_on_the_same_axes(display):
    groups = np.where(np.arange(len(Y)) % 3 == 0, "a", "b")
    found = display.from_predictions(Y, SCORE, groups=groups)
    assert len(found.artists_["curve"]) == 2
    both = display.from_predictions(Y, {"one": SCORE, "other": SCORE**2})
    assert [m.name.split(":")[0] for m in both.picture.of("curve")] == ["one", "other"]
    with pytest.raises(InvalidArgumentError, match="groups cannot go with several classifiers"):
        display.from_predictions(Y, {"one": SCORE, "other": SCORE}, groups=groups)
    with pytest.raises(InvalidArgumentError, match="name can name one curve only"):
        display.from_predictions(Y, SCORE, groups=groups, name="x")
    alone = display.from_estimator(MODEL, X, Y, groups=groups, plot=False)
    assert len(alone.sweeps) == 2


@pytest.mark.sweep(3, start=1)
@each
def test_from_cv_results(display):
    kept = {"return_estimator": True, "return_indices": True, "cv": 4}
    results = cross_validate(MODEL, X, Y, **kept)
    folds = display.from_cv_results(results, X, Y, sample_weight=W)
    assert list(folds.sweeps) == [f"fold {k}" for k in range(4)]
    pooled = display.from_cv_results(results, X, Y, pooled=True, plot=False, name="held out")
    rows = np.concatenate(results["indices"]["test"])
    score = np.concatenate([
        model.predict_proba(X[test])[:, 1]
        for model, test in zip(results["estimator"], results["indices"]["test"], strict=True)
    ])  # fmt: skip
    expected = display.from_predictions(Y[rows], score, plot=False)
    assert_array_equal(pooled.picture.of("curve")[0].y, expected.picture.of("curve")[0].y)
    weighted = folds.sweeps["fold 0"]
    first = results["indices"]["test"][0]
    assert weighted.n_positive == pytest.approx(W[first][Y[first] == 1].sum())


def test_styles_reach_matplotlib():
    display = RocDisplay.from_predictions(
        Y, SCORE, curve_kwargs={"color": "k", "lw": 3}, chance_level_kwargs={"ls": ":"},
        band_kwargs={"alpha": 0.7},
    )  # fmt: skip
    assert display.artists_["curve"][0].get_color() == "k"
    assert display.artists_["curve"][0].get_linewidth() == 3
    assert display.artists_["chance"][0].get_linestyle() == ":"
    assert display.artists_["band"][0].get_alpha() == 0.7
    again = display.plot(name="again", chance_level_kw={"color": "r"})
    assert again is display
    assert again.artists_["chance"][0].get_color() == "r"
    assert again.artists_["curve"][0].get_label() == "again"


def test_a_list_of_styles_is_one_for_each_curve():
    both = {"one": SCORE, "other": SCORE**2}
    styles = [{"color": "r"}, {"color": "g"}]
    display = RocDisplay.from_predictions(Y, both, curve_kwargs=styles)
    assert [line.get_color() for line in display.artists_["curve"]] == ["r", "g"]
    with pytest.raises(InvalidArgumentError, match="one for each of the 2 that are drawn, got 3"):
        display.plot(curve_kwargs=[{}, {}, {}])


@each
def test_unknown_options_are_refused_in_a_sentence(display):
    with pytest.raises(InvalidArgumentError, match=r"options must be one of .*band, .*got 'drop'"):
        display.from_predictions(Y, SCORE, drop=True)
    with pytest.raises(InvalidArgumentError, match=r"styles must be one of .*got 'dots_kwargs'"):
        display.from_predictions(Y, SCORE, dots_kwargs={})
    with pytest.raises(InvalidArgumentError, match="name can rename one curve only"):
        display.from_predictions(Y, {"a": SCORE, "b": SCORE}, plot=False).plot(name="c")
    with pytest.raises(InvalidArgumentError, match="sweeps must be a Sweep"):
        display([1, 2, 3])


@each
def test_axes_that_are_given_keep_what_they_hold(display):
    before = dict(plt.rcParams)
    _, ax = plt.subplots()
    ax.plot([0, 2], [0, 2])
    ax.set_title("mine", loc="left")
    found = display.from_predictions(Y, SCORE, ax=ax)
    assert found.ax_ is ax
    assert ax.get_title(loc="left") == "mine"
    assert ax.get_xlim()[1] >= 2
    assert dict(plt.rcParams) == before


@each
def test_notebooks_show_svg_unless_matplotlib_has_drawn(display):
    quiet = display.from_predictions(Y, SCORE, plot=False)
    assert not hasattr(quiet, "ax_")
    assert quiet._repr_mimebundle_()["image/svg+xml"].startswith("<svg ")
    assert set(quiet.plot()._repr_mimebundle_()) == {"text/plain"}


@each
def test_frames_of_what_is_drawn(display):
    found = display.from_predictions(Y, SCORE, plot=False)
    frames = [found.to_frame(library) for library in ("pandas", "polars", "pyarrow")]
    assert len({len(frame) for frame in frames}) == 1
    assert "threshold" in list(frames[0].columns)


@each
def test_displays_can_be_copied_and_pickled(display):
    found = display.from_predictions(Y, SCORE, plot=False)
    text = found.to_svg()
    assert copy.deepcopy(found).to_svg() == text
    assert pickle.loads(pickle.dumps(found)).to_svg() == text  # noqa: S301 - our own


WITHOUT = """
import sys
sys.modules["matplotlib"] = None
import baserate as br
from baserate.errors import MissingDependencyError
display = br.displays.{name}(br.sweep([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8]))
assert display.to_svg().startswith("<svg ")
try:
    display.plot()
except MissingDependencyError as error:
    print(error)
"""


@pytest.mark.slow
@each
def test_without_matplotlib_there_is_svg_and_plot_says_what_to_install(display):
    code = WITHOUT.format(name=display.__name__)
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "pip install" in done.stdout
    assert "baserate[plot]" in done.stdout


def declared(base):
    """Yield every class of results that names its display."""
    for one in base.__subclasses__():
        yield one
        yield from declared(one)


def drawn_results():
    sweep = br.sweep(Y, SCORE)
    return [
        sweep,
        br.net_benefit_curve(sweep),
        br.curves.roc_band(sweep),
        br.curves.calibration(sweep),
        br.curves.calibration(FLOWER, SPECIES),
        br.match_test("recall", TABLE, OTHER),
        br.compare_utilities(TABLE, OTHER, U),
        br.count_undefined(["recall", "mcc"], range(3, 6)),
        br.groups.downsample({"a": TABLE, "b": OTHER}, ["recall"], sizes=[3]),
    ]


@pytest.mark.slow
def test_every_declared_display_is_there_and_draws():
    for name in (*br.__all__, *(f"curves.{part}" for part in br.curves.__all__)):
        attrgetter(name)(br)  # loads what may be drawn
    results = drawn_results()
    assert {type(one).__name__ for one in results} == {one.__name__ for one in declared(Drawable)}
    for result in results:
        display = result.plot(plot=False)
        assert type(display).__name__ == result.display
        assert display.to_svg().startswith("<svg ")


def test_texts_of_results_are_short():
    assert repr(br.sweep(Y, SCORE)).startswith("<Sweep: 357 positives, 212 negatives, ")
    for result in drawn_results()[:2]:
        assert len(repr(result)) < 200
