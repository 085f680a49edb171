"""tl.atomic_add and its like.

For example:

    atomic_add(p, v)        v is brought to p's shape and type; without a mask one of true is made
    atomic_max of floats    a float that is not negative compares as a signed integer, a negative
                            one the other way round as an unsigned one: two integer atomics, each
                            masked by the sign
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.errors import TypeMismatchError
from weft.frontend.semantics.builtins.memory import check_writable, chosen, pointee_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.shaping import broadcast
from weft.frontend.semantics.values import TensorValue
from weft.ir import tt
from weft.ir.builtin import Attribute
from weft.ir.enums import MemSemantic, MemSyncScope, RMWOp
from weft.language import dtypes
from weft.language.compound_types import pointer_type
from weft.language.dtypes import dtype

_SEMANTICS = {
    "": MemSemantic.ACQUIRE_RELEASE,
    "acq_rel": MemSemantic.ACQUIRE_RELEASE,
    "acquire": MemSemantic.ACQUIRE,
    "release": MemSemantic.RELEASE,
    "relaxed": MemSemantic.RELAXED,
}
_SCOPES = {
    "": MemSyncScope.GPU,
    "gpu": MemSyncScope.GPU,
    "cta": MemSyncScope.CTA,
    "sys": MemSyncScope.SYSTEM,
}
_ADDABLE = ("fp16", "bf16", "fp32", "fp64", "int32", "int64", "uint32", "uint64")
_COMPARABLE = ("fp32", "fp64", "int32", "int64", "uint32", "uint64")
_WORDS = ("int32", "int64", "uint32", "uint64")

# name: (operation of signed integers, of unsigned ones, of floats, element types)
_SIMPLE: dict[str, tuple[RMWOp, RMWOp, RMWOp, tuple[str, ...]]] = {
    "atomic_add": (RMWOp.ADD, RMWOp.ADD, RMWOp.FADD, _ADDABLE),
    "atomic_and": (RMWOp.AND, RMWOp.AND, RMWOp.AND, _WORDS),
    "atomic_or": (RMWOp.OR, RMWOp.OR, RMWOp.OR, _WORDS),
    "atomic_xor": (RMWOp.XOR, RMWOp.XOR, RMWOp.XOR, _WORDS),
    "atomic_xchg": (RMWOp.XCHG, RMWOp.XCHG, RMWOp.XCHG, _COMPARABLE),
    "atomic_max": (RMWOp.MAX, RMWOp.UMAX, RMWOp.MAX, _COMPARABLE),
    "atomic_min": (RMWOp.MIN, RMWOp.UMIN, RMWOp.MIN, _COMPARABLE),
}
_FLOAT_EXTREMES = {
    "atomic_max": (RMWOp.MAX, RMWOp.UMIN),
    "atomic_min": (RMWOp.MIN, RMWOp.UMAX),
}


def _order(sem: Any, scope: Any) -> dict[str, Attribute]:
    return {
        "sem": chosen("memory order", sem, _SEMANTICS).attr(),
        "scope": chosen("memory scope", scope, _SCOPES).attr(),
    }


def _place(e: Emitter, name: str, pointer: Any, accepted: tuple[str, ...]) -> TensorValue:
    place = e.to_value(pointer)
    element = pointee_of(name, place)
    check_writable(place)
    if element.name not in accepted:
        raise TypeMismatchError(
            f"tl.{name} does not take {element}", found=place, accepted=accepted
        )
    return place


def _element(place: TensorValue) -> dtype:
    scalar = place.dtype
    assert isinstance(scalar, pointer_type)
    return scalar.element_ty


def _operands(
    e: Emitter, place: TensorValue, val: Any, mask: Any
) -> tuple[TensorValue, TensorValue]:
    """Return value and mask in the shape of the pointers, the value in what they point to."""
    value = e.to_value(val)
    chooser = None if mask is None else e.to_value(mask)
    if place.is_block:
        if chooser is not None:
            chooser = e.broadcast_to(*_aligned(e, chooser, place))
        value = e.broadcast_to(*_aligned(e, value, place))
    elif value.is_block or (chooser is not None and chooser.is_block):
        raise TypeMismatchError(
            "an atomic through one pointer takes a scalar",
            found=value if value.is_block else chooser,
            hint="add a block of offsets to the pointer",
        )
    value = e.cast(value, _element(place))
    if chooser is None:
        chooser = e.splat(e.constant(True, dtypes.int1), place.shape)
    if not chooser.dtype.is_bool():
        raise TypeMismatchError("a mask holds truth values", found=chooser, accepted=("int1",))
    return value, chooser


def _aligned(
    e: Emitter, value: TensorValue, place: TensorValue
) -> tuple[TensorValue, tuple[int, ...]]:
    """Give a block the rank of the pointers."""
    while value.is_block and len(value.shape) < len(place.shape):
        value = e.getitem(value, (None,) + (slice(None),) * len(value.shape))
    return value, place.shape


def _rmw(
    e: Emitter,
    kind: RMWOp,
    place: TensorValue,
    value: TensorValue,
    mask: TensorValue,
    order: dict[str, Attribute],
) -> TensorValue:
    handles = [place.handle, value.handle, mask.handle]
    properties = {"atomic_rmw_op": kind.attr(), **order}
    handle = e.builder.value(tt.AtomicRMWOp, handles, ir_type(value.type), properties)
    return TensorValue(handle, value.type)


def _function(name: str) -> Callable[..., TensorValue]:
    signed, unsigned, floating, accepted = _SIMPLE[name]

    def emit(e: Emitter, pointer: Any, val: Any, mask: Any, sem: Any, scope: Any) -> TensorValue:
        order = _order(sem, scope)
        place = _place(e, name, pointer, accepted)
        value, chooser = _operands(e, place, val, mask)
        if value.dtype.is_floating():
            if name in _FLOAT_EXTREMES:
                return _float_extreme(e, name, place, value, chooser, order)
            return _rmw(e, floating, place, value, chooser, order)
        kind = signed if value.dtype.is_int_signed() else unsigned
        return _rmw(e, kind, place, value, chooser, order)

    return emit


def _float_extreme(
    e: Emitter,
    name: str,
    place: TensorValue,
    value: TensorValue,
    mask: TensorValue,
    order: dict[str, Attribute],
) -> TensorValue:
    bits = value.dtype.primitive_bitwidth
    signed, unsigned = dtypes.dtype(f"int{bits}"), dtypes.dtype(f"uint{bits}")
    of_positive, of_negative = _FLOAT_EXTREMES[name]
    signed_value = e.bitcast(value, signed)
    signed_place = e.bitcast(place, pointer_type(signed))
    unsigned_value = e.bitcast(value, unsigned)
    unsigned_place = e.bitcast(place, pointer_type(unsigned))
    is_negative = e.cast(e.binary(">>", unsigned_value, bits - 1), dtypes.int1)
    is_positive = e.logical_not(is_negative)
    positive_mask = e.binary("&", mask, is_positive)
    positive = _rmw(e, of_positive, signed_place, signed_value, positive_mask, order)
    negative_mask = e.binary("&", mask, is_negative)
    negative = _rmw(e, of_negative, unsigned_place, unsigned_value, negative_mask, order)
    return e.bitcast(e.select(is_positive, positive, negative), value.dtype)


def atomic_cas(e: Emitter, pointer: Any, cmp: Any, val: Any, sem: Any, scope: Any) -> TensorValue:
    """Emit tt.atomic_cas, compared value and new one brought to the pointers' shape and type."""
    order = _order(sem, scope)
    place = e.to_value(pointer)
    element = pointee_of("atomic_cas", place)
    check_writable(place)
    if element.primitive_bitwidth not in (16, 32, 64):
        raise TypeMismatchError(
            "tl.atomic_cas takes elements of 16, 32 or 64 bits", found=place, accepted=(16, 32, 64)
        )
    expected, wanted = e.to_value(cmp), e.to_value(val)
    if place.is_block:
        expected, _ = broadcast(e, expected, place)
        wanted, _ = broadcast(e, wanted, place)
    expected, wanted = e.cast(expected, element), e.cast(wanted, element)
    if expected.shape != place.shape or wanted.shape != place.shape:
        raise TypeMismatchError(
            "compared value and new value have the shape of the pointers",
            found=f"{expected.shape} and {wanted.shape} for {place.shape}",
        )
    handles = [place.handle, expected.handle, wanted.handle]
    type_ = wanted.type
    return TensorValue(e.builder.value(tt.AtomicCASOp, handles, ir_type(type_), order), type_)


TABLE: dict[str, Callable[..., Any]] = {
    "atomic_cas": atomic_cas,
    **{name: _function(name) for name in _SIMPLE},
}
