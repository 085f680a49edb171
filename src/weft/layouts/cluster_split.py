"""The CTAs of a cluster from numbers per dimension, as Triton's `make_cga_layout` takes them.

    cta_split([2, 2], [2, 1], [1, 0])      # ((0, 0), (1, 0))

The tensor is split into 2 × 1 parts for 2 × 2 CTAs, numbered along dimension 1 first: CTAs 0
and 1 hold the same part, CTAs 2 and 3 the next one along dimension 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.encodings.checks import is_power_of_two

__all__ = ["cta_split"]


def cta_split(
    ctas: Sequence[int], splits: Sequence[int], order: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Compute the basis vectors over CTAs 1, 2, 4 … of a cluster, in units of a CTA's part.

    Args:
        ctas: The numbers of CTAs per dimension (CTAsPerCGA).
        splits: The numbers of parts per dimension (CTASplitNum); further CTAs hold the same parts.
        order: The dimensions along which CTAs are numbered, the first one first (CTAOrder).

    Raises:
        LayoutError: The numbers do not fit each other.
    """
    rank = len(ctas)
    if not rank or len(splits) != rank or sorted(order) != list(range(rank)):
        raise LayoutError(
            "CTAsPerCGA, CTASplitNum and CTAOrder must have the same dimensions",
            found=f"{list(ctas)}, {list(splits)}, {list(order)}",
        )
    for count, split in zip(ctas, splits, strict=True):
        if not is_power_of_two(count) or not is_power_of_two(split) or split > count:
            raise LayoutError(
                "CTAsPerCGA and CTASplitNum must be powers of two, the second not above the first",
                found=f"{list(ctas)}, {list(splits)}",
            )
    vectors: list[tuple[int, ...]] = []
    for dim in order:
        bits, split_bits = ctas[dim].bit_length() - 1, splits[dim].bit_length() - 1
        for bit in range(bits):
            step = 1 << bit if bit < split_bits else 0
            vectors.append(tuple(step if d == dim else 0 for d in range(rank)))
    return tuple(vectors)
