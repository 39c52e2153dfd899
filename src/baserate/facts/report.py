"""What the facts of every report begin with: which cases, how they were sampled, from where."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._result import HIDDEN, Result
from baserate.facts.numbers import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class UnverifiedFact(Result):
    """How often a classifier calls positive what has no truth, and what has one."""

    name: str | None = None
    label: Any = None
    n: int
    alarms: int
    kept: int
    kept_alarms: int
    p_value: float
    above: float = math.nan
    recall: float = math.nan
    corrected: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class UnansweredFact(Result):
    """How many of the rows left out, and of those kept, are of the class that differs most."""

    label: Any
    n: int
    of_label: int
    kept: int
    kept_of_label: int
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFacts(Result):
    """What is said of the cases of any report."""

    schema: ClassVar[int | None] = 1
    brief: ClassVar[bool] = False  # whether Markdown leaves out details too
    n: float
    missing: int = 0
    idle: int = 0  # rows of weight 0, which count nowhere
    # labels that predictions have and the truth never, and how many of these there are: no alarms
    only_predicted: Mapping[str, int] = field(default_factory=dict[str, int])
    n_labels: int = field(default=0, metadata=HIDDEN)  # found; all but the positive one are one
    confidence_level: float
    unverified: UnverifiedFact | None = None
    unanswered: UnansweredFact | None = None
    source: str | None = None
    target: str | None = None
    # whether predictions say which answers are right: all cases stand as positives
    graded: bool = field(default=False, metadata=HIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledFacts(ReportFacts):
    """The same where cases may be weighted or alike."""

    effective_n: float | None = None
    n_clusters: int | None = None
    n_replicates: int | None = None
    n_strata: int | None = None  # whose clusters, each left out in turn, are the replicates
    strata: str | None = None
    cluster: str | None = None
    case_id: str | None = None
    n_items: int | None = None  # or clusters of these, all of which, and all runs, were drawn
    n_runs: int | None = None
    run: str | None = None
    group_names: tuple[str, ...] = field(default=(), metadata=HIDDEN)

    @property
    def is_designed(self) -> bool:
        """Whether clusters or replicate weights say how sure everything is."""
        return self.n_clusters is not None or self.n_replicates is not None

    @property
    def sampled(self) -> bool:
        """Whether cases lie in clusters or have weights, which leaves no exact law."""
        return self.is_designed or self.effective_n is not None

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Yield every part of the cases that the report has numbers of."""
