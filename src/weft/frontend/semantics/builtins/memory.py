"""tl.load and tl.store.

load(p, m, 0.0)    mask and other are broadcast to p's shape, other is converted: tt.load
pointers to int1   memory holds bytes: the pointers are cast to int8 pointers, and a loaded
                   value is compared with zero
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.broadcasting import broadcast
from weft.frontend.semantics.builtins import block_pointers
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import attributes, tt
from weft.ir.builtin import Attribute
from weft.ir.enums import CacheModifier, EvictionPolicy
from weft.language import dtypes
from weft.language.compound_types import pointer_type
from weft.language.dtypes import dtype

_LOAD_CACHE_MODIFIERS = {
    "": CacheModifier.NONE,
    ".ca": CacheModifier.CA,
    ".cg": CacheModifier.CG,
    ".cv": CacheModifier.CV,
}
_STORE_CACHE_MODIFIERS = {
    "": CacheModifier.NONE,
    ".wb": CacheModifier.WB,
    ".cg": CacheModifier.CG,
    ".cs": CacheModifier.CS,
    ".wt": CacheModifier.WT,
}
_EVICTION_POLICIES = {
    "": EvictionPolicy.NORMAL,
    "evict_normal": EvictionPolicy.NORMAL,
    "evict_first": EvictionPolicy.EVICT_FIRST,
    "evict_last": EvictionPolicy.EVICT_LAST,
}

_Option = TypeVar("_Option")


def select_option(parameter: str, value: Value, options: Mapping[str, _Option]) -> _Option:
    """Look up an option by name; None, False and 0 select "".

    Raises:
        CompilationError: The name is unknown.
    """
    name = value or ""
    if not isinstance(name, str) or name not in options:
        raise CompilationError(
            f"{parameter} {name} not supported",
            found=describe(value),
            accepted=[f'"{option}"' for option in options],
        )
    return options[name]


def load_cache_attribute(value: Value) -> Attribute:
    """Return the attribute of a load's cache modifier."""
    return select_option("cache modifier", value, _LOAD_CACHE_MODIFIERS).attr()


def store_cache_attribute(value: Value) -> Attribute:
    """Return the attribute of a store's cache modifier."""
    return select_option("cache modifier", value, _STORE_CACHE_MODIFIERS).attr()


def eviction_policy_attribute(value: Value) -> Attribute:
    """Return the attribute of an eviction policy."""
    return select_option("eviction policy", value, _EVICTION_POLICIES).attr()


def pointee_of(function: str, pointer: TensorValue) -> dtype:
    """Return the type that a pointer, or a block of pointers, points to.

    Raises:
        TypeMismatchError: The value is not a pointer.
    """
    scalar = pointer.dtype
    if not isinstance(scalar, pointer_type):
        raise TypeMismatchError(
            f"Unsupported ptr type {pointer} in `tl.{function}`",
            found=pointer,
            accepted=("a pointer", "a block of pointers"),
            hint="add an offset to a pointer parameter: x_ptr + offsets",
        )
    return scalar.element_ty


def load(
    e: Emitter,
    pointer: Value,
    mask: Value,
    other: Value,
    boundary_check: Value,
    padding_option: Value,
    cache_modifier: Value,
    eviction_policy: Value,
    volatile: Value,
) -> TensorValue:
    """Emit tt.load."""
    pointers = e.to_value(pointer)
    element = pointee_of("load", pointers)
    properties: dict[str, Attribute] = {
        "cache": load_cache_attribute(cache_modifier),
        "evict": eviction_policy_attribute(eviction_policy),
        "isVolatile": attributes.boolean(bool(volatile)),
    }
    if element.is_block():
        return block_pointers.load(
            e, pointers, mask, other, boundary_check, padding_option, properties
        )
    _check_no_boundary("loading", boundary_check, padding_option)
    if other is not None and mask is None:
        raise CompilationError(
            "`other` cannot be provided without `mask`", found="other without mask"
        )
    mask_value = None if mask is None else e.to_value(mask)
    other_value = None if other is None else e.to_value(other)
    if pointers.is_block:
        if mask_value is not None:
            pointers, mask_value = broadcast(e, pointers, mask_value)
        if other_value is not None:
            pointers, other_value = broadcast(e, pointers, other_value)
            if mask_value is not None:
                pointers, mask_value = _broadcast_to_pointers(e, mask_value, pointers)
    else:
        _check_scalars(("mask", mask_value), ("other", other_value))
    _check_mask(mask_value)
    return _emit_load(e, pointers, element, mask_value, other_value, properties)


