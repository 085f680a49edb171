"""Hand a buffer in TMEM from partition to partition.

    %t2 = ttng.tc_gen5_mma …, %m[%t] {partition 1}       nvws.aref.put.exit %r, %u [tc5mma]   {1}
    %y, %t3 = ttng.tmem_load %m[%t2] {partition 0}  →    %b, %v = nvws.aref.get.enter %r      {0}
                                                         %y = ttng.tmem_load %b

The partition that writes first owns the buffer by put, the other one by get. Where the owner
changes, the old one signals after its last access, and the new one waits before its first.
"""

from __future__ import annotations

from weft.ir import nvws, scf, ttng, types
from weft.ir.builtin import Block, Operation, SSAValue
from weft.ir.rewriting import Builder, ancestors
from weft.passes.nvws.insert_tmem_aref.accesses import Access, Owner
from weft.passes.pipelining.blackwell.mma_v5 import MMAS
from weft.passes.pipelining.blackwell.tmem_accumulators import token_of
from weft.passes.pipelining.partitions.arefs import async_ops, buffer_view_type, create_enter
from weft.passes.pipelining.partitions.attributes import Placement, tag_of
from weft.passes.pipelining.schedule.loop_schedule import stage_and_cluster
from weft.passes.rewrite.operands import set_operand

__all__ = ["Ownership", "hand_over", "store_initial_value"]

_Position = tuple[int, int] | None


def placement(block: Block, owner: Owner | None, position: _Position) -> Placement:
    """Get the placement of a new operation of a partition; outside of the loop it has the tag."""
    if owner is None:
        return Placement()
    parent = block.parent_op()
    assert parent is not None
    enclosing = (parent, *ancestors(parent))
    is_inside = any(isinstance(op, scf.ForOp) and tag_of(op) is not None for op in enclosing)
    return Placement((owner[0],), position, None if is_inside else owner[1])


class Ownership:
    """Who owns a buffer at a point of the program.

    Attributes:
        aref: The reference.
        original: The buffer that the accesses use so far.
        poison: A token without a meaning, for the old tokens.
        token: The token of the owner.
        owner: The partition.
        is_put: Whether it owns the buffer by put, else by get.
        view: The buffer as the owner sees it; None until the next access.
        kinds: The kind of the last access of each partition.
        positions: The stage and cluster of the last access of each partition.
    """

    __slots__ = (
        "aref",
        "is_put",
        "kinds",
        "original",
        "owner",
        "poison",
        "positions",
        "token",
        "view",
    )

    def __init__(self, aref: nvws.ArefCreateOp, original: SSAValue, poison: SSAValue) -> None:
        self.aref = aref
        self.original = original
        self.poison = poison
        self.token = poison
        self.owner: Owner | None = None
        self.is_put = True
        self.view: SSAValue | None = None
        self.kinds: dict[Owner | None, str] = {}
        self.positions: dict[Owner, _Position] = {}

    def copy(self) -> Ownership:
        """Copy the state, for a region."""
        copied = Ownership(self.aref, self.original, self.poison)
        copied.token, copied.owner = self.token, self.owner
        copied.is_put, copied.view = self.is_put, self.view
        copied.kinds, copied.positions = dict(self.kinds), dict(self.positions)
        return copied

    def acquire(self, builder: Builder, owner: Owner | None, position: _Position) -> None:
        """Wait until the buffer belongs to a partition."""
        enter = create_enter(
            builder,
            nvws.ArefPutEnterOp if self.is_put else nvws.ArefGetEnterOp,
            placement(builder.block, owner, position),
            self.aref.result,
            [buffer_view_type(self.aref.operands[0].type)],
        )
        self.token = enter.results[-1]
        self.owner = owner
        self.view = None
        if owner is not None:
            self.positions[owner] = position

    def release(self, builder: Builder) -> None:
        """Signal that the owner has made its accesses."""
        position = self.positions.get(self.owner) if self.owner is not None else None
        placement(builder.block, self.owner, position).create(
            builder,
            nvws.ArefPutExitOp if self.is_put else nvws.ArefGetExitOp,
            [self.aref.result, self.token],
            properties=async_ops([self.kinds[self.owner]]),
        )
        self.is_put = not self.is_put

    def buffer(self, builder: Builder, owner: Owner | None, op: Operation) -> SSAValue:
        """Get the buffer for an access."""
        if self.view is None:
            view = placement(builder.block, owner, stage_and_cluster(op)).create(
                builder,
                nvws.ArefBufferOp,
                [self.aref.result, self.token],
                [buffer_view_type(self.aref.operands[0].type)],
            )
            self.view = view.results[0]
        return self.view


