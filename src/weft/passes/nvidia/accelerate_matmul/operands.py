"""How an operand reaches the instruction: in registers, or from shared memory.

    mma.sync          ttg.convert_layout %a → #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
    wgmma, tcgen05    ttg.local_alloc %a    → !ttg.memdesc<64x32xf16, #shared, #smem>

A buffer is filled right behind the value that it holds, before any conversion to the layout of the
dot: what was loaded may go to shared memory without passing through registers.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.ir import ttg, types
from weft.ir.builtin import Attribute, Block, Operation, SSAValue
from weft.layouts import DotOperandEncoding, Encoding, NvmmaSharedEncoding
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.layouts.dimension_order import memory_order
from weft.layouts.nvmma_swizzling import nvmma_shared_encoding
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["Side", "converted", "create_behind", "in_registers", "in_shared", "k_width"]


@dataclass(frozen=True, slots=True)
class Side:
    """An operand for shared memory.

    Fields: index: 0 for A, 1 for B.  either_way: whether the instruction reads rows and columns;
    else K must be the fast dimension.  padded: whether 4-bit pairs are spread over two bytes.
    across: whether the other dimension than K must be the fast one, where not `either_way`.
    """

    index: int
    either_way: bool
    padded: bool = False
    across: bool = False

    def order(self, found: tuple[int, ...]) -> tuple[int, ...]:
        """Return the order in memory of a tile that threads hold in an order."""
        if self.either_way:
            return found
        columns_first = (self.index == 1) is not self.across
        return (0, 1) if columns_first else (1, 0)


def k_width(bits: int) -> int:
    """Return how many elements of a row fill the 32 bits that a lane holds side by side."""
    return max(1, 32 // bits)


def converted(value: SSAValue, type_: Attribute, before: Operation, rewriter: Rewriter) -> SSAValue:
    """Return a value in the layout of another type."""
    made = rewriter.create(ttg.ConvertLayoutOp, (value,), (type_,), before=before)
    return made.results[0]


def in_registers(
    value: SSAValue, index: int, parent: Encoding, bits: int, before: Operation, rewriter: Rewriter
) -> SSAValue:
    """Return an operand in the registers that mma reads it from.

    Args: bits: of an element, or of what it was widened from.
    """
    encoding = DotOperandEncoding(index, parent, k_width(bits))
    return converted(value, types.with_encoding(value.type, encoding), before, rewriter)


def in_shared(value: SSAValue, side: Side, rewriter: Rewriter) -> SSAValue:
    """Return a buffer in shared memory that holds an operand as the instruction reads it."""
    while isinstance(value.owner, ttg.ConvertLayoutOp):
        value = value.owner.operands[0]
    shape, encoding = types.shape(value.type), types.encoding(value.type)
    assert encoding is not None
    shared = nvmma_shared_encoding(
        shape,
        side.order(memory_order(encoding, shape)),
        types.bit_width(value.type),
        cga_bases(encoding),
        share=shape_per_cta(encoding, shape),
        padded=side.padded,
    )
    return filled(value, shared, rewriter)


def filled(value: SSAValue, shared: NvmmaSharedEncoding, rewriter: Rewriter) -> SSAValue:
    """Return a buffer in shared memory that holds a tensor, made right behind it."""
    type_ = ttg.MemDescType.of(
        types.shape(value.type), types.element(value.type), shared, ttg.SharedMemoryAttr()
    )
    return create_behind(value, ttg.LocalAllocOp, type_, rewriter)


def create_behind(
    value: SSAValue, cls: type[Operation], type_: Attribute, rewriter: Rewriter
) -> SSAValue:
    """Make an operation of one operand right behind the operand; return its result."""
    owner = value.owner
    following = owner.first_op if isinstance(owner, Block) else owner.next_op
    assert following is not None, "a block ends with its terminator"
    location = None if isinstance(owner, Block) else owner.location
    made = rewriter.create(cls, (value,), (type_,), before=following, location=location)
    return made.results[0]
