"""Numbers and labels as a reader sees them: short, with separators, undefined said in words."""

import math
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from baserate._measures import MEASURES

_STATED = ContextVar[float | None]("the base rate that the report says above", default=None)
NOTHING = "\N{EN DASH}"  # the column does not apply here
LONGEST = 120  # signs of a name: three lines of a table, six on a phone
BRIEF = 80  # signs of a name that is read rather than looked up
LEFTWARD = frozenset({"R", "AL"})  # letters of Hebrew, Arabic and the like
ONWARD = "\N{LEFT-TO-RIGHT MARK}"  # unseen; without it digits that follow such letters change sides
PILED = 4  # accents upon one letter, as many as any script needs
AVERAGES = ("macro", "micro", "weighted")  # kinds of averages over classes
# Guesses as sentences of reports and pictures name them. Luck is as many alarms, and nothing else.
GUESSES = {
    "dutch_draw": "the best guess",
    "same_alarms": "guessing with as many alarms",
    "uniform": "tossing a coin",
    "proportional": "guessing at the base rate",
    "mode": "always guessing the commoner label",
}
# Names that are not their canonical name with spaces in it.
SPOKEN = {
    "f1": "F1",
    "f05": "F0.5",
    "f2": "F2",
    "negative_f1": "F1 of the negatives",
    "f1_harmonic": "harmonic F1",
    "jaccard": "Jaccard index",
    "fowlkes_mallows": "Fowlkes-Mallows index",
    "matthews_correlation": "Matthews correlation",
    "cohen_kappa": "Cohen's kappa",
    "yule_q": "Yule's Q",
    "yule_y": "Yule's Y",
    "gilbert_skill_score": "Gilbert skill score",
    "robust_f": "robust F",
    "robust_mcc": "robust Matthews correlation",
}


