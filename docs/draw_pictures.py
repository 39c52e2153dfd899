"""Draw the pictures of displays.md: each block of code above a picture draws it.

`python docs/draw_pictures.py`, at the root of the repository; a block leaves a `display`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import baserate as br

FOLDER = Path(__file__).parent
DRAWN = re.compile(r"```python\n(?P<code>.*?)```\n\n!\[[^]]*\]\((?P<picture>[^)]*)\)", re.DOTALL)
PAGE = "displays.md"


class Drawing(NamedTuple):
    """Code that leaves a display, and where its picture is shown from."""

    code: str
    picture: Path

    def display(self) -> br.displays.Display:
        """Run the code by itself, as somebody would who pastes it."""
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(self.code, PAGE, "exec"), names)  # noqa: S102 - our own page
        return names["display"]


def drawings() -> Iterator[Drawing]:
    """Yield what the page shows, in its order."""
    for found in DRAWN.finditer((FOLDER / PAGE).read_text(encoding="utf-8")):
        yield Drawing(found["code"], FOLDER / found["picture"])


def main() -> None:
    """Draw those whose names hold any of the words given; without words all."""
    words = sys.argv[1:] or [""]
    for drawing in drawings():
        if any(word in str(drawing.picture) for word in words):
            drawing.picture.parent.mkdir(parents=True, exist_ok=True)
            drawing.display().to_svg(drawing.picture)


if __name__ == "__main__":
    main()
