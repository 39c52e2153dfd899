"""Facts of a report: plain frozen records, computed once and rendered many times.

Text, JSON, Markdown and HTML are drawn from the same facts, so they cannot disagree.
"""
