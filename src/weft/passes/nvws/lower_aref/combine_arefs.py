"""Combine references that are read together, so that one mbarrier serves all.

    %a, %t = nvws.aref.get.enter %r0               %r = nvws.aref.create %m0, %m1
    %b, %u = nvws.aref.get.enter %r1          →    %a, %b, %t = nvws.aref.get.enter %r
    ttng.tc_gen5_mma %a, %b, …                     ttng.tc_gen5_mma %a, %b, …
    nvws.aref.get.exit %r0, %t                     nvws.aref.get.exit %r, %t
    nvws.aref.get.exit %r1, %u

Only references with one reader are combined. Triton also tries those with several, and fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct

from weft.ir import nvws, scf, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import Builder, defining_op, erase
from weft.passes.pipelining.blackwell.mma_v5 import MMAS
from weft.passes.pipelining.loop_queries import is_memdesc_view
from weft.passes.pipelining.partitions.arefs import (
    async_ops,
    common_block,
    create_aref,
    create_enter,
    first_in_block,
    kinds_of,
)
from weft.passes.pipelining.partitions.attributes import partition_ids, placement_of
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = ["combine_arefs"]

_Enter = TypeVar("_Enter", bound=nvws.ArefPutEnterOp | nvws.ArefGetEnterOp)
_Exit = TypeVar("_Exit", bound=nvws.ArefPutExitOp | nvws.ArefGetExitOp)
_Op = TypeVar("_Op", bound=Operation)
_READERS = (*MMAS, ttg.LocalLoadOp)


class _Accesses(Struct, frozen=True):
    """The operations on a reference with one writer and one reader."""

    aref: nvws.ArefCreateOp
    put_enter: nvws.ArefPutEnterOp
    put_exit: nvws.ArefPutExitOp
    get_enter: nvws.ArefGetEnterOp
    get_exit: nvws.ArefGetExitOp


def combine_arefs(loop: scf.ForOp) -> None:
    """Combine the references that a loop reads before the same operation, in one partition."""
    groups: dict[tuple[Operation, tuple[int, ...]], list[_Accesses]] = {}
    for op in loop.block.ops:
        if isinstance(op, nvws.ArefGetEnterOp):
            reader = _first_reader(op, loop)
            accesses = _accesses(op)
            if reader is not None and accesses is not None:
                groups.setdefault((reader, partition_ids(op)), []).append(accesses)
    for group in groups.values():
        writers = {partition_ids(accesses.put_enter)[:1] for accesses in group}
        if len(group) > 1 and len(writers) == 1:
            _combine(group)


def _first_reader(get: nvws.ArefGetEnterOp, loop: scf.ForOp) -> Operation | None:
    """Find the operation of a loop's body that reads a buffer first, or contains the readers."""
    readers: list[Operation] = []
    views: list[SSAValue] = [get.results[0]]
    while views:
        for use in views.pop().uses:
            if isinstance(use.operation, _READERS):
                readers.append(use.operation)
            elif is_memdesc_view(use.operation):
                views.append(use.operation.results[0])
    if not readers:
        return None
    return ancestor_in_block(first_in_block(readers, common_block(readers)), loop.block)


def _accesses(get: nvws.ArefGetEnterOp) -> _Accesses | None:
    """Collect the operations on a reference, None if it has several writers or readers."""
    aref = defining_op(get.aref, nvws.ArefCreateOp)
    assert aref is not None
    users = {type(use.operation): use.operation for use in aref.result.uses}
    if len(users) != len(tuple(aref.result.uses)):
        return None
    put_enter, put_exit = users.get(nvws.ArefPutEnterOp), users.get(nvws.ArefPutExitOp)
    get_exit = users.get(nvws.ArefGetExitOp)
    if (
        isinstance(put_enter, nvws.ArefPutEnterOp)
        and isinstance(put_exit, nvws.ArefPutExitOp)
        and isinstance(get_exit, nvws.ArefGetExitOp)
    ):
        return _Accesses(aref, put_enter, put_exit, get, get_exit)
    return None


def _combine(group: list[_Accesses]) -> None:
    """Replace the references of a group by one."""
    arefs = [accesses.aref for accesses in group]
    last = _last(arefs)
    aref = create_aref(Builder().before(last), [each.operands[0] for each in arefs])
    put_exit = _combine_accesses(
        aref, [each.put_enter for each in group], [each.put_exit for each in group], None
    )
    _combine_accesses(
        aref, [each.get_enter for each in group], [each.get_exit for each in group], put_exit
    )
    for accesses in group:
        for op in (accesses.put_exit, accesses.put_enter, accesses.get_exit, accesses.get_enter):
            erase(op)
    for each in arefs:
        erase(each)


def _last(ops: Sequence[_Op]) -> _Op:
    last = ops[0]
    for op in ops[1:]:
        if last.is_before_in_block(op):
            last = op
    return last


def _combine_accesses(
    aref: nvws.ArefCreateOp, enters: list[_Enter], exits: list[_Exit], anchor: Operation | None
) -> _Exit:
    """Replace the puts or the gets of several references by one of their combination.

    Args:
        aref: The combination.
        enters: The operations that enter.
        exits: The operations that exit.
        anchor: Where to enter: after this operation; None for the place of the first one.

    Returns:
        The operation that exits.
    """
    first = enters[0]
    for op in enters[1:]:
        if op.is_before_in_block(first):
            first = op
    last = _last(exits)
    kinds = dict.fromkeys(kind for op in exits for kind in kinds_of(op))
    # The slot is assigned later.
    zero = placement_of(first).constant(Builder().after(aref), 0, types.i32)
    builder = Builder().before(first) if anchor is None else Builder().after(anchor)
    views = [op.results[0].type for op in enters]
    enter = create_enter(
        builder, type(first), placement_of(first), aref.result, views, (zero, zero)
    )
    new_exit = placement_of(last).create(
        Builder().before(last),
        type(last),
        [aref.result, enter.results[-1], zero],
        properties=async_ops(kinds),
    )
    for index, op in enumerate(enters):
        _move_users_after(op, enter)
        op.results[0].replace_all_uses_with(enter.results[index])
    return new_exit


def _move_users_after(op: Operation, anchor: Operation) -> None:
    """Move the users of an operation after another one, and their users after them."""
    assert anchor.parent is not None
    for result in op.results:
        for use in tuple(result.uses):
            user = ancestor_in_block(use.operation, anchor.parent)
            if user is not None and user is not anchor and user.is_before_in_block(anchor):
                user.detach()
                anchor.parent.insert_op_after(user, anchor)
                _move_users_after(user, user)
