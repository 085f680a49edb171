"""The buffer in shared memory through which a value passes."""

from __future__ import annotations

from weft.errors import PassError
from weft.ir import locations, nvws, ttg, types
from weft.ir.builtin import Attribute, IntegerType, ModuleOp, OpResult, SSAValue
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps, lookup_threads_per_warp
from weft.ir.rewriting import Builder
from weft.layouts.default_encoding import default_blocked
from weft.passes.pipelining.loads.shared_encodings import (
    default_shared_encoding,
    shared_encoding_of_load,
)
from weft.passes.pipelining.partitions.arefs import allocate, create_aref, multi_buffered

__all__ = ["create_shared_aref", "tensor_of_scalar"]


def tensor_of_scalar(value: SSAValue) -> Attribute:
    """Compute the type of a tensor with one element, for a scalar."""
    block = value.owner if not isinstance(value, OpResult) else value.op.parent
    top = None if block is None else block.parent_op()
    while top is not None and (outer := top.parent_op()) is not None:
        top = outer
    assert isinstance(top, ModuleOp)
    encoding = default_blocked(
        (1,), lookup_num_warps(top), lookup_threads_per_warp(top), lookup_num_ctas(top)
    )
    return types.tensor((1,), value.type, encoding)


def create_shared_aref(builder: Builder, value: SSAValue) -> nvws.ArefCreateOp:
    """Allocate the buffer for a value, and create an asynchronous reference to it.

    Both have the location of the value, and so its name.

    Raises:
        PassError: The value is no buffer, tensor, integer or float.
    """
    buffer = _buffer_type(value)
    if isinstance(value, OpResult):
        builder.location = value.op.location
    return create_aref(builder, [allocate(builder, multi_buffered(buffer, 1))])


def _buffer_type(value: SSAValue) -> ttg.MemDescType:
    type_ = value.type
    if isinstance(value, OpResult) and isinstance(value.op, ttg.LocalAllocOp):
        assert isinstance(type_, ttg.MemDescType)
        return type_
    if types.is_tensor(type_):
        if isinstance(value, OpResult):
            encoding = shared_encoding_of_load(value.op)
        else:
            encoding = default_shared_encoding(type_)
    elif isinstance(type_, IntegerType) or types.is_float(type_):
        type_ = tensor_of_scalar(value)
        encoding = default_shared_encoding(type_)
    else:
        op = value.op if isinstance(value, OpResult) else None
        raise PassError(
            "unsupported type of a value that passes between partitions",
            location=locations.position(op.location) if op is not None else None,
            found=str(type_),
            accepted=["a tensor", "an integer", "a float", "the result of ttg.local_alloc"],
            hint="compute the value in each partition that uses it",
        )
    return ttg.MemDescType.of(
        types.shape(type_), types.element(type_), encoding, ttg.SharedMemoryAttr()
    )
