"""Objects that are built up step by step say what a plain record of the same steps says."""

import json
import pickle
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sklearn.base import clone

import baserate as br

LABELS = ["a", "b", "ç", "é\u0301", 1, False, "\u202eא"]
COUNT = st.one_of(st.integers(0, 9), st.sampled_from([2**53 + 1, 10**18, 2**59]))
SCORE = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 5e-324, -5e-324, 0.1 + 0.2, 0.3, 1 - 2**-53]),
    st.floats(0, 1),
)
# As many as a table of seven classes adds up in whole numbers; above, they are floats.
CELL = st.one_of(st.integers(0, 9), st.sampled_from([2**53 + 1, 10**16]))
MOST = 2**61 // 49
CASES = st.lists(st.tuples(st.booleans(), SCORE), min_size=1, max_size=12)


class Tables(RuleBasedStateMachine):
    """A confusion matrix against a counter of (truth, prediction)."""

    @initialize()
    def begin(self):
        self.table = br.ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
        self.model = Counter()

    @rule(cases=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=9))
    def add_cases(self, cases):
        truth, called = zip(*cases, strict=True)
        self.table += br.confusion_matrix(truth, called)
        self.model.update(cases)

    @rule(tp=COUNT, fn=COUNT, fp=COUNT, tn=COUNT)
    def merge(self, tp, fn, fp, tn):
        self.table = sum([self.table, br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)])
        self.model.update({(True, True): tp, (True, False): fn})
        self.model.update({(False, True): fp, (False, False): tn})

    @rule()
    def swap(self):
        self.table = self.table.swap_classes()
        self.model = Counter({(not t, not p): n for (t, p), n in self.model.items()})

    @rule()
    def turn(self):
        self.table = self.table.transpose()
        self.model = Counter({(p, t): n for (t, p), n in self.model.items()})

    @rule(how=st.sampled_from(["pickle", "json", "array"]))
    def round_trip(self, how):
        if how == "pickle":
            self.table = pickle.loads(pickle.dumps(self.table))  # noqa: S301
        elif how == "json":
            self.table = br.ConfusionMatrix(**json.loads(json.dumps(self.table.to_dict())))
        else:
            tp, fn, fp, tn = self.table
            cells = np.array([[tn, fp], [fn, tp]], dtype=object)
            self.table = br.ConfusionMatrix.from_array(
                cells.tolist() if max(self.table) < 2**53 else [[0, 0], [0, 0]],
                layout="tn fp / fn tp",
            ) + (self.table if max(self.table) >= 2**53 else zero())

    @invariant()
    def same_counts(self):
        cells = [(True, True), (True, False), (False, True), (False, False)]
        wanted = [self.model[cell] for cell in cells]
        assert [*self.table] == wanted
        assert self.table.n == sum(wanted)
        if self.table.n_positive:
            exact = Fraction(wanted[0], wanted[0] + wanted[1])
            assert br.metrics.recall(self.table) == pytest.approx(float(exact), rel=1e-14)


class Classes(RuleBasedStateMachine):
    """A table of several classes against a counter of (truth, prediction)."""

    @initialize()
    def begin(self):
        self.table = br.ClassTable([[0, 0], [0, 0]], LABELS[:2])
        self.model = Counter()

    @rule(data=st.data(), k=st.integers(2, 5))
    def add(self, data, k):
        labels = data.draw(st.permutations(LABELS))[:k]
        cells = data.draw(st.lists(st.lists(CELL, min_size=k, max_size=k), min_size=k, max_size=k))
        if sum(map(sum, cells)) + self.table.n <= MOST:
            self.table += br.ClassTable(cells, labels)
            self.model.update(
                {(t, p): n for t, row in zip(labels, cells, strict=True)
                 for p, n in zip(labels, row, strict=True)}
            )  # fmt: skip

    @rule(
        cases=st.lists(
            st.tuples(st.sampled_from(LABELS[:4]), st.sampled_from(LABELS[:4])), min_size=1
        )
    )
    def count(self, cases):
        truth, called = zip(*cases, strict=True)
        self.table += br.class_table(list(truth), list(called), labels=LABELS[:4])
        self.model.update(cases)

    @rule(data=st.data())
    def reorder(self, data):
        self.table = self.table.reorder(data.draw(st.permutations(self.table.labels)))

    @rule()
    def turn(self):
        self.table = self.table.transpose()
        self.model = Counter({(p, t): n for (t, p), n in self.model.items()})

    @rule()
    def copy(self):
        self.table = pickle.loads(pickle.dumps(self.table))  # noqa: S301

    @invariant()
    def same_counts(self):
        names = self.table.labels
        found = {
            (t, p): int(self.table.counts[i, j])
            for i, t in enumerate(names)
            for j, p in enumerate(names)
            if self.table.counts[i, j]
        }
        assert found == {cell: n for cell, n in self.model.items() if n}
        one = self.table.one_vs_rest(names[0])
        assert one.n == sum(self.model.values())
        assert one.tp == self.model[names[0], names[0]]


