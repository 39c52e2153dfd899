"""Decisions: what they are worth, and the thresholds that make the best ones."""
