"""Where a conversion finds each element: the solutions of source · X = target.

`conversion_map(source, target, kept)` looks for an X that leaves the dimensions `kept` alone: with
kept = ("warp", "block"), every warp finds what it needs in its own registers and lanes. If the
source holds elements several times, such an X may exist although the least solution is another.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts import gf2
from weft.layouts.linear_layout import LinearLayout

__all__ = ["HARDWARE", "check_convertible", "conversion_map"]

HARDWARE = ("register", "lane", "warp", "block")


def check_convertible(source: LinearLayout, target: LinearLayout) -> LinearLayout:
    """Return the target with the source's order of out-dimensions, if both can be converted.

    Raises: LayoutError where the layouts are not of registers, or differ in their tensor or in
    the threads that hold it.
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
    source: LinearLayout, target: LinearLayout, kept: Sequence[str]
) -> LinearLayout | None:
    """Return X with source(X(i)) = target(i), the identity on `kept`; None if there is none."""
    free = [
        (name, bit) for name, images in source.ins if name not in kept for bit in range(len(images))
    ]
    basis = [source.images(name)[bit] for name, bit in free]
    wanted = [
        image ^ (source.images(name)[bit] if name in kept else 0)
        for name, images in target.ins
        for bit, image in enumerate(images)
    ]
    solution = gf2.solve(basis, wanted)
    if solution is None:
        return None
    outs = tuple((name, 1 << len(images)) for name, images in source.ins)
    starts = LinearLayout((), outs).out_shifts
    solution = _settled(source, target, free, kept, solution)
    answers = iter(solution)
    ins = []
    for name, images in target.ins:
        packed = []
        for bit in range(len(images)):
            choice = next(answers)
            place = sum(1 << (starts[n] + b) for i, (n, b) in enumerate(free) if choice >> i & 1)
            packed.append(place | (1 << (starts[name] + bit) if name in kept else 0))
        ins.append((name, tuple(packed)))
    return LinearLayout(tuple(ins), outs)


def _settled(
    source: LinearLayout,
    target: LinearLayout,
    free: Sequence[tuple[str, int]],
    kept: Sequence[str],
    solution: list[int],
) -> list[int]:
    """Return another solution, in which bits that hold the same on both sides stay.

    Bits that only repeat what others hold are dealt one by one to those of the source, so that no
    bit is wanted twice where that can be.
    """
    columns = [(name, bit) for name, images in target.ins for bit in range(len(images))]
    out = list(solution)
    spare = [i for i, (n, b) in enumerate(free) if not source.images(n)[b]]
    for at, (name, bit) in enumerate(columns):
        if name in kept or (name, bit) not in free:
            continue
        place = free.index((name, bit))
        if target.images(name)[bit] == source.images(name)[bit]:
            out[at] = 1 << place
            if place in spare:
                spare.remove(place)
    for at, (name, bit) in enumerate(columns):
        if name not in kept and not target.images(name)[bit] and not out[at] and spare:
            out[at] = 1 << spare.pop(0)
    return out
