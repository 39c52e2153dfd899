"""Cases of several classes: the class tables of predictions, over all cases and group by group."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from baserate.cases.clusters import ClassDesign
from baserate.cases.counted import Counted, Key, Weighable
from baserate.cases.labels import Codes, Decide, likeliest
from baserate.cases.two_classes import BinaryCases, Sample
from baserate.cases.values import listed
from baserate.class_counts import ClassTable, total
from baserate.errors import LabelError

if TYPE_CHECKING:
    from baserate.cases.cases import Cases


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCounted(Weighable[ClassTable, ClassDesign]):
    """A class table of all cases and of every group, counted here or published.

    Attributes
    ----------
    table : ClassTable
        Whole numbers, or sums of weights.
    n, n_missing, groups, group_names, group_n, squared, group_squared, design, group_designs
        As a `Counted` has them, of class tables.
    """

    @classmethod
    def of_tables(cls, names: Sequence[str], tables: Mapping[Key, ClassTable]) -> "ClassCounted":
        """Take tables that were counted elsewhere as groups: by their labels in these columns."""
        whole = total(tables.values())
        return cls(
            table=whole,
            n=whole.n,
            groups={key: table.reorder(whole.labels) for key, table in tables.items()},
            group_names=tuple(names),
            group_n={key: table.n for key, table in tables.items()},
        )

    def within(self, key: Key) -> "ClassCounted":
        """Return the table of one group alone, with what is known of its weights and clusters."""
        table = self.groups[key]
        return ClassCounted(
            table=table,
            n=self.group_n.get(key, int(table.n)),
            squared=self.group_squared.get(key),
            design=self.group_designs.get(key),
        )

    def against_the_rest(self) -> Iterator[Counted]:
        """Yield what was counted of each class against the rest, with its weights and clusters."""
        whole = self.table.one_vs_rest()
        groups = {key: table.one_vs_rest() for key, table in self.groups.items()}
        squared = None if self.squared is None else self.squared.one_vs_rest()
        squares = {key: table.one_vs_rest() for key, table in self.group_squared.items()}
        for k, label in enumerate(self.table.labels):
            yield Counted(
                table=whole[k],
                positive=label,
                labels=self.table.labels,
                n=self.n,
                n_missing=self.n_missing,
                groups={key: every[k] for key, every in groups.items()},
                group_names=self.group_names,
                group_n=self.group_n,
                squared=None if squared is None else squared[k],
                group_squared={key: every[k] for key, every in squares.items()},
                design=None if self.design is None else self.design.binary(k, k),
                group_designs={key: one.binary(k, k) for key, one in self.group_designs.items()},
            )

    def reorder(self, labels: Sequence[Any]) -> "ClassCounted":
        """Return the same with the classes in another order, or with further empty ones."""
        names = list(labels)
        places = [names.index(x) if x in names else -1 for x in self.table.labels]
        arranged = partial(ClassDesign.arranged, places=places, size=len(names))
        return replace(
            self,
            table=self.table.reorder(labels),
            groups={key: table.reorder(labels) for key, table in self.groups.items()},
            squared=None if self.squared is None else self.squared.reorder(labels),
            group_squared={k: table.reorder(labels) for k, table in self.group_squared.items()},
            design=None if self.design is None else arranged(self.design),
            group_designs={key: arranged(design) for key, design in self.group_designs.items()},
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassCases(Sample):
    """Cases of several classes."""

    columns: ClassVar[tuple[str, ...]] = ("truth", "predictions", "scores", "scores_of")

    labels: tuple[Any, ...]  # the classes, in order: numbers by size, text by alphabet
    truth: Codes  # index into `labels`
    predictions: Mapping[str, Codes]
    # (m, K): such as the probability of each class, in the order of `labels`
    scores: NDArray[np.float64] | None = None
    # the same of each classifier by name, where several are compared by their scores
    scores_of: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    # what predictions are places in, where these are decisions and no classes. Such cases have
    # class tables `with_decisions_as_labels`
    decisions: tuple[Any, ...] | None = None
    unverified: "Cases | None" = None  # those left out of which the truth is missing
    # how many of those left out of which it is known are of each class
    unanswered: NDArray[np.int64] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classifiers."""
        return tuple(self.predictions)

    def decided(self, name: str, decide: Decide = likeliest) -> "ClassCases":
        """Return the same cases, called by their scores: by default the class of the highest."""
        assert self.scores is not None
        return replace(self, predictions={**self.predictions, name: decide(self.scores)})

    @property
    def n_tied(self) -> int:
        """Cases of which several classes have the highest score."""
        assert self.scores is not None
        highest = self.scores.max(axis=1, keepdims=True)
        tied = np.count_nonzero(self.scores == highest, axis=1) > 1
        return int(self.count[tied].sum())

    def table(self, name: str | int = 0) -> ClassTable:
        """Return the class table of one classifier, given by name or place; see `counted`."""
        return self.counted(name).table

    def counted(self, name: str | int = 0) -> ClassCounted:
        """Return the class tables of one classifier, over all cases and in each group."""
        predicted = self.predictions[self.names[name] if isinstance(name, int) else name]
        k = len(self.labels)
        cell = self.truth * k + predicted
        found = self.tables(cell, k, lambda cells: ClassTable(cells.reshape(k, k), self.labels))
        return ClassCounted(**found)

    def with_decisions_as_labels(self) -> "ClassCases":
        """Return the same cases with decisions behind the classes, as labels that no case has."""
        if self.decisions is None:
            return self
        labels = tuple(dict.fromkeys((*self.labels, *self.decisions)))
        place = np.array([labels.index(one) for one in self.decisions])
        called = {name: place[codes] for name, codes in self.predictions.items()}
        return replace(self, labels=labels, predictions=called, decisions=None)

    def one_vs_rest(self, label: Any) -> BinaryCases:
        """Return the same cases with one class positive and all others negative.

        Weights, groups and clusters stay what they are.
        """
        if label not in self.labels:
            rule, remedy = "must be one of the classes", f"use {listed(self.labels)}"
            raise LabelError.from_rule("label", rule, label, remedy)
        k = self.labels.index(label)
        return BinaryCases(
            truth=self.truth == k,
            decisions={name: predicted == k for name, predicted in self.predictions.items()},
            scores={},
            count=self.count,
            weight=self.weight,
            squared=self.squared,
            grouping=self.grouping,
            fold=None,
            cluster=self.cluster,
            case=self.case,
            replicated=self.replicated,
            positive=self.labels[k],
            labels=self.labels,
            n_missing=self.n_missing,
        )
