"""tl.inline_asm_elementwise, and the functions of `tl.extra.cuda` that are inline assembly."""

from __future__ import annotations

from functools import reduce

from weft.errors import CompilationError
from weft.frontend.semantics.broadcasting import block_of, broadcast, common_shape
from weft.frontend.semantics.builtins.creation import element_type
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import attributes, tt, types
from weft.language import dtypes
from weft.language.dtypes import dtype


def inline_asm_elementwise(
    e: Emitter,
    asm: Value,
    constraints: Value,
    args: Value,
    dtype: Value,
    is_pure: Value,
    pack: Value,
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.elementwise_inline_asm.

    Raises:
        CompilationError: `asm`, `constraints` or `pack` is not a constant of its type.
    """
    asm_text, constraint_text = _string("asm", asm), _string("constraints", constraints)
    if not isinstance(pack, int) or pack < 1:
        raise CompilationError(
            "pack must be a positive integer", found=describe(pack), accepted=("an int from 1 on",)
        )
    operands = args if isinstance(args, tuple) else (args,)
    values = broadcast_all(e, [e.to_value(value) for value in operands])
    result_types = [
        element_type(item) for item in (dtype if isinstance(dtype, tuple) else (dtype,))
    ]
    results = emit_asm(e, asm_text, constraint_text, values, result_types, bool(is_pure), pack)
    return results if isinstance(dtype, tuple) else results[0]


def _string(name: str, value: Value) -> str:
    if not isinstance(value, str):
        raise CompilationError(
            f"{name} must be a constant string", found=describe(value), accepted=("a str",)
        )
    return value


def broadcast_all(e: Emitter, values: list[TensorValue]) -> list[TensorValue]:
    """Broadcast any number of values to one shape."""
    if not any(value.is_block for value in values):
        return values
    rank = max(len(value.shape) for value in values)
    shapes = [(1,) * (rank - len(value.shape)) + value.shape for value in values]
    shape = reduce(common_shape, shapes)
    if any(value.is_block and block_of(value).encoding is not None for value in values):
        return _broadcast_pairs(e, values)
    return [_expand_and_broadcast(e, value, shape) for value in values]


def _broadcast_pairs(e: Emitter, values: list[TensorValue]) -> list[TensorValue]:
    """Broadcast blocks with layouts, of which two at a time are matched."""
    target = values[0]
    for value in values[1:]:
        target, _ = broadcast(e, target, value)
    return [broadcast(e, value, target)[0] for value in values]


def _expand_and_broadcast(e: Emitter, value: TensorValue, shape: tuple[int, ...]) -> TensorValue:
    while value.is_block and len(value.shape) < len(shape):
        value = e.getitem(value, (None,) + (slice(None),) * len(value.shape))
    return e.broadcast_to(value, shape)


def emit_asm(
    e: Emitter,
    asm: str,
    constraints: str,
    values: list[TensorValue],
    result_types: list[dtype],
    is_pure: bool,
    pack: int,
) -> tuple[TensorValue, ...]:
    """Emit tt.elementwise_inline_asm on values of one shape, which the results have, too."""
    shape = values[0].shape if values else ()
    types_ = [values[0].type.with_element_ty(each) if shape else each for each in result_types]
    op = e.builder.create(
        tt.ElementwiseInlineAsmOp,
        [value.handle for value in values],
        [ir_type(type_) for type_ in types_],
        {
            "asm_string": attributes.string(asm),
            "constraints": attributes.string(constraints),
            "pure": attributes.boolean(is_pure),
            "packed_element": attributes.integer(pack, types.i32),
        },
    )
    return tuple(
        TensorValue(handle, type_) for handle, type_ in zip(op.results, types_, strict=True)
    )


def globaltimer(e: Emitter) -> TensorValue:
    """Read the global timer of an NVIDIA GPU."""
    return emit_asm(e, "mov.u64 $0, %globaltimer;", "=l", [], [dtypes.int64], False, 1)[0]


def smid(e: Emitter) -> TensorValue:
    """Read the index of the multiprocessor of an NVIDIA GPU."""
    return emit_asm(e, "mov.u32 $0, %smid;", "=r", [], [dtypes.int32], True, 1)[0]


def gdc_wait(e: Emitter) -> None:
    """Wait for the prerequisite grids."""
    _griddepcontrol(e, "wait")


def gdc_launch_dependents(e: Emitter) -> None:
    """Allow dependent grids to launch."""
    _griddepcontrol(e, "launch_dependents")


def _griddepcontrol(e: Emitter, modifier: str) -> None:
    # The operation must have a result, so the text has to refer to it.
    asm = f"griddepcontrol.{modifier}; // dummy $0"
    emit_asm(e, asm, "=r", [], [dtypes.int32], False, 1)


TABLE = {
    "extra.cuda.gdc_launch_dependents": gdc_launch_dependents,
    "extra.cuda.gdc_wait": gdc_wait,
    "extra.cuda.globaltimer": globaltimer,
    "extra.cuda.smid": smid,
    "inline_asm_elementwise": inline_asm_elementwise,
}
