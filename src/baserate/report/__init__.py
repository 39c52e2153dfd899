"""Reports: facts as terminal text, JSON, Markdown or one HTML page.

Facts come in, text goes out. Nothing is computed here, so that the formats cannot disagree. Each
report is a `Sheet`; the sentences stand here and nowhere else.
"""

from baserate.report.evaluation import render
from baserate.report.files import Origin, format_of, origins, refuse_origin, write_text

__all__ = ["Origin", "format_of", "origins", "refuse_origin", "render", "write_text"]
