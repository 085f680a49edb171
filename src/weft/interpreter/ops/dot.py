"""tt.dot and tt.dot_scaled.

Products of f16, bf16 and 8-bit floats are exact in f32; they are summed in f32 (f64 for f64), in
the order of the BLAS. Products of integers are summed in floats wide enough to be exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.errors import LaunchError
from weft.interpreter.dtypes import BF16, F32, F64, dtype_of, unsigned
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.rounding import narrow, tf32, widen
from weft.interpreter.values import Value, dense, full
from weft.ir import locations, tt, types
from weft.ir.attributes import number
from weft.ir.enums import InputPrecision, ScaleDotElemType

MatMul = Callable[[np.ndarray, np.ndarray], np.ndarray]
_EXACT_F32 = 1 << 24


def _bf16_parts(x: np.ndarray, count: int) -> list[np.ndarray]:
    parts: list[np.ndarray] = []
    for _ in range(count):
        part = x.astype(BF16).astype(F32)
        parts.append(part)
        x = x - part
    return parts


def _split_matmul(count: int, parts_of: Callable[[np.ndarray], list[np.ndarray]]) -> MatMul:
    """Make a matmul of split operands: products of parts, the smallest first.

    Products below the precision of the last part are left out.
    """

    def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        left, right = parts_of(a), parts_of(b)
        pairs = [(i, j) for i in range(count) for j in range(count) if i + j < count]
        pairs.sort(key=lambda pair: -(pair[0] + pair[1]))
        total = np.matmul(left[pairs[0][0]], right[pairs[0][1]])
        for i, j in pairs[1:]:
            total += np.matmul(left[i], right[j])
        return total

    return matmul


def _tf32_parts(x: np.ndarray) -> list[np.ndarray]:
    high = tf32(x)
    return [high, tf32(x - high)]


_F32_MATMULS: dict[InputPrecision, MatMul] = {
    InputPrecision.IEEE: np.matmul,
    InputPrecision.TF32: lambda a, b: np.matmul(tf32(a), tf32(b)),
    InputPrecision.TF32X3: _split_matmul(2, _tf32_parts),
    InputPrecision.BF16X3: _split_matmul(2, lambda x: _bf16_parts(x, 2)),
    InputPrecision.BF16X6: _split_matmul(3, lambda x: _bf16_parts(x, 3)),
}


def _matmul(source: np.dtype, result: np.dtype, depth: int, precision: Attribute) -> MatMul:
    """Make the matmul of two tiles.

    Args:
        source: The dtype of the operands.
        result: The dtype of the result.
        depth: The number of products per sum.
        precision: The input precision, for operands of f32.
    """
    if source.kind in "iu":
        exact = depth << (2 * 8 * source.itemsize - 2) <= _EXACT_F32
        wide = F32 if exact else F64
        return lambda a, b: (
            np.matmul(a.astype(wide), b.astype(wide)).astype(np.int64).astype(result)
        )
    if source == F64:
        return np.matmul
    if source == F32:
        return _F32_MATMULS[InputPrecision.of(precision)]
    return lambda a, b: np.matmul(widen(a), widen(b))


def multiply_add(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    source: np.dtype,
    dtype: np.dtype,
    precision: Attribute,
) -> Callable[[Value, Value, Value], np.ndarray]:
    """Make f(a, b, c) = a · b + c.

    Args:
        shapes: The shapes of a and b.
        source: The dtype of a and b.
        dtype: The dtype of c and of the result.
        precision: The input precision, for operands of f32.
    """
    matmul = _matmul(source, dtype, shapes[0][-1], precision)
    small = dtype.kind not in "iu" and dtype.itemsize < 4

    def run(a: Value, b: Value, c: Value) -> np.ndarray:
        total = matmul(full(a, shapes[0]), full(b, shapes[1]))
        accumulator = dense(c)
        if small:
            return narrow(widen(accumulator) + total, dtype)
        if accumulator.size == 1 and not accumulator.any():
            return total
        if total.shape == np.broadcast_shapes(total.shape, accumulator.shape):
            total += accumulator
            return total
        return total + accumulator

    return run


@pure(tt.DotOp)
def dot(op: Operation) -> Evaluate:
    """Multiply tiles and add the accumulator, which has the type of the result."""
    a, b = (value.type for value in op.operands[:2])
    return multiply_add(
        (types.shape(a), types.shape(b)),
        dtype_of(a),
        dtype_of(op.results[0].type),
        op.properties["inputPrecision"],
    )


_FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], F32)
_FP4_CODES = np.concatenate((_FP4, -_FP4))
_FLOAT8 = {
    ScaleDotElemType.E4M3: dtype_of(types.f8E4M3FN),
    ScaleDotElemType.E5M2: dtype_of(types.f8E5M2),
}


def elements_of(x: np.ndarray, kind: ScaleDotElemType, packed_axis: int) -> np.ndarray:
    """Convert one operand to f32; e2m1 is packed two per byte, the low half first."""
    if kind is ScaleDotElemType.E2M1:
        codes = np.ascontiguousarray(x).view(np.uint8)
        pairs = np.stack((_FP4_CODES[codes & 15], _FP4_CODES[codes >> 4]), axis=packed_axis + 1)
        shape = list(x.shape)
        shape[packed_axis] *= 2
        return pairs.reshape(shape)
    if kind in _FLOAT8 and x.dtype.kind in "iu":
        x = np.ascontiguousarray(x).view(_FLOAT8[kind])
    return widen(x)


def scales_of(scale: np.ndarray) -> np.ndarray:
    """Convert scales to f32: a byte is an exponent (255 is NaN), an e4m3 is a float."""
    if scale.dtype.kind not in "iu":
        return widen(scale)
    exponent = scale.view(unsigned(scale.dtype)).astype(np.int32)
    return np.where(exponent == 255, np.float32(np.nan), np.ldexp(np.float32(1), exponent - 127))


@dataclass(frozen=True, slots=True)
class ScaledSide:
    """One operand of a scaled dot.

    Attributes:
        kind: The format of its elements.
        packed: Whether packed elements of a byte are neighbours along K, else along M or N.
        shape: The shape of the operand.
        scale_shape: The shape of its scales, () if there are none.
        left: Whether it is the left operand.
    """

    kind: ScaleDotElemType
    packed: bool
    shape: tuple[int, ...]
    scale_shape: tuple[int, ...]
    left: bool

    def numbers(self, raw: Value, scale: Value | None) -> np.ndarray:
        """Compute the scaled elements as f32."""
        k_axis = -1 if self.left else -2
        elements = full(raw, self.shape)
        axis = elements.ndim + (k_axis if self.packed else (-2 if self.left else -1))
        numbers = elements_of(elements, self.kind, axis)
        if scale is None:
            return numbers
        factors = scales_of(full(scale, self.scale_shape))
        repeated = np.repeat(factors, numbers.shape[k_axis] // factors.shape[-1], axis=-1)
        return numbers * (repeated if self.left else np.swapaxes(repeated, -1, -2))


@pure(tt.DotScaledOp)
def dot_scaled(op: Operation) -> Evaluate:
    """Multiply tiles with one scale per block of elements along K.

    The scales have shape (M, K / block) for the left operand and (N, K / block) for the right.
    """
    operands = [getattr(op, name) for name in ("a", "b", "c", "a_scale", "b_scale")]
    shapes = [() if value is None else types.shape(value.type) for value in operands]
    positions = {id(value): index for index, value in enumerate(op.operands)}
    order = [None if value is None else positions[id(value)] for value in operands]
    sides = [
        ScaledSide(
            supported_format(op, ScaleDotElemType.of(op.properties[f"{name}_elem_type"])),
            bool(number(op.properties.get(f"{packed}_k_pack"))),
            shapes[which],
            shapes[which + 3],
            left=not which,
        )
        for which, (name, packed) in enumerate((("a", "lhs"), ("b", "rhs")))
    ]
    dtype = dtype_of(op.results[0].type)

    def value_at(values: tuple[Value, ...], which: int) -> Value | None:
        position = order[which]
        return None if position is None else values[position]

    def run(*values: Value) -> np.ndarray:
        left, right = (
            side.numbers(values[order[which]], value_at(values, which + 3))  # pyright: ignore
            for which, side in enumerate(sides)
        )
        return narrow(widen(dense(values[order[2]])) + np.matmul(left, right), dtype)  # pyright: ignore

    return run


def supported_format(op: Operation, kind: ScaleDotElemType) -> ScaleDotElemType:
    """Check that the interpreter supports a format, and return it.

    Raises:
        LaunchError: It does not.
    """
    if kind in (ScaleDotElemType.E2M3, ScaleDotElemType.E3M2):
        raise LaunchError(
            "the interpreter does not support 6-bit floats",
            location=locations.position(op.location),
            found=kind,
            accepted=["e4m3", "e5m2", "e2m1", "bf16", "fp16"],
        )
    return kind
