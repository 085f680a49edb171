"""Lines of two compiles are matched by a diff of their sources, or by their numbers."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.report.kernels import SIGNATURE, matmul
from weft.report import report
from weft.report.line_matching import match_places
from weft.report.model import Place, SourceFile, View


@pytest.fixture(scope="module")
def view() -> View:
    """The view of a compile, whose places and sources the tests replace."""
    return report(matmul, targets="cuda:90", signature=SIGNATURE).page.views[0]


def _view(view: View, file: str, first: int, *lines: str, more: tuple[Place, ...] = ()) -> View:
    places = tuple(Place(file, first + offset) for offset in range(len(lines)))
    sources = (SourceFile(file, first, lines),) if lines else ()
    return structs.replace(view, places=(*places, *more), sources=sources)


def test_moved_and_edited_lines(view):
    first = _view(view, "a.py", 7, "x = load(p)", "y = x + 1", "store(p, y)")
    second = _view(view, "b.py", 20, "# comment", "x = load(p)", "y = x + 2", "store(p, y)")
    assert match_places(first, second) == ((0, 1), (1, 2), (2, 3))
    assert match_places(second, first) == ((1, 0), (2, 1), (3, 2))


def test_removed_lines_match_nothing(view):
    first = _view(view, "a.py", 1, "x = load(p)", "debug(x)", "store(p, x)")
    second = _view(view, "a.py", 1, "x = load(p)", "store(p, x)")
    assert match_places(first, second) == ((0, 0), (2, 1))


def test_places_without_source_match_by_number(view):
    library = Place("library.py", 5)
    first = _view(view, "a.py", 1, more=(library, Place("library.py", 6)))
    second = _view(view, "a.py", 1, more=(Place("library.py", 4), library))
    assert match_places(first, second) == ((0, 1),)


def test_two_targets_have_the_same_lines():
    page = report(matmul, targets=["cuda:90", "hip:gfx942"], signature=SIGNATURE).page
    one, other = page.views
    assert page.place_pairs
    for index, counterpart in page.place_pairs:
        assert one.places[index] == other.places[counterpart]
