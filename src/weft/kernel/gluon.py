"""`gluon.jit`: make a kernel of a Python function whose tensors have layouts.

@gluon.jit
def copy(x, y, n, layout: gl.constexpr): …

copy[(1,)](x, y, n, gl.BlockedLayout([1], [32], [4], [0]))
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Unpack, overload

from weft.kernel.jit import JITFunction, JitOptions

__all__ = ["GluonJITFunction", "jit"]


class GluonJITFunction(JITFunction):
    """A Gluon kernel with its compiled specializations; see JITFunction."""

    is_gluon = True


@overload
def jit(fn: FunctionType) -> GluonJITFunction: ...
@overload
def jit(**options: Unpack[JitOptions]) -> Callable[[FunctionType], GluonJITFunction]: ...
def jit(
    fn: FunctionType | None = None, **options: Unpack[JitOptions]
) -> GluonJITFunction | Callable[[FunctionType], GluonJITFunction]:
    """Make a Gluon kernel of a Python function: `@gluon.jit` or `@gluon.jit(noinline=True)`.

    Args:
        fn: The function.
        options: As those of `weft.jit`.

    Raises:
        UnsupportedError: `fn` is not a Python function.
    """
    if fn is not None:
        return GluonJITFunction(fn, **options)
    return lambda function: GluonJITFunction(function, **options)
