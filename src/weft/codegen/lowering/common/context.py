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
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct, field
from xdsl.ir import Attribute, Block, Operation, SSAValue

from weft.analysis.allocation import Allocation
from weft.analysis.axis_info import ModuleAxisInfo
from weft.analysis.tensor_memory import TensorMemory
from weft.codegen.hardware import Hardware
from weft.codegen.llvm.libraries import library_of
from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.writer import Phi, Writer
from weft.codegen.lowering.common.global_scratch import GlobalScratch
from weft.codegen.lowering.common.indices import ThreadIndices, register_offsets
from weft.codegen.lowering.common.warp_groups import Partitions
from weft.codegen.lowering.float_conversion.converter import FloatConverter
from weft.codegen.lowering.registry import find_lowering
from weft.errors import CodegenError
from weft.ir import locations, types
from weft.ir.builtin import IntegerAttr
from weft.ir.ttg import AsyncTokenType, MemDescType
from weft.ir.ttng import TensorMemoryAttr
from weft.layouts import LinearLayout

if TYPE_CHECKING:
    from weft.analysis.integer_ranges import IntegerRanges

__all__ = [
    "LoweringContext",
    "ValuePhis",
    "distinct_parts",
    "representative_parts",
    "layout_of",
    "integer_property",
    "part_types",
    "pointee_of",
    "representative_registers",
]

Registers = tuple[str, ...]


def integer_property(op: Operation, name: str, default: int | None = None) -> int:
    """Get an integer property of an operation, or a default."""
    result = op.properties.get(name)
    if isinstance(result, IntegerAttr):
        return result.value.data
    assert default is not None, f"{op.name} has no {name}"
    return default


def pointee_of(type_: Attribute) -> Attribute:
    """Get the pointee type of a pointer or of a tensor of pointers."""
    scalar = types.element(type_)
    assert isinstance(scalar, types.PointerType), f"{type_} is no pointer"
    return scalar.pointee


@lru_cache(maxsize=4096)
def layout_of(type_: Attribute) -> LinearLayout:
    """Get the linear layout of a tensor type.

    Raises:
        CodegenError: The tensor has no encoding.
    """
    encoding = types.encoding(type_)
    if encoding is None:
        raise CodegenError(
            f"{type_} has no layout", hint="lower TTGIR: TTIR has not been given layouts yet"
        )
    return encoding.linear(types.shape(type_))


@lru_cache(maxsize=4096)
def representative_registers(layout: LinearLayout) -> tuple[int, ...]:
    """Map each register to the first one that holds the same element."""
    first: dict[tuple[int, ...], int] = {}
    images = [(0,) * len(layout.out_dims)]
    for basis in layout.bases.get("register", ()):
        images += [tuple(a ^ b for a, b in zip(image, basis, strict=True)) for image in images]
    return tuple(first.setdefault(image, register) for register, image in enumerate(images))


