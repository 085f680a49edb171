"""`triton.runtime.interpreter`: kernels on the CPU; other names say what to use instead."""

from __future__ import annotations

from types import FunctionType
from typing import Unpack

from weft.compat.errors import InterpreterError
from weft.compat.unsupported import unsupported_names
from weft.kernel.jit import JITFunction, JitOptions
from weft.kernel.kernel_interface import KernelInterface
from weft.launch.tensor_descriptor import TensorDescriptor

__all__ = ["InterpretedFunction", "InterpreterError", "KernelInterface", "TensorDescriptor"]

__getattr__ = unsupported_names(
    "triton.runtime.interpreter",
    "kernels with arrays on the CPU run in the interpreter; weft.interpreter runs IR",
)


class InterpretedFunction(JITFunction):
    """A kernel that Triton's interpreter runs; weft runs any kernel whose arrays are on the CPU.

    Args:
        fn: A Python function.
        kwargs: The options of `JITFunction`.
    """

    def __init__(self, fn: FunctionType, **kwargs: Unpack[JitOptions]) -> None:
        super().__init__(fn, **kwargs)
