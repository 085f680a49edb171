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

All other MMAs are waited for at once. For the waits see `wgmma_waits`.

Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"; Triton, WGMMAPipeline.cpp.
"""

from __future__ import annotations

from xdsl.ir import Use

from weft.ir import attributes, scf, tt, ttg, ttng, types
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder
from weft.passes.loops.pipeline.split_register_operands import split_register_operand
from weft.passes.loops.pipeline.wgmma_waits import ACCUMULATOR, add_values, insert_waits, wait_for
from weft.passes.pipelining.loop_queries import is_defined_outside
from weft.passes.rewrite.nesting import precedes

__all__ = ["launch_mmas_asynchronously", "yielded_index"]

_VIEWS_OF_OPERANDS = (
    ttg.ConvertLayoutOp,
    ttg.MemDescReshapeOp,
    ttg.MemDescSubsliceOp,
    ttg.MemDescTransOp,
)


def launch_mmas_asynchronously(loop: scf.ForOp) -> None:
    """Make the MMAs of a loop's body asynchronous, and insert waits."""
    # The MMAs that are not waited for at once, and the iter_arg that each is yielded as.
    async_dots: dict[ttng.WarpGroupDotOp, int] = {}
    for dot in [op for op in loop.block.ops if isinstance(op, ttng.WarpGroupDotOp)]:
        dot.properties["isAsync"] = attributes.boolean(True)
        index = _iter_arg_of_async(dot, loop)
        if index is None:
            wait_for(Builder().after(dot), [dot.d], pending=0)
        else:
            async_dots[dot] = index
    if not async_dots:
        return
    if _first_full_wait(loop) is None:
        # With such a wait, parts of an MMA would not overlap with anything.
        async_dots = {
            part: index for dot, index in async_dots.items() for part in split_register_operand(dot)
        }
        insert_waits(loop, list(async_dots))
    results = [loop.results[index] for index in async_dots.values()]
    wait_for(Builder().after(loop), results, pending=0)


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
        add_values(wait, [argument])
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
        return use.index == ACCUMULATOR
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
