"""Elements in memory by their type: an i1 is a byte, a pointer is a machine address."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.interpreter import tile_access
from weft.interpreter.addresses import Site
from weft.interpreter.affine_arithmetic import Number
from weft.interpreter.dtypes import BOOL, dtype_of
from weft.interpreter.load_aliasing import may_alias_memory
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate
from weft.interpreter.values import Value, dense
from weft.ir import types

BYTE = np.dtype(np.int8)


def pointee(type_: Attribute) -> Attribute:
    """Look up the pointee type of a pointer, or of a tensor of pointers."""
    scalar = types.element(type_)
    if not types.is_pointer(scalar):
        raise TypeError(f"{type_} is not a pointer type")
    return scalar.pointee


def site_of(verb: str, op: Operation, element: Attribute) -> Site:
    """Construct the site of an access to elements of a type."""
    dtype = dtype_of(element)
    return Site(verb, op, BYTE if dtype == BOOL else dtype)


def make_load(op: Operation, element: Attribute, verb: str = "load") -> Evaluate:
    """Make f(batch, addresses, mask, other, shape), which loads elements of a type."""
    site = site_of(verb, op, element)
    is_bool, is_pointer = dtype_of(element) == BOOL, types.is_pointer(element)
    view = is_bool or is_pointer or may_alias_memory(op)

    def read(
        batch: Batch,
        pointer: Number,
        mask: np.ndarray | None,
        other: Number | None,
        shape: tuple[int, ...],
    ) -> np.ndarray:
        filler = None if other is None else dense(other)
        if is_bool and filler is not None:
            filler = filler.view(BYTE)
        result = tile_access.load(site, batch, pointer, mask, filler, shape, view)
        if is_bool:
            return result != 0
        return batch.launch.memory.to_pointer(result) if is_pointer else result

    return read


def make_store(op: Operation, element: Attribute, verb: str = "store") -> Evaluate:
    """Make f(batch, addresses, value, mask, shape), which stores elements of a type."""
    site = site_of(verb, op, element)
    is_bool, is_pointer = dtype_of(element) == BOOL, types.is_pointer(element)

    def write(
        batch: Batch,
        pointer: Number,
        value: Value,
        mask: np.ndarray | None,
        shape: tuple[int, ...],
    ) -> None:
        data = dense(value)
        if is_bool:
            data = data.view(BYTE)
        if is_pointer:
            data = batch.launch.memory.to_machine(data)
        tile_access.store(site, batch, pointer, data, mask, shape)

    return write
