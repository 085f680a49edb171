"""The intrinsics of MFMA and WMMA, by what their names say.

llvm.amdgcn.mfma.f32.32x32x8f16            (a, b, c, 0, 0, 0)
llvm.amdgcn.mfma.i32.16x16x32.i8           bytes packed in an i64
llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from weft.simulator.matrix_cores import FORMATS, mfma_shape, multiply, wmma_shape
from weft.simulator.registry import Call, intrinsic
from weft.simulator.state import Block, Operand, Step

__all__: list[str] = []

_BYTES = {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2}
_FNUZ = {"fp8": ml_dtypes.float8_e4m3fnuz, "bf8": ml_dtypes.float8_e5m2fnuz}
_SIGNED_ARGUMENTS = 6  # of wmma on integers: sign, a, sign, b, c, clamp


def _format(name: str, family: str) -> np.dtype:
    """Return the numpy type of an operand as the intrinsic's name spells it."""
    if name in _BYTES:
        table = _FNUZ if family == "mfma" else _BYTES
        return np.dtype(table[name])
    return FORMATS["f32" if name == "xf32" else {"iu8": "i8"}.get(name, name)]


@intrinsic(
    r"llvm\.amdgcn\.(mfma|wmma)\.(\w+)\.(\d+)x(\d+)x(\d+)\.?([a-z]\w*?)(?:\.((?!1k|v\d)\w+?))?"
    r"(?:\.1k)?(?:\.v\w+)*"
)
def _product(call: Call) -> Step:
    """Return a matrix instruction as a step."""
    name, arguments = call.match, call.arguments
    family, _, m, n, k, left, right = name.groups()
    rows, columns, depth = int(m), int(n), int(k)
    a_type = _format(left, family)
    b_type = _format(right, family) if right else a_type
    a, b, c = (
        arguments[1:6:2]
        if len(arguments) == _SIGNED_ARGUMENTS and family == "wmma"
        else (arguments[:3])
    )
    if len(arguments) == _SIGNED_ARGUMENTS and family == "wmma":
        c = arguments[4]

    def gathered(block: Block, operand: Operand, kind: np.dtype) -> np.ndarray:
        value = block.get(operand)
        value = np.broadcast_to(value, (block.threads, *value.shape[1:]))
        return np.ascontiguousarray(value).reshape(block.threads, -1).view(kind)

    def step(block: Block) -> None:
        x, y = gathered(block, a, a_type), gathered(block, b, b_type)
        z = block.get(c)
        z = np.broadcast_to(z, (block.threads, z.shape[1]))
        if family == "mfma":
            shape = mfma_shape(rows, columns, depth, wide=z.dtype.itemsize == 8)
        else:
            shape = wmma_shape(depth, x.shape[1])
        block.set(call.result, multiply(shape, x, y, z))

    return step
