"""tl.load and tl.store, through pointers and through block pointers.

For example:

    load(p, m, 0.0)    mask and other are broadcast to p, then other is converted: tt.load
    pointers to int1   memory holds bytes: the pointer is taken as one to int8, and what was
                       loaded is compared with zero
"""

from __future__ import annotations

from typing import Any

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.builtins import block_pointers
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.shaping import broadcast
from weft.frontend.semantics.values import TensorValue, describe
from weft.ir import attributes, tt
from weft.ir.builtin import Attribute
from weft.ir.enums import CacheModifier, EvictionPolicy
from weft.language import dtypes
from weft.language.compound_types import pointer_type
from weft.language.dtypes import dtype

_LOAD_CACHES = {
    "": CacheModifier.NONE,
    ".ca": CacheModifier.CA,
    ".cg": CacheModifier.CG,
    ".cv": CacheModifier.CV,
}
_STORE_CACHES = {
    "": CacheModifier.NONE,
    ".wb": CacheModifier.WB,
    ".cg": CacheModifier.CG,
    ".cs": CacheModifier.CS,
    ".wt": CacheModifier.WT,
}
_EVICTIONS = {
    "": EvictionPolicy.NORMAL,
    "evict_normal": EvictionPolicy.NORMAL,
    "evict_first": EvictionPolicy.EVICT_FIRST,
    "evict_last": EvictionPolicy.EVICT_LAST,
}


def chosen(what: str, value: Any, table: dict[str, Any]) -> Any:
    """Return the row of `table` that an option names; None, False and 0 are the first row.

    Raises: CompilationError listing the accepted names.
    """
    name = value or ""
    if name not in table:
        raise CompilationError(
            f"unknown {what}", found=describe(value), accepted=[f'"{known}"' for known in table]
        )
    return table[name]


def pointee_of(function: str, pointer: TensorValue) -> dtype:
    """Return what a pointer or a block of pointers points to.

    Raises: TypeMismatchError for any other value.
    """
    scalar = pointer.dtype
    if not isinstance(scalar, pointer_type):
        raise TypeMismatchError(
            f"tl.{function} needs a pointer or a block of pointers",
            found=pointer,
            accepted=("a pointer, a block of pointers",),
            hint="add an offset to a pointer parameter: x_ptr + offsets",
        )
    return scalar.element_ty


def load(
    e: Emitter,
    pointer: Any,
    mask: Any,
    other: Any,
    boundary_check: Any,
    padding_option: Any,
    cache_modifier: Any,
    eviction_policy: Any,
    volatile: Any,
) -> TensorValue:
    """Emit tt.load."""
    place = e.to_value(pointer)
    element = pointee_of("load", place)
    properties: dict[str, Attribute] = {
        "cache": chosen("cache modifier of a load", cache_modifier, _LOAD_CACHES).attr(),
        "evict": chosen("eviction policy", eviction_policy, _EVICTIONS).attr(),
        "isVolatile": attributes.boolean(bool(volatile)),
    }
    if element.is_block():
        return block_pointers.load(
            e, place, mask, other, boundary_check, padding_option, properties
        )
    _check_no_boundary("load", boundary_check, padding_option)
    if other is not None and mask is None:
        raise CompilationError(
            "`other` says what is loaded where the mask is false: it needs a mask",
            found="other without mask",
        )
    mask_value = None if mask is None else e.to_value(mask)
    other_value = None if other is None else e.to_value(other)
    if place.is_block:
        if mask_value is not None:
            place, mask_value = broadcast(e, place, mask_value)
        if other_value is not None:
            place, other_value = broadcast(e, place, other_value)
            mask_value = _spread(e, mask_value, place)
    else:
        _check_scalars("load", ("mask", mask_value), ("other", other_value))
    _check_mask(mask_value)
    return _masked_load(e, place, element, mask_value, other_value, properties)


