"""Shape manipulation: broadcast, reshape, permute, concatenate, gather."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def broadcast(input, other):
    """Broadcast `input` and `other` to their common shape."""


@builtin
def broadcast_to(input, *shape):
    """Broadcast `input` to `shape`, one tuple or several integers."""


@builtin
def expand_dims(input, axis):
    """Insert a dimension of extent 1 at `axis`, or at each of a tuple of axes."""


@builtin
def reshape(input, *shape, can_reorder=False):
    """Return the elements of `input` in row-major order in another shape.

    Args:
        input: A block.
        *shape: One tuple or several integers.
        can_reorder: The compiler may choose any order of the elements.
    """


@builtin
def view(input, *shape):
    """Return the elements of `input` in another shape, in any order; prefer `reshape`."""


@builtin
def permute(input, *dims):
    """Permute the dimensions of `input` to the order `dims`."""


@builtin
def trans(input, *dims):
    """Permute the dimensions of `input` to the order `dims`; by default swap the last two."""


@builtin
def cat(input, other, can_reorder=False, dim=0):
    """Concatenate two blocks of one shape and type along `dim`.

    Args:
        input: The first block.
        other: The second block.
        can_reorder: The compiler may choose any order of the elements; only for 1D blocks.
        dim: The dimension that grows.
    """


@builtin
def join(a, b):
    """Join `a` and `b` along a new last dimension of extent 2."""


@builtin
def split(a):
    """Split a block along its last dimension, of extent 2, in two; the inverse of `join`."""


@builtin
def gather(src, index, axis):
    """Gather elements of `src` along `axis`.

    Args:
        src: The block to read.
        index: An integer block with the rank of `src`, and its extents except along `axis`.
        axis: The dimension that `index` selects in.

    Returns:
        A block of the shape of `index`: element i, j of axis 1 is src[i, index[i, j]].
    """