def _emit_load(
    e: Emitter,
    pointers: TensorValue,
    element: dtype,
    mask: TensorValue | None,
    other: TensorValue | None,
    properties: dict[str, Attribute],
) -> TensorValue:
    is_bool = element.is_bool()
    if is_bool:
        element = dtypes.int8
        pointers = e.cast(pointers, pointer_type(element, _address_space(pointers)))
    operands = [pointers.handle]
    if mask is not None:
        operands.append(mask.handle)
    if other is not None:
        operands.append(e.cast(other, element).handle)
    type_ = pointers.type.with_element_ty(element)
    result = TensorValue(e.builder.value(tt.LoadOp, operands, ir_type(type_), properties), type_)
    return e.cast(result, dtypes.int1) if is_bool else result


def _address_space(pointers: TensorValue) -> int:
    scalar = pointers.dtype
    assert isinstance(scalar, pointer_type)
    return scalar.address_space


def _broadcast_to_pointers(
    e: Emitter, value: TensorValue, pointers: TensorValue
) -> tuple[TensorValue, TensorValue]:
    """Broadcast a value to the shape of the pointers.

    Returns:
        The pointers, in the value's layout if theirs is inferred, and the value.

    Raises:
        TypeMismatchError: The pointers would have to be broadcast, too.
    """
    broadcast_pointers, result = broadcast(e, pointers, value)
    if broadcast_pointers.shape != pointers.shape:
        raise TypeMismatchError(
            f"Expected pointer argument to have shape {broadcast_pointers.shape} but got "
            f"{pointers.shape}",
            found=f"{value.shape} for pointers of shape {pointers.shape}",
            hint="broadcast the pointers first",
        )
    return broadcast_pointers, result


def _check_scalars(*arguments: tuple[str, TensorValue | None]) -> None:
    for name, value in arguments:
        if value is not None and value.is_block:
            raise TypeMismatchError(
                f"{name} argument cannot be block type if pointer argument is not a block",
                found=value,
                accepted=("a scalar",),
                hint="add a block of offsets to the pointer",
            )


def _check_mask(mask: TensorValue | None) -> None:
    if mask is not None and not mask.dtype.is_bool():
        raise TypeMismatchError(
            "mask must have boolean scalar type",
            found=mask,
            accepted=("int1",),
            hint="compare: x != 0",
        )


def _check_no_boundary(verb: str, boundary_check: Value, padding_option: Value = "") -> None:
    if boundary_check or padding_option:
        raise CompilationError(
            f"`padding_option` or `boundary_check` argument is not supported for {verb} a tensor "
            f"of pointers or {verb} a scalar",
            found="a plain pointer",
            accepted=("a pointer from tl.make_block_ptr",),
            hint="use mask and other",
        )


def store(
    e: Emitter,
    pointer: Value,
    value: Value,
    mask: Value,
    boundary_check: Value,
    cache_modifier: Value,
    eviction_policy: Value,
) -> None:
    """Emit tt.store."""
    pointers = e.to_value(pointer)
    element = pointee_of("store", pointers)
    check_writable(pointers)
    new_value = e.to_value(value)
    properties: dict[str, Attribute] = {
        "cache": store_cache_attribute(cache_modifier),
        "evict": eviction_policy_attribute(eviction_policy),
    }
    if element.is_block():
        block_pointers.store(e, pointers, new_value, mask, boundary_check, properties)
        return
    _check_no_boundary("storing", boundary_check)
    mask_value = None if mask is None else e.to_value(mask)
    if pointers.is_block:
        pointers, new_value = _broadcast_to_pointers(e, new_value, pointers)
        if mask_value is not None:
            pointers, mask_value = _broadcast_to_pointers(e, mask_value, pointers)
    else:
        _check_scalars(("value", new_value), ("mask", mask_value))
    _check_mask(mask_value)
    if element.is_bool():
        element = dtypes.int8
        pointers = e.cast(pointers, pointer_type(element, _address_space(pointers)))
    operands = [pointers.handle, e.cast(new_value, element).handle]
    if mask_value is not None:
        operands.append(mask_value.handle)
    e.builder.create(tt.StoreOp, operands, properties=properties)


def check_writable(pointers: TensorValue) -> None:
    """Check that a pointer is not const.

    Raises:
        TypeMismatchError: It is.
    """
    if pointers.dtype.is_const():
        raise TypeMismatchError(
            "Cannot store to a constant pointer",
            found=pointers,
            hint="remove tl.const from the parameter",
        )


TABLE = {
    "advance": block_pointers.advance,
    "load": load,
    "make_block_ptr": block_pointers.make_block_ptr,
    "store": store,
}
