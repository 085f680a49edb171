"""Blocks of another shape with the same elements."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def broadcast(input, other):
    """Return `input` and `other` stretched to their common shape."""


@builtin
def broadcast_to(input, *shape):
    """Return `input` stretched to `shape`, given as one tuple or as several numbers."""


@builtin
def expand_dims(input, axis):
    """Return `input` with a dimension of extent 1 at `axis`, or at each of a tuple of axes."""


@builtin
def reshape(input, *shape, can_reorder=False):
    """Return the elements of `input` in row-major order in another `shape`.

    With `can_reorder` the compiler may put them in any order.
    """


@builtin
def view(input, *shape):
    """Return the elements of `input` in another `shape`, in any order; prefer `reshape`."""


@builtin
def permute(input, *dims):
    """Return `input` with its dimensions in the order `dims`."""


@builtin
def trans(input, *dims):
    """Return `input` with its dimensions in the order `dims`; by default the last two swap."""


@builtin
def cat(input, other, can_reorder=False, dim=0):
    """Return two blocks of one shape and type put after each other along `dim`.

    Without `can_reorder` the order is kept, by joining and reshaping; with it, which needs a 1-d
    block, the compiler may put the elements in any order.
    """


@builtin
def join(a, b):
    """Return `a` and `b` side by side in a new last dimension of extent 2."""


@builtin
def split(a):
    """Return the two halves of a block whose last dimension has extent 2; undoes `join`."""


@builtin
def gather(src, index, axis):
    """Return, for each element of `index`, the element of `src` at that position along `axis`.

    Both have the same rank, and the same extents but along `axis`.
    """
