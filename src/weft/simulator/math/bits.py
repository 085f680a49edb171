"""More intrinsics of one value per thread: signs, reciprocals, counts of bits, wide products."""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block
from weft.simulator.llvm_ir.casts import unsigned
from weft.simulator.registry import value

__all__: list[str] = []


@value("llvm.nvvm.rcp.approx.ftz.f", "llvm.amdgcn.rcp.f32")
def _reciprocal(block: Block, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return (1 / x).astype(x.dtype)


@value("llvm.amdgcn.fmed3.f32")
def _middle(block: Block, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return the middle one of three numbers; with a NaN, the smallest of the others."""
    three = np.stack(np.broadcast_arrays(a, b, c))
    least = np.fmin(np.fmin(a, b), c)
    return np.where(np.isnan(three).any(0), least, np.sort(three, axis=0)[1])


@value("llvm.copysign")
def _with_sign(block: Block, x: np.ndarray, sign: np.ndarray) -> np.ndarray:
    return np.copysign(x, sign).astype(x.dtype)


@value("llvm.nvvm.rsqrt.approx.d", "llvm.amdgcn.rsq.f64")
def _inverse_root(block: Block, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return 1 / np.sqrt(x)


@value("llvm.ctpop")
def _set_bits(block: Block, x: np.ndarray) -> np.ndarray:
    return np.bitwise_count(unsigned(x)).astype(x.dtype)


@value("llvm.ctlz")
def _leading_zeros(block: Block, x: np.ndarray, poison: np.ndarray) -> np.ndarray:
    bits = _bits(x)
    return np.where(bits.any(1), bits[:, ::-1].argmax(1), bits.shape[1]).astype(x.dtype)


@value("llvm.cttz")
def _trailing_zeros(block: Block, x: np.ndarray, poison: np.ndarray) -> np.ndarray:
    bits = _bits(x)
    return np.where(bits.any(1), bits.argmax(1), bits.shape[1]).astype(x.dtype)


@value("llvm.bitreverse")
def _reversed(block: Block, x: np.ndarray) -> np.ndarray:
    return np.packbits(_bits(x)[:, ::-1], axis=1, bitorder="little").view(x.dtype)[:, 0]


def _bits(x: np.ndarray) -> np.ndarray:
    """Return the bits of each number in a row, the lowest first."""
    rows = np.ascontiguousarray(x).view(np.uint8).reshape(x.shape[0], -1)
    return np.unpackbits(rows, axis=1, bitorder="little")
