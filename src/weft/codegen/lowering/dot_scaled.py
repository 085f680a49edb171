"""tt.dot_scaled, by the layout of its result."""

from __future__ import annotations

from collections.abc import Callable

from weft.codegen.lowering.amd.dot_scaled import dot_amd_scaled
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.nvidia.dot_mma_scaled import dot_mma_scaled
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt, types
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding, NvidiaMmaEncoding

_BY_LAYOUT: dict[type, Callable[[LoweringContext, tt.DotScaledOp], None]] = {
    AmdMfmaEncoding: dot_amd_scaled,
    AmdWmmaEncoding: dot_amd_scaled,
    NvidiaMmaEncoding: dot_mma_scaled,
}


@lowers(tt.DotScaledOp)
def _dot(ctx: LoweringContext, op: tt.DotScaledOp) -> None:
    encoding = types.encoding(op.d.type)
    lower_dot = _BY_LAYOUT.get(type(encoding))
    if lower_dot is None:
        raise CodegenError(
            "no scaled dot has a result in this layout",
            found=encoding,
            accepted=[kind.__name__ for kind in _BY_LAYOUT],
            hint="widen the operands to bf16 or f16, and use tt.dot",
        )
    lower_dot(ctx, op)
