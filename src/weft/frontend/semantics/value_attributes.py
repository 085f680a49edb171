"""Attributes of tensors and descriptors: properties (`x.shape`) and methods (`x.sum`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from weft import language
from weft.errors import CompilationError, did_you_mean
from weft.frontend.semantics import builtin_calls
from weft.frontend.semantics.builtin_calls import wrap_result
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.values import (
    BoundMethod,
    DescriptorValue,
    TensorValue,
    TupleValue,
    Value,
    describe,
)
from weft.language import tensor_classes
from weft.language.builtin import Builtin
from weft.language.constexpr import constexpr
from weft.language.kernel_function import KernelFunction
from weft.language.tensor_descriptors import METHODS

# Functions of the language that are also methods of tensors.
_FUNCTIONS_AS_METHODS = frozenset(
    (
        "abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max "
        "atomic_min atomic_or atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod "
        "cumsum erf exp exp2 expand_dims flip floor gather histogram log log2 max min permute "
        "ravel reduce reduce_or reshape rsqrt sigmoid sin softmax sort split sqrt sqrt_rn store "
        "sum trans view xor_sum"
    ).split()
)
_METHODS = {"item", "logical_and", "logical_or", "to", *_FUNCTIONS_AS_METHODS}


def _tensor_method(name: str) -> Builtin | KernelFunction:
    if name in _FUNCTIONS_AS_METHODS:
        return getattr(language, name)
    return language.cast if name == "to" else getattr(tensor_classes, name)


def _transpose(e: EmissionContext, value: TensorValue) -> Value:
    return builtin_calls.call(e, language.trans, [value], {})


_PROPERTIES: Mapping[str, Callable[[EmissionContext, TensorValue], Value]] = {
    "T": _transpose,
    "dtype": lambda e, value: constexpr(value.dtype),
    "numel": lambda e, value: constexpr(math.prod(value.shape)),
    "shape": lambda e, value: wrap_result(value.shape),
    "type": lambda e, value: constexpr(value.type),
}

_DESCRIPTOR_PROPERTIES: Mapping[str, Callable[[DescriptorValue], Value]] = {
    "block_shape": lambda value: wrap_result(value.block.shape),
    "block_type": lambda value: constexpr(value.block),
    "dtype": lambda value: constexpr(value.block.scalar),
    "shape": lambda value: TupleValue(value.sizes),
    "strides": lambda value: TupleValue(value.strides),
    "type": lambda value: constexpr(value.block),
}


def attribute(e: EmissionContext, value: TensorValue | DescriptorValue, name: str) -> Value:
    """Return `value.name`: a property, or a BoundMethod.

    Raises:
        CompilationError: There is no such attribute.
    """
    if isinstance(value, DescriptorValue):
        if name in _DESCRIPTOR_PROPERTIES:
            return _DESCRIPTOR_PROPERTIES[name](value)
        if name in METHODS:
            return BoundMethod(value, METHODS[name])
        names = [*_DESCRIPTOR_PROPERTIES, *METHODS]
    else:
        if name in _PROPERTIES:
            return _PROPERTIES[name](e, value)
        if name in _METHODS:
            return BoundMethod(value, _tensor_method(name))
        names = [*_PROPERTIES, *_METHODS]
    raise CompilationError(
        f"{describe(value)} has no attribute {name}",
        found=name,
        accepted=sorted(names),
        hint=did_you_mean(name, names),
    )
