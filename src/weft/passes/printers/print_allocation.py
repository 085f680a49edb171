"""Print the offsets and sizes of buffers in shared memory (test-print-allocation).

Before:  tt.func @f() {                      After:  the same IR; and remarks
           %a = ttg.local_alloc …                 kernel.mlir:1:1: remark: f
           %c = ttg.convert_layout %b             …:2:3: remark: offset = 0, size = 512
           tt.call @g()                           …:3:3: remark: scratch offset = 512, size = 64
                                                  …:4:3: remark: virtual offset = 0, size = 128
                                                  …:1:1: remark: size = 576

The sizes are those of allocate-shared-memory; the last remark has that of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from msgspec import Struct

from weft.analysis.scratch_memory import ScratchRequest, scratch_request
from weft.analysis.shared_memory_offsets import FunctionOffsets, shared_memory_offsets
from weft.errors import PassError
from weft.ir import tt, ttg
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.interfaces import CallOpInterface
from weft.ir.rewriting import walk_inner_first
from weft.passes.diagnostics import emit_remark

__all__ = ["PrintAllocation"]

_CONSTANT_BYTES = 128


class PrintAllocation(Struct, frozen=True):
    """Prints the offset and size of each buffer and of each scratch memory.

    Attributes:
        get_scratch_size_function: "None" for the sizes that operations need, or "ValidConstant"
            for 128 bytes for every operation.
        partition_size: The bytes of a partition of shared memory, 0 for none.
    """

    get_scratch_size_function: str = "None"
    partition_size: int = 0

    name: ClassVar[str] = "test-print-allocation"

    def run(self, module: ModuleOp) -> None:
        """Print the remarks; do not change the module.

        Raises:
            PassError: `get_scratch_size_function` is unknown.
        """
        request_of = _REQUESTS.get(self.get_scratch_size_function)
        if request_of is None:
            raise PassError(
                "unknown get-scratch-size-function",
                found=self.get_scratch_size_function,
                accepted=_REQUESTS,
            )
        offsets = shared_memory_offsets(module, request_of, self.partition_size)
        for function, own in offsets.functions.items():
            emit_remark(function.location, function.symbol)
            for op in walk_inner_first(function):
                _print_offsets(op, own)
            emit_remark(function.location, f"size = {own.size}")


def _print_offsets(op: Operation, offsets: FunctionOffsets) -> None:
    if (range_ := offsets.scratch.get(op)) is not None:
        kind = "virtual" if isinstance(op, CallOpInterface) else "scratch"
        emit_remark(op.location, f"{kind} offset = {range_.start}, size = {range_.size}")
    for result in op.results:
        for range_ in offsets.buffers.get(result, ()):
            emit_remark(op.location, f"offset = {range_.start}, size = {range_.size}")


def _constant_request(op: Operation) -> ScratchRequest:
    """Request the same memory for each operation, save for what partitions need."""
    if isinstance(op, ttg.WarpSpecializeOp | tt.FuncOp):
        return scratch_request(op)
    return ScratchRequest(_CONSTANT_BYTES)


_REQUESTS: Mapping[str, Callable[[Operation], ScratchRequest]] = {
    "None": partial(scratch_request, accesses=None),
    "ValidConstant": _constant_request,
}
