"""Facts of a report: plain frozen records, computed once and rendered many times.

Text, JSON, Markdown and HTML are drawn from the same facts, so they cannot disagree. What each
field means is told once, in docs/json.md, under the name that it has in JSON.
"""
