"""The standard library, written in the language: reductions, scans, formulas.

Every function is an ordinary kernel function. The front end lowers its body and the inliner inserts
it, with the operations and the order of Triton 3.7.1. Private names of Triton's module are aliases.
Variables have the names of Triton's library, because the IR shows them (`%den = "tt.reduce"`).
"""

# In a kernel, a parameter annotated `constexpr` takes any constant: `k: constexpr = None`.
# pyright: reportAssignmentType=false, reportArgumentType=false
from __future__ import annotations

from weft.language.arithmetic import maximum, minimum, where
from weft.language.constexpr import constexpr, constexpr_function
from weft.language.creation import cast, full
from weft.language.dtypes import float32, int32, uint32
from weft.language.kernel_function import kernel_function
from weft.language.math import exp, fdiv
from weft.language.reductions import associative_scan, reduce, reduce_with_indices
from weft.language.shape_manipulation import join, reshape
from weft.lazy_attributes import lazy_getattr

__all__ = [
    "argmax",
    "argmin",
    "cdiv",
    "cumprod",
    "cumsum",
    "interleave",
    "max",
    "min",
    "ravel",
    "reduce_or",
    "sigmoid",
    "softmax",
    "squeeze",
    "sum",
    "swizzle2d",
    "unsqueeze",
    "xor_sum",
    "zeros",
    "zeros_like",
]


@kernel_function
def cdiv(x, div):
    """Return x / div rounded up, for non-negative integers."""
    return (x + (div - 1)) // div


@kernel_function
def sigmoid(x):
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + exp(-x))


@kernel_function
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """Return exp(x - max(x)) divided by its sum along `dim` (None: 0)."""
    axis: constexpr = 0 if dim is None else dim
    z = x - max(x, axis, keep_dims=keep_dims)
    num = exp(z)
    den = sum(num, axis, keep_dims=keep_dims)
    return fdiv(num, den, ieee_rounding)


@kernel_function
def ravel(x, can_reorder=False):
    """Flatten `x` to one dimension."""
    return reshape(x, [x.numel], can_reorder=can_reorder)


@constexpr_function
def _without(shape, dim):
    return [extent for axis, extent in enumerate(shape) if axis != dim % len(shape)]


@constexpr_function
def _with_one(shape, dim):
    return [*shape[:dim], 1, *shape[dim:]]


@kernel_function
def squeeze(x, dim: constexpr):
    """Remove dimension `dim` of `x`, which has extent 1."""
    return reshape(x, _without(x.shape, dim))


@kernel_function
def unsqueeze(x, dim: constexpr):
    """Insert a dimension of extent 1 at `dim`."""
    return reshape(x, _with_one(x.shape, dim))


@kernel_function
def swizzle2d(i, j, size_i, size_j, size_g):
    """Swizzle the index (i, j) of a size_i × size_j grid to groups of size_g rows.

    Programs in row-major order then visit one group of rows after the other, and each group column
    by column, so that consecutive programs share columns (and cached data). For a 4 × 4 grid and
    groups of 2 rows, the number of the program that gets each index:

        0 2 4 6
        1 3 5 7
        8 10 12 14
        9 11 13 15
    """
    ij = i * size_j + j  # the linear index
    size_gj = size_g * size_j
    group_id = ij // size_gj
    off_i = group_id * size_g
    size_g = minimum(size_i - off_i, size_g)  # the last group may have fewer rows
    ij = ij % size_gj  # the index in the group
    new_i = off_i + ij % size_g
    new_j = ij // size_g
    return new_i, new_j


@kernel_function
def zeros(shape, dtype):
    """Return a block of `shape` filled with 0 of type `dtype`."""
    return full(shape, 0, dtype)


@kernel_function
def zeros_like(input):
    """Return a block of the shape and type of `input` filled with 0."""
    return zeros(input.shape, input.dtype)


@kernel_function
def interleave(a, b):
    """Interleave the elements of `a` and `b` along the last dimension."""
    c = join(a, b)
    if len(c.shape) == 1:
        return c
    return reshape(c, _merge_last_dims(c.shape))


