"""The offsets of all buffers of a module in shared memory, where Triton places them.

    tt.func @norm                     128 bytes of scratch memory
    tt.func public @kernel            %a at 0, 4096 bytes
      tt.call @norm                   the callee's memory at 4096, 128 bytes

A function is placed after its callees; a call needs the memory of its callee while it runs.
`weft.analysis.buffer_coloring` chooses the offsets, `weft.analysis.scratch_memory` the sizes of
scratch memory. Code generation allocates each function afresh (`weft.analysis.allocation`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import TypeAlias

from msgspec import Struct

from weft.analysis.allocation import ByteRange
from weft.analysis.block_liveness import BlockLiveness
from weft.analysis.buffer_aliases import Aliases, buffer_aliases
from weft.analysis.buffer_coloring import Buffer, color
from weft.analysis.buffer_size import buffer_bytes, shape_per_cta
from weft.analysis.dataflow.call_graph import callees_first, functions_of
from weft.analysis.scratch_memory import ScratchRequest, scratch_request
from weft.ir import tt, ttg, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.interfaces import CallOpInterface
from weft.ir.rewriting import walk
from weft.ir.ttg import MemDescType
from weft.layouts import NvmmaSharedEncoding, PaddedSharedEncoding, PartitionedSharedEncoding

__all__ = ["FunctionOffsets", "ModuleOffsets", "shared_memory_offsets"]

ScratchRequestOf: TypeAlias = Callable[[Operation], ScratchRequest]
_ALIGNMENT = 16
_CALL_ALIGNMENT = 128


class FunctionOffsets(Struct, frozen=True):
    """The shared memory of a function.

    Attributes:
        buffers: The bytes of each buffer, by the result of its allocation; one range for each
            partition of shared memory that it is spread over.
        scratch: The bytes of each operation that needs scratch memory, calls included.
        size: The bytes that the function needs in all.
        aliases: The buffers that each value may refer to.
    """

    buffers: Mapping[SSAValue, tuple[ByteRange, ...]]
    scratch: Mapping[Operation, ByteRange]
    size: int
    aliases: Aliases

    def bytes_of(self, value: SSAValue) -> tuple[ByteRange, ...]:
        """List the bytes that a value may refer to."""
        buffers = self.aliases.get(value, ())
        return tuple(range_ for buffer in buffers for range_ in self.buffers[buffer])


class ModuleOffsets(Struct, frozen=True):
    """The shared memory of the functions of a module.

    Attributes:
        functions: The shared memory of each function with a body.
        size: The bytes of the functions that no other function calls.
    """

    functions: Mapping[tt.FuncOp, FunctionOffsets]
    size: int


def shared_memory_offsets(
    module: ModuleOp,
    scratch_request_of: ScratchRequestOf = scratch_request,
    partition_bytes: int = 0,
) -> ModuleOffsets:
    """Place the buffers and the scratch memory of a module.

    Args:
        module: The module.
        scratch_request_of: Computes the scratch memory of an operation.
        partition_bytes: The bytes of a partition of shared memory, 0 if it has none.
    """
    functions = [function for function in functions_of(module) if function.body.blocks]
    placed: dict[str, FunctionOffsets] = {}
    called: set[str] = set()
    for function in callees_first(functions):
        requests = _Requests(function, scratch_request_of, placed)
        size = color(requests.buffers, partition_bytes)
        placed[function.symbol] = requests.offsets(size)
        called |= requests.callees
    roots = [function for function in functions if function.symbol not in called]
    return ModuleOffsets(
        {function: placed[function.symbol] for function in functions},
        max((placed[function.symbol].size for function in roots), default=0),
    )


class _Requests:
    """The buffers of a function that need an offset.

    Attributes:
        buffers: The buffers: allocations, scratch memory, calls.
        callees: The functions that it calls.
    """

    def __init__(
        self,
        function: tt.FuncOp,
        scratch_request_of: ScratchRequestOf,
        placed: Mapping[str, FunctionOffsets],
    ) -> None:
        self.callees: set[str] = set()
        self._aliases = buffer_aliases(function)
        liveness = BlockLiveness(function)
        self.buffers: list[Buffer] = []
        ranges = liveness.of_buffers(ttg.LocalAllocOp, self._aliases)
        for number, (value, live) in enumerate(ranges.items()):
            sizes = _part_sizes(value)
            group = number if len(sizes) > 1 else -1
            for size in sizes:
                self.buffers.append(
                    Buffer(value, size, _alignment(value), live.first, live.last + 1, group)
                )
        calls: list[Buffer] = []
        for op in walk(function):
            if isinstance(op, CallOpInterface):
                self.callees.add(op.callee_name)
                callee = placed.get(op.callee_name)
                request = ScratchRequest(0 if callee is None else callee.size, _CALL_ALIGNMENT)
            else:
                request = scratch_request_of(op)
            if not request.size:
                continue
            start, end = liveness.numbers[op], liveness.numbers[op] + 1
            if op is function:
                start = 0  # it is live throughout
            buffers = calls if isinstance(op, CallOpInterface) else self.buffers
            buffers.append(Buffer(op, request.size, request.alignment, start, end))
        self.buffers += calls

    def offsets(self, size: int) -> FunctionOffsets:
        """Collect the offsets after the buffers were placed."""
        buffers: dict[SSAValue, tuple[ByteRange, ...]] = {}
        scratch: dict[Operation, ByteRange] = {}
        for buffer in self.buffers:
            range_ = ByteRange(buffer.offset, buffer.size)
            if isinstance(buffer.owner, Operation):
                scratch[buffer.owner] = range_
            else:
                buffers[buffer.owner] = (*buffers.get(buffer.owner, ()), range_)
        return FunctionOffsets(buffers, scratch, size, self._aliases)


def _part_sizes(value: SSAValue) -> Sequence[int]:
    """Count the bytes of each part of a buffer."""
    type_ = value.type
    assert isinstance(type_, MemDescType)
    encoding = stored = type_.encoding
    if isinstance(encoding, PartitionedSharedEncoding):
        stored = encoding.partition_layout
    if isinstance(stored, PaddedSharedEncoding):
        elements = _padded_elements(stored, shape_per_cta(type_))
        size = elements * types.bit_width(type_.element_type) // 8
    else:
        size = buffer_bytes(type_)
    if isinstance(encoding, PartitionedSharedEncoding):
        return (size // encoding.num_partitions,) * encoding.num_partitions
    return (size,)


def _padded_elements(encoding: PaddedSharedEncoding, shape: Iterable[int]) -> int:
    """Count the elements of a buffer and of the padding between them."""
    elements = prod(shape)
    paddings = zip(encoding.intervals, encoding.paddings, strict=True)
    # There is no padding after the last element.
    return elements + sum((elements - 1) // interval * padding for interval, padding in paddings)


def _alignment(value: SSAValue) -> int:
    """Compute the alignment of a buffer: its attribute, else what its layout needs."""
    type_, op = value.type, value.owner
    assert isinstance(type_, MemDescType)
    if isinstance(op, ttg.LocalAllocOp) and op.alignment is not None:
        return op.alignment.value.data
    if isinstance(type_.encoding, NvmmaSharedEncoding):
        return 128 * max(1, type_.encoding.swizzling_byte_width // 16)
    return _ALIGNMENT
