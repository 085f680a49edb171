"""Gluon: kernels that spell their layouts.

from weft.experimental import gluon
from weft.experimental.gluon import language as gl

@gluon.jit
def copy(x, y, layout: gl.constexpr):
    i = gl.arange(0, 128, layout=layout)
    gl.store(y + i, gl.load(x + i))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr

if TYPE_CHECKING:
    from weft import gluon as language
    from weft.kernel.gluon import jit
    from weft.language.constexpr import constexpr_function
    from weft.language.core import must_use_result

__all__ = ["constexpr_function", "jit", "language", "must_use_result"]

_LAZY = {
    "_runtime": "weft.kernel.gluon",
    "amd": "weft.experimental.gluon.amd",
    "constexpr_function": "weft.language.constexpr:constexpr_function",
    "jit": "weft.kernel.gluon:jit",
    "language": "weft.gluon",
    "must_use_result": "weft.language.core:must_use_result",
    "nvidia": "weft.experimental.gluon.nvidia",
}
__getattr__ = lazy_getattr(__name__, _LAZY)


def __dir__() -> list[str]:
    """List all names, imported or not."""
    return sorted({*globals(), *_LAZY})
