"""Put a value into the buffer of an asynchronous reference.

A load by descriptor writes the buffer itself; other values are stored:

    %b, %t = nvws.aref.put.enter %r
    nvws.descriptor_load %d[…] 16384 %b       or   ttg.local_store %x, %b
    nvws.aref.put.exit %r, %t [tma_load]           nvws.aref.put.exit %r, %t [none]
"""

from __future__ import annotations

from math import prod

from msgspec import Struct

from weft.errors import PassError
from weft.ir import attributes, locations, nvws, scf, tt, ttg, types
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder, defining_op
from weft.layouts.cga import shape_per_cta
from weft.passes.nvws.insert_aref.shared_buffers import tensor_of_scalar
from weft.passes.pipelining.partitions.arefs import async_ops, buffer_view_type, create_enter
from weft.passes.pipelining.partitions.attributes import (
    Placement,
    partition_ids,
    set_partition,
)
from weft.passes.pipelining.schedule.loop_schedule import stage_and_cluster

__all__ = ["Produced", "create_put", "descriptor_load_of"]

_DescriptorLoad = tt.DescriptorLoadOp | tt.DescriptorGatherOp


class Produced(Struct, frozen=True):
    """A value and the partitions that compute it."""

    value: SSAValue
    partitions: tuple[int, ...]


def _load_into(value: SSAValue) -> Operation | None:
    """Find the operation that defines the tensor of an allocation of the same partitions."""
    allocation = defining_op(value, ttg.LocalAllocOp)
    if allocation is None or allocation.src is None:
        return None
    load = defining_op(allocation.src)
    if not isinstance(load, _DescriptorLoad | tt.LoadOp):
        return None
    return load if partition_ids(load) == partition_ids(allocation) else None


def descriptor_load_of(value: SSAValue) -> _DescriptorLoad | None:
    """Find the load by descriptor that fills a buffer, in the same partitions."""
    load = _load_into(value)
    return load if isinstance(load, _DescriptorLoad) else None


def _position(value: SSAValue) -> tuple[int, int] | None:
    """Find the stage and cluster in which a value is computed; for an iter_arg, its next value."""
    visited: set[SSAValue] = set()
    while isinstance(value, BlockArgument) and value not in visited:
        visited.add(value)
        terminator = value.block.last_op
        if not isinstance(terminator, scf.YieldOp):
            return None
        value = terminator.operands[value.index - 1]
    if not isinstance(value, OpResult):
        return None
    return stage_and_cluster(_load_into(value) or value.op)


def create_put(
    builder: Builder, aref: nvws.ArefCreateOp, produced: Produced
) -> tuple[Operation, ...]:
    """Put a value into the buffer.

    Args:
        builder: Where.
        aref: The reference.
        produced: The value; its first partition writes the buffer.

    Returns:
        The operations that the put replaces, users first.

    Raises:
        PassError: The value is loaded by pointers into a buffer.
    """
    value = produced.value
    placement = Placement(produced.partitions[:1], _position(value))
    view = buffer_view_type(aref.operands[0].type)
    enter = create_enter(builder, nvws.ArefPutEnterOp, placement, aref.result, [view])
    buffer = enter.results[0]
    kind = "none"
    replaced: tuple[Operation, ...] = ()
    allocation = defining_op(value, ttg.LocalAllocOp)
    definition = defining_op(value)
    load = _load_into(value) or (definition if isinstance(definition, _DescriptorLoad) else None)
    if isinstance(load, _DescriptorLoad):
        _load_to_buffer(builder, load, buffer, produced.partitions[:1])
        kind = "tma_load"
        replaced = (load,) if allocation is None else (allocation, load)
    elif isinstance(load or definition, tt.LoadOp):
        assert definition is not None
        raise PassError(
            "warp specialization does not support loads by pointers in another partition",
            location=locations.position(definition.location),
            found=str((load or definition).name) if load or definition else "",
            accepted=["tt.descriptor_load", "tt.descriptor_gather"],
            hint="load through a tensor descriptor, or remove warp_specialize=True",
        )
    elif allocation is not None:
        assert allocation.src is not None
        placement.create(builder, ttg.LocalStoreOp, [allocation.src, buffer])
        replaced = (allocation,)
    else:
        if not types.is_tensor(value.type):
            splat = placement.create(builder, tt.SplatOp, [value], [tensor_of_scalar(value)])
            value = splat.results[0]
        placement.create(builder, ttg.LocalStoreOp, [value, buffer])
    placement.create(
        builder,
        nvws.ArefPutExitOp,
        [aref.result, enter.results[1]],
        properties=async_ops([kind]),
    )
    return replaced


def _load_to_buffer(
    builder: Builder, load: _DescriptorLoad, buffer: SSAValue, partitions: tuple[int, ...]
) -> None:
    """Load a tile by TMA into a buffer."""
    tile = load.results[0].type
    encoding = types.encoding(tile)
    assert encoding is not None
    elements = prod(shape_per_cta(encoding, types.shape(tile)))
    count = elements * types.bit_width(tile) // 8
    gathers = isinstance(load, tt.DescriptorGatherOp)
    properties = {} if gathers else dict(load.properties)
    new_load = builder.create(
        nvws.DescriptorGatherOp if gathers else nvws.DescriptorLoadOp,
        [*load.operands, buffer],
        (),
        {**properties, "txCount": attributes.integer(count, types.i32)},
        load.attributes,
    )
    set_partition(new_load, partitions)
