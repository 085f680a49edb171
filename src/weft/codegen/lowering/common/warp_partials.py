"""Exchange of partial results between warps through shared memory: one slot per segment.

By hand, two warps along a row of an 8x64 tile, one partial per row and warp, 16 slots per operand:

    slot = row · 2 + warp          one lane of each warp and row stores its slot
    barrier
    load slots row · 2 and row · 2 + 1 by one vector access

`partials_layout` chooses the order of slots and the number of slots per access. Larger operands
come first, so that each slot is aligned to its size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.linear_maps import xor_all
from weft.codegen.lowering.common.partials_layout import PartialsLayout, choose_partials_layout
from weft.codegen.lowering.common.registers import layout_of

__all__ = ["WarpPartials", "partials_bytes", "storage_type"]

_WIDEST_BYTES = 16


def partials_bytes(op: Operation, slots: int) -> int:
    """Count the bytes of the slots for an operation's operands."""
    return sum(slots * storage_bytes(operand.type) for operand in op.operands)


def storage_type(type_: str) -> str:
    """Get the LLVM type of a value in shared memory: an i1 takes a byte."""
    return "i8" if type_ == "i1" else type_


@dataclass(slots=True)
class WarpPartials:
    """One exchange of an operation's operands between warps.

    Attributes:
        ctx: State of the function.
        op: The reduction or scan.
        slots: Slots of each operand.
        parts: Warps that exchange.
        numbers: Per coordinate the contribution of each bit to the number of a thread's slot; the
            lowest bits are the warps that exchange.
        start: Offset of the scratch memory, in bytes.
        homes: Ranks of the CTAs that exchange, in their order; () for none.
        order: The order of slots.
    """

    ctx: LoweringContext
    op: Operation
    slots: int
    parts: int
    numbers: Mapping[str, Sequence[int]]
    start: int
    homes: Sequence[str] = ()
    order: PartialsLayout = field(init=False)

    def __post_init__(self) -> None:
        largest = max(storage_bytes(operand.type) for operand in self.op.operands)
        self.order = choose_partials_layout(
            self.numbers, self.parts, max(1, _WIDEST_BYTES // largest)
        )

    def exchanged(
        self,
        groups: Mapping[int, tuple[str, ...]],
        holders: Mapping[str, tuple[int, int]],
    ) -> dict[int, list[tuple[str, ...]]]:
        """Store partials, and load those of all warps that exchange, CTA by CTA.

        Args:
            groups: Values by register.
            holders: Per coordinate the mask and bits of the threads that store.
        """
        low, w = self.ctx, self.ctx.writer
        free = layout_of(self.op.operands[0].type).free_variable_masks()
        masks = {name: (mask | free.get(name, 0), bits) for name, (mask, bits) in holders.items()}
        writes = low.threads.have_bits(masks)
        with w.where(writes, "partial"):
            self._store_all(groups)
        if self.homes:
            low.cluster_barrier()
        else:
            low.barrier()
        table: dict[int, list[tuple[str, ...]]] = {group: [] for group in groups}
        for home in self.homes or ("",):
            columns = [self._load_all(operand, groups, home) for operand in range(len(self.starts))]
            for group in groups:
                table[group] += zip(*(column[group] for column in columns), strict=True)
        if self.homes:
            low.cluster_barrier()  # other CTAs may still be loading
        return table

    @property
    def starts(self) -> list[int]:
        """Start of each operand's slots, in bytes; the largest operands come first."""
        sizes = [storage_bytes(operand.type) for operand in self.op.operands]
        starts, at = [0] * len(sizes), self.start
        for operand in sorted(range(len(sizes)), key=lambda n: -sizes[n]):
            starts[operand] = at
            at += self.slots * sizes[operand]
        return starts

    def _place(self, *, first_warp: bool) -> tuple[str, int]:
        """Compute the thread's slot offset, and the bits that it may have set.

        Args:
            first_warp: Whether to use the first of the warps that exchange instead of this one.
        """
        kept_bits = ~self.order.parts_mask if first_warp else -1
        images = [
            [one & kept_bits for one in self.order.numbers[name]] for name in ("lane", "warp")
        ]
        return self.ctx.threads.offset(*images)

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
        start, type_ = self.starts[operand], storage_type(llvm_type(kind))
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
        place, size = self._place(first_warp=False), self.order.stored
        runs: dict[int, dict[int, tuple[str, ...]]] = {}
        for group, values in groups.items():
            first, n = divmod(self.order.number(group), size)
            runs.setdefault(first * size, {})[n] = values
        for first, run in runs.items():
            for operand in range(len(self.starts)):
                values = {n: each[operand] for n, each in run.items()}
                if len(values) == size:
                    self._store(operand, place, first, [values[n] for n in range(size)])
                    continue
                for n, value in values.items():
                    self._store(operand, place, first + n, [value])

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
        """Load the values of all warps that exchange of one CTA, for each group."""
        place, size = self._place(first_warp=True), self.order.loaded
        loaded: dict[int, list[str]] = {}
        table: dict[int, list[str]] = {}
        for group in groups:
            table[group] = []
            for part in range(self.parts):
                slot = self.order.number(group) ^ self.order.part(part)
                first = slot - slot % size
                if first not in loaded:
                    loaded[first] = self._load(operand, place, first, home)
                table[group].append(loaded[first][slot % size])
        return table

    def _load(self, operand: int, place: tuple[str, int], first: int, home: str) -> list[str]:
        """Load the values of neighbouring slots of one CTA, "" for this one."""
        w, kind = self.ctx.writer, self.op.operands[operand].type
        type_, count = llvm_type(kind), self.order.loaded
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
