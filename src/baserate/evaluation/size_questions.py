"""`sample_size`: reads a question about the size of a sample, and asks the size of its kind."""

import inspect
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.evaluation.contracts import SYNTAX
from baserate.evaluation.sizes import (
    GapPower,
    PromisePower,
    SampleSize,
    area_difference_size,
    area_size,
    calibration_size,
    difference_size,
    gap_size,
    margin_size,
    promise_size,
    width_size,
)
from baserate.groups.power import SmallestGap
from baserate.metrics import CATALOGUE, Metric, binary_metric

GAP = re.compile(r"gap\((?P<metric>.+)\)")
DIFFERENCE = re.compile(r"difference\((?P<metric>[^,]+)(?P<names>,.*)?\)")
ENDS = {">=": "low", "<=": "high"}  # of the interval that keeps the promise
QUESTIONS = (
    '"recall >= 0.8@low" or "difference(recall) >= -0.02@low" (promises), "recall" (to within a '
    'width), "difference" (of two classifiers), "difference(roc_auc)" (of two scores), '
    '"calibration", "roc_auc", or '
    '"gap(recall)" (between groups)'
)
NAMED: Mapping[str, Callable[..., Any]] = {
    "difference": difference_size, "difference(roc_auc)": area_difference_size,
    "calibration": calibration_size, "roc_auc": area_size,
}  # fmt: skip


def sample_size(
    question: str | Metric, **known: Any
) -> SampleSize | SmallestGap | GapPower | PromisePower:
    """Return how many cases a question takes, before there are any.

    Parameters
    ----------
    question : str or Metric
        What is to be found out; each asks for what is `known`, and says so if it is missing. A
        metric of one's own stands for its name.

        - ``"recall >= 0.8@low"``, a promise about a share: the lower limit is at least 0.8
          (Clopper and Pearson's; ``"false_positive_rate <= 0.1@high"`` for an upper one), with
          probability `power`. Needs `expected`, the share that is hoped for; `base_rate` tells how
          many cases hold so many positives. With `n` of them (positives, for recall), how probably
          these show it. Enumerated.
        - ``"difference(recall) >= -0.02@low"``, a promise about two classifiers on the same cases:
          the second is not worse than the first by a margin of two points, as `compare` says it by
          the limit of Tango's score test, with probability `power`. Needs `discordant`, the shares
          (of positives, for recall) that only the first and only the second gets right. Enumerated.
        - ``"recall"``, or any other metric, to within a `width` (upper less lower limit: 0.1 for 5
          points either way). A share of cases needs `expected`; anything else a pilot `table`, or
          `recall`, `specificity` and `base_rate` as they are expected.
        - ``"difference"``: until it is `certainty` (0.975) which of two classifiers is better. On
          the same cases `discordant`, the shares of cases that only the first and only the second
          gets right, which may come with a `power`: then McNemar's mid-p test shows the difference
          with this probability, or with a `margin`: then the second is shown to be right in no more
          than this share fewer; or `joint` counts with a `utility`. On cases of their own the
          tables `a` and `b`, with a `utility` if not all errors count the same.
        - ``"calibration"``: the criteria of Riley et al. for a model of probabilities. Needs
          `base_rate` and `auc`, or a law of the risks (`scores`, `linear_predictor`, `beta`); may
          take `oe_width`, `slope_width`, `auc_width`, and `threshold` with `net_benefit_width`:
          where some are named, the size is what these take, and what the others would take is told.
        - ``"roc_auc"``, to within a `width` (0.1). Needs `auc` and `base_rate`.
        - ``"difference(roc_auc)"``: which of two scores of the same cases has the larger ROC area,
          shown by `compare_auc` with probability `power`. Needs both areas, ``auc=(0.80, 0.85)``,
          `base_rate`, and the `correlation` of the two scores in cases of one class: with 0 most
          cases are needed.
        - ``"gap(recall)"``: a group that shows a `gap` to its `reference` by the exact test, with
          probability `power`. With a `group` (its table, or its number of cases) and no gap, the
          smallest gap that it shows; with both, how probably it does.
    **known
        Of a promise and a width also `confidence_level` (0.95), of a promise and a gap `power`
        (0.8), of a promise, a width and a difference `design_effect`: clustered cases, such as
        several images of a patient, tell less than as many independent ones, by this factor.

    Returns
    -------
    SampleSize
        Or, of a given group, a `SmallestGap` or a `GapPower`; of given cases a `PromisePower`.

    Raises
    ------
    InvalidArgumentError
        Another question; something is missing, unknown or out of its range; 10⁹ cases do not
        suffice.

    References
    ----------
    Tango (1998), Statistics in Medicine 17:891, for margins.
    Clopper and Pearson (1934), Biometrika 26:404, doi:10.1093/biomet/26.4.404. Joseph, du Berger
    and Bélisle (1997), Statistics in Medicine 16:769,
    doi:10.1002/(SICI)1097-0258(19970415)16:7<769::AID-SIM495>3.0.CO;2-V, for sizes by the posterior
    width. Riley et al. (2021), Statistics in Medicine 40:4230, doi:10.1002/sim.9025. Kish (1965),
    Survey Sampling, Wiley, for the design effect.

    Examples
    --------
    A recall of at least 0.9, where 0.95 is expected:

    >>> import baserate as br
    >>> br.sample_size("recall >= 0.9@low", expected=0.95)
    255 positives show recall >= 0.9@low (Clopper-Pearson, 95%) with probability 0.8 if it is 0.95

    What 20 positives show of it, and of less:

    >>> br.sample_size("recall >= 0.8@low", expected=0.9, n=20)
    20 positives show recall >= 0.8@low (Clopper-Pearson, 95%) with probability 0.122 if it is 0.9

    Riley et al.'s model for the failure of heart valves, of which 1.8% fail, with the law of
    pmvalsampsize's manual (where 905, 4544 as a simulated law has it, and 4252 are found):

    >>> found = br.sample_size(
    ...     "calibration", base_rate=0.018, auc=0.8, linear_predictor=(-5, 2.5), oe_width=1,
    ...     slope_width=0.2, auc_width=0.1,
    ... )
    >>> {name: one.n for name, one in found.validation.criteria.items()}, int(found)
    ({'oe': 906, 'slope': 4554, 'auc': 4252}, 4554)

    Two models of which each alone is right in 15% and 12% of cases:

    >>> br.sample_size("difference", discordant=(0.15, 0.12), power=0.8).n
    2350

    A new model that is as good, and shown to be no more than two points worse:

    >>> br.sample_size("difference", discordant=(0.05, 0.05), margin=0.02).n
    1994

    How large a group must be, or what a group of 50 positives shows:

    >>> rest = br.ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
    >>> found = br.sample_size("gap(recall)", reference=rest, gap=-0.2)
    >>> found.n, found.counted, found.cases
    (46, 'positives', 92)
    >>> group = br.ConfusionMatrix(tp=40, fn=10, fp=5, tn=45)
    >>> round(br.sample_size("gap(recall)", reference=rest, group=group).below, 3)
    0.188
    """
    if isinstance(question, Metric):
        return _asked(question.name, width_size, {"metric": question}, known)
    if not isinstance(question, str):
        remedy = f"ask {QUESTIONS}"
        raise InvalidArgumentError.from_rule("question", "must be text", question, remedy)
    asked = question.strip()
    if asked in NAMED:
        return _asked(asked, NAMED[asked], {}, known)
    promised = SYNTAX.fullmatch(asked)
    if promised and (way := promised["operator"]) in ENDS:
        metric, bound = promised["name"], promised["limit"]
        if promised["rest"] != f"@{ENDS[way]}":
            rule = f"must say which limit keeps the promise, as {metric} {way} {bound}@{ENDS[way]}"
            remedy = "a value found keeps a promise about the truth half of the time"
            raise InvalidArgumentError.from_rule("a promise", rule, question, remedy)
        if of := DIFFERENCE.fullmatch(metric):
            if of["names"]:
                rule = "of a difference names no classifiers"
                plain = asked.replace(of["names"], "")
                remedy = f'ask "{plain}": the first share is the old one\'s'
                raise InvalidArgumentError.from_rule("a question", rule, question, remedy)
            about = {"metric": of["metric"], "way": way, "bound": bound}
            return _asked(asked, margin_size, about, known)
        return _asked(asked, promise_size, {"metric": metric, "way": way, "bound": bound}, known)
    if gap := GAP.fullmatch(asked):
        return _asked(asked, gap_size, {"metric": gap["metric"]}, known)
    try:
        binary_metric(asked)
    except UnknownNameError:
        raise _unheard(asked) from None
    return _asked(asked, width_size, {"metric": asked}, known)


