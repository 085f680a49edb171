"""The language that kernels are written in: `import weft.language as tl`.

Names and semantics are those of `triton.language` 3.7.1. A `Builtin` declares a signature and a
docstring; `weft.frontend.semantics.builtins` implements it. The functions of `standard`, `sorting`
and `random` are written in the language itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.language.constexpr import (  # eager: the class has the name of its module
    ConstexprFunction,
    const,
    constexpr,
    constexpr_function,
    constexpr_type,
)
from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.language import core, extra, math, random, standard, target_info
    from weft.language.arithmetic import add, clamp, maximum, minimum, mul, sub, where
    from weft.language.atomics import (
        atomic_add,
        atomic_and,
        atomic_cas,
        atomic_max,
        atomic_min,
        atomic_or,
        atomic_xchg,
        atomic_xor,
    )
    from weft.language.builtin import Builtin
    from weft.language.compound_types import (
        MAX_BLOCK_ELEMENTS,
        block_type,
        pi32_t,
        pointer_type,
        str_to_ty,
    )
    from weft.language.creation import arange, cast, full, to_tensor
    from weft.language.debugging import device_assert, device_print, static_assert, static_print
    from weft.language.dtypes import (
        bfloat16,
        dtype,
        float8e4b8,
        float8e4b15,
        float8e4nv,
        float8e5,
        float8e5b16,
        float16,
        float32,
        float64,
        get_int_dtype,
        int1,
        int8,
        int16,
        int32,
        int64,
        uint8,
        uint16,
        uint32,
        uint64,
        void,
    )
    from weft.language.from_triton import resolve
    from weft.language.hints import (
        assume,
        debug_barrier,
        max_constancy,
        max_contiguous,
        multiple_of,
    )
    from weft.language.inline_asm import inline_asm_elementwise
    from weft.language.iterators import condition, range, static_range
    from weft.language.linear_algebra import dot, dot_scaled
    from weft.language.math import (
        abs,
        ceil,
        cos,
        div_rn,
        erf,
        exp,
        exp2,
        fdiv,
        floor,
        fma,
        log,
        log2,
        rsqrt,
        sin,
        sqrt,
        sqrt_rn,
        umulhi,
    )
    from weft.language.memory import advance, load, make_block_ptr, store
    from weft.language.programs import num_programs, program_id
    from weft.language.propagate_nan import PropagateNan
    from weft.language.random import (
        pair_uniform_to_normal,
        philox,
        philox_impl,
        rand,
        rand4x,
        randint,
        randint4x,
        randn,
        randn4x,
        uint_to_uniform_float,
    )
    from weft.language.reductions import associative_scan, histogram, map_elementwise, reduce
    from weft.language.shape_manipulation import (
        broadcast,
        broadcast_to,
        cat,
        expand_dims,
        gather,
        join,
        permute,
        reshape,
        split,
        trans,
        view,
    )
    from weft.language.sorting import bitonic_merge, flip, sort, topk
    from weft.language.standard import (
        argmax,
        argmin,
        cdiv,
        cumprod,
        cumsum,
        interleave,
        max,
        min,
        ravel,
        reduce_or,
        sigmoid,
        softmax,
        squeeze,
        sum,
        swizzle2d,
        unsqueeze,
        xor_sum,
        zeros,
        zeros_like,
    )
    from weft.language.tensor_classes import tensor, tensor_descriptor, tensor_descriptor_type
    from weft.language.tensor_descriptors import (
        load_tensor_descriptor,
        make_tensor_descriptor,
        store_tensor_descriptor,
    )
    from weft.language.tuples import slice, tuple, tuple_type

    TRITON_MAX_TENSOR_NUMEL = MAX_BLOCK_ELEMENTS

__all__ = [
    "Builtin",
    "ConstexprFunction",
    "MAX_BLOCK_ELEMENTS",
    "PropagateNan",
    "TRITON_MAX_TENSOR_NUMEL",
    "abs",
    "add",
    "advance",
    "arange",
    "argmax",
    "argmin",
    "associative_scan",
    "assume",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xchg",
    "atomic_xor",
    "bfloat16",
    "bitonic_merge",
    "block_type",
    "broadcast",
    "broadcast_to",
    "cast",
    "cat",
    "cdiv",
    "ceil",
    "clamp",
    "condition",
    "const",
    "constexpr",
    "constexpr_function",
    "constexpr_type",
    "core",
    "cos",
    "cumprod",
    "cumsum",
    "debug_barrier",
    "device_assert",
    "device_print",
    "div_rn",
    "dot",
    "dot_scaled",
    "dtype",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "extra",
    "fdiv",
    "flip",
    "float16",
    "float32",
    "float64",
    "float8e4b15",
    "float8e4b8",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "floor",
    "fma",
    "full",
    "gather",
    "get_int_dtype",
    "histogram",
    "inline_asm_elementwise",
    "int1",
    "int16",
    "int32",
    "int64",
    "int8",
    "interleave",
    "join",
    "load",
    "load_tensor_descriptor",
    "log",
    "log2",
    "make_block_ptr",
    "make_tensor_descriptor",
    "map_elementwise",
    "math",
    "max",
    "max_constancy",
    "max_contiguous",
    "maximum",
    "min",
    "minimum",
    "mul",
    "multiple_of",
    "num_programs",
    "pair_uniform_to_normal",
    "permute",
    "philox",
    "philox_impl",
    "pi32_t",
    "pointer_type",
    "program_id",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "random",
    "range",
    "ravel",
    "reduce",
    "reduce_or",
    "reshape",
    "resolve",
    "rsqrt",
    "sigmoid",
    "sin",
    "slice",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "sqrt_rn",
    "squeeze",
    "standard",
    "static_assert",
    "static_print",
    "static_range",
    "store",
    "store_tensor_descriptor",
    "str_to_ty",
    "sub",
    "sum",
    "swizzle2d",
    "target_info",
    "tensor",
    "tensor_descriptor",
    "tensor_descriptor_type",
    "to_tensor",
    "topk",
    "trans",
    "tuple",
    "tuple_type",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uint_to_uniform_float",
    "umulhi",
    "unsqueeze",
    "view",
    "void",
    "where",
    "xor_sum",
    "zeros",
    "zeros_like",
]

# The module of each name. A kernel uses few of them, so modules are imported on first access.
_NAMES = object_references(
    {
        "weft.language.arithmetic": "add clamp maximum minimum mul sub where",
        "weft.language.inline_asm": "inline_asm_elementwise",
        "weft.language.atomics": (
            "atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg "
            "atomic_xor"
        ),
        "weft.language.builtin": "Builtin",
        "weft.language.tensor_classes": "tensor tensor_descriptor tensor_descriptor_type",
        "weft.language.compound_types": (
            "MAX_BLOCK_ELEMENTS block_type pi32_t pointer_type str_to_ty"
        ),
        "weft.language.creation": "arange cast full to_tensor",
        "weft.language.debugging": "device_assert device_print static_assert static_print",
        "weft.language.tensor_descriptors": (
            "load_tensor_descriptor make_tensor_descriptor store_tensor_descriptor"
        ),
        "weft.language.dtypes": (
            "bfloat16 dtype float8e4b8 float8e4b15 float8e4nv float8e5 float8e5b16 float16 "
            "float32 float64 get_int_dtype int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
            "void"
        ),
        "weft.language.from_triton": "resolve",
        "weft.language.hints": "assume debug_barrier max_constancy max_contiguous multiple_of",
        "weft.language.iterators": "condition range static_range",
        "weft.language.math": (
            "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi"
        ),
        "weft.language.linear_algebra": "dot dot_scaled",
        "weft.language.memory": "advance load make_block_ptr store",
        "weft.language.programs": "num_programs program_id",
        "weft.language.propagate_nan": "PropagateNan",
        "weft.language.random": (
            "pair_uniform_to_normal philox philox_impl rand rand4x randint randint4x randn "
            "randn4x uint_to_uniform_float"
        ),
        "weft.language.reductions": "associative_scan histogram map_elementwise reduce",
        "weft.language.shape_manipulation": (
            "broadcast broadcast_to cat expand_dims gather join permute reshape split trans view"
        ),
        "weft.language.sorting": "bitonic_merge flip sort topk",
        "weft.language.standard": (
            "argmax argmin cdiv cumprod cumsum interleave max min ravel reduce_or sigmoid "
            "softmax squeeze sum swizzle2d unsqueeze xor_sum zeros zeros_like"
        ),
        "weft.language.tuples": "slice tuple tuple_type",
    }
)
_MODULES = {reference.partition(":")[0] for reference in _NAMES.values()}
_LAZY = (
    _NAMES
    | {module.rpartition(".")[2]: module for module in _MODULES}
    | {
        "TRITON_MAX_TENSOR_NUMEL": "weft.language.compound_types:MAX_BLOCK_ELEMENTS",
        "_aggregate": "weft.language.aggregates:aggregate",
        "_unwrap_if_constexpr": "weft.language.constexpr:unwrap",
        "core": "weft.language.core",
        "extra": "weft.language.extra",
        "tensor_descriptor_base_type": ("weft.language.tensor_classes:tensor_descriptor_base_type"),
        "semantic": "weft.compat.semantic",
        "item": "weft.language.tensor_classes:item",
        "tensor_descriptor_base": "weft.language.tensor_classes:tensor_descriptor_base",
        "target_info": "weft.language.target_info",
    }
)
_load = lazy_getattr(__name__, _LAZY)


def __getattr__(name: str) -> object:
    if name in _LAZY or name.startswith("__"):
        return _load(name)
    from weft.language.unknown_names import unknown_name

    raise unknown_name("tl", name, __all__)


def __dir__() -> list[str]:
    """List all names, imported or not."""
    return sorted({*globals(), *_LAZY})
