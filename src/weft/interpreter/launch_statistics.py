"""Statistics of a launch: bytes of memory traffic and operations of dots.

    statistics = LaunchStatistics()
    kernel.run(grid, args, statistics=statistics, programs=range(64))
    statistics.traffic()["x"]         # Traffic(read=4096, written=0): distinct bytes
    statistics.operations["f16"]      # multiplications and additions of dots

A byte that many programs read counts once, since that is the least traffic of any cache. Dots count
by the type of their operands, once per execution in each program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.ir import tt, types
from weft.ir.attributes import number
from weft.ir.enums import InputPrecision, ScaleDotElemType

if TYPE_CHECKING:
    from weft.interpreter.memory import Memory, Region

__all__ = ["LaunchStatistics", "Traffic", "dot_operations"]

_FLOATS: dict[Attribute, str] = {types.f64: "f64", types.f16: "f16", types.bf16: "bf16"}
_SCALED = {
    ScaleDotElemType.E2M1: "f4",
    ScaleDotElemType.BF16: "bf16",
    ScaleDotElemType.FP16: "f16",
}


@dataclass(frozen=True, slots=True)
class Traffic:
    """The memory traffic of one array.

    Attributes:
        read: The number of distinct bytes that the launch read.
        written: The number of distinct bytes that it wrote.
    """

    read: int
    written: int


@dataclass(slots=True)
class LaunchStatistics:
    """Counters of one launch.

    Attributes:
        operations: Multiplications and additions of dots, by the type of their operands as
            `weft.targets.boards.KINDS` names them.
    """

    operations: Counter[str] = field(default_factory=Counter)
    _marks: dict[int, tuple[Region, np.ndarray, np.ndarray]] = field(default_factory=dict)

    def count_load(self, memory: Memory, addresses: np.ndarray, size: int) -> None:
        """Count a load.

        Args:
            memory: The address space.
            addresses: The addresses of the active lanes.
            size: The bytes of an element.
        """
        self._mark(memory, addresses, size, reads=True, writes=False)

    def count_store(self, memory: Memory, addresses: np.ndarray, size: int) -> None:
        """Count a store; arguments as for `count_load`."""
        self._mark(memory, addresses, size, reads=False, writes=True)

    def count_atomic(self, memory: Memory, addresses: np.ndarray, size: int) -> None:
        """Count an atomic operation, which reads and writes; arguments as for `count_load`."""
        self._mark(memory, addresses, size, reads=True, writes=True)

    def count_dot(self, programs: int, kind: str, operations: int) -> None:
        """Count a dot that a number of programs executed."""
        self.operations[kind] += operations * programs

    def traffic(self) -> Mapping[str, Traffic]:
        """Compute the traffic of each array that was accessed, by its name."""
        return {
            region.name: Traffic(int(read.sum()), int(written.sum()))
            for region, read, written in self._marks.values()
        }

    def _mark(
        self, memory: Memory, addresses: np.ndarray, size: int, *, reads: bool, writes: bool
    ) -> None:
        flat = np.unique(addresses)
        numbers = memory.numbers(flat)
        for region_number in map(int, np.unique(numbers)):
            if not 0 <= region_number < len(memory.regions):
                continue  # the access itself raises the error
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


def dot_operations(op: Operation) -> tuple[str, int] | None:
    """Count the operations of a dot.

    Returns:
        The type of its operands, and the number of multiplications and additions; None for an
        operation that is not a dot.
    """
    if not isinstance(op, tt.DotOp | tt.DotScaledOp):
        return None
    result, left = types.shape(op.results[0].type), types.shape(op.operands[0].type)
    element, depth = types.element(op.operands[0].type), left[-1]
    if isinstance(op, tt.DotScaledOp):
        format_ = ScaleDotElemType.of(op.properties["a_elem_type"])
        is_packed = format_ is ScaleDotElemType.E2M1 and bool(
            number(op.properties.get("lhs_k_pack"))
        )
        return _SCALED.get(format_, "f8"), 2 * prod(result) * depth * (2 if is_packed else 1)
    return _kind(op, element), 2 * prod(result) * depth


def _kind(op: Operation, element: Attribute) -> str:
    if element == types.f32:
        precision = InputPrecision.of(op.properties["inputPrecision"])
        return "f32" if precision is InputPrecision.IEEE else "tf32"
    if element in _FLOATS:
        return _FLOATS[element]
    if types.is_integer(element):
        return "i8"
    return "f8"
