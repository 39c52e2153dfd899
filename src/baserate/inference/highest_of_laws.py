"""How probably each of several independent laws takes the highest value: one grid serves them all.

P(k is the highest) = ∫ f_k Π F_j over the others j. Between two knots the place is written as
p + (q - p)/(1 + exp(-u)): powers at either end, which is all the roughness that these laws have,
become exponentials in u, and Gauss rules on panels of u converge fast. What the integrals over a
panel must be is partly known beforehand: each ∫ f_k is the increase of F_k, and their sum is the
increase of Π F_k. A panel that misses one of these is halved, and what is missed in the end is the
error. Every law is evaluated once on the panels where it moves at all, so that ten laws take five
times as long as two.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from baserate._arrays import Array, Mask
from baserate._quadrature import legendre_nodes
from baserate.errors import UnsupportedError
from baserate.inference.bounded_law import BoundedLaw

Laws = Sequence[BoundedLaw]

NODES = 16
CUTS = 3.0, 9.0  # logits at which a piece is cut at first
FARTHEST = 60.0  # logit of the outermost cuts, if floats still tell them from the knots
APART = 16.0  # floats between a knot and an outermost cut
STEEP = 0.6  # what no law may gain within a panel that is integrated
NEGLIGIBLE = 1e-14  # of a panel without densities: largest possible error
NOTHING = 1e-18  # of a law's mass
AGREE = 1e-11  # of a panel's integrals with what is known of them, where floats tell so much
FLOATS = 4  # by which a place may be off, in the last digit
PANELS = 4  # at which it may be off all the same way
HALVINGS = 30
STATED = 1e-10  # largest error of an answer


class Highest(NamedTuple):
    """Who takes the highest value.

    `shares` are probabilities that add up to one. `tied` of them is that of several laws which are
    certain of the same value, and share it equally. `meeting` is ∫ f g over the densities of the
    first law and the last.
    """

    shares: Array
    tied: float
    meeting: float
    error: float


class Panels(NamedTuple):
    """Panels of u between knots p and q, with F and 1 - F of each law at both ends."""

    p: Array
    q: Array
    start: Array
    end: Array
    before: Array  # three axes: panels, sides, laws
    after: Array

    def where(self, chosen: Mask) -> "Panels":
        """Return some of the panels."""
        return Panels(*(column[chosen] for column in self))

    @property
    def gains(self) -> Array:
        """By how much each F grows, from its smaller side."""
        low = self.after[:, 0] < 0.5
        below, above = (self.after - self.before).swapaxes(0, 1)
        return np.maximum(np.where(low, below, -above), 0.0)

    @property
    def range(self) -> Array:
        """Products of the other laws' F, at both ends."""
        return np.array([_others(self.before[:, 0]), _others(self.after[:, 0])])


class Integrals(NamedTuple):
    """Integrals panel by panel: shares of the laws, meeting, and what is missed."""

    shares: Array
    meeting: Array
    missed: Array


def exceeds(x: BoundedLaw, y: BoundedLaw, within: float = STATED) -> float:
    """P(X > Y) for independent X and Y."""
    found = highest((x, y), within)
    return float(found.shares[0] - found.tied / 2)


def highest(laws: Laws, within: float = STATED) -> Highest:
    """Return how probably each law takes the highest value, `within` a largest error."""
    start = max(law.knots[0] for law in laws)
    certain = np.array([law.knots[-1] == start for law in laws])
    lowest = float(np.prod([law.cdf(start) for law in laws])) if certain.any() else 0.0
    shares = lowest * certain / max(certain.sum(), 1)
    meeting = error = 0.0
    panels = _first_panels(laws, start)
    agree = max(AGREE, _rounding(laws))
    for halving in range(HALVINGS + 1):
        bounded, settled = _bounded(panels)
        gauss = _integrated(laws, panels.where(~settled))
        good = (gauss.missed <= agree) | (halving == HALVINGS)
        for found, used in ((bounded, settled), (gauss, good)):
            shares = shares + found.shares[used].sum(axis=0)
            meeting += float(found.meeting[used].sum())
            error += float(found.missed[used].sum())
        rest = panels.where(~settled).where(~good)
        if not rest.p.size:
            break
        middle = (rest.start + rest.end) / 2
        sides = _sides(laws, _place(rest.p, rest.q, middle))
        halves = rest._replace(end=middle, after=sides), rest._replace(start=middle, before=sides)
        panels = Panels(*(np.concatenate(pair) for pair in zip(*halves, strict=True)))
    if error > max(within, PANELS * agree):
        raise UnsupportedError(
            "how probably a classifier is better could not be integrated to full accuracy: of "
            "billions of cases, evaluate each classifier by itself; of next to none, use a "
            "prior of at least 0.1, or ask for a simulation."
        )
    return Highest(shares / shares.sum(), lowest if certain.sum() > 1 else 0.0, meeting, error)


