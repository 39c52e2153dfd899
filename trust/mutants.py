"""Small faults of our own making: what can be wrong with a line, and the module with it wrong.

A place is one node of a module's syntax tree that an operator applies to; a mutant is a place with
one of the operator's changes. Places where a change cannot matter are left out: docstrings and
other texts, type hints, decorators, what raises and what an error says, asserts, `strict=` of zip,
and the large numbers at the top of a module that say how much is done at a time.
"""

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from random import Random
from types import CodeType

SOURCES = Path(__file__).resolve().parents[1] / "src"

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
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
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
# Names and texts that have an opposite.
_OPPOSITES = dict(
    pair
    for one, other in (
        ("min", "max"),
        ("minimum", "maximum"),
        ("fmin", "fmax"),
        ("argmin", "argmax"),
        ("nanmin", "nanmax"),
        ("any", "all"),
        ("floor", "ceil"),
        ("left", "right"),
        ("increasing", "decreasing"),
        ("less", "greater"),
    )
    for pair in ((one, other), (other, one))
)
# Calls that may be left out, their first argument standing for them.
_UNWRAPPED = {
    *("abs", "sorted", "round", "sqrt", "log", "log1p", "exp", "expm1", "cumsum", "unique"),
    *("clip", "flip", "fabs", "reversed"),
}
# Larger numbers at the top of a module are limits of cost; one more or less is the same.
_LARGE = 1000


@dataclass(frozen=True)
class Mutant:
    """One change of one place: its file below src/, its line, what is changed and into what."""

    path: str
    line: int
    text: str
    operator: str
    change: str
    place: int
    variant: int
    # First and last lines to look for tests at, the node's own before its statement's; none of
    # what runs when the module is imported.
    lines: tuple[tuple[int, int], ...] = ()

    @property
    def name(self) -> str:
        """What outlives a shift of lines."""
        return f"{self.path} | {self.text} | {self.change}"

    @property
    def module(self) -> str:
        """The module's dotted name."""
        return self.path.removesuffix(".py").replace("/", ".")

    @property
    def package(self) -> str:
        """The package's name, or the module's where it stands alone."""
        return self.module.split(".")[1]

    @property
    def near(self) -> tuple[str, ...]:
        """Beginnings of the names of its package's own tests."""
        one = self.package.removesuffix("s")
        laws = f"tests/laws/test_{one}", f"tests/laws/test_class_{one}"
        return f"tests/{self.package}/", f"tests/test_{self.package}", f"src/{self.path}", *laws


def all_mutants(path: str, source: str) -> list[list[Mutant]]:
    """Return the mutants of a file below src/ of this source, place by place."""
    lines = source.splitlines()
    tree = ast.parse(source)
    skipped, at = set(_skipped(tree)), dict(_statements(tree))
    found = []
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        first, last = _lines(node)
        some = [
            Mutant(
                path=path,
                line=first,
                text=lines[first - 1].strip(),
                operator=operator,
                change=f"{_words(node)} → {_words(new)}",
                place=place,
                variant=variant,
                lines=((first, last), at[id(node)]) if id(node) in at else (),
            )
            for variant, (operator, new) in enumerate(changes(node))
        ]
        if some:
            found.append(some)
    return found


def sample(
    paths: list[Path], size: int, seed: int, drawn: Iterable[str] = ()
) -> tuple[int, dict[str, Mutant]]:
    """Return how many places there are and a sample of them, one change of each, by their keys.

    Those drawn before, named by their keys, are kept as long as their lines are there, so that a
    sample outlives changes of other lines; others are drawn in place of those that are gone.
    """
    named = [(path.relative_to(SOURCES).as_posix(), path) for path in paths]
    places = [x for name, path in named for x in all_mutants(name, path.read_text("utf-8"))]
    random, known = Random(seed), keyed(chain.from_iterable(places))
    chosen = {key: known[key] for key in drawn if key in known}
    taken = {(mutant.path, mutant.place) for mutant in chosen.values()}
    keys = {mutant: key for key, mutant in known.items()}
    for place in random.sample(places, len(places)):
        if len(chosen) < size and (place[0].path, place[0].place) not in taken:
            mutant = random.choice(place)
            chosen[keys[mutant]] = mutant
    return len(places), chosen


