"""Give async copies contiguous writes (tritonamdgpu-coalesce-async-copy).

Before:  ttg.async_copy_global_to_local %p, %b     8 elements of 8 bits per thread; the chip
             : #blocked[1, 8] -> #ttg.swizzled_shared   copies 128 or 32 bits per lane
After:   %q = ttg.convert_layout %p : #blocked[1, 8] -> #blocked[1, 4]
         ttg.async_copy_global_to_local %q, %b : #blocked[1, 4] -> …

On CDNA a direct-to-LDS copy writes the elements of all lanes contiguously from one address. So each
lane must copy as many bits as one instruction copies, from contiguous addresses with one mask
value, to contiguous offsets. A swizzled buffer is supported: the lowering exchanges the lanes'
addresses. For a padded buffer the layout follows the order of the buffer.

Chips whose lanes write to any address, and chips without such copies, need no change.
Source: measured with Triton 3.7.1 and TRITON_HIP_USE_ASYNC_COPY=1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import axis_info, write_argument_hints
from weft.ir import attributes, ttg, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp
from weft.layouts import (
    BlockedEncoding,
    Encoding,
    LinearEncoding,
    LinearLayout,
    PaddedSharedEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.cga import blocked_like
from weft.layouts.dimension_order import contiguous_per_thread
from weft.layouts.plans.direct_to_lds import direct_to_lds_access
from weft.passes.ledger import record_decision
from weft.passes.pipelining.decision_records import enabled, record_copy_by_registers
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets import Target, target

__all__ = ["CoalesceAsyncCopy"]


class CoalesceAsyncCopy(Struct, frozen=True):
    """Give copies a layout that the chip supports, if there is one.

    Attributes:
        arch_generation_name: the chip, such as "gfx950".
    """

    name: ClassVar[str] = "tritonamdgpu-coalesce-async-copy"
    arch_generation_name: str

    def run(self, module: ModuleOp) -> None:
        """Convert the operands of copies in place.

        Raises:
            UnknownTargetError: the chip is unknown.
            PassError: the module has no layouts.
        """
        widths = target(self.arch_generation_name).direct_to_lds_bits
        if not widths:
            return
        copies = [op for op in module.walk() if isinstance(op, ttg.AsyncCopyGlobalToLocalOp)]
        runs = _runs(module, copies) if copies else {}
        lanes = lookup_threads_per_warp(module) if copies else 1

        def convert(op: Operation, rewriter: Rewriter) -> bool:
            assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
            copy = _Copy.of(op, runs[op.token], widths, lanes)
            if copy is None or copy.is_coalesced(lanes):
                return False
            layout = copy.coalesced(lanes, lookup_num_warps(op))
            if layout is None or layout is copy.encoding:
                return False
            self._convert(copy, layout, rewriter)
            return True

        patterns: PatternTable = {ttg.AsyncCopyGlobalToLocalOp: (convert,)}
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))
        if enabled():
            chip = target(self.arch_generation_name)
            for op in copies:
                if not _bypasses_registers(op, runs[op.token], chip):
                    record_copy_by_registers(self.name, op)

    def _convert(self, copy: _Copy, encoding: Encoding, rewriter: Rewriter) -> None:
        """Convert the tensor operands of a copy to another layout."""
        op = copy.op
        reason = f"a lane copies {copy.elements} elements of {copy.bits} bits at once"
        for index, operand in enumerate(op.operands):
            if types.is_tensor(operand.type):
                type_ = types.with_encoding(operand.type, encoding)
                new_op = rewriter.create(ttg.ConvertLayoutOp, [operand], [type_], before=op)
                rewriter.set_operand(op, index, new_op.results[0])
                record_decision(self, new_op.results[0], str(encoding), reason, anchor=op.name)
        op.properties["contiguity"] = attributes.integer(copy.elements, types.i32)
        rewriter.modified(op)


def _runs(module: ModuleOp, copies: Sequence[ttg.AsyncCopyGlobalToLocalOp]) -> dict[SSAValue, int]:
    """Map the token of each copy to the number of elements that a lane may copy at once."""
    facts = axis_info(module)
    write_argument_hints(facts)
    runs: dict[SSAValue, int] = {}
    for op in copies:
        run = facts.contiguity(op.src)
        runs[op.token] = run if op.mask is None else min(run, facts.mask_alignment(op.mask))
    return runs


class _Copy(Struct, frozen=True):
    """A copy to shared memory.

    Attributes:
        op: the copy.
        encoding: the layout of its pointers.
        buffer: the layout of the destination.
        shape: shape of the tile.
        elements: elements that a lane copies per instruction.
        bits: bits per element.
    """

    op: ttg.AsyncCopyGlobalToLocalOp
    encoding: BlockedEncoding
    buffer: SwizzledSharedEncoding | PaddedSharedEncoding
    shape: tuple[int, ...]
    elements: int
    bits: int

    @staticmethod
    def of(
        op: ttg.AsyncCopyGlobalToLocalOp, run: int, widths: tuple[int, ...], lanes: int
    ) -> _Copy | None:
        """Analyze a copy.

        Args:
            op: the copy.
            run: elements that a lane may read at once.
            widths: the bits per lane that the chip can copy.
            lanes: lanes per warp.
        Returns: the copy; None if the chip has no matching width or a layout is unsupported.
        """
        memory = op.result.type
        assert isinstance(memory, ttg.MemDescType)
        encoding, buffer = types.encoding(op.src.type), memory.encoding
        if not isinstance(encoding, BlockedEncoding):
            return None
        if not isinstance(buffer, SwizzledSharedEncoding | PaddedSharedEncoding):
            return None
        shape = types.shape(op.src.type)
        to_offset = encoding.linear(shape).invert_and_compose(buffer.linear(memory.shape))
        elements = min(run, to_offset.num_consecutive())
        bits = types.bit_width(memory.element_type)
        while elements and elements * bits not in widths:
            elements //= 2
        if isinstance(buffer, PaddedSharedEncoding):
            # All lanes write between two paddings.
            elements = min(elements, min(buffer.intervals) // lanes)
            if elements * bits not in widths:
                return None
        return _Copy(op, encoding, buffer, shape, elements, bits) if elements else None

    def is_coalesced(self, lanes: int) -> bool:
        """Check whether the lanes write contiguously in the present layout."""
        if isinstance(self.buffer, PaddedSharedEncoding):
            unswizzled = self.buffer.linear(self.shape)
        else:
            unswizzled = self._unswizzled()
        to_offset = self.encoding.linear(self.shape).invert_and_compose(unswizzled)
        run = to_offset.num_consecutive()
        return run == self.elements and _is_contiguous(to_offset, run, lanes)

    def _unswizzled(self) -> LinearLayout:
        """Return the layout of the buffer without its swizzle."""
        buffer = self.buffer
        assert isinstance(buffer, SwizzledSharedEncoding)
        unswizzled = SwizzledSharedEncoding(buffer.vec, 1, 1, buffer.order, buffer.cga_layout)
        return unswizzled.linear(self.shape)

    def coalesced(self, lanes: int, warps: int) -> Encoding | None:
        """Return a layout with contiguous writes; None if there is none."""
        if isinstance(self.buffer, PaddedSharedEncoding):
            return self._like_padded_buffer(self.buffer, lanes, warps)
        size_per_thread = list(contiguous_per_thread(self.encoding.linear(self.shape)))
        size_per_thread[self.encoding.order[0]] = self.elements
        return blocked_like(
            self.encoding, self.shape, tuple(size_per_thread), self.encoding.order, warps, lanes
        )

    def _like_padded_buffer(
        self, buffer: PaddedSharedEncoding, lanes: int, warps: int
    ) -> LinearEncoding | None:
        """Return the layout whose registers, lanes and warps follow a padded buffer."""
        remaining = list(buffer.offset)

        def take(count: int) -> list[tuple[int, ...]]:
            bases = remaining[:count]
            del remaining[:count]
            return bases

        registers = take(self.elements.bit_length() - 1)
        lane_bases = take(lanes.bit_length() - 1)
        if 1 << len(lane_bases) != lanes:
            return None
        warp_bases = take(warps.bit_length() - 1)
        while 1 << len(warp_bases) != warps:
            warp_bases.append((0,) * buffer.rank)
        new_op = LinearEncoding(
            tuple(registers + remaining), tuple(lane_bases), tuple(warp_bases), buffer.block
        )
        to_offset = new_op.linear(self.shape).invert_and_compose(buffer.linear(self.shape))
        return new_op if to_offset.num_consecutive() >= self.elements else None


def _bypasses_registers(op: ttg.AsyncCopyGlobalToLocalOp, run: int, chip: Target) -> bool:
    """Check whether the lowering finds a load that writes to LDS.

    Args:
        op: The copy.
        run: Elements that a lane may read at once.
        chip: The chip.
    """
    memory, encoding = op.result.type, types.encoding(op.src.type)
    assert isinstance(memory, ttg.MemDescType)
    buffer = memory.encoding
    assert encoding is not None
    assert buffer is not None
    return None is not direct_to_lds_access(
        encoding.linear(types.shape(op.src.type)),
        buffer.linear(memory.allocated[-len(memory.shape) :]),
        types.bit_width(memory.element_type),
        run,
        chip.direct_to_lds_bits,
        chip.shared_memory,
        interval=min(buffer.intervals) if isinstance(buffer, PaddedSharedEncoding) else 0,
    )


def _is_contiguous(to_offset: LinearLayout, run: int, lanes: int) -> bool:
    """Check whether offsets enumerate `run` registers first, then the lanes."""
    tile = LinearLayout.identity_1d(run, "register", "offset") * LinearLayout.identity_1d(
        lanes, "lane", "offset"
    )
    return to_offset.divide_left(tile) is not None
