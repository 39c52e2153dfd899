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

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from baserate._arrays import Array
from baserate._beta import betainc, betaincc, betainccinv, betaincinv
from baserate._checks import generator
from baserate.errors import UnsupportedError
from baserate.inference.beta import Beta
from baserate.inference.bounded_law import DirichletLinear

NODES = 32  # at first; refinement doubles them
MOST = 1024
ACCURATE = 1e-12  # of the mass, by the rule
ROUNDING = 16 * float(np.finfo(float).eps)  # of a density, relative, times the root of cases
AGREE = 3e-8, 3e-10  # of two rules for a value and a probability, one with half the nodes
SEEN = 3e-8, 1e-3  # the same, where no more nodes are left: what a reader would see
RARE = 1e-14  # a probability of being wrong twice that is left out
IDLE = 1e-13  # gain beside the utilities at which an option is left out
NOTHING = 1e-18  # of the mass of a law
FAINT = 1e-6  # mass next to which nothing can be told from it
FAR = 40.0  # logits beyond which a side of a range is a pure power, and below 1e-17
BATCH = 65536


class Prospects(NamedTuple):
    """How probably each option is best, and what knowing which is worth."""

    probabilities: tuple[float, ...]
    perfect: float
    route: str
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
        return Prospects(without_data(benefit, cost), 0.0, "closed form")
    return _Known.of(alpha, benefit, cost).prospects()


def without_data(benefit: float, cost: float) -> tuple[float, ...]:
    """Return who is best where one decision is right whatever the truth, or none matters."""
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
        edge = (s + t) * _edge(law, c, s / (s + t)) / (a + b)
        gain, loss = mean * above + edge, edge - mean * below
        return cls(mean, above, below, max(gain, 0.0), max(loss, 0.0))


class _Known(NamedTuple):
    """The flagged and the others, and what deciding positive is worth among each."""

    flagged: _Side
    others: _Side
    laws: tuple[Beta, Beta, Beta]  # of q, u and v
    benefit: float
    cost: float

    @classmethod
    def of(cls, alpha: Array, benefit: float, cost: float) -> "_Known":
        (tp, fp), (fn, tn) = alpha.tolist()
        u, v = Beta(tp, fp), Beta(fn, tn)
        flagged, others = (_Side.of(law, benefit, cost) for law in (u, v))
        return cls(flagged, others, (Beta(tp + fp, fn + tn), u, v), benefit, cost)

    def prospects(self) -> Prospects:
        """Add up the four quarters in which F and G are positive or negative."""
        f, g, q = self.flagged, self.others, self.laws[0].mean
        rest = self.laws[0].mirrored.mean
        means = (0.0, q * f.mean, q * f.mean + rest * g.mean)
        best = max(range(3), key=means.__getitem__)
        all_wins, gain, apart = self.wrong_twice(less_all=best == 2)
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
        return Prospects(shares, perfect, "quadrature", apart)

    def wrong_twice(self, *, less_all: bool) -> tuple[float, float, float]:
        """Return, where F < 0 < G, P(all > none) and E max(0, all), or E max(0, -all).

        And the error of the latter, 0 where two rules agree to `AGREE`.
        """
        size = self.flagged.below * self.others.above
        if size < RARE:
            return 0.0, 0.0, 0.0
        q, u, v = self.laws
        c, rest = self.cost / (self.benefit + self.cost), self.benefit / (self.benefit + self.cost)
        scale, nodes, found = max(self.benefit, self.cost), NODES, None
        while nodes <= MOST:
            loss, p = _below(u, c, rest, nodes)
            gain, r = _below(v.mirrored, rest, c, nodes)
            off = p.sum() * r.sum() - 1
            p, r = p / p.sum(), r / r.sum()  # of many cases, densities have a common error
            won, part = _on_grid(q, self.cost * loss[:, None], self.benefit * gain, less=less_all)
            wins, parts = (_twice(p, r, values) for values in (won, part))
            sure = abs(off) <= ACCURATE + ROUNDING * (u.a + u.b + v.a + v.b) ** 0.5
            # Halving the nodes squares the error, roughly, and what is rare matters less.
            apart = abs(parts[0] - parts[1]) / scale, abs(wins[0] - wins[1])
            alike = all(gap <= most / size**0.5 for gap, most in zip(apart, AGREE, strict=True))
            if sure and alike:
                return size * wins[0], size * parts[0], 0.0
            loose = all(gap <= most for gap, most in zip(apart, SEEN, strict=True))
            if sure and loose:
                found = size * wins[0], size * parts[0], size * abs(parts[0] - parts[1])
            nodes *= 2
        if found is not None:
            return found
        message = (
            "What it is worth to know the shares could not be integrated to full accuracy: use a "
            "prior of at least 0.1."
        )
        raise UnsupportedError(message)


def _twice(p: Array, r: Array, values: Array) -> tuple[float, float]:
    """Return a sum over a grid, and that over a quarter of it."""
    return float(p @ values @ r), 4 * float(p[::2] @ values[::2, ::2] @ r[::2])


