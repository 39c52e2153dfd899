"""What it would be worth to know the shares behind a table, before choosing what to do.

The cells have Dirichlet shares. Options are worth linear functions of them, and the option chosen
now is the one of the highest mean. With two decisions and two classes there are three options: the
classifier, and either decision for all. The share q flagged, the share u of positives among the
flagged and the share v among the others are independent Beta variables. With benefit s and cost t,
flagging is worth F = (s + t) u - t among the flagged and G = (s + t) v - t among the others, and

    max(none, classifier, all) = max(0, q F + max(0, (1 - q) G)).

Where F > 0, or G < 0, the mean is a product of incomplete Beta functions. Where F < 0 < G, a
classifier that is wrong both times, it is a double integral that two rules have to agree on.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, expit, logit

from baserate.errors import UnsupportedError
from baserate.inference.beta import Beta
from baserate.inference.dirichlet_linear import DirichletLinear
from baserate.inference.sums import TwoBetas

Array = NDArray[np.float64]

NODES = 64  # at first; refinement doubles them
MOST = 1024
AGREE = 1e-7  # of two rules, one with half the nodes; the error is about its square
NOTHING = 1e-18  # of a probability
FAINT = 1e-6
FAR = 40.0  # logits beyond which a side of a range is a pure power, and below 1e-17
BATCH = 65536


class Prospects(NamedTuple):
    """How probably each option is best, and what knowing which is worth; errors if simulated."""

    probabilities: tuple[float, ...]
    perfect: float
    route: str
    errors: tuple[float, ...] = ()
    perfect_error: float = 0.0


def three_options(alpha: Array, benefit: float, cost: float) -> Prospects:
    """Return the prospects of deciding negative for all, by the classifier, or positive for all.

    `alpha` holds the concentration with decisions in rows and classes in columns, positives first;
    `benefit` is what a decision for positive gains among positives, `cost` what it loses among
    negatives.
    """
    if benefit + cost < 0:  # what is right in one class is so in the other, with classes renamed
        return three_options(alpha[:, ::-1], -cost, -benefit)
    if benefit <= 0 or cost <= 0:
        return Prospects(_without_data(benefit, cost), 0.0, "closed form")
    return _Split.of(alpha, benefit, cost).prospects()


def _without_data(benefit: float, cost: float) -> tuple[float, ...]:
    """Return who is best where one decision is right whatever the truth; no one, if none matters."""
    if benefit == cost == 0:
        return (1 / 3,) * 3
    return (0.0, 0.0, 1.0) if benefit >= 0 >= cost else (1.0, 0.0, 0.0)


class _Side(NamedTuple):
    """One of both groups: mean gain, and probability and mean size of a gain above and below 0."""

    mean: float
    above: float
    below: float
    gain: float
    loss: float

    @classmethod
    def of(cls, law: Beta, s: float, t: float) -> "_Side":
        """Return the parts of (s + t) X - t for a Beta variable X."""
        a, b, c = law.a, law.b, t / (s + t)
        mean = (s * a - t * b) / (a + b)
        above, below = float(betaincc(a, b, c)), float(betainc(a, b, c))
        log_edge = a * np.log(c) + b * np.log1p(-c) - betaln(a, b)
        edge = (s + t) * float(np.exp(log_edge)) / (a + b)
        gain, loss = mean * above + edge, edge - mean * below
        return cls(mean, above, below, max(gain, 0.0), max(loss, 0.0))


class _Split(NamedTuple):
    """The flagged and the others, and what deciding positive is worth among each."""

    flagged: _Side
    others: _Side
    laws: tuple[Beta, Beta, Beta]  # of q, u and v
    benefit: float
    cost: float

    @classmethod
    def of(cls, alpha: Array, benefit: float, cost: float) -> "_Split":
        (tp, fp), (fn, tn) = alpha.tolist()
        u, v = Beta(tp, fp), Beta(fn, tn)
        sides = (_Side.of(law, benefit, cost) for law in (u, v))
        return cls(*sides, (Beta(tp + fp, fn + tn), u, v), benefit, cost)

    def prospects(self) -> Prospects:
        """Add up the four quarters in which F and G are positive or negative."""
        f, g, q = self.flagged, self.others, self.laws[0].mean
        rest = self.laws[0].mirrored.mean
        means = (0.0, q * f.mean, q * f.mean + rest * g.mean)
        best = max(range(3), key=means.__getitem__)
        all_wins, gain = self.wrong_twice(less_all=best == 2)
        wrong = f.below * g.above
        shares = (
            f.below * g.below + max(wrong - all_wins, 0.0),
            f.above * g.below,
            f.above * g.above + all_wins,
        )
        # Each sum is what the best option gains on the one chosen now, quarter by quarter.
        perfect = {
            0: q * f.gain + rest * g.gain * f.above + gain,
            1: rest * g.gain * f.above + q * f.loss + gain,
            2: rest * g.loss + q * f.loss * g.below + gain,
        }[best]
        return Prospects(shares, perfect, "quadrature")

    def wrong_twice(self, *, less_all: bool) -> tuple[float, float]:
        """Return, where F < 0 < G, P(all > none) and the mean of max(0, all), or of max(0, -all)."""
        size = self.flagged.below * self.others.above
        if size < NOTHING:
            return 0.0, 0.0
        q, u, v = self.laws
        c = self.cost / (self.benefit + self.cost)
        nodes = NODES
        while nodes <= MOST:
            loss, p = _below(u, c, nodes)
            gain, r = _below(v.mirrored, 1 - c, nodes)
            won, part = _on_grid(q, self.cost * loss[:, None], self.benefit * gain, less=less_all)
            rules = [
                (step * p[::step] @ part[::step, ::step] @ r[::step] * step,
                 step * p[::step] @ won[::step, ::step] @ r[::step] * step)
                for step in (1, 2)
            ]  # fmt: skip
            sure = abs(p.sum() * r.sum() - size) <= AGREE**1.5 * size
            scale = size * (self.benefit + self.cost), size
            if sure and all(
                abs(x - y) <= AGREE * z for x, y, z in zip(*rules, scale, strict=True)
            ):
                return float(rules[0][1]), float(rules[0][0])
            nodes *= 2
        message = (
            "What it is worth to know the shares could not be integrated to full accuracy: use a "
            "prior of at least 0.1."
        )
        raise UnsupportedError(message)


def _below(law: Beta, c: float, nodes: int) -> tuple[Array, Array]:
    """Return a rule for a Beta variable X below c: places as 1 - X/c, and weights."""
    a, b = law.a, law.b
    mass, rest = float(betainc(a, b, c)), float(betaincc(a, b, c))
    low = float(betaincinv(a, b, NOTHING * mass))
    edge = float(np.exp(a * np.log(c) + b * np.log1p(-c) - betaln(a, b))) / (1 - c)
    top = FAR + np.log1p(edge / mass)
    if rest < FAINT:  # what lies beside c is nothing, and the law ends before
        top = min(top, float(logit(min(betainccinv(a, b, rest + NOTHING) / c, 1.0))))
    bottom = float(logit(low / c)) if low > 0 else -FAR / a
    y = np.linspace(bottom, max(top, bottom + 1.0), nodes + 1)
    share, left = expit(y), expit(-y)
    beyond = (1 - c) + c * left
    weights = np.exp(law.log_density(c * share, beyond)) * left / beyond * (y[1] - y[0])
    weights[[0, -1]] /= 2
    return left, weights


def _on_grid(law: Beta, loss: Array, gain: Array, *, less: bool) -> tuple[Array, Array]:
    """Return P(Z > 0) and E max(0, Z), or E max(0, -Z), of Z = (1 - q) gain - q loss."""
    a, b = law.a, law.b
    odds = gain / loss
    won = betainc(a, b, odds / (1 + odds))
    log_edge = -a * np.log1p(1 / odds) - b * np.log1p(odds) - betaln(a, b)
    edge = np.exp(log_edge) * (loss + gain) / (a + b)
    mean = (b * gain - a * loss) / (a + b)
    return won, np.maximum(edge - mean * (1 - won) if less else edge + mean * won, 0.0)
