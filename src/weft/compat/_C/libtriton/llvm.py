"""`triton._C.libtriton.llvm`: LLVM, which weft does not have.

Each name is an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names

__getattr__ = unsupported_names(
    "triton._C.libtriton.llvm",
    "weft compile --emit llir and weft.compile(…).asm['llir'] have LLVM IR",
)
