"""Inference: what a table leaves open about a metric."""

from baserate.inference.intervals import Interval, interval

__all__ = ["Interval", "interval"]