@constexpr_function
def _merge_last_dims(shape):
    return [*shape[:-2], 2 * shape[-2]]


@constexpr_function
def _scan_type(dtype):
    """Return the type to scan `dtype` in: fp32 for bf16."""
    return float32 if dtype.is_bf16() else dtype


@constexpr_function
def _extreme_type(dtype, keep_narrow):
    """Return the type to compute the maximum or minimum of `dtype` in, as Triton chooses it."""
    if dtype.is_bf16():
        return float32
    if keep_narrow or dtype.primitive_bitwidth >= 32:
        return dtype
    return float32 if dtype.is_floating() else int32


@kernel_function
def _first_larger(value1, index1, value2, index2, tie_break_left: constexpr):
    if tie_break_left:
        tie = value1 == value2 and index1 < index2
    else:
        tie = False
    gt = value1 > value2 or tie
    v_ret = where(gt, value1, value2)
    i_ret = where(gt, index1, index2)
    return v_ret, i_ret


@kernel_function
def _first_smaller(value1, index1, value2, index2, tie_break_left: constexpr):
    if tie_break_left:
        tie = value1 == value2 and index1 < index2
    else:
        tie = False
    lt = value1 < value2 or tie
    value_ret = where(lt, value1, value2)
    index_ret = where(lt, index1, index2)
    return value_ret, index_ret


@kernel_function
def _larger_left(value1, index1, value2, index2):
    return _first_larger(value1, index1, value2, index2, True)


@kernel_function
def _larger_any(value1, index1, value2, index2):
    return _first_larger(value1, index1, value2, index2, False)


@kernel_function
def _smaller_left(value1, index1, value2, index2):
    return _first_smaller(value1, index1, value2, index2, True)


@kernel_function
def _smaller_any(value1, index1, value2, index2):
    return _first_smaller(value1, index1, value2, index2, False)


@kernel_function
def _larger(a, b):
    return maximum(a, b)


@kernel_function
def _smaller(a, b):
    return minimum(a, b)


@kernel_function
def max(
    input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False
):
    """Return the maximum of `input` along `axis` (None: of all elements), ignoring NaN.

    Args:
        input: A block. Elements narrower than 32 bits are promoted first.
        axis: The dimension to reduce.
        return_indices: Return (values, indices along `axis`).
        return_indices_tie_break_left: Return the index of the first of equal elements, else of any.
        keep_dims: Keep the reduced dimension with extent 1.
    """
    input = cast(input, _extreme_type(input.dtype, return_indices))
    if return_indices:
        if return_indices_tie_break_left:
            return reduce_with_indices(input, axis, _larger_left, keep_dims=keep_dims)
        else:
            return reduce_with_indices(input, axis, _larger_any, keep_dims=keep_dims)
    else:
        return reduce(input, axis, _larger, keep_dims=keep_dims)


@kernel_function
def min(
    input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False
):
    """Return the minimum of `input` along `axis` (None: of all elements); parameters as `max`."""
    input = cast(input, _extreme_type(input.dtype, return_indices))
    if return_indices:
        if return_indices_tie_break_left:
            return reduce_with_indices(input, axis, _smaller_left, keep_dims=keep_dims)
        else:
            return reduce_with_indices(input, axis, _smaller_any, keep_dims=keep_dims)
    else:
        return reduce(input, axis, _smaller, keep_dims=keep_dims)


@kernel_function
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """Return the indices of the maximum along `axis`."""
    _, ret = max(
        input,
        axis,
        return_indices=True,
        return_indices_tie_break_left=tie_break_left,
        keep_dims=keep_dims,
    )
    return ret


@kernel_function
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """Return the indices of the minimum along `axis`."""
    _, ret = min(
        input,
        axis,
        return_indices=True,
        return_indices_tie_break_left=tie_break_left,
        keep_dims=keep_dims,
    )
    return ret


@constexpr_function
def _sum_type(input_dtype, dtype):
    """Return the type to sum in: 32 bits for narrower integers, None to keep the type."""
    if dtype is not None:
        return dtype
    if input_dtype.is_int() and input_dtype.primitive_bitwidth < 32:
        return int32 if input_dtype.is_int_signed() else uint32
    return None


