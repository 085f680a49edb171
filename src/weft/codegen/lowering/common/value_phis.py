"""The phis of a value that a block receives: one per register that holds a distinct element.

a tensor of four pointers, contiguous from its first register:

%q0 = phi ptr addrspace(1) [ %p0, %entry ], [ %n0, %body ]
%q1 = getelementptr i8, ptr addrspace(1) %q0, i32 2           at a constant distance: no phi
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from xdsl.ir import Attribute

from weft.codegen.llvm.writer import Phi, Writer
from weft.codegen.lowering.common.registers import (
    distinct_parts,
    part_types,
    representative_parts,
)

__all__ = ["ValuePhis"]


class ValuePhis(Struct):
    """The phis of one value: one per register that holds a distinct element.

    Attributes:
        phis: The phis.
        positions: The register of each phi.
        firsts: For each register the first one with the same element.
        offsets: Pointer registers without a phi: another register, and the distance from it in
            bytes (`pointer_offsets`).
    """

    phis: list[Phi]
    positions: tuple[int, ...]
    firsts: tuple[int, ...]
    offsets: Mapping[int, tuple[int, int]]

    @classmethod
    def of(
        cls,
        writer: Writer,
        type_: Attribute,
        offsets: Mapping[int, tuple[int, int]] | None = None,
    ) -> ValuePhis:
        """Write the phis of a value of a type at the start of a block."""
        parts, offsets = part_types(type_), offsets or {}
        phis = {n: writer.phi(parts[n]) for n in distinct_parts(type_) if n not in offsets}
        return cls(list(phis.values()), tuple(phis), representative_parts(type_), offsets)

    def registers(self, writer: Writer) -> tuple[str, ...]:
        """Get the registers of the value, once all phis of the block are written."""
        names = {n: phi.name for n, phi in zip(self.positions, self.phis, strict=True)}
        for n, (first, distance) in self.offsets.items():
            pointer = f"ptr addrspace(1) {names[first]}"
            names[n] = writer.value(f"getelementptr i8, {pointer}, i32 {distance}")
        return tuple(names[first] for first in self.firsts)

    def add(self, registers: Sequence[str], block: str) -> None:
        """Add the registers of the value on the edge from a block."""
        for phi, position in zip(self.phis, self.positions, strict=True):
            phi.add(registers[position], block)