@lru_cache(maxsize=4096)
def constant_run_registers(layout: LinearLayout, constancy: tuple[int, ...]) -> tuple[int, ...]:
    """Map each register to the first one that provably holds the same value.

    Args:
        layout: The layout.
        constancy: Per dimension the size of aligned groups of equal elements. Powers of two count,
            since lanes and warps then move whole groups.
    """
    first: dict[tuple[int, ...], int] = {}
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    groups = zip(
        *(
            [n // (size & -size) for n in along]
            for along, size in zip(offsets, constancy, strict=True)
        ),
        strict=True,
    )
    return tuple(first.setdefault(group, register) for register, group in enumerate(groups))


class ValuePhis(Struct):
    """The phis of one value: one per register that holds a distinct element.

    Attributes:
        phis: The phis.
        positions: The register of each phi.
        firsts: For each register the first one with the same element.
        behind: Registers without a phi: pointers at a constant distance (another register, bytes)
            from another one (`pointer_offsets`).
    """

    phis: list[Phi]
    positions: tuple[int, ...]
    firsts: tuple[int, ...]
    behind: Mapping[int, tuple[int, int]]

    @classmethod
    def of(
        cls,
        ctx: LoweringContext,
        type_: Attribute,
        behind: Mapping[int, tuple[int, int]] | None = None,
    ) -> ValuePhis:
        """Write the phis of a value of a type at the start of a block."""
        parts, behind = part_types(type_), behind or {}
        phis = {n: ctx.writer.phi(parts[n]) for n in distinct_parts(type_) if n not in behind}
        return cls(list(phis.values()), tuple(phis), representative_parts(type_), behind)

    def registers(self, ctx: LoweringContext) -> tuple[str, ...]:
        """Get the registers of the value, once all phis of the block are written."""
        names = {n: phi.name for n, phi in zip(self.positions, self.phis, strict=True)}
        for n, (first, distance) in self.behind.items():
            pointer = f"ptr addrspace(1) {names[first]}"
            names[n] = ctx.writer.value(f"getelementptr i8, {pointer}, i32 {distance}")
        return tuple(names[first] for first in self.firsts)

    def add(self, registers: Sequence[str], block: str) -> None:
        """Add the registers of the value on the edge from a block."""
        for phi, position in zip(self.phis, self.positions, strict=True):
            phi.add(registers[position], block)


def part_types(type_: Attribute) -> list[str]:
    """List the LLVM types of a value's parts.

    A tensor has one part per register, a scalar one, a view of shared memory an address and an
    offset, a view of tensor memory an address, and a token none.
    """
    if isinstance(type_, MemDescType):
        if isinstance(type_.memory_space, TensorMemoryAttr):
            return ["i32"]
        return ["ptr addrspace(3)", "i32"]
    if isinstance(type_, AsyncTokenType):
        return []
    if not types.is_tensor(type_):
        return [llvm_type(type_)]
    return [llvm_type(type_)] * layout_of(type_).in_dims["register"]


def distinct_parts(type_: Attribute) -> tuple[int, ...]:
    """List the parts of a value that hold distinct elements."""
    return tuple(sorted(set(representative_parts(type_))))


def representative_parts(type_: Attribute) -> tuple[int, ...]:
    """Map each part of a value to the first one that holds the same element."""
    if types.is_tensor(type_):
        return representative_registers(layout_of(type_))
    return tuple(range(len(part_types(type_))))


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
        values: Registers of each SSA value that has been lowered.
        groups: The worker warps and their partitions, if any.
        select_phis: For each `scf.if` the selects of tensors that become its phis.
        labels: Label of each block that branches reach.
        merges: Phis of the arguments of each such block, once it has begun.
        arrivals: Arguments of branches to blocks that have not begun.
        returns: Operands and block of each return; None in a kernel.
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
    values: dict[SSAValue, Registers] = field(default_factory=dict)
    groups: Partitions | None = None
    select_phis: dict[Operation, list[Operation]] = field(default_factory=dict)
    labels: dict[Block, str] = field(default_factory=dict)
    merges: dict[Block, list[ValuePhis]] = field(default_factory=dict)
    arrivals: dict[Block, list[tuple[list[Registers], str]]] = field(default_factory=dict)
    returns: list[tuple[list[Registers], str]] | None = None

    def __getitem__(self, value: SSAValue) -> Registers:
        return self.values[value]

    def scalar(self, value: SSAValue) -> str:
        """Get the LLVM value of a scalar."""
        (register,) = self.values[value]
        return register

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

    def require_library(self, symbol: str, path: str = "") -> None:
        """Link a bitcode library's function to the kernel.

        Args:
            symbol: Name of the function.
            path: Bitcode file, "" for the vendor's library.

        Raises:
            CodegenError: The library is not installed.
        """
        self.writer.libraries.setdefault(library_of(symbol, path), {})[symbol] = None

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

    def replicate(self, result: SSAValue, made: Sequence[str]) -> list[str]:
        """Copy the first register of each element to the registers that replicate it."""
        return [made[first] for first in representative_parts(result.type)]

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
        merges = self.merges[block] = [ValuePhis.of(self, argument.type) for argument in block.args]
        for argument, merge in zip(block.args, merges, strict=True):
            self.define(argument, merge.registers(self))
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
        if op in self.barriers:
            self.barrier()
        if op in self.fences:
            self.hardware.synchronization.fence_async_proxy(self.writer)
        try:
            find_lowering(op)(self, op)
        except CodegenError as error:
            if error.location is None:
                error.location = locations.position(op.location)
            raise

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
            self.groups.bring_all(self.threads, self.hardware, self.writer)
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
