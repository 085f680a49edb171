"""Whether Triton sends a layout conversion through shared memory.

Passes ask this to decide as Triton does. What weft itself does is planned in
`weft.layouts.plans`, which also knows other ways to stay within a warp.
"""

from __future__ import annotations

from functools import lru_cache

from weft.layouts.encodings import Encoding
from weft.layouts.linear_layout import LinearLayout

__all__ = ["moving_dims", "needs_shared_memory"]


@lru_cache(maxsize=16384)
def needs_shared_memory(source: Encoding, target: Encoding, shape: tuple[int, ...]) -> bool:
    """Check whether a conversion goes through shared memory. Triton's name: cvtNeedsSharedMemory.

    It does not if every lane finds its elements in its own registers; nor if every warp finds them
    in its own lanes and at most one bit of the register number is exchanged with a bit of the
    lane.
    """
    moves = _moves(source, target, shape)
    dims = tuple(name for name, _ in moves.outs)
    if dims in ((), ("register",)):
        return False
    if dims != ("register", "lane"):
        return True
    return max(_mixed_bits(moves, "register", "lane"), _mixed_bits(moves, "lane", "register")) > 1


def moving_dims(source: Encoding, target: Encoding, shape: tuple[int, ...]) -> tuple[str, ...]:
    """List the dimensions along which a conversion moves elements: ("register", "lane")."""
    return tuple(name for name, _ in _moves(source, target, shape).outs)


def _moves(source: Encoding, target: Encoding, shape: tuple[int, ...]) -> LinearLayout:
    """Compute where the source holds each element of the target, without dimensions that stay.

    Triton's name is minimalCvtLayout.
    """
    moves = target.linear(shape).invert_and_compose(source.linear(shape))
    for name in ("block", "warp", "lane", "register"):
        rest = moves.quotient([name])
        if rest is None:
            break
        moves = rest
    return moves


def _mixed_bits(moves: LinearLayout, in_dim: str, out_dim: str) -> int:
    """Count the bits of an in-dimension that affect an out-dimension."""
    part = moves.sublayout([in_dim], [out_dim])
    return sum(image != 0 for image in part.images(in_dim))
