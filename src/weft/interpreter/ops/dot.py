"""tt.dot and tt.dot_scaled.

Products of f16, bf16 and 8-bit floats are exact in f32; sums are f32's (f64's for f64), in the
order of the BLAS. Integer products are summed in floats wide enough to hold every sum exactly.
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

Product = Callable[[np.ndarray, np.ndarray], np.ndarray]
_EXACT_F32 = 1 << 24


def _bf16_parts(x: np.ndarray, count: int) -> list[np.ndarray]:
    parts: list[np.ndarray] = []
    for _ in range(count):
        part = x.astype(BF16).astype(F32)
        parts.append(part)
        x = x - part
    return parts


def _split_product(count: int, parts_of: Callable[[np.ndarray], list[np.ndarray]]) -> Product:
    """Return a product of parts, small ones first, dropping those below the last kept."""

    def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        left, right = parts_of(a), parts_of(b)
        pairs = [(i, j) for i in range(count) for j in range(count) if i + j < count]
        pairs.sort(key=lambda pair: -(pair[0] + pair[1]))
        total = np.matmul(left[pairs[0][0]], right[pairs[0][1]])
        for i, j in pairs[1:]:
            total += np.matmul(left[i], right[j])
        return total

    return product


def _tf32_parts(x: np.ndarray) -> list[np.ndarray]:
    high = tf32(x)
    return [high, tf32(x - high)]


_F32_PRODUCTS: dict[InputPrecision, Product] = {
    InputPrecision.IEEE: np.matmul,
    InputPrecision.TF32: lambda a, b: np.matmul(tf32(a), tf32(b)),
    InputPrecision.TF32X3: _split_product(2, _tf32_parts),
    InputPrecision.BF16X3: _split_product(2, lambda x: _bf16_parts(x, 2)),
    InputPrecision.BF16X6: _split_product(3, lambda x: _bf16_parts(x, 3)),
}


def _product(source: np.dtype, result: np.dtype, depth: int, precision: Attribute) -> Product:
    """Return how tiles are multiplied.

    Args: source, result: of the elements.  depth: products that one sum has.
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
        return _F32_PRODUCTS[InputPrecision.of(precision)]
    return lambda a, b: np.matmul(widen(a), widen(b))


def multiply_add(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    source: np.dtype,
    dtype: np.dtype,
    precision: Attribute,
) -> Callable[[Value, Value, Value], np.ndarray]:
    """Return f(a, b, c) = a · b + c.

    Args: shapes: of a and b.  source, dtype: of their elements, and of c's.
    """
    product = _product(source, dtype, shapes[0][-1], precision)
    small = dtype.kind not in "iu" and dtype.itemsize < 4

    def run(a: Value, b: Value, c: Value) -> np.ndarray:
        total = product(full(a, shapes[0]), full(b, shapes[1]))
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
    """Multiply tiles and add the accumulator, which sets the result's type."""
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
    """Return the numbers of one operand as f32; e2m1 has two to a byte, low half first."""
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
    """Return scales as f32: a byte is a power of two (255 is NaN), an e4m3 is itself."""
    if scale.dtype.kind not in "iu":
        return widen(scale)
    exponent = scale.view(unsigned(scale.dtype)).astype(np.int32)
    return np.where(exponent == 255, np.float32(np.nan), np.ldexp(np.float32(1), exponent - 127))


@dataclass(frozen=True, slots=True)
class ScaledSide:
    """One operand of a scaled product.

    kind: of its elements.  packed: whether two lie in a byte along k, else along m or n.
    shape, scale_shape: of the operand and of its scales.
    """

    kind: ScaleDotElemType
    packed: bool
    shape: tuple[int, ...]
    scale_shape: tuple[int, ...]
    left: bool

    def numbers(self, raw: Value, scale: Value | None) -> np.ndarray:
        """Return the numbers that the operand stands for, as f32."""
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
    """Multiply tiles whose elements have a scale for each block along K.

    The scales are (M, K / block) of the left operand and (N, K / block) of the right.
    """
    operands = [getattr(op, name) for name in ("a", "b", "c", "a_scale", "b_scale")]
    shapes = [() if value is None else types.shape(value.type) for value in operands]
    place = {id(value): index for index, value in enumerate(op.operands)}
    order = [None if value is None else place[id(value)] for value in operands]
    sides = [
        ScaledSide(
            known_kind(op, ScaleDotElemType.of(op.properties[f"{name}_elem_type"])),
            bool(number(op.properties.get(f"{packed}_k_pack"))),
            shapes[which],
            shapes[which + 3],
            left=not which,
        )
        for which, (name, packed) in enumerate((("a", "lhs"), ("b", "rhs")))
    ]
    dtype = dtype_of(op.results[0].type)

    def value_at(values: tuple[Value, ...], which: int) -> Value | None:
        at = order[which]
        return None if at is None else values[at]

    def run(*values: Value) -> np.ndarray:
        left, right = (
            side.numbers(values[order[which]], value_at(values, which + 3))  # pyright: ignore
            for which, side in enumerate(sides)
        )
        return narrow(widen(dense(values[order[2]])) + np.matmul(left, right), dtype)  # pyright: ignore

    return run


def known_kind(op: Operation, kind: ScaleDotElemType) -> ScaleDotElemType:
    """Return a format, if the interpreter has numbers of it.

    Raises: LaunchError: it has not.
    """
    if kind in (ScaleDotElemType.E2M3, ScaleDotElemType.E3M2):
        raise LaunchError(
            "the interpreter has no 6-bit floats",
            location=locations.position(op.location),
            found=kind,
            accepted=["e4m3", "e5m2", "e2m1", "bf16", "fp16"],
        )
    return kind
