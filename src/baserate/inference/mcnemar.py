"""McNemar's exact test: two classifiers on the same cases, judged by where only one is right."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc

from baserate._checks import whole_number
from baserate._result import Result
from baserate.inference.beta import Beta


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar(Result):
    """What McNemar's test says; ``float()`` is the p-value.

    Attributes
    ----------
    only_a, only_b : int
        Cases that only A, or only B, got right.
    p_value : float
        Exact, two-sided; 1 where no case distinguishes the classifiers.
    mid_p : float
        The same with half the probability of the observed counts: less cautious, and the better
        choice for small numbers.
    """

    only_a: int
    only_b: int
    p_value: float
    mid_p: float

    def __float__(self) -> float:
        return self.p_value


def mcnemar_test(only_a: int, only_b: int) -> McNemar:
    """Test whether two classifiers are right equally often, given how often only one was right.

    If they are, only_a ~ Binomial(n, 1/2) with n = only_a + only_b. With k the smaller count,
    p = min(1, 2 P(X <= k)) and mid-p = min(1, 2 P(X < k) + P(X = k)). The same test for the
    positives alone is one of recall, for the negatives alone one of specificity.

    Parameters
    ----------
    only_a, only_b : int
        Discordant cases, whole numbers of at least 0.

    Raises
    ------
    InvalidArgumentError
        A count is not a whole number of at least 0.

    References
    ----------
    McNemar (1947), Psychometrika 12:153, doi:10.1007/BF02295996. Fagerland, Lydersen and Laake
    (2013), BMC Medical Research Methodology 13:91, doi:10.1186/1471-2288-13-91, for the mid-p
    version and the example: airway hyper-responsiveness before and after transplantation.

    Examples
    --------
    >>> found = mcnemar_test(1, 7)
    >>> round(found.p_value, 3), round(found.mid_p, 3)
    (0.07, 0.039)
    """
    a, b = whole_number("only_a", only_a), whole_number("only_b", only_b)
    fewer, more = min(a, b), max(a, b)
    if fewer == more:
        return McNemar(only_a=a, only_b=b, p_value=1.0, mid_p=1.0)
    tail = 2 * float(betainc(more, fewer + 1, 0.5))
    return McNemar(only_a=a, only_b=b, p_value=min(1.0, tail), mid_p=tail - _exactly(fewer, more))


def mcnemar_by_class(discordant: Any) -> dict[str, McNemar]:
    """Test accuracy, recall and specificity of two classifiers on the same cases.

    Parameters
    ----------
    discordant : four int
        Positives that only A got right, positives that only B did, negatives that only A did,
        negatives that only B did.

    Returns
    -------
    dict
        With the keys "accuracy", "recall" and "specificity". No correction is made for asking
        three questions.

    Examples
    --------
    >>> tests = mcnemar_by_class([2, 18, 7, 4])
    >>> {name: round(test.p_value, 4) for name, test in tests.items()}
    {'accuracy': 0.0294, 'recall': 0.0004, 'specificity': 0.5488}
    """
    p_a, p_b, n_a, n_b = (whole_number("discordant", count) for count in discordant)
    pairs = {"accuracy": (p_a + n_a, p_b + n_b), "recall": (p_a, p_b), "specificity": (n_a, n_b)}
    return {name: mcnemar_test(*pair) for name, pair in pairs.items()}


def _exactly(k: int, rest: int) -> float:
    """P(X = k) for X ~ Binomial(k + rest, 1/2): a Beta density, which keeps its digits."""
    half = np.array(0.5)
    density = 4 * np.exp(Beta(k + 1.0, rest + 1.0).log_density(half, half))
    return float(density) / (k + rest + 1)
