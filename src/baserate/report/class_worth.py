"""What decisions about several classes are worth, in words and as tables."""

from operator import itemgetter

from baserate import _figures as figures
from baserate._figures import count, level, quoted
from baserate.facts.stakes import ClassStakesFact, ClassWorthFact
from baserate.report.columns import Column, each, exactly, grid, number, text
from baserate.report.sheet import Grid
from baserate.report.words import reason_of

CONSTANT = "decides_constantly"  # always as the best constant decision
WRITTEN = 4  # decisions and classes whose utilities a line has room for
SQUARE = 12  # of which they fit a page
CONSTANTS = 5  # constant decisions that are shown, the best first


def choice(stakes: ClassStakesFact, decision: object) -> str:
    """Name a constant decision."""
    return f"always {'choosing' if stakes.named else 'saying'} {quoted(decision)}"


def stakes_told(stakes: ClassStakesFact) -> str:
    """Write out what decisions are worth if that is known; a large matrix has its own table."""
    if stakes.matrix is None:
        return ""
    sizes = len(stakes.decisions), len(stakes.classes)
    if max(sizes) > WRITTEN:
        return f"utilities of {count(sizes[0])} decisions in {count(sizes[1])} classes"
    rows = (
        f"{quoted(decision)} {', '.join(_worths(stakes, row))}"
        for decision, row in zip(stakes.decisions, stakes.matrix, strict=True)
    )
    return "; ".join(rows)


def _worths(stakes: ClassStakesFact, row: tuple[float, ...]) -> list[str]:
    pairs = zip(row, stakes.classes, strict=True)
    return [f"{count(worth)} if {quoted(name)}" for worth, name in pairs]


def worth_using(stakes: ClassStakesFact, worth: ClassWorthFact, confidence_level: float) -> str:
    """Say what a classifier earns, and whether it is worth using."""
    ends = f"{level(confidence_level)} interval {figures.interval(worth.low, worth.high)}"
    told = f"It {earns(worth.value)} per case ({ends})"
    always = f"{choice(stakes, stakes.constant)} {earns(stakes.constant_value)}"
    if worth.beats_reason == CONSTANT:
        return f"{told}, as {choice(stakes, stakes.constant)} does: it decides so in every case."
    if worth.beats_reason:
        why = reason_of(worth.beats_reason)
        return f"Worth using: cannot tell, since {why}. {told}; {always}."
    p = figures.equals(worth.beats_constant)
    return f"Worth using: {worth.worth_using}. {told}; {always}. P(it earns more) {p}."


def earns(value: float) -> str:
    """Say what is earned or lost."""
    return f"{'loses' if value < 0 else 'earns'} {count(abs(value))}"


def worths(stakes: ClassStakesFact | None, worth: ClassWorthFact | None) -> Grid:
    """Show one classifier beside the constant decisions."""
    if stakes is None or worth is None:
        return grid("Worth", ())
    ranked = sorted(stakes.constants.items(), key=lambda pair: -pair[1])[:CONSTANTS]
    known = [(choice(stakes, name), exactly(value)) for name, value in ranked]
    known.append(("knowing every class", exactly(stakes.perfect)))
    return grid(
        "Worth",
        [worth],
        Column("", lambda _: "as it decides"),
        number("utility\nper case", "value"),
        text("interval", ("low", "high"), figures.interval),
        text("P(beats constant)", "beats_constant", figures.chance),
        text("skill", write=figures.or_nothing),
        below=[(*row, *[figures.NOTHING] * 3) for row in known],
        note="Skill: 0 is the best constant decision, 1 perfection.",
    )


def utilities(stakes: ClassStakesFact | None) -> Grid:
    """Show utilities that no line has room for and a page has."""
    title = "Utilities (decisions in rows, classes in columns)"
    if stakes is None or stakes.matrix is None:
        return grid(title, ())
    small = WRITTEN < max(len(stakes.decisions), len(stakes.classes)) <= SQUARE
    rows = zip(stakes.decisions, stakes.matrix, strict=True) if small else ()
    return grid(
        title,
        rows,
        text("decision", itemgetter(0), quoted),
        *each(map(quoted, stakes.classes), itemgetter(1), count),
    )
