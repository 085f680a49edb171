"""tl.device_print and tl.device_assert."""

from __future__ import annotations

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import Value, describe
from weft.ir import attributes, tt


def _string(function: str, parameter: str, value: Value) -> str:
    if not isinstance(value, str):
        raise CompilationError(
            f"the {parameter} of tl.{function} is not string",
            found=describe(value),
            accepted=("a constant str",),
        )
    return value


def device_print(e: Emitter, prefix: Value, args: tuple[Value, ...], hex: Value) -> None:
    """Emit tt.print, with a space before the prefix and a colon after it."""
    text = _string("device_print", "prefix", prefix)
    if not text.isascii() or not text.isprintable():
        raise CompilationError(
            "the prefix of tl.device_print is not an ascii string", found=repr(text)
        )
    values = [e.to_value(argument) for argument in args]
    signs = tuple(int(value.dtype.is_int_signed()) for value in values)
    properties = {
        "prefix": attributes.string(_punctuate(text, bool(values))),
        "hex": attributes.boolean(bool(hex)),
        "isSigned": attributes.array_i32(signs),
    }
    e.builder.create(tt.PrintOp, [value.handle for value in values], properties=properties)


def _punctuate(text: str, has_values: bool) -> str:
    if has_values:
        text = text if text.endswith(" ") else f"{text} "
        text = text if text.endswith(": ") else f"{text[:-1]}: "
    return text if text.startswith(" ") or len(text) <= 2 else f" {text}"


def device_assert(e: Emitter, cond: Value, msg: Value, mask: Value) -> None:
    """Emit tt.assert in debug compilation, else nothing."""
    text = _string("device_assert", "message", msg)
    if not e.options.debug:
        return
    condition = e.to_value(cond)
    if not condition.dtype.is_bool():
        raise TypeMismatchError(
            "the condition of tl.device_assert must have boolean scalar type",
            found=condition,
            accepted=("int1",),
            hint="compare: x != 0",
        )
    if mask is not None:
        condition = e.binary("|", condition, e.logical_not(mask))
    e.builder.create(
        tt.AssertOp, [condition.handle], properties={"message": attributes.string(text)}
    )


TABLE = {"device_assert": device_assert, "device_print": device_print}
