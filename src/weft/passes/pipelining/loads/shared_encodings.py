"""The encoding of the buffer in shared memory through which a load is pipelined.

%a = tt.load                                    the buffer has the swizzle of the dot operand,
%x = ttg.convert_layout %a : … -> #dot_op       so that reads of %x have no bank conflicts

%a = tt.load                                    the buffer has the encoding of the allocation,
%m = ttg.local_alloc %a : … -> #shared          which it replaces
"""

from __future__ import annotations

from msgspec import Struct

from weft.errors import PassError
from weft.ir import locations, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.layouts import (
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    LinearLayout,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.cga import Vectors, cga_bases
from weft.layouts.dimension_order import contiguous_per_thread, dimension_order, memory_order
from weft.layouts.operand_swizzling import swizzled_operand_encoding

__all__ = [
    "OperandBuffer",
    "allocation_encodings",
    "default_shared_encoding",
    "descriptor_encoding",
    "is_descriptor_load",
    "operand_buffer",
    "shared_encoding_of_load",
    "tile_encoding",
]

_FRAGMENT_ROWS, _FRAGMENT_LANES_PER_ROW = 8, 4  # of the 8x(4*kWidth) fragments of mma.sync


class OperandBuffer(Struct, frozen=True):
    """The encoding that all users of a value want it in shared memory with.

    Attributes:
        encoding: The encoding; None if there is none, or no user.
        is_for_operands: Whether all users read dot operands. It is true without users.
        is_incompatible: Whether two users want different encodings.
    """

    encoding: SwizzledSharedEncoding | None = None
    is_for_operands: bool = False
    is_incompatible: bool = False


def is_descriptor_load(op: Operation) -> bool:
    """Check whether an operation loads through a tensor descriptor (TMA)."""
    return isinstance(op, tt.DescriptorLoadOp | tt.DescriptorGatherOp)


def allocation_encodings(op: Operation) -> list[Encoding]:
    """List the encodings of the buffers that the result of an operation is stored to."""
    encodings: list[Encoding] = []
    for use in op.results[0].uses:
        if isinstance(use.operation, ttg.LocalAllocOp):
            memory = use.operation.result.type
            assert isinstance(memory, ttg.MemDescType)
            assert memory.encoding is not None
            encodings.append(memory.encoding)
    return encodings


def descriptor_encoding(op: tt.DescriptorLoadOp | tt.DescriptorGatherOp) -> Encoding:
    """Get the encoding in which TMA writes the tile that an operation loads.

    Raises:
        PassError: The descriptor has no encoding.
    """
    return tile_encoding(op, op.desc, op.results[0].type)


def tile_encoding(op: Operation, descriptor_value: SSAValue, tile: Attribute) -> Encoding:
    """Get the encoding of the buffer for a tile that TMA copies.

    It is that of the descriptor, without the dimensions of size 1 that the tile leaves out.

    Args:
        op: The operation that copies the tile.
        descriptor_value: The descriptor.
        tile: The type of the tile.

    Raises:
        PassError: The descriptor has no encoding.
    """
    descriptor = descriptor_value.type
    assert isinstance(descriptor, types.TensorDescType)
    encoding = types.encoding(descriptor.block_type)
    if not isinstance(encoding, NvmmaSharedEncoding | SwizzledSharedEncoding):
        raise PassError(
            "tensor descriptor has no shared-memory encoding",
            location=locations.position(op.location),
            found=str(descriptor),
            accepted=["#ttg.nvmma_shared"],
            hint="run triton-nvidia-optimize-descriptor-encoding first",
        )
    shape = types.shape(tile)
    rank = len(shape)
    if types.shape(descriptor.block_type) == shape:
        return encoding
    cga_layout = tuple(vector[-rank:] for vector in encoding.cga_layout)
    if isinstance(encoding, SwizzledSharedEncoding):
        leading = range(rank - 1, len(encoding.order) - 1, -1)
        order = (*leading, *(dim for dim in encoding.order if dim < rank))
        return SwizzledSharedEncoding(
            encoding.vec, encoding.per_phase, encoding.max_phase, order, cga_layout
        )
    return NvmmaSharedEncoding(
        encoding.swizzling_byte_width,
        encoding.element_bit_width,
        encoding.transposed,
        encoding.fp4_padded,
        cga_layout,
        rank,
    )


def operand_buffer(value: SSAValue) -> OperandBuffer:
    """Find the swizzle with which dot operands are read from a tensor or buffer.

    Returns:
        The encoding, if all users are conversions to dot operands, loads of them from a buffer, or
        allocations and views of which the same holds.
    """
    encoding: SwizzledSharedEncoding | None = None
    for use in value.uses:
        user_encoding = _encoding_for_user(value, use.operation)
        if not isinstance(user_encoding, SwizzledSharedEncoding):
            return user_encoding
        if encoding is not None and encoding is not user_encoding:
            return OperandBuffer(is_incompatible=True)
        encoding = user_encoding
    return OperandBuffer(encoding, is_for_operands=True)


def shared_encoding_of_load(op: Operation) -> Encoding:
    """Choose the encoding of the buffer for a load of a tensor."""
    if isinstance(op, tt.DescriptorLoadOp | tt.DescriptorGatherOp):
        return descriptor_encoding(op)
    allocated = allocation_encodings(op)
    if allocated:
        return allocated[0]
    result = op.results[0]
    encoding = operand_buffer(result).encoding
    if encoding is not None:
        return encoding
    return default_shared_encoding(result.type)


def default_shared_encoding(type_: Attribute) -> SwizzledSharedEncoding:
    """Choose the encoding of the buffer for a tensor of which nothing is known: no swizzling."""
    source = types.encoding(type_)
    assert source is not None
    order = dimension_order(source.linear(types.shape(type_)))
    return SwizzledSharedEncoding(1, 1, 1, order, cga_bases(source))


def _encoding_for_user(value: SSAValue, user: Operation) -> SwizzledSharedEncoding | OperandBuffer:
    """Find the encoding that one user wants, or why there is none."""
    if len(user.results) != 1:
        return OperandBuffer()
    result_type = user.results[0].type
    if isinstance(result_type, ttg.MemDescType):
        encoding = result_type.encoding
        if not isinstance(encoding, SwizzledSharedEncoding):
            return OperandBuffer()
        below = operand_buffer(user.results[0])
        return encoding if below.is_for_operands else below
    if not isinstance(user, ttg.LocalLoadOp | ttg.ConvertLayoutOp):
        return OperandBuffer()
    return _read_encoding(value, user) or OperandBuffer()


def _read_encoding(value: SSAValue, user: Operation) -> SwizzledSharedEncoding | None:
    """Compute the swizzle for a conversion of a tensor or a load from a buffer."""
    source_type, result_type = value.type, user.results[0].type
    if isinstance(source_type, ttg.MemDescType):
        source, shape, element = source_type.encoding, source_type.shape, source_type.element_type
    else:
        source, shape = types.encoding(source_type), types.shape(source_type)
        element = types.element(source_type)
    result = types.encoding(result_type)
    assert source is not None
    assert result is not None
    bits = types.bit_width(element)
    if isinstance(result, DotOperandEncoding):
        is_buffer = isinstance(source, SwizzledSharedEncoding)
        order = source.order if is_buffer else memory_order(source, shape)
        return swizzled_operand_encoding(result, shape, order, bits)
    cga = _cga_layout(source if isinstance(result, LinearEncoding) else result)
    return _fragment_encoding(result, types.shape(result_type), cga, bits)


def _cga_layout(encoding: Encoding) -> Vectors:
    """Get the basis vectors over the CTAs of a cluster of a tensor's or a buffer's encoding."""
    if isinstance(encoding, SwizzledSharedEncoding):
        return encoding.cga_layout
    return cga_bases(encoding)


def _fragment_encoding(
    encoding: Encoding, shape: tuple[int, ...], cga: Vectors, bits: int
) -> SwizzledSharedEncoding | None:
    """Compute the swizzle for a layout that starts like a dot operand of mma.sync.

    A dot operand gets such a layout by, for instance, a transposition.
    """
    layout = encoding.linear(shape)
    order = dimension_order(layout, "lane", dimension_order(layout))
    rank = len(order)
    if rank < 2:
        return None
    batch = tuple(range(rank - 3, -1, -1))
    orders = ((rank - 1, rank - 2, *batch), (rank - 2, rank - 1, *batch))
    if order not in orders:
        return None
    k_width = contiguous_per_thread(layout)[order[0]]
    if layout.divide_left(_fragment(layout, order, k_width)) is None:
        return None
    instruction = NvidiaMmaEncoding(2, 0, (1,) * rank, (1,) * (rank - 2) + (16, 8), cga)
    operand = DotOperandEncoding(orders.index(order), instruction, k_width)
    return swizzled_operand_encoding(operand, shape, order, bits, source=instruction)


def _fragment(layout: LinearLayout, order: tuple[int, ...], k_width: int) -> LinearLayout:
    """Build the layout of one fragment: rows of four lanes, each with kWidth registers."""

    def steps(dim: int, start: int, count: int) -> list[tuple[int, ...]]:
        sizes = [start << bit for bit in range(count.bit_length() - 1)]
        return [tuple(size if d == dim else 0 for d in range(len(order))) for size in sizes]

    inner, outer = order[:2]
    lanes = steps(inner, k_width, _FRAGMENT_LANES_PER_ROW) + steps(outer, 1, _FRAGMENT_ROWS)
    sizes = [1] * len(order)
    sizes[inner], sizes[outer] = _FRAGMENT_LANES_PER_ROW * k_width, _FRAGMENT_ROWS
    return LinearLayout.from_bases(
        {"register": steps(inner, 1, k_width), "lane": lanes},
        dict(zip(layout.out_dims, sizes, strict=True)),
    )
