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
    MemberValue,
    RuntimeValue,
    TensorValue,
    TupleValue,
    Value,
    describe,
)
from weft.language.constexpr import constexpr
from weft.language.tensor_classes import TENSOR_METHODS, tensor_method
from weft.language.tensor_descriptors import METHODS


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


def attribute(e: EmissionContext, value: RuntimeValue, name: str) -> Value:
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
    elif isinstance(value, MemberValue):
        if name in value.properties:
            return wrap_result(value.properties[name](value))
        if name in value.methods:
            return BoundMethod(value, value.methods[name])
        names = [*value.properties, *value.methods]
    else:
        assert isinstance(value, TensorValue)
        if name in _PROPERTIES:
            return _PROPERTIES[name](e, value)
        if name in TENSOR_METHODS:
            return BoundMethod(value, tensor_method(name))
        names = [*_PROPERTIES, *TENSOR_METHODS]
    raise CompilationError(
        f"{describe(value)} has no attribute {name}",
        found=name,
        accepted=sorted(names),
        hint=did_you_mean(name, names),
    )
