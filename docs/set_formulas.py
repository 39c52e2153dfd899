"""Formulas as metrics define them, in text, set for MathJax.

A slash between spaces divides all that stands before it in the term by all that follows; one
without spaces divides its neighbours only. What stands side by side is multiplied.
"""

import re
from collections.abc import Iterator

SIGNS = re.compile(
    r"(?P<over> / )|(?P<sign>[-+/·()])|(?P<power>\^\d|[²³])|(?P<number>\d+(\.\d+)?(e-?\d+)?)"
    r"|(?P<name>predicted share|[a-zA-Zπ][a-zA-Z_0-9]*)|(?P<space>\s+)"
)
POWERS = {"²": "2", "³": "3"}
GREEK = {"π": r"\pi"}


def set_formula(definition: str) -> str:
    """Return the definition, its equal forms joined by =, and its conditions after commas."""
    forms, *conditions = definition.split(", ")
    parts = [" = ".join(map(_set, forms.split(" = ")))]
    parts += [" = ".join(map(_set, each.split(" = "))) for each in conditions]
    return r",\quad ".join(parts)


def _set(text: str) -> str:
    return _Reader(text).sum()


class _Reader:
    """Descends a formula from sums to products to single signs."""

    def __init__(self, text: str) -> None:
        self.words = list(_words(text))
        self.at = 0

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self) -> str:
        self.at += 1
        return self.words[self.at - 1]

    def sum(self) -> str:
        parts = [self.take()] if self.peek() == "-" else []
        parts.append(self.ratio())
        while self.peek() in {"+", "-"}:
            parts += [self.take(), "-" + self.after_minus() if self.peek() == "-" else self.ratio()]
        return " ".join(parts)

    def after_minus(self) -> str:
        self.take()
        return self.ratio()

    def ratio(self) -> str:
        above = self.product()
        while self.peek() == " / ":
            self.take()
            above = rf"\frac{{{_bare(above)}}}{{{_bare(self.product())}}}"
        return above

    def product(self) -> str:
        parts = [self.tight()]
        while self.peek() not in {"", "+", "-", " / ", ")"}:
            if self.peek() == "·":
                parts.append(rf"\cdot {self.take() and ''}")
            parts.append(self.tight())
        return r"\,".join(parts)

    def tight(self) -> str:
        above = self.atom()
        while self.peek() == "/":
            self.take()
            above = rf"\frac{{{_bare(above)}}}{{{_bare(self.atom())}}}"
        return above

    def atom(self) -> str:
        word = self.take()
        if word == "sqrt":
            told = rf"\sqrt{{{_bare(self.atom())}}}"
        elif word == "(":
            told = rf"\left({self.sum()}\right)"
            self.take()
        elif word[0].isdigit():
            told = word
        else:
            told = _name(word)
        if self.peek() and (self.peek()[0] == "^" or self.peek() in POWERS):
            power = self.take()
            told += f"^{POWERS.get(power, power[1:])}"
        return told


def _words(text: str) -> Iterator[str]:
    for found in SIGNS.finditer(text):
        if found.lastgroup != "space":
            yield found[0]


def _bare(told: str) -> str:
    """Without the outer parentheses, where they hold all of it: a bar does their work."""
    if not (told.startswith(r"\left(") and told.endswith(r"\right)")):
        return told
    inside = told[len(r"\left(") : -len(r"\right)")]
    depth = 0
    for sign in re.findall(r"\\left\(|\\right\)", inside):
        depth += 1 if sign == r"\left(" else -1
        if depth < 0:
            return told
    return inside


def _name(word: str) -> str:
    if word in GREEK:
        return GREEK[word]
    if re.fullmatch(r"[a-z]\d", word):
        return f"{word[0]}_{word[1]}"
    if len(word) == 1:
        return word
    spaced = re.sub("[_ ]", r"\\ ", word)
    return rf"\mathrm{{{spaced}}}"
