"""What stands behind the dot: facts of a value (`x.shape`), and functions bound to it (`x.sum`)."""

from __future__ import annotations

import math as numbers
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from weft import language
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
from weft.language import tensor_classes
from weft.language.constexpr import constexpr
from weft.language.tensor_descriptors import METHODS

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

# The functions of the language, by name, that are methods of tensors, too.
_OF_LANGUAGE = frozenset(
    (
        "abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max "
        "atomic_min atomic_or atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod "
        "cumsum erf exp exp2 expand_dims flip floor gather histogram log log2 max min permute "
        "ravel reduce reduce_or reshape rsqrt sigmoid sin softmax sort split sqrt sqrt_rn store "
        "sum trans view xor_sum"
    ).split()
)
_METHODS = {"item", "logical_and", "logical_or", "to", *_OF_LANGUAGE}


def _method(name: str) -> Any:
    """Return the function behind a method of tensors; its file is loaded now."""
    if name in _OF_LANGUAGE:
        return getattr(language, name)
    return language.cast if name == "to" else getattr(tensor_classes, name)


def _transposed(e: Emitter, value: TensorValue) -> Value:
    return e.call(language.trans, [value], {})


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
        known, methods, method = _DESCRIPTOR_FACTS, METHODS, METHODS.__getitem__
    elif isinstance(value, TensorValue):
        if name in _FACTS:
            return _FACTS[name](e, value)
        known, methods, method = _FACTS, _METHODS, _method
    else:
        raise CompilationError(f"{describe(value)} has no attributes", found=name)
    if name in methods:
        return BoundMethod(value, method(name))
    names = [*known, *methods]
    raise CompilationError(
        f"{describe(value)} has no attribute {name}",
        found=name,
        accepted=sorted(names),
        hint=did_you_mean(name, names),
    )
