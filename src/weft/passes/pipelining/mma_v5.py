"""Which MMAs of Blackwell a loop can overlap with its loads and with themselves.

    %m = ttng.tmem_alloc                            the accumulator, before the loop
    scf.for … {
      %a = tt.load …                                pipelined, so several buffers hold it
      %x = ttg.local_alloc %a
      ttng.tc_gen5_mma %x, %y, %m, %use, %true      may run while the next iteration loads
    }

tcgen05.mma is asynchronous. It can run on if its operands stay as they are, and its accumulator is
not read, until it is complete. The wait can be one stage later then.

Source: Triton, lib/Dialect/TritonGPU/Transforms/Pipeliner/MMAv5PipelineUtility.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from weft.ir import attributes, scf, tt, ttg, ttng
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.ir.constants import constant_attribute
from weft.ir.rewriting import defining_op
from weft.layouts import (
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.passes.pipelining.copy_width import MIN_COPY_BYTES, copy_vector_bytes
from weft.passes.pipelining.loop_queries import (
    is_defined_outside,
    is_inside,
)
from weft.passes.pipelining.shared_encodings import is_descriptor_load, shared_encoding_of_load
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = [
    "MMAS",
    "Mma",
    "MmaOperands",
    "can_multi_buffer_accumulator",
    "has_loads_after",
    "modifies_what_it_reads",
    "needs_multi_buffering",
    "operands_of",
]

MMAS = (ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)
Mma = ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp

_SHARED = (
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
_LOADS = (tt.LoadOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp)


class MmaOperands(Struct, frozen=True):
    """What is known of the operands of an MMA in a loop.

    Attributes:
        blocking: The operations that define operands which are not pipelined.
        is_known: Whether all such operations are known, so that a wait can be placed before them.
        is_pipelined: Whether all operands are pipelined, or defined outside of the loop.
    """

    blocking: tuple[Operation, ...]
    is_known: bool
    is_pipelined: bool


def operands_of(
    mma: Mma, loop: scf.ForOp, is_load_pipelined: Callable[[Operation], bool]
) -> MmaOperands:
    """Find out whether the operands of an MMA stay as they are while it runs.

    Args:
        mma: The MMA.
        loop: The loop.
        is_load_pipelined: Whether a load of the loop is pipelined.
    """
    accumulator = defining_op(mma.d, ttng.TMEMAllocOp)
    if accumulator is None or not is_defined_outside(accumulator.results[0], loop):
        return MmaOperands((), is_known=True, is_pipelined=False)
    operands = [mma.a, mma.b]
    if isinstance(mma, ttng.TCGen5MMAScaledOp):
        scales = (mma.a_scale, mma.b_scale)
        if not all(_is_shared(scale) or is_defined_outside(scale, loop) for scale in scales):
            blocking, _ = _blocking(operands, loop, is_load_pipelined)
            return MmaOperands(blocking, is_known=False, is_pipelined=False)
        operands_known = _blocking(operands, loop, is_load_pipelined)
        scales_known = _blocking(scales, loop, is_load_pipelined)
        blocking = operands_known[0] + scales_known[0]
        is_known = operands_known[1] and scales_known[1]
    else:
        blocking, is_known = _blocking(operands, loop, is_load_pipelined)
    return MmaOperands(blocking, is_known, is_known and not blocking)


def _blocking(
    operands: list[SSAValue] | tuple[SSAValue, ...],
    loop: scf.ForOp,
    is_load_pipelined: Callable[[Operation], bool],
) -> tuple[tuple[Operation, ...], bool]:
    """Find the operations that define operands which are not pipelined.

    An operand without a known operation inherits that of the one before, as in Triton.

    Returns:
        The operations, and whether all are known.
    """
    blocking: list[Operation] = []
    is_known = True
    definition: Operation | None = None
    for operand in operands:
        is_pipelined, operand_definition = _definition(operand, loop, is_load_pipelined)
        definition = operand_definition or definition
        if is_pipelined:
            continue
        if definition is None:
            is_known = False
        else:
            blocking.append(definition)
    return tuple(blocking), is_known


def _definition(
    value: SSAValue, loop: scf.ForOp, is_load_pipelined: Callable[[Operation], bool]
) -> tuple[bool, Operation | None]:
    """Find the operation that writes an operand of an MMA.

    Returns:
        Whether the operand is pipelined, and the operation, None if it is not known.
    """
    if is_defined_outside(value, loop):
        return True, None
    op = defining_op(value)
    while isinstance(op, ttg.MemDescTransOp | ttg.MemDescReshapeOp):
        op = defining_op(op.src)
    if isinstance(op, ttg.LocalStoreOp | ttng.TMEMStoreOp | ttng.TMEMAllocOp):
        return False, op
    if not isinstance(op, ttg.LocalAllocOp):
        return False, None
    if op.src is None:
        return False, op
    if is_defined_outside(op.src, loop):
        return True, op
    load = defining_op(op.src)
    if not isinstance(load, _LOADS):
        return False, op
    return is_load_pipelined(load) and _is_async(load), load


def _is_async(load: Operation) -> bool:
    """Check whether a load can be an asynchronous copy."""
    if is_descriptor_load(load):
        return True
    encoding = shared_encoding_of_load(load)
    return copy_vector_bytes(load.results[0].type, encoding) >= MIN_COPY_BYTES


def _is_shared(value: SSAValue) -> bool:
    return isinstance(value.type, ttg.MemDescType) and isinstance(value.type.encoding, _SHARED)


# ----------------------------------------------------------------------------------- accumulator
def _accumulator_users(mma: Mma, loop: scf.ForOp) -> list[Operation] | None:
    """List the users of an accumulator that is allocated before a loop; None for others."""
    allocation = defining_op(mma.d, ttng.TMEMAllocOp)
    if allocation is None or not is_defined_outside(allocation.results[0], loop):
        return None
    return [use.operation for result in allocation.results for use in result.uses]


def needs_multi_buffering(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether an accumulator is read in the loop, so that another MMA needs another one."""
    users = _accumulator_users(mma, loop)
    if users is None:
        return True
    return any(isinstance(user, ttng.TMEMLoadOp) and is_inside(user, loop) for user in users)


