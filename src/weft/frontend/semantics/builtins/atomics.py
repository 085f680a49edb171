"""tl.atomic_add and the other atomic operations.

atomic_add(p, v)        tt.atomic_rmw; v is converted to p's shape and element type, and a mask
                        of true is added if there is none
atomic_max of floats    A non-negative float compares as a signed integer, and a negative one in
                        reverse order as an unsigned integer. So it is an integer max masked
                        to the non-negative values and an unsigned min masked to the others.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import TypeMismatchError
from weft.frontend.semantics.broadcasting import broadcast, broadcast_like, splat_like
from weft.frontend.semantics.builtins.memory import check_writable, pointee_of, select_option
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value
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
_INTEGERS = ("int32", "int64", "uint32", "uint64")

# name: (operation on signed integers, on unsigned integers, on floats, element types)
_RMW_OPS: dict[str, tuple[RMWOp, RMWOp, RMWOp, tuple[str, ...]]] = {
    "atomic_add": (RMWOp.ADD, RMWOp.ADD, RMWOp.FADD, _ADDABLE),
    "atomic_and": (RMWOp.AND, RMWOp.AND, RMWOp.AND, _INTEGERS),
    "atomic_or": (RMWOp.OR, RMWOp.OR, RMWOp.OR, _INTEGERS),
    "atomic_xor": (RMWOp.XOR, RMWOp.XOR, RMWOp.XOR, _INTEGERS),
    "atomic_xchg": (RMWOp.XCHG, RMWOp.XCHG, RMWOp.XCHG, _COMPARABLE),
    "atomic_max": (RMWOp.MAX, RMWOp.UMAX, RMWOp.MAX, _COMPARABLE),
    "atomic_min": (RMWOp.MIN, RMWOp.UMIN, RMWOp.MIN, _COMPARABLE),
}
# name: (operation on non-negative floats as signed integers, on negative ones as unsigned integers)
_FLOAT_EXTREMA = {
    "atomic_max": (RMWOp.MAX, RMWOp.UMIN),
    "atomic_min": (RMWOp.MIN, RMWOp.UMAX),
}


def memory_order(sem: Value, scope: Value) -> dict[str, Attribute]:
    """Return the attributes of an atomic operation's memory semantics and scope."""
    return {
        "sem": select_option("memory semantic", sem, _SEMANTICS).attr(),
        "scope": select_option("memory semantic", scope, _SCOPES).attr(),
    }


def _pointers(e: Emitter, name: str, pointer: Value, accepted: tuple[str, ...]) -> TensorValue:
    pointers = e.to_value(pointer)
    element = pointee_of(name, pointers)
    check_writable(pointers)
    if element.name not in accepted:
        raise TypeMismatchError(
            f"{name} does not support {element}", found=pointers, accepted=accepted
        )
    return pointers


def _element(pointers: TensorValue) -> dtype:
    scalar = pointers.dtype
    assert isinstance(scalar, pointer_type)
    return scalar.element_ty


def _operands(
    e: Emitter, pointers: TensorValue, val: Value, mask: Value
) -> tuple[TensorValue, TensorValue]:
    """Convert the operand to the shape and element type of the pointers, and the mask likewise."""
    value = e.to_value(val)
    mask_value = None if mask is None else e.to_value(mask)
    if pointers.is_block:
        if mask_value is not None:
            mask_value = broadcast_like(e, _expand_rank(e, mask_value, pointers), pointers)
        value = broadcast_like(e, _expand_rank(e, value, pointers), pointers)
    else:
        _check_scalars(("value", value), ("mask", mask_value))
    value = e.cast(value, _element(pointers))
    if mask_value is None:
        mask_value = splat_like(e, e.constant(True, dtypes.int1), pointers)
    if not mask_value.dtype.is_bool():
        raise TypeMismatchError(
            "mask must have boolean scalar type", found=mask_value, accepted=("int1",)
        )
    return value, mask_value


def _check_scalars(*arguments: tuple[str, TensorValue | None]) -> None:
    for name, value in arguments:
        if value is not None and value.is_block:
            raise TypeMismatchError(
                f"{name} argument cannot be block type if pointer argument is not a block",
                found=value,
                hint="add a block of offsets to the pointer",
            )


def _expand_rank(e: Emitter, value: TensorValue, pointers: TensorValue) -> TensorValue:
    while value.is_block and len(value.shape) < len(pointers.shape):
        value = e.getitem(value, (None,) + (slice(None),) * len(value.shape))
    return value


