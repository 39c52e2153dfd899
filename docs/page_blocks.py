"""Run what pages show: each block of code by itself, as somebody would who pastes it.

A block of Python or of commands may be followed by what it prints, in a block of text, and by the
picture that it draws, if it leaves a `display`. `python docs/page_blocks.py` writes both anew, into
the pages whose names hold one of the words given; tests compare them.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import page_files

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
PAGES = (
    "index.md", "five_minutes.md", "which_metric.md", "command_line.md", "installation.md",
    "questions/*.md", "explanations/*.md",
)  # fmt: skip
BLOCK = re.compile(
    r"```(?P<kind>python|sh)\n(?P<code>.*?)```\n"
    r"(?:\n```text\n(?P<printed>.*?)```\n)?"
    r"(?:\n!\[[^]]*\]\((?P<picture>[^)]*\.svg)\))?",
    re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """Code of a page, with what the page says it prints and where its picture lies."""

    page: Path
    number: int
    kind: str
    code: str
    printed: str | None
    picture: Path | None

    def __str__(self) -> str:
        return f"{self.page.relative_to(FOLDER).with_suffix('')}-{self.number}"

    def run(self) -> tuple[str, Any]:
        """Return what it prints and the display that it leaves, in a folder with the examples."""
        names: dict[str, Any] = {"__name__": "__main__"}
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as home, contextlib.redirect_stdout(out):
            shutil.copytree(ROOT / "examples", Path(home) / "examples")
            if self.kind == "sh":
                page_files.write(Path(home))
            with contextlib.chdir(home), _fixed_time():
                if self.kind == "python":
                    exec(compile(self.code, str(self), "exec"), names)  # noqa: S102 - our own page
                else:
                    _command(self.code)
        text = "\n".join(line.rstrip() for line in out.getvalue().splitlines())
        return f"{text.strip()}\n", names.get("display")


def pages(words: list[str]) -> Iterator[Path]:
    """Yield the pages whose names hold one of the words."""
    for pattern in PAGES:
        for page in sorted(FOLDER.glob(pattern)):
            if any(word in str(page.relative_to(FOLDER)) for word in words):
                yield page


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page that can be run."""
    text = page.read_text(encoding="utf-8")
    for number, found in enumerate(BLOCK.finditer(text)):
        if found["kind"] == "sh" and not found["code"].startswith("baserate "):
            continue
        picture = found["picture"]
        place = (page.parent / picture).resolve() if picture else None
        yield Block(page, number, found["kind"], found["code"], found["printed"], place)


@contextlib.contextmanager
def _fixed_time() -> Iterator[None]:
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = "1767225600"
    try:
        yield
    finally:
        del os.environ["SOURCE_DATE_EPOCH"]
        if before is not None:
            os.environ["SOURCE_DATE_EPOCH"] = before


def _command(code: str) -> None:
    from baserate.cli import main

    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        code_of_exit = main(words[1:]) if words else 0
        if code_of_exit not in {0, 1}:
            raise RuntimeError(f"exit code {code_of_exit}: {line}")


def main() -> None:
    """Write what blocks print and draw."""
    for page in pages(sys.argv[1:] or [""]):
        text = page.read_text(encoding="utf-8")
        for block in blocks(page):
            printed, display = block.run()
            if block.printed is not None:
                before = f"{block.code}```\n\n```text\n"
                text = text.replace(f"{before}{block.printed}```", f"{before}{printed}```")
            if block.picture:
                block.picture.parent.mkdir(parents=True, exist_ok=True)
                display.to_svg(block.picture)
            print(block)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
