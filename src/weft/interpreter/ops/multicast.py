"""Commits of tcgen05 that arrive on the mbarriers of several CTAs of a cluster.

    %a: CGALayout = [[1, 0], [0, 0]]     CTAs 0 and 2 hold the same part of a, as do 1 and 3
    %b: CGALayout = [[0, 0], [0, 1]]     CTAs 0 and 1 hold the same part of b, as do 2 and 3
    ttng.tc_gen5_commit %bar descs %a, %b

The MMAs of CTA 0 read what CTAs 1 and 2 share with it, so its commit arrives on the mbarriers of
CTAs 0, 1 and 2. Likewise the mbarrier of CTA 0 gets an arrival of each of these. Of a pair of CTAs
that work as one, only the first commits, and its commit arrives in both.

The interpreter runs a cluster as one program, so it counts the arrivals on the mbarrier of one CTA.
Source: Triton, MMAv5.cpp; PTX ISA, tcgen05.commit.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from weft.ir import ttg, ttng

__all__ = ["count_commits"]

_PAIR = 1  # the bit of a CTA's rank in which a pair differs
_MMAS = (ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)


def count_commits(op: Operation, operands: Iterable[SSAValue] = ()) -> int:
    """Count the arrivals of a commit on the mbarrier of a CTA.

    Args:
        op: The operation that commits.
        operands: The buffers in shared memory that other CTAs hold, too; empty for a commit that is
            not multicast.
    """
    module = op.get_toplevel_object()
    assert isinstance(module, Operation)
    has_pairs = any(isinstance(mma, _MMAS) and mma.two_ctas is not None for mma in module.walk())
    pair = _PAIR if has_pairs else 0
    masks = [_replica_bits(operand) | pair for operand in operands] or [pair]
    ranks = range(1 << max(masks).bit_length())
    return sum(any(not rank & ~mask for mask in masks) for rank in ranks) >> has_pairs


def _replica_bits(operand: SSAValue) -> int:
    """Compute the bits of the rank in which CTAs with the same part of a buffer differ."""
    memory = operand.type
    assert isinstance(memory, ttg.MemDescType)
    if not isinstance(memory.memory_space, ttg.SharedMemoryAttr) or memory.encoding is None:
        return 0
    return memory.encoding.linear(memory.shape).free_variable_masks().get("block", 0)