def number(value: float) -> str:
    """Write a value: three decimals up to 10, fewer beyond; nan is "undefined".

    Examples
    --------
    >>> from baserate._figures import number
    >>> [number(x) for x in (0.61234, 1, -0.00001, 0.00031, 12.345, 1234.5, float("nan"))]
    ['0.612', '1.000', '-0.00001', '0.0003', '12.35', '1,234', 'undefined']
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    if 0 < size < 0.0005:
        return _one_digit(value)
    if size <= 10:
        return f"{value + 0.0:.3f}"  # adding 0.0 turns -0.0 into 0.0
    digits = 2 if size < 100 else 1 if size < 1000 else 0
    return f"{value:,.{digits}f}" if size < 1e15 else _huge(value)


def short(value: float) -> str:
    """Write a value for a sentence: two decimals where they tell enough.

    Examples
    --------
    >>> from baserate._figures import short
    >>> [short(x) for x in (0.6, 0.0512, 0.9974, 25.0)]
    ['0.60', '0.051', '0.997', '25.00']
    """
    return f"{value:.2f}" if 0.1 <= abs(value) <= 0.99 else number(value)


def told_apart(first: float, second: float) -> tuple[str, str]:
    """Write two values for a sentence that says they differ: with the digits that show it.

    Examples
    --------
    >>> from baserate._figures import told_apart
    >>> told_apart(0.6, 0.51), told_apart(0.953, 0.948), told_apart(0.95312, 0.95308)
    (('0.60', '0.51'), ('0.953', '0.948'), ('0.95312', '0.95308'))
    >>> told_apart(0.6, 0.6)
    ('0.60', '0.60')
    """
    pair = short(first), short(second)
    for digits in range(3, 17):
        if pair[0] != pair[1] or first == second:
            break
        pair = f"{first:.{digits}g}", f"{second:.{digits}g}"
    return pair


def count(value: float) -> str:
    """Write a number of cases in full, and a sum of weights with at most four digits of detail.

    Examples
    --------
    >>> from baserate._figures import count
    >>> [count(x) for x in (6366, 7.0, 812.3456, 0.25, 12345.6)]
    ['6,366', '7', '812.3', '0.25', '12,346']
    """
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**15 else _huge(value)
    if not math.isfinite(value):
        return number(value)
    if value == round(value) or abs(value) >= 1000:
        return count(round(value))
    return f"{value:,.4g}"


def percent(share: float) -> str:
    """Write a share as a percentage that is 0% or 100% only if it is exactly that.

    Examples
    --------
    >>> from baserate._figures import percent
    >>> [percent(x) for x in (0, 1e-30, 0.0004, 0.004, 0.3697, 0.9961, 0.99999, 1)]
    ['0%', '< 0.001%', '0.04%', '0.4%', '37%', '99.6%', 'over 99.9%', '100%']
    """
    if 0 < share < 1e-5:
        return "< 0.001%"
    if share in {0, 1} or 0.01 <= abs(share) < 0.99:
        return f"{100 * share:.0f}%"
    if 0.99 <= share < 1:
        return f"{100 * share:.1f}%" if share < 0.9995 else "over 99.9%"
    return f"{_one_digit(100 * share)}%" if abs(share) < 0.01 else f"{100 * share:.0f}%"


def percents(low: float, high: float) -> str:
    """Write both ends of an interval of a share, with a digit more where they would look alike.

    Examples
    --------
    >>> from baserate._figures import percents
    >>> percents(0.83, 0.91), percents(0.0372, 0.0431)
    ('83% to 91%', '3.7% to 4.3%')
    """
    ends = percent(low), percent(high)
    if ends[0] == ends[1]:  # of many cases
        ends = f"{100 * low:.1f}%", f"{100 * high:.1f}%"
    return " to ".join(ends)


def level(confidence: float) -> str:
    """Write a confidence level in full: 0.975 is 97.5%."""
    return f"{100 * confidence:.10g}%"


def p_value(p: float) -> str:
    """Write a probability of doing as well by guessing.

    Examples
    --------
    >>> from baserate._figures import p_value
    >>> [p_value(p) for p in (1e-9, 0.0213, 0.2149, 1, float("nan"))]
    ['< 0.001', '0.021', '0.21', '1.00', '–']
    """
    if math.isnan(p):
        return NOTHING
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.0995 else f"{p:.2f}"


def chance(p: float) -> str:
    """Write a probability.

    Examples
    --------
    >>> from baserate._figures import chance
    >>> [chance(p) for p in (0.6157, 0.0122, 0.9985, 0.0002, 0.99999, float("nan"))]
    ['0.62', '0.012', '0.999', '< 0.001', '> 0.999', '–']
    """
    if math.isnan(p):
        return NOTHING
    if not 0.001 <= p <= 0.9995:
        return "< 0.001" if p < 0.5 else "> 0.999"
    return f"{p:.2f}" if 0.0995 <= p <= 0.9905 else f"{p:.3f}"


def equals(p: float) -> str:
    """Write a probability behind its event.

    Examples
    --------
    >>> from baserate._figures import equals
    >>> equals(0.6157), equals(0.99999)
    ('= 0.62', '> 0.999')
    """
    written = chance(p)
    return written if written[0] in "<>" else f"= {written}"


def p_stated(p: float) -> str:
    """Write a p-value for a sentence.

    Examples
    --------
    >>> from baserate._figures import p_stated
    >>> p_stated(0.0213), p_stated(1e-9)
    ('p = 0.021', 'p < 0.001')
    """
    written = p_value(p)
    return f"p {written}" if written.startswith("<") else f"p = {written}"


def interval(low: float, high: float) -> str:
    """Write an interval as "low to high"."""
    return NOTHING if math.isnan(low) or math.isnan(high) else f"{number(low)} to {number(high)}"


def or_nothing(value: float) -> str:
    """Write a value whose absence means "does not apply" rather than "undefined"."""
    return NOTHING if math.isnan(value) else number(value)


def label(value: Any, most: int = LONGEST) -> str:
    r"""Write a label, a group or a column name on one line of printable signs, the middle cut out.

    Only names of more than `most` signs lose any; JSON and frames hold them whole. After one that
    is read from right to left an unseen mark keeps what follows in its place.

    Examples
    --------
    >>> from baserate._figures import label
    >>> label("two\nlines"), label(1), label(None), label(float("nan"))
    ('two\\nlines', '1', '(missing)', '(missing)')
    >>> label("abcdefghijkl" * 1_000, 12)
    'abcdefgh…jkl'
    >>> label("\u05d0\u05d1") == "\u05d0\u05d1\u200e"
    True
    """
    text, tail = spelled(as_text(value)), most // 4
    if len(text) > most:
        text = f"{text[: most - tail - 1]}…{text[-tail:]}"
    return text if text.isascii() or text.endswith(ONWARD) else _led_on(text)


@contextmanager
def stated_at(base_rate: float | None) -> Iterator[None]:
    """While a report is written that says its base rate above, metrics do not repeat it."""
    token = _STATED.set(base_rate)
    try:
        yield
    finally:
        _STATED.reset(token)


def spoken(name: str) -> str:
    """Write a metric's name as in a sentence.

    Examples
    --------
    >>> from baserate._figures import spoken
    >>> spoken("f1.at_base_rate(0.5)"), spoken("matthews_correlation"), spoken("macro_f1")
    ('F1 (at a base rate of 0.5)', 'Matthews correlation', 'macro F1')
    >>> spoken("f_beta(beta=1.5)"), spoken("robust_f(d0=1, d1=2, c=0)"), spoken("ratio(recall)")
    ('F1.5', 'robust F (d0=1, d1=2, c=0)', 'ratio of recall')
    >>> spoken("roc_auc"), spoken("log_loss")
    ('ROC area', 'log loss')
    """
    name, restated, rate = name.partition(".at_base_rate(")
    said, rate = _plain(label(name)), rate.rstrip(")")
    told = not restated or float(rate) == _STATED.get()
    return said if told else f"{said} (at a base rate of {rate})"


def _plain(name: str) -> str:
    if name.startswith("utility("):
        return "utility per case"
    if name.startswith("cost_per_case("):
        return "cost per case"
    kind, _, part = name.partition("_")
    if kind in AVERAGES and part:
        return f"{kind} {spoken(part)}"
    family, bracket, given = name.removesuffix(")").partition("(")
    if not bracket:
        known = MEASURES.get(name)
        return SPOKEN.get(name) or (known and known.spoken) or name.replace("_", " ")
    return _of_family(family, given)


def sentence_case(text: str) -> str:
    """Raise the first letter and leave the others alone."""
    return text[:1].upper() + text[1:]


def guess(name: str | float) -> str:
    """Name a guess as in a sentence.

    Examples
    --------
    >>> from baserate._figures import guess
    >>> guess("uniform"), guess(0.3)
    ('tossing a coin', 'guessing positive with probability 0.3')
    """
    try:
        return f"guessing positive with probability {float(name):g}"
    except ValueError:
        return GUESSES.get(str(name), str(name))


def quoted(value: Any) -> str:
    """Write a label between quotation marks."""
    return f'"{label(value)}"'


def as_text(value: Any) -> str:
    r"""Write a label as it is; what is missing in brackets, since a group may be called missing.

    Examples
    --------
    >>> from baserate._figures import as_text
    >>> as_text("two\nlines"), as_text(None)
    ('two\nlines', '(missing)')
    """
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "(missing)"
    return str(value)


def joined(labels: Iterable[Any]) -> str:
    """Write the labels of one group one after the other; no two groups are written alike.

    Of several labels those with a comma or a quotation mark stand in quotation marks, as in CSV.

    Examples
    --------
    >>> from baserate._figures import joined
    >>> joined(["a, b"]), joined(["a", "b"]), joined(["a, b", "c"])
    ('a, b', 'a, b', '"a, b", c')
    """
    texts = list(map(as_text, labels))
    if len(texts) == 1:
        return texts[0]
    marked = (t.replace('"', '""') for t in texts)
    return ", ".join(f'"{t}"' if {",", '"'} & {*t} else t for t in marked)


def spelled(text: str) -> str:
    r"""Write out what does not stand on the line as a sign of its own, as Python does.

    Control characters and codes of terminals, line ends, marks that turn the direction of reading,
    halves of surrogate pairs; and what is piled upon a letter, from the fifth mark on.

    Examples
    --------
    >>> from baserate._figures import spelled
    >>> spelled("a\x1b[2J"), spelled("\u202eyes"), spelled("o\N{COMBINING DIAERESIS}") == "o\u0308"
    ('a\\x1b[2J', '\\u202eyes', True)
    """
    if text.isascii() and text.isprintable():
        return text
    written, piled = list[str](), PILED  # nothing for the first sign to stand on
    leftward = False
    for sign in text:
        piled = piled + 1 if unicodedata.combining(sign) else 0
        leftward |= sign.isprintable() and unicodedata.bidirectional(sign) in LEFTWARD
        stands = sign.isprintable() or (leftward and sign == ONWARD)
        shown = sign if stands and piled <= PILED else sign.encode("unicode_escape").decode("ascii")
        written.append(shown)
    return "".join(written)


def exact(value: float) -> str:
    """Write a number so that reading it gives the very same number."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _of_family(family: str, given: str) -> str:
    """Write the name of a metric that has parameters."""
    if family in {"difference", "ratio"}:
        return f"{family} of {spoken(given)}"
    if family == "f_beta":
        return f"F{given.removeprefix('beta=')}"
    return f"{spoken(family)} ({given})"


def _led_on(text: str) -> str:
    turns = any(unicodedata.bidirectional(sign) in LEFTWARD for sign in text)
    return f"{text}{ONWARD}" if turns else text


def _one_digit(value: float) -> str:
    digits = -math.floor(math.log10(abs(value)))
    return f"{value:.{digits}f}" if digits <= 6 else f"{value:.0e}"


def _huge(value: float) -> str:
    return f"{float(value):.3e}"
