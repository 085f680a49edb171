"""Launch the MMAs of Hopper asynchronously, and wait for them as late as possible.

Before:  scf.for … iter_args(%c = %zero) {          After:  %r = scf.for … iter_args(%c = %zero) {
           %d = ttng.warp_group_dot %a, %b, %c                %d = ttng.warp_group_dot %a, %b, %c
           scf.yield %d                                            {isAsync = true}
         }                                                    %w:3 = ttng.warp_group_dot_wait
                                                                   %d, %a, %b {pendings = 1}
                                                              scf.yield %w#0
                                                            }
                                                            ttng.warp_group_dot_wait %r
                                                                   {pendings = 0}

wgmma is asynchronous: its operands must stay as they are, and its result must not be read, until a
wait. An MMA runs while the next iteration starts if

1. its operands in shared memory are multi-buffered, or defined outside of the loop;
2. only the next iteration uses its result, or a conditional, which gets a wait;
3. the accumulator is f32, and the next iteration uses it only as accumulator of an MMA, or after a
   wait for all MMAs.

All other MMAs are waited for at once. A wait takes values and returns them, so that later uses
depend on it; it also takes the buffers that the MMAs read, which keeps them alive.

Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"; Triton, WGMMAPipeline.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Use

from weft.analysis.slices import backward_slice
from weft.ir import attributes, scf, tt, ttg, ttng, types
from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder, defining_op, erase
from weft.layouts import NvidiaMmaEncoding
from weft.passes.loops.pipeline.split_register_operands import split_register_operand
from weft.passes.pipelining.loop_queries import is_defined_outside
from weft.passes.rewrite.nesting import precedes

__all__ = ["launch_mmas_asynchronously", "yielded_index"]

_ACCUMULATOR = 2  # the index of the operand
_VIEWS_OF_OPERANDS = (
    ttg.ConvertLayoutOp,
    ttg.MemDescReshapeOp,
    ttg.MemDescSubsliceOp,
    ttg.MemDescTransOp,
)

_AsyncDots = dict[ttng.WarpGroupDotOp, int]
"""MMAs that are not waited for at once, and the index of the iter_arg that each is yielded as."""


def launch_mmas_asynchronously(loop: scf.ForOp) -> None:
    """Make the MMAs of a loop's body asynchronous, and insert waits."""
    async_dots: _AsyncDots = {}
    for dot in [op for op in loop.block.ops if isinstance(op, ttng.WarpGroupDotOp)]:
        dot.properties["isAsync"] = attributes.boolean(True)
        index = _iter_arg_of_async(dot, loop)
        if index is None:
            _wait_for(Builder().after(dot), [dot.d], pending=0)
        else:
            async_dots[dot] = index
    if not async_dots:
        return
    if _first_full_wait(loop) is None:
        # With such a wait, parts of an MMA would not overlap with anything.
        async_dots = {
            part: index for dot, index in async_dots.items() for part in split_register_operand(dot)
        }
        _insert_waits(loop, async_dots)
    results = [loop.results[index] for index in async_dots.values()]
    _wait_for(Builder().after(loop), results, pending=0)


# ------------------------------------------------------------------------------------ conditions
def _iter_arg_of_async(dot: ttng.WarpGroupDotOp, loop: scf.ForOp) -> int | None:
    """Check whether an MMA may run into the next iteration.

    Returns:
        The index of the iter_arg that it is yielded as; None if it has to be waited for at once.
    """
    if not _is_multi_buffered(dot.a, loop) or not _is_multi_buffered(dot.b, loop):
        return None
    index = yielded_index(dot, loop)
    if index is None or types.element(dot.c.type) != types.f32:
        return None
    argument = loop.iter_args[index]
    if all(_is_accumulator(use) for use in argument.uses):
        return index
    wait = _first_full_wait(loop)
    if wait is not None and all(precedes(wait, use.operation) for use in argument.uses):
        _add_values(wait, [argument])
        return index
    return None


def _is_multi_buffered(operand: SSAValue, loop: scf.ForOp) -> bool:
    """Check that no later iteration writes an operand while an MMA may read it.

    Operands in registers count as such: waits keep the registers.
    """
    if types.is_tensor(operand.type):
        return True
    value = operand
    visited: set[SSAValue] = set()
    while not is_defined_outside(value, loop):
        if isinstance(value, OpResult):
            if not isinstance(value.op, _VIEWS_OF_OPERANDS):
                return isinstance(value.op, ttg.MemDescIndexOp)
            value = value.op.operands[0]
            continue
        if value in visited:
            return True  # iterations hand on a value from before the loop
        visited.add(value)
        assert isinstance(value, BlockArgument)
        if value.index == 0:
            return False
        value = loop.yielded_values[value.index - 1]
    return True


