"""How Sphinx makes the pages; `make docs` runs it with warnings as errors."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import baserate

project = "baserate"
author = "The baserate developers"
copyright = author  # noqa: A001 - Sphinx wants this name
version = release = baserate.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx_llms_txt",
    "made_pages",
]
root_doc = "index"
exclude_patterns = [
    "README.md",
    "_build",
    "stories/*.md",
    "stories/examples",
    "**/GALLERY_HEADER.rst",
    "**sg_execution_times.rst",  # asks another host for a script
]
nitpicky = False
suppress_warnings = ["config.cache"]  # the order of stories is a function

# Nothing is asked of another host: MathJax lies beside the pages, and no inventory is fetched.
mathjax_path = "mathjax/tex-svg.js"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["baserate.css"]
html_js_files = [("baserate.js", {"defer": "defer"})]
html_context = {"default_mode": "auto"}
html_title = "baserate"
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "use_edit_page_button": False,
}
html_sidebars = {page: [] for page in ("index", "five_minutes", "which_metric", "search")}

sphinx_gallery_conf = {
    "examples_dirs": ["stories"],
    "gallery_dirs": ["made_stories"],
    "filename_pattern": r".*\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**6,
    "abort_on_example_error": True,
}

llms_txt_uri_template = "_sources/{docname}{suffix}{sourcelink_suffix}"  # beside llms.txt
llms_txt_summary = (
    "baserate answers one question: is this classifier any good, for what I need it for, given how "
    "little data I have? A confusion matrix is a random variable."
)
