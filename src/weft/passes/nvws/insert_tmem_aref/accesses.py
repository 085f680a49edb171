"""The accesses to a buffer in TMEM, in the order of its tokens, and which partition makes each.

    %m, %t0 = ttng.tmem_alloc                         allocation
    %t1 = ttng.tmem_store %x, %m[%t0]                 store, outside of the partitions
    scf.for … iter_args(%t = %t1)                     loop, with accesses in its body:
      %t2 = ttng.tc_gen5_mma …, %m[%t]                  MMA, partition 1
      %y, %t3 = ttng.tmem_load %m[%t2]                  load, partition 0
      scf.yield %t3                                     yield, partition 1 as the iter_arg

Each token has one user, but a conditional has one in each region.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.errors import PassError
from weft.ir import locations, scf, ttng
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import ancestors
from weft.passes.pipelining.blackwell.tmem_accumulators import token_of
from weft.passes.pipelining.partitions.attributes import (
    has_partition,
    partition_ids,
    partition_outputs,
    tag_of,
)

__all__ = ["Access", "Owner", "accesses_to", "owners_of"]

Owner = tuple[int, int]
"""The number of a partition, and the tag of its loop."""


class Access:
    """An operation on a buffer in TMEM.

    Attributes:
        op: The operation.
        token_operand: The number of the operand that is the token, None for the allocation, a
            conditional, and the user of an initialized allocation.
        owner: The partition, None outside of the partitions. That of control flow owns the buffer
            before and after it.
        previous: The access before; None for the first one of a region.
        context: For the first access of a region, the access of the control flow; for a yield, the
            first access of its region.
        following: The next access in the same region.
        regions: The first access of each region of control flow.
        token_result: The number of the result of control flow that is the token.
    """

    __slots__ = (
        "context",
        "following",
        "op",
        "owner",
        "previous",
        "regions",
        "token_operand",
        "token_result",
    )

    def __init__(
        self,
        op: Operation,
        token_operand: int | None = None,
        owner: Owner | None = None,
        previous: Access | None = None,
    ) -> None:
        self.op = op
        self.token_operand = token_operand
        self.owner = owner
        self.previous = previous
        self.context: Access | None = None
        self.following: Access | None = None
        self.regions: list[Access] = []
        self.token_result: int | None = None

    def walk(self) -> Iterator[Access]:
        """Iterate over this access, those in its regions, and those after it."""
        access: Access | None = self
        while access is not None:
            yield access
            for first in access.regions:
                yield from first.walk()
            access = access.following


def _owner(op: Operation, index: int = 0) -> Owner | None:
    """Find the partition of an operation, or of a result of control flow."""
    if not has_partition(op):
        return None
    partitions = partition_outputs(op)[index] if op.regions else partition_ids(op)
    tag = next(tag for each in (op, *ancestors(op)) if (tag := tag_of(each)) is not None)
    if len(partitions) != 1:
        raise PassError(
            "several partitions access a buffer in tensor memory at once",
            location=locations.position(op.location),
            found=f"partitions {', '.join(map(str, partitions))}",
            accepted=["one partition"],
            hint="assign the operation to one partition",
        )
    return partitions[0], tag


def accesses_to(allocation: ttng.TMEMAllocOp) -> Access:
    """Follow the tokens of a buffer.

    Returns:
        The allocation, from which the other accesses can be reached.
    """
    root = Access(allocation)
    token = token_of(allocation)
    if allocation.src is not None:
        root.owner = _owner(allocation)
    if token is None:
        user = allocation.results[0].get_user_of_unique_use()
        assert user is not None
        root.following = Access(user, None, _owner(user), root)
    else:
        _follow(token, root)
    return root


def _follow(token: SSAValue, access: Access) -> SSAValue:
    """Add the accesses after another one to it.

    Args:
        token: The token that the other access returns.
        access: The other access.

    Returns:
        The token of the last access of the region.
    """
    while True:
        if token.has_more_than_one_use():
            access, token = _add_conditional(token, access)
            continue
        use = token.get_unique_use()
        if use is None:
            return token
        op = use.operation
        if isinstance(op, scf.YieldOp):
            return token
        following = Access(op, use.index, None if op.regions else _owner(op), access)
        access.following = following
        if isinstance(op, scf.ForOp):
            new_token = _add_loop(op, use.index, following)
        else:
            result = token_of(op)
            assert result is not None
            new_token = result
        access, token = following, new_token


def _add_region(argument: SSAValue, control: Access) -> tuple[Access, SSAValue]:
    """Collect the accesses of a region.

    Returns:
        The first access, and the token that the region yields.
    """
    holder = Access(control.op)
    token = _follow(argument, holder)
    first = holder.following
    assert first is not None
    first.previous = None
    first.context = control
    control.regions.append(first)
    return first, token


def _add_yield(first: Access, terminator: Operation, index: int, owner: Owner | None) -> None:
    """Add the yield of a region after its last access."""
    last = first
    while last.following is not None:
        last = last.following
    last.following = Access(terminator, index, owner, last)
    last.following.context = first


def _add_loop(loop: scf.ForOp, operand: int, control: Access) -> SSAValue:
    """Add the accesses in a loop.

    Args:
        loop: The loop.
        operand: The index of the operand that is the token.
        control: The access of the loop itself.

    Returns:
        The token that the loop returns.
    """
    index = loop.init_arg_index(operand)
    assert index is not None
    first, _ = _add_region(loop.iter_args[index], control)
    control.owner = _owner(loop, index)
    control.token_result = index
    _add_yield(first, loop.terminator, index, control.owner)
    return loop.results[index]


def _add_conditional(token: SSAValue, previous: Access) -> tuple[Access, SSAValue]:
    """Add a conditional whose regions use a token.

    Returns:
        The conditional, and the token that it returns.
    """
    users = [use.operation for use in token.uses]
    op = users[0].parent_op()
    assert isinstance(op, scf.IfOp)
    control = Access(op, None, None, previous)
    previous.following = control
    first_accesses: list[Access | None] = []
    tokens: list[SSAValue] = []
    for region in op.regions:
        (use,) = [use for use in token.uses if use.operation.parent is region.block]
        holder = Access(op)
        tokens.append(_follow_use(use.operation, use.index, token, holder))
        first_accesses.append(holder.following)
    then_yield = op.then_block.last_op
    assert then_yield is not None
    index = list(then_yield.operands).index(tokens[0])
    control.owner = _owner(op, index)
    control.token_result = index
    for region, first in zip(op.regions, first_accesses, strict=True):
        terminator = region.block.last_op
        assert terminator is not None
        if first is None:  # the region passes the token on
            first = Access(terminator, index, control.owner)
            first.context = control
            control.regions.append(first)
            continue
        first.previous = None
        first.context = control
        control.regions.append(first)
        _add_yield(first, terminator, index, control.owner)
    return control, op.results[index]


def _follow_use(op: Operation, index: int, token: SSAValue, holder: Access) -> SSAValue:
    """Follow one of several uses of a token, in a region of a conditional."""
    if isinstance(op, scf.YieldOp):
        return token
    first = Access(op, index, None if op.regions else _owner(op), holder)
    holder.following = first
    if isinstance(op, scf.ForOp):
        return _follow(_add_loop(op, index, first), first)
    result = token_of(op)
    assert result is not None
    return _follow(result, first)


def owners_of(root: Access) -> tuple[bool, list[tuple[Owner, Operation]]]:
    """List the partitions that access a buffer.

    Returns:
        Whether accesses outside of the partitions come after some in one; and each partition with
        the access, in order.
    """
    owners: list[tuple[Owner, Operation]] = []
    if root.owner is not None:
        owners.append((root.owner, root.op))
    is_used_outside = False
    assert root.following is not None
    for access in root.following.walk():
        if access.owner is None:
            is_used_outside = bool(owners)
        else:
            owners.append((access.owner, access.op))
    return is_used_outside, owners