@kernel_function
def _plus(a, b):
    return a + b


@kernel_function
def _times(a, b):
    return a * b


@kernel_function
def _exclusive_or(a, b):
    return a ^ b


@kernel_function
def _inclusive_or(a, b):
    return a | b


@kernel_function
def sum(input, axis=None, keep_dims=False, dtype: constexpr = None):
    """Return the sum of `input` along `axis` (None: of all elements).

    Args:
        input: A block.
        axis: The dimension to reduce.
        keep_dims: Keep the reduced dimension with extent 1.
        dtype: The type to sum in; None promotes integers narrower than 32 bits to 32 bits and
            keeps other types.
    """
    sum_type: constexpr = _sum_type(input.dtype, dtype)
    if sum_type is not None:
        input = cast(input, sum_type)
    return reduce(input, axis, _plus, keep_dims=keep_dims)


@kernel_function
def xor_sum(input, axis=None, keep_dims=False):
    """Return the bitwise exclusive or of `input` along `axis` (None: of all elements)."""
    return reduce(input, axis, _exclusive_or, keep_dims=keep_dims)


@kernel_function
def reduce_or(input, axis, keep_dims=False):
    """Return the bitwise or of `input` along `axis`."""
    return reduce(input, axis, _inclusive_or, keep_dims=keep_dims)


@kernel_function
def cumsum(input, axis=0, reverse=False, dtype: constexpr = None):
    """Return the cumulative sum of `input` along `axis`; `dtype` as for `sum`."""
    input = cast(input, _scan_type(input.dtype))
    sum_type: constexpr = _sum_type(input.dtype, dtype)
    if sum_type is not None:
        input = cast(input, sum_type)
    return associative_scan(input, axis, _plus, reverse)


@kernel_function
def cumprod(input, axis=0, reverse=False):
    """Return the cumulative product of `input` along `axis`."""
    input = cast(input, _scan_type(input.dtype))
    return associative_scan(input, axis, _times, reverse)


# Name of Triton's module → where it is defined here.
_ALIASES = {
    "_argmax_combine": "weft.language.standard:_first_larger",
    "_argmax_combine_tie_break_fast": "weft.language.standard:_larger_any",
    "_argmax_combine_tie_break_left": "weft.language.standard:_larger_left",
    "_argmin_combine": "weft.language.standard:_first_smaller",
    "_argmin_combine_tie_break_fast": "weft.language.standard:_smaller_any",
    "_argmin_combine_tie_break_left": "weft.language.standard:_smaller_left",
    "_bitonic_merge": "weft.language.sorting:_merge_block",
    "_bitonic_merge_hypercube": "weft.language.sorting:_merge",
    "_compare_and_swap": "weft.language.sorting:_compare_and_swap",
    "_elementwise_max": "weft.language.standard:_larger",
    "_elementwise_min": "weft.language.standard:_smaller",
    "_get_flip_dim": "weft.language.sorting:_normal_axis",
    "_get_int_dtype": "weft.language.dtypes:get_int_dtype",
    "_indicator": "weft.language.sorting:_side",
    "_is_power_of_two": "weft.language.sorting:_is_power_of_two",
    "_log2": "weft.language.sorting:_log2",
    "_or_combine": "weft.language.standard:_inclusive_or",
    "_pick_sum_dtype": "weft.language.standard:_sum_type",
    "_prod_combine": "weft.language.standard:_times",
    "_sum_combine": "weft.language.standard:_plus",
    "_xor_combine": "weft.language.standard:_exclusive_or",
    "bitonic_merge": "weft.language.sorting:bitonic_merge",
    "core": "weft.language",
    "flip": "weft.language.sorting:flip",
    "math": "weft.language.math",
    "sort": "weft.language.sorting:sort",
    "sort_impl": "weft.language.sorting:sort_impl",
    "topk": "weft.language.sorting:topk",
}
__getattr__ = lazy_getattr(__name__, _ALIASES)


def __dir__() -> list[str]:
    """List all names, aliases included."""
    return sorted({*globals(), *_ALIASES})