def keyed(mutants: Iterable[Mutant]) -> dict[str, Mutant]:
    """Return mutants by their names, with a number where a name comes again."""
    seen, found = Counter[str](), dict[str, Mutant]()
    for mutant in mutants:
        seen[mutant.name] += 1
        number = seen[mutant.name]
        found[mutant.name if number == 1 else f"{mutant.name} #{number}"] = mutant
    return found


@lru_cache(maxsize=8)
def mutated(mutant: Mutant) -> CodeType:
    """Return the code of the mutant's module."""
    path = SOURCES / mutant.path
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[mutant.place]
    new = ast.copy_location(list(changes(node))[mutant.variant][1], node)
    for parent in ast.walk(tree):
        _exchange(parent, node, new)
    return compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the changes of a node: the operator's name and what stands there instead."""
    for kind, operator in _OPERATORS:
        if isinstance(node, kind):
            name = operator.__name__.strip("_").replace("_", " ")
            for new in operator(node):
                yield name, new


def _comparison(node: ast.Compare) -> Iterator[ast.AST]:
    for index, op in enumerate(node.ops):
        for other in _COMPARISONS[type(op)]:
            new = copy.deepcopy(node)
            new.ops[index] = other()
            yield new


def _arithmetic(node: ast.BinOp | ast.AugAssign) -> Iterator[ast.AST]:
    other = _ARITHMETIC.get(type(node.op))
    operands = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    if other is not None and not any(map(_is_text, operands)):
        new = copy.deepcopy(node)
        new.op = other()
        yield new


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
        if isinstance(node.value, float) and node.value == 0:
            yield ast.parse("float('nan')", mode="eval").body


def _opposite(node: ast.Name | ast.Attribute | ast.Constant) -> Iterator[ast.AST]:
    field = {ast.Name: "id", ast.Attribute: "attr", ast.Constant: "value"}[type(node)]
    word = getattr(node, field)
    if isinstance(word, str) and word in _OPPOSITES:
        new = copy.deepcopy(node)
        setattr(new, field, _OPPOSITES[word])
        yield new


def _nan_is_zero(node: ast.Attribute | ast.Call) -> Iterator[ast.AST]:
    if ast.unparse(node) in {"np.nan", "math.nan", "float('nan')"}:
        yield ast.Constant(0.0)


def _logic(node: ast.BoolOp) -> Iterator[ast.AST]:
    new = copy.deepcopy(node)
    new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield new


def _sign_or_not_removed(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield node.operand


def _condition(node: ast.If | ast.IfExp) -> Iterator[ast.AST]:
    if not isinstance(node.test, ast.Compare | ast.BoolOp):
        new = copy.deepcopy(node)
        new.test = ast.UnaryOp(ast.Not(), new.test)
        yield new


def _guard_removed(node: ast.If) -> Iterator[ast.AST]:
    if isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue) and not node.orelse:
        yield ast.Pass()


def _nothing_returned(node: ast.Return) -> Iterator[ast.AST]:
    if node.value is not None and ast.unparse(node.value) != "None":
        yield ast.Return(ast.Constant(None))


def _statement_removed(node: ast.Expr | ast.AugAssign | ast.Assign) -> Iterator[ast.AST]:
    kept = {
        ast.Expr: lambda: not isinstance(node.value, ast.Call),
        ast.AugAssign: lambda: False,
        ast.Assign: lambda: (
            not all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
        ),
    }
    if not kept[type(node)]():
        yield ast.Pass()


def _slice_by_one(node: ast.Slice) -> Iterator[ast.AST]:
    for field in ("lower", "upper"):
        bound = getattr(node, field)
        if bound is not None and not isinstance(bound, ast.Constant):
            for op in (ast.Add(), ast.Sub()):
                new = copy.deepcopy(node)
                setattr(new, field, ast.BinOp(copy.deepcopy(bound), op, ast.Constant(1)))
                yield new


