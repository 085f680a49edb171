"""`triton.runtime.errors` and `triton.compiler.errors`: Triton's names for weft's errors."""

from __future__ import annotations

from weft.errors import CodegenError, CompilationError, LaunchError, OutOfResourcesError, WeftError

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
AutotunerError = InterpreterError = LaunchError
OutOfResources = OutOfResourcesError
PTXASError = CodegenError
CompileTimeAssertionFailure = UnsupportedLanguageConstruct = CompilationError
