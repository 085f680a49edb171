"""tcgen05.cp: copies from shared to tensor memory, issued by one thread.

    ttng.tmem_copy %scales, %m        128 x 4 scales: 32 rows of 16 bytes, replicated for four warps

    tcgen05.cp.cta_group::1.warpx4.32x128b [m], descriptor;       once per 512 scales
    tcgen05.cp.cta_group::1.128x256b [m], descriptor;             128 rows of 32 bytes of others

MMAs that the same thread issues later see the data; other threads see it after an mbarrier wait.
Source: PTX ISA 9.0, tcgen05.cp; measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from weft.codegen.hardware.nvidia.inline_ptx import elected, guard, ptx
from weft.codegen.llvm.types import storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.nvidia.matrix_descriptors import (
    FORMAT_OF_TENSOR_MEMORY,
    matrix_operand,
    row_descriptor,
)
from weft.codegen.lowering.nvidia.tcgen05.addresses import (
    element_offset,
    tensor_memory_type,
    view_address,
)
from weft.codegen.lowering.nvidia.tcgen05.allocation import cta_group
from weft.codegen.lowering.nvidia.tcgen05.commit import commit, issues_for_pair
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng
from weft.layouts import TensorMemoryScalesEncoding
from weft.lowering_plans.memdesc import memdesc_of, memory_layout

_ROWS, _ROW_BYTES, _WIDE_BYTES = 128, 16, 32
_COLUMN_BITS, _ROW_BITS = 4, 5  # of one copy of scales: 16 bytes of 32 rows

_Copies: TypeAlias = tuple[str, list[tuple[int, int]], Callable[[int, int], str]]


@lowers(ttng.TMEMCopyOp)
def _copy(ctx: LoweringContext, op: ttng.TMEMCopyOp) -> None:
    scales = isinstance(tensor_memory_type(op.dst).encoding, TensorMemoryScalesEncoding)
    shape, origins, at = (_scales if scales else _tile)(ctx, op)
    w = ctx.writer
    thread = guard(w, issues_for_pair(ctx), ctx.threads.is_in_first_warps(1), elected(w))
    for row, column in origins:
        offset = element_offset(tensor_memory_type(op.dst), row, column)
        ptx(
            w,
            f"@$0 tcgen05.cp.{cta_group(ctx.tensor_memory)}.{shape} [$1], $2;",
            ("b", "i1", thread),
            ("r", "i32", view_address(ctx, op.dst, offset)),
            ("l", "i64", at(row, column)),
        )
    if op.barrier is not None:
        commit(ctx, op.barrier, thread)


def _scales(ctx: LoweringContext, op: ttng.TMEMCopyOp) -> _Copies:
    """Choose the copies of scales: their shape, first elements, and descriptors.

    Raises:
        CodegenError: The scales have a layout that the instruction does not read.
    """
    type_ = memdesc_of(op.src)
    inverse = memory_layout(type_).pseudoinvert()

    def offset(row: int, column: int) -> int:
        return int(inverse.apply({"dim0": row, "dim1": column})["offset"])

    # 16 bytes of shared memory are four columns of a row of tensor memory; the next row follows.
    # Of 128 rows of scales these are four scales of each of four groups of 32 rows.
    destination = tensor_memory_type(op.dst)
    assert destination.encoding is not None
    bases = destination.encoding.linear(tuple(destination.shape[-2:])).bases
    columns = bases["col"]
    elements = [*columns[:_COLUMN_BITS], *bases["row"][:_ROW_BITS]]
    offsets = [offset(row, column) for row, column in elements]
    if (
        offsets != [1 << bit for bit in range(_COLUMN_BITS + _ROW_BITS)]
        or storage_bytes(type_.element_type) != 1
    ):
        raise CodegenError(
            "scales are copied as 32 rows of 16 bytes, 4 columns of 4 groups of rows each",
            found=type_,
            accepted=["64 rows or more, 512 scales or more"],
        )
    operand = row_descriptor(ctx, op.src, inverse, 8 * _ROW_BYTES)
    origins = [(0, 0)]
    for basis in columns[_COLUMN_BITS:]:
        origins += [(row + basis[0], column + basis[1]) for row, column in origins]
    return "warpx4.32x128b", sorted(origins), lambda row, column: operand.at(ctx, row, column)


def _tile(ctx: LoweringContext, op: ttng.TMEMCopyOp) -> _Copies:
    """Choose the copies of a tile; see `_scales` for the result.

    Raises:
        CodegenError: Rows are not contiguous in shared memory, or not a multiple of 128.
    """
    type_ = memdesc_of(op.src)
    operand = matrix_operand(ctx, op.src, 0, version=FORMAT_OF_TENSOR_MEMORY)
    if operand.transposed or type_.shape[0] % _ROWS:
        raise CodegenError(
            "a copy to tensor memory takes 128 rows that are contiguous in shared memory",
            found=type_,
        )
    step = _WIDE_BYTES // storage_bytes(type_.element_type)
    rows, columns = tensor_memory_type(op.dst).shape[-2:]
    origins = list(product(range(0, rows, _ROWS), range(0, columns, step)))
    return "128x256b", origins, lambda row, column: operand.at(ctx, row, column)
