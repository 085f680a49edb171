"""Broadcast the result of an atomic update from the owners of its elements to all other holders.

Only one of the threads that hold an element updates memory, so only it has the old value. Lanes of
the same warp read it by a shuffle, other warps from shared memory:

    a scalar, 4 warps      thread 0 stores it, barrier, all load it
    a scalar, 1 warp       every lane reads lane 0's
    64 elements, 4 warps   64 slots: stored by 64 threads, loaded by 128
    a scalar, 2 CTAs       the first CTA's first thread stores it, all of both load it from there
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.lane_exchange import shuffle_value
from weft.codegen.lowering.common.linear_maps import xor_all
from weft.codegen.lowering.common.registers import layout_of
from weft.ir import types
from weft.lowering_plans.atomics import repeating_ctas
from weft.lowering_plans.axis_runs import segment_bases

__all__ = ["broadcast_result"]


def broadcast_result(
    ctx: LoweringContext, op: Operation, owner: str, registers: Sequence[str]
) -> list[str]:
    """Broadcast the old values from the threads that updated memory to all holders.

    Args:
        ctx: State of the function.
        op: The atomic operation.
        owner: An i1, whether the thread updated memory; "" if every thread did.
        registers: Old values, valid in the owners.

    Returns:
        The registers of the operation's result.
    """
    (result,) = op.results
    if not owner:
        return list(registers)
    if op in ctx.allocation.scratch:
        return _through_memory(ctx, op, owner, registers)
    every = ctx.hardware.target.threads_per_warp - 1
    lanes = every
    if types.is_tensor(result.type):
        lanes = layout_of(result.type).free_variable_masks().get("lane", 0)
    kind = llvm_type(result.type)

    def taken(word: str) -> str:
        return ctx.hardware.lanes.shuffle_within(ctx.writer, word, lanes, 0)

    return [shuffle_value(ctx.writer, kind, value, taken) for value in registers]


def _through_memory(
    ctx: LoweringContext, op: Operation, owner: str, registers: Sequence[str]
) -> list[str]:
    (result,) = op.results
    w, kind = ctx.writer, llvm_type(result.type)
    addresses = [
        ctx.shared_address(kind, at, ctx.scratch_offset(op)) for at in _slots(ctx, result.type)
    ]
    with w.where(owner, "share"):
        for value, address in zip(registers, addresses, strict=True):
            w.line(f"store {kind} {value}, ptr addrspace(3) {address}")
    if repeating := repeating_ctas(op):
        return _of_owning_block(ctx, op, repeating)
    ctx.barrier()
    return [w.value(f"load {kind}, ptr addrspace(3) {address}") for address in addresses]


def _of_owning_block(ctx: LoweringContext, op: Operation, repeating: int) -> list[str]:
    """Load what the first CTA among the replicas has stored."""
    w, (result,) = ctx.writer, op.results
    home = ctx.threads.with_bits("block", repeating, 0)
    ctx.cluster_barrier()
    kind, space = llvm_type(result.type), ctx.hardware.memory.remote_space
    results = []
    for slot in _slots(ctx, result.type):
        address = ctx.remote_address(kind, slot, ctx.scratch_offset(op), home)
        results.append(w.value(f"load {kind}, ptr addrspace({space}) {address}"))
    ctx.cluster_barrier()  # other CTAs may still be loading
    return results


def _slots(ctx: LoweringContext, type_: Attribute) -> list[str]:
    """Compute the index of each register's element in memory."""
    if not types.is_tensor(type_):
        return ["0"]
    layout = layout_of(type_)
    numbers = segment_bases(layout, len(layout.out_dims) - 1, 0)
    start = xor_all(
        ctx.writer,
        [
            (ctx.threads.apply_bases(name, numbers[name]), sum(numbers[name]))
            for name in ("lane", "warp")
        ],
    )
    offsets = [0]
    for image in numbers["register"]:
        offsets += [offset ^ image for offset in offsets]
    return [xor_all(ctx.writer, [start, (str(n), n)])[0] for n in offsets]
