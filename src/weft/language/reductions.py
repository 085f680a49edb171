"""Reductions, scans and maps with a user-defined function, and histograms."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def reduce(input, axis, combine_fn, keep_dims=False):
    """Reduce `input` along `axis` with an associative and commutative function.

    Args:
        input: A block, or a tuple of blocks of one shape.
        axis: The dimension to reduce; None reduces all elements.
        combine_fn: A kernel function of two scalars. For a tuple of n blocks it takes 2 n scalars,
            the n left operands first, and returns n.
        keep_dims: Keep the reduced dimension with extent 1.
    """


@builtin
def reduce_with_indices(input, axis, combine_fn, keep_dims):
    """Reduce the pairs of elements of `input` and their indices along `axis`.

    Args:
        input: A block.
        axis: The dimension to reduce.
        combine_fn: A kernel function of a value, its index, another value and its index.
        keep_dims: Keep the reduced dimension with extent 1.
    """


@builtin
def associative_scan(input, axis, combine_fn, reverse=False):
    """Compute the inclusive scan of `input` along `axis` with an associative function.

    Args:
        input: A block, or a tuple of blocks of one shape.
        axis: The dimension to scan.
        combine_fn: As for `reduce`.
        reverse: Scan from the last element to the first.
    """


@builtin
def map_elementwise(scalar_fn, *args, pack=1):
    """Apply a function of scalars, which may branch, to each element of blocks.

    Args:
        scalar_fn: A kernel function of scalars.
        *args: The blocks.
        pack: The number of elements of each block, and of each result, that one call processes.
    """


@builtin
def histogram(input, num_bins, mask=None):
    """Count the elements of a 1D integer block by value.

    Args:
        input: Elements from 0 to num_bins - 1; the result is undefined for others.
        num_bins: The number of bins.
        mask: Elements for which it is false are not counted.

    Returns:
        An int32 block of `num_bins` counts.
    """
