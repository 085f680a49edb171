"""What a launch reads, writes and computes, counted while the interpreter runs it.

    tally = Tally()
    kernel.run(grid, args, tally=tally, programs=range(64))
    tally.traffic()["x"]         # Traffic(read=4096, written=0): bytes, each counted once
    tally.operations["f16"]      # of dots: two for each multiplication and addition

A byte that many programs read counts once: that is the least that memory must give, whatever the
caches keep. Dots count by the type of their operands, each time they run in each program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Operation

from weft.ir import types
from weft.ir.attributes import number
from weft.ir.enums import InputPrecision, ScaleDotElemType

if TYPE_CHECKING:
    from weft.interpreter.batch import Batch
    from weft.interpreter.memory import Memory, Region

__all__ = ["Tally", "Traffic", "computed_by"]

_FOUR_BITS, _EIGHT_BITS = 4, 8
_FLOATS = {types.f64: "f64", types.f16: "f16", types.bf16: "bf16"}
_SCALED = {
    ScaleDotElemType.E2M1: "f4",
    ScaleDotElemType.BF16: "bf16",
    ScaleDotElemType.FP16: "f16",
}


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of an array that a launch read, and that it wrote."""

    read: int
    written: int


@dataclass(slots=True)
class Tally:
    """Count one launch.

    operations: of dots, by the type of their operands as `weft.targets.boards.KINDS` names them.
    """

    operations: Counter[str] = field(default_factory=Counter)
    _marks: dict[int, tuple[Region, np.ndarray, np.ndarray]] = field(default_factory=dict)

    def read(self, memory: Memory, addresses: np.ndarray, size: int) -> None:
        """Count a load from addresses of active lanes, of elements of `size` bytes."""
        self._touch(memory, addresses, size, reads=True, writes=False)

    def written(self, memory: Memory, addresses: np.ndarray, size: int) -> None:
        """Count a store."""
        self._touch(memory, addresses, size, reads=False, writes=True)

    def updated(self, memory: Memory, addresses: np.ndarray, size: int) -> None:
        """Count an atomic operation, which reads and writes."""
        self._touch(memory, addresses, size, reads=True, writes=True)

    def computed(self, batch: Batch, kind: str, operations: int) -> None:
        """Count a dot that each program of a batch computed."""
        self.operations[kind] += operations * batch.size

    def traffic(self) -> Mapping[str, Traffic]:
        """Return what was read and written of each array that was reached, by its name."""
        return {
            region.name: Traffic(int(read.sum()), int(written.sum()))
            for region, read, written in self._marks.values()
        }

    def _touch(
        self, memory: Memory, addresses: np.ndarray, size: int, *, reads: bool, writes: bool
    ) -> None:
        flat = np.unique(addresses)
        numbers = memory.numbers(flat)
        for region_number in map(int, np.unique(numbers)):
            if not 0 <= region_number < len(memory.regions):
                continue  # the access itself says what is wrong with it
            region = memory.regions[region_number]
            if region_number not in self._marks:
                read, written = (np.zeros(region.bytes.size, bool) for _ in range(2))
                self._marks[region_number] = (region, read, written)
            _, read, written = self._marks[region_number]
            first = flat[numbers == region_number] - region.start
            first = first[(first >= 0) & (first + size <= region.bytes.size)]
            for byte in range(size):
                if reads:
                    read[first + byte] = True
                if writes:
                    written[first + byte] = True


def computed_by(op: Operation) -> tuple[str, int] | None:
    """Return the type and the number of the operations of a dot; None for any other operation."""
    if op.name not in ("tt.dot", "tt.dot_scaled"):
        return None
    result, left = types.shape(op.results[0].type), types.shape(op.operands[0].type)
    element, depth = types.element(op.operands[0].type), left[-1]
    if op.name == "tt.dot_scaled":
        format_ = ScaleDotElemType.of(op.properties["a_elem_type"])
        pairs = format_ is ScaleDotElemType.E2M1 and bool(number(op.properties.get("lhs_k_pack")))
        return _SCALED.get(format_, "f8"), 2 * prod(result) * depth * (2 if pairs else 1)
    return _kind(op, element), 2 * prod(result) * depth


def _kind(op: Operation, element: object) -> str:
    if element == types.f32:
        precision = InputPrecision.of(op.properties["inputPrecision"])
        return "f32" if precision is InputPrecision.IEEE else "tf32"
    if element in _FLOATS:
        return _FLOATS[element]  # pyright: ignore[reportArgumentType]
    if types.is_integer(element):  # pyright: ignore[reportArgumentType]
        return "i8"
    return "f8"
