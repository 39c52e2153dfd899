"""Options that name columns, and when they are needed or out of place."""

from typing import Any

from cyclopts import Parameter

from baserate.errors import InvalidArgumentError

Several = Parameter(consume_multiple=True, negative=())
Metrics = Parameter(name=("--metrics", "--metric"))  # both spellings, in every command


def require_columns(target: str | None, prediction: str | None, score: str | None) -> None:
    """Ask for the columns without which nothing can be counted."""
    if target is None:
        rule = "must be given (or --counts, for a file of counts)"
        raise InvalidArgumentError.from_rule("--target", rule, None, "name the true labels' column")
    if prediction is None and score is None:
        rule = "must be given unless --score is"
        raise InvalidArgumentError.from_rule("--prediction", rule, None, "name one of the two")


def refuse_with_counts(**options: Any) -> None:
    """Refuse what a file of counts cannot honour."""
    for name, given in options.items():
        if given is not None:
            rule = "has no meaning with --counts, since a file of counts holds no cases"
            option = f"--{name.replace('_', '-')}"
            raise InvalidArgumentError.from_rule(option, rule, given, "drop one of the two")
