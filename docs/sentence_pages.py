"""The page of sentences: every text that a report, a picture or a refusal can print.

It is made of the code itself, so that nobody has to remember to add a sentence: whoever changes one
finds it here beside its neighbours, and reads what a user will read.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "baserate"
# Who writes words for users; the rest phrases refusals only.
SPEAKERS = {
    "report": "Reports",
    "displays": "Pictures",
    "evaluation": "Reasons and notes beside the facts",
    "cli": "The command line",
}
TEMPLATES = "Pages: what stands between tags, and what scripts put there"
TEXT = re.compile(r"(?:>|%\})([^<>{}]*(?:\{\{[^{}]*\}\}[^<>{}]*)*)(?=<|\{%)")
QUOTED = re.compile(r'"([^"\n]*)"|`([^`\n]*)`')
COMMENT = re.compile(r"^\s*//.*$|\s// .*$|/\*\*.*?\*/|\{#.*?#\}", re.MULTILINE)
FILLED = re.compile(r"\{\{.*?\}\}|\$\{[^{}]*\}")
WORD = re.compile(r"(?<![\w.(])[A-Za-z]{2,}(?![\w.(]\w|\()")
REFUSALS = "Refusals and reasons of every other part"
INTRODUCTION = """\
# Every sentence

What reports, pictures, the command line and refusals can say, made of the code: `{…}` stands for
what is filled in, and sentences are put together of these parts, here from three words on.
"""
SHORTEST = 3  # words; what is shorter are headings and keys


def sentence_pages() -> dict[str, str]:
    """Return the page by its name."""
    parts = [INTRODUCTION]
    for folder, title in SPEAKERS.items():
        parts += _part(title, sorted((SOURCE / folder).rglob("*.py")))
    parts += _part(TEMPLATES, sorted((SOURCE / "report" / "templates").iterdir()))
    others = (path for path in sorted(SOURCE.rglob("*.py")) if _folder(path) not in SPEAKERS)
    parts += _part(REFUSALS, others)
    return {"sentences.md": "\n".join(parts)}


def sentences(source: str) -> list[str]:
    """Return what a module can say, in the order of its lines; docstrings are for other readers."""
    tree = ast.parse(source)
    found = dict.fromkeys(_spoken(tree, _docstrings(tree)))
    return [text for text in found if len(text.split()) >= SHORTEST]


def of_template(source: str, *, tags: bool) -> list[str]:
    """Return what a template, or a script, can say, in its order."""
    spoken = COMMENT.sub("", source)
    places = [*QUOTED.finditer(spoken), *(TEXT.finditer(spoken) if tags else ())]
    said = (next(filter(None, at.groups()), "") for at in sorted(places, key=re.Match.start))
    found = dict.fromkeys(_flat(FILLED.sub("{…}", text)) for text in said)
    return [text for text in found if len(WORD.findall(text.replace("{…}", " "))) >= SHORTEST]


def _part(title: str, paths: Iterator[Path] | list[Path]) -> list[str]:
    read = {path: path.read_text(encoding="utf-8") for path in paths if path.suffix != ".css"}
    said = {
        path: sentences(text)
        if path.suffix == ".py"
        else of_template(text, tags=path.suffix == ".html")
        for path, text in read.items()
    }
    lines = [f"## {title}", ""]
    for path, texts in said.items():
        if texts:
            name = path.relative_to(SOURCE).as_posix().removesuffix(".py")
            lines += [f"### {name}", "", *(f"- {_written(text)}" for text in texts), ""]
    return lines


def _folder(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def _written(text: str) -> str:
    """Return a text as code, so that neither Markdown nor MathJax reads signs of its own."""
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}" if len(fence) == 2 else f"`{text}`"


def _docstrings(tree: ast.AST) -> set[ast.AST]:
    """Return all strings that stand alone as a statement."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _spoken(node: ast.AST, left_out: set[ast.AST]) -> Iterator[str]:
    """Yield the strings below a node, formatted ones whole."""
    if node in left_out and isinstance(node, ast.Constant):
        return
    if isinstance(node, ast.JoinedStr):
        yield _flat("".join(map(_piece, node.values)))
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                yield from _spoken(value.value, left_out)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield _flat(node.value)
    else:
        for child in _children(node):
            yield from _spoken(child, left_out)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below, annotations left out: a type in quotes is no sentence."""
    types = {getattr(node, "annotation", None), getattr(node, "returns", None)}
    return (child for child in ast.iter_child_nodes(node) if child not in types)


def _piece(value: ast.expr) -> str:
    if isinstance(value, ast.FormattedValue):
        return "{" + (ast.unparse(value.value) if _is_short(value.value) else "…") + "}"
    return value.value if isinstance(value, ast.Constant) else ""


def _is_short(value: ast.expr) -> bool:
    return isinstance(value, ast.Name | ast.Attribute)


def _flat(text: str) -> str:
    return " ".join(text.split())
