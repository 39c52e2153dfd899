"""Groups of which nothing could be tested, and why: what an audit says of them."""

from collections.abc import Iterable

NAMED = 6  # groups named in the answer; the tables hold the others


def reasons_left(verdicts: set[str], reasons: set[str]) -> bool:
    """Whether nothing of a group could be tested, for one reason."""
    return verdicts == {"untested"} and len(reasons) == 1


def not_tested(groups: Iterable[tuple[str, set[str], set[str]]]) -> tuple[str, ...]:
    """Name the groups of which nothing could be tested, and why.

    Examples
    --------
    >>> from baserate.report.not_tested import not_tested
    >>> not_tested([("x", {"untested"}, {"one cluster"}), ("y", {"lower"}, set())])
    ('Not tested: x (one cluster).',)
    """
    why: dict[str, list[str]] = {}
    for name, verdicts, reasons in groups:
        if reasons_left(verdicts, reasons):
            why.setdefault(min(reasons), []).append(name)
    return tuple(
        f"Not tested: {'; '.join(where[:NAMED])}"
        f"{f' and {len(where) - NAMED} more' * (len(where) > NAMED)} ({reason})."
        for reason, where in why.items()
    )
