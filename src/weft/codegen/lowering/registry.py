"""The lowering of each operation to LLVM IR.

A lowering registers itself with the operations that it lowers:

    @lowers(tt.SplatOp)
    def _lower_splat(ctx: LoweringContext, op: tt.SplatOp) -> None:
        ctx.define(op.result, [ctx.scalar(op.src)] * ctx.num_registers(op.result))

The modules of this package are imported when the first operation is looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from xdsl.ir import Operation

from weft.errors import CodegenError, did_you_mean
from weft.ir import locations
from weft.registry import Registry

__all__ = ["find_lowering", "lowers"]

# The parameters are the state of the function (`common.context.LoweringContext`) and the operation.
Lower: TypeAlias = Callable[..., None]
F = TypeVar("F", bound=Lower)

_LOWERINGS = Registry[Lower]("weft.codegen.lowering")


def lowers(*ops: type[Operation] | str) -> Callable[[F], F]:
    """Register a function as the lowering of operations.

    Args:
        ops: Operation classes; a name where the dialect has no class.
    """

    def decorate(function: F) -> F:
        for op in ops:
            _LOWERINGS.add(op if isinstance(op, str) else op.name, function)
        return function

    return decorate


def find_lowering(op: Operation) -> Lower:
    """Find the lowering of an operation.

    Raises:
        CodegenError: No lowering is registered, with the operation's name and location.
    """
    lowering = _LOWERINGS.get(op.name)
    if lowering is None:
        raise CodegenError(
            f"{op.name} cannot be lowered to LLVM IR",
            location=locations.position(op.location),
            found=op.name,
            hint=did_you_mean(op.name, _LOWERINGS),
        )
    return lowering
