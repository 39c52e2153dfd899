"""Reports: facts as terminal text, JSON, Markdown or one HTML page.

Facts come in, text goes out. Nothing is computed here, so that the formats cannot disagree. Each
report is a `Sheet`; the sentences stand here and nowhere else.
"""
