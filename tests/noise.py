"""The library as it would be if every public name gave something else.

What comes out of a wrapped module is disturbed: numbers move, "yes" is "no", what has no reason has
one. A number that claims to be recomputed by public names must move with them.
"""

import importlib
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from types import ModuleType

import numpy as np

PAPERS = (
    "chimps",
    "dutch_draw",
    "robust_metrics_tables",
    "utility_tables",
    "small_data_tables",
)


class Noisy:
    """An object of which everything that comes out is disturbed."""

    def __init__(self, real, noise):
        self.__dict__.update(_real=real, _noise=noise)

    def __getattr__(self, name):
        return self._noise(getattr(self._real, name))

    def __call__(self, *args, **named):
        return self._noise(self._real(*plain(args), **plain(named)))

    def __iter__(self):
        return map(self._noise, iter(self._real))

    def __getitem__(self, key):
        return self._noise(self._real[plain(key)])

    def __len__(self):
        return len(self._real)

    def __float__(self):
        return self._noise(float(self._real))

    def __array__(self, *args, **named):
        return self._noise(np.asarray(self._real))

    def __add__(self, other):
        return self._noise(self._real + plain(other))

    def __sub__(self, other):
        return self._noise(self._real - plain(other))

    def __eq__(self, other):
        return self._real == plain(other)

    def __hash__(self):
        return hash(self._real)

    def __or__(self, other):  # in annotations
        return object

    __ror__ = __or__


def plain(value):
    """Return what the library takes: nothing that is wrapped."""
    while isinstance(value, Noisy):  # a module of a wrapped module is wrapped twice
        value = value._real
    if type(value) in (tuple, list):
        return type(value)(map(plain, value))
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return value


class Noise:
    """Disturbs by a relative amount, sometimes by much more; names stay, where asked for."""

    def __init__(self, seed, *, amount, words=True):
        self.rng = np.random.default_rng(seed)
        self.amount, self.words = amount, words

    def __call__(self, value):  # noqa: PLR0911 - a line for each type
        if value is None:
            return "disturbed" if self.words and self.rng.random() < 0.2 else None
        if isinstance(value, bool | np.bool_):
            return bool(value) ^ (self.rng.random() < 0.5)
        if isinstance(value, int | np.integer):
            return int(value) + int(self.rng.integers(1, 4))
        if isinstance(value, float | np.floating):
            return float(self.moved(np.float64(value)))
        if isinstance(value, np.ndarray):
            return self.moved(value) if value.dtype.kind in "iuf" else value * 2
        if isinstance(value, str):
            other = "yes" if value == "no" else "no" if self.rng.random() < 0.5 else f"{value}?"
            return other if self.words else value
        if type(value) in (tuple, list):
            extra = (self.rng.random(),) if not value and self.rng.random() < 0.5 else ()
            return type(value)((*map(self, value), *extra))
        if type(value) is dict:
            return {name: self(one) for name, one in value.items()}
        if type(value).__name__ == "Root":  # exact roots, which the library's formulas return
            return value * 2
        return Noisy(value, self)

    def moved(self, numbers):
        """Return other numbers; a number where there is none."""
        shape = np.shape(numbers)
        known = np.where(np.isnan(numbers), self.rng.random(shape), numbers)
        factor = self.rng.uniform(-self.amount, self.amount, shape)
        if self.rng.random() < 0.2:
            factor = 1000 * np.abs(factor)
        return known * (1 + factor) + self.amount * self.rng.uniform(0.1, 0.2, shape)


@contextmanager
def disturbed(noise):
    """Give the papers' modules, imported anew from a library that is disturbed."""
    kept = {name: module for name, module in sys.modules.items() if _is_ours(name)}
    for name, module in kept.items():
        if name.startswith("papers"):
            del sys.modules[name]
        elif isinstance(module, ModuleType):
            sys.modules[name] = Noisy(module, noise)
    try:
        made = [importlib.import_module(f"papers.{name}") for name in PAPERS]
        # What runs inside the library is not disturbed.
        sys.modules.update({n: m for n, m in kept.items() if n.startswith("baserate")})
        yield made
    finally:
        for name in [name for name in sys.modules if name.startswith("papers")]:
            del sys.modules[name]
        sys.modules.update(kept)


def _is_ours(name):
    return name.partition(".")[0] in ("papers", "baserate")
