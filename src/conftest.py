"""Examples in docstrings run as if they were pasted into an empty interpreter."""

from _pytest.doctest import DoctestItem
from pytest import Item  # noqa: PT013 - the type alone


def pytest_itemcollected(item: Item) -> None:
    """Take the names of its module from an example."""
    if isinstance(item, DoctestItem):
        item.dtest.globs = {"__name__": "__main__"}
