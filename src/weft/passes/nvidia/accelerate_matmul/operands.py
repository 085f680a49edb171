"""Put a dot operand where the instruction reads it: in registers or in shared memory.

    mma.sync          ttg.convert_layout %a → #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
    wgmma, tcgen05    ttg.local_alloc %a    → !ttg.memdesc<64x32xf16, #shared, #smem>

A buffer is filled right after the definition of its value, before any conversion to the layout of
the dot, so that a loaded value can go to shared memory without passing through registers.
"""

from __future__ import annotations

from msgspec import Struct

from weft.errors import WeftError
from weft.ir import locations, ttg, types
from weft.ir.builtin import Attribute, Block, Operation, SSAValue
from weft.ir.locations import location_of
from weft.layouts import DotOperandEncoding, Encoding, NvmmaSharedEncoding
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.layouts.dimension_order import memory_order
from weft.layouts.nvmma_swizzling import nvmma_shared_encoding
from weft.passes.diagnostics import emit_warning
from weft.passes.rewrite.rewriter import Rewriter

__all__ = [
    "SharedOperand",
    "alloc_after",
    "convert_layout",
    "convert_to_dot_operand",
    "create_after",
    "k_width",
    "store_to_shared",
]


class SharedOperand(Struct, frozen=True):
    """How an instruction reads an operand from shared memory.

    Attributes:
        index: 0 for A, 1 for B.
        is_transposable: Whether the instruction supports any order; else the order is fixed.
        is_fp4_padded: Whether each fp4 pair is padded to two bytes.
        is_packed_across_k: Whether the dimension other than K must be contiguous instead of K.
    """

    index: int
    is_transposable: bool
    is_fp4_padded: bool = False
    is_packed_across_k: bool = False

    def order(self, register_order: tuple[int, ...]) -> tuple[int, ...]:
        """Choose the order of dimensions in memory, fastest first."""
        if self.is_transposable:
            return register_order
        is_column_major = (self.index == 1) is not self.is_packed_across_k
        return (0, 1) if is_column_major else (1, 0)


def k_width(bits: int) -> int:
    """Compute kWidth: the elements in 32 contiguous bits of a row."""
    return max(1, 32 // bits)


def convert_layout(
    value: SSAValue, type_: Attribute, before: Operation, rewriter: Rewriter
) -> SSAValue:
    """Convert a value to the layout of another type, at the location of the value."""
    conversion = rewriter.create(
        ttg.ConvertLayoutOp, (value,), (type_,), before=before, location=location_of(value)
    )
    return conversion.results[0]


def convert_to_dot_operand(
    value: SSAValue, index: int, parent: Encoding, bits: int, before: Operation, rewriter: Rewriter
) -> SSAValue:
    """Convert an operand to the registers that mma.sync or wgmma reads.

    Args:
        value: The operand.
        index: 0 for A, 1 for B.
        parent: The layout of the result.
        bits: The bits of an element, or of the type that it was extended from.
        before: Where to insert the conversion.
        rewriter: Changes the IR.
    """
    encoding = DotOperandEncoding(index, parent, k_width(bits))
    return convert_layout(value, types.with_encoding(value.type, encoding), before, rewriter)


def store_to_shared(
    value: SSAValue, operand: SharedOperand, rewriter: Rewriter, dot: Operation | None = None
) -> SSAValue:
    """Allocate a shared memory buffer with an operand as the instruction reads it.

    Args:
        value: The operand.
        operand: How the instruction reads it.
        rewriter: Changes the IR.
        dot: The dot, for a warning if the registers have another order; None for no warning.
    """
    while isinstance(value.owner, ttg.ConvertLayoutOp):
        value = value.owner.operands[0]
    shape, encoding = types.shape(value.type), types.encoding(value.type)
    assert encoding is not None
    register_order = memory_order(encoding, shape)
    order = operand.order(register_order)
    if dot is not None and order != register_order:
        _warn_of_order(order, operand.index, dot)
    shared = nvmma_shared_encoding(
        shape,
        order,
        types.bit_width(value.type),
        cga_bases(encoding),
        share=shape_per_cta(encoding, shape),
        padded=operand.is_fp4_padded,
    )
    return alloc_after(value, shared, rewriter)


def _warn_of_order(order: tuple[int, ...], index: int, dot: Operation) -> None:
    emit_warning(
        WeftError(
            f"Forcing a different order {list(order)} on SMEM than the register order for the "
            f"operand {index}: registers are transposed before they are stored, and a load of this "
            "operand is not pipelined",
            location=locations.position(dot.location),
            hint="transpose the operand in global memory",
        )
    )


def alloc_after(value: SSAValue, shared: NvmmaSharedEncoding, rewriter: Rewriter) -> SSAValue:
    """Allocate a shared memory buffer with a tensor right after the tensor's definition."""
    type_ = ttg.MemDescType.of(
        types.shape(value.type), types.element(value.type), shared, ttg.SharedMemoryAttr()
    )
    return create_after(value, ttg.LocalAllocOp, type_, rewriter)


def create_after(
    value: SSAValue, cls: type[Operation], type_: Attribute, rewriter: Rewriter
) -> SSAValue:
    """Create an operation with one operand right after the operand's definition."""
    owner = value.owner
    following = owner.first_op if isinstance(owner, Block) else owner.next_op
    assert following is not None, "a block ends with its terminator"
    op = rewriter.create(cls, (value,), (type_,), before=following, location=location_of(value))
    return op.results[0]
