"""The page of several classes: readable, small, and honest about extremes."""

import numpy as np
import pytest

import baserate as br
from baserate.report.opening import HOW_TO_READ

RNG = np.random.default_rng(20271)


def many(size, n, rng=RNG):
    truth = rng.integers(size, size=n)
    return truth, np.where(rng.random(n) < 0.7, truth, rng.integers(size, size=n))


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("size", "n"), [(3, 150), (10, 1797), (40, 4000), (1000, 50_000)])
def test_pages_stay_small_and_hold_two_pictures(calls_of, size, n):
    result, pages = br.evaluate(*many(size, n)), []
    assert calls_of(lambda: pages.append(result.to_html())) < 10**6
    [page] = pages
    assert len(page) < 500_000
    assert page.count("<svg xmlns") == 2
    assert HOW_TO_READ["confusion"] in page
    assert HOW_TO_READ["recall"] in page
    assert ("Counts (truth in rows" in page) == (size <= 12)


def test_extremes_of_many_are_said_to_be_picked():
    text = " ".join(br.evaluate(*many(10, 510, np.random.default_rng(1))).render().split())
    assert "knowing that it is the lowest of 10)" in text
    assert "knowing that it is the most frequent of 90)." in text
    assert "bad luck" not in br.evaluate(*many(3, 500)).render()


def test_hostile_labels_stay_text_and_narrow():
    names = np.array(["<script>alert(1)</script>" * 9, "a\nb", "\u05e9\u05dc\u05d5\u05dd", "="])
    truth, called = many(4, 200)
    page = br.evaluate(names[truth], names[called]).to_html()
    assert "<script>alert" not in page
    assert "a\\nb" in page
    counts = page[page.index("Counts (truth in rows") : page.index("Metrics of all classes")]
    assert "alert(1)&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;" not in counts


def test_text_shows_ten_classes_in_one_table():
    text = br.evaluate(*many(10, 510)).render(details=True)
    head = text[text.index("Counts (truth") :].splitlines()[1]
    assert [f'"{k}"' in head for k in range(10)] == [True] * 10


def test_other_metrics_of_classes_take_the_place_of_recall():
    page = br.evaluate(*many(4, 200), metrics="macro_f1, jaccard").to_html()
    assert "Jaccard index of each class" in page
    assert page.count("<svg xmlns") == 2
