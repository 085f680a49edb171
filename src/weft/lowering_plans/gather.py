"""Plan tt.gather: by shuffles within warps, or through shared memory.

If the warp that holds an index holds the whole column, lane and register of the element are bits of
the index: each candidate register is shuffled. Otherwise every element is stored to shared memory,
and each thread loads what it needs.

    64x4 by 32x4 indices, columns within lanes     2 shuffles per index
    64x4 by 32x4 indices, columns across warps     8 stores of 16 bytes, a barrier, 4 loads
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from math import prod
from operator import or_
from typing import TypeAlias

from msgspec import Struct

from weft.errors import CodegenError
from weft.ir import tt, types
from weft.layouts import LinearLayout, gf2
from weft.lowering_plans import lane_moves
from weft.lowering_plans.axis_runs import AxisRun, axis_runs, segment_bases
from weft.lowering_plans.instruction import Instruction, count_wavefronts
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.registers import layout_of, register_offsets, representative_registers
from weft.targets import Target

__all__ = [
    "Bits",
    "Column",
    "Homes",
    "columns_of",
    "fastest_dim",
    "find_homes",
    "gather_bytes",
    "gather_instructions",
    "index_bits",
    "is_within_warps",
    "memory_strides",
    "stored_elements",
]

Column: TypeAlias = tuple[int, ...]
_WIDEST_BYTES = 16


class Bits(Struct, frozen=True):
    """Consecutive bits of an index that are bits of a lane or register number.

    Attributes:
        first: The lowest bit of the index.
        run: The bits of the lane or register.
    """

    first: int
    run: AxisRun


class Homes(Struct, frozen=True):
    """The CTA that holds an element: the xor of contributions of bits.

    Attributes:
        of_place: Contribution of each bit of the index.
        of_indices: Contribution of each bit of the coordinates of the index.
    """

    of_place: list[int]
    of_indices: dict[str, list[int]]


def is_within_warps(op: tt.GatherOp) -> bool:
    """Check whether each warp holds all elements that its indices can select.

    That is so if source and indices have the same lane, warp and CTA bases along the other
    dimensions, no warp steps along the axis of the source, and the thread has registers of every
    column.
    """
    axis = integer_property(op, "axis")
    source, indices = layout_of(op.src.type), layout_of(op.indices.type)
    try:
        runs = axis_runs(op.src.type, axis)
    except CodegenError:
        return False
    if any(run.kind in ("warp", "block") for run in runs):
        return False
    for name in ("lane", "warp", "block"):
        for own, other in zip(source.images(name), indices.images(name), strict=True):
            a, b = list(source.unpack(own)), list(indices.unpack(other))
            del a[axis], b[axis]
            if a != b:
                return False
    return set(columns_of(indices, axis)) <= set(columns_of(source, axis))


def columns_of(layout: LinearLayout, axis: int) -> list[Column]:
    """List the coordinates of each register along the other dimensions."""
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    del offsets[axis]
    return list(zip(*offsets, strict=True)) or [()] * layout.in_size("register")


def index_bits(op: tt.GatherOp) -> list[Bits]:
    """List the bits of an index, by the lanes or registers that they number."""
    results, first = [], 0
    for run in axis_runs(op.src.type, integer_property(op, "axis")):
        results.append(Bits(first, run))
        first += len(run.bits)
    return results


def find_homes(source: LinearLayout, indices: LinearLayout, axis: int) -> Homes | None:
    """Find the CTAs that hold the gathered elements; None if each CTA holds its own."""
    if source.in_size("block") == 1:
        return None
    inverse, dims = source.pseudoinvert(), list(source.out_dims)

    def home(place: Sequence[int]) -> int:
        return int(inverse.apply(dict(zip(dims, place, strict=True)))["block"])

    bits = source.out_size(dims[axis]).bit_length() - 1
    of_place = [home([1 << n if d == axis else 0 for d in range(len(dims))]) for n in range(bits)]
    of_indices: dict[str, list[int]] = {}
    for name in indices.bases:
        places = [list(indices.unpack(image)) for image in indices.images(name)]
        of_indices[name] = [home([*p[:axis], 0, *p[axis + 1 :]]) for p in places]
    own = source.free_variable_masks().get("block", 0)  # bits in which replicas differ
    of_indices["block"] = [
        home_ | (1 << bit & own) for bit, home_ in enumerate(of_indices["block"])
    ]
    stays = of_indices["block"] == [1 << bit for bit in range(len(of_indices["block"]))]
    inner = [*of_place, *of_indices["register"], *of_indices["lane"], *of_indices["warp"]]
    return None if stays and not any(inner) else Homes(of_place, of_indices)


def fastest_dim(layout: LinearLayout) -> int:
    """Find the dimension along which registers are contiguous; the last one if there is none."""
    rank = len(layout.out_dims)
    for image in layout.images("register"):
        steps = layout.unpack(image)
        if any(steps):
            return next(dim for dim, step in enumerate(steps) if step)
    return rank - 1


def memory_strides(shape: tuple[int, ...], fastest: int) -> list[int]:
    """Compute the stride of each dimension in memory."""
    strides, total = [0] * len(shape), 1
    for dim in [fastest, *(dim for dim in reversed(range(len(shape))) if dim != fastest)]:
        strides[dim] = total
        total *= shape[dim]
    return strides


def stored_elements(numbers: dict[str, list[int]], size: int) -> int:
    """Count the registers of one vector store, at most 16 bytes."""
    count = 1
    steps = numbers["register"]
    while len(steps) >= count.bit_length() and steps[count.bit_length() - 1] == count:
        count *= 2
    others = reduce(or_, [*steps[count.bit_length() - 1 :], *numbers["lane"], *numbers["warp"]], 0)
    while count > 1 and (others & (count - 1) or count * size > _WIDEST_BYTES):
        count //= 2
    return count


def gather_bytes(op: tt.GatherOp) -> int:
    """Count the bytes of the source, unless warps hold all elements that they gather."""
    if is_within_warps(op):
        return 0
    return prod(types.shape(op.src.type)) * types.storage_bytes(op.src.type)


def gather_instructions(op: tt.GatherOp, target: Target, num_warps: int) -> Iterator[Instruction]:
    """Yield the instructions of a gather, with the barriers that it contains.

    The addresses of loads are data, so their wavefronts are those without conflicts.
    """
    axis, indices = integer_property(op, "axis"), layout_of(op.indices.type)
    elements = len(set(representative_registers(indices)))
    if is_within_warps(op):
        runs = [bits.run for bits in index_bits(op)]
        if any(run.kind == "lane" for run in runs):
            candidates = 1 << sum(len(run.bits) for run in runs if run.kind == "register")
            words = lane_moves.count_words(op.src.type)
            yield Instruction("shuffle", 32, elements * candidates * words, num_warps)
        return
    source, memory = layout_of(op.src.type), target.shared_memory
    size = types.storage_bytes(op.src.type)
    numbers = segment_bases(source, fastest_dim(source), 0)
    yield _stores(source, numbers, size, target)
    crosses_ctas = find_homes(source, indices, axis) is not None
    kind = "cluster barrier" if crosses_ctas else "barrier"
    yield Instruction(kind, 0, 2 if crosses_ctas else 1, num_warps)
    registers = indices.in_size("register")  # replicas are loaded, too
    ideal = registers * num_warps * len(memory.phases(8 * size, "read"))
    yield Instruction(
        "cluster load" if crosses_ctas else "shared load",
        8 * size,
        registers,
        num_warps,
        ideal,
        ideal,
        certain=False,
    )


def _stores(
    source: LinearLayout, numbers: dict[str, list[int]], size: int, target: Target
) -> Instruction:
    """Count the stores of every element.

    Args:
        source: The layout of the elements.
        numbers: Per coordinate the contribution of each bit to an element's position.
        size: Bytes of an element.
        target: The chip.
    """
    count = stored_elements(numbers, size)
    firsts = representative_registers(source)
    stores = [first for first in range(0, len(firsts), count) if firsts[first] == first]
    free = source.free_variable_masks()
    lanes, warps = (gf2.linear_combinations(numbers[name]) for name in ("lane", "warp"))
    traffic = count_wavefronts(
        [
            [
                None if lane & free.get("lane", 0) else (place ^ warp) * size
                for lane, place in enumerate(lanes)
            ]
            for number, warp in enumerate(warps)
            if not number & free.get("warp", 0)
        ],
        8 * size * count,
        target.shared_memory,
        "write",
    )
    return Instruction(
        "shared store",
        8 * size * count,
        len(stores),
        traffic.warps,
        traffic.wavefronts * len(stores),
        traffic.ideal * len(stores),
    )
