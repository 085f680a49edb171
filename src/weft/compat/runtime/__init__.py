"""`triton.runtime`."""

from __future__ import annotations

from weft.lazy_attributes import lazy_getattr, object_references

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft.autotuner.autotuner": "Autotuner",
            "weft.autotuner.decorator": "autotune",
            "weft.autotuner.config": "Config",
            "weft.autotuner.heuristics": "Heuristics heuristics",
            "weft.compat.tensor_wrapper": "MockTensor TensorWrapper reinterpret",
            "weft.compat.errors": "InterpreterError OutOfResources",
            "weft.kernel.jit": "JITFunction",
            "weft.kernel.kernel_interface": "KernelInterface",
        }
    )
    | {
        "_allocation": "weft.compat.runtime.allocation",
        "_async_compile": "weft.kernel.async_compile",
        "RedisRemoteCacheBackend": "weft.compat.runtime.cache:RemoteCacheBackend",
        "RemoteCacheBackend": "weft.compat.runtime.cache:RemoteCacheBackend",
        "autotuner": "weft.compat.runtime.autotuner",
        "cache": "weft.compat.runtime.cache",
        "driver": "weft.compat.runtime.driver",
        "interpreter": "weft.compat.runtime.interpreter",
        "errors": "weft.errors",
        "jit": "weft.compat.runtime.jit",
    },
)
