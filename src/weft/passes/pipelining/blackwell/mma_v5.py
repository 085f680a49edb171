"""Whether the operands of an MMA of Blackwell stay as they are while it runs.

    %m = ttng.tmem_alloc                            the accumulator, before the loop
    scf.for … {
      %a = tt.load …                                pipelined, so several buffers hold it
      %x = ttg.local_alloc %a
      ttng.tc_gen5_mma %x, %y, %m, %use, %true      may run while the next iteration loads
    }

tcgen05.mma is asynchronous. It can run into the next iteration if its operands stay as they are,
and its accumulator is not read, until it is complete (`tmem_accumulators`). The wait can be one
stage later then.

Source: Triton, lib/Dialect/TritonGPU/Transforms/Pipeliner/MMAv5PipelineUtility.cpp.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from weft.ir import scf, tt, ttg, ttng
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.layouts import (
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.passes.pipelining.loads.copy_width import MIN_COPY_BYTES, copy_vector_bytes
from weft.passes.pipelining.loads.shared_encodings import (
    is_descriptor_load,
    shared_encoding_of_load,
)
from weft.passes.pipelining.loop_queries import (
    is_defined_outside,
)

__all__ = [
    "MMAS",
    "Mma",
    "MmaOperands",
    "has_shared_encoding",
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
        if not all(
            has_shared_encoding(scale) or is_defined_outside(scale, loop) for scale in scales
        ):
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


def has_shared_encoding(value: SSAValue) -> bool:
    """Check whether a value is a buffer in shared memory, by its layout."""
    return isinstance(value.type, ttg.MemDescType) and isinstance(value.type.encoding, _SHARED)