def can_multi_buffer_accumulator(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether the loop starts new accumulations, where it can change to another buffer."""
    if _starts_new_sum(mma, loop):
        return True
    users = _accumulator_users(mma, loop) or ()
    return any(isinstance(user, ttng.TMEMStoreOp) and is_inside(user, loop) for user in users)


def _starts_new_sum(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether an MMA overwrites its accumulator in some iteration."""
    flag: SSAValue = mma.useD
    if _is_number(flag, 0):
        return True
    init: SSAValue | None = None
    visited: set[SSAValue] = set()
    while isinstance(flag, BlockArgument) and flag.block is loop.block and flag.index > 0:
        if flag in visited:
            return False
        visited.add(flag)
        init = loop.init_args[flag.index - 1]
        flag = loop.yielded_values[flag.index - 1]
    if init is not None and _is_number(init, 0) and _is_number(flag, 1):
        return True
    # A flag that the loop computes is false in some iterations.
    return isinstance(flag, OpResult) and not is_defined_outside(flag, loop)


def _is_number(value: SSAValue, number: int) -> bool:
    return attributes.number(constant_attribute(value)) == number


def has_loads_after(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether the loop reads the accumulator after an MMA."""
    for user in _accumulator_users(mma, loop) or ():
        if isinstance(user, ttng.TMEMLoadOp):
            ancestor = ancestor_in_block(user, loop.block)
            if ancestor is not None and ancestor is not mma and mma.is_before_in_block(ancestor):
                return True
    return False


def modifies_what_it_reads(mma: Mma, loop: scf.ForOp) -> bool:
    """Check whether the loop stores to an accumulator what it computes from it."""
    users = _accumulator_users(mma, loop)
    if users is None:
        return True
    inside = [user for user in users if is_inside(user, loop)]
    stores = {user for user in inside if isinstance(user, ttng.TMEMStoreOp)}
    loads = [user for user in inside if isinstance(user, ttng.TMEMLoadOp)]
    if not stores or not loads:
        return False
    visited: set[SSAValue] = set()
    modified: list[SSAValue] = []
    reads: list[SSAValue] = [load.results[0] for load in loads]
    while reads:
        value = reads.pop()
        if value not in visited:
            visited.add(value)
            for user, carried in _uses(value, loop):
                if carried is not None:
                    reads += carried
                elif user not in stores:
                    modified += user.results
    while modified:
        value = modified.pop()
        if value not in visited:
            visited.add(value)
            for user, carried in _uses(value, loop):
                if carried is not None:
                    modified += carried
                elif user in stores:
                    return True
                else:
                    modified += user.results
    return False


def _uses(value: SSAValue, loop: scf.ForOp) -> Iterator[tuple[Operation, list[SSAValue] | None]]:
    """Yield each user of a value; for a yield, also the values that it becomes."""
    for use in value.uses:
        user = use.operation
        if not isinstance(user, scf.YieldOp):
            yield user, None
            continue
        parent = user.parent_op()
        carried: list[SSAValue] = []
        if isinstance(parent, scf.IfOp):
            carried.append(parent.results[use.index])
        elif parent is loop:
            carried.append(loop.iter_args[use.index])
        yield user, carried