def hand_over(first: Access, owner: Owner | None, state: Ownership) -> Access:
    """Insert the changes of ownership for accesses, and make them use the reference.

    Args:
        first: The first access of a region.
        owner: The owner before, None outside of the partitions: there is a barrier on entry of
            the warp-specialized loop, which makes a change of ownership unnecessary.
        state: The state, which is updated.

    Returns:
        The last access of the region.
    """
    access = first
    while True:
        if owner is not None and access.owner != owner:
            _change_owner(access, state)
        for region in access.regions:
            _enter_region(access, region, state)
        _rewrite(access, state)
        if access.following is None:
            return access
        owner, access = access.owner, access.following


def _change_owner(access: Access, state: Ownership) -> None:
    """Release the buffer after the last access of the owner; acquire it for another access."""
    op = access.op
    builder = Builder()
    if access.previous is not None:
        builder.after(access.previous.op)
    else:  # the first access of a region
        assert op.parent is not None
        builder.at_start(op.parent)
    state.release(builder)
    user = op
    if isinstance(op, scf.YieldOp):
        # A yield is not scheduled. The next access is that at the start of the region.
        assert access.context is not None
        user = access.context.op
    position = stage_and_cluster(user)
    if position is None and access.owner is not None:
        position = state.positions.get(access.owner)
    state.acquire(Builder().before(op), access.owner, position)


def _enter_region(access: Access, region: Access, state: Ownership) -> None:
    """Hand over the buffer in a region of control flow."""
    inner = state.copy()
    if isinstance(access.op, scf.ForOp):
        assert access.token_result is not None
        inner.token = access.op.iter_args[access.token_result]
        inner.view = None
    hand_over(region, access.owner, inner)
    state.kinds = inner.kinds
    state.owner = inner.owner


def _rewrite(access: Access, state: Ownership) -> None:
    """Make an access use the reference instead of the buffer and its tokens."""
    op, owner = access.op, access.owner
    if isinstance(op, scf.YieldOp):
        assert access.token_operand is not None
        op.operands[access.token_operand] = state.token
        return
    if isinstance(op, scf.IfOp | scf.ForOp):
        if access.token_result is not None:
            if isinstance(op, scf.ForOp):
                assert access.token_operand is not None
                op.operands[access.token_operand] = state.token
            state.token = op.results[access.token_result]
            state.view = None
        return
    state.kinds[owner] = "tc5mma" if isinstance(op, MMAS) else "none"
    if owner is not None:
        state.positions[owner] = stage_and_cluster(op)
    builder = Builder().before(op)
    token = token_of(op)
    if isinstance(op, ttng.TMEMLoadOp):
        op.operands = [state.buffer(builder, owner, op)]
    elif isinstance(op, ttng.TMEMStoreOp):
        op.operands = [state.buffer(builder, owner, op), op.src, op.pred]
    else:
        assert isinstance(op, MMAS)
        if op.d is not state.original:
            token = None  # it is the token of another buffer
        elif op.acc_dep is not None:
            set_operand(op, "acc_dep", None)
        for index, operand in enumerate(op.operands):
            if operand is state.original:
                op.operands[index] = state.buffer(builder, owner, op)
    if token is not None:
        token.replace_all_uses_with(state.poison)


def store_initial_value(
    builder: Builder, allocation: ttng.TMEMAllocOp, owner: Owner | None, state: Ownership
) -> None:
    """Store the initial value of a buffer."""
    source = allocation.src
    assert source is not None
    position = stage_and_cluster(allocation)
    buffer = state.buffer(builder, owner, allocation)
    state.kinds[owner] = "none"
    where = placement(builder.block, owner, position)
    true = where.constant(builder, True, types.i1)
    where.create(builder, ttng.TMEMStoreOp, [buffer, source, true])
