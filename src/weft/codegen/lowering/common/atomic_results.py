"""Give a result that the owners of its elements have to every thread that holds them.

Only one of the threads that hold an element updates memory, so it alone knows what was there.
Copies in other lanes of the warp take it by a shuffle, copies in other warps from shared memory:

    a scalar, 4 warps      thread 0 stores it, all wait, all load it
    a scalar, 1 warp       every lane takes lane 0's
    64 elements, 4 warps   64 slots: stored by 64 threads, loaded by 128
    a scalar, 2 blocks     the first block's first thread stores it, all of both load it there
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Attribute, Operation

from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.axis_runs import segments
from weft.codegen.lowering.common.lane_exchange import exchange
from weft.codegen.lowering.common.linear_maps import combine
from weft.codegen.lowering.common.lowering import Lowering, layout_of
from weft.ir import types
from weft.ir.hardware import blocks_around, warps_around

__all__ = ["shared_bytes", "shared_with_all"]


def _warps_repeat(op: Operation) -> bool:
    """Tell whether several warps, or blocks, hold the same elements of a result."""
    type_ = op.results[0].type
    if _blocks_that_repeat(op):
        return True
    if not types.is_tensor(type_):
        return warps_around(op) > 1
    return bool(layout_of(type_).free_variable_masks().get("warp", 0))


def _blocks_that_repeat(op: Operation) -> int:
    """Return the bits of a block's number by which those differ that hold the same elements."""
    type_ = op.results[0].type
    if types.is_tensor(type_):
        return layout_of(type_).free_variable_masks().get("block", 0)
    return blocks_around(op) - 1


def shared_bytes(op: Operation) -> int:
    """Return the bytes that an operation's result takes on its way to all that hold it."""
    (result,) = op.results
    if not result.uses or not _warps_repeat(op):
        return 0
    return prod(types.shape(result.type)) * storage_bytes(result.type)


def shared_with_all(
    low: Lowering, op: Operation, owner: str, registers: Sequence[str]
) -> list[str]:
    """Return the registers of an operation's result in every thread.

    Args: owner: an i1, "" where each thread holds elements of its own.  registers: the owners'.
    """
    (result,) = op.results
    if not owner:
        return list(registers)
    if op in low.allocation.scratch:
        return _through_memory(low, op, owner, registers)
    every = low.hardware.target.threads_per_warp - 1
    lanes = every
    if types.is_tensor(result.type):
        lanes = layout_of(result.type).free_variable_masks().get("lane", 0)
    kind = llvm_type(result.type)

    def taken(word: str) -> str:
        return low.hardware.lanes.shuffle_within(low.writer, word, lanes, 0)

    return [exchange(low.writer, kind, value, taken) for value in registers]


def _through_memory(
    low: Lowering, op: Operation, owner: str, registers: Sequence[str]
) -> list[str]:
    (result,) = op.results
    w, kind = low.writer, llvm_type(result.type)
    addresses = [low.shared_address(kind, at, low.scratch(op)) for at in _slots(low, result.type)]
    with w.where(owner, "share"):
        for value, address in zip(registers, addresses, strict=True):
            w.line(f"store {kind} {value}, ptr addrspace(3) {address}")
    if repeating := _blocks_that_repeat(op):
        return _of_owning_block(low, op, repeating)
    low.barrier()
    return [w.value(f"load {kind}, ptr addrspace(3) {address}") for address in addresses]


def _of_owning_block(low: Lowering, op: Operation, repeating: int) -> list[str]:
    """Return what the first of the blocks that hold the same has stored."""
    w, (result,) = low.writer, op.results
    home = low.threads.replaced("block", repeating, 0)
    low.meet_blocks()
    kind, space = llvm_type(result.type), low.hardware.memory.remote_space
    found = []
    for slot in _slots(low, result.type):
        address = low.remote_address(kind, slot, low.scratch(op), home)
        found.append(w.value(f"load {kind}, ptr addrspace({space}) {address}"))
    low.meet_blocks()  # nobody writes there again, or ends, while others read
    return found


def _slots(low: Lowering, type_: Attribute) -> list[str]:
    """Return where each register's element lies among all, by numbers of elements."""
    if not types.is_tensor(type_):
        return ["0"]
    layout = layout_of(type_)
    numbers = segments(layout, len(layout.out_dims) - 1, 0)
    start = combine(
        low.writer,
        [
            (low.threads.spread(name, numbers[name]), sum(numbers[name]))
            for name in ("lane", "warp")
        ],
    )
    offsets = [0]
    for image in numbers["register"]:
        offsets += [offset ^ image for offset in offsets]
    return [combine(low.writer, [start, (str(n), n)])[0] for n in offsets]
