"""`triton.runtime`."""

from __future__ import annotations

from weft.lazy_attributes import lazy_getattr, object_references

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft.autotuner.autotuner": "Autotuner autotune",
            "weft.autotuner.config": "Config",
            "weft.autotuner.heuristics": "Heuristics heuristics",
            "weft.compat.reinterpret": "MockTensor TensorWrapper reinterpret",
            "weft.compat.errors": "InterpreterError OutOfResources",
            "weft.kernel.jit": "JITFunction KernelInterface",
        }
    )
    | {
        "driver": "weft.compat.runtime.driver",
        "errors": "weft.errors",
        "jit": "weft.compat.runtime.jit",
    },
)