def _masked_load(
    e: Emitter,
    place: TensorValue,
    element: dtype,
    mask: TensorValue | None,
    other: TensorValue | None,
    properties: dict[str, Attribute],
) -> TensorValue:
    is_truth = element.is_bool()
    if is_truth:
        element = dtypes.int8
        place = e.cast(place, pointer_type(element, _address_space(place)))
    operands = [place.handle]
    if mask is not None:
        operands.append(mask.handle)
    if other is not None:
        operands.append(e.cast(other, element).handle)
    type_ = place.type.with_element_ty(element)
    loaded = TensorValue(e.builder.value(tt.LoadOp, operands, ir_type(type_), properties), type_)
    return e.cast(loaded, dtypes.int1) if is_truth else loaded


def _address_space(place: TensorValue) -> int:
    scalar = place.dtype
    assert isinstance(scalar, pointer_type)
    return scalar.address_space


def _spread(e: Emitter, value: TensorValue | None, place: TensorValue) -> TensorValue | None:
    """Bring a mask or its like to the shape of the pointers.

    Raises: TypeMismatchError where it has more elements than there are pointers.
    """
    if value is None:
        return None
    wide, spread = broadcast(e, place, value)
    if wide.shape != place.shape:
        raise TypeMismatchError(
            "the shape of the pointers must hold that of mask, other and value",
            found=f"{value.shape} for pointers of shape {place.shape}",
            hint="broadcast the pointers first",
        )
    return spread


def _check_scalars(function: str, *given: tuple[str, TensorValue | None]) -> None:
    for name, value in given:
        if value is not None and value.is_block:
            raise TypeMismatchError(
                f"{name} of tl.{function} is a block where the pointer is a scalar",
                found=value,
                accepted=("a scalar",),
                hint="add a block of offsets to the pointer",
            )


def _check_mask(mask: TensorValue | None) -> None:
    if mask is not None and not mask.dtype.is_bool():
        raise TypeMismatchError(
            "a mask holds truth values", found=mask, accepted=("int1",), hint="compare: x != 0"
        )


def _check_no_boundary(function: str, boundary_check: Any, padding_option: Any = "") -> None:
    if boundary_check or padding_option:
        raise CompilationError(
            f"boundary_check and padding_option of tl.{function} are for block pointers",
            found="a plain pointer",
            accepted=("a pointer from tl.make_block_ptr",),
            hint="use mask and other",
        )


def store(
    e: Emitter,
    pointer: Any,
    value: Any,
    mask: Any,
    boundary_check: Any,
    cache_modifier: Any,
    eviction_policy: Any,
) -> None:
    """Emit tt.store."""
    place = e.to_value(pointer)
    element = pointee_of("store", place)
    check_writable(place)
    stored = e.to_value(value)
    properties: dict[str, Attribute] = {
        "cache": chosen("cache modifier of a store", cache_modifier, _STORE_CACHES).attr(),
        "evict": chosen("eviction policy", eviction_policy, _EVICTIONS).attr(),
    }
    if element.is_block():
        block_pointers.store(e, place, stored, mask, boundary_check, properties)
        return
    _check_no_boundary("store", boundary_check)
    mask_value = None if mask is None else e.to_value(mask)
    if place.is_block:
        spread = _spread(e, stored, place)
        assert spread is not None
        stored, mask_value = spread, _spread(e, mask_value, place)
    else:
        _check_scalars("store", ("value", stored), ("mask", mask_value))
    _check_mask(mask_value)
    if element.is_bool():
        element = dtypes.int8
        place = e.cast(place, pointer_type(element, _address_space(place)))
    operands = [place.handle, e.cast(stored, element).handle]
    if mask_value is not None:
        operands.append(mask_value.handle)
    e.builder.create(tt.StoreOp, operands, properties=properties)


def check_writable(place: TensorValue) -> None:
    """Raise TypeMismatchError for a pointer to const."""
    if place.dtype.is_const():
        raise TypeMismatchError(
            "nothing can be written through a pointer to const",
            found=place,
            hint="drop tl.const from the parameter",
        )


TABLE = {
    "advance": block_pointers.advance,
    "load": load,
    "make_block_ptr": block_pointers.make_block_ptr,
    "store": store,
}
