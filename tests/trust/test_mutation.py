"""The tool that breaks the library: its operators do what they say, and it finds a planted gap."""

import ast

import pytest

from baserate._arith import ratio
from trust.covering import Covering
from trust.mutants import SOURCES, all_mutants, changes, mutated, sample
from trust.trials import Court, Trial, exchange, place_of


def changed(source, kind):
    node = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, kind))
    return [ast.unparse(new) for _, new in changes(node)]


@pytest.mark.parametrize(
    ("source", "kind", "expected"),
    [
        ("a < b", ast.Compare, ["a <= b", "a >= b"]),
        ("a is None", ast.Compare, ["a is not None"]),
        ("a < b < c", ast.Compare, ["a <= b < c", "a >= b < c", "a < b <= c", "a < b >= c"]),
        ("a + b", ast.BinOp, ["a - b"]),
        ("'a' + b", ast.BinOp, []),
        ("a[k:n]", ast.Slice, ["k + 1:n", "k - 1:n", "k:n + 1", "k:n - 1"]),
        ("x = 3", ast.Constant, ["4", "2"]),
        ("x = 0.0", ast.Constant, ["1.0", "-1.0", "float('nan')"]),
        ("x = True", ast.Constant, ["False"]),
        ("x = 'left'", ast.Constant, ["'right'"]),
        ("x = 'words'", ast.Constant, []),
        ("np.nan", ast.Attribute, ["0.0"]),
        ("float('nan')", ast.Call, ["0.0"]),
        ("np.minimum(a, b)", ast.Attribute, ["np.maximum"]),
        ("a and b", ast.BoolOp, ["a or b"]),
        ("not a", ast.UnaryOp, ["a"]),
        ("-a", ast.UnaryOp, ["a"]),
        ("if a:\n    return b", ast.If, ["if not a:\n    return b", "pass"]),
        ("if a:\n    b = 1", ast.If, ["if not a:\n    b = 1"]),
        ("def f():\n    return a", ast.Return, ["return None"]),
        ("a.append(b)", ast.Expr, ["pass"]),
        ("a += b", ast.AugAssign, ["a -= b", "pass"]),
        ("a[i] = b", ast.Assign, ["pass"]),
        ("a = b", ast.Assign, []),
        ("np.sqrt(a)", ast.Call, ["a"]),
        ("for a in b:\n    break", ast.Break, ["continue"]),
    ],
)
def test_what_an_operator_makes_of_a_node(source, kind, expected):
    assert changed(source, kind) == expected


def test_words_hints_and_errors_are_let_alone():
    source = '''"""Of 3 words."""
__all__ = ["a" "b"]
LIMIT = 1 << 20
HINT = int | float

@decorated(frozen=True)
def f(x: int | float) -> int | None:
    """Say 1."""
    assert x > 1
    if TYPE_CHECKING:
        import a
    for pair in zip(x, y, strict=True):
        raise ValueError(f"{x + 1} is no {3}", 4)
'''
    assert all_mutants("baserate/words.py", source) == []


def test_mutants_are_where_they_say_and_compile():
    paths = [SOURCES / "baserate/counts.py", SOURCES / "baserate/metrics/ratios.py"]
    places, drawn = sample(paths, 40, seed=3)
    assert places > 40 == len(drawn)
    assert sample(paths, 40, seed=3) == (places, drawn) != sample(paths, 40, seed=4)
    for mutant in drawn.values():
        text = (SOURCES / mutant.path).read_text().splitlines()[mutant.line - 1]
        assert text.strip() == mutant.text
        assert mutated(mutant).co_filename.endswith(mutant.path)


def test_mutants_of_lines_that_are_still_there_are_drawn_again_and_others_replaced():
    paths = [SOURCES / "baserate/metrics/ratios.py"]
    _, drawn = sample(paths, 20, seed=1)
    _, again = sample(paths, 20, seed=2, drawn=["gone | x | 1 → 2", *drawn])
    assert again == drawn
    _, more = sample(paths, 25, seed=2, drawn=drawn)
    assert drawn.items() < more.items()
    assert len({(mutant.path, mutant.place) for mutant in more.values()}) == 25


def division():
    source = (SOURCES / "baserate/_arith.py").read_text()
    some = [m for place in all_mutants("baserate/_arith.py", source) for m in place]
    return next(m for m in some if m.change == "top / bottom → top * bottom")


def test_a_line_belongs_to_the_tests_that_ran_it_or_ran_any_line_of_its_file():
    source = "LIMIT = 3\n\ndef f(x):\n    return x + 1\n"
    top, *_, inside = [place[0] for place in all_mutants("baserate/metrics/f.py", source)]
    lines = {4: frozenset({"tests/laws/a.py::b[1]", "tests/metrics/c.py::d", "src/e.py::f"})}
    covering = Covering(SOURCES, {"baserate/metrics/f.py": lines}, {"src/e.py::f": 9.0})
    near_before_quick_before_slow = [
        "tests/metrics/c.py::d",
        "tests/laws/a.py::b[1]",
        "src/e.py::f",
    ]
    assert covering.tests(top) == covering.tests(inside) == near_before_quick_before_slow
    assert Covering(SOURCES, {}).tests(inside) == []


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("looks", [True, False], ids=["a test", "a gap"])
def test_a_fault_is_found_where_a_test_looks_and_survives_where_none_does(tmp_path, looks):
    """Each trial has a process of its own, so that the function is whole again for the next."""
    mutant = division()

    def run(trial, judge):
        judge.starts("tests/test_ratio.py::test_half")
        if trial.mutant:
            assert exchange(mutated(mutant), {place_of(ratio.__code__): [ratio]})
        assert not looks or ratio(1.0, 2.0) == 0.5
        judge.ends()

    trial, told = Trial(mutant, []), []
    Court(tmp_path, {}, 1).try_all([trial], run, told.append)
    assert told == [trial]
    assert trial.killed is looks, trial.killer
    assert ratio(1.0, 2.0) == 0.5
