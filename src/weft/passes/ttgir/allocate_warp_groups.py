"""Number the warps of partitions, and divide registers among them (tritongpu-allocate-warp-groups).

Before:  module {"ttg.num-warps" = 4}                 After:  {"ttg.total-num-warps" = 8}
           ttg.warp_specialize                                  warpGroupStartIds = 4, 6, 7
           partition0 num_warps(2)                              partition0 num_warps(2)
           partition1 num_warps(1)                              partition1 num_warps(1)
                                                                partition2 num_warps(1) {}

1. Empty partitions fill up the last warp group, four warps that get registers together.
2. The largest partition gets the first warps after those of the default region.
3. If partitions request registers, a warp group gets as many as its most demanding partition, and
   at least the 24 that setmaxnreg accepts. The default region gets the rest, unless the rest is too
   small. Registers are not divided if the warps of the default region are no whole warp groups.

Source: Triton, AllocateWarpGroups.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import attributes, ttg, types
from weft.ir.builtin import Block, ModuleOp, Region
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp
from weft.ir.rewriting import Builder, erase, walk_inner_first

__all__ = ["AllocateWarpGroups"]

_GROUP = 4  # warps
_TOTAL_WARPS, _MAX_REGISTERS = "ttg.total-num-warps", "ttg.maxnreg"
_REGISTERS = 64 * 1024  # of a multiprocessor
_UNUSED_REGISTERS = 16  # of a thread of an empty partition
_MIN_REGISTERS = 24  # that setmaxnreg accepts
_STEP = 8  # of setmaxnreg


class AllocateWarpGroups(Struct, frozen=True):
    """Assigns warps and registers to partitions."""

    name: ClassVar[str] = "tritongpu-allocate-warp-groups"

    def run(self, module: ModuleOp) -> None:
        """Set the properties of each `ttg.warp_specialize`, and those of the module."""
        ops = [op for op in walk_inner_first(module) if isinstance(op, ttg.WarpSpecializeOp)]
        most_warps = max((sum(op.num_warps) for op in ops), default=0)
        extra_warps = -(-most_warps // _GROUP) * _GROUP
        warps = lookup_num_warps(module)
        for op in ops:
            _pad(op, extra_warps - sum(op.num_warps))
            op.properties["warpGroupStartIds"] = attributes.array_i32(_start_ids(op, warps))
        total = attributes.integer(warps + extra_warps, types.i32)
        module.attributes[_TOTAL_WARPS] = total
        if any(op.requestedRegisters is not None for op in ops):
            limit = _register_limit(module, warps + extra_warps)
            for op in ops:
                _divide_registers(op, module, limit)


def _pad(op: ttg.WarpSpecializeOp, warps: int) -> None:
    """Add empty partitions with a number of warps."""
    sizes: list[int] = []
    while warps > 0:
        sizes.append(1 << (warps.bit_length() - 1))
        warps -= sizes[-1]
    holder = op.holder
    regions: list[Region] = []
    for region in holder.regions:
        regions.append(Region())
        region.move_blocks(regions[-1])
    for _ in sizes:
        block = Block(arg_types=[capture.type for capture in holder.operands])
        Builder(op.location).at_end(block).create(ttg.WarpReturnOp)
        regions.append(Region(block))
    Builder().before(holder).create(
        ttg.WarpSpecializePartitionsOp, list(holder.operands), regions=regions
    )
    erase(holder)
    op.properties["partitionNumWarps"] = attributes.array_i32((*op.num_warps, *sizes))
    if op.requestedRegisters is not None:
        requested = attributes.array_values(op.requestedRegisters)
        unused = (_UNUSED_REGISTERS,) * len(sizes)
        op.properties["requestedRegisters"] = attributes.array_i32((*requested, *unused))


def _start_ids(op: ttg.WarpSpecializeOp, first: int) -> tuple[int, ...]:
    """Compute the first warp of each partition; larger partitions come first."""
    sizes = op.num_warps
    start_ids = [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        start_ids[index] = first
        first += sizes[index]
    return tuple(start_ids)


def _register_limit(module: ModuleOp, warps: int) -> int:
    """Compute the registers of a thread if all threads have the same number."""
    limit = attributes.number(module.attributes.get(_MAX_REGISTERS))
    if isinstance(limit, int):
        return limit
    return _REGISTERS // warps // lookup_threads_per_warp(module) // _STEP * _STEP


def _divide_registers(op: ttg.WarpSpecializeOp, module: ModuleOp, limit: int) -> None:
    """Set the registers of the partitions and of the default region."""
    sizes = op.num_warps
    if op.requestedRegisters is None or sum(sizes) % _GROUP or lookup_num_warps(op) % _GROUP:
        return
    assert op.warpGroupStartIds is not None
    start_ids = attributes.array_values(op.warpGroupStartIds)
    requested = attributes.array_values(op.requestedRegisters)
    groups: list[list[int]] = []
    for index in sorted(range(len(sizes)), key=lambda index: start_ids[index]):
        if start_ids[index] % _GROUP == 0:
            groups.append([])
        groups[-1].append(index)
    lanes = lookup_threads_per_warp(module)
    warps = lookup_num_warps(module)
    budget = limit * warps * lanes
    registers = [0] * len(sizes)
    for group in groups:
        rounded = (-(-requested[index] // _STEP) * _STEP for index in group)
        largest = max(_MIN_REGISTERS, *rounded)
        budget += (limit - largest) * sum(sizes[index] for index in group) * lanes
        for index in group:
            registers[index] = largest
    default = budget // (warps * lanes) // _STEP * _STEP
    if default < _MIN_REGISTERS:
        return
    op.properties["actualRegisters"] = attributes.array_i32((default, *registers))
    module.attributes[_MAX_REGISTERS] = attributes.integer(limit, types.i32)
