"""AMD chips: workgroup ids, barriers; what else they do is in files beside this.

amd_memory.py       global memory, LDS, atomics, waits           amd_lanes.py    moves across lanes
conversions_amd.py  small floats                                 amd_module.py   what modules say
amd_registers.py    other ways to compile a kernel that spills   messages.py     printf, assert
amd_program.py      grids, clusters, groups of warps
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from typing_extensions import override

from weft.codegen.backend.spills import CompileRequest, Spills
from weft.codegen.backend.worker import WHOLE_PIPELINE
from weft.codegen.hardware import conversions_amd
from weft.codegen.hardware.amd_lanes import is_one_move, take, take_within, take_xor
from weft.codegen.hardware.amd_memory import AmdMemory, wait_for
from weft.codegen.hardware.amd_module import (
    CODE_OBJECT_VERSION,
    kernel_attributes,
    library_constants,
)
from weft.codegen.hardware.amd_program import (
    cluster_rank,
    count_programs,
    meet_group,
    program_number,
)
from weft.codegen.hardware.amd_registers import retries
from weft.codegen.hardware.messages import ockl_fail, ockl_printf
from weft.codegen.hardware.plain import clamp_in_two
from weft.codegen.hardware.protocol import Hardware, Launch
from weft.codegen.llvm.vectors import truncated_halves
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target
from weft.targets.float_conversions import Conversion
from weft.targets.wait_counters import wait_counters

__all__ = ["Amd"]

_APPROXIMATE = {"exp2": "exp2", "sqrt": "sqrt", "rsqrt": "rsq", "reciprocal": "rcp"}
# Said of a wait that a barrier follows: the barrier is what LLVM moves no access across. Else LLVM
# takes the wait for a write to all memory, and reads nothing behind it into scalar registers.
_WRITES_NOTHING = " memory(inaccessiblemem: readwrite)"


@dataclass(frozen=True, slots=True)
class Amd(AmdMemory, Hardware):
    """A chip of AMD's; see `Hardware` for what each method does."""

    target: Target
    blocks: int = 1  # of a cluster
    group: tuple[int, int] | None = None  # the number of its barrier, and its warps

    @property
    @override
    def triple(self) -> str:
        return "amdgcn-amd-amdhsa"

    @property
    @override
    def passes(self) -> tuple[str, ...]:
        """Return LLVM's own pipeline, which takes as long as selecting the code.

        What it finds is worth it here: values that do not change in a loop, pairs of floats that
        one instruction multiplies, and loops that end in their test, so that results of matrix
        instructions stay in their registers.
        """
        return (WHOLE_PIPELINE,)

    @override
    def retries(self, text: str, spills: Spills) -> Iterator[CompileRequest]:
        return retries(text, spills)

    @override
    def kernel_header(self, launch: Launch, writer: Writer) -> tuple[str, str]:
        return "amdgpu_kernel", kernel_attributes(self.target, launch, writer)

    @property
    @override
    def argument_flags(self) -> str:
        """Return the wish for scalar registers: chips that can have them filled at the launch."""
        return " inreg"

    @property
    @override
    def describes_by_pointer(self) -> bool:
        return True

    @override
    def module_footer(self) -> str:
        return (
            "!llvm.module.flags = !{!0}\n"
            f'!0 = !{{i32 1, !"amdhsa_code_object_version", i32 {CODE_OBJECT_VERSION}}}\n'
            "!1 = !{i32 1}\n"
            "!3 = !{!4}\n!4 = distinct !{!4, !5}\n!5 = distinct !{!5}\n"  # copies that land
        )

    @override
    def thread_id(self, writer: Writer) -> str:
        return writer.call("i32", "llvm.amdgcn.workitem.id.x")

    @override
    def below(self, writer: Writer, value: str, bound: int) -> str:
        """Mask the value: nothing is left of that in the code, which knows the block's size."""
        return writer.value(f"and i32 {value}, {bound - 1}")

    @override
    def same_in_warp(self, writer: Writer, value: str) -> str:
        """Take the first lane's: it is in a scalar register, as is what is computed of it."""
        return writer.call("i32", "llvm.amdgcn.readfirstlane.i32", ("i32", value))

    @override
    def program_id(self, writer: Writer, axis: int) -> str:
        return program_number(writer, self.target, axis, self.blocks)

    @override
    def num_programs(self, writer: Writer, axis: int) -> str:
        return count_programs(writer, axis, self.blocks, alone=self.group is None)

    @override
    def meet_groups(self, writer: Writer) -> None:
        replace(self, group=None).barrier(writer)

    @property
    @override
    def shares_registers(self) -> bool:
        return False

    @override
    def of_group(self, number: int, threads: int) -> Hardware:
        if "tensor" not in {row.kind for row in wait_counters(str(self.target.arch))}:
            raise CodegenError(f"warps cannot be specialised on {self.target}")
        return replace(self, group=(number, threads // self.target.threads_per_warp))

    @override
    def of_cluster(self, blocks: int) -> Hardware:
        return replace(self, blocks=blocks)

    @override
    def block_number(self, writer: Writer) -> str:
        return cluster_rank(writer)

    @override
    def cluster_barrier(self, writer: Writer) -> None:
        raise self._refused()

    @override
    def remote_address(self, writer: Writer, address: str, block: str) -> str:
        raise self._refused()

    @property
    @override
    def remote_space(self) -> int:
        raise self._refused()

    def _refused(self) -> CodegenError:
        """Return the error of data that would go from one block of a cluster to another."""
        return CodegenError(
            f"blocks of a cluster do not reach each other's shared memory on {self.target}",
            found=f"num_ctas={self.blocks}",
            accepted=["num_ctas=1", "layouts that keep what an operation combines in one block"],
        )

    @override
    def barrier(self, writer: Writer, *, everywhere: bool = False) -> None:
        """Wait for this thread's accesses to shared memory, and then for all threads.

        A fence would wait for copies to shared memory as well, which may stay under way.
        """
        if everywhere:
            writer.line('fence syncscope("workgroup") release')
        else:
            # A group of one warp has no barrier, so that its wait must keep accesses apart.
            told = _WRITES_NOTHING if self.group is None else ""
            wait_for(writer, self.target, "shared", 0, told)
        if self.group is None:
            writer.call("void", "llvm.amdgcn.s.barrier")
        else:
            meet_group(writer, *self.group)
        if everywhere:
            writer.line('fence syncscope("workgroup") acquire')

    @override
    def warp_barrier(self, writer: Writer, *, everywhere: bool = False) -> None:
        """Write a barrier; LLVM leaves none of it for a block of one wave."""
        self.barrier(writer, everywhere=everywhere)

    @override
    def print(
        self,
        writer: Writer,
        entry: Writer,
        text: str,
        constant: Callable[[str], str],
        arguments: Sequence[tuple[str, str]],
    ) -> None:
        ockl_printf(writer, self.target, text, constant, arguments)

    @override
    def fail(
        self, writer: Writer, constant: Callable[[str], str], message: str, file: str, line: int
    ) -> None:
        ockl_fail(writer, constant, message, file, line)

    @override
    def shuffle_xor(self, writer: Writer, value: str, mask: int) -> str:
        return take_xor(writer, self.target, value, mask)

    @override
    def swap(self, writer: Writer, distance: int, a: str, b: str) -> tuple[str, str]:
        if distance not in self.target.shared_memory.lane_swaps:
            raise CodegenError(f"{self.target} does not swap lanes {distance} apart")
        flags = ("i1", "false"), ("i1", "false")
        name = f"llvm.amdgcn.permlane{distance}.swap"
        both = writer.call("{ i32, i32 }", name, ("i32", a), ("i32", b), *flags)
        first, second = (
            writer.value(f"extractvalue {{ i32, i32 }} {both}, {number}") for number in range(2)
        )
        return first, second

    @override
    def shuffle_index(self, writer: Writer, value: str, lane: str) -> str:
        return take(writer, value, lane)

    @property
    @override
    def takes_from_any_lane(self) -> bool:
        return False  # neighbours by DPP, others through shared memory

    @override
    def is_one_move(self, distance: int) -> bool:
        return is_one_move(self.target, distance)

    @property
    @override
    def row_lanes(self) -> int:
        return self.target.threads_per_warp if "permlanex16" in self.target.lane_moves else 16

    @override
    def shuffle_within(self, writer: Writer, value: str, mask: int, bits: int) -> str:
        return take_within(writer, self.target, value, mask, bits)

    @override
    def agreed(self, writer: Writer, condition: str) -> str:
        return condition

    @override
    def reduce_warp(self, writer: Writer, operation: str, type_: str, value: str) -> str:
        return ""  # every lane of DPP's moves is combined by an instruction of its own

    @override
    def approximate(self, writer: Writer, name: str, value: str) -> str:
        return writer.call("float", f"llvm.amdgcn.{_APPROXIMATE[name]}.f32", ("float", value))

    @override
    def exp2(self, writer: Writer, value: str) -> str:
        return writer.call("float", "llvm.exp2.f32", ("float", value))

    @override
    def logarithm(self, writer: Writer, value: str, *, base_two: bool) -> str:
        name = "llvm.log2.f32" if base_two else "llvm.log.f32"
        return writer.call("float", name, ("float", value))

    @override
    def convert_packed(
        self, writer: Writer, row: Conversion, values: Sequence[str], scale: str = ""
    ) -> list[str]:
        return conversions_amd.convert_packed(writer, row, values, scale)

    @override
    def saturate_conversions(self, prologue: Writer) -> None:
        conversions_amd.saturate_from_here(prologue)

    @override
    def widen_bfloat(self, writer: Writer, value: str) -> str:
        return writer.value(f"fpext bfloat {value} to float")

    @override
    def truncated_halves(self, writer: Writer, values: Sequence[str]) -> list[str]:
        return truncated_halves(writer, "llvm.amdgcn.cvt.pkrtz", values, low_first=True)

    @override
    def permute_bytes(self, writer: Writer, low: str, high: str, chosen: Sequence[int]) -> str:
        return conversions_amd.permute_bytes(writer, low, high, chosen)

    @override
    def widen_fp4(self, writer: Writer, word: str, table: int) -> list[str]:
        return conversions_amd.widen_fp4(writer, word, table)

    @override
    def library_symbol(self, name: str, type_: str) -> str:
        return f"__ocml_{name}_f{32 if type_ == 'float' else 64}"

    @override
    def library_header(self) -> list[str]:
        return library_constants(self.target)

    @override
    def clamp(
        self, writer: Writer, type_: str, x: str, least: str, most: str, *, propagate_nan: bool
    ) -> str:
        """Return the middle one of three, where there is an instruction for it."""
        if type_ != "float":
            return clamp_in_two(writer, type_, x, least, most, propagate_nan=propagate_nan)
        three = ((type_, x), (type_, least), (type_, most))
        found = writer.call(type_, "llvm.amdgcn.fmed3.f32", *three)
        if not propagate_nan:
            return found
        is_nan = writer.value(f"fcmp uno {type_} {x}, 0.0")
        return writer.value(f"select i1 {is_nan}, {type_} {x}, {type_} {found}")

    @override
    def divide(self, writer: Writer, type_: str, a: str, b: str) -> str:
        return writer.value(f"fdiv {type_} {a}, {b}")
