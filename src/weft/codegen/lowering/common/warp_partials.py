"""Exchange of partial results between warps through shared memory: one slot per segment.

By hand, two warps along a row of an 8x64 tile, one partial per row and warp, 16 slots per operand:

    slot = row · 2 + warp          one lane of each warp and row stores its slot
    barrier
    load slots row · 2 and row · 2 + 1 by one vector access

`weft.lowering_plans.partials` chooses the slots and the number of slots per access.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.linear_maps import xor_all
from weft.lowering_plans.axis_runs import AxisRun
from weft.lowering_plans.partials import PartialsPlan

__all__ = ["WarpPartials", "ctas_along", "storage_type"]


def storage_type(type_: str) -> str:
    """Get the LLVM type of a value in shared memory: an i1 takes a byte."""
    return "i8" if type_ == "i1" else type_


def ctas_along(ctx: LoweringContext, run: AxisRun) -> list[str]:
    """List the ranks of the CTAs along a run, in the order of their elements."""
    count = 1 << len(run.bits)
    return [ctx.threads.with_bits("block", run.mask, run.place(n)) for n in range(count)]


@dataclass(frozen=True, slots=True)
class WarpPartials:
    """One exchange of an operation's operands between warps.

    Attributes:
        ctx: State of the function.
        op: The reduction or scan.
        plan: The slots, and which of them are stored and loaded.
        start: Offset of the scratch memory, in bytes.
        homes: Ranks of the CTAs that exchange, in their order; () for none.
    """

    ctx: LoweringContext
    op: Operation
    plan: PartialsPlan
    start: int
    homes: Sequence[str] = ()

    def exchanged(self, groups: Mapping[int, tuple[str, ...]]) -> dict[int, list[tuple[str, ...]]]:
        """Store partials, and load those of the warps that exchange, CTA by CTA.

        Args:
            groups: Values by register.
        """
        low, w = self.ctx, self.ctx.writer
        writes = low.threads.have_bits(self.plan.holders)
        with w.where(writes, "partial"):
            self._store_all(groups)
        if self.homes:
            low.cluster_barrier()
        else:
            low.barrier()
        table: dict[int, list[tuple[str, ...]]] = {group: [] for group in groups}
        for home in self.homes or ("",):
            columns = [
                self._load_all(operand, groups, home) for operand in range(len(self.op.operands))
            ]
            for group in groups:
                table[group] += zip(*(column[group] for column in columns), strict=True)
        if self.homes:
            low.cluster_barrier()  # other CTAs may still be loading
        return table

    def _place(self, *, first_warp: bool) -> tuple[str, int]:
        """Compute the thread's slot offset, and the bits that it may have set.

        Args:
            first_warp: Whether to use the first of the warps that exchange instead of this one.
        """
        return self.ctx.threads.offset(*self.plan.thread_bases(first_warp=first_warp))

    def _address(
        self, operand: int, place: tuple[str, int], constant: int, home: str = ""
    ) -> tuple[str, int]:
        """Compute the address and address space of a slot.

        Args:
            operand: Index of the operand.
            place: The thread's slot offset.
            constant: Offset of the slot.
            home: Rank of the CTA, "" for this one.
        """
        low, kind = self.ctx, self.op.operands[operand].type
        start, type_ = self.start + self.plan.starts[operand], storage_type(llvm_type(kind))
        thread, mask = place
        if not constant & mask:
            start, constant = start + constant * storage_bytes(kind), 0
        at, _ = xor_all(low.writer, [(thread, mask), (str(constant), constant)])
        if home:
            return low.remote_address(type_, at, start, home), low.hardware.memory.remote_space
        address = low.shared_address(type_, at)  # one for all that only differ by a constant
        return low.writer.value(f"getelementptr i8, ptr addrspace(3) {address}, i32 {start}"), 3

    def _store_all(self, groups: Mapping[int, tuple[str, ...]]) -> None:
        """Store the values of all groups, neighbouring slots by one access."""
        place = self._place(first_warp=False)
        for stores in self.plan.stores(groups):
            for operand in range(len(self.op.operands)):
                for store in stores:
                    values = [groups[group][operand] for group in store.groups]
                    self._store(operand, place, store.first, values)

    def _store(
        self, operand: int, place: tuple[str, int], first: int, values: Sequence[str]
    ) -> None:
        w, kind = self.ctx.writer, self.op.operands[operand].type
        type_ = llvm_type(kind)
        if type_ == "i1":
            values = [w.value(f"zext i1 {value} to i8") for value in values]
        whole, element_type = values[0], storage_type(type_)
        if len(values) > 1:
            vector, whole = f"<{len(values)} x {element_type}>", "poison"
            for n, value in enumerate(values):
                whole = w.value(f"insertelement {vector} {whole}, {element_type} {value}, i32 {n}")
            element_type = vector
        address, space = self._address(operand, place, first)
        align = len(values) * storage_bytes(kind)
        w.line(f"store {element_type} {whole}, ptr addrspace({space}) {address}, align {align}")

    def _load_all(
        self, operand: int, groups: Mapping[int, tuple[str, ...]], home: str
    ) -> dict[int, list[str]]:
        """Load the values of the warps that exchange of one CTA, for each group."""
        place, size = self._place(first_warp=True), self.plan.order.loaded
        loaded = {
            first: self._load(operand, place, first, home) for first in self.plan.loads(groups)
        }
        table: dict[int, list[str]] = {}
        for group in groups:
            slots = (self.plan.slot(group, part) for part in range(self.plan.loaded_parts))
            table[group] = [loaded[slot - slot % size][slot % size] for slot in slots]
        return table

    def _load(self, operand: int, place: tuple[str, int], first: int, home: str) -> list[str]:
        """Load the values of neighbouring slots of one CTA, "" for this one."""
        w, kind = self.ctx.writer, self.op.operands[operand].type
        type_, count = llvm_type(kind), self.plan.order.loaded
        element_type = storage_type(type_)
        address, space = self._address(operand, place, first, home)
        pointer = f"ptr addrspace({space}) {address}, align {count * storage_bytes(kind)}"
        if count == 1:
            results = [w.value(f"load {element_type}, {pointer}")]
        else:
            vector = f"<{count} x {element_type}>"
            whole = w.value(f"load {vector}, {pointer}")
            results = [w.value(f"extractelement {vector} {whole}, i32 {n}") for n in range(count)]
        return [w.value(f"trunc i8 {one} to i1") for one in results] if type_ == "i1" else results
