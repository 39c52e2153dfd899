"""The schema of the JSON of `baserate evaluate`, made of the types of its records.

`python docs/json_schema.py` writes docs/evaluation.schema.json.
"""

import json
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.facts.evaluation import ClassEvaluationFacts, EvaluationFacts

PAGE = Path(__file__).with_name("evaluation.schema.json")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
NUMBER = {"type": ["number", "null"]}  # null where it is undefined
TABLE = {
    "type": "object",
    "properties": {cell: {"type": "number"} for cell in ("tp", "fn", "fp", "tn")},
    "required": ["tp", "fn", "fp", "tn"],
}
PLAIN: dict[Any, dict[str, Any]] = {
    float: NUMBER,
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    type(None): {"type": "null"},
    ConfusionMatrix: TABLE,
}


def schema() -> dict[str, Any]:
    """Return the schema of documents about two classes, and about several."""
    made: dict[str, dict[str, Any]] = {}
    documents = [_of(record, made) for record in (EvaluationFacts, ClassEvaluationFacts)]
    return {
        "$schema": DIALECT,
        "title": "What `baserate evaluate --format json` prints",
        "description": "Fields are explained in docs/json.md; new ones may appear at any time.",
        "anyOf": documents,
        "$defs": dict(sorted(made.items())),
    }


def _of(hint: Any, made: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of a type; records are defined once, by their name."""
    if hint in PLAIN:
        return PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Result) and is_dataclass(hint):
        if hint.__name__ not in made:
            made[hint.__name__] = {}  # records may hold each other
            made[hint.__name__] = _record(hint, made)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    return _of_several(get_origin(hint), get_args(hint), made)


def _of_several(origin: Any, inside: tuple[Any, ...], made: dict[str, Any]) -> dict[str, Any]:
    if origin in {Union, types.UnionType}:
        return {"anyOf": [_of(one, made) for one in inside]}
    if origin is Literal:
        return {"enum": list(inside)}
    if origin is tuple and inside[-1] is not ...:
        return {"type": "array", "prefixItems": [_of(one, made) for one in inside]}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": _of(inside[0], made)}
    return {"type": "object"} if isinstance(origin, type) and issubclass(origin, Mapping) else {}


def _record(kind: Any, made: dict[str, dict[str, Any]]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    named = {field.metadata.get("json", field.name): field.name for field in fields(kind)}
    properties = {name: _of(hints[field], made) for name, field in named.items() if name}
    version = {} if kind.schema is None else {"schema": {"const": kind.schema}}
    derived = {key: dict[str, Any]() for key in kind.derived}
    properties = version | properties | derived
    return {"type": "object", "properties": properties, "required": list(properties)}


def main() -> None:
    """Write the file."""
    PAGE.write_text(json.dumps(schema(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
