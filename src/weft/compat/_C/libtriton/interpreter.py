"""`triton._C.libtriton.interpreter`: memory of Triton's interpreter, which weft lacks.

Each name is an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton._C.libtriton.interpreter",
    "kernels with arrays on the CPU run in weft's interpreter",
)
