"""The operands that each CTA of a cluster must hold for tcgen05.mma.

A CTA that computes alone holds the rows of A and the columns of B of its part of D. A CTA of a pair
holds its rows of A and half of the columns of B:

    D 256x128 of two CTAs     A 128x64 and B 64x64 in each      scales of 128 rows, of 128 columns
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from weft.analysis.tensor_memory import cta_shape, is_folded, is_in_tensor_memory
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.memdesc import memdesc_of, shape_per_cta
from weft.codegen.lowering.nvidia.tcgen05.addresses import tensor_memory_type
from weft.errors import CodegenError
from weft.ir import ttng
from weft.ir.ttg import MemDescType
from weft.layouts import TensorMemoryEncoding

__all__ = ["operand_shape", "check_cta_pair", "check_cta_operands"]


def check_cta_pair(op: Operation, d: MemDescType, columns: int) -> None:
    """Raise CodegenError if a pair of blocks cannot multiply what it holds by one instruction."""
    assert isinstance(d.encoding, TensorMemoryEncoding)
    if d.encoding.block_n != columns:  # others would take columns that D holds in other places
        raise CodegenError(
            f"{op.name} of pairs of blocks takes all columns at once",
            found=f"blockN = {d.encoding.block_n}",
            accepted=[f"blockN = {columns}"],
        )
    if is_folded(d) and is_in_tensor_memory(op.operands[0]):
        raise CodegenError(
            "pairs of blocks that hold 64 rows each read them from shared memory",
            found=op.operands[0].type,
        )


def check_cta_operands(
    ctx: LoweringContext,
    op: ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp,
    sizes: tuple[int, int, int],
    packed: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    """Raise CodegenError if a block of a cluster does not hold what its part of a product takes.

    Args:
        ctx: State of the function.
        op: The MMA.
        sizes: Of D in a block, and of k.
        packed: How many elements of A and of B stand in one of the buffer's, along k, and along the
            other dimension.
    """
    rows, columns, k = sizes
    share = columns // 2 if ctx.tensor_memory.two_ctas else columns
    shapes = [operand_shape(view) for view in (op.a, op.b)]
    required_shapes: list[tuple[int, ...]] = [
        (rows // packed[0][1], k // packed[0][0]),
        (k // packed[1][0], share // packed[1][1]),
    ]
    if isinstance(op, ttng.TCGen5MMAScaledOp):
        shapes += [operand_shape(view)[:1] for view in (op.a_scale, op.b_scale)]
        required_shapes += [(rows,), (columns,)]
    if shapes != required_shapes:
        raise CodegenError(
            "each block of a cluster must hold what its part of the result takes of an operand",
            found=shapes,
            accepted=required_shapes,
        )


def operand_shape(view: SSAValue) -> tuple[int, ...]:
    """Return the shape of what a block holds of a view."""
    if is_in_tensor_memory(view):
        return cta_shape(tensor_memory_type(view))
    return shape_per_cta(memdesc_of(view))
