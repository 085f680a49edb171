"""Lay copies past the registers out so that the lanes of a warp write one behind the other.

`tritonamdgpu-coalesce-async-copy`.

Before:  ttg.async_copy_global_to_local %p, %b     8 elements of 8 bits per thread, where the chip
             : #blocked[1, 8] -> #ttg.swizzled_shared   copies 128 or 32 bits of a lane at once
After:   %q = ttg.convert_layout %p : #blocked[1, 8] -> #blocked[1, 4]
         ttg.async_copy_global_to_local %q, %b : #blocked[1, 4] -> …

CDNA copies global memory straight to shared memory, the lanes' elements one behind the other from
one address on. So a lane may only take as much as one instruction copies, from addresses that run
on, under one bit of the mask, to places that run on. A swizzled buffer is no obstacle: lanes
exchange their addresses. Of a padded buffer the layout mimics the buffer's own order.

Chips whose lanes write anywhere, and those without such copies, need nothing.
Source: measured on Triton 3.7.1, with TRITON_HIP_USE_ASYNC_COPY=1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from weft.analysis.axis_info import axis_info, write_argument_hints
from weft.ir import attributes, ttg, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.hardware import threads_per_warp, warps_around
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
from weft.passes.ledger import record_decision
from weft.passes.rewrite.greedy import Pattern, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets import target

__all__ = ["CoalesceAsyncCopy"]


@dataclass(frozen=True, slots=True)
class CoalesceAsyncCopy:
    """Post: copies write as the chip can, where there is a layout in which they do.

    arch_generation_name: the chip.
    """

    name: ClassVar[str] = "tritonamdgpu-coalesce-async-copy"
    arch_generation_name: str

    def run(self, module: ModuleOp) -> None:
        """Convert what copies read, in place.

        Raises: UnknownTargetError: no such chip.  PassError: the module has no layouts.
        """
        widths = target(self.arch_generation_name).direct_to_lds_bits
        if not widths:
            return
        copies = [op for op in module.walk() if isinstance(op, ttg.AsyncCopyGlobalToLocalOp)]
        runs = _runs(module, copies) if copies else {}
        lanes = threads_per_warp(module) if copies else 1

        def lay_out(op: Operation, rewriter: Rewriter) -> bool:
            assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
            copy = _Copy.of(op, runs[op.token], widths)
            if copy is None or copy.is_coalesced(widths, lanes):
                return False
            wanted = copy.coalesced(lanes, warps_around(op))
            if wanted is None or wanted is copy.encoding:
                return False
            self._convert(copy, wanted, rewriter)
            return True

        patterns: dict[type[Operation], tuple[Pattern, ...]] = {
            ttg.AsyncCopyGlobalToLocalOp: (lay_out,)
        }
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))

    def _convert(self, copy: _Copy, encoding: Encoding, rewriter: Rewriter) -> None:
        """Let a copy read everything in another layout."""
        op = copy.op
        why = f"a lane copies {copy.elements} elements of {copy.bits} bits at once"
        for index, operand in enumerate(op.operands):
            if types.is_tensor(operand.type):
                type_ = types.with_encoding(operand.type, encoding)
                made = rewriter.create(ttg.ConvertLayoutOp, [operand], [type_], before=op)
                rewriter.set_operand(op, index, made.results[0])
                record_decision(self, made.results[0], str(encoding), why, anchor=op.name)
        op.properties["contiguity"] = attributes.integer(copy.elements, types.i32)
        rewriter.modified(op)


def _runs(module: ModuleOp, copies: Sequence[ttg.AsyncCopyGlobalToLocalOp]) -> dict[SSAValue, int]:
    """Return how many elements a lane may take at once of what each copy reads, by its token."""
    facts = axis_info(module)
    write_argument_hints(facts)
    runs: dict[SSAValue, int] = {}
    for op in copies:
        run = facts.contiguity(op.src)
        runs[op.token] = run if op.mask is None else min(run, facts.mask_alignment(op.mask))
    return runs


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy to a buffer that lanes write one behind the other.

    elements: that a lane may copy at once.  bits: of an element.
    """

    op: ttg.AsyncCopyGlobalToLocalOp
    encoding: BlockedEncoding
    buffer: SwizzledSharedEncoding | PaddedSharedEncoding
    shape: tuple[int, ...]
    elements: int
    bits: int

    @staticmethod
    def of(op: ttg.AsyncCopyGlobalToLocalOp, run: int, widths: tuple[int, ...]) -> _Copy | None:
        """Read a copy off its operation; None where no width of the chip fits it.

        Args: run: elements that a lane may read at once.  widths: of the chip, in bits.
        """
        memory = op.result.type
        assert isinstance(memory, ttg.MemDescType)
        encoding, buffer = types.encoding(op.src.type), memory.encoding
        if not isinstance(encoding, BlockedEncoding):
            return None
        if not isinstance(buffer, SwizzledSharedEncoding | PaddedSharedEncoding):
            return None
        shape = types.shape(op.src.type)
        moves = encoding.linear(shape).invert_and_compose(buffer.linear(memory.shape))
        elements = min(run, moves.num_consecutive())
        bits = types.bit_width(memory.element_type)
        while elements and elements * bits not in widths:
            elements //= 2
        return _Copy(op, encoding, buffer, shape, elements, bits) if elements else None

    def is_coalesced(self, widths: tuple[int, ...], lanes: int) -> bool:
        """Tell whether the lanes write one behind the other as it is."""
        elements = self.elements
        if isinstance(self.buffer, PaddedSharedEncoding):
            elements = min(elements, min(self.buffer.intervals) // lanes)
            flat = self.buffer.linear(self.shape)
        else:
            flat = self._flat()
        if elements * self.bits not in widths:
            return False
        moves = self.encoding.linear(self.shape).invert_and_compose(flat)
        run = moves.num_consecutive()
        return run == elements and _in_a_row(moves, run, lanes)

    def _flat(self) -> LinearLayout:
        """Return the layout of the buffer without its swizzle, which the addresses take on."""
        buffer = self.buffer
        assert isinstance(buffer, SwizzledSharedEncoding)
        flat = SwizzledSharedEncoding(buffer.vec, 1, 1, buffer.order, buffer.cga_layout)
        return flat.linear(self.shape)

    def coalesced(self, lanes: int, warps: int) -> Encoding | None:
        """Return a layout in which the copy coalesces, None where there is none."""
        if isinstance(self.buffer, PaddedSharedEncoding):
            return self._as_the_buffer(self.buffer, lanes, warps)
        held = list(contiguous_per_thread(self.encoding.linear(self.shape)))
        held[self.encoding.order[0]] = self.elements
        return blocked_like(
            self.encoding, self.shape, tuple(held), self.encoding.order, warps, lanes
        )

    def _as_the_buffer(
        self, buffer: PaddedSharedEncoding, lanes: int, warps: int
    ) -> LinearEncoding | None:
        """Return the layout of which registers, lanes and warps follow the offsets of a buffer."""
        left = list(buffer.offset)

        def take(count: int) -> list[tuple[int, ...]]:
            taken = left[:count]
            del left[:count]
            return taken

        registers = take(self.elements.bit_length() - 1)
        by_lane = take(lanes.bit_length() - 1)
        if 1 << len(by_lane) != lanes:
            return None
        by_warp = take(warps.bit_length() - 1)
        while 1 << len(by_warp) != warps:
            by_warp.append((0,) * buffer.rank)
        made = LinearEncoding(tuple(registers + left), tuple(by_lane), tuple(by_warp), buffer.block)
        moves = made.linear(self.shape).invert_and_compose(buffer.linear(self.shape))
        return made if moves.num_consecutive() >= self.elements else None


def _in_a_row(moves: LinearLayout, run: int, lanes: int) -> bool:
    """Tell whether a layout starts with `run` registers, then the lanes, each behind the other."""
    tile = LinearLayout.identity_1d(run, "register", "offset") * LinearLayout.identity_1d(
        lanes, "lane", "offset"
    )
    return moves.divide_left(tile) is not None
