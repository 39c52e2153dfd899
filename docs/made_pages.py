"""Pages that are made of the code each time: names, commands, metrics, sentences, capabilities."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import evidence_pictures
import name_sources
from api_pages import api_pages
from capability_pages import capability_pages
from command_pages import command_pages
from metric_pages import metric_pages
from sentence_pages import sentence_pages

HERE = Path(__file__).parent
FOLDER = HERE / "made"
STAMP = "made_of.txt"  # what the pages were made of


def make(folder: Path = FOLDER) -> None:
    """Write the pages that changed: what Sphinx has read it need not read again."""
    code = _digest()
    stamp = folder / STAMP
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != code:
        evidence_pictures.draw(folder / "evidence")
        pages = {**api_pages(), **command_pages(), **metric_pages(folder)}
        pages |= {**sentence_pages(), **capability_pages()}
        _write(pages, folder)
        stamp.write_text(code, encoding="utf-8")
    _lay_out_data()


def _digest() -> str:
    """Return a mark of all code and records that the pages are made of."""
    root = HERE.parent
    code = [*(root / "src").rglob("*.py"), *HERE.glob("*.py"), *(root / "trust").glob("*.json")]
    marks = (path.read_bytes() for path in sorted(code))
    return hashlib.sha256(b"".join(marks)).hexdigest()


def _write(pages: dict[str, str], folder: Path) -> None:
    for name, text in pages.items():
        page = folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
    for page in [*folder.rglob("*.md"), *folder.rglob("*.rst")]:
        if str(page.relative_to(folder)) not in pages and "names" not in page.parts:
            page.unlink()


def _lay_out_data() -> None:
    """Stories run in their own folder, and read `examples/` as in a copy of the repository."""
    data = HERE / "stories" / "examples"
    data.mkdir(exist_ok=True)
    for table in (HERE.parent / "examples").glob("*.csv"):  # scripts would be taken for stories
        shutil.copy(table, data)


def setup(app: Any) -> dict[str, bool]:
    """Make the pages before Sphinx looks for them; `make clean-docs` leaves nothing of them."""
    app.connect("config-inited", lambda *_: make(), priority=100)
    # Before the text for machines is put together of the sources.
    app.connect("build-finished", name_sources.write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def clean() -> None:
    """Remove all made pages."""
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    make()
