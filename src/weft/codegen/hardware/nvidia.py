"""NVIDIA chips: special registers, shuffles, barriers; what else they do is in files beside this.

nvidia_memory.py          global and shared memory, atomics    logarithm.py
conversions_nvidia.py     small floats                         messages.py      vprintf, assert
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from typing_extensions import override

from weft.codegen.backend.spills import CompileRequest, Spills
from weft.codegen.hardware import conversions_nvidia
from weft.codegen.hardware.logarithm import logarithm
from weft.codegen.hardware.messages import assert_fail, vprintf
from weft.codegen.hardware.nvidia_memory import NvidiaMemory
from weft.codegen.hardware.plain import clamp_in_two
from weft.codegen.hardware.protocol import Hardware, Launch
from weft.codegen.llvm.types import suffix
from weft.codegen.llvm.vectors import truncated_halves
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target
from weft.targets.float_conversions import Conversion

__all__ = ["Nvidia"]

_AXES = "xyz"
_REGISTER = "llvm.nvvm.read.ptx.sreg"
_EVERY_LANE = "-1"
_APPROXIMATE = {"exp2": "ex2", "sqrt": "sqrt", "rsqrt": "rsqrt", "reciprocal": "rcp"}
_REDUX = {
    ("arith.addi", "i32"): "add",
    ("arith.andi", "i32"): "and",
    ("arith.ori", "i32"): "or",
    ("arith.xori", "i32"): "xor",
    ("arith.maxsi", "i32"): "max",
    ("arith.minsi", "i32"): "min",
    ("arith.maxui", "i32"): "umax",
    ("arith.minui", "i32"): "umin",
    ("arith.maxnumf", "float"): "fmax",
    ("arith.minnumf", "float"): "fmin",
    ("arith.maximumf", "float"): "fmax.NaN",
    ("arith.minimumf", "float"): "fmin.NaN",
}
_SEGMENT_SHIFT = 8

_ALL_GROUPS = 1  # the number of a barrier; 0 is the block's own, those of groups follow


@dataclass(frozen=True, slots=True)
class Nvidia(NvidiaMemory, Hardware):
    """A chip of NVIDIA's; see `Hardware` for what each method does."""

    target: Target
    group: tuple[int, int] | None = None  # number of the barrier and threads of a group of warps
    blocks: int = 1  # of a cluster

    @property
    @override
    def triple(self) -> str:
        return "nvptx64-nvidia-cuda"

    @property
    @override
    def passes(self) -> tuple[str, ...]:
        """Return passes that end loops in a test, as Triton's do; ptxas schedules those better."""
        fold = ("instruction_combine", "simplify_cfg")
        return ("always_inliner", *fold, "loop_simplify", "loop_rotate", *fold)

    @override
    def retries(self, text: str, spills: Spills) -> Iterator[CompileRequest]:
        """Yield nothing: registers are ptxas's concern, which is asked again itself."""
        yield from ()

    @override
    def kernel_header(self, launch: Launch, writer: Writer) -> tuple[str, str]:
        threads = launch.num_warps * self.target.threads_per_warp
        attributes = [f'"nvvm.reqntid"="{threads}"']
        if launch.num_ctas > 1:
            attributes.append(f'"nvvm.cluster_dim"="{launch.num_ctas}"')
        if launch.maxnreg is not None:
            attributes.append(f'"nvvm.maxnreg"="{launch.maxnreg}"')
        return "ptx_kernel", " ".join(attributes)

    @property
    @override
    def argument_flags(self) -> str:
        return ""

    @property
    @override
    def describes_by_pointer(self) -> bool:
        return False

    @override
    def module_footer(self) -> str:
        return ""

    @override
    def thread_id(self, writer: Writer) -> str:
        return writer.call("i32", f"{_REGISTER}.tid.x")

    @override
    def below(self, writer: Writer, value: str, bound: int) -> str:
        return value  # ptxas knows the block's size

    @override
    def same_in_warp(self, writer: Writer, value: str) -> str:
        return value  # ptxas finds out

    @override
    def program_id(self, writer: Writer, axis: int) -> str:
        return writer.call("i32", f"{_REGISTER}.{self._programs}id.{_AXES[axis]}")

    @override
    def num_programs(self, writer: Writer, axis: int) -> str:
        return writer.call("i32", f"{_REGISTER}.n{self._programs}id.{_AXES[axis]}")

    @property
    def _programs(self) -> str:
        return "cluster" if self.blocks > 1 else "cta"

    @override
    def of_cluster(self, blocks: int) -> Hardware:
        return replace(self, blocks=blocks)

    @override
    def block_number(self, writer: Writer) -> str:
        return writer.call("i32", f"{_REGISTER}.cluster.ctarank")

    @override
    def cluster_barrier(self, writer: Writer) -> None:
        """Wait; arriving releases, and waiting acquires."""
        for verb in ("arrive", "wait"):
            writer.call("void", f"llvm.nvvm.barrier.cluster.{verb}.aligned")

    @override
    def remote_address(self, writer: Writer, address: str, block: str) -> str:
        given = ("ptr addrspace(3)", address), ("i32", block)
        return writer.call("ptr addrspace(7)", "llvm.nvvm.mapa.shared.cluster", *given)

    @property
    @override
    def remote_space(self) -> int:
        return 7

    @override
    def meet_groups(self, writer: Writer) -> None:
        writer.call("void", "llvm.nvvm.barrier.cta.sync.all", ("i32", str(_ALL_GROUPS)))

    @property
    @override
    def shares_registers(self) -> bool:
        return True

    @override
    def of_group(self, number: int, threads: int) -> Hardware:
        return replace(self, group=(number, threads))

    @override
    def barrier(self, writer: Writer, *, everywhere: bool = False) -> None:
        """Wait; the instruction orders all memory for the threads of the block."""
        if self.group is not None:
            number, threads = (("i32", str(each)) for each in self.group)
            writer.call("void", "llvm.nvvm.barrier.cta.sync.aligned.count", number, threads)
            return
        writer.call("void", "llvm.nvvm.barrier.cta.sync.aligned.all", ("i32", "0"))

    @override
    def warp_barrier(self, writer: Writer, *, everywhere: bool = False) -> None:
        writer.call("void", "llvm.nvvm.bar.warp.sync", ("i32", "-1"))

    @override
    def fence_copies(self, writer: Writer) -> None:
        text = "fence.proxy.async.shared::cta;"
        writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"()')

    @override
    def print(
        self,
        writer: Writer,
        entry: Writer,
        text: str,
        constant: Callable[[str], str],
        arguments: Sequence[tuple[str, str]],
    ) -> None:
        vprintf(writer, entry, constant(text), arguments)

    @override
    def fail(
        self, writer: Writer, constant: Callable[[str], str], message: str, file: str, line: int
    ) -> None:
        assert_fail(writer, constant, message, file, line)

    @override
    def shuffle_xor(self, writer: Writer, value: str, mask: int) -> str:
        return self._shuffle(writer, "bfly", value, str(mask))

    @override
    def swap(self, writer: Writer, distance: int, a: str, b: str) -> tuple[str, str]:
        raise CodegenError(f"{self.target} has no instruction that swaps halves of registers")

    @override
    def shuffle_index(self, writer: Writer, value: str, lane: str) -> str:
        return self._shuffle(writer, "idx", value, lane)

    @property
    @override
    def takes_from_any_lane(self) -> bool:
        return True

    @override
    def is_one_move(self, distance: int) -> bool:
        return True

    @property
    @override
    def row_lanes(self) -> int:
        return self.target.threads_per_warp

    @override
    def shuffle_within(self, writer: Writer, value: str, mask: int, bits: int) -> str:
        kept = (self.target.threads_per_warp - 1) & ~mask
        return self._shuffle(writer, "idx", value, str(bits), kept << _SEGMENT_SHIFT)

    def _shuffle(self, writer: Writer, mode: str, value: str, lane: str, segments: int = 0) -> str:
        """Write a shuffle.

        Args: segments: in the bits from 8 on, those of a lane's number that stay its own.
        """
        return writer.call(
            "i32",
            f"llvm.nvvm.shfl.sync.{mode}.i32",
            ("i32", _EVERY_LANE),
            ("i32", value),
            ("i32", lane),
            ("i32", str(segments | self.target.threads_per_warp - 1)),
        )

    @override
    def agreed(self, writer: Writer, condition: str) -> str:
        callee = "llvm.nvvm.vote.any.sync"  # else ptxas calls a function for each shuffle on sm_80
        return writer.call("i1", callee, ("i32", _EVERY_LANE), ("i1", condition))

    @override
    def reduce_warp(self, writer: Writer, operation: str, type_: str, value: str) -> str:
        name = _REDUX.get((operation, type_))
        if name is None or suffix(type_) not in self.target.warp_reductions:
            return ""
        callee = f"llvm.nvvm.redux.sync.{name}"
        return writer.call(type_, callee, (type_, value), ("i32", _EVERY_LANE))

    @override
    def approximate(self, writer: Writer, name: str, value: str) -> str:
        return writer.call(
            "float", f"llvm.nvvm.{_APPROXIMATE[name]}.approx.ftz.f", ("float", value)
        )

    @override
    def exp2(self, writer: Writer, value: str) -> str:
        return writer.call("float", "llvm.nvvm.ex2.approx.f", ("float", value))

    @override
    def logarithm(self, writer: Writer, value: str, *, base_two: bool) -> str:
        return logarithm(writer, value, base_two=base_two)

    @override
    def convert_packed(
        self, writer: Writer, row: Conversion, values: Sequence[str], scale: str = ""
    ) -> list[str]:
        return conversions_nvidia.convert_packed(writer, row, values)

    @override
    def saturate_conversions(self, prologue: Writer) -> None:
        """Write nothing: the instructions do it by themselves."""

    @override
    def widen_bfloat(self, writer: Writer, value: str) -> str:
        return conversions_nvidia.widen_bfloat(writer, value)

    @override
    def truncated_halves(self, writer: Writer, values: Sequence[str]) -> list[str]:
        return truncated_halves(writer, "llvm.nvvm.ff2f16x2.rz", values, low_first=False)

    @override
    def permute_bytes(self, writer: Writer, low: str, high: str, chosen: Sequence[int]) -> str:
        return conversions_nvidia.permute_bytes(writer, low, high, chosen)

    @override
    def widen_fp4(self, writer: Writer, word: str, table: int) -> list[str]:
        return conversions_nvidia.widen_fp4(writer, word, table)

    @override
    def library_symbol(self, name: str, type_: str) -> str:
        return f"__nv_{name}{'f' if type_ == 'float' else ''}"

    @override
    def library_header(self) -> list[str]:
        """Say that numbers below 2^-126 may count as zero, as Triton does."""
        return ["!llvm.module.flags = !{!0}", '!0 = !{i32 4, !"nvvm-reflect-ftz", i32 1}']

    @override
    def clamp(
        self, writer: Writer, type_: str, x: str, least: str, most: str, *, propagate_nan: bool
    ) -> str:
        return clamp_in_two(writer, type_, x, least, most, propagate_nan=propagate_nan)

    @override
    def divide(self, writer: Writer, type_: str, a: str, b: str) -> str:
        if type_ != "float":
            return writer.value(f"fdiv {type_} {a}, {b}")
        return writer.call("float", "llvm.nvvm.div.full", ("float", a), ("float", b))
