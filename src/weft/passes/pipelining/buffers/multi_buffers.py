"""Multi-buffers in shared memory: one buffer for each iteration that is in flight.

%m = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, …, mutable>       three buffers
scf.for … iter_args(%i = %c-1) {
  %n = (%i + 1) mod 3
  %v = ttg.memdesc_index %m[%n] : … -> !ttg.memdesc<64x32xf16, …>        one of them
}
ttg.local_dealloc %m
"""

from __future__ import annotations

from msgspec import Struct

from weft.ir import arith, attributes, scf, ttg, ttng, types
from weft.ir.attributes import array_values
from weft.ir.builtin import Attribute, Operation, OpResult, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.locations import LocationAttr, location_of
from weft.ir.operation import Op
from weft.ir.rewriting import Builder, erase, set_type
from weft.layouts import Encoding
from weft.passes.pipelining.loop_queries import is_memdesc_view

__all__ = [
    "Increment",
    "allocate_buffers",
    "buffer_array_type",
    "increment_modulo",
    "replace_uses_with_local_load",
    "replace_view_uses",
    "select_buffer",
]


def allocate_buffers(
    loop: scf.ForOp, type_: Attribute, encoding: Encoding, count: int, source: Operation
) -> OpResult:
    """Allocate buffers before a loop and deallocate them after it.

    Args:
        loop: The loop.
        type_: The type of the tensor that one buffer holds.
        encoding: The encoding of a buffer.
        count: The number of buffers.
        source: The operation whose results are stored there, for the source location.

    Returns:
        The memory descriptor of all buffers.
    """
    memory = ttg.MemDescType.of(
        (count, *types.shape(type_)),
        types.element(type_),
        encoding,
        ttg.SharedMemoryAttr(),
        mutable=True,
    )
    builder = Builder().before(loop)
    builder.location = source.location
    allocation = builder.create(ttg.LocalAllocOp, (), [memory]).result
    Builder().after(loop).create(ttg.LocalDeallocOp, [allocation])
    assert isinstance(allocation, OpResult)
    return allocation


def buffer_array_type(buffer: ttg.MemDescType, count: int) -> ttg.MemDescType:
    """Compute the type of several mutable buffers of one type."""
    assert buffer.encoding is not None
    return ttg.MemDescType.of(
        (count, *buffer.shape),
        buffer.element_type,
        buffer.encoding,
        buffer.memory_space,
        mutable=True,
    )


def select_buffer(
    builder: Builder, buffers: SSAValue, index: SSAValue, location: LocationAttr | None = None
) -> OpResult:
    """Create the view of one of several buffers.

    Args:
        builder: Where.
        buffers: The array of buffers.
        index: The number of the buffer.
        location: The location of the view, by default that of the array.
    """
    type_ = buffers.type
    assert isinstance(type_, ttg.MemDescType)
    assert type_.encoding is not None
    view_type = ttg.MemDescType.of(
        type_.shape[1:],
        type_.element_type,
        type_.encoding,
        type_.memory_space,
        mutable=type_.is_mutable,
    )
    view = builder.value(ttg.MemDescIndexOp, [buffers, index], view_type)
    view.op.location = location_of(buffers) if location is None else location
    return view


class Increment(Struct, frozen=True):
    """A counter modulo a number of buffers.

    Attributes:
        value: The next value.
        wraps: Whether it is zero because it reached the number of buffers.
    """

    value: OpResult
    wraps: OpResult


def increment_modulo(
    builder: Builder, counter: SSAValue, modulus: SSAValue, zero: SSAValue, one: SSAValue
) -> Increment:
    """Compute (counter + 1) mod modulus for a counter below the modulus."""
    following = builder.value(arith.AddIOp, [counter, one], counter.type)
    predicate = {"predicate": CmpIPredicate.SGE.attr()}
    wraps = builder.value(arith.CmpIOp, [following, modulus], types.i1, predicate)
    value = builder.value(arith.SelectOp, [wraps, zero, following], counter.type)
    return Increment(value, wraps)


