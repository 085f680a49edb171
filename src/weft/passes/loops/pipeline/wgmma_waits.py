"""Wait for asynchronous MMAs of Hopper.

    %d = ttng.warp_group_dot %a, %b, %c {isAsync = true}
    %w:3 = ttng.warp_group_dot_wait %d, %a, %b {pendings = 1}       uses of %d become uses of %w#0

A wait takes values and returns them, so that later uses depend on it; it also takes the buffers
that the MMAs read, which keeps them alive. MMAs complete in order, so a wait with `pendings = n` is
for all but the last n. For a loop with two MMAs that run into the next iteration:

    iteration i        launch D0(i), launch D1(i), wait with pendings = 2
                       D0(i-1) and D1(i-1) are complete: their buffers may be overwritten
    after the loop     wait with pendings = 0

Source: PTX ISA, wgmma.wait_group; Triton, WGMMAPipeline.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Use

from weft.analysis.slices import backward_slice
from weft.ir import attributes, scf, ttg, ttng, types
from weft.ir.builtin import Block, Operation, SSAValue
from weft.ir.rewriting import Builder, defining_op, erase
from weft.layouts import NvidiaMmaEncoding
from weft.passes.pipelining.loop_queries import is_defined_outside
from weft.passes.rewrite.nesting import precedes

__all__ = ["ACCUMULATOR", "add_values", "insert_waits", "wait_for"]

ACCUMULATOR = 2
"""The index of this operand of an MMA."""


def insert_waits(loop: scf.ForOp, dots: Sequence[ttng.WarpGroupDotOp]) -> None:
    """Insert the waits of a loop without a wait for all MMAs.

    Args:
        loop: The loop.
        dots: The MMAs of its body that may run into the next iteration, in order.
    """
    for dot in dots:
        _wait_before_uses(dot)
    for dot in dots:
        if _overwrites_its_registers(dot, loop):
            # The next iteration writes the registers of the left operand: wait for the MMA of
            # the previous iteration, which all but the last `len(dots) - 1` MMAs includes.
            wait_for(Builder().after(dot), [dot.d], pending=len(dots) - 1)
    last = dots[-1]
    if not _overwrites_its_registers(last, loop):
        # At most the MMAs of one iteration are pending. The wait is here, not at the end of the
        # loop, because a copy in between may overwrite what MMAs of the previous iteration read.
        wait_for(Builder().after(last), [dot.d for dot in dots], pending=len(dots))


def _wait_before_uses(dot: ttng.WarpGroupDotOp) -> None:
    """Wait in each block before the first use of an MMA that is not as accumulator."""
    uses_by_block: dict[Block | None, list[Use]] = {}
    for use in dot.d.uses:
        if not isinstance(use.operation, scf.YieldOp):
            uses_by_block.setdefault(use.operation.parent, []).append(use)
    for block, uses in uses_by_block.items():
        assert block is not None
        positions = {op: position for position, op in enumerate(block.ops)}
        uses.sort(key=lambda use: positions[use.operation])
        for use in uses:
            if isinstance(use.operation, ttng.WarpGroupDotOp) and use.index == ACCUMULATOR:
                continue
            builder = Builder(dot.location).restore((block, use.operation))
            wait_for(builder, [dot.d], pending=0)
            break


def _overwrites_its_registers(dot: ttng.WarpGroupDotOp, loop: scf.ForOp) -> bool:
    """Check whether the loop computes an MMA's left operand in registers, other than by an MMA."""
    if not types.is_tensor(dot.a.type) or is_defined_outside(dot.a, loop):
        return False
    conversion = defining_op(dot.a, ttg.ConvertLayoutOp)
    if conversion is None:
        return True
    return not isinstance(types.encoding(conversion.operands[0].type), NvidiaMmaEncoding)


def wait_for(builder: Builder, values: Sequence[SSAValue], pending: int) -> None:
    """Insert a wait at the position of a builder, and let later uses of the values depend on it.

    Args:
        builder: Where to insert the wait.
        values: Results of MMAs, or of loops with MMAs.
        pending: The number of MMAs that may still be pending.
    """
    operands = _with_buffers(values, builder.block)
    wait = _create_wait(builder, operands, pending)
    for operand, result in zip(operands, wait.results, strict=True):
        _replace_later_uses(operand, result, wait)


def add_values(wait: ttng.WarpGroupDotWaitOp, values: Sequence[SSAValue]) -> None:
    """Replace a wait by one that takes more values."""
    block = wait.parent
    assert block is not None
    operands = list(dict.fromkeys([*wait.operands, *_with_buffers(values, block)]))
    new_wait = _create_wait(Builder().before(wait), operands, wait.pendings.value.data)
    for old, new in zip(wait.results, new_wait.results, strict=False):
        old.replace_all_uses_with(new)
    count = len(wait.operands)
    for operand, result in zip(operands[count:], new_wait.results[count:], strict=True):
        _replace_later_uses(operand, result, new_wait)
    erase(wait)


def _create_wait(
    builder: Builder, operands: Sequence[SSAValue], pending: int
) -> ttng.WarpGroupDotWaitOp:
    return builder.create(
        ttng.WarpGroupDotWaitOp,
        operands,
        [operand.type for operand in operands],
        {"pendings": attributes.integer(pending, types.i32)},
    )


def _with_buffers(values: Iterable[SSAValue], block: Block) -> list[SSAValue]:
    """List values, and the buffers that the MMAs which compute them read.

    Args:
        values: The values.
        block: The block of the wait; MMAs outside of it are not followed.
    """
    values = list(dict.fromkeys(values))
    dots: list[ttng.WarpGroupDotOp] = []

    def keep(op: Operation) -> bool:
        if isinstance(op, ttng.WarpGroupDotOp):
            dots.append(op)
            return False
        return op.parent is block

    for value in values:
        backward_slice(value, keep=keep, omit_block_arguments=True)
    buffers = (operand for dot in dots for operand in dot.operands if ttg.is_memdesc(operand.type))
    return list(dict.fromkeys([*values, *buffers]))


def _replace_later_uses(value: SSAValue, result: SSAValue, wait: Operation) -> None:
    """Replace the uses of a tensor after a wait by the result of the wait."""
    if ttg.is_memdesc(value.type):
        return
    for use in list(value.uses):
        if precedes(wait, use.operation):
            use.operation.operands[use.index] = result
