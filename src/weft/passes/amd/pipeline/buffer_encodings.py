"""The encoding of the buffer in shared memory through which an AMD chip pipelines a load.

%a = tt.load                                    the buffer has the swizzle of the dot operand,
%x = ttg.convert_layout %a : … -> #dot_op       so that reads of %x have no bank conflicts

%a = tt.load                                    the buffer has the encoding of the allocation
%m = ttg.local_alloc %a : … -> #shared

Asynchronous copies on gfx950 take padded rows instead of a swizzle if the tile is large enough, see
`padded_encodings`. A load that is not read as a dot operand has no buffer: it stays in registers.

Source: Triton, LowerLoops.cpp of the AMD back end.
"""

from __future__ import annotations

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import tt, ttg, types
from weft.ir.builtin import Block, Operation, SSAValue
from weft.layouts import (
    AmdMfmaEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    PaddedSharedEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import dimension_order, memory_order
from weft.layouts.operand_swizzling import swizzled_operand_encoding
from weft.passes.amd.pipeline.padded_encodings import padded_operand_encoding
from weft.passes.pipelining.loads.copy_width import can_become_async_copy
from weft.targets import Target

__all__ = ["BufferChoice", "can_copy_directly"]

_BATCHED_RANK = 3
_SCATTERING = "gfx125x"  # the generation whose asynchronous copies write lanes to any address
_FIRST_SCALE = 2  # the accumulator is no operand here


class BufferChoice(Struct, frozen=True):
    """What the choice of a buffer's encoding depends on.

    Attributes:
        infos: The axis info of the module.
        chip: The chip.
        use_async_copy: Whether loads become asynchronous copies where that is possible.
    """

    infos: ModuleAxisInfo
    chip: Target
    use_async_copy: bool

    def encoding(self, load: Operation) -> Encoding | None:
        """Choose the encoding of the buffer for a load.

        Returns:
            The encoding; None if a user does not read a dot operand, or two users need different
            encodings.
        """
        encodings: list[Encoding] = []
        for use in load.results[0].uses:
            user = use.operation
            if isinstance(user, ttg.LocalAllocOp):
                memory = user.result.type
                assert isinstance(memory, ttg.MemDescType)
                assert memory.encoding is not None
                encodings.append(memory.encoding)
            elif isinstance(user, ttg.ConvertLayoutOp):
                encoding = self._for_conversion(load, user)
                if encoding is not None:
                    encodings.append(encoding)
            else:
                return None
        if not encodings:
            return None
        widest = encodings[0]
        for encoding in encodings[1:]:
            if not isinstance(encoding, SwizzledSharedEncoding):
                return None
            if not isinstance(widest, SwizzledSharedEncoding) or not _differ_in_vec_only(
                widest, encoding
            ):
                return None
            widest = encoding if encoding.vec > widest.vec else widest
        return widest

    def _for_conversion(self, load: Operation, conversion: ttg.ConvertLayoutOp) -> Encoding | None:
        """Choose the encoding for one conversion of the loaded tensor."""
        source_type, result = load.results[0].type, conversion.results[0]
        source, shape = types.encoding(source_type), types.shape(source_type)
        assert source is not None
        bits = types.bit_width(source_type)
        order = self._order(source, shape)
        encoding = types.encoding(result.type)
        if isinstance(encoding, DotOperandEncoding):
            if len(order) == _BATCHED_RANK:
                order = (*(dim for dim in order if dim != 0), 0)  # the batch is outermost
            return self._padded(load, encoding, order) or swizzled_operand_encoding(
                encoding, shape, order, bits, source=source
            )
        if isinstance(encoding, LinearEncoding):
            # Operands of scaled dots have linear layouts; the dot says which operand it is.
            use = _use_by_dot(result)
            if use is not None:
                return _encoding_for_mfma(use, source, shape, order, bits)
        return None

    def _order(self, source: Encoding, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Choose the order of the buffer's dimensions."""
        if not self.use_async_copy or self.chip.generation == _SCATTERING:
            return memory_order(source, shape)
        # The lanes of a warp write one after the other, so the order is that of the lanes. A vector
        # that a lane copies comes first.
        linear = source.linear(shape)
        order = dimension_order(linear)
        lane_order = dimension_order(linear, "lane", order)
        steps = (linear.unpack(image)[order[0]] for image in linear.images("register"))
        if not any(steps):
            return lane_order
        return (order[0], *(dim for dim in lane_order if dim != order[0]))

    def _padded(
        self, load: Operation, operand: DotOperandEncoding, order: tuple[int, ...]
    ) -> PaddedSharedEncoding | None:
        """Choose an encoding with padded rows, for asynchronous copies on gfx950."""
        if not self.use_async_copy or self.chip.generation != "cdna4":
            return None
        if not isinstance(load, tt.LoadOp) or not can_become_async_copy(load, self.infos):
            return None
        return padded_operand_encoding(operand, load.result.type, order, self.chip.warp_size)


def can_copy_directly(
    load: tt.LoadOp, encoding: Encoding, buffers: int, infos: ModuleAxisInfo, chip: Target
) -> bool:
    """Check whether a load can become a copy to shared memory that bypasses the registers.

    Args:
        load: The load.
        encoding: The encoding of a buffer.
        buffers: The number of buffers. A copy into the only one would have to wait until all
            warps have read it.
        infos: The axis info of the module.
        chip: The chip.
    """
    if buffers == 1:
        return False
    if _writes_contiguously(chip):
        shape = types.shape(load.ptr.type)
        source = types.encoding(load.ptr.type)
        assert source is not None
        pointer = types.element(load.ptr.type)
        assert types.is_pointer(pointer)
        to_offset = source.linear(shape).invert_and_compose(encoding.linear(shape))
        elements = to_offset.num_consecutive()
        if isinstance(encoding, PaddedSharedEncoding):
            elements = min(elements, *encoding.intervals)
        bits = types.bit_width(pointer.pointee)
        while elements and elements * bits not in chip.direct_to_lds_bits:
            elements //= 2
        if not elements:
            return False
    return can_become_async_copy(load, infos)


def _writes_contiguously(chip: Target) -> bool:
    """Check whether a copy to shared memory writes the elements of its lanes side by side."""
    return bool(chip.direct_to_lds_bits)


def _differ_in_vec_only(a: SwizzledSharedEncoding, b: SwizzledSharedEncoding) -> bool:
    return (a.per_phase, a.max_phase, a.order, a.cga_layout) == (
        b.per_phase,
        b.max_phase,
        b.order,
        b.cga_layout,
    )


class _DotUse(Struct, frozen=True):
    """How a dot by MFMA uses a tensor.

    Attributes:
        parent: The encoding of the dot's result.
        index: The operand; from 2 on, a scale.
        vector: The neighbours that a lane holds, in elements.
    """

    parent: AmdMfmaEncoding
    index: int
    vector: int


def _use_by_dot(value: SSAValue) -> _DotUse | None:
    """Find the dot that is the only user of a tensor, or of what is computed from it."""
    while True:
        uses = list(value.uses)
        if len(uses) != 1:
            return None
        user = uses[0].operation
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        if len(user.results) != 1 or user.parent is not block:
            return None
        if isinstance(user, tt.DotOp | tt.DotScaledOp):
            parent = types.encoding(user.results[0].type)
            encoding = types.encoding(value.type)
            if not isinstance(parent, AmdMfmaEncoding) or encoding is None:
                return None
            vector = encoding.linear(types.shape(value.type)).num_consecutive()
            return _DotUse(parent, uses[0].index, vector)
        value = user.results[0]


def _encoding_for_mfma(
    use: _DotUse, source: Encoding, shape: tuple[int, ...], order: tuple[int, ...], bits: int
) -> SwizzledSharedEncoding:
    """Choose the swizzle for an operand of a scaled dot; its scales need none."""
    if use.index >= _FIRST_SCALE:
        return SwizzledSharedEncoding(1, 1, 1, order, cga_bases(source))
    operand = DotOperandEncoding(use.index, use.parent, use.vector)
    return swizzled_operand_encoding(operand, shape, order, bits, source=source)