def replace_uses_with_local_load(
    builder: Builder, value: OpResult, buffer: SSAValue, token: SSAValue | None = None
) -> ttg.LocalLoadOp | None:
    """Replace a loaded tensor by what is in a buffer.

    Allocations of the buffer's encoding that store the tensor become the buffer itself.

    Args:
        builder: Where to load the buffer.
        value: The tensor.
        buffer: The buffer.
        token: The token of the wait that the buffer is read after.

    Returns:
        The load from the buffer, None if all uses are such allocations.
    """
    type_ = buffer.type
    assert isinstance(type_, ttg.MemDescType)
    uses = [use.operation for use in value.uses]
    allocations: list[Operation] = []
    for user in uses:
        if isinstance(user, ttg.LocalAllocOp):
            memory = user.result.type
            assert isinstance(memory, ttg.MemDescType)
            if memory.encoding is type_.encoding:
                replace_view_uses(builder, user, buffer)
                allocations.append(user)
    load = None
    if len(uses) > len(allocations):
        operands = [buffer] if token is None else [buffer, token]
        load = builder.create(ttg.LocalLoadOp, operands, [value.type])
        value.replace_all_uses_with(load.result)
    for allocation in allocations:
        erase(allocation)
    return load


def replace_view_uses(builder: Builder, op: Operation, buffer: SSAValue) -> None:
    """Replace a buffer in its uses, which includes views of it: their types change.

    Args:
        builder: A builder; its insertion point stays.
        op: The operation that defines the buffer.
        buffer: The new buffer, which may be mutable although the old one is not.
    """
    place = builder.place
    uses = list(op.results[0].uses)
    views: list[Operation] = []
    for use in uses:
        user = use.operation
        if isinstance(user, ttg.WarpSpecializePartitionsOp):
            # Partitions see the buffer as an argument of each region.
            for region in user.regions:
                set_type(region.block.args[use.index], buffer.type)
        if is_memdesc_view(user):
            location = builder.location
            builder.before(user)
            cls = type(user)
            assert issubclass(cls, Op)
            view = builder.create(
                cls,
                [buffer, *user.operands[1:]],
                [_view_type(user, buffer)],
                user.properties,
                user.attributes,
            )
            replace_view_uses(builder, user, view.results[0])
            views.append(user)
            builder.location = location
    for use in uses:
        if use.operation not in views:
            _replace_use(builder, use.operation, use.index, buffer)
    for view in views:
        erase(view)
    builder.restore(place)


def _view_type(view: Operation, buffer: SSAValue) -> ttg.MemDescType:
    """Compute the type of a view of another buffer.

    The buffer differs in being mutable, and in how many there are: `64x32, 2x64x32` has the
    transposed view `32x64, 2x32x64`.
    """
    type_, buffer_type = view.results[0].type, buffer.type
    assert isinstance(type_, ttg.MemDescType)
    assert isinstance(buffer_type, ttg.MemDescType)
    assert type_.encoding is not None
    allocated = type_.allocated
    if isinstance(view, ttg.MemDescTransOp):
        whole = buffer_type.allocated
        leading, trailing = whole[: -len(type_.shape)], whole[-len(type_.shape) :]
        allocated = (*leading, *(trailing[dim] for dim in array_values(view.order)))
    return ttg.MemDescType.of(
        type_.shape,
        type_.element_type,
        type_.encoding,
        type_.memory_space,
        mutable=buffer_type.is_mutable,
        allocated=allocated,
    )


def _replace_use(builder: Builder, user: Operation, index: int, buffer: SSAValue) -> None:
    """Replace one operand; a wait for MMAs returns its operands, so its types change, too."""
    if not isinstance(user, ttng.WarpGroupDotWaitOp):
        user.operands[index] = buffer
        return
    operands = list(user.operands)
    operands[index] = buffer
    wait = builder.after(user).create(
        ttng.WarpGroupDotWaitOp,
        operands,
        [operand.type for operand in operands],
        {"pendings": attributes.integer(user.pendings.value.data, types.i32)},
    )
    for old, new in zip(user.results, wait.results, strict=True):
        old.replace_all_uses_with(new)
    erase(user)
