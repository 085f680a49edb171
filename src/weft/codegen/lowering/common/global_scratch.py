"""Global scratch memory: the offset of each allocation in the memory of one CTA.

    %a = ttg.global_scratch_alloc {nbytes = 128, alignment = 128}         at 0
    %b = ttg.global_scratch_alloc {nbytes = 384, alignment = 128}         at 128
    a CTA takes 512 bytes; CTA p of the grid starts at p · 512

The launch allocates the memory, and passes its address as the kernel's last argument. Each CTA of a
cluster has memory for itself. A call takes the memory of its callee, and passes its address in the
same way.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from xdsl.ir import Operation

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.indices import ThreadIndices
from weft.ir import tt, ttg
from weft.ir.attributes import number
from weft.ir.rewriting import walk

__all__ = ["ARGUMENT", "GlobalScratch", "place_global_scratch"]

ARGUMENT = "%scratch"
_AXES = 3


class GlobalScratch(Struct):
    """Global scratch memory of one CTA.

    Attributes:
        offsets: Offset of each allocation.
        size: Bytes in all.
        alignment: Bytes.
        threads: Coordinates of the thread, whose entry block computes the CTA's address.
        start: That address, once it is computed; the callers of other functions pass it.
    """

    offsets: Mapping[Operation, int] = field(default_factory=dict)
    size: int = 0
    alignment: int = 1
    threads: ThreadIndices | None = None
    start: str = ""

    def address(self, op: Operation, body: Writer, hardware: Hardware) -> str:
        """Compute the address of an allocation."""
        if not self.start:
            assert self.threads is not None
            self.start = _block_start(self.threads, hardware, self.size)
        offset = self.offsets[op]
        if not offset:
            return self.start
        return body.value(f"getelementptr i8, ptr addrspace(1) {self.start}, i64 {offset}")


def place_global_scratch(
    function: tt.FuncOp,
    threads: ThreadIndices,
    callees: Mapping[str, tuple[int, int]],
    *,
    is_kernel: bool,
) -> GlobalScratch:
    """Assign an offset to each global scratch allocation of a function, and to each call.

    Args:
        function: The function.
        threads: Coordinates of the thread.
        callees: Bytes and alignment of the memory of each function that may be called.
        is_kernel: Whether the function is a kernel.
    """
    offsets: dict[Operation, int] = {}
    end, widest = 0, 1
    for op in walk(function):
        if isinstance(op, tt.CallOp):
            size, alignment = callees[op.callee.string_value()]
            if not size:
                continue
        elif isinstance(op, ttg.GlobalScratchAllocOp):
            size = int(number(op.properties.get("nbytes")) or 0)
            alignment = int(number(op.properties.get("alignment")) or 1)
        else:
            continue
        start = -(-end // alignment) * alignment
        offsets[op] = start
        end = start + size
        widest = max(widest, alignment)
    size = -(-end // widest) * widest
    return GlobalScratch(offsets, size, widest, threads, "" if is_kernel else ARGUMENT)


def _block_start(threads: ThreadIndices, hardware: Hardware, size: int) -> str:
    """Compute the address of the CTA's memory: its index in the grid times the size."""
    entry = threads.entry
    total = hardware.program.program_id(entry, _AXES - 1)
    for axis in reversed(range(_AXES - 1)):
        row = entry.value(f"mul i32 {total}, {hardware.program.num_programs(entry, axis)}")
        total = entry.value(f"add i32 {row}, {hardware.program.program_id(entry, axis)}")
    block, bits = threads.ids["block"]
    if bits:
        total = entry.value(f"or disjoint i32 {entry.value(f'shl i32 {total}, {bits}')}, {block}")
    wide = entry.value(f"zext i32 {total} to i64")
    offset = entry.value(f"mul nuw nsw i64 {wide}, {size}")
    return entry.value(f"getelementptr i8, ptr addrspace(1) {ARGUMENT}, i64 {offset}")
