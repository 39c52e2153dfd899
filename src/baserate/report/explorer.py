"""The explorer: a part of a page in which one moves the cut and sees what becomes of the cases.

Python counts and writes the counts down, thinned where there are more cuts than a page can hold.
From there the page's own script does the arithmetic, offline: `templates/explorer*.js`.
"""

import base64
import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from baserate import _figures as figures
from baserate._arith import plain
from baserate._figures import GUESSES, sentence_case, spoken
from baserate.counts import CELLS, ConfusionMatrix
from baserate.curves.cut_points import Sweep
from baserate.errors import InvalidArgumentError
from baserate.facts.audit import AuditFacts
from baserate.facts.comparison import ComparisonFacts
from baserate.facts.evaluation import EvaluationFacts
from baserate.facts.threshold import ThresholdFacts
from baserate.metrics import Metric, binary_metric
from baserate.report.explorer_counts import are_probabilities, curve_record
from baserate.report.words import reason_of

METRICS = (
    "accuracy", "recall", "specificity", "precision", "negative_predictive_value", "f1",
    "balanced_accuracy", "informedness", "matthews_correlation", "cohen_kappa",
)  # fmt: skip
# Perfect at any cut without errors of one kind: the best cut by them is no choice.
ONE_SIDED = frozenset({"recall", "specificity", "precision", "negative_predictive_value"})
SCRIPTS = ("explorer_numbers.js", "explorer_words.js", "explorer_pictures.js", "explorer.js")
SHOWN_GUESSES = ("same_alarms", "dutch_draw")
MOST_CUTS = 512  # of one curve: a redraw takes a millisecond, and the ROC curve looks the same
CUTS_IN_ALL = 12_800  # about 150 kB
MOST_CURVES = 40
# What ends a script early, opens a comment, or is an entity, written so that none of it is there.
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}

