"""The operands that each CTA of a cluster must hold for tcgen05.mma.

A CTA that computes alone holds the rows of A and the columns of B of its part of D. A CTA of a pair
holds its rows of A and half of the columns of B:

    D 256x128 of two CTAs     A 128x64 and B 64x64 in each      scales of 128 rows, of 128 columns
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from weft.analysis.buffer_size import shape_per_cta
from weft.analysis.tensor_memory import cta_shape, is_folded, is_in_tensor_memory
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.nvidia.tcgen05.addresses import tensor_memory_type
from weft.errors import CodegenError
from weft.ir import ttng
from weft.ir.ttg import MemDescType
from weft.layouts import TensorMemoryEncoding
from weft.lowering_plans.memdesc import memdesc_of

__all__ = ["operand_shape", "check_cta_pair", "check_cta_operands"]


def check_cta_pair(op: Operation, d: MemDescType, columns: int) -> None:
    """Check that a CTA pair can compute its part of D by one instruction.

    Args:
        op: The MMA.
        d: Type of the result.
        columns: Columns of D in a CTA.

    Raises:
        CodegenError: It cannot.
    """
    assert isinstance(d.encoding, TensorMemoryEncoding)
    # Each CTA holds one half of B's columns, so an instruction of fewer would mix blocks of D.
    if d.encoding.block_n != columns:
        raise CodegenError(
            f"{op.name} of CTA pairs computes all columns at once",
            found=f"blockN = {d.encoding.block_n}",
            accepted=[f"blockN = {columns}"],
        )
    if is_folded(d) and is_in_tensor_memory(op.operands[0]):
        raise CodegenError(
            "CTA pairs with 64 rows each need A in shared memory",
            found=op.operands[0].type,
        )


def check_cta_operands(
    ctx: LoweringContext,
    op: ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp,
    sizes: tuple[int, int, int],
    packed: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    """Check that a CTA holds the operands of its part of D.

    Args:
        ctx: State of the function.
        op: The MMA.
        sizes: Rows and columns of D in a CTA, and the size of k.
        packed: Elements of A and of B per buffer element, along k and along the other dimension.

    Raises:
        CodegenError: It does not.
    """
    rows, columns, k = sizes
    columns_of_b = columns // 2 if ctx.tensor_memory.two_ctas else columns
    shapes = [operand_shape(view) for view in (op.a, op.b)]
    required_shapes: list[tuple[int, ...]] = [
        (rows // packed[0][1], k // packed[0][0]),
        (k // packed[1][0], columns_of_b // packed[1][1]),
    ]
    if isinstance(op, ttng.TCGen5MMAScaledOp):
        shapes += [operand_shape(view)[:1] for view in (op.a_scale, op.b_scale)]
        required_shapes += [(rows,), (columns,)]
    if shapes != required_shapes:
        raise CodegenError(
            "each CTA of a cluster must hold the operands of its part of the result",
            found=shapes,
            accepted=required_shapes,
        )


def operand_shape(view: SSAValue) -> tuple[int, ...]:
    """Get the shape of a CTA's part of a view."""
    if is_in_tensor_memory(view):
        return cta_shape(tensor_memory_type(view))
    return shape_per_cta(memdesc_of(view))
