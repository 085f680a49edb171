"""`import triton`, as a program sees it under `weft run --as-triton`.

The modules of this package have the names of Triton's: `weft.compat.runtime.jit` is
`triton.runtime.jit`. `as_triton` makes `import triton` find them.
"""

from __future__ import annotations

from weft.lazy_attributes import lazy_getattr, object_references

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft": "Config JITFunction TensorDescriptor __version__ autotune cdiv "
            "heuristics jit knobs language next_power_of_2 set_allocator testing",
            "weft.compat.compiler": "CompiledKernel compile",
            "weft.compat.reinterpret": "MockTensor TensorWrapper reinterpret",
            "weft.compat.errors": "CompilationError InterpreterError OutOfResources TritonError",
            "weft.kernel.jit": "KernelInterface",
            "weft.language": "constexpr_function",
        }
    )
    | {name: f"weft.compat.{name}" for name in ("compiler", "errors", "runtime", "tools")},
)
