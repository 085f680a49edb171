"""cp.async: copies of a thread from global to shared memory, in commit groups.

A copy completes when its thread waits for its group and not earlier, and until then no thread may
access its target, so that a missing wait is noticed. Threads wait for their own copies; the
simulator keeps groups per warp.
Source: PTX ISA 9.0, cp.async.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.registry import Call, assembly

__all__ = ["take_copies"]

Copy: TypeAlias = Callable[[np.ndarray], np.ndarray]
"""Completes a copy for a mask of threads, and returns the bytes that it wrote."""


@assembly(
    r"(?:@\$(?P<guard>[23]) )?cp\.async\.(?:ca\.shared\.global \[\$0\], \[\$1\], (?P<ca>4|8)|"
    r"cg\.shared\.global \[\$0\], \[\$1\], (?P<cg>16))(?:, (?P<kind>!?)\$2)?;"
)
def _issue(call: Call) -> Step:
    """Compile a copy.

    Its arguments are target and source, then the bytes to read or the complement of ignore-src if
    the instruction has one of them, then the guard if it has one.
    """
    match = call.match
    size = int(match["ca"] or match["cg"])
    type_, offsets = Type("i8", size), np.arange(size)

    def step(block: Block) -> None:
        target, source, *others = (block.per_thread(each) for each in call.arguments)
        issuing = block.active.copy()
        if match["guard"]:
            issuing &= others[-1]
        reading = np.ones_like(issuing) if match["kind"] is None else others[0] != 0
        block.shared.traffic.add("cp.async", size, block.active_warps)
        block.count_copy(size, source, target, issuing, reading)
        if block.shared.races is not None and issuing.any():
            threads_issuing = np.flatnonzero(issuing)
            block.shared.races.begin_cp_async(target[issuing][:, None] + offsets, threads_issuing)

        issue = block.history.current

        def copy(threads: np.ndarray) -> np.ndarray:
            mask = issuing & threads
            places = target[mask][:, None] + offsets
            if block.shared.races is not None:
                block.shared.races.copies.forget(places)
            # Threads that read nothing store zeros. The store is of the instruction that issued
            # the copy, not of the wait.
            with block.history.at_step(issue):
                readers = mask & reading
                values = block.global_memory.load(type_, source, readers, alignment=size)
                block.shared.store(type_, target, values, mask, alignment=size)
            return places

        for groups in _groups_of_active_warps(block).values():
            groups[-1].append(copy)

    return step


def _groups_of_active_warps(block: Block) -> dict[int, list[list[Copy]]]:
    """Find the commit groups of each active warp by its number; the last group is open."""
    warps = np.unique(np.flatnonzero(block.active) // block.warp_size).tolist()
    return {warp: block.copies.cp_async.setdefault(warp, [[]]) for warp in warps}


def take_copies(block: Block, keep: int) -> list[Callable[[], np.ndarray]]:
    """Remove the copies of all but the last groups of each active warp.

    Args:
        block: The block.
        keep: Number of groups that remain, the open one included.

    Returns:
        What completes each copy; it returns the bytes that the copy wrote.
    """
    copies: dict[Copy, np.ndarray] = {}
    for warp, groups in _groups_of_active_warps(block).items():
        threads = np.arange(block.threads) // block.warp_size == warp
        count = max(0, len(groups) - keep)
        for copy in (each for group in groups[:count] for each in group):
            copies[copy] = copies.get(copy, threads) | threads
        del groups[:count]
        if not groups:
            groups.append([])
    return [partial(copy, threads) for copy, threads in copies.items()]


@assembly(r"cp\.async\.commit_group;")
def _commit(call: Call) -> Step:
    """Compile the end of a commit group."""

    def step(block: Block) -> None:
        for groups in _groups_of_active_warps(block).values():
            groups.append([])

    return step


@assembly(r"cp\.async\.wait_group[ \t]+(\d+);")
def _wait(call: Call) -> Step:
    """Compile a wait until at most so many groups are outstanding."""
    outstanding = int(call.match[1])

    def step(block: Block) -> None:
        for complete in take_copies(block, outstanding + 1):
            complete()

    return step
