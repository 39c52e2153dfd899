"""Targets of fuzzing that read short texts: what stands on a command line, and what labels hold.

Each raises for a finding only: anything but a right answer or an error of ours. What an answer says
is checked where there is a simple rule.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from math import isclose, isfinite, isinf

Target = Callable[[bytes], None]


@contextmanager
def only_ours() -> Iterator[None]:
    """Let errors of ours pass, and nothing else; a warning is a finding too."""
    from baserate.errors import BaserateError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # ours, which say what to look at
        try:
            yield
        except BaserateError as error:
            said = str(error)
            if not said or "Traceback" in said:
                raise AssertionError(f"an error that explains nothing: {said!r}") from error


def text_of(data: bytes) -> str:
    """Return the bytes as text, whatever they are."""
    return data.decode("utf-8", "replace")


def metric_formula(data: bytes) -> None:
    """Names and formulas of metrics, as on the command line."""
    import baserate as br

    with only_ours():
        metric = br.metrics.get(text_of(data))
        if isinstance(metric, br.metrics.Metric):
            value = metric(br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=4))
            assert not isinf(value), (metric, value)


def list_of_metrics(data: bytes) -> None:
    """Lists of metrics with commas, parentheses and quotes between: no sign may be lost."""
    from baserate.evaluation.metric_choice import split_names

    text = text_of(data)
    with only_ours():
        names = split_names(text)
        assert all(names)
        kept = "".join("".join(names).split()).replace(",", "")
        assert kept == "".join(text.split()).replace(",", ""), names


def contract(data: bytes) -> None:
    """What `--fail-under`, `--fail-over` and `--require` demand."""
    from baserate.cli._promises import Promises

    for option in ("under", "over", "require"):
        with only_ours():
            [found] = Promises.of(**{option: [text_of(data)]}).contracts
            assert isfinite(found.limit)


# Numbers and fractions that exact arithmetic takes at once.
PLAIN = re.compile(r"([+-]?[0-9]{1,30}(?:e[+-]?[0-9]{1,2})?)(?:/([0-9]{1,30}))?")


def list_of_numbers(data: bytes) -> None:
    """Numbers and fractions with commas between; the value of one is compared with exact ones."""
    from baserate.cli._options import numbers

    text = text_of(data)
    with only_ours():
        found = numbers(text)
        if isinstance(found, float) and (plain := PLAIN.fullmatch(text)):
            exact = Fraction(Decimal(plain[1])) / Fraction(Decimal(plain[2] or "1"))
            assert abs(found - exact) <= abs(exact) * Fraction(1, 2**50) + Fraction(1, 2**1000)


def costs(data: bytes) -> None:
    """What errors cost, as `fp=1,fn=20`."""
    from baserate.evaluation.stakes import stakes_of

    with only_ours():
        found = stakes_of(None, text_of(data)).matrix
        assert all(isfinite(x) for row in found.matrix for x in row)
        assert found.matrix.min() < 0 <= found.matrix.max()
        metric = found.as_metric()
        import baserate as br

        assert isfinite(metric(br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=4)))


def top(data: bytes) -> None:
    """How long the top of a list is, as `50,5%`."""
    from baserate.evaluation.list_tops import tops_of

    with only_ours():
        assert all(x >= 1 if isinstance(x, int) else 0 < x < 1 for x in tops_of(text_of(data)))


def constraint(data: bytes) -> None:
    """What cut points must keep, as `recall >= 0.9`."""
    import baserate as br
    from baserate.tuning.targets import all_hold, constraints_of

    tables = br.ConfusionMatrix(tp=[0, 3, 4], fn=[4, 1, 0], fp=[0, 2, 6], tn=[6, 4, 0])
    with only_ours():
        [found] = constraints_of(text_of(data))
        assert all_hold((found,), tables).shape == (3,)
        [shown] = constraints_of(str(found))  # with 15 digits
        assert (shown.metric, shown.at_least) == (found.metric, found.at_least)
        assert isclose(shown.limit, found.limit, rel_tol=1e-14), str(found)


def guess(data: bytes) -> None:
    """The guess that chance refers to."""
    from baserate.baselines.guessing import chosen_guess

    with only_ours():
        found = chosen_guess(text_of(data), of_table=True)
        assert isinstance(found, str) or 0 <= found <= 1


def score_columns(data: bytes) -> None:
    """Columns of scores by pattern, name or LABEL=COLUMN, and whose they are: lines of text."""
    from baserate.evaluation.score_columns import ScoreColumns

    asked, *more = text_of(data).split("\n\n")
    known = more[0].split("\n") if more else []
    labels = more[1].split("\n") if len(more) > 1 else ["a", "b"]
    with only_ours():
        found = ScoreColumns.of(asked.split("\n"), target="y", known=lambda: known)
        if found is not None:
            order, places = found.arranged(list(dict.fromkeys(labels)))
            assert len(order) == len(places) == len(set(places))


def label(data: bytes) -> None:
    """Labels read out of text: the same text has the same value, and numbers their own."""
    from baserate.cases.values import from_text, label_of, same_text

    text = text_of(data)
    with only_ours():
        value = from_text(label_of(text))
        again = from_text(label_of(text))
        assert repr(value) == repr(again)
        assert same_text(text, text)
        assert not isinstance(value, float) or isfinite(value), value


def count(data: bytes) -> None:
    """A count as a file holds it: whole and exact, or a finite number, never negative."""
    from baserate.adapters.counts_file import count_of

    with only_ours():
        found = count_of(text_of(data), "tp")
        assert found >= 0
        assert isinstance(found, int) or isfinite(found)


# Valid inputs that mutations start from: without them a fuzzer stays at the first "if".
SEEDS: dict[str, list[bytes]] = {
    "metric_formula": [
        b"mcc",
        b"F-1 ",
        b"robust_mcc(d=0.05)",
        b"f_beta(3)",
        b"f_beta(beta=1/2)",
        b"recall",
        b"robust_f(d0=0.1, d1=2, c=0.5)",
        b"utility([[1, -20], [0, 0]])",
        b"macro_f1",
        b"micro_recall",
        b"weighted_kappa(quadratic)",
        b"net_benefit(threshold=1e-3)",
        b"weighted_accuracy(weight=0.7)",
        b"weighted_f_beta(beta=2)",
        b"treatment_equality",
        b"roc_auc",
        b"diagnostic odds ratio",
    ],
    "list_of_metrics": [
        b"mcc,f1",
        b"robust_f(d0=0.1, d1=2),recall",
        b"all",
        b"utility([[1,-2],[0,0]]), f1",
    ],
    "contract": [
        b"recall=0.8",
        b"f1=0.5@low",
        b"robust_mcc(d=0.1)=0.2@high@groups",
        b"mcc=1e-3@group=a@b",
        b"error_rate=0.1@high",
        b"macro_f1=0.8@low",
        b"recall=0.6@class=cat",
        b"precision=.5@classes@low",
    ],
    "list_of_numbers": [b"1/80", b"0.1,2e-3, 1/3", b"-1", b"1e400", b"3/7e2", b"1/1e-400"],
    "costs": [b"fp=1,fn=20", b"fp=0.5, fn=2", b"fn=1e308,fp=0", b"fp=1e-320,fn=0"],
    "top": [b"50", b"5%", b"0.1", b"50, 5%,0.25"],
    "constraint": [
        b"recall >= 0.9",
        b"alarms <= 50",
        b"predicted_positive_rate <= 0.1",
        b"robust_f(d0=0.1) >= 0.2",
        b"at least 0.9 recall",
        b"at most 50 alarms",
        b"precision>=1/2",
        b"specificity >= 90%",
    ],
    "guess": [b"dutch-draw", b"same_alarms", b"uniform", b"proportional", b"mode", b"0.25"],
    "score_columns": [
        b"p_*\n\ny\np_a\np_b\np_c\n\na\nb\nc",
        b"a=x\nb=y\n\nx\ny\nz\n\na\nb",
        b"p1\np2\n\np1\np2\n\n1\n2",
        b"prob.cat.x\nprob.dog.x\n\nprob.cat.x\nprob.dog.x\n\ncat\ndog",
        b"p[ab]*\n\npa1\npb1\n\na\nb",
    ],
    "label": [
        b"1",
        b"-0.0",
        b"1e3",
        b"true",
        b"NA",
        b"2024-02-30",
        b"2024-01-01T10:00:00",
        b"caf\xc3\xa9",
        b" x ",
    ],
    "count": [b"12", b"1e3", b"0.5", b" 7 ", b"1E400", b"1e-400", b"-0"],
}

INPUTS = {
    "metric_formula": 150_000,
    "list_of_metrics": 150_000,
    "contract": 100_000,
    "list_of_numbers": 200_000,
    "costs": 150_000,
    "top": 150_000,
    "constraint": 100_000,
    "guess": 100_000,
    "score_columns": 100_000,
    "label": 200_000,
    "count": 200_000,
}

TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (
        metric_formula,
        list_of_metrics,
        contract,
        list_of_numbers,
        costs,
        top,
        constraint,
        guess,
        score_columns,
        label,
        count,
    )
}


def seeds(name: str) -> list[bytes]:
    """Return valid inputs of a target."""
    return SEEDS[name]
