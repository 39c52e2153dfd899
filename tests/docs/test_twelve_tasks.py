"""What a new user comes with is found in three clicks, and done by pasting five lines at most."""

import re

import pytest

from docs.scripts import DOCS

LINK = re.compile(r"\]\(([^)#\s]+\.md)|:link: (\S+)|\]\(([\w./]+/index)\)")
TASKS = {  # a line of the block: the page
    "recall at 0.3 by site, as JSON": ("--threshold 0.3 --group site", "how_sure"),
    "interval of F1 in a cross-validation": ("cross_val_predict(", "how_sure"),
    "counts by hospital": ("examples/hospitals.csv --counts --metrics", "how_sure"),
    "3 errors of 40 here, 60 of 2,000 there": ("fn=60, tp=1940", "do_groups_differ"),
    "positives that show a recall of 0.9": ("recall >= 0.9@low", "how_many_cases"),
    "two annotators": ("--target judge_1 --prediction judge_2", "language_models"),
    "a p-value for two models": ("p_accuracy", "which_model"),
    "fail if the new model is worse": ("--fail-on-worse", "continuous_integration"),
    "precision at 1%": ("at_base_rate(rate)", "base_rate_differs"),
    "a miss costs ten false alarms": ("--cost fp=1,fn=10", "where_to_cut"),
    "text for a paper": ("--format markdown", "text_for_a_paper"),
    "macro F1 of three classes": ('"macro_f1", br.class_table', "three_classes"),
}


def clicks():
    """Return how many links lead from the first page to each page."""
    found, todo = {DOCS / "index.md": 0}, [DOCS / "index.md"]
    for page in todo:
        for groups in LINK.findall(page.read_text(encoding="utf-8")):
            target = (page.parent / "".join(groups)).resolve()
            target = target if target.suffix == ".md" else target.with_suffix(".md")
            if target.exists() and "made" not in target.parts and target not in found:
                found[target] = found[page] + 1
                todo.append(target)
    return found


CLICKS = clicks()


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_near_and_short(task):
    needle, name = TASKS[task]
    page = DOCS / "questions" / f"{name}.md"
    assert CLICKS[page] <= 3
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```(python|sh)\n(.*?)```", text, re.DOTALL)
    kind, code = next(block for block in blocks if needle in block[1])
    lines = [line for line in code.splitlines() if line.strip()]
    # A line of a shell does the task by itself.
    assert len(lines) <= 5 or kind == "sh"


def test_every_page_is_found_from_the_first():
    pages = {
        page
        for page in DOCS.rglob("*.md")
        if not {"made", "made_stories", "_build"} & {*page.parts}
    }
    assert max(CLICKS.values()) <= 3
    assert pages - set(CLICKS) == set()
