"""Unpacking and scaling of microscaling formats in registers, for chips without scaled dots."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.dtypes import dtype_of
from weft.interpreter.ops.dot import elements_of, scales_of, supported_format
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.rounding import narrow, widen
from weft.interpreter.values import Value, full
from weft.ir import amdg, ttg, types
from weft.ir.enums import ScaleDotElemType


@pure(ttg.Fp4ToFpOp)
def fp4_to_fp(op: Operation) -> Evaluate:
    """Unpack the two 4-bit floats of each byte along an axis."""
    shape, dtype = types.shape(op.operands[0].type), dtype_of(op.results[0].type)
    axis = int_of(op, "axis") + 1
    return lambda a: narrow(elements_of(full(a, shape), ScaleDotElemType.E2M1, axis), dtype)


@pure(amdg.ScaledUpcastFp4Op)
def scaled_upcast_fp4(op: Operation) -> Evaluate:
    """Unpack bytes along an axis, and multiply by a scale per element."""
    shapes = [types.shape(value.type) for value in op.operands]
    axis, dtype = int_of(op, "axis") + 1, dtype_of(op.results[0].type)

    def run(packed: Value, scale: Value) -> np.ndarray:
        numbers = elements_of(full(packed, shapes[0]), ScaleDotElemType.E2M1, axis)
        return narrow(numbers * scales_of(full(scale, shapes[1])), dtype)

    return run


@pure(amdg.ScaledUpcastFp8Op)
def scaled_upcast_fp8(op: Operation) -> Evaluate:
    """Widen 8-bit floats, and multiply by a scale per element."""
    shapes = [types.shape(value.type) for value in op.operands]
    dtype = dtype_of(op.results[0].type)
    return lambda a, scale: narrow(
        widen(full(a, shapes[0])) * scales_of(full(scale, shapes[1])), dtype
    )


@pure(amdg.UpcastMXFPOp)
def upcast_mxfp(op: Operation) -> Evaluate:
    """Unpack an operand of a dot, and multiply each 32 elements along K by their scale.

    K is the last axis of the left operand and of the scales, the second to last of the right.
    """
    kind = supported_format(op, ScaleDotElemType.of(op.properties["fp_type"]))
    shapes = [types.shape(value.type) for value in op.operands]
    encoding, dtype = types.encoding(op.results[0].type), dtype_of(op.results[0].type)
    left = getattr(encoding, "op_idx", 0) == 0
    k_axis = -1 if left else -2

    def run(packed: Value, scale: Value) -> np.ndarray:
        raw = full(packed, shapes[0])
        numbers = elements_of(raw, kind, raw.ndim + k_axis)
        factors = scales_of(full(scale, shapes[1]))
        repeated = np.repeat(factors, numbers.shape[k_axis] // factors.shape[-1], axis=-1)
        return narrow(numbers * (repeated if left else np.swapaxes(repeated, -1, -2)), dtype)

    return run