def _below(law: Beta, c: float, rest: float, nodes: int) -> tuple[Array, Array]:
    """Return a rule for a Beta variable X below c = 1 - rest: places as 1 - X/c, and weights.

    Weights sum to one. Places are logits stretched by a hyperbolic sine about the median, so that
    the powers at both ends are soon passed.
    """
    a, b = law.a, law.b
    mass, above = float(betainc(a, b, c)), float(betaincc(a, b, c))
    low = float(betaincinv(a, b, NOTHING * mass))
    top = FAR + np.log1p(_edge(law, c, rest) / rest / mass)
    if above < FAINT:  # what lies beside c is nothing, and the law ends before
        top = min(top, float(logit(min(betainccinv(a, b, above + NOTHING) / c, 1.0))))
    bottom = float(logit(low / c)) if low > 0 else -FAR / a
    thirds = logit(betaincinv(a, b, mass * np.array([1, 3, 5]) / 6) / c)
    wide = max(float(thirds[2] - thirds[0]) / 2, 1e-9)
    first, last = (float(np.arcsinh((end - thirds[1]) / wide)) for end in (bottom, top))
    z = np.linspace(first, max(last, first + 1.0), nodes + 1)
    y = thirds[1] + wide * np.sinh(z)
    share, left = expit(y), expit(-y)
    beyond = rest + c * left
    weights = np.exp(law.log_density(c * share, beyond)) * left / beyond * np.cosh(z)
    weights[[0, -1]] /= 2
    return left, weights * (wide * (z[1] - z[0]) / mass)


def _edge(law: Beta, x: float, rest: float) -> float:
    """Return x (1 - x) times the density at x."""
    return float(np.exp(law.log_density(np.array(x), np.array(rest))))


def _on_grid(law: Beta, loss: Array, gain: Array, *, less: bool) -> tuple[Array, Array]:
    """Return P(Z > 0) and E max(0, Z), or E max(0, -Z), of Z = (1 - q) gain - q loss."""
    a, b = law.a, law.b
    share, rest = gain / (loss + gain), loss / (loss + gain)
    won, lost = law.sides(share, rest)
    edge = np.exp(law.log_density(share, rest)) * (loss + gain) / (a + b)
    mean = (b * gain - a * loss) / (a + b)
    return won, np.maximum(edge - mean * lost if less else edge + mean * won, 0.0)


def linear_options(
    worths: Array, alpha: Array, *, rng: Any = None, n_draws: int = 100_000
) -> Prospects:
    """Return the prospects of options worth linear functions of Dirichlet shares, one a row.

    Two take an integral for each share. For three that may all be best no such form is known.
    """
    best, *rivals = contenders(worths, alpha)
    shares = [0.0] * len(worths)
    if len(rivals) < 2:
        win, gain = _excess(worths[rivals[0]] - worths[best], alpha) if rivals else (0.0, 0.0)
        shares[best] = 1 - win
        for rival in rivals:
            shares[rival] = win
        return Prospects(tuple(shares), gain, "integral" if rivals else "closed form")
    if rng is None:
        message = (
            f"What it is worth to know which of {len(rivals) + 1} options is best has no exact "
            f"route with {alpha.size} cells: pass rng to simulate it, or take one classifier at a "
            "time."
        )
        raise UnsupportedError(message)
    return _simulated(worths - worths[best], alpha, generator(rng), n_draws)


def contenders(worths: Array, alpha: Array) -> list[int]:
    """Return the option of the highest mean, and those that might do better by enough to matter.

    What is left out gains less than `IDLE` on the best one, on average and in the sum, however much
    is known.
    """
    best = int((worths @ alpha).argmax())
    scale = float(np.ptp(worths)) or 1.0
    gains = [_excess(row - worths[best], alpha)[1] for row in worths]
    order = np.argsort(gains)
    idle = np.cumsum(np.array(gains)[order]) <= IDLE * scale
    return [best, *sorted(int(i) for i in order[~idle] if i != best)]


def _excess(gain: Array, alpha: Array) -> tuple[float, float]:
    """Return P(Z > 0) and E max(0, Z) of Z = Σ gain θ.

    E[θ_c; Z > 0] is the mean of θ_c times P(Z > 0) once one more case is in cell c.
    """
    if not (gain > 0).any():
        return 0.0, 0.0
    values, place = np.unique(gain, return_inverse=True)
    cells = np.bincount(np.ravel(place), alpha)
    if values[0] >= 0:
        return 1.0, float(values @ cells / cells.sum())
    parts = [
        w * a * float(DirichletLinear(values, cells + one).sf(0.0))
        for w, a, one in zip(values.tolist(), cells.tolist(), np.eye(cells.size), strict=True)
        if w
    ]
    win = float(DirichletLinear(values, cells).sf(0.0))
    return win, max(sum(parts) / float(cells.sum()), 0.0)


def _simulated(gains: Array, alpha: Array, rng: np.random.Generator, n_draws: int) -> Prospects:
    """Draw the shares; equal options share a win."""
    wins, total, square, left = np.zeros(len(gains)), 0.0, 0.0, n_draws
    while left:
        size = min(left, max(1, BATCH // alpha.size))
        drawn = rng.standard_gamma(alpha, size=(size, alpha.size))
        worth = drawn / drawn.sum(axis=1, keepdims=True) @ gains.T
        most = worth.max(axis=1)
        best = worth == most[:, None]
        wins += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
        total, square, left = total + most.sum(), square + most @ most, left - size
    p, mean = wins / n_draws, total / n_draws
    error = np.sqrt(max(square / n_draws - mean * mean, 0.0) / n_draws)
    return Prospects(tuple(p.tolist()), float(mean), "simulation", float(error))