def _atomic_rmw(
    e: Emitter,
    op: RMWOp,
    pointers: TensorValue,
    value: TensorValue,
    mask: TensorValue,
    order: dict[str, Attribute],
) -> TensorValue:
    handles = [pointers.handle, value.handle, mask.handle]
    properties = {"atomic_rmw_op": op.attr(), **order}
    handle = e.builder.value(tt.AtomicRMWOp, handles, ir_type(value.type), properties)
    return TensorValue(handle, value.type)


def _implementation(name: str) -> Callable[..., TensorValue]:
    signed_op, unsigned_op, float_op, accepted = _RMW_OPS[name]

    def emit(
        e: Emitter, pointer: Value, val: Value, mask: Value, sem: Value, scope: Value
    ) -> TensorValue:
        order = memory_order(sem, scope)
        pointers = _pointers(e, name, pointer, accepted)
        value, mask_value = _operands(e, pointers, val, mask)
        if value.dtype.is_floating():
            if name in _FLOAT_EXTREMA:
                return _float_extremum(e, name, pointers, value, mask_value, order)
            return _atomic_rmw(e, float_op, pointers, value, mask_value, order)
        op = signed_op if value.dtype.is_int_signed() else unsigned_op
        return _atomic_rmw(e, op, pointers, value, mask_value, order)

    return emit


def _float_extremum(
    e: Emitter,
    name: str,
    pointers: TensorValue,
    value: TensorValue,
    mask: TensorValue,
    order: dict[str, Attribute],
) -> TensorValue:
    bits = value.dtype.primitive_bitwidth
    signed, unsigned = dtypes.dtype(f"int{bits}"), dtypes.dtype(f"uint{bits}")
    positive_op, negative_op = _FLOAT_EXTREMA[name]
    signed_value = e.bitcast(value, signed)
    signed_pointers = e.bitcast(pointers, pointer_type(signed))
    unsigned_value = e.bitcast(value, unsigned)
    unsigned_pointers = e.bitcast(pointers, pointer_type(unsigned))
    is_negative = e.cast(e.binary(">>", unsigned_value, bits - 1), dtypes.int1)
    is_positive = e.logical_not(is_negative)
    positive_mask = e.binary("&", mask, is_positive)
    positive = _atomic_rmw(e, positive_op, signed_pointers, signed_value, positive_mask, order)
    negative_mask = e.binary("&", mask, is_negative)
    negative = _atomic_rmw(e, negative_op, unsigned_pointers, unsigned_value, negative_mask, order)
    return e.bitcast(e.select(is_positive, positive, negative), value.dtype)


def atomic_cas(
    e: Emitter, pointer: Value, cmp: Value, val: Value, sem: Value, scope: Value
) -> TensorValue:
    """Emit tt.atomic_cas; both operands are converted to the pointers' shape and element type.

    An integer of the same width keeps its sign, and so does the result, as in Triton.
    """
    order = memory_order(sem, scope)
    pointers = e.to_value(pointer)
    element = pointee_of("atomic_cas", pointers)
    check_writable(pointers)
    if element.primitive_bitwidth not in (16, 32, 64):
        raise TypeMismatchError(
            "atomic_cas only supports elements with width {16, 32, 64}",
            found=pointers,
            accepted=(16, 32, 64),
        )
    expected, new = e.to_value(cmp), e.to_value(val)
    if pointers.is_block:
        expected, _ = broadcast(e, expected, pointers)
        new, _ = broadcast(e, new, pointers)
    expected, new = _of_width(e, expected, element), _of_width(e, new, element)
    if expected.shape != pointers.shape or new.shape != pointers.shape:
        raise TypeMismatchError(
            f"cmp and val of atomic_cas must have the shape of the pointers, {pointers.shape}",
            found=f"{expected.shape} and {new.shape}",
        )
    handles = [pointers.handle, expected.handle, new.handle]
    return TensorValue(e.builder.value(tt.AtomicCASOp, handles, ir_type(new.type), order), new.type)


def _of_width(e: Emitter, value: TensorValue, element: dtype) -> TensorValue:
    """Convert a value to an element type, unless both have the same type in IR."""
    return value if ir_type(value.type.scalar) == ir_type(element) else e.cast(value, element)


TABLE: dict[str, Callable[..., TensorValue]] = {
    "atomic_cas": atomic_cas,
    **{name: _implementation(name) for name in _RMW_OPS},
}
