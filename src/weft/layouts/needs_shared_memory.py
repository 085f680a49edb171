"""Whether a layout conversion goes through shared memory, as Triton decides it."""

from __future__ import annotations

from functools import lru_cache

from weft.layouts.encodings import Encoding
from weft.layouts.linear import LinearLayout

__all__ = ["needs_shared_memory"]


@lru_cache(maxsize=16384)
def needs_shared_memory(source: Encoding, target: Encoding, shape: tuple[int, ...]) -> bool:
    """Tell whether a conversion is one that Triton sends through shared memory.

    It does not if every lane finds its elements in its own registers, or every warp in its own
    lanes where at most one bit of the register number changes places with a bit of the lane.
    """
    moves = target.linear(shape).invert_and_compose(source.linear(shape))
    left = moves
    for name in ("block", "warp", "lane", "register"):
        rest = left.quotient([name])
        if rest is None:
            break
        left = rest
    dims = tuple(name for name, _ in left.outs)
    if dims in ((), ("register",)):
        return False
    if dims != ("register", "lane"):
        return True
    return max(_crossing(left, "register", "lane"), _crossing(left, "lane", "register")) > 1


def _crossing(moves: LinearLayout, inside: str, outside: str) -> int:
    """Return how many bits of one in-dimension of the target are bits of another at the source."""
    part = moves.sublayout([inside], [outside])
    return sum(image != 0 for image in part.images(inside))
