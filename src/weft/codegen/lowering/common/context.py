"""The state of one function while it is lowered to LLVM IR.

A scalar is one LLVM value. A tensor is one value per register of a thread, in the order of its
layout's `register` bits, so that an elementwise operation is the same instruction for each:

    %c = arith.addf %a, %b : tensor<128xf32, #blocked>     2 registers per thread
    %7 = fadd float %3, %5
    %8 = fadd float %4, %6

Registers that hold the same element (a layout that replicates the tensor) are one LLVM value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from xdsl.ir import Attribute, Block, Operation, SSAValue

from weft.analysis.allocation import Allocation
from weft.analysis.axis_info import ModuleAxisInfo
from weft.analysis.tensor_memory import TensorMemory
from weft.codegen.hardware import Hardware
from weft.codegen.llvm.libraries import library_of
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.global_scratch import GlobalScratch
from weft.codegen.lowering.common.indices import ThreadIndices
from weft.codegen.lowering.common.located_errors import located_errors
from weft.codegen.lowering.common.registers import (
    constant_run_registers,
    layout_of,
    part_types,
    representative_parts,
    representative_registers,
)
from weft.codegen.lowering.common.value_phis import ValuePhis
from weft.codegen.lowering.common.warp_groups import Partitions
from weft.codegen.lowering.float_conversion.converter import FloatConverter
from weft.codegen.lowering.registry import find_lowering
from weft.ir import locations, types

if TYPE_CHECKING:
    from weft.analysis.integer_ranges import IntegerRanges

__all__ = ["LoweringContext"]

Registers = tuple[str, ...]


class LoweringContext(Struct):
    """The lowering of one function: its text, and the LLVM values of the IR's values.

    Attributes:
        hardware: The chip.
        axis_info: Contiguity, divisibility and constancy of the module's values.
        integer_ranges: Computes the ranges of the module's integers, at the first call.
        allocation: Offsets of buffers and scratch memory in shared memory.
        barriers: Operations that a CTA barrier precedes.
        writer: The function's body.
        threads: Coordinates of the thread, in the entry block.
        contract_flag: Flag of floating-point operations that may be fused; "" if they may not.
        fences: Operations that a fence of the async proxy precedes, after their barrier.
        global_scratch: Offsets in global scratch memory.
        tensor_memory: Allocation of tensor memory.
        tensor_base: Address of its first column, an i32.
        constant_view_offsets: Computes the offsets of views that are constant, at the first call.
        values: Registers of each SSA value that has been lowered.
        groups: The worker warps and their partitions, if any.
        select_phis: For each `scf.if` the selects of tensors that become its phis.
        labels: Label of each block that branches reach.
        merges: Phis of the arguments of each such block, once it has begun.
        arrivals: Arguments of branches to blocks that have not begun.
        returns: Operands and block of each return; None in a kernel.
        library_paths: Bitcode files by name, from the compile options.
    """

    hardware: Hardware
    axis_info: ModuleAxisInfo
    integer_ranges: Callable[[], IntegerRanges]
    allocation: Allocation
    barriers: frozenset[Operation]
    writer: Writer
    threads: ThreadIndices
    contract_flag: str
    fences: frozenset[Operation] = frozenset()
    global_scratch: GlobalScratch = field(default_factory=GlobalScratch)
    tensor_memory: TensorMemory = field(default_factory=lambda: TensorMemory({}, 0, {}))
    tensor_base: str = "0"
    constant_view_offsets: Callable[[], Mapping[SSAValue, int]] = dict
    values: dict[SSAValue, Registers] = field(default_factory=dict)
    groups: Partitions | None = None
    select_phis: dict[Operation, list[Operation]] = field(default_factory=dict)
    labels: dict[Block, str] = field(default_factory=dict)
    merges: dict[Block, list[ValuePhis]] = field(default_factory=dict)
    arrivals: dict[Block, list[tuple[list[Registers], str]]] = field(default_factory=dict)
    returns: list[tuple[list[Registers], str]] | None = None
    library_paths: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, value: SSAValue) -> Registers:
        return self.values[value]

    def scalar(self, value: SSAValue) -> str:
        """Get the LLVM value of a scalar."""
        (register,) = self.values[value]
        return register

    def view(self, value: SSAValue) -> tuple[str, str]:
        """Get the address of a buffer of shared memory, and the offset of a view in it."""
        address, offset = self.values[value]
        if not offset.isdigit():
            offset = str(self.constant_view_offsets().get(value, offset))
        return address, offset

    def define(self, value: SSAValue, registers: Sequence[str]) -> None:
        """Set the LLVM values of an SSA value."""
        self.values[value] = tuple(registers)

    def num_registers(self, value: SSAValue) -> int:
        """Count the LLVM values of a value: the registers of a tensor, 1 for a scalar."""
        if not types.is_tensor(value.type):
            return 1
        return layout_of(value.type).in_dims["register"]

    def owner_predicate(self, type_: Attribute) -> str:
        """Compute whether this thread is the first that holds its elements; "" if all threads are.

        A scalar belongs to the first thread of the program.
        """
        if not types.is_tensor(type_):
            return self.threads.is_first_thread_of_cluster()
        free = layout_of(type_).free_variable_masks()
        return self.threads.bits_are_zero({name: mask for name, mask in free.items() if mask})

    def owner_predicate_in_cta(self, type_: Attribute) -> str:
        """Compute `owner_predicate` of a tensor among the threads of the CTA."""
        free = layout_of(type_).free_variable_masks()
        return self.threads.bits_are_zero({name: free.get(name, 0) for name in ("lane", "warp")})

    def define_each(self, result: SSAValue, make: Callable[[int], str]) -> None:
        """Define a result register by register; provably equal registers are computed once."""
        if not types.is_tensor(result.type):
            self.define(result, [make(0)])
            return
        registers: list[str] = []
        for register, first in enumerate(self.representatives(result)):
            registers.append(make(register) if first == register else registers[first])
        self.define(result, registers)

    def define_together(
        self, result: SSAValue, source: SSAValue, make: Callable[[list[str]], list[str]]
    ) -> None:
        """Define a result from a source of its layout, all distinct registers at once."""
        if not types.is_tensor(result.type):
            self.define(result, make(list(self[source])))
            return
        firsts = self.representatives(result)
        distinct_parts = sorted(set(firsts))
        value_of = dict(
            zip(distinct_parts, make([self[source][n] for n in distinct_parts]), strict=True)
        )
        self.define(result, [value_of[first] for first in firsts])

    def require_library(self, symbol: str, path: str = "", name: str = "") -> None:
        """Link a bitcode library's function to the kernel.

        Args:
            symbol: Name of the function.
            path: Bitcode file; "" for one of the compile options, else the vendor's library.
            name: Name of the library, if the kernel names one.

        Raises:
            CodegenError: The library is not installed.
        """
        file = library_of(symbol, path, name, self.library_paths)
        self.writer.libraries.setdefault(file, {})[symbol] = None

    @property
    def floats(self) -> FloatConverter:
        """Create the writer of float conversions for this function."""
        return FloatConverter(self.hardware, self.writer, self.threads.entry)

    def representatives(self, value: SSAValue) -> tuple[int, ...]:
        """Map each register of a tensor to the first one that provably holds the same value.

        Registers of the same element are equal, and so are neighbours that axis info knows as
        constant: if the number of columns is a multiple of 8, all of a thread's `column < columns`
        are one value.
        """
        layout, constancy = layout_of(value.type), self.axis_info.constancy(value)
        return (
            representative_registers(layout)
            if constancy is None
            else constant_run_registers(layout, constancy)
        )

    def replicate(self, result: SSAValue, registers: Sequence[str]) -> list[str]:
        """Copy the first register of each element to the registers that replicate it."""
        return [registers[first] for first in representative_parts(result.type)]

    def pass_arguments(self, block: Block, values: Sequence[SSAValue]) -> None:
        """Pass values from the current block to the arguments of a successor."""
        self._arrive(block, [self[value] for value in values])

    def pass_selected_arguments(
        self,
        block: Block,
        condition: str,
        values: Sequence[SSAValue],
        others: Sequence[SSAValue],
    ) -> None:
        """Pass `values` to a successor if a condition is true, otherwise `others`."""
        chosen = []
        for value, other in zip(values, others, strict=True):
            head = f"select i1 {condition}"
            pairs = zip(part_types(value.type), self[value], self[other], strict=True)
            chosen.append(
                tuple(self.writer.value(f"{head}, {t} {a}, {t} {b}") for t, a, b in pairs)
            )
        self._arrive(block, chosen)

    def _arrive(self, block: Block, registers: list[Registers]) -> None:
        source = self.writer.block
        if block not in self.merges:
            self.arrivals.setdefault(block, []).append((registers, source))
            return
        for merge, values in zip(self.merges[block], registers, strict=True):
            merge.add(values, source)

    def begin_block(self, block: Block) -> None:
        """Start a block that branches reach, with a phi for each argument."""
        self.writer.start(self.labels[block])
        merges = self.merges[block] = [
            ValuePhis.of(self.writer, argument.type) for argument in block.args
        ]
        for argument, merge in zip(block.args, merges, strict=True):
            self.define(argument, merge.registers(self.writer))
        for registers, source in self.arrivals.pop(block, []):
            for merge, values in zip(merges, registers, strict=True):
                merge.add(values, source)

    def lower_block(self, block: Block) -> None:
        """Lower the operations of a block."""
        for op in block.ops:
            self.lower_op(op)

    def lower_op(self, op: Operation) -> None:
        """Lower one operation, with the barrier and fence that precede it.

        Raises:
            CodegenError: The operation cannot be lowered; the error has its location.
        """
        here = op.location
        outer = self.writer.at(self.writer.location if here is locations.unknown else here)
        if op in self.barriers:
            self.barrier()
        if op in self.fences:
            self.hardware.synchronization.fence_async_proxy(self.writer)
        with located_errors(op):
            find_lowering(op)(self, op)
            self.writer.at(outer)

    def barrier(self, *, global_memory: bool = False) -> None:
        """Write a barrier of the CTA, or of the warp if the CTA has one.

        Args:
            global_memory: Whether accesses to global memory are ordered as well.
        """
        alone = self.threads.ids["warp"][1] == 0
        wait = (
            self.hardware.synchronization.warp_barrier
            if alone
            else self.hardware.synchronization.barrier
        )
        wait(self.writer, global_memory=global_memory)

    def cluster_barrier(self) -> None:
        """Write a barrier of all threads of the cluster.

        Raises:
            CodegenError: The warps of the CTA are running different partitions.
        """
        if self.groups is not None:
            self.groups.bring_worker_warps(self.threads, self.hardware, self.writer)
        self.hardware.synchronization.cluster_barrier(self.writer)

    def remote_address(self, type_: str, index: str, start: int, block: str) -> str:
        """Compute the address of an element of another CTA's shared memory.

        Args:
            type_: LLVM type of the element.
            index: Index of the element, an i32.
            start: Offset in bytes.
            block: Rank of the CTA, a value of the entry block.
        """
        space = f"ptr addrspace({self.hardware.memory.remote_space})"
        base = self.threads.remote_shared_memory(self.hardware, block)
        if start:
            base = self.writer.value(f"getelementptr i8, {space} {base}, i32 {start}")
        return self.writer.value(f"getelementptr {type_}, {space} {base}, i32 {index}")

    def scratch_offset(self, op: Operation) -> int:
        """Get the offset of an operation's scratch memory, in bytes."""
        return self.allocation.scratch[op].start

    def shared_address(self, type_: str, index: str, start: int = 0) -> str:
        """Compute the address of an element of shared memory from a start in bytes."""
        base = self.threads.shared
        if start:
            base = self.writer.value(f"getelementptr i8, ptr addrspace(3) {base}, i32 {start}")
        return self.writer.value(f"getelementptr {type_}, ptr addrspace(3) {base}, i32 {index}")
