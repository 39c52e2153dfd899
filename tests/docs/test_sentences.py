"""The page of sentences lists what is said, and nothing that only readers of the code see."""

import pytest

from docs.scripts import module

PAGES = module("sentence_pages")

CODE = '''
"""What the module is for."""
BOUND: "a type in quotes" = 3

def told(n: int) -> "another type in quotes":
    """Say how many there are."""
    if n == 0:
        return "There is no case."
    return f"There {'is just' if n == 1 else 'are as many as'} {n}." + " And\\n  so on."
'''


def test_strings_and_formatted_strings_are_found_docstrings_and_types_are_not():
    assert PAGES.sentences(CODE) == [
        "There is no case.",
        "There {…} {n}.",
        "are as many as",
        "And so on.",
    ]


def test_templates_say_what_stands_between_tags_and_in_quotes():
    page = '<p class="a b c">Here one {{ verb }} the cut.{% if x %}</p>{# no one sees it #}'
    assert PAGES.of_template(page, tags=True) == ["Here one {…} the cut."]
    script = "/** What it is for. */\n// and this\nout.text = `${n} cases are too few`; // why"
    assert PAGES.of_template(script, tags=False) == ["{…} cases are too few"]


@pytest.mark.slow
def test_every_part_of_the_library_that_speaks_is_listed():
    page = PAGES.sentence_pages()["sentences.md"]
    for title in (*PAGES.SPEAKERS.values(), PAGES.REFUSALS):
        part = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
        assert part.count("\n- ") > 50, title
    assert "A cut that is chosen here because it looks best" in page
