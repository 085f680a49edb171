"""Match the lines of source code of two compiles, so that a click lights both sides.

first              second
x = tl.load(p)     # a comment
y = x + 1          x = tl.load(p)
                   y = x + 2

(0, 1), (1, 2): the last line of both was edited, and is at the same position of the edit
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from weft.report.model import View

__all__ = ["match_places"]


def match_places(first: View, second: View) -> tuple[tuple[int, int], ...]:
    """Match the places of two views.

    Two targets of one file have the same lines. The files of two versions are matched in the order
    in which the kernels refer to them, and their lines by a diff.

    Returns:
        The pairs of an index of the first view's places and one of the second's.
    """
    lines = dict(_matching_lines(first, second))
    files = {source.file for source in first.sources[: len(second.sources)]}
    others = {(place.file, place.line): index for index, place in enumerate(second.places)}
    pairs: list[tuple[int, int]] = []
    for index, place in enumerate(first.places):
        key = place.file, place.line
        counterpart = lines.get(key) if place.file in files else key
        if counterpart in others:
            pairs.append((index, others[counterpart]))
    return tuple(pairs)


def _matching_lines(first: View, second: View) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
    """Yield (file, line) of the first view and of the second one."""
    for one, other in zip(first.sources, second.sources, strict=False):
        matcher = SequenceMatcher(None, one.lines, other.lines, autojunk=False)
        for _, start, end, other_start, other_end in matcher.get_opcodes():
            # The lines of a replaced range are matched by their position in it.
            for offset in range(min(end - start, other_end - other_start)):
                yield (
                    (one.file, one.first + start + offset),
                    (other.file, other.first + other_start + offset),
                )