def _call_left_out(node: ast.Call) -> Iterator[ast.AST]:
    name = getattr(node.func, "attr", getattr(node.func, "id", None))
    if name in _UNWRAPPED and node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]


def _other_way_on(node: ast.Break | ast.Continue) -> Iterator[ast.AST]:
    yield ast.Continue() if isinstance(node, ast.Break) else ast.Break()


_Operator = Callable[..., Iterator[ast.AST]]
_OPERATORS: tuple[tuple[type | tuple[type, ...], _Operator], ...] = (
    (ast.Compare, _comparison),
    ((ast.BinOp, ast.AugAssign), _arithmetic),
    (ast.Constant, _constant),
    ((ast.Name, ast.Attribute, ast.Constant), _opposite),
    ((ast.Attribute, ast.Call), _nan_is_zero),
    (ast.BoolOp, _logic),
    (ast.UnaryOp, _sign_or_not_removed),
    ((ast.If, ast.IfExp), _condition),
    (ast.If, _guard_removed),
    (ast.Return, _nothing_returned),
    ((ast.Expr, ast.AugAssign, ast.Assign), _statement_removed),
    (ast.Slice, _slice_by_one),
    (ast.Call, _call_left_out),
    ((ast.Break, ast.Continue), _other_way_on),
)


def _skipped(tree: ast.Module) -> Iterator[int]:
    """Yield the nodes that no operator may touch."""
    for node in ast.walk(tree):
        for part in _texts_and_hints(node):
            yield from map(id, ast.walk(part))
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from (
                id(part) for cost in filter(_is_cost, ast.walk(node)) for part in ast.walk(cost)
            )


def _texts_and_hints(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that are words, hints or errors."""
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            yield from node.decorator_list
            yield from filter(None, [getattr(node, "returns", None)])
        case ast.arg(annotation=hint) if hint is not None:
            yield hint
        case ast.AnnAssign():
            yield node.annotation
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            yield node
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield node
        case ast.keyword(arg="strict"):
            yield node
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            yield node
        case ast.Expr(value=ast.Constant()):
            yield node


def _is_cost(node: ast.AST) -> bool:
    """Return whether this is a large number, a shift that makes one, or a choice of hints."""
    if isinstance(node, ast.Constant):
        return type(node.value) in {int, float} and abs(node.value) >= _LARGE
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr | ast.LShift)
    return False


def _is_text(node: ast.AST) -> bool:
    texts = (str, bytes)
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), texts)


def _lines(node: ast.AST) -> tuple[int, int]:
    """Return the lines on which a node stands; of an `if`, its condition's."""
    parts = [node.test] if isinstance(node, ast.If) else [node]
    if isinstance(node, ast.Slice):
        parts = [bound for bound in (node.lower, node.upper) if bound is not None]
    firsts = [getattr(part, "lineno", 1) for part in parts]
    return min(firsts, default=1), max((getattr(x, "end_lineno", 1) for x in parts), default=1)


def _statements(tree: ast.Module) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the nodes inside functions, with the lines of the statement each belongs to."""
    for function in ast.walk(tree):
        if isinstance(function, ast.Lambda):
            yield from ((id(node), _lines(function)) for node in ast.walk(function.body))
        elif isinstance(function, ast.FunctionDef):
            for statement in chain.from_iterable(map(ast.walk, function.body)):
                if isinstance(statement, ast.stmt):
                    yield from ((id(node), _lines(statement)) for node in _own(statement))


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield a statement's own nodes, not those of the statements within it."""
    yield statement
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            yield from ast.walk(child)


def _words(node: ast.AST) -> str:
    words = ast.unparse(node).splitlines()
    return words[0] if len(words) == 1 else f"{words[0]} …"


def _exchange(parent: ast.AST, node: ast.AST, new: ast.AST) -> None:
    """Put the new node where the old one stands."""
    for field, value in ast.iter_fields(parent):
        if value is node:
            setattr(parent, field, new)
        elif isinstance(value, list):
            value[:] = [new if part is node else part for part in value]
