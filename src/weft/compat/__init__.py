"""`import triton`, as a program sees it under `weft run --as-triton`.

The modules of this package have the names of Triton's: `weft.compat.runtime.jit` is
`triton.runtime.jit`. `as_triton` makes `import triton` find them.
"""

from __future__ import annotations

from weft.lazy_attributes import lazy_getattr, object_references

__version__ = "3.7.1"
"""The release of Triton whose interface this is; packages branch on it."""

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft": "Config JITFunction TensorDescriptor autotune cdiv "
            "heuristics jit knobs language next_power_of_2 set_allocator testing",
            "weft.compat.compiler": "CompiledKernel compile",
            "weft.compat.tensor_wrapper": "MockTensor TensorWrapper reinterpret",
            "weft.compat.errors": "CompilationError InterpreterError OutOfResources TritonError",
            "weft.kernel.kernel_interface": "KernelInterface",
            "weft.language": "constexpr_function",
            "weft.language.core": "must_use_result",
            "weft.kernel.async_compile": "AsyncCompileMode FutureKernel",
        }
    )
    | {"_utils": "weft.compat.type_names"}
    | {
        name: f"weft.compat.{name}"
        for name in ("_C", "backends", "compiler", "errors", "runtime", "tools")
    },
)
