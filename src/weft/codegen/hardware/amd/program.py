"""Indices of threads, workgroups and programs on AMD chips.

    programs of one workgroup      program 5 is workgroup 5
    clusters of two workgroups     program 5 is cluster 5: workgroups 10 and 11, ranks 0 and 1

Source: LLVM 22.1, llvm.amdgcn.cluster.id; HSA's dispatch packet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from typing_extensions import override

from weft.codegen.hardware.capabilities import Program
from weft.codegen.llvm.writer import Writer
from weft.targets import Target

__all__ = ["AmdProgram"]

_AXES = "xyz"
_REGISTER_BITS = 32


@dataclass(frozen=True, slots=True)
class AmdProgram(Program):
    """Workgroup and cluster ids; see `Program`.

    Attributes:
        target: The chip.
        ctas: Workgroups of a cluster.
        is_specialized: Whether the workgroup has more waves than the kernel's.
    """

    target: Target
    ctas: int = 1
    is_specialized: bool = False

    @override
    def thread_id(self, writer: Writer) -> str:
        return writer.call("i32", "llvm.amdgcn.workitem.id.x")

    @override
    def bounded(self, writer: Writer, value: str, bound: int) -> str:
        """Mask the value: LLVM knows the workgroup's size and removes the mask."""
        return writer.value(f"and i32 {value}, {bound - 1}")

    @override
    def uniform(self, writer: Writer, value: str) -> str:
        """Read the first lane into a scalar register, as LLVM does with what depends on it."""
        return writer.call("i32", "llvm.amdgcn.readfirstlane.i32", ("i32", value))

    @override
    def program_id(self, writer: Writer, axis: int) -> str:
        """Get the program's index along a grid axis.

        LLVM takes a grid for flat if no kernel reads its z index. Where y and z share a register,
        the bits of y are masked here.
        """
        name = "cluster" if self.ctas > 1 else "workgroup"
        number = writer.call("i32", f"llvm.amdgcn.{name}.id.{_AXES[axis]}")
        bits = self.target.grid_y_bits
        if _AXES[axis] != "y" or self.ctas > 1 or bits == _REGISTER_BITS:
            return number
        return writer.value(f"and i32 {number}, {(1 << bits) - 1}")

    @override
    def num_programs(self, writer: Writer, axis: int) -> str:
        """Divide the grid's size in threads by the workgroup's, both from the dispatch packet."""
        packet = writer.call("ptr addrspace(4)", "llvm.amdgcn.dispatch.ptr")
        grid = writer.value(f"getelementptr i8, ptr addrspace(4) {packet}, i32 {12 + 4 * axis}")
        threads = writer.value(f"load i32, ptr addrspace(4) {grid}, align 4")
        if axis:
            return threads  # workgroups and clusters are one thread deep along y and z
        workgroup = writer.value(f"getelementptr i8, ptr addrspace(4) {packet}, i32 4")
        size = writer.value(f"load i16, ptr addrspace(4) {workgroup}, align 4")
        divisor = writer.value(f"zext i16 {size} to i32")
        if self.ctas > 1:
            divisor = writer.value(f"mul i32 {divisor}, {self.ctas}")
        if self.is_specialized:
            return writer.value(f"udiv i32 {threads}, {divisor}")
        # The threads of a workgroup are a power of two.
        bits = writer.call("i32", "llvm.cttz.i32", ("i32", divisor), ("i1", "true"))
        return writer.value(f"lshr i32 {threads}, {bits}")

    @override
    def cta_rank(self, writer: Writer) -> str:
        return writer.call("i32", "llvm.amdgcn.cluster.workgroup.id.x")

    @property
    @override
    def reallocates_registers(self) -> bool:
        return False

    @override
    def for_cluster(self, ctas: int) -> AmdProgram:
        return replace(self, ctas=ctas)

    @override
    def for_partition(self) -> AmdProgram:
        return replace(self, is_specialized=True)
