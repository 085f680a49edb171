"""Conversions between types, and bitcasts."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.affine_arithmetic import Number
from weft.interpreter.affine_arithmetic import extend as extend_affine
from weft.interpreter.dtypes import BOOL, F32, F64, I64, dtype_of, integer_range, unsigned
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.rounding import narrow, towards_zero, widen
from weft.interpreter.values import AffineTensor, dense
from weft.ir import arith, tt, types
from weft.ir.enums import RoundingMode


@pure(arith.ExtSIOp, arith.IndexCastOp)
def extsi(op: Operation) -> Evaluate:
    """Widen a signed integer (`index_cast` may narrow too); i1's true is -1."""
    dtype = dtype_of(op.results[0].type)

    def extend(a: Number) -> Number:
        if type(a) is AffineTensor:
            wide = extend_affine(a, dtype, signed=True)
            if wide is not None:
                return wide
        array = dense(a)
        return -array.astype(dtype) if array.dtype == BOOL else array.astype(dtype)

    return extend


@pure(arith.ExtUIOp)
def extui(op: Operation) -> Evaluate:
    """Widen an unsigned integer."""
    dtype = dtype_of(op.results[0].type)
    view = unsigned(dtype_of(op.operands[0].type))

    def extend(a: Number) -> Number:
        if type(a) is AffineTensor:
            wide = extend_affine(a, dtype, signed=False)
            if wide is not None:
                return wide
        return dense(a).view(view).astype(dtype)

    return extend


@pure(arith.TruncIOp)
def trunci(op: Operation) -> Evaluate:
    """Keep the low bits."""
    dtype = dtype_of(op.results[0].type)
    if dtype == BOOL:
        return lambda a: (dense(a) & 1).astype(BOOL)

    def cut(a: Number) -> Number:
        if type(a) is AffineTensor:
            return AffineTensor(a.base, a.strides, a.shape, dtype)
        return a.astype(dtype)

    return cut


def _float_of(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Round integers to a float type once."""
    if dtype in (F32, F64):
        return x.astype(dtype)
    if x.dtype.itemsize == 8:  # more bits than f64 has: keep whether any low bit is set
        sticky = (x >> x.dtype.type(11)) | ((x & x.dtype.type(2047)) != 0)
        large = np.abs(x.astype(F64)) >= 2.0**52
        return narrow(np.where(large, sticky.astype(F64) * 2048.0, x.astype(F64)), dtype)
    return narrow(x.astype(F64), dtype)


@pure(arith.SIToFPOp, arith.UIToFPOp)
def itofp(op: Operation) -> Evaluate:
    """Round an integer to a float."""
    dtype, source = dtype_of(op.results[0].type), dtype_of(op.operands[0].type)
    if op.name == "arith.uitofp":
        view = unsigned(source)
        return lambda a: _float_of(dense(a).view(view), dtype)
    if source == BOOL:
        return lambda a: _float_of(-a.astype(np.int8), dtype)
    return lambda a: _float_of(dense(a), dtype)


@pure(arith.FPToSIOp, arith.FPToUIOp)
def fptoi(op: Operation) -> Evaluate:
    """Truncate a float, saturating at the range of the integer; NaN gives 0."""
    dtype = dtype_of(op.results[0].type)
    signed = op.name == "arith.fptosi"
    if dtype == BOOL:
        return lambda a: np.abs(widen(a)) >= 1
    target = dtype if signed else unsigned(dtype)
    low, high = integer_range(dtype) if signed else (0, int(np.iinfo(target).max))

    def truncate(a: np.ndarray) -> np.ndarray:
        x = widen(a)
        result = x.astype(target)
        outside = ~((x > low - 1) & (x < float(high) + 1))
        if outside.any():
            ends = np.where(x > 0, high, low).astype(target)
            result = np.where(outside, np.where(np.isnan(x), target.type(0), ends), result)
        return result.view(dtype)

    return truncate


@pure(arith.ExtFOp, arith.TruncFOp, tt.FpToFpOp)
def fp_to_fp(op: Operation) -> Evaluate:
    """Convert between float types, rounding to nearest even or as the operation states."""
    dtype, source = dtype_of(op.results[0].type), dtype_of(op.operands[0].type)
    mode = op.properties.get("rounding")
    if mode is not None and RoundingMode.of(mode) is RoundingMode.RTZ:
        return lambda a: towards_zero(a, dtype)
    if dtype == F32:
        return narrow32 if source == F64 else widen
    if dtype == F64:
        return lambda a: widen(a).astype(F64)
    return lambda a: narrow(widen(a), dtype)


def narrow32(x: np.ndarray) -> np.ndarray:
    """Convert f64 to f32, rounding to nearest even."""
    return x.astype(F32)


@pure(arith.BitcastOp, tt.BitcastOp)
def bitcast(op: Operation) -> Evaluate:
    """Reinterpret the bits as another type; a pointer keeps its address."""
    dtype, source = dtype_of(op.results[0].type), dtype_of(op.operands[0].type)
    if dtype == source:
        return lambda a: a
    if types.bit_width(op.results[0].type) == 1:
        return lambda a: (dense(a).view(np.int8) & 1).astype(BOOL)
    return lambda a: np.ascontiguousarray(dense(a)).view(dtype)


@effect(tt.PtrToIntOp)
def ptr_to_int(op: Operation) -> Evaluate:
    """Convert a pointer to a machine address."""

    def convert(batch: Batch, a: Number) -> np.ndarray:
        return batch.launch.memory.to_machine(dense(a))

    return convert


@effect(tt.IntToPtrOp)
def int_to_ptr(op: Operation) -> Evaluate:
    """Convert a machine address to a pointer."""

    def convert(batch: Batch, a: Number) -> np.ndarray:
        return batch.launch.memory.to_pointer(dense(a).astype(I64))

    return convert
