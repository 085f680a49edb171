"""Layouts to try beside those that the module has: of accesses, reductions and dots.

tt.load of 128x64xf16 pointers, rows contiguous        1, 2, 4 and 8 elements of a row per thread
tt.reduce of 128x64 along dimension 1                  the lanes of a warp along the row, or not;
                                                       all warps along the other dimension
tt.dot of 128x128 by 8 warps                           warpsPerCTA = [8, 1], [4, 2], [2, 4], [1, 8]
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from weft.analysis.axis_info import ModuleAxisInfo
from weft.analysis.coalescing import WIDEST_BITS, PointerAccess, is_pointer_access
from weft.ir import tt, types
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import BlockedEncoding, Encoding
from weft.layouts.cga import blocked_like, cga_bases
from weft.optimum.dot_tilings import tilings
from weft.optimum.operation_kinds import Kind
from weft.optimum.program import Node, Program

__all__ = ["find_seeds"]


def find_seeds(
    program: Program, facts: ModuleAxisInfo, lanes: int
) -> Iterator[tuple[int, Encoding]]:
    """Yield values with layouts to try.

    Args:
        program: The function.
        facts: What is known of addresses.
        lanes: The threads of a warp.
    """
    for node in program.nodes:
        if node.kind is Kind.SAME and is_pointer_access(node.op):
            for encoding in _access_layouts(node, facts, lanes):
                yield node.operands[0], encoding
        elif isinstance(node.op, tt.ReduceOp) and node.kind is Kind.INFERRED:
            for encoding in _reduction_layouts(node, program, lanes):
                yield node.operands[0], encoding
        elif node.kind is Kind.DOT:
            for encoding in tilings(node.op):
                yield node.results[0], encoding


def _access_layouts(node: Node, facts: ModuleAxisInfo, lanes: int) -> Iterator[Encoding]:
    """Yield a coalesced layout of each width, the widest first."""
    access = PointerAccess.of(node.op, facts)
    like = types.encoding(access.type)
    assert like is not None
    warps = lookup_num_warps(node.op)
    shape = types.shape(access.type)
    per_thread = max(1, prod(access.cta_shape) // (warps * lanes))
    width = min(per_thread, WIDEST_BITS // access.element_bits)
    while width:
        sizes = [1] * len(shape)
        sizes[access.order[0]] = width
        yield blocked_like(like, shape, tuple(sizes), access.order, warps, lanes)
        width //= 2


def _reduction_layouts(node: Node, program: Program, lanes: int) -> Iterator[Encoding]:
    """Yield layouts of the operand in which no data crosses warps."""
    assert isinstance(node.op, tt.ReduceOp)
    value = program.values[node.operands[0]]
    like = types.encoding(value.members[0].type)
    rank, axis = len(value.shape), node.op.axis.value.data
    if like is None or rank != 2 or cga_bases(like):  # rows and columns
        return
    other = 1 - axis
    warps = lookup_num_warps(node.op)
    along = lanes
    while along:
        across = lanes // along
        fits = along <= value.shape[axis] and across * warps <= value.shape[other]
        if fits:
            threads, warp_tile = [0, 0], [1, 1]
            threads[axis], threads[other] = along, across
            warp_tile[other] = warps
            yield BlockedEncoding((1, 1), tuple(threads), tuple(warp_tile), (axis, other))
        along //= 4