def _rounding(laws: Laws) -> float:
    """Return by how much a probability moves where a place moves by its last digits."""
    moving = [law for law in laws if law.sd > 0]
    return max((FLOATS * float(np.spacing(abs(law.mean))) / law.sd for law in moving), default=0.0)


def _first_panels(laws: Laws, start: float) -> Panels:
    knots = np.unique(np.concatenate([law.knots for law in laws]))
    knots = knots[knots >= start]
    p, q = knots[:-1, None], knots[1:, None]
    room = [np.log(q - p) - np.log(APART * np.spacing(np.abs(knot))) for knot in (p, q)]
    low, high = np.clip(room, 0.0, FARTHEST)
    cut, none = np.array(CUTS), np.full_like(p, np.inf)
    left, right = np.minimum(cut[::-1], low), np.minimum(cut, high)
    cuts = np.concatenate((-none, -low, -left, 0 * p, right, high, none), axis=1)
    sides = _sides(laws, _place(p, q, cuts))
    pieces = np.broadcast_to(p, cuts[:, 1:].shape), np.broadcast_to(q, cuts[:, 1:].shape)
    columns = *pieces, cuts[:, :-1], cuts[:, 1:], sides[:, :-1], sides[:, 1:]
    return Panels(*(column.reshape(-1, *column.shape[2:]) for column in columns))


def _place(p: Array, q: Array, u: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.where(u < 0, p + (q - p) * expit(u), q - (q - p) * expit(-u))


def _sides(laws: Laws, at: Array) -> Array:
    """F and 1 - F of each law, in two more axes."""
    return np.stack([np.stack(law.evaluate(at)[:2], axis=-1) for law in laws], axis=-1)


def _others(below: Array) -> Array:
    """Multiply the F of all other laws, without a division."""
    ones = np.ones_like(below[..., :1])
    up = np.cumprod(np.concatenate((ones, below[..., :-1]), axis=-1), axis=-1)
    down = np.cumprod(np.concatenate((ones, below[..., :0:-1]), axis=-1), axis=-1)
    return up * down[..., ::-1]


def _bounded(panels: Panels) -> tuple[Integrals, Mask]:
    """Take the middle of what each share can be, where that is sure enough or all there is."""
    gains, (least, most) = panels.gains, panels.range
    missed = (gains * (most - least) / 2).max(axis=1)
    width = _place(panels.p, panels.q, panels.end) - _place(panels.p, panels.q, panels.start)
    with np.errstate(divide="ignore", invalid="ignore"):
        meeting = np.where(width > 0, gains[:, 0] * gains[:, -1] / width, 0.0)
    at_knot = np.isinf(panels.start) | np.isinf(panels.end)
    settled = at_knot | (missed <= NEGLIGIBLE) | ~(width > 0)
    return Integrals(gains * (least + most) / 2, meeting, missed), settled


def _integrated(laws: Laws, panels: Panels) -> Integrals:
    """Integrate densities over the panels in which no law rises too steeply for a Gauss rule."""
    gains = panels.gains
    known = panels.after[:, 0].prod(axis=1) - panels.before[:, 0].prod(axis=1)
    flat = gains.max(axis=1, initial=0.0) <= STEEP
    shares, meeting, missed = gains * 0.0, known * 0.0, np.where(flat, 0.0, np.inf)
    length, below, mass = _on_nodes(laws, panels.where(flat), gains[flat])
    parts = mass * _others(below)
    shares[flat] = parts.sum(axis=1)
    off_mass = np.abs(mass.sum(axis=1) - gains[flat]).max(axis=1, initial=0.0)
    missed[flat] = np.maximum(off_mass, np.abs(shares[flat].sum(axis=1) - known[flat]))
    with np.errstate(divide="ignore", invalid="ignore"):
        product = mass[..., 0] * mass[..., -1] / length
    meeting[flat] = np.where(length > 0, product, 0.0).sum(axis=1)
    return Integrals(shares, meeting, missed)


def _on_nodes(laws: Laws, panels: Panels, gains: Array) -> tuple[Array, Array, Array]:
    """Return each node's length, and every law's F and mass there; further axes: nodes, laws."""
    x, weights = legendre_nodes(NODES)
    p, q, start, end = (column[:, None] for column in panels[:4])
    u = start + (end - start) * x
    at, length = _place(p, q, u), (q - p) * expit(u) * expit(-u) * (end - start) * weights
    below, mass = np.zeros((2, *u.shape, len(laws)))
    for k, law in enumerate(laws):
        moves = gains[:, k] > NOTHING
        below[..., k] = panels.before[:, 0, k, None]
        below[moves, :, k], _, height = law.evaluate(at[moves], density=True)
        # A density may be infinite beside a knot from which floats cannot tell it.
        mass[moves, :, k] = np.where(np.isfinite(height), height, 0.0) * length[moves]
    return length, below, mass
