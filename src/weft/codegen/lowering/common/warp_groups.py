"""Worker warps, which run the partitions of `ttg.warp_specialize`.

The CTA has more warps than the kernel. The worker warps wait at a barrier of all threads until the
kernel's warps reach a `ttg.warp_specialize`, which stores its number (the state) and the values
that its partitions capture to shared memory:

    kernel's warps              worker warps
    state = 1, captures
    ── all ──────────────────── ── all ──         the region begins
                                load state: partition of this warp, captures
    ── all ──────────────────── ── all ──         captures have been loaded
    default region              partition
    ── all ──────────────────── ── all ──         all are done
    …                           (again)
    state = 0 ── all ────────── ── all ──         return

If the CTAs of a cluster synchronize outside of regions, the worker warps arrive as well.

Within a region, threads are numbered from the region's first warp, and barriers are for its warps.
`tritongpu-allocate-warp-groups` numbers the warps, and divides the registers that setmaxnreg
redistributes where regions begin. Without it the warps are numbered here, and all threads keep
their registers.
Source: PTX ISA 9.0, barrier and setmaxnreg; AMD's CDNA5 ISA, named barriers.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from xdsl.ir import Attribute, Block, Operation, SSAValue

from weft.analysis.allocation import Allocation
from weft.codegen.hardware import Hardware
from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.indices import ThreadIndices
from weft.errors import CodegenError
from weft.ir import arith, locations, tt, ttg, ttng, types
from weft.ir.attributes import array_values, number
from weft.ir.rewriting import walk
from weft.ir.ttg import AsyncTokenType, MemDescType
from weft.ir.ttng import TensorMemoryAttr

__all__ = [
    "CLUSTER_BARRIER",
    "EXIT",
    "MAX_REGISTERS",
    "Partitions",
    "STATE_BYTES",
    "capture_bytes",
    "capture_types",
    "size_of",
    "plan_partitions",
]

STATE_BYTES = 4
EXIT, CLUSTER_BARRIER = 0, -1  # states that are no number of an operation
_GROUP_WARPS = 4  # warps of a warp group, the unit of setmaxnreg and wgmma
MAX_REGISTERS, _LEAST, _STEP = 256, 24, 8  # registers that setmaxnreg accepts
_POINTER_BYTES = {"ptr": 8, "ptr addrspace(1)": 8, "ptr addrspace(3)": 4}
_FLOAT_BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8}


class Partitions(Struct):
    """The warps of a CTA, and the partitions that the worker warps run.

    Attributes:
        warps: The kernel's warps.
        starts: First warp of each partition of each `ttg.warp_specialize`.
        total: Warps of the CTA.
        state: Offset in shared memory of the running operation's number.
        registers: Registers per thread at the start if setmaxnreg redistributes them, otherwise 0.
        texts: Blocks of the partitions, once they are written.
        in_region: Whether a region is being lowered.
        uses_cluster_barrier: Whether the cluster synchronizes outside of regions.
    """

    warps: int
    starts: Mapping[Operation, tuple[int, ...]]
    total: int
    state: int
    registers: int
    texts: list[Writer] = field(default_factory=list)
    in_region: bool = False
    uses_cluster_barrier: bool = False

    def number(self, op: Operation) -> int:
        """Get the state of an operation's region; 0 is the end of the kernel."""
        return 1 + list(self.starts).index(op)

    def publish_state(self, threads: ThreadIndices, writer: Writer, state: int) -> None:
        """Store the state for the worker warps."""
        address = threads.constant_address(self.state)
        writer.line(f"store i32 {state}, ptr addrspace(3) {address}, align 4")

    def bring_worker_warps(
        self, threads: ThreadIndices, hardware: Hardware, writer: Writer
    ) -> None:
        """Make the worker warps arrive at the next cluster barrier, which is for all threads.

        Raises:
            CodegenError: The worker warps are running partitions.
        """
        if self.in_region:
            raise CodegenError(
                "CTAs of a cluster cannot exchange data within ttg.warp_specialize",
                hint="convert, reduce and wait for other CTAs before or after it",
            )
        self.uses_cluster_barrier = True
        self.publish_state(threads, writer, CLUSTER_BARRIER)
        hardware.synchronization.all_warps_barrier(writer)

    def share(self, others: int, warps: int) -> int:
        """Compute the registers per thread that remain for some warps.

        Args:
            others: Registers per thread of the other warps, times their number.
            warps: Warps that share the remaining registers.
        """
        rest = (self.registers * self.total - others) // warps
        return max(_LEAST, min(MAX_REGISTERS, rest // _STEP * _STEP))

    @property
    def own(self) -> int:
        """Compute the registers of the kernel's threads while the worker warps are idle."""
        return self.share(_LEAST * (self.total - self.warps), self.warps)

    @property
    def idle(self) -> int:
        """Compute the registers of an idle worker thread; all partitions may be empty."""
        if self.total == self.warps:
            return _LEAST
        return self.share(self.own * self.warps, self.total - self.warps)


def plan_partitions(
    function: tt.FuncOp, warps: int, allocation: Allocation, *, shares_registers: bool
) -> Partitions | None:
    """Assign warps to the partitions of a function; None if it has no partitions.

    Args:
        function: The function.
        warps: The kernel's warps.
        allocation: Shared memory of the kernel.
        shares_registers: Whether the chip can redistribute registers among warps.

    Raises:
        CodegenError: The function calls others, or a partition has warps of the kernel.
    """
    ops = [op for op in walk(function) if isinstance(op, ttg.WarpSpecializeOp)]
    if not ops:
        return None
    for op in walk(function):
        if op.name == "tt.call":
            raise CodegenError(
                f"{function.symbol} specialises warps, and calls a function, whose barriers are"
                " for all warps",
                location=locations.position(op.location),
                hint="take noinline from the function that it calls",
            )
    starts: dict[Operation, tuple[int, ...]] = {op: _starts(op, warps) for op in ops}
    ends = [
        start + count for op in ops for start, count in zip(starts[op], op.num_warps, strict=True)
    ]
    total = -(-max([warps, *ends]) // _GROUP_WARPS) * _GROUP_WARPS
    total = _module_number(function, "ttg.total-num-warps") or total
    is_divided = shares_registers and any(op.actualRegisters is not None for op in ops)
    registers = _module_number(function, "ttg.maxnreg") if is_divided else 0
    state = allocation.scratch[function].start
    return Partitions(warps, starts, total, state, min(registers, MAX_REGISTERS - 1))


def _module_number(function: tt.FuncOp, name: str) -> int:
    """Read an attribute of the module, 0 if it has none."""
    module = function.parent_op()
    value = None if module is None else number(module.attributes.get(name))
    return value if isinstance(value, int) else 0


def _starts(op: ttg.WarpSpecializeOp, warps: int) -> tuple[int, ...]:
    """Assign the first warp of each partition: larger ones first, so that all are aligned.

    Raises:
        CodegenError: The attribute assigns warps of the kernel.
    """
    if op.warpGroupStartIds is not None:
        starts_of_attribute = tuple(array_values(op.warpGroupStartIds))
        if min(starts_of_attribute, default=warps) < warps:
            raise CodegenError(
                f"partitions of 'ttg.warp_specialize' start after the kernel's {warps} warps",
                location=locations.position(op.location),
                found=list(starts_of_attribute),
            )
        return starts_of_attribute
    starts = dict.fromkeys(range(len(op.num_warps)), 0)
    place = warps
    for n in sorted(starts, key=lambda n: -op.num_warps[n]):
        step = min(op.num_warps[n], _GROUP_WARPS)
        starts[n] = -(-place // step) * step
        place = starts[n] + op.num_warps[n]
    return tuple(starts.values())


def capture_types(type_: Attribute, parts: int) -> list[str]:
    """List the LLVM types of a captured value's parts.

    Args:
        type_: Type of the value.
        parts: Number of its parts; a descriptor that the kernel created has several.

    Raises:
        CodegenError: The value is a tensor, whose parts are distributed over threads.
    """
    if isinstance(type_, types.TensorDescType) and parts > 1:
        rank = parts // 2
        return ["ptr addrspace(1)", *["i32"] * rank, *["i64"] * rank]
    if isinstance(type_, MemDescType):
        in_tensor_memory = isinstance(type_.memory_space, TensorMemoryAttr)
        return ["i32"] if in_tensor_memory else ["ptr addrspace(3)", "i32"]
    if isinstance(type_, AsyncTokenType):
        return []
    if types.is_tensor(type_):
        raise CodegenError("a partition cannot capture a tensor", found=type_)
    return [llvm_type(type_)]


def size_of(type_: str) -> int:
    """Get the bytes in which a value of an LLVM type is stored."""
    size = _POINTER_BYTES.get(type_) or _FLOAT_BYTES.get(type_)
    return size or -(-int(type_.removeprefix("i")) // 8)


def capture_bytes(op: ttg.WarpSpecializeOp) -> int:
    """Count the bytes that the captures of the partitions take at most."""
    return sum(
        size_of(type_)
        for value in op.holder.operands
        if not _is_known_to_all_warps(value)
        for type_ in capture_types(value.type, _max_parts(value))
    )


def _is_known_to_all_warps(value: SSAValue) -> bool:
    """Check for arguments of the kernel, buffers and constants."""
    if isinstance(value.owner, Block):
        return isinstance(value.owner.parent_op(), tt.FuncOp)
    return isinstance(value.owner, ttg.LocalAllocOp | arith.ConstantOp)


def _max_parts(value: SSAValue) -> int:
    """Count the parts of a value: a descriptor may have a pointer, its shape and its strides."""
    if not isinstance(value.type, types.TensorDescType):
        return 1
    if isinstance(value.owner, ttng.ReinterpretTensorDescOp):
        return 1
    return 1 + 2 * len(types.shape(value.type.block_type))


def only_block(op: Operation, region: object) -> object:
    """Get the block of a region.

    Raises:
        CodegenError: The region has several blocks.
    """
    blocks = list(region.blocks)  # pyright: ignore
    if len(blocks) != 1:
        raise CodegenError(
            "a region of specialised warps has one block",
            location=locations.position(op.location),
            found=len(blocks),
        )
    return blocks[0]
