"""What a question answers: a number, or atoms, with the route taken and what was undefined."""

from dataclasses import dataclass

from baserate._windows import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A number and where it comes from; ``float(answer)`` is the number.

    Attributes
    ----------
    value : float
    route : str
        "closed form", "tower", "lumps", "threshold", "quadrature", "enumeration",
        "simulation".
    undefined : float
        Probability that the metric is undefined.
    error : float
        Standard error if simulated. Else what windows leave out of a tail at most (the value may
        be short by so much), and 0 for all other questions: exact up to rounding.
    """

    value: float
    route: str
    undefined: float = 0.0
    error: float = 0.0

    def __float__(self) -> float:
        return float(self.value)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Atoms:
    """The values a metric can take, ascending, and their probabilities.

    Attributes
    ----------
    values, probabilities : array
    route : str
    undefined : float
        Probability that the metric is undefined. The probabilities sum to one unless all of it is.
    """

    values: Array
    probabilities: Array
    route: str
    undefined: float = 0.0
