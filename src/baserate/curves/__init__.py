"""Curves: every cut point of real scores, ranking measures, and populations with a known law."""

from baserate.curves.sweep import Sweep, sweep

__all__ = ["Sweep", "sweep"]
