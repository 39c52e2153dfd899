"""Curves: every cut point of real scores, ranking measures, and populations with a known law."""
