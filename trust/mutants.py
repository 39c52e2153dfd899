"""Small faults planted in source code, one at a time: what a tired programmer would mistype.

A site is a place where one operator can be applied. Docstrings, type hints, messages of errors and
names for export are left alone: no test of a number could notice.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor",
    "minimum": "maximum", "maximum": "minimum", "nanmin": "nanmax", "nanmax": "nanmin",
    "argmin": "argmax", "argmax": "argmin", "cumsum": "cumprod", "zeros": "ones", "ones": "zeros",
    "zeros_like": "ones_like", "ones_like": "zeros_like", "log": "log1p", "log1p": "log",
    "exp": "expm1", "expm1": "exp", "isfinite": "isnan", "less": "less_equal",
    "greater": "greater_equal", "left": "right", "right": "left",
}  # fmt: skip


@dataclass(frozen=True)
class Site:
    """One fault: where it stands, by which operator, and what the code then says."""

    path: str
    line: int
    scope: tuple[int, int]
    operator: str
    number: int
    before: str
    after: str = ""


def sites(path: Path, root: Path) -> list[Site]:
    """Return every fault that can be planted in a file."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    found = []
    for number, (node, operator, scope, _) in enumerate(_faults(ast.parse(text))):
        line = getattr(node, "lineno", 0) or node.target.lineno  # a comprehension has none
        name = str(path.relative_to(root))
        found.append(Site(name, line, scope, operator, number, lines[line - 1].strip()))
    return found


def planted(text: str, number: int) -> tuple[str, str]:
    """Return the whole source with one fault in it, and the line that it stands in."""
    tree = ast.parse(text)
    for k, (node, _, _, change) in enumerate(_faults(tree)):
        if k == number:
            change()
            ast.fix_missing_locations(tree)
            return ast.unparse(tree), ast.unparse(node).splitlines()[0]
    raise IndexError(number)


Fault = tuple[Any, str, tuple[int, int], Any]


def _faults(tree: ast.Module) -> Iterator[Fault]:
    """Yield (node, operator, lines of the innermost function, how to change the tree)."""
    yield from _within(tree, (0, 0), None)


def _within(node: ast.AST, scope: tuple[int, int], owner: Any) -> Iterator[Fault]:
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        scope = (node.lineno, node.end_lineno or node.lineno)
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "type_params", "keywords_of"}:
            continue
        children = value if isinstance(value, list) else [value]
        for k, child in enumerate(children):
            if not isinstance(child, ast.AST) or _is_left_alone(child):
                continue
            place = (value, k) if isinstance(value, list) else (node, field)
            yield from ((c, op, scope, do) for c, op, do in _of(child, place))
            if not isinstance(child, ast.Raise):  # its words are for people
                yield from _within(child, scope, node)


def _is_left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # a docstring
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(t, ast.Name) and t.id.startswith("__") for t in node.targets)
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    if isinstance(node, ast.Call) and "from_rule" in ast.unparse(node.func):
        return True
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) in {"Literal", "Callable"}


def _put(place: tuple[Any, Any], new: ast.AST) -> None:
    holder, key = place
    if isinstance(holder, list):
        holder[key] = new
    else:
        setattr(holder, key, new)


def _of(node: Any, place: tuple[Any, Any]) -> Iterator[tuple[Any, str, Any]]:
    """Yield the faults of one node: itself, the operator's name, and the change."""
    kind = type(node).__name__
    for name, change in getattr(_Operators, kind, _none)(node, place):
        yield node, name, change


def _none(*_: Any) -> Iterator[Any]:
    yield from ()


def _setter(node: Any, field: str, value: Any) -> Any:
    return lambda: setattr(node, field, value)


class _Operators:
    """What can go wrong with each kind of node."""

    @staticmethod
    def Compare(node: Any, _: Any) -> Iterator[Any]:
        if len(node.ops) == 1:
            for other in COMPARISONS[type(node.ops[0])]:
                yield f"compare {other.__name__}", _setter(node, "ops", [other()])

    @staticmethod
    def BinOp(node: Any, _: Any) -> Iterator[Any]:
        parts = (node.left, node.right)
        words = any(isinstance(p, ast.JoinedStr | ast.List | ast.Tuple) for p in parts)
        words |= any(isinstance(p, ast.Constant) and isinstance(p.value, str) for p in parts)
        other = ARITHMETIC.get(type(node.op))
        if other and not words:
            yield f"arithmetic {other.__name__}", _setter(node, "op", other())

    @staticmethod
    def AugAssign(node: Any, place: Any) -> Iterator[Any]:
        yield "statement removed", lambda: _put(place, ast.Pass())

    @staticmethod
    def Constant(node: Any, _: Any) -> Iterator[Any]:
        value = node.value
        if isinstance(value, bool):
            yield "constant turned", _setter(node, "value", not value)
        elif isinstance(value, int):
            yield "constant + 1", _setter(node, "value", value + 1)
        elif isinstance(value, float):
            yield "constant * 2 + 1", _setter(node, "value", value * 2 + 1)

    @staticmethod
    def BoolOp(node: Any, _: Any) -> Iterator[Any]:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and for or", _setter(node, "op", other)

    @staticmethod
    def UnaryOp(node: Any, place: Any) -> Iterator[Any]:
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            yield "sign dropped", lambda: _put(place, node.operand)

    @staticmethod
    def Return(node: Any, _: Any) -> Iterator[Any]:
        given = node.value
        if given is not None and not (isinstance(given, ast.Constant) and given.value is None):
            yield "returns None", _setter(node, "value", ast.Constant(None))

    @staticmethod
    def Expr(node: Any, place: Any) -> Iterator[Any]:
        if isinstance(node.value, ast.Call):
            yield "statement removed", lambda: _put(place, ast.Pass())

    @staticmethod
    def Raise(_: Any, place: Any) -> Iterator[Any]:
        yield "not raised", lambda: _put(place, ast.Pass())

    @staticmethod
    def Continue(_: Any, place: Any) -> Iterator[Any]:
        yield "loop goes on", lambda: _put(place, ast.Pass())

    @staticmethod
    def Break(_: Any, place: Any) -> Iterator[Any]:
        yield "loop goes on", lambda: _put(place, ast.Pass())

    @staticmethod
    def If(node: Any, _: Any) -> Iterator[Any]:
        yield "if turned", _setter(node, "test", ast.UnaryOp(ast.Not(), node.test))

    @staticmethod
    def IfExp(node: Any, _: Any) -> Iterator[Any]:
        yield "if turned", _setter(node, "test", ast.UnaryOp(ast.Not(), node.test))

    @staticmethod
    def comprehension(node: Any, _: Any) -> Iterator[Any]:
        if node.ifs:
            yield "condition dropped", _setter(node, "ifs", [])

    @staticmethod
    def Name(node: Any, place: Any) -> Iterator[Any]:
        if isinstance(node.ctx, ast.Load) and node.id in NAMES:
            yield "name", _setter(node, "id", NAMES[node.id])
        if isinstance(node.ctx, ast.Load) and node.id == "nan":
            yield "0 for nan", lambda: _put(place, ast.Constant(0.0))

    @staticmethod
    def Attribute(node: Any, _: Any) -> Iterator[Any]:
        if isinstance(node.ctx, ast.Load) and node.attr in NAMES:
            yield "name", _setter(node, "attr", NAMES[node.attr])
