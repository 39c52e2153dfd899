"""The page of references, made of references.json: every DOI that code and pages name.

`python docs/reference_list.py` writes the page anew; tests compare it, and look in all code and
pages whether a DOI has the same first author and year everywhere.
"""

import json
import re
from pathlib import Path
from urllib.parse import quote

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
PAGE = FOLDER / "references.md"
RECORD = FOLDER / "references.json"
SOURCES = (
    "src/**/*.py", "papers/*.py", "trust/*.py", "benchmarks/*.py", "docs/*.md",
    "docs/questions/*.md", "docs/explanations/*.md", "examples/*.md", "*.md", "*.cff",
)  # fmt: skip
DOI = re.compile(r"(?:doi:\s*|doi\.org/)(10\.\d{4,9}/[^\s`\"'\],]+)", re.IGNORECASE)
BEFORE = 360  # characters in which the author and the year stand
HEAD = """# References

Every work that code and pages name by its DOI, with its first author. Each was looked up elsewhere:
author, year, title and DOI agree there. Where nothing confirmed a DOI, the work is cited without.

"""


def record() -> list[dict[str, str | int]]:
    """Return the references, sorted by author."""
    return json.loads(RECORD.read_text(encoding="utf-8"))


def page() -> str:
    """Return the text of the page."""
    lines = [
        f"- {entry['first_author']} ({entry['year']}). {entry['title']}. "
        f"[doi:{str(entry['doi']).replace('<', '&lt;').replace('>', '&gt;')}]"
        f"(https://doi.org/{quote(str(entry['doi']))})"
        for entry in record()
    ]
    return HEAD + "\n".join(lines) + "\n"


def uses() -> list[tuple[str, str, str]]:
    """Return each DOI that code or pages name: the file, the DOI, and what stands before it."""
    found = []
    for pattern in SOURCES:
        for file in sorted(ROOT.glob(pattern)):
            if file in {PAGE, ROOT / "CHANGELOG.md"}:
                continue
            text = re.sub(r"\s*\n\s*(?:#\s*)?", " ", file.read_text(encoding="utf-8"))
            text = text.replace('" "', "")
            for match in DOI.finditer(text):
                before = text[max(0, match.start() - BEFORE) : match.start()]
                found.append((str(file.relative_to(ROOT)), _whole(match[1]), before))
    return found


def _whole(text: str) -> str:
    """Return a DOI without what follows it; its own brackets are closed."""
    doi = text.rstrip(".:;)|")
    return doi + ")" * (doi.count("(") - doi.count(")"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
