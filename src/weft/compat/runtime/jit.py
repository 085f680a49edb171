"""`triton.runtime.jit`."""

from __future__ import annotations

from types import FunctionType

from weft.compat._C.libtriton import native_specialize_impl
from weft.compat.runtime import driver
from weft.compat.runtime.cache import get_cache_key
from weft.compat.tensor_wrapper import MockTensor, TensorWrapper, reinterpret
from weft.compat.type_names import (
    find_paths_if,
    get_iterable_path,
    is_namedtuple,
    type_canonicalisation_dict,
)
from weft.compat.unsupported import unsupported_names
from weft.kernel.compile_hooks import JitFunctionInfo
from weft.kernel.jit import JITFunction, jit
from weft.kernel.kernel_interface import KernelInterface
from weft.kernel.specialization import specialize_argument
from weft.language.constexpr import ConstexprFunction, constexpr_function
from weft.language.kernel_function import KernelFunction, Parameter

__all__ = [
    "GLUON_MODULE",
    "TRITON_MODULE",
    "ConstexprFunction",
    "JITCallable",
    "JITFunction",
    "JitFunctionInfo",
    "KernelInterface",
    "KernelParam",
    "MockTensor",
    "TensorWrapper",
    "constexpr_function",
    "convert_to_tuple_if_list",
    "driver",
    "find_paths_if",
    "get_cache_key",
    "get_full_name",
    "get_iterable_path",
    "get_jit_fn_file_line",
    "is_namedtuple",
    "jit",
    "mangle_type",
    "native_specialize_impl",
    "reinterpret",
    "type_canonicalisation_dict",
]

JITCallable = KernelFunction
KernelParam = Parameter
TRITON_MODULE = "triton.language"
GLUON_MODULE = "triton.experimental.gluon.language"

__getattr__ = unsupported_names(
    "triton.runtime.jit",
    "kernel.cache_key identifies a kernel with its callees; kernel.warmup specializes and compiles",
)


def get_full_name(fn: FunctionType) -> str:
    """Get the name of a function's module and its qualified name."""
    return f"{fn.__module__}.{fn.__qualname__}"


def convert_to_tuple_if_list(item: object) -> object:
    """Convert nested lists to tuples."""
    return tuple(map(convert_to_tuple_if_list, item)) if isinstance(item, list) else item


def get_jit_fn_file_line(fn: object) -> tuple[str, int]:
    """Get the file of a kernel and the line of its `def`; `fn` may be an autotuner around it."""
    kernel = KernelFunction.of(fn)
    lines = enumerate(kernel.raw_src)
    offset = next((i for i, line in lines if line.strip().startswith("def ")), 0)
    return kernel.file, kernel.first_line + offset


def mangle_type(arg: object, specialize: bool = False) -> object:
    """Get the name of the type that a kernel has for an argument."""
    return specialize_argument(arg, specialize_value=specialize)[0]