Names = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorer:
    """What a page needs to let its reader move the cut; written only when `data` is asked for."""

    curves: Mapping[Names, Sweep]  # either name may be empty
    # words of the command that evaluates its scores, without what the reader chooses; empty where
    # the data were in memory
    commands: Mapping[str, tuple[str, ...]]
    start: Mapping[str, Any]  # what the page shows first: "threshold", "base_rate", "tau", "guess"
    people: str = "people"  # what the cases are
    title: str = "Explore the cut"

    @property
    def script(self) -> str:
        """The script, the same for every page, as it has to stand between its tags."""
        return _script()

    @property
    def policy(self) -> str:
        """What a Content-Security-Policy must say for this script, and no other, to run."""
        digest = hashlib.sha256(self.script.encode()).digest()
        return f"script-src 'sha256-{base64.b64encode(digest).decode()}'"

    @property
    def data(self) -> str:
        """The counts as JSON that may stand in a script element, whatever the labels hold."""
        shown = dict(sorted(self._by_size()[:MOST_CURVES]))
        most = min(MOST_CUTS, CUTS_IN_ALL // max(1, len(shown)))
        names = [names for at, names in enumerate(self.curves) if at in shown]
        first, called = self.curves[names[0]], _told_apart(classifier for classifier, _ in names)
        document = {
            "positive": figures.label(first.positive),
            "positiveInCode": "" if first.positive == 1 else repr(plain(first.positive)),
            "people": self.people,
            "start": dict(self.start),
            "leftOut": len(self.curves) - len(names),
            "guesses": {name: GUESSES[name] for name in SHOWN_GUESSES},
            "weightedNotLinear": reason_of("weighted_not_linear"),
            "metrics": [_facts(binary_metric(name)) for name in METRICS] + [_net_benefit()],
            "curves": [self._curve(name, most, called) for name in names],
        }
        text = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        return "".join(ESCAPES.get(sign, sign) for sign in text)

    def _by_size(self) -> list[tuple[int, float]]:
        """Return places and sizes of the curves, the largest first; the very first one leads."""
        sizes = [(at, s.n_positive + s.n_negative) for at, s in enumerate(self.curves.values())]
        return [sizes[0], *sorted(sizes[1:], key=lambda pair: -pair[1])]

    def _curve(self, names: Names, most: int, called: Mapping[str, str]) -> dict[str, Any]:
        classifier, group = names
        sweep = self.curves[names]
        words = self.commands.get(classifier, ())
        return {
            "classifier": called[classifier],
            "group": figures.label(group, figures.BRIEF),
            "command": shlex.join(words),
            **curve_record(sweep, most, keep=(self.start["threshold"],)),
        }


def explorer_of(
    sweeps: Mapping[str, Sweep] | Mapping[str, Mapping[str, Sweep]],
    *,
    command: Sequence[str] | Mapping[str, Sequence[str]] = (),
    threshold: float | None = None,
    base_rate: float | None = None,
    tau: float | None = None,
    guess: str = "same_alarms",
    people: str = "people",
) -> Explorer:
    """Prepare the explorer of some scores; nothing is computed before a page is written.

    `sweeps` are groups by name, all cases first, or classifiers, each with its groups; `command`
    the words that evaluate the scores, without what the page adds (a call of Python without it).
    The cut shown first is `threshold`, which is kept however many are left out: 0.5 where every
    score lies in [0, 1] and the table there is known, else the middle one. Net benefit weighs a
    false alarm tau / (1 - tau) as much as a miss, by default at the cut where that is a
    probability.
    """
    curves = dict(_named(sweeps))
    if not curves:
        rule, remedy = "must hold a sweep", "pass baserate.sweep(y_true, y_score) by name"
        raise InvalidArgumentError.from_rule("sweeps", rule, sweeps, remedy)
    chances = all(map(are_probabilities, curves.values()))
    known = all(len({*map(int, one.rules_around(0.5))}) == 1 for one in curves.values())
    at = 0.5 if threshold is None and chances and known else threshold
    worth = at if chances and at is not None and 0 < at < 1 else 0.5
    return Explorer(
        curves=curves,
        commands=_commands(command, {classifier for classifier, _ in curves}),
        start={
            "threshold": at,
            "base_rate": base_rate,
            "tau": worth if tau is None else tau,
            "guess": guess if guess in SHOWN_GUESSES else SHOWN_GUESSES[0],
        },
        people=people,
    )


def explorer_of_facts(
    sweeps: Mapping[str, Sweep], facts: EvaluationFacts | AuditFacts | ThresholdFacts
) -> Explorer | None:
    """Return the explorer for the page of these facts, which starts at their setting.

    Without the name of a file, or with weights, whose column facts do not name, the page gives a
    call of Python in place of a command.
    """
    if not sweeps:
        return None
    weighted = any(sweep.is_weighted for sweep in sweeps.values())
    named = facts.source and facts.target and facts.score and not weighted
    setting: dict[str, Any] = {"threshold": getattr(facts, "default", None)}
    if isinstance(facts, EvaluationFacts):
        rate = facts.base_rate if facts.restated else None
        setting = {"threshold": facts.threshold, "base_rate": rate, "guess": facts.guess}
    if isinstance(facts, AuditFacts):
        setting = {"threshold": facts.threshold, "base_rate": facts.base_rate}
    return explorer_of(sweeps, command=_words(facts, str(facts.score)) if named else (), **setting)


def explorer_of_comparison(
    sweeps: Mapping[str, Mapping[str, Sweep]], facts: ComparisonFacts
) -> Explorer | None:
    """Return the explorer for the page of a comparison, which starts at its stakes."""
    if not sweeps:
        return None
    tau = facts.stakes.tau if 0 < facts.stakes.tau < 1 else None
    chances = all(are_probabilities(swept) for _, swept in _named(sweeps))
    named = facts.source and facts.target
    return explorer_of(
        sweeps,
        command={name: _words(facts, name) for name in sweeps} if named else (),
        threshold=tau if chances else None,
        base_rate=facts.base_rate if facts.restated else None,
        tau=tau,
        guess="dutch_draw",
    )


def _words(
    facts: EvaluationFacts | AuditFacts | ThresholdFacts | ComparisonFacts, score: str
) -> tuple[str, ...]:
    path, _, form = str(facts.source).rpartition(" (")  # "cases.csv (CSV)"
    if form == "counted scores)":
        return ("baserate", "evaluate", path)
    return evaluate_words(
        path,
        target=str(facts.target),
        score=score,
        positive=facts.positive,
        groups=facts.group_names,
        drop_missing=facts.missing > 0,
    )


def evaluate_words(
    path: str,
    *,
    target: str,
    score: str,
    positive: Any,
    groups: Iterable[str] = (),
    drop_missing: bool = False,
) -> tuple[str, ...]:
    """Return the words of a command for `explorer_of`."""
    named = {"target": target, "score": score, "positive": positive}
    return (
        "baserate", "evaluate", path,
        *(f"--{name}={value}" for name, value in named.items() if value is not None),
        *(f"--group={name}" for name in groups),
        *(("--missing=drop",) if drop_missing else ()),
    )  # fmt: skip


def _told_apart(names: Iterable[str]) -> dict[str, str]:
    """Write names for a menu, those that are too long to differ there with a number."""
    called: dict[str, str] = {}
    for name in dict.fromkeys(names):
        short = figures.label(name, figures.BRIEF)
        same = sum(figures.label(other, figures.BRIEF) == short for other in called)
        called[name] = f"{short} ({same + 1})" if same else short
    return called


def _facts(metric: Metric) -> dict[str, Any]:
    restated = metric.at_base_rate(0.5)
    return {
        "name": metric.name,
        "label": sentence_case(spoken(metric.name)),
        "definition": metric.definition,
        "dependsOnBaseRate": metric.depends_on_base_rate,
        "linear": metric.linear_in_rates,
        "hasBestCut": metric.name not in ONE_SIDED,
        "undefined": _reasons(metric),
        "undefinedRestated": _reasons(restated),
    }


def _net_benefit() -> dict[str, Any]:
    facts = _facts(binary_metric("net_benefit(threshold=0.5)"))
    return {
        **facts,
        "name": "net_benefit",
        "label": "Net benefit",
        "definition": "tp/n - fp/n odds",
    }


def _reasons(metric: Metric) -> list[list[str]]:
    """Return each sum of counts that must not be zero, and what it means; empty classes first."""
    sums = sorted(metric.undefined_if_zero, key=lambda cells: cells not in {"tp+fn", "fp+tn"})
    return [[cells, _reason(metric, cells.split("+"))] for cells in sums]


def _reason(metric: Metric, empty: list[str]) -> str:
    cells = {cell: 0 if cell in empty else 1 for cell in CELLS}
    return metric.undefined_reason(ConfusionMatrix(**cells)) or ""


def _named(sweeps: Mapping[str, Any]) -> Iterator[tuple[Names, Sweep]]:
    for name, held in sweeps.items():
        if isinstance(held, Sweep):
            yield ("", name), held
        else:
            for group, sweep in held.items():
                yield (name, group), sweep


def _commands(given: Any, classifiers: Iterable[str]) -> dict[str, tuple[str, ...]]:
    if isinstance(given, Mapping):
        return {name: tuple(words) for name, words in given.items()}
    return {name: tuple(given) for name in classifiers}


@cache
def _script() -> str:
    """Join the parts in a scope of their own, with one sign for each end of a line.

    That is how a browser reads a page, and so how the digest must be taken.
    """
    folder = files("baserate.report").joinpath("templates")
    lines = ['"use strict";', "(() => {"]
    lines += [folder.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS]
    return "\n".join([*lines, "})();"]).replace("\r\n", "\n")
