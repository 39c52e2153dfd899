"""Every public name has a page, an example and a reference, or a reason why it has none."""

import inspect
import pkgutil
import re
from importlib import import_module

import pytest

import baserate as br
from baserate._result import Result
from baserate.errors import BaserateError
from docs.scripts import module

named = module("name_sources").found
PAGES = module("api_pages").api_pages()
ENTRY = re.compile(r"^   (baserate\.[\w.]+)$", re.MULTILINE)
LISTED = sorted({name for text in PAGES.values() for name in ENTRY.findall(text)})
# A fact, a result, an error: what gives it shows it, and says where the method is from.
GIVEN = (Result, BaserateError, tuple)
NAMES = [
    name
    for name in LISTED
    if not (inspect.isclass(thing := named(name)) and issubclass(thing, GIVEN))
]

# No example of their own, and why.
WITHOUT_EXAMPLE = {
    "marks of a picture, which its `picture` shows": {
        *(f"displays.{name}" for name in ("Axis", "Band", "Histogram", "Line")),
        *(f"displays.{name}" for name in ("Picture", "Points", "Region", "Rule", "Text")),
    },
    "what several classes have in common": {
        *("displays.Display", "displays.ScoreDisplay", "displays.TableDisplay"),
        *("models.Model", "models.ClassModel"),
    },
    "made by a function, which shows it": {
        *("metrics.Metric", "metrics.ClassMetric", "results.PairMetric", "results.ClassPairs"),
    },
}
# No reference, and why: there is none to a method that somebody else has published.
WITHOUT_REFERENCE = {
    **WITHOUT_EXAMPLE,
    "counts, or counting": {
        *("ClassTable", "ConfusionMatrix", "ScoreHistogram", "class_table", "confusion_matrix"),
        *("count_labels", "count_scores", "cases", "sweep"),
        *("curves.top_k_accuracy", "inference.paired_counts"),
    },
    "a definition: what the law of a metric is": {
        *("cdf", "pmf", "probability_defined", "quantile", "questions.tails", "sample", "sf"),
        *("variance", "models.BinomialPair", "models.GivenClasses", "models.UniformTables"),
        *("curves.Population", "curves.populations.Population", "curves.populations.rates_at"),
    },
    "finding, making or passing on a metric, which has its own": {
        *("metric_function", "scorer", "metrics.binary_metric", "metrics.class_metric"),
        *("metrics.define", "metrics.get"),
        *("groups.difference", "groups.ratio"),
    },
    "drawing, writing, seeding": {
        *("displays.series_color", "displays.series_style"),
        "errors.shown",
    },
    "a whole report, whose parts have theirs": {"evaluate", "thresholds"},
    "arithmetic that its docstring derives": {
        *("groups.best_strength", "groups.Estimator", "groups.compare_calibration"),
        "groups.pair_interval",
        "utilities.best_by_base_rate",
    },
}


def kinds(base):
    """Return all classes below one, without the copies that `slots=True` leaves behind."""
    below = {kind for each in base.__subclasses__() for kind in (each, *kinds(each))}
    ours = [kind for kind in below if kind.__module__.startswith("baserate.")]
    return {k for k in ours if vars(import_module(k.__module__)).get(k.__name__) is k}


def lacking(sign):
    """Return the names whose docstring lacks what the pattern describes."""
    texts = {name: inspect.getdoc(named(name)) or "" for name in NAMES}
    return {name.removeprefix("baserate.") for name, text in texts.items() if sign not in text}


def test_every_public_name_has_a_page():
    packages = module("api_pages").packages()
    public = {name for name in br.__all__ if name not in packages}
    assert {f"baserate.{name}" for name in public} <= set(LISTED)
    found = {id(named(name)) for name in LISTED}
    is_value = module("api_pages").is_value
    for package in packages.values():
        for name in module("api_pages").own_names(package):
            thing = getattr(package, name)
            assert is_value(thing) or id(thing) in found, name


def test_every_result_and_record_has_a_page():
    """What a call returns, whole answers and the records in them, is one of `br.results`."""
    for found in pkgutil.walk_packages(br.__path__, "baserate."):
        if ".cli" not in found.name and "__main__" not in found.name:
            import_module(found.name)
    assert {kind.__name__ for kind in kinds(Result)} - set(br.results.__all__) == {
        *("Drawable", "Reported", "Ranked", "OfGroups", "Telling", "Weighable"),  # bases
        "BesideReference",
    }
    assert {f"baserate.results.{name}" for name in br.results.__all__} <= set(LISTED)


def test_every_name_has_an_example():
    assert lacking(">>>") == set().union(*WITHOUT_EXAMPLE.values())


def test_every_name_has_a_reference():
    assert lacking("\nReferences\n---") == set().union(*WITHOUT_REFERENCE.values())


@pytest.mark.parametrize("metric", br.metrics.CATALOGUE, ids=lambda metric: metric.name)
def test_every_metric_has_a_reference(metric):
    assert metric.reference


def test_every_metric_and_family_has_a_page():
    source = module("metric_pages")
    assert set(source.MEMBERS) == set(br.metrics.FAMILIES)
    made = module("class_metric_pages").class_pages()
    assert set(made) == {"averages", *(f"class_{m.name}" for m in br.metrics.CLASS_CATALOGUE)}
    assert all("## Reference\n\n" in text and "```python\n" in text for text in made.values())


def test_every_average_is_named_on_their_page():
    page = module("class_metric_pages").class_pages()["averages"]
    named = set(re.findall(r"`((?:macro|weighted|micro)_\w+)`", page))
    kinds = ("macro", "micro", "weighted")
    every = {f"{kind}_{metric.name}" for kind in kinds for metric in br.metrics.CATALOGUE}
    every.remove("weighted_accuracy")  # of two classes, with a parameter
    averages = {n for n in every if isinstance(br.metrics.get(n), br.metrics.ClassMetric)}
    assert averages - named == set()
    assert [name for name in named if br.metrics.get(name) is None] == []
