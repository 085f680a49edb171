"""`triton.errors`, `triton.runtime.errors` and `triton.compiler.errors`: Triton's names of errors.

A program catches weft's errors under these names, and may raise its own with Triton's arguments.
"""

from __future__ import annotations

from weft.errors import (
    AutotunerError,
    CodegenError,
    CompilationError,
    LaunchError,
    OutOfResourcesError,
    StaticAssertionError,
    UnsupportedError,
    WeftError,
)

__all__ = [
    "AutotunerError",
    "CompilationError",
    "CompileTimeAssertionFailure",
    "InterpreterError",
    "OutOfResources",
    "PTXASError",
    "TritonError",
    "UnsupportedLanguageConstruct",
]

TritonError = WeftError
InterpreterError = LaunchError
OutOfResources = OutOfResourcesError
PTXASError = CodegenError
CompileTimeAssertionFailure = StaticAssertionError
UnsupportedLanguageConstruct = UnsupportedError
