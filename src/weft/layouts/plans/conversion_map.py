"""Where a conversion finds each element: solutions of source · X = target.

`conversion_map(source, target, fixed)` looks for an X that is the identity on the dimensions
`fixed`. With fixed = ("warp", "block"), every warp finds what it needs in its own registers and
lanes. If the source holds elements several times there are many solutions, and such an X may exist
although the one with all free variables at 0, that of `invert_and_compose`, is another.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts import gf2
from weft.layouts.linear_layout import LinearLayout

__all__ = ["HARDWARE", "check_convertible", "conversion_map"]

HARDWARE = ("register", "lane", "warp", "block")
_Bit = tuple[str, int]  # an in-dimension, and a bit of it


def check_convertible(source: LinearLayout, target: LinearLayout) -> LinearLayout:
    """Check that a tensor can be converted from one layout to another.

    Returns:
        The target with the source's order of out-dimensions.

    Raises:
        LayoutError: a layout is not of registers, or the layouts have different tensors or
            numbers of threads.
    """
    for layout in (source, target):
        if tuple(layout.in_dims) != HARDWARE:
            raise LayoutError(
                "a conversion is between layouts of register, lane, warp and block",
                found=list(layout.in_dims),
            )
        if not layout.is_surjective:
            raise LayoutError("a layout must hold every element of its tensor", found=str(layout))
    if source.out_dims != target.out_dims:
        raise LayoutError(
            "both layouts must be of one tensor", found=target.out_dims, accepted=source.out_dims
        )
    for name in HARDWARE[1:]:
        if source.in_size(name) != target.in_size(name):
            raise LayoutError(
                f"both layouts must have the same size of {name}",
                found=f"{source.in_size(name)} and {target.in_size(name)}",
            )
    return target.transpose_outs(list(source.out_shifts))


def conversion_map(
    source: LinearLayout, target: LinearLayout, fixed: Sequence[str]
) -> LinearLayout | None:
    """Find X with source(X(i)) = target(i) that is the identity on `fixed`.

    Args:
        source: where elements come from.
        target: where they go; with the same out-dimensions.
        fixed: in-dimensions.

    Returns:
        A layout from the target's in-dimensions to the source's, None if there is none.
    """
    # What the fixed dimensions contribute is known; the other bits of the source, the free ones,
    # must make up the rest.
    free = [
        (name, bit)
        for name, images in source.ins
        if name not in fixed
        for bit in range(len(images))
    ]
    basis = [source.images(name)[bit] for name, bit in free]
    remainders = [
        image ^ (source.images(name)[bit] if name in fixed else 0)
        for name, images in target.ins
        for bit, image in enumerate(images)
    ]
    solution = gf2.solve(basis, remainders)
    if solution is None:
        return None
    _prefer_identity(source, target, free, fixed, solution)
    outs = tuple((name, 1 << len(images)) for name, images in source.ins)
    shifts = LinearLayout((), outs).out_shifts
    terms_of_bits = iter(solution)
    ins: list[tuple[str, tuple[int, ...]]] = []
    for name, images in target.ins:
        packed: list[int] = []
        for bit in range(len(images)):
            terms = next(terms_of_bits)
            image = sum(1 << (shifts[n] + b) for i, (n, b) in enumerate(free) if terms >> i & 1)
            packed.append(image | (1 << (shifts[name] + bit) if name in fixed else 0))
        ins.append((name, tuple(packed)))
    return LinearLayout(tuple(ins), outs)


def _prefer_identity(
    source: LinearLayout,
    target: LinearLayout,
    free: Sequence[_Bit],
    fixed: Sequence[str],
    solution: list[int],
) -> None:
    """Change a solution to one in which fewer bits move.

    A bit that holds the same in both layouts becomes the identity. Bits of the target that only
    broadcast are then mapped one by one to such bits of the source, instead of to 0, so that X is
    a permutation of bits if it can be.
    """
    target_bits = [(name, bit) for name, images in target.ins for bit in range(len(images))]
    unused = [i for i, (n, b) in enumerate(free) if not source.images(n)[b]]
    for index, (name, bit) in enumerate(target_bits):
        if name in fixed or (name, bit) not in free:
            continue
        own = free.index((name, bit))
        # Both layouts give the bit the same meaning, so the element can stay where it is.
        if target.images(name)[bit] == source.images(name)[bit]:
            solution[index] = 1 << own
            if own in unused:
                unused.remove(own)
    for index, (name, bit) in enumerate(target_bits):
        is_broadcast = not target.images(name)[bit] and not solution[index]
        if name not in fixed and is_broadcast and unused:
            solution[index] = 1 << unused.pop(0)
