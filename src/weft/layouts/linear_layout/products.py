"""Products and division of layouts, on packed bases.

In a product, a dimension of both factors has the bits of the first factor lowest. By hand, for
columns 0 to 3 in the registers and columns 4 to 7 in the lanes, packed as ints,

    register=1 -> 1, register=2 -> 2    times    lane=1 -> 1    is    1, 2 and lane=1 -> 1 << 2 = 4

Division compares: the factor's bases must be the first, or the last, of each in-dimension, and the
other bases must have none of its output bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.errors import LayoutError
from weft.layouts.basis_vectors import Images, Move, OutDims, Packed, out_shifts, repack

__all__ = ["count_consecutive", "divide_left", "divide_right", "is_trivial_over", "multiply"]


def multiply(images: Images, outs: OutDims, other: Images, other_outs: OutDims) -> Packed:
    """Compute the direct sum of two layouts.

    Args:
        images: The bases of the first, whose bits are the low ones.
        outs: Its out-dimensions.
        other: The bases of the second.
        other_outs: Its out-dimensions.

    Raises:
        LayoutError: The layouts list their common dimensions in different orders.
    """
    in_names = _merge_orders([*images], [*other])
    sizes, other_sizes = dict(outs), dict(other_outs)
    out_names = _merge_orders([*sizes], [*other_sizes])
    product = tuple([(name, sizes.get(name, 1) * other_sizes.get(name, 1)) for name in out_names])
    moves = _moves_into(product, outs)
    other_moves = _moves_into(product, other_outs, outs)
    ins = tuple(
        [
            (name, repack(images.get(name, ()), moves) + repack(other.get(name, ()), other_moves))
            for name in in_names
        ]
    )
    return ins, product


def divide_left(
    images: Images, outs: OutDims, factor: Images, factor_outs: OutDims
) -> Packed | None:
    """Compute q with layout = factor * q and the dimensions of the layout; None if there is none.

    Args:
        images: The bases of the layout.
        outs: Its out-dimensions.
        factor: The bases of the factor, which owns the low bits.
        factor_outs: Its out-dimensions.
    """
    quotient_outs = _quotient_outs(images, outs, factor, factor_outs)
    if quotient_outs is None:
        return None
    own = _bits_of(outs, factor_outs)
    to_whole = _moves_into(outs, factor_outs)
    to_quotient = _moves_out_of(outs, quotient_outs, factor_outs)
    ins: list[tuple[str, tuple[int, ...]]] = []
    for name, vectors in images.items():
        expected = repack(factor.get(name, ()), to_whole)
        rest = vectors[len(expected) :]
        if vectors[: len(expected)] != expected or any([vector & own for vector in rest]):
            return None
        ins.append((name, repack(rest, to_quotient)))
    return tuple(ins), quotient_outs


def divide_right(
    images: Images, outs: OutDims, factor: Images, factor_outs: OutDims
) -> Packed | None:
    """Compute q with layout = q * factor and the dimensions of the layout; None if there is none.

    Args:
        images: The bases of the layout.
        outs: Its out-dimensions.
        factor: The bases of the factor, which owns the high bits.
        factor_outs: Its out-dimensions.
    """
    quotient_outs = _quotient_outs(images, outs, factor, factor_outs)
    if quotient_outs is None:
        return None
    own = _bits_of(outs, quotient_outs)
    to_whole = _moves_into(outs, factor_outs, quotient_outs)
    to_quotient = _moves_out_of(outs, quotient_outs)
    ins: list[tuple[str, tuple[int, ...]]] = []
    for name, vectors in images.items():
        expected = repack(factor.get(name, ()), to_whole)
        rest = vectors[: len(vectors) - len(expected)]
        if vectors[len(rest) :] != expected or any([vector & ~own for vector in rest]):
            return None
        ins.append((name, repack(rest, to_quotient)))
    return tuple(ins), quotient_outs


def is_trivial_over(images: Images, outs: OutDims, dims: Sequence[str]) -> bool:
    """Check whether in- and out-dimensions map to themselves only."""
    sizes, (shifts, _) = dict(outs), out_shifts(outs)
    own = 0  # the output bits of `dims`
    for dim in dims:
        shift, size = shifts[dim], sizes[dim]
        if images[dim] != tuple([1 << (shift + bit) for bit in range(size.bit_length() - 1)]):
            return False
        own |= (size - 1) << shift
    return not any(v & own for name, vectors in images.items() if name not in dims for v in vectors)


def count_consecutive(vectors: Sequence[int], size: int, others: Iterable[int]) -> int:
    """Count how many first inputs map to consecutive first outputs, wherever they start.

    Args:
        vectors: The bases of the first in-dimension.
        size: The size of the first out-dimension.
        others: The bases of the other in-dimensions.
    """
    count = 0
    while count < len(vectors) and vectors[count] == 1 << count < size:
        count += 1
    # Another basis with bit b would break a run that is longer than 2^b.
    bits = 0
    for vector in (*vectors[count:], *others):
        bits |= vector & (size - 1)
    lowest = (bits & -bits).bit_length() - 1 if bits else count
    return 1 << min(count, lowest)


def _quotient_outs(
    images: Images, outs: OutDims, factor: Images, factor_outs: OutDims
) -> OutDims | None:
    """Compute the out-dimensions of a quotient, None if the factor is larger than the layout."""
    factor_sizes, sizes = dict(factor_outs), dict(outs)
    if any(sizes.get(name, 0) < size for name, size in factor_outs):
        return None
    for name, vectors in factor.items():
        if name not in images or len(images[name]) < len(vectors):
            return None
    return tuple([(name, size // factor_sizes.get(name, 1)) for name, size in outs])


def _moves_into(whole: OutDims, part: OutDims, below: OutDims = ()) -> list[Move]:
    """List the moves of a factor's bits to their place in the product, above those of `below`."""
    (to, _), (start, _), low = out_shifts(whole), out_shifts(part), dict(below)
    return [
        (start[name], size - 1, to[name] + low.get(name, 1).bit_length() - 1) for name, size in part
    ]


def _moves_out_of(whole: OutDims, part: OutDims, below: OutDims = ()) -> list[Move]:
    """List the moves of a factor's bits from their place in the product, above `below`."""
    return [(to, mask, start) for start, mask, to in _moves_into(whole, part, below)]


def _bits_of(whole: OutDims, part: OutDims) -> int:
    """Compute the mask of the low bits of each dimension of the product that a factor has."""
    shifts, _ = out_shifts(whole)
    return sum([(size - 1) << shifts[name] for name, size in part])


def _merge_orders(first: list[str], second: list[str]) -> list[str]:
    """Merge two lists of names into one that keeps the order of both.

    Of names that may come next, those of `first` go before those of `second`.

    Raises:
        LayoutError: the lists have two common names in different orders.
    """
    a, b = list(first), list(second)
    merged: list[str] = []
    while a or b:
        if a and (a[0] not in b or a[0] == b[0]):
            name = a.pop(0)
            if b and b[0] == name:
                b.pop(0)
        elif b and b[0] not in a:
            name = b.pop(0)
        else:
            raise LayoutError(
                "the layouts list their dimensions in orders that disagree",
                found=f"{first} and {second}",
            )
        merged.append(name)
    return merged
