"""tl.inline_asm_elementwise, and the special registers and instructions that it reaches."""

from __future__ import annotations

from functools import reduce
from typing import Any

from weft.errors import CompilationError
from weft.frontend.semantics.builtins.creation import element_type
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.shaping import common_shape
from weft.frontend.semantics.values import TensorValue, describe
from weft.ir import attributes, tt, types
from weft.language import dtypes
from weft.language.compound_types import block_type
from weft.language.dtypes import dtype


def inline_asm_elementwise(
    e: Emitter, asm: Any, constraints: Any, args: Any, dtype: Any, is_pure: Any, pack: Any
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.elementwise_inline_asm over arguments of one shape.

    Raises: CompilationError for an instruction, constraints or pack that is no constant.
    """
    for name, value, kind in (("asm", asm, str), ("constraints", constraints, str)):
        if not isinstance(value, kind):
            raise CompilationError(
                f"{name} must be a constant text", found=describe(value), accepted=("a str",)
            )
    if not isinstance(pack, int) or pack < 1:
        raise CompilationError(
            "pack says how many elements one instruction takes",
            found=describe(pack),
            accepted=("an int from 1 on",),
        )
    operands = args if isinstance(args, tuple) else (args,)
    values = broadcast_all(e, [e.to_value(value) for value in operands])
    many = isinstance(dtype, tuple)
    wanted = [element_type(item) for item in (dtype if many else (dtype,))]
    results = emit(e, asm, constraints, values, wanted, bool(is_pure), pack)
    return results if many else results[0]


def broadcast_all(e: Emitter, values: list[TensorValue]) -> list[TensorValue]:
    """Bring any number of values to one shape, each by itself."""
    if not any(value.is_block for value in values):
        return values
    rank = max(len(value.shape) for value in values)
    shapes = [(1,) * (rank - len(value.shape)) + value.shape for value in values]
    shape = reduce(common_shape, shapes)
    return [_stretched(e, value, shape) for value in values]


def _stretched(e: Emitter, value: TensorValue, shape: tuple[int, ...]) -> TensorValue:
    while value.is_block and len(value.shape) < len(shape):
        value = e.getitem(value, (None,) + (slice(None),) * len(value.shape))
    return e.broadcast_to(value, shape)


def emit(
    e: Emitter,
    asm: str,
    constraints: str,
    values: list[TensorValue],
    wanted: list[dtype],
    is_pure: bool,
    pack: int,
) -> tuple[TensorValue, ...]:
    """Emit the operation for values of one shape; results have that shape."""
    shape = values[0].shape if values else ()
    result_types = [block_type(type_, shape) if shape else type_ for type_ in wanted]
    op = e.builder.create(
        tt.ElementwiseInlineAsmOp,
        [value.handle for value in values],
        [ir_type(type_) for type_ in result_types],
        {
            "asm_string": attributes.string(asm),
            "constraints": attributes.string(constraints),
            "pure": attributes.boolean(is_pure),
            "packed_element": attributes.integer(pack, types.i32),
        },
    )
    return tuple(
        TensorValue(handle, type_) for handle, type_ in zip(op.results, result_types, strict=True)
    )


def globaltimer(e: Emitter) -> TensorValue:
    """Read the nanosecond clock of an NVIDIA device."""
    return emit(e, "mov.u64 $0, %globaltimer;", "=l", [], [dtypes.int64], False, 1)[0]


def smid(e: Emitter) -> TensorValue:
    """Read the number of the multiprocessor of an NVIDIA device."""
    return emit(e, "mov.u32 $0, %smid;", "=r", [], [dtypes.int32], True, 1)[0]


def gdc_wait(e: Emitter) -> None:
    """Wait for the kernels ahead of this one."""
    _depend(e, "wait")


def gdc_launch_dependents(e: Emitter) -> None:
    """Let the kernel behind this one begin."""
    _depend(e, "launch_dependents")


def _depend(e: Emitter, verb: str) -> None:
    # The operation must have a result, so the text has to name it.
    emit(e, f"griddepcontrol.{verb}; // dummy $0", "=r", [], [dtypes.int32], False, 1)


TABLE = {
    "extra.cuda.gdc_launch_dependents": gdc_launch_dependents,
    "extra.cuda.gdc_wait": gdc_wait,
    "extra.cuda.globaltimer": globaltimer,
    "extra.cuda.smid": smid,
    "inline_asm_elementwise": inline_asm_elementwise,
}
