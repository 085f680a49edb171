"""What stands behind the dot: facts of a value (`x.shape`), and functions bound to it (`x.sum`)."""

from __future__ import annotations

import math as numbers
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from weft.errors import CompilationError, did_you_mean
from weft.frontend.semantics.calls import wrapped
from weft.frontend.semantics.values import (
    BoundMethod,
    DescriptorValue,
    TensorValue,
    TupleValue,
    Value,
    describe,
)
from weft.language import (
    atomics,
    classes,
    creation,
    descriptors,
    math,
    memory,
    reductions,
    shapes,
    sorting,
    standard,
)
from weft.language.constexpr import constexpr

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

_METHODS: dict[str, Any] = {
    "abs": math.abs,
    "advance": memory.advance,
    "argmax": standard.argmax,
    "argmin": standard.argmin,
    "associative_scan": reductions.associative_scan,
    "atomic_add": atomics.atomic_add,
    "atomic_and": atomics.atomic_and,
    "atomic_cas": atomics.atomic_cas,
    "atomic_max": atomics.atomic_max,
    "atomic_min": atomics.atomic_min,
    "atomic_or": atomics.atomic_or,
    "atomic_xchg": atomics.atomic_xchg,
    "atomic_xor": atomics.atomic_xor,
    "broadcast_to": shapes.broadcast_to,
    "cast": creation.cast,
    "cdiv": standard.cdiv,
    "ceil": math.ceil,
    "cos": math.cos,
    "cumprod": standard.cumprod,
    "cumsum": standard.cumsum,
    "erf": math.erf,
    "exp": math.exp,
    "exp2": math.exp2,
    "expand_dims": shapes.expand_dims,
    "flip": sorting.flip,
    "floor": math.floor,
    "gather": shapes.gather,
    "histogram": reductions.histogram,
    "item": classes.item,
    "log": math.log,
    "log2": math.log2,
    "logical_and": classes.logical_and,
    "logical_or": classes.logical_or,
    "max": standard.max,
    "min": standard.min,
    "permute": shapes.permute,
    "ravel": standard.ravel,
    "reduce": reductions.reduce,
    "reduce_or": standard.reduce_or,
    "reshape": shapes.reshape,
    "rsqrt": math.rsqrt,
    "sigmoid": standard.sigmoid,
    "sin": math.sin,
    "softmax": standard.softmax,
    "sort": sorting.sort,
    "split": shapes.split,
    "sqrt": math.sqrt,
    "sqrt_rn": math.sqrt_rn,
    "store": memory.store,
    "sum": standard.sum,
    "to": creation.cast,
    "trans": shapes.trans,
    "view": shapes.view,
    "xor_sum": standard.xor_sum,
}


def _transposed(e: Emitter, value: TensorValue) -> Value:
    return e.call(shapes.trans, [value], {})


_FACTS: Mapping[str, Callable[[Emitter, TensorValue], Any]] = {
    "T": _transposed,
    "dtype": lambda e, value: constexpr(value.dtype),
    "numel": lambda e, value: constexpr(numbers.prod(value.shape)),
    "shape": lambda e, value: wrapped(value.shape),
    "type": lambda e, value: constexpr(value.type),
}

_DESCRIPTOR_FACTS: Mapping[str, Callable[[DescriptorValue], Any]] = {
    "block_shape": lambda value: wrapped(value.block.shape),
    "block_type": lambda value: constexpr(value.block),
    "dtype": lambda value: constexpr(value.block.scalar),
    "shape": lambda value: TupleValue(value.sizes),
    "strides": lambda value: TupleValue(value.strides),
    "type": lambda value: constexpr(value.block),
}


def attribute(e: Emitter, value: Value, name: str) -> Value:
    """Return `value.name`; see `Emitter.attribute`."""
    if isinstance(value, DescriptorValue):
        if name in _DESCRIPTOR_FACTS:
            return _DESCRIPTOR_FACTS[name](value)
        known, methods = _DESCRIPTOR_FACTS, descriptors.METHODS
    elif isinstance(value, TensorValue):
        if name in _FACTS:
            return _FACTS[name](e, value)
        known, methods = _FACTS, _METHODS
    else:
        raise CompilationError(f"{describe(value)} has no attributes", found=name)
    if name in methods:
        return BoundMethod(value, methods[name])
    names = [*known, *methods]
    raise CompilationError(
        f"{describe(value)} has no attribute {name}",
        found=name,
        accepted=sorted(names),
        hint=did_you_mean(name, names),
    )
