"""Exchange partial results between warps through shared memory: one slot per segment.

Two warps along a row of an 8x64 tile, one value per row and warp: 16 slots of each operand,

    slot = row · 2 + warp          one lane of each warp and row writes its slot
    barrier
    read slots row · 2, row · 2 + 1 by one access

Larger operands come first, so that each slot lies at a multiple of its size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

from xdsl.ir import Operation

from weft.codegen.llvm_types import llvm_type, storage_bytes
from weft.codegen.lowering import Lowering, layout_of
from weft.codegen.spread import combine
from weft.records import dataclass

__all__ = ["Partials", "exchanged_bytes", "stored"]

_WIDEST_BYTES = 16


def exchanged_bytes(op: Operation, slots: int) -> int:
    """Return the bytes that slots for an operation's operands take."""
    return sum(slots * storage_bytes(operand.type) for operand in op.operands)


def stored(type_: str) -> str:
    """Return the LLVM type in which a value lies in shared memory: a bit takes a byte."""
    return "i8" if type_ == "i1" else type_


@dataclass(slots=True)
class Partials:
    """One exchange of the values of an operation's operands between warps.

    slots: of each operand.  parts: how many warps exchange; neighbouring slots are theirs.
    numbers: per coordinate what each of its bits adds, by xor, to the number of a thread's slot.
    start: of the memory, in bytes.
    homes: numbers of the blocks of a cluster that exchange, too, in their order; () for none.
    """

    low: Lowering
    op: Operation
    slots: int
    parts: int
    numbers: Mapping[str, Sequence[int]]
    start: int
    homes: Sequence[str] = ()

    def exchanged(
        self,
        groups: Mapping[int, tuple[str, ...]],
        holders: Mapping[str, tuple[int, int]],
    ) -> dict[int, list[tuple[str, ...]]]:
        """Return for each group the values of all the warps that exchange, block by block.

        Args: groups: values by register.
              holders: per coordinate the mask and the bits of the threads that hold the values.
        """
        low, w = self.low, self.low.writer
        free = layout_of(self.op.operands[0].type).free_variable_masks()
        masks = {name: (mask | free.get(name, 0), bits) for name, (mask, bits) in holders.items()}
        writes = low.threads.match(masks)
        inside, after = (w.label("partial"), w.label("partials")) if writes else ("", "")
        starts = self._starts()
        if writes:
            w.branch(writes, inside, after)
            w.start(inside)
        for group, values in groups.items():
            at = self._slot(group, first_warp=False)
            for operand, value in enumerate(values):
                self._store(operand, value, at, starts[operand])
        if writes:
            w.jump(after)
            w.start(after)
        if self.homes:
            low.meet_blocks()
        else:
            low.barrier()
        found: dict[int, list[tuple[str, ...]]] = {}
        for group in groups:
            at = self._slot(group, first_warp=True)
            found[group] = []
            for home in self.homes or ("",):
                columns = [
                    self._load(operand, at, start, home) for operand, start in enumerate(starts)
                ]
                found[group] += zip(*columns, strict=True)
        if self.homes:
            low.meet_blocks()  # nobody writes there again, or ends, while others read
        return found

    def _starts(self) -> list[int]:
        """Return where each operand's slots begin; the largest come first."""
        sizes = [storage_bytes(operand.type) for operand in self.op.operands]
        starts, at = [0] * len(sizes), self.start
        for operand in sorted(range(len(sizes)), key=lambda n: -sizes[n]):
            starts[operand] = at
            at += self.slots * sizes[operand]
        return starts

    def _slot(self, group: int, *, first_warp: bool) -> str:
        """Return the number of a group's slot of this warp, or of the first that exchanges."""
        kept = -self.parts if first_warp else -1
        images = {name: [one & kept for one in found] for name, found in self.numbers.items()}
        constant = 0
        for bit, image in enumerate(images["register"]):
            constant ^= image if group >> bit & 1 else 0
        threads = [
            (self.low.threads.spread(name, images[name]), reduce(or_, images[name], 0))
            for name in ("lane", "warp")
        ]
        return combine(self.low.writer, [*threads, (str(constant), constant)])[0]

    def _store(self, operand: int, value: str, at: str, start: int) -> None:
        low, type_ = self.low, llvm_type(self.op.operands[operand].type)
        if type_ == "i1":
            value = low.writer.value(f"zext i1 {value} to i8")
        address = low.shared_address(stored(type_), at, start)
        low.writer.line(f"store {stored(type_)} {value}, ptr addrspace(3) {address}")

    def _load(self, operand: int, at: str, start: int, home: str) -> list[str]:
        """Return neighbouring slots.  home: the block whose they are, "" for this one."""
        low, kind = self.low, self.op.operands[operand].type
        w, type_ = low.writer, llvm_type(kind)
        if home:
            space = low.hardware.remote_space
            address = low.remote_address(stored(type_), at, start, home)
        else:
            space, address = 3, low.shared_address(stored(type_), at, start)
        vector = f"<{self.parts} x {stored(type_)}>"
        align = min(_WIDEST_BYTES, self.parts * storage_bytes(kind))
        whole = w.value(f"load {vector}, ptr addrspace({space}) {address}, align {align}")
        found = [w.value(f"extractelement {vector} {whole}, i32 {n}") for n in range(self.parts)]
        return [w.value(f"trunc i8 {one} to i1") for one in found] if type_ == "i1" else found
