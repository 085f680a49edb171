"""`triton._C.libtriton.passes`: the pass manager of MLIR, which weft does not have.

Each name is an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton._C.libtriton.passes",
    "weft opt --pass NAME runs a pass; weft.passes has them",
)
