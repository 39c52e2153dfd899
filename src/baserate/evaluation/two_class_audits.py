"""An audit of two classes by averages: what two classes have as well keeps their own answers."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from baserate.cases.counted import Counted
from baserate.cases.several_classes import ClassCounted
from baserate.evaluation.audit_facts import Auditing, Key
from baserate.evaluation.audit_gaps import gaps_of
from baserate.facts.audit import GapFact
from baserate.groups.class_permutation import ClassTest
from baserate.groups.match import MatchTest, expected_of
from baserate.metrics import ClassMetric, Metric


def forms_of_two(
    metrics: Sequence[ClassMetric], counted: ClassCounted
) -> Mapping[ClassMetric, Metric]:
    """Return the metrics of two classes that these are, if there are two.

    Examples
    --------
    >>> from baserate.evaluation.two_class_audits import ClassCounted, forms_of_two
    >>> from baserate.class_counts import ClassTable
    >>> from baserate.metrics import class_metric
    >>> metrics = [class_metric("accuracy"), class_metric("macro_f1")]
    >>> counted = ClassCounted(table=ClassTable([[3, 1], [0, 2]]), n=6)
    >>> [metric.name for metric in forms_of_two(metrics, counted)]
    ['accuracy']
    """
    if counted.table.n_classes != 2:
        return {}
    return {metric: metric.two_classes for metric in metrics if metric.two_classes is not None}


def binary_tests(
    forms: Mapping[ClassMetric, Metric],
    auditing: Auditing,
    counted: Counted,
    key: Key,
    chosen: Key | None,
) -> Mapping[ClassMetric, ClassTest]:
    """Return the tests that an audit of two classes makes of one group, beside the chosen one."""
    if not forms:
        return {}
    binary = replace(auditing, metrics=tuple(forms.values()))
    tests = binary.compared(key, counted.groups[key], counted, chosen).tests
    return dict(zip(forms, map(_as_class_test, tests), strict=True))


def binary_gaps(
    forms: Mapping[ClassMetric, Metric],
    counted: Counted,
    level: float,
    small: Mapping[str, Container[Key]],
) -> Iterator[tuple[str, GapFact]]:
    """Yield the largest gap between two groups of each metric, by the name of its class metric."""
    names = [metric.name for metric in forms]
    left_out = {form.name: small[metric.name] for metric, form in forms.items()}
    yield from zip(names, gaps_of(tuple(forms.values()), counted, level, left_out), strict=True)


def _as_class_test(test: MatchTest) -> ClassTest:
    return ClassTest(
        value=test.value,
        expected=expected_of(test),
        lower=test.lower,
        upper=test.upper,
        p_value=test.p_value,
        route=test.route,
        reason=test.reason,
    )
