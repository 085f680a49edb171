"""Gluon: kernels that spell their layouts. `from weft.experimental.gluon import language as gl`.

Names and semantics are those of `triton.experimental.gluon.language` 3.7.1. As in
`weft.language`, a `Builtin` declares a signature and a docstring, and
`weft.frontend.semantics.gluon` implements it. What does not depend on layouts, such as `load`, is
the function of `weft.language` itself.

layouts/         the layouts of tensors and buffers
types            the types of tensors, buffers, descriptors and accumulators
core, standard   functions for all targets
shared_memory    the methods of a buffer in shared memory
nvidia, amd      functions for the instructions of one vendor's chips
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.gluon import amd as amd
    from weft.gluon import extra as extra
    from weft.gluon import nvidia as nvidia
    from weft.gluon.core import (
        allocate_shared_memory,
        arange,
        bank_conflicts,
        barrier,
        convert_layout,
        dot_fma,
        fp4_to_fp,
        full,
        histogram,
        num_ctas,
        num_warps,
        set_auto_layout,
        to_linear_layout,
        warp_specialize,
    )
    from weft.gluon.layouts import (
        AutoLayout,
        BlockedLayout,
        CoalescedLayout,
        DistributedLayout,
        DistributedLinearLayout,
        DotOperandLayout,
        NVMMADistributedLayout,
        NVMMASharedLayout,
        PaddedSharedLayout,
        SharedLayout,
        SharedLinearLayout,
        SliceLayout,
        SwizzledSharedLayout,
    )
    from weft.gluon.shared_memory import shared_memory_descriptor
    from weft.gluon.standard import full_like, zeros, zeros_like
    from weft.gluon.types import distributed_type, shared_memory_descriptor_type
    from weft.language.arithmetic import add, maximum, minimum, mul, sub, where
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
    from weft.language.compound_types import block_type, pointer_type
    from weft.language.constexpr import constexpr
    from weft.language.constexpr import constexpr_function as constexpr_function
    from weft.language.creation import cast, to_tensor
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
    from weft.language.hints import assume, max_constancy, max_contiguous, multiple_of
    from weft.language.inline_asm import inline_asm_elementwise
    from weft.language.iterators import static_range
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
    from weft.language.memory import load, store
    from weft.language.programs import num_programs, program_id
    from weft.language.reductions import associative_scan, map_elementwise, reduce
    from weft.language.shape_manipulation import (
        broadcast,
        expand_dims,
        gather,
        join,
        permute,
        reshape,
        split,
    )
    from weft.language.standard import cdiv, max, min, ravel, reduce_or, sum, xor_sum
    from weft.language.tensor_classes import tensor
    from weft.language.tuples import tuple, tuple_type

_TL_MODULES = {
    "weft.language.arithmetic": "add maximum minimum mul sub where",
    "weft.language.atomics": (
        "atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor"
    ),
    "weft.language.compound_types": "block_type pointer_type",
    "weft.language.constexpr": "constexpr constexpr_function",
    "weft.language.creation": "cast to_tensor",
    "weft.language.debugging": "device_assert device_print static_assert static_print",
    "weft.language.dtypes": (
        "bfloat16 dtype float8e4b8 float8e4b15 float8e4nv float8e5 float8e5b16 float16 float32 "
        "float64 int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 void"
    ),
    "weft.language.hints": "assume max_constancy max_contiguous multiple_of",
    "weft.language.inline_asm": "inline_asm_elementwise",
    "weft.language.iterators": "static_range",
    "weft.language.math": (
        "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi"
    ),
    "weft.language.memory": "load store",
    "weft.language.programs": "num_programs program_id",
    "weft.language.reductions": "associative_scan map_elementwise reduce",
    "weft.language.shape_manipulation": ("broadcast expand_dims gather join permute reshape split"),
    "weft.language.standard": "cdiv max min ravel reduce_or sum xor_sum",
    "weft.language.tensor_classes": "tensor",
    "weft.language.tuples": "tuple tuple_type",
}
_GL_MODULES = {
    "weft.gluon.core": (
        "allocate_shared_memory arange bank_conflicts barrier convert_layout dot_fma fp4_to_fp "
        "full histogram num_ctas num_warps set_auto_layout to_linear_layout warp_specialize"
    ),
    "weft.gluon.layouts": (
        "AutoLayout BlockedLayout CoalescedLayout DistributedLayout DistributedLinearLayout "
        "DotOperandLayout NVMMADistributedLayout NVMMASharedLayout PaddedSharedLayout "
        "SharedLayout SharedLinearLayout SliceLayout SwizzledSharedLayout"
    ),
    "weft.gluon.shared_memory": "shared_memory_descriptor",
    "weft.gluon.standard": "full_like zeros zeros_like",
    "weft.gluon.types": "distributed_type shared_memory_descriptor_type",
}
_NAMES = object_references(_TL_MODULES | _GL_MODULES)
_LAZY = _NAMES | {
    "_core": "weft.gluon",
    "_layouts": "weft.gluon.layouts",
    "_math": "weft.gluon",
    "_standard": "weft.gluon.standard",
    "_unwrap_if_constexpr": "weft.language.constexpr:unwrap",
    "amd": "weft.gluon.amd",
    "extra": "weft.gluon.extra",
    "nvidia": "weft.gluon.nvidia",
}

__all__ = [
    "AutoLayout",
    "BlockedLayout",
    "CoalescedLayout",
    "DistributedLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "NVMMADistributedLayout",
    "NVMMASharedLayout",
    "PaddedSharedLayout",
    "SharedLayout",
    "SharedLinearLayout",
    "SliceLayout",
    "SwizzledSharedLayout",
    "abs",
    "add",
    "allocate_shared_memory",
    "arange",
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
    "bank_conflicts",
    "barrier",
    "bfloat16",
    "block_type",
    "broadcast",
    "cast",
    "cdiv",
    "ceil",
    "constexpr",
    "convert_layout",
    "cos",
    "device_assert",
    "device_print",
    "distributed_type",
    "div_rn",
    "dot_fma",
    "dtype",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "fdiv",
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
    "fp4_to_fp",
    "full",
    "full_like",
    "gather",
    "histogram",
    "inline_asm_elementwise",
    "int1",
    "int16",
    "int32",
    "int64",
    "int8",
    "join",
    "load",
    "log",
    "log2",
    "map_elementwise",
    "max",
    "max_constancy",
    "max_contiguous",
    "maximum",
    "min",
    "minimum",
    "mul",
    "multiple_of",
    "num_ctas",
    "num_programs",
    "num_warps",
    "permute",
    "pointer_type",
    "program_id",
    "ravel",
    "reduce",
    "reduce_or",
    "reshape",
    "rsqrt",
    "set_auto_layout",
    "shared_memory_descriptor",
    "shared_memory_descriptor_type",
    "sin",
    "split",
    "sqrt",
    "sqrt_rn",
    "static_assert",
    "static_print",
    "static_range",
    "store",
    "sub",
    "sum",
    "tensor",
    "to_linear_layout",
    "to_tensor",
    "tuple",
    "tuple_type",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "umulhi",
    "void",
    "warp_specialize",
    "where",
    "xor_sum",
    "zeros",
    "zeros_like",
]

__getattr__ = lazy_getattr(__name__, _LAZY)


def __dir__() -> list[str]:
    """List all names, imported or not."""
    return sorted({*globals(), *_LAZY})
