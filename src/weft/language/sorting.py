"""Bitonic sort, top-k and flip, written in the language.

A block of 2**n elements is reshaped to n dimensions of extent 2, a hypercube. In one step of the
sorting network every element x is compared with its neighbor y along one dimension. A reduction by
exclusive or along that dimension computes x ^ y, and x ^ (x ^ y) is y.

Sorting 4 elements in ascending order; the elements have the indices 00, 01, 10, 11:

    stage 1, dimension 0   sort (00, 01) ascending, (10, 11) descending: a bitonic sequence
    stage 2, dimension 1   compare 00 with 10 and 01 with 11
             dimension 0   compare 00 with 01 and 10 with 11

Variables have the names of Triton's library, because the IR shows them (`%iy = arith.xori`).

Source: Batcher, "Sorting networks and their applications", AFIPS 1968.
"""

# In a kernel, a parameter annotated `constexpr` takes any constant: `k: constexpr = None`.
# pyright: reportAssignmentType=false, reportArgumentType=false, reportOperatorIssue=false
from __future__ import annotations

from weft.language.arithmetic import where
from weft.language.constexpr import constexpr, constexpr_function
from weft.language.creation import arange, cast
from weft.language.debugging import static_assert
from weft.language.dtypes import dtype as element_type
from weft.language.iterators import static_range
from weft.language.kernel_function import kernel_function
from weft.language.shape_manipulation import reshape
from weft.language.standard import max, min, xor_sum

__all__ = ["bitonic_merge", "flip", "sort", "sort_impl", "topk"]

# The order of a merge: 0 ascending, 1 descending, 2 alternating, which makes runs bitonic.
_ALTERNATING = constexpr(2)


@constexpr_function
def _log2(extent):
    return extent.bit_length() - 1 if extent > 0 else 0


@constexpr_function
def _is_power_of_two(number):
    return number != 0 and number & (number - 1) == 0


@constexpr_function
def _size(shape):
    size = 1
    for extent in shape:
        size *= extent
    return size


@constexpr_function
def _integer_of(dtype):
    return element_type(f"int{dtype.primitive_bitwidth}")


@constexpr_function
def _cube(shape):
    return [2] * _log2.fn(_size.fn(shape))


@constexpr_function
def _one_axis(rank, step):
    return [2 if axis == rank - 1 - step else 1 for axis in range(rank)]


@constexpr_function
def _last_axis(dim, shape):
    """Return the index of the last dimension if `dim` is it or None, else None."""
    last = len(shape) - 1
    return last if dim is None or dim in (last, -1) else None


@kernel_function
def _side(rank: constexpr, step: constexpr):
    """Return [0, 1] along dimension `step` of a hypercube, counted from the last one."""
    ar = arange(0, 2)
    ar = reshape(ar, _one_axis(rank, step))
    return ar


@kernel_function
def _compare_and_swap(x, flip, step: constexpr):
    """Sort the pairs of neighbors along dimension `step` of the hypercube `x`.

    The order is descending where `flip` is true.
    """
    rank: constexpr = len(x.shape)
    ix = cast(x, _integer_of(x.dtype), bitcast=True)
    iy = ix ^ xor_sum(ix, rank - 1 - step, True)
    y = cast(iy, x.dtype, bitcast=True)  # the neighbor
    is_right = _side(rank, step)
    ret = where((x > y) != (flip ^ is_right), y, x)
    return ret


@kernel_function
def _merge(x, stage: constexpr, order: constexpr):
    """Sort bitonic runs of 2**stage elements of the hypercube `x`."""
    if order == _ALTERNATING:
        flip = _side(len(x.shape), stage)
    else:
        flip = order
    for step in static_range(stage):
        x = _compare_and_swap(x, flip, stage - 1 - step)
    return x


@kernel_function
def _merge_block(x, stage: constexpr, order: constexpr, rank: constexpr):
    """Sort bitonic runs of 2**stage elements of the block `x`; `rank` is not used, as in Triton."""
    h = reshape(x, _cube(x.shape))
    h = _merge(h, stage, order)
    x = reshape(h, x.shape)
    return x


@kernel_function
def sort_impl(x, k: constexpr = None, dim: constexpr = None, descending: constexpr = False):
    """Sort `x` along its last dimension; return the first `k` elements of each row (None: all)."""
    last: constexpr = _last_axis(dim, x.shape)
    static_assert(last is not None, "only the last dimension can be sorted")
    log_n: constexpr = _log2(x.shape[last])
    log_k: constexpr = log_n if k is None else _log2(k)
    rank: constexpr = _log2(_size(x.shape))
    h = reshape(x, _cube(x.shape))
    for stage in static_range(1, log_k + 1):
        h = _merge(h, stage, _ALTERNATING if stage < log_n else descending)
    # Of two sorted runs of k elements, one ascending and one descending, the elementwise maximum
    # has the k largest elements and is bitonic again.
    for stage in static_range(log_k + 1, log_n + 1):
        if descending:
            h = max(h, axis=rank - stage)
        else:
            h = min(h, axis=rank - stage)
        h = _merge(h, log_k, _ALTERNATING if stage < log_n else descending)
    x = reshape(h, _top_k_shape(x.shape, log_k))
    return x


@constexpr_function
def _top_k_shape(shape, log_k):
    return [*shape[:-1], 1 << log_k]


@kernel_function
def sort(x, dim: constexpr = None, descending: constexpr = False):
    """Sort `x` along the last dimension."""
    return sort_impl(x, dim=dim, descending=descending)


@kernel_function
def topk(x, k: constexpr, dim: constexpr = None, descending: constexpr = True):
    """Return the `k` largest elements along the last dimension, in descending order.

    If not `descending`, the `k` smallest in ascending order. `k` is a power of 2.
    """
    return sort_impl(x, k=k, dim=dim, descending=descending)


@kernel_function
def bitonic_merge(x, dim: constexpr = None, descending: constexpr = False):
    """Sort `x`, which is bitonic along the last dimension."""
    last: constexpr = _last_axis(dim, x.shape)
    static_assert(last is not None, "only the last dimension can be merged")
    steps: constexpr = _log2(x.shape[last])
    return _merge_block(x, steps, descending, steps)


@constexpr_function
def _split_axis(shape, dim):
    return [*shape[:dim], *[2] * _log2.fn(shape[dim]), *shape[dim + 1 :]]


@constexpr_function
def _normal_axis(dim, shape):
    last = len(shape) - 1
    return last if dim is None else dim + len(shape) if dim < 0 else dim


@kernel_function
def flip(x, dim=None):
    """Reverse `x` along `dim` (None: the last dimension)."""
    axis: constexpr = _normal_axis(dim, x.shape)
    steps: constexpr = _log2(x.shape[axis])
    y = reshape(cast(x, _integer_of(x.dtype), bitcast=True), _split_axis(x.shape, axis))
    for step in static_range(steps):
        y = y ^ xor_sum(y, axis + step, True)
    x = cast(reshape(y, x.shape), x.dtype, bitcast=True)
    return x
