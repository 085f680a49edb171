"""Matrix descriptors: operands of wgmma and tcgen05.mma in shared memory, as 64 bits.

Addresses and strides are in units of 16 bytes:

    bits 0–13   start address           16–29  leading-dimension stride    32–45  other stride
    bits 61–63  swizzle mode            46     set in the format of tcgen05

If k is contiguous, the stride steps over eight rows. If the other dimension is contiguous
("transposed"), it steps over eight k, and the leading-dimension stride steps from one swizzled
column to the next. A tile without swizzle has columns of 16 bytes, and the strides change roles.
By hand, for 64x64 of f16, swizzled in rows of 128 bytes of k:

    leading 1 (unused)        stride 8 · 128 / 16 = 64       tile (8, 16): start + 64 + 2

The start of a tile is linear in its coordinates, so one descriptor is computed, and the other tiles
are constants that are added to it.
Source: PTX ISA 9.0, matrix descriptor formats of wgmma and of tcgen05.
"""

from __future__ import annotations

from msgspec import Struct
from xdsl.ir import SSAValue

from weft.analysis.buffer_size import shape_per_cta
from weft.codegen.llvm.types import storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.errors import CodegenError
from weft.layouts import LinearLayout, NvmmaSharedEncoding
from weft.lowering_plans.memdesc import memdesc_of, memory_layout

__all__ = ["FORMAT_OF_TENSOR_MEMORY", "MatrixOperand", "matrix_operand", "row_descriptor"]

FORMAT_OF_TENSOR_MEMORY = 1

_SWIZZLES = {0: 0, 32: 6, 64: 4, 128: 2}
_UNIT = 16
_CORE = 8  # rows of the smallest tile


class MatrixOperand(Struct, frozen=True):
    """An operand in shared memory.

    Attributes:
        first: Descriptor of the first tile, an i64.
        inverse: Layout from (row, column) to the offset in elements.
        element_bytes: Bytes of an element.
        transposed: Whether the dimension that is not k is contiguous.
    """

    first: str
    inverse: LinearLayout
    element_bytes: int
    transposed: bool

    def at(self, ctx: LoweringContext, row: int, column: int) -> str:
        """Compute the descriptor of the tile at some coordinates."""
        step = _bytes(self.inverse, self.element_bytes, (row, column)) // _UNIT
        return ctx.writer.value(f"add i64 {self.first}, {step}") if step else self.first


def _bytes(inverse: LinearLayout, size: int, coordinates: tuple[int, int]) -> int:
    row, column = coordinates
    return int(inverse.apply({"dim0": row, "dim1": column})["offset"]) * size


def matrix_operand(
    ctx: LoweringContext, view: SSAValue, side: int, *, version: int = 0, part: str = "0"
) -> MatrixOperand:
    """Compute the matrix descriptor of an operand in shared memory.

    Args:
        ctx: State of the function.
        view: A memory descriptor.
        side: 0 for A, whose columns are k; 1 for B, whose rows are k.
        version: Format of the descriptor, 0 for wgmma, 1 for tcgen05.
        part: Offset of the warp group's part in bytes, an i32.

    Raises:
        CodegenError: Tensor cores do not read the buffer's layout.
    """
    type_ = memdesc_of(view)
    encoding = type_.encoding
    if not isinstance(encoding, NvmmaSharedEncoding) or len(type_.shape) != 2:
        raise CodegenError(
            "operands of tensor cores in shared memory must have the layout #ttg.nvmma_shared",
            found=type_,
            accepted=["two dimensions in #ttg.nvmma_shared"],
        )
    inverse, size = memory_layout(type_).pseudoinvert(), storage_bytes(type_.element_type)
    transposed = encoding.transposed if side == 0 else not encoding.transposed
    width = encoding.swizzling_byte_width
    own = shape_per_cta(type_)
    shape = (own[side], own[1 - side])  # (the dimension that is not k, k)
    leading, other = _strides(inverse, size, side, shape, width, transposed=transposed)
    fixed = _SWIZZLES[width] << 61 | version << 46 | other << 32 | leading << 16
    return MatrixOperand(_descriptor(ctx, view, part, fixed), inverse, size, transposed)


def row_descriptor(
    ctx: LoweringContext, view: SSAValue, inverse: LinearLayout, eight_rows: int
) -> MatrixOperand:
    """Compute the descriptor of rows of 16 bytes, for a copy to tensor memory.

    Args:
        ctx: State of the function.
        view: A memory descriptor.
        inverse: Layout from (row, byte) to the offset in bytes.
        eight_rows: Bytes from one row to the row eight below.
    """
    fixed = FORMAT_OF_TENSOR_MEMORY << 46 | eight_rows // _UNIT << 32
    return MatrixOperand(_descriptor(ctx, view, "0", fixed), inverse, 1, transposed=False)


def _descriptor(ctx: LoweringContext, view: SSAValue, part: str, fixed: int) -> str:
    """Encode a start address together with the constant fields of a descriptor."""
    w, size = ctx.writer, storage_bytes(memdesc_of(view).element_type)
    address, offset = ctx.view(view)
    start = w.value(f"ptrtoint ptr addrspace(3) {address} to i32")
    if offset != "0":
        start = w.value(f"add i32 {start}, {w.value(f'mul i32 {offset}, {size}')}")
    if part != "0":
        start = w.value(f"add i32 {start}, {part}")
    unit = w.value(f"and i32 {w.value(f'lshr i32 {start}, 4')}, 16383")
    fixed -= (fixed >> 63) << 64  # as a signed i64
    return w.value(f"or i64 {w.value(f'zext i32 {unit} to i64')}, {fixed}")


def _strides(
    inverse: LinearLayout,
    size: int,
    side: int,
    shape: tuple[int, int],
    width: int,
    *,
    transposed: bool,
) -> tuple[int, int]:
    """Compute the leading-dimension stride and the other stride of a descriptor.

    Args:
        inverse: Layout from (row, column) to the offset in elements.
        size: Bytes of an element.
        side: 0 for A, 1 for B.
        shape: Size of the dimension that is not k, and of k.
        width: Bytes of a swizzled row, 0 for none.
        transposed: Whether the dimension that is not k is contiguous.

    Raises:
        CodegenError: The rows are not swizzled and do not have 16 bytes.
    """

    def step(outer: int, k: int) -> int:
        coordinates = (outer, k) if side == 0 else (k, outer)
        inside = outer < shape[0] and k < shape[1]
        return _bytes(inverse, size, coordinates) // _UNIT if inside else 1

    # A stride within a single tile is not used; 1 is what the hardware ignores.
    if width:
        if transposed:
            return step(width // size, 0), step(0, _CORE)
        return 1, step(_CORE, 0)
    run = _UNIT // size
    if shape[0] != run if transposed else shape[1] != run:
        raise CodegenError(
            "unswizzled operands of tensor cores must have rows of 16 bytes",
            found=f"rows of {shape[0 if transposed else 1] * size} bytes",
            accepted=["rows of 16 bytes", "a swizzlingByteWidth of 32, 64 or 128"],
        )
    return (step(0, _CORE), 1) if transposed else (1, step(_CORE, 0))