def _unheard(asked: str) -> InvalidArgumentError | UnknownNameError:
    """Say what may be asked in place of nothing, or of what nobody knows."""
    if not asked:
        text = f"must say what the cases are for: ask {QUESTIONS}."
        return InvalidArgumentError.about("question", text)
    if of := DIFFERENCE.fullmatch(asked):
        rule = "about a metric of two classifiers must be a promise"
        remedy = f'ask "difference({of["metric"]}) >= -0.02@low", or "difference" for accuracy'
        return InvalidArgumentError.from_rule("a question", rule, asked, remedy)
    near = get_close_matches(asked, [*NAMED, *(metric.name for metric in CATALOGUE)], n=1)
    return UnknownNameError.from_name("question", asked, near, f"Ask {QUESTIONS}")


def _asked(
    question: str, route: Callable[..., Any], of: Mapping[str, Any], known: Mapping[str, Any]
) -> Any:
    """Ask one route, once all that it needs is known and nothing else."""
    takes = {
        name: one
        for name, one in inspect.signature(route).parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }
    needs = [name for name, one in takes.items() if one.default is one.empty]
    may = [name for name in takes if name not in needs]
    told = f"{question!r} needs {', '.join(needs)}, and may take {', '.join(may)}"
    told = told if needs else f"{question!r} takes {', '.join(may)}"
    if unknown := [name for name in known if name not in takes]:
        near = get_close_matches(unknown[0], takes, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        message = f"{question!r} does not ask for {unknown[0]}: {meant}{told}."
        raise InvalidArgumentError(message)
    if missing := [name for name in needs if known.get(name) is None]:
        rule = f"must be known for {question!r}"
        raise InvalidArgumentError.from_rule(", ".join(missing), rule, None, told)
    return route(question, **of, **known)