class Scores(RuleBasedStateMachine):
    """A histogram of scores against the list of them."""

    @initialize()
    def begin(self):
        self.histogram = br.ScoreHistogram(bins=4096, pos_label=True)
        self.cases = []

    @rule(cases=CASES)
    def add(self, cases):
        self.histogram.add(*map(list, zip(*cases, strict=True)))
        self.cases += cases

    @rule(cases=CASES)
    def merge(self, cases):
        other = br.ScoreHistogram(bins=4096, pos_label=True)
        self.histogram += other.add(*map(list, zip(*cases, strict=True)))
        self.cases += cases

    @rule(ending=st.sampled_from([".json", ".arrow"]))
    def save(self, ending):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"scores{ending}"
            if self.cases:
                self.histogram.save(path)
                self.histogram = br.ScoreHistogram.load(path)

    @rule()
    def copy(self):
        self.histogram = pickle.loads(pickle.dumps(self.histogram))  # noqa: S301

    @invariant()
    def bounds_hold_the_area(self):
        positives = [s for truth, s in self.cases if truth]
        negatives = [s for truth, s in self.cases if not truth]
        if not (positives and negatives):
            return
        won = sum((p > q) + Fraction(p == q, 2) for p in positives for q in negatives)
        exact = float(won / (len(positives) * len(negatives)))
        found = br.roc_auc(self.histogram)
        low, high = found.bounds or (found.value, found.value)
        assert low - 1e-14 <= exact <= high + 1e-14
        cut = positives[0]
        fewest, most = self.histogram.tables_at(cut)
        assert fewest.tp <= sum(p >= cut for p in positives) <= most.tp
        assert fewest.fp <= sum(q >= cut for q in negatives) <= most.fp


class Guesses(RuleBasedStateMachine):
    """A fitted guess of labels depends on its parameters and its data alone."""

    @initialize()
    def begin(self):
        self.model = br.RandomGuessClassifier("uniform", random_state=0)
        self.wanted = {"strategy": "uniform", "random_state": 0}
        self.data = None

    @rule(strategy=st.sampled_from(["uniform", "proportional", "mode", "dutch_draw", 0.25]))
    def choose(self, strategy):
        self.model.set_params(strategy=strategy)
        self.wanted["strategy"] = strategy
        self.data = None

    @rule(seed=st.integers(0, 2**32 - 1))
    def seed(self, seed):
        self.model.set_params(random_state=seed)
        self.wanted["random_state"] = seed
        self.data = None

    @rule(n=st.integers(2, 9), labels=st.sampled_from([(0, 1), ("no", "yes"), (False, True)]))
    def fit(self, n, labels):
        y = [labels[k % 2] for k in range(n)]
        pos_label = labels[1]
        self.model.set_params(pos_label=pos_label)
        self.data = np.zeros((n, 1)), y
        assert self.model.fit(*self.data) is self.model

    @rule()
    def copy(self):
        self.model = clone(self.model)
        self.data = None

    @invariant()
    def same_as_a_fresh_one(self):
        shown = self.model.get_params()
        assert {name: shown[name] for name in self.wanted} == self.wanted
        if self.data is not None:
            fresh = br.RandomGuessClassifier(**shown).fit(*self.data)
            seen = pickle.loads(pickle.dumps(self.model))  # noqa: S301
            called = fresh.predict(self.data[0]).tolist()
            assert seen.predict(self.data[0]).tolist() == called
            assert set(called) <= set(self.data[1])


def zero():
    return br.ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)


MACHINES = [Tables, Classes, Scores, Guesses]


def run(machine, examples, steps):
    case = machine.TestCase
    case.settings = settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    case("runTest").runTest()


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.__name__)
def test_a_few_steps(machine):
    run(machine, 4, 8)


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.__name__)
def test_many_steps(machine):
    run(machine, 60, 30)
