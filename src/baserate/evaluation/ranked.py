"""The rows of a comparison: every number of every classifier, beside that of the first."""

from collections.abc import Iterator, Mapping
from math import nan
from typing import Any

from baserate._figures import as_text
from baserate.evaluation.named_numbers import Found, better
from baserate.evaluation.result import EVERYONE, Reported, apart
from baserate.facts.evaluation import MetricFact


class Ranked(Reported):
    """Classifiers side by side."""

    __slots__ = ()

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per classifier and metric, the yield first; measures of scores are last.

        Each has its difference from the first one named, where that is known.
        """
        facts = self.facts
        scores = [pair for pair in facts.score_pairs if pair.a == facts.scores[0].name]
        between = {(pair.b, pair.measure): pair for pair in scores}
        for pair in facts.pairs:
            if pair.a == facts.classifiers[0].name:
                between |= {(pair.b, "yield"): pair}
                between |= {(pair.b, one.name): one for one in pair.metrics}
        alone = [one for one in facts.groups if getattr(one, "worth", None) is not None]
        named = {name: apart(name, MetricFact.__slots__) for name in facts.group_names if alone}
        everyone = dict.fromkeys(named.values(), EVERYONE)
        for found in facts.classifiers:
            worth = _told("yield", "higher", found)
            for metric in (worth, *found.metrics):
                yield everyone | _row(found.name, metric, between)
        for one in alone:
            told = _told("yield", "higher", one.worth)
            place = {named[k]: as_text(v) for k, v in one.group.items()}
            yield place | _row(facts.classifiers[0].name, told, {})
        for score in facts.scores:
            for one in score.measures:
                direction = better(Found(one.name, one)) or "neither"
                yield everyone | _row(score.name, _told(one.name, direction, one), between)


def _told(name: str, better: str, found: Any) -> MetricFact:
    known = {key: getattr(found, key) for key in ("value", "low", "high", "skill")}
    return MetricFact(name=name, direction=better, **known)


def _row(name: str, metric: MetricFact, between: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
    """Return a row of a frame: a metric of one, and how far that lies above the first one's."""
    pair = between.get((name, metric.name.split(".at_base_rate", maxsplit=1)[0]))
    sign = nan if pair is None else -1.0  # pairs have the first less the other
    low, high, gap = (getattr(pair, key, nan) for key in ("low", "high", "difference"))
    p_value = getattr(pair, "p_difference", getattr(pair, "p_value", nan))
    return {
        "classifier": as_text(name),
        **metric.to_dict(),
        "difference": sign * gap,
        "difference_low": sign * high,
        "difference_high": sign * low,
        "p_difference": p_value,
        "adjusted_p_difference": getattr(pair, "adjusted_p", nan),
    }
