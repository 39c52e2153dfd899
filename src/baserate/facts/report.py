"""What the facts of every report begin with: which cases, how they were sampled, from where."""

from dataclasses import dataclass, field
from typing import ClassVar

from baserate._result import HIDDEN, Result
from baserate.facts.unverified import UnverifiedFact


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFacts(Result):
    """What is said of the cases of any report.

    Attributes
    ----------
    n : float
        Cases; the sum of weights for weighted data. Of a comparison cases whatever their weight,
        of separate test sets all together.
    missing : int
        Rows dropped because something was missing.
    confidence_level : float
    unverified : UnverifiedFact or None
        How rows without a truth, which were dropped, differ in what is predicted of them.
    source, target : str or None
        Where the data came from, and the column of the truth.
    """

    schema: ClassVar[int | None] = 1
    n: float
    missing: int = 0
    confidence_level: float
    unverified: UnverifiedFact | None = None
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledFacts(ReportFacts):
    """The same where cases may be weighted or alike.

    Attributes
    ----------
    effective_n : float or None
        Kish's effective number of cases for weighted data, (Σ w)²/Σ w²; None without weights.
    n_clusters : int or None
        Clusters that the cases lie in; None for independent cases.
    n_replicates : int or None
        Sets of replicate weights.
    cluster, case_id : str or None
        The columns of clusters, whose cases are alike, and of items, each of which is a cluster
        where none is named.
    group_names : tuple of str
        The group columns.
    """

    effective_n: float | None = None
    n_clusters: int | None = None
    n_replicates: int | None = None
    cluster: str | None = None
    case_id: str | None = None
    group_names: tuple[str, ...] = field(default=(), metadata=HIDDEN)

    @property
    def sampled(self) -> bool:
        """Whether cases lie in clusters or have weights, which leaves no exact law."""
        return self.n_clusters is not None or self.effective_n is not None
