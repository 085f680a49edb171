"""Indices of threads, CTAs and programs from PTX's special registers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from typing_extensions import override

from weft.codegen.hardware.capabilities import Program
from weft.codegen.llvm.writer import Writer

__all__ = ["NvidiaProgram"]

_AXES = "xyz"
_REGISTER = "llvm.nvvm.read.ptx.sreg"


@dataclass(frozen=True, slots=True)
class NvidiaProgram(Program):
    """Special registers; see `Program`.

    Attributes:
        ctas: CTAs of a cluster.
    """

    ctas: int = 1

    @override
    def thread_id(self, writer: Writer) -> str:
        return writer.call("i32", f"{_REGISTER}.tid.x")

    @override
    def bounded(self, writer: Writer, value: str, bound: int) -> str:
        return value  # ptxas knows the CTA's size

    @override
    def uniform(self, writer: Writer, value: str) -> str:
        return value  # ptxas infers it

    @override
    def program_id(self, writer: Writer, axis: int) -> str:
        return writer.call("i32", f"{_REGISTER}.{self._program}id.{_AXES[axis]}")

    @override
    def num_programs(self, writer: Writer, axis: int) -> str:
        return writer.call("i32", f"{_REGISTER}.n{self._program}id.{_AXES[axis]}")

    @property
    def _program(self) -> str:
        return "cluster" if self.ctas > 1 else "cta"

    @override
    def cta_rank(self, writer: Writer) -> str:
        return writer.call("i32", f"{_REGISTER}.cluster.ctarank")

    @property
    @override
    def reallocates_registers(self) -> bool:
        return True

    @override
    def for_cluster(self, ctas: int) -> NvidiaProgram:
        return replace(self, ctas=ctas)

    @override
    def for_partition(self) -> NvidiaProgram:
        return self
