"""What the groups of an audit are compared with, in words."""

from baserate.facts.audit import REFERENCES, AuditedFacts
from baserate.report.words import called

LISTED = 12  # groups of a reference that are named


def reference_of(facts: AuditedFacts) -> str:
    """Name what groups are compared with."""
    alone = {} if len(facts.group_names) != 1 else {facts.group_names[0]: facts.reference}
    return REFERENCES.get(facts.reference) or (called(alone) if alone else facts.reference)


def groups_of(facts: AuditedFacts) -> str:
    """Say how many groups there are, and what they are compared with."""
    said = f"{len(facts.groups):,}, compared with {reference_of(facts)}"
    if not facts.pooled:
        return said
    more = len(facts.pooled) - LISTED
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{said}, together {', '.join(facts.pooled[:LISTED])}{rest}"
