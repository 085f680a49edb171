"""Folding a block along an axis with a function of one's own."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def reduce(input, axis, combine_fn, keep_dims=False):
    """Fold `input` along `axis` with `combine_fn`, a kernel function of two scalars.

    `input` may be a tuple of blocks of one shape: then `combine_fn` takes two scalars of each, all
    the left ones first, and returns as many. `axis` None folds everything. The order is not fixed,
    so the function should be associative and commutative.
    """


@builtin
def associative_scan(input, axis, combine_fn, reverse=False):
    """Return all the running folds of `input` along `axis`, the first element first.

    As `reduce`; the function should be associative. `reverse` runs from the last element.
    """


@builtin
def map_elementwise(scalar_fn, *args, pack=1):
    """Call `scalar_fn`, a kernel function of scalars, for each element of the blocks `args`.

    With `pack` n the function is given n elements of each block at once and returns n of each
    result. It may branch, which a function of blocks cannot.
    """


@builtin
def histogram(input, num_bins, mask=None):
    """Count how often each of 0 … num_bins - 1 stands in the 1-d integer block `input`, as int32.

    Where `mask` is false an element is not counted. What is outside of the bins is undefined.
    """
