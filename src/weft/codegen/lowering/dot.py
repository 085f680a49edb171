"""tt.dot, by the layout of its result: MMA, MFMA, WMMA or FMA."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from weft.codegen.lowering.amd.dot import dot_amd
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.dot_fma import dot_fma
from weft.codegen.lowering.nvidia.dot_mma import dot_mma
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt, types
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding, BlockedEncoding, NvidiaMmaEncoding

_BY_LAYOUT: dict[type, Callable[[LoweringContext, Operation], None]] = {
    AmdMfmaEncoding: dot_amd,
    AmdWmmaEncoding: dot_amd,
    BlockedEncoding: dot_fma,
    NvidiaMmaEncoding: dot_mma,
}


@lowers(tt.DotOp)
def _dot(ctx: LoweringContext, op: tt.DotOp) -> None:
    encoding = types.encoding(op.results[0].type)
    lower_dot = _BY_LAYOUT.get(type(encoding))
    if lower_dot is None:
        raise CodegenError(
            "no dot has a result in this layout",
            found=encoding,
            accepted=[kind.__name__ for kind in _BY_LAYOUT],
        )
    lower_dot(ctx, op)