def yielded_index(dot: ttng.WarpGroupDotOp, loop: scf.ForOp) -> int | None:
    """Find the only iter_arg that an MMA is yielded as.

    Returns:
        The index. None if there is no or more than one, or another operation of the body itself,
        not in a conditional, uses the result.
    """
    index: int | None = None
    worklist = list(dot.d.uses)
    while worklist:
        use = worklist.pop()
        user = use.operation
        parent = user.parent_op()
        if parent is loop:
            if _is_free(user):
                worklist += user.results[0].uses
            elif isinstance(user, scf.YieldOp) and index is None:
                index = use.index
            else:
                return None
        elif not isinstance(parent, scf.IfOp):
            return None
        elif isinstance(user, scf.YieldOp):
            worklist += parent.results[use.index].uses
    return index


def _is_accumulator(use: Use) -> bool:
    """Check whether a value is used as accumulator of MMAs only, possibly in another view."""
    user = use.operation
    if isinstance(user, ttng.WarpGroupDotOp):
        return use.index == _ACCUMULATOR
    return _is_free(user) and all(_is_accumulator(inner) for inner in user.results[0].uses)


def _is_free(op: Operation) -> bool:
    """Check whether an operation only reinterprets the registers of a tensor."""
    if isinstance(op, tt.ReshapeOp | tt.TransOp):
        return True
    if not isinstance(op, ttg.ConvertLayoutOp):
        return False
    source, target = types.encoding(op.operands[0].type), types.encoding(op.results[0].type)
    assert source is not None
    assert target is not None
    shape = types.shape(op.results[0].type)
    conversion = target.linear(shape).invert_and_compose(source.linear(shape))
    for dim in list(conversion.in_dims):
        quotient = conversion.quotient([dim])
        if quotient is None:
            return False
        conversion = quotient
    return True


def _first_full_wait(loop: scf.ForOp) -> ttng.WarpGroupDotWaitOp | None:
    """Find the first operation of a loop's body that waits for all MMAs."""
    for op in loop.block.ops:
        if isinstance(op, ttng.WarpGroupDotWaitOp) and op.pendings.value.data == 0:
            return op
    return None


# ----------------------------------------------------------------------------------------- waits
def _insert_waits(loop: scf.ForOp, dots: _AsyncDots) -> None:
    """Insert the waits of a loop without a wait for all MMAs."""
    for dot in dots:
        _wait_before_uses(dot)
    for dot in dots:
        if _overwrites_its_registers(dot, loop):
            # The next iteration writes the registers of the left operand: wait for the MMA of
            # the previous iteration, which all but the last `len(dots) - 1` MMAs includes.
            _wait_for(Builder().after(dot), [dot.d], pending=len(dots) - 1)
    last = next(reversed(dots))
    if not _overwrites_its_registers(last, loop):
        # At most the MMAs of one iteration are pending. The wait is here, not at the end of the
        # loop, because a copy in between may overwrite what MMAs of the previous iteration read.
        _wait_for(Builder().after(last), [dot.d for dot in dots], pending=len(dots))


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
            if isinstance(use.operation, ttng.WarpGroupDotOp) and use.index == _ACCUMULATOR:
                continue
            _wait_for(Builder().before(use.operation), [dot.d], pending=0)
            break


def _overwrites_its_registers(dot: ttng.WarpGroupDotOp, loop: scf.ForOp) -> bool:
    """Check whether the loop computes an MMA's left operand in registers, other than by an MMA."""
    if not types.is_tensor(dot.a.type) or is_defined_outside(dot.a, loop):
        return False
    conversion = defining_op(dot.a, ttg.ConvertLayoutOp)
    if conversion is None:
        return True
    return not isinstance(types.encoding(conversion.operands[0].type), NvidiaMmaEncoding)


def _wait_for(builder: Builder, values: Sequence[SSAValue], pending: int) -> None:
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


def _add_values(wait: ttng.WarpGroupDotWaitOp, values: Sequence[SSAValue]) -> None:
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
