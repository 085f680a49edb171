"""Send a tensor through shared memory: store, barrier, load, as often as the plan repeats it.

An instruction's address is a number for each thread, the xor of what its lane's and warp's bits
add, and a constant for each instruction:

    base = spread(lane) ^ spread(warp)         written once
    store <4 x float>, base ^ 0                instruction 0
    store <4 x float>, base ^ 512              instruction 1
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.hardware.words import as_integer, from_integer
from weft.codegen.indices import combine, spread
from weft.codegen.lowering import Lowering
from weft.layouts.plans import SharedPlan
from weft.layouts.plans.accesses import Access

__all__ = ["shared_trip"]


def shared_trip(
    low: Lowering, plan: SharedPlan, start: int, type_: str, values: Sequence[str]
) -> list[str]:
    """Return the registers of a plan's target.

    Args: start: of the memory to use, in bytes.  type_: LLVM's, of an element of
          `plan.element_bits` bits.
    """
    w, bits = low.writer, plan.element_bits
    out = ["poison"] * plan.target.in_size("register")
    elements = [as_integer(w, type_, bits, value) for value in values]
    writes, reads = (_Side(low, access, start, bits) for access in (plan.write, plan.read))
    for repetition in range(plan.repetitions):
        if repetition:
            low.hardware.barrier(w)
        writes.store(repetition, elements)
        low.hardware.barrier(w)
        reads.load(repetition, out)
    return [from_integer(w, type_, bits, value) for value in out]


class _Side:
    """One side of a trip: its base address, and what each instruction adds."""

    def __init__(self, low: Lowering, access: Access, start: int, bits: int) -> None:
        self.low, self.access, self.start, self.bits = low, access, start, bits
        self.base, self.mask = combine(
            low.writer,
            [
                spread(low.writer, *low.threads.ids["lane"], access.of_lanes()),
                spread(low.writer, *low.threads.ids["warp"], access.of_warps()),
            ],
        )
        self.constants = [int(row) for row in access.addresses()[:, 0, 0, 0]]
        self.numbers: list[list[list[int]]] = access.numbers().tolist()

    def _address(self, instruction: int) -> str:
        offset, _ = combine(
            self.low.writer,
            [
                (self.base, self.mask),
                (str(self.constants[instruction]), self.constants[instruction]),
            ],
        )
        return self.low.shared_address(f"i{self.bits}", offset, self.start)

    def store(self, repetition: int, values: Sequence[str]) -> None:
        """Write the registers of a repetition; lanes that would write the same again do not."""
        w, low = self.low.writer, self.low
        idle = {"lane": self.access.idle_lanes, "warp": self.access.idle_warps}
        if self.access.tile.grows:
            idle["lane"] = 0  # every lane of stmatrix gives a row or holds some of it
        awake = low.threads.are_zero(idle)
        inside, after = (w.label("share"), w.label("shared")) if awake else ("", "")
        if awake:
            w.branch(awake, inside, after)
            w.start(inside)
        for instruction, registers in enumerate(self.numbers[repetition]):
            given = [values[register] for register in registers]
            low.hardware.store_shared(
                w, self.access.name, self.bits, self._address(instruction), given
            )
        if awake:
            w.jump(after)
            w.start(after)

    def load(self, repetition: int, out: list[str]) -> None:
        """Read the registers of a repetition."""
        for instruction, registers in enumerate(self.numbers[repetition]):
            loaded = self.low.hardware.load_shared(
                self.low.writer,
                self.access.name,
                self.bits,
                self._address(instruction),
                len(registers),
            )
            for register, value in zip(registers, loaded, strict=True):
                out[register] = value
