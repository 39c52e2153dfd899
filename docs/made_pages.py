"""Pages that are made of the code each time: the names, the commands and the metrics."""

import shutil
from pathlib import Path
from typing import Any

from api_pages import api_pages
from command_pages import command_pages
from metric_pages import metric_pages

FOLDER = Path(__file__).parent / "made"


def make(folder: Path = FOLDER) -> None:
    """Write the pages that changed: what Sphinx has read it need not read again."""
    pages = {**api_pages(), **command_pages(), **metric_pages(folder)}
    for name, text in pages.items():
        page = folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
    # Stories run in their own folder, and read `examples/` as in a copy of the repository.
    here = FOLDER.parent
    # What else lies there would be taken for stories.
    data = here / "stories" / "examples"
    data.mkdir(exist_ok=True)
    for table in (here.parent / "examples").glob("*.csv"):
        shutil.copy(table, data)
    for page in [*folder.rglob("*.md"), *folder.rglob("*.rst")]:
        if str(page.relative_to(folder)) not in pages and "names" not in page.parts:
            page.unlink()


def setup(app: Any) -> dict[str, bool]:
    """Make the pages before Sphinx looks for them; `make clean-docs` leaves nothing of them."""
    app.connect("config-inited", lambda *_: make(), priority=100)
    return {"parallel_read_safe": True}


def clean() -> None:
    """Remove all made pages."""
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    make()
