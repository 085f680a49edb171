"""What a kernel author writes: `import weft.language as tl`.

Names and meaning are those of `triton.language` 3.7.1. A `Builtin` has only a signature and a
docstring here; the front end gives it its meaning. The functions of `standard`, `sorting` and
`random` are written in the language itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.language.constexpr import (  # has the name of its file
    ConstexprFunction,
    const,
    constexpr,
    constexpr_function,
    constexpr_type,
)
from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.language import extra, math, random, standard, target_info
    from weft.language.arithmetic import add, clamp, maximum, minimum, mul, sub, where
    from weft.language.assembly import inline_asm_elementwise
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
    from weft.language.classes import tensor, tensor_descriptor
    from weft.language.compound_types import (
        MAX_BLOCK_ELEMENTS,
        block_type,
        pi32_t,
        pointer_type,
        str_to_ty,
    )
    from weft.language.creation import arange, cast, full, to_tensor
    from weft.language.debugging import device_assert, device_print, static_assert, static_print
    from weft.language.descriptors import (
        load_tensor_descriptor,
        make_tensor_descriptor,
        store_tensor_descriptor,
    )
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
    from weft.language.foreign import resolve
    from weft.language.hints import (
        assume,
        debug_barrier,
        max_constancy,
        max_contiguous,
        multiple_of,
    )
    from weft.language.loops import condition, range, static_range
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
    from weft.language.matrices import dot, dot_scaled
    from weft.language.memory import advance, load, make_block_ptr, store
    from weft.language.programs import num_programs, program_id
    from weft.language.propagation import PropagateNan
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
    from weft.language.shapes import (
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
    from weft.language.tuples import tuple, tuple_type
    from weft.language.widths import get_int_dtype

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

# Where a name is. A kernel needs few of them, and a module is loaded when one of its is asked for.
_HOMES = object_references(
    {
        "weft.language.arithmetic": "add clamp maximum minimum mul sub where",
        "weft.language.assembly": "inline_asm_elementwise",
        "weft.language.atomics": (
            "atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg "
            "atomic_xor"
        ),
        "weft.language.builtin": "Builtin",
        "weft.language.classes": "tensor tensor_descriptor",
        "weft.language.compound_types": (
            "MAX_BLOCK_ELEMENTS block_type pi32_t pointer_type str_to_ty"
        ),
        "weft.language.creation": "arange cast full to_tensor",
        "weft.language.debugging": "device_assert device_print static_assert static_print",
        "weft.language.descriptors": (
            "load_tensor_descriptor make_tensor_descriptor store_tensor_descriptor"
        ),
        "weft.language.dtypes": (
            "bfloat16 dtype float8e4b8 float8e4b15 float8e4nv float8e5 float8e5b16 float16 "
            "float32 float64 int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 void"
        ),
        "weft.language.foreign": "resolve",
        "weft.language.hints": "assume debug_barrier max_constancy max_contiguous multiple_of",
        "weft.language.loops": "condition range static_range",
        "weft.language.math": (
            "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi"
        ),
        "weft.language.matrices": "dot dot_scaled",
        "weft.language.memory": "advance load make_block_ptr store",
        "weft.language.programs": "num_programs program_id",
        "weft.language.propagation": "PropagateNan",
        "weft.language.random": (
            "pair_uniform_to_normal philox philox_impl rand rand4x randint randint4x randn "
            "randn4x uint_to_uniform_float"
        ),
        "weft.language.reductions": "associative_scan histogram map_elementwise reduce",
        "weft.language.shapes": (
            "broadcast broadcast_to cat expand_dims gather join permute reshape split trans view"
        ),
        "weft.language.sorting": "bitonic_merge flip sort topk",
        "weft.language.standard": (
            "argmax argmin cdiv cumprod cumsum interleave max min ravel reduce_or sigmoid "
            "softmax squeeze sum swizzle2d unsqueeze xor_sum zeros zeros_like"
        ),
        "weft.language.tuples": "tuple tuple_type",
        "weft.language.widths": "get_int_dtype",
    }
)
_FILES = {home.partition(":")[0] for home in _HOMES.values()}
_LATER = (
    _HOMES
    | {file.rpartition(".")[2]: file for file in _FILES}
    | {
        "TRITON_MAX_TENSOR_NUMEL": "weft.language.compound_types:MAX_BLOCK_ELEMENTS",
        "core": "weft.language",
        "extra": "weft.language.extra",
        "target_info": "weft.language.target_info",
    }
)
_load = lazy_getattr(__name__, _LATER)


def __getattr__(name: str) -> object:
    if name in _LATER or name.startswith("__"):
        return _load(name)
    from weft.language.naming import unknown

    raise unknown("tl", name, __all__)


def __dir__() -> list[str]:
    """List what there is, loaded or not."""
    return sorted({*globals(), *_LATER})
