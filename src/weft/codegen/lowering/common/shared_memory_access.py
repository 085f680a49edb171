"""Addresses of shared memory accesses, and layout conversions through shared memory.

An address is a thread offset, the xor of what the lane's and warp's bits contribute, xor a constant
per instruction. Bits of the constant that the thread offset never sets can be added after the base
address, where the instruction encodes them as an immediate, so few addresses are computed. By hand,
for a swizzled tile whose thread offset can have every bit but 512:

    base = thread offset                       computed once in the entry block
    store <4 x float>, base                    instruction 0, constant 0
    store <4 x float>, base + 512              instruction 1, constant 512
    store <4 x float>, (base ^ 32) + 512       instruction 2, constant 544

Offsets are in bytes. If they were in elements, a shift would follow the xor, and LLVM would keep
the xor in one register for the whole kernel and the shifted sum in another for a loop.

A conversion stores the source by one access plan, waits at a barrier, and loads the result by
another. If the scratch memory is smaller than the tensor, the plan repeats this for parts of it:

    store part 0;  barrier;  load part 0;  barrier;  store part 1;  barrier;  load part 1
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from weft.analysis.allocation import ByteRange
from weft.codegen.hardware.common.shared_memory import load_plain
from weft.codegen.llvm.word_packing import as_integer, from_integer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.linear_maps import xor_all
from weft.layouts import PaddedSharedEncoding
from weft.layouts.plans import SharedPlan
from weft.layouts.plans.shared_access import SharedAccess
from weft.lowering_plans.conversion import repetition_slots

__all__ = ["SharedMemoryAccess", "convert_through_shared_memory"]


def convert_through_shared_memory(
    ctx: LoweringContext, plan: SharedPlan, place: ByteRange, type_: str, values: Sequence[str]
) -> list[str]:
    """Convert registers to a plan's target layout through shared memory.

    If the scratch memory has room for several repetitions, they are stored next to each other
    before any is loaded, with one barrier for all of them.

    Args:
        ctx: State of the function.
        plan: The conversion plan.
        place: The scratch memory.
        type_: LLVM type of an element of `plan.element_bits` bits.
        values: Registers of the source.
    """
    if plan.kind == "cluster":
        return between_blocks(ctx, plan, place, type_, values)
    w, bits = ctx.writer, plan.element_bits
    # Repetitions that fit side by side need one barrier for all of them.
    size = plan.cost.shared_bytes
    slots = repetition_slots(plan, place.size)
    bases = [_address(ctx, place.start + slot * size) for slot in range(slots)]
    out = ["poison"] * plan.target.in_size("register")
    elements = [as_integer(w, type_, bits, value) for value in values]
    writes, reads = (
        SharedMemoryAccess(ctx, access, bits, base=bases[0]) for access in (plan.write, plan.read)
    )
    for first in range(0, plan.repetitions, slots):
        if first:
            ctx.barrier()  # the slots are stored again: all loads of the last round are done
        for slot, writes.base in enumerate(bases):
            writes.store(first + slot, elements)
        ctx.barrier()
        for slot, reads.base in enumerate(bases):
            reads.load(first + slot, out)
    return [from_integer(w, type_, bits, value) for value in out]


def between_blocks(
    ctx: LoweringContext, plan: SharedPlan, place: ByteRange, type_: str, values: Sequence[str]
) -> list[str]:
    """Convert registers to a plan's target layout, loading from other CTAs of the cluster.

    Each CTA stores to its own shared memory. Cluster barriers precede and follow the loads.
    """
    w, bits = ctx.writer, plan.element_bits
    out = ["poison"] * plan.target.in_size("register")
    writes = SharedMemoryAccess(ctx, plan.write, bits, base=_address(ctx, place.start))
    writes.store(0, [as_integer(w, type_, bits, value) for value in values])
    ctx.cluster_barrier()
    reads = ClusterMemoryLoad(ctx, plan.read, bits, start=place.start)
    reads.load(0, out)
    ctx.cluster_barrier()
    return [from_integer(w, type_, bits, value) for value in out]


def _address(ctx: LoweringContext, start: int) -> str:
    return ctx.threads.constant_address(start) if start else ctx.threads.shared


class SharedMemoryAccess:
    """The addresses of a tensor's stores to, or loads from, shared memory.

    Args:
        ctx: State of the function.
        access: The access plan: instructions, and the registers of each.
        bits: Of an element.
        base: Address of the buffer.
        moved: Offset of a view in elements, added by xor.
        gaps: Padding of the buffer, if any.
    """

    def __init__(
        self,
        ctx: LoweringContext,
        access: SharedAccess,
        bits: int,
        *,
        base: str,
        moved: str = "0",
        gaps: PaddedSharedEncoding | None = None,
    ) -> None:
        self.ctx, self.access, self.bits = ctx, access, bits
        self.base = base
        size = bits // 8
        paddings = () if gaps is None else zip(gaps.intervals, gaps.paddings, strict=True)
        self.gaps = [(interval * size, padding * size) for interval, padding in paddings]
        self.first, self.mask = ctx.threads.offset(
            *(
                [image * size for image in images]
                for images in (access.lane_offsets(), access.warp_offsets(), access.block_offsets())
            )
        )
        constant_offset = int(moved) if moved.isdigit() else 0
        if not moved.isdigit():
            every = (1 << 31) - 1  # any bit may be set
            moved = ctx.writer.value(f"mul i32 {moved}, {size}")
            self.first, self.mask = xor_all(ctx.writer, [(self.first, self.mask), (moved, every)])
        self.constants = [
            (offset ^ constant_offset) * size for offset in access.instruction_offsets()
        ]
        self.pointers: dict[tuple[str, int], str] = {}
        self.numbers = access.register_numbers()

    def address(self, instruction: int) -> str:
        """Compute the address of an instruction of the first repetition."""
        constant = self.constants[instruction]
        pointer = self._pointer(constant & self.mask)
        added = constant & ~self.mask
        added += sum(added // interval * padding for interval, padding in self.gaps)
        if not added:
            return pointer
        moved = f"getelementptr i8, ptr addrspace(3) {pointer}, i32 {added}"
        return self.ctx.writer.value(moved)

    def _pointer(self, joined: int) -> str:
        """Compute the address of the thread's offset xor a constant.

        The padding of a sum of two offsets without common bits is the sum of their paddings.
        """
        key = self.base, joined
        if key not in self.pointers:
            w = self.ctx.writer
            offset, _ = xor_all(w, [(self.first, self.mask), (str(joined), joined)])
            total = offset
            for interval, padding in self.gaps if offset != "0" else ():
                gaps = w.value(f"lshr i32 {offset}, {interval.bit_length() - 1}")
                gap = w.value(f"mul i32 {gaps}, {padding}")
                total = w.value(f"add i32 {total}, {gap}")
            place = f"getelementptr i8, ptr addrspace(3) {self.base}, i32 {total}"
            self.pointers[key] = w.value(place)
        return self.pointers[key]

    def _by_pointer(self) -> list[int]:
        """List the instructions by pointer, so that the chip can merge neighbouring accesses."""
        return sorted(
            range(len(self.constants)),
            key=lambda number: (self.constants[number] & self.mask, self.constants[number]),
        )

    def store(self, repetition: int, values: Sequence[str]) -> None:
        """Store a repetition; threads with replicas take part only where a mask is a branch."""
        w, ctx = self.ctx.writer, self.ctx
        idle = {"lane": self.access.idle_lanes, "warp": self.access.idle_warps}
        if self.access.tile.grows:
            idle["lane"] = 0  # every lane of stmatrix provides a row address or data
        if not ctx.hardware.memory.has_predicated_stores:
            idle = {}  # replicas are stored to the same address, without a branch
        awake = ctx.threads.bits_are_zero(idle)
        if awake:
            self.pointers.clear()  # values of this block do not dominate the next
        with w.where(awake, "share"):
            for instruction in self._by_pointer():
                elements = [values[register] for register in self.numbers[repetition][instruction]]
                ctx.hardware.memory.store_shared(
                    w, self.access.name, self.bits, self.address(instruction), elements
                )
        if awake:
            self.pointers.clear()

    def load(self, repetition: int, out: list[str]) -> None:
        """Load the registers of a repetition."""
        for instruction, registers in enumerate(self.numbers[repetition]):
            loaded = self.ctx.hardware.memory.load_shared(
                self.ctx.writer,
                self.access.name,
                self.bits,
                self.address(instruction),
                len(registers),
            )
            for register, value in zip(registers, loaded, strict=True):
                out[register] = value


class ClusterMemoryLoad(SharedMemoryAccess):
    """Loads from the shared memory of the CTAs of a cluster.

    The CTA of an element is the xor of contributions of the thread's coordinates and the
    instruction.

    Args:
        ctx: State of the function.
        access: The access plan.
        bits: Of an element.
        start: Offset of the scratch memory in every CTA.
    """

    def __init__(
        self, ctx: LoweringContext, access: SharedAccess, bits: int, *, start: int
    ) -> None:
        super().__init__(ctx, access, bits, base="")
        self.start = start
        self.homes = access.instruction_ctas()

    @override
    def address(self, instruction: int) -> str:
        ctx, constant = self.ctx, self.constants[instruction]
        home = ctx.threads.cta_rank_of(self.access.cta_bases(), self.homes[instruction])
        joined, added = constant & self.mask, constant & ~self.mask
        offset, _ = xor_all(ctx.writer, [(self.first, self.mask), (str(joined), joined)])
        pointer = ctx.remote_address("i8", offset, self.start, home)
        if not added:
            return pointer
        space = f"ptr addrspace({ctx.hardware.memory.remote_space})"
        moved = f"getelementptr i8, {space} {pointer}, i32 {added}"
        return ctx.writer.value(moved)

    @override
    def load(self, repetition: int, out: list[str]) -> None:
        space = self.ctx.hardware.memory.remote_space
        for instruction, registers in enumerate(self.numbers[repetition]):
            address = self.address(instruction)
            loaded = load_plain(self.ctx.writer, self.bits, address, len(registers), space=space)
            for register, value in zip(registers, loaded, strict=True):
                out[register] = value
