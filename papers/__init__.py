"""The source papers: one module for each, that recomputes its tables through the public names."""
