"""`triton.compiler.code_generator`: what weft does not have.

Each name is an error that says what to use instead.
"""

from __future__ import annotations

from weft.compat.errors import (
    CompilationError,
    CompileTimeAssertionFailure,
    UnsupportedLanguageConstruct,
)
from weft.compat.unsupported import unsupported_names

__all__ = ["CompilationError", "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct"]

__getattr__ = unsupported_names(
    "triton.compiler.code_generator",
    "weft.compile(kernel, …).asm['ttir'] is the IR of a kernel",
)
