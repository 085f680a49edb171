"""Copies from global to shared memory that go on while the threads do: cp.async on NVIDIA.

    ttg.async_copy_global_to_local %p, %b mask %m   →   cp.async.cg [b], [p], 16, size;

A lane copies a run that lies in a row on both sides; where its mask is false it copies no bytes,
and the rest of the run is filled with zeros. Copies are counted in groups, and waited for so.
"""

from __future__ import annotations

from xdsl.ir import Operation

from weft.codegen.families.local import memdesc_of, memory_layout
from weft.codegen.families.memory import width, zero
from weft.codegen.families.shared_trip import Side
from weft.codegen.llvm_types import llvm_type, storage_bytes
from weft.codegen.lowering import Lowering, layout_of, number
from weft.codegen.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttg
from weft.layouts.actions import remove_broadcast
from weft.layouts.plans.fixed import fixed_access

_NARROWEST_BYTES = 4


@lowers("ttg.async_copy_global_to_local")
def _copy(low: Lowering, op: Operation) -> None:
    assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
    view = memdesc_of(op.result)
    size = storage_bytes(view.element_type)
    most = max(width(low, op.src, op.mask), number(op, "contiguity", 1))
    if op.mask is not None:
        most = min(most, low.axis_info.mask_alignment(op.mask))
    tensor = layout_of(op.src.type)
    access = fixed_access(
        tensor,
        memory_layout(view),
        8 * size,
        low.hardware.target.shared_memory,
        "write",
        most,
        plain=True,
    )
    _check(low, op, access.tile.bits // 8)
    address, moved = low[op.result]
    side = Side(low, access, 8 * size, base=address, moved=moved)
    kept = remove_broadcast(tensor).apply_values(range(low.count(op.src)))
    pointers = [low[op.src][register] for register in kept]
    masks = None if op.mask is None else [low[op.mask][register] for register in kept]
    for instruction, registers in enumerate(side.numbers[0]):
        low.hardware.copy_async(
            low.writer,
            side.address(instruction),
            pointers[registers[0]],
            access.tile.bits // 8,
            "" if masks is None else masks[registers[0]],
        )
    low.define(op.token, [])


def _check(low: Lowering, op: ttg.AsyncCopyGlobalToLocalOp, size: int) -> None:
    """Refuse what no instruction copies.

    Raises: CodegenError: runs of less than four bytes, or other values than zeros for the rest.
    """
    if size < _NARROWEST_BYTES:
        raise CodegenError(
            "an asynchronous copy needs runs of 4 bytes at least",
            found=f"{size} bytes",
            hint="pointers that are divisible by 16 make them (tl.multiple_of)",
        )
    if op.other is not None:
        element = llvm_type(op.other.type)
        if any(not _is_zero(value, element) for value in low[op.other]):
            raise CodegenError("an asynchronous copy fills with zeros", found=low[op.other][0])


def _is_zero(value: str, type_: str) -> bool:
    digits = value.removeprefix("0xH").removeprefix("0xR").removeprefix("0x")
    return value == zero(type_) or not digits.strip("0")


@lowers("ttg.async_commit_group")
def _commit(low: Lowering, op: Operation) -> None:
    low.hardware.commit_copies(low.writer)
    low.define(op.results[0], [])


@lowers("ttg.async_wait")
def _wait(low: Lowering, op: Operation) -> None:
    low.hardware.wait_for_copies(low.writer, number(op, "num"))
    for result in op.results:
        low.define(result, [])
