"""Pass values between partitions through shared memory (nvws-insert-aref).

Before:  %a = tt.descriptor_load %d[…] {ttg.partition = array<i32: 2>}
         %x = ttg.local_alloc %a {ttg.partition = array<i32: 2>}
         ttng.tc_gen5_mma %x, … {ttg.partition = array<i32: 1>}
After:   %m = ttg.local_alloc                       before the loop
         %r = nvws.aref.create %m
         %b, %t = nvws.aref.put.enter %r            {ttg.partition = array<i32: 2>}
         nvws.descriptor_load %d[…] 16384 %b
         nvws.aref.put.exit %r, %t [tma_load]
         %x, %u = nvws.aref.get.enter %r            {ttg.partition = array<i32: 1>}
         ttng.tc_gen5_mma %x, …
         nvws.aref.get.exit %r, %u [tc5mma]

Iter_args come first: they pass what one partition computed in the previous iteration. Then buffers,
then values in registers. A scalar passes as a tensor of one element.

Needs partitions. Source: Triton, InsertAref.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf, ttg, ttng, types
from weft.ir.builtin import Attribute, IntegerType, ModuleOp, Operation
from weft.ir.rewriting import Builder, walk_inner_first
from weft.passes.nvws.insert_aref.consumers import create_gets
from weft.passes.nvws.insert_aref.producers import Produced, create_put, descriptor_load_of
from weft.passes.nvws.insert_aref.shared_buffers import create_shared_aref
from weft.passes.nvws.insert_aref.uses import uses_by_partition
from weft.passes.pipelining.blackwell.mma_v5 import MMAS
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.partitions.attributes import (
    has_partition,
    partition_ids,
    partition_outputs,
    warp_specialized_loops,
)

__all__ = ["InsertAref"]


class InsertAref(Struct, frozen=True):
    """Makes partitions communicate through asynchronous references."""

    name: ClassVar[str] = "nvws-insert-aref"

    def run(self, module: ModuleOp) -> None:
        """Insert asynchronous references for values that pass between partitions."""
        for loop in warp_specialized_loops(loops_inner_first(module)):
            if has_partition(loop):
                _insert_arefs(loop)


def _insert_arefs(loop: scf.ForOp) -> None:
    for inner in loops_inner_first(loop):
        outputs = partition_outputs(inner)
        for argument, partitions in zip(inner.iter_args, outputs, strict=True):
            if _is_number(argument.type) or types.is_tensor(argument.type):
                produced = Produced(argument, partitions)
                _insert_aref(Builder().at_start(inner.block), loop, produced)
    buffers = [
        op
        for op in walk_inner_first(loop)
        if isinstance(op, ttg.LocalAllocOp) or (op.results and descriptor_load_of(op.results[0]))
    ]
    for op in buffers:
        for produced in _produced_values(op):
            _insert_aref(Builder().before(op), loop, produced)
    for op in walk_inner_first(loop):
        if op is loop or isinstance(op, (*MMAS, ttng.TMEMAllocOp, ttng.TMEMStoreOp)):
            continue  # accumulators in TMEM: nvws-insert-tmem-aref
        for produced in _produced_values(op):
            _insert_aref(Builder().after(op), loop, produced)


def _is_number(type_: Attribute) -> bool:
    return isinstance(type_, IntegerType) or types.is_float(type_)


def _produced_values(op: Operation) -> list[Produced]:
    """List the results of an operation, other than tokens, and the partitions that have them."""
    if not has_partition(op):
        return []
    outputs = partition_outputs(op) if op.regions else [partition_ids(op)] * len(op.results)
    return [
        Produced(result, partitions)
        for result, partitions in zip(op.results, outputs, strict=False)
        if not isinstance(result.type, ttg.AsyncTokenType)
    ]


def _insert_aref(builder: Builder, loop: scf.ForOp, produced: Produced) -> None:
    """Insert an asynchronous reference for a value, if other partitions use it.

    Args:
        builder: Where the value is put into the buffer.
        loop: The warp-specialized loop, before which the buffer is allocated.
        produced: The value.
    """
    uses = uses_by_partition(produced)
    if not uses:
        return
    aref = create_shared_aref(Builder().before(loop), produced.value)
    replaced = create_put(builder, aref, produced)
    block = builder.block
    for partition, partition_uses in uses.items():
        create_gets(loop, block, aref, partition, partition_uses)
    for op in replaced:
        op.detach()
        op.erase()
