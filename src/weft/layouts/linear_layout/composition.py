"""Composition and inverses of layouts, on packed bases.

All inverses answer one question: where does one layout hold what another holds? It is a system of
linear equations, which `weft.layouts.gf2.solve` eliminates.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts import gf2
from weft.layouts.basis_vectors import Images, InDims, OutDims, Packed, out_shifts, repack

__all__ = ["compose", "identity_on", "invert_and_compose"]


def compose(ins: InDims, outs: OutDims, outer: Images) -> InDims:
    """Compute the bases of x -> outer(inner(x)).

    Args:
        ins: The bases of the inner layout.
        outs: Its out-dimensions.
        outer: The bases of the outer layout.

    Raises:
        LayoutError: The out-dimensions of the inner layout are not the in-dimensions of `outer`, or
            are larger.
    """
    # `outer` is linear: the image of a vector is the XOR of the images of its bits.
    image_of_bit = {1 << bit: column for bit, column in enumerate(_columns_at(outs, outer))}
    image_of_bit[0] = 0

    def image(vector: int) -> int:
        total = 0
        while vector:
            low = vector & -vector
            total ^= image_of_bit[low]
            vector ^= low
        return total

    result: list[tuple[str, tuple[int, ...]]] = []
    for name, vectors in ins:
        try:  # most bases have one bit or none, and are looked up
            result.append((name, tuple([image_of_bit[v] for v in vectors])))
        except KeyError:
            result.append((name, tuple([image(v) for v in vectors])))
    return tuple(result)


def _columns_at(outs: OutDims, outer: Images) -> list[int]:
    """List where the outer layout sends each output bit of the inner one."""
    if len(outs) != len(outer):
        raise _wrong_dims(outs, outer)
    columns: list[int] = []
    for name, size in outs:
        vectors, bits = outer.get(name), size.bit_length() - 1
        if vectors is None:
            raise _wrong_dims(outs, outer)
        if bits > len(vectors):
            raise _too_large(name, size, 1 << len(vectors))
        columns += vectors[:bits]
    return columns


def _wrong_dims(outs: OutDims, outer: Images) -> LayoutError:
    return LayoutError(
        "the inner layout's out-dimensions must be the outer one's in-dimensions",
        found=[name for name, _ in outs],
        accepted=list(outer),
    )


def identity_on(outs: OutDims) -> InDims:
    """Compute the bases of the layout that maps each out-dimension to itself."""
    shifts, _ = out_shifts(outs)
    return tuple(
        [
            (name, tuple([1 << (shifts[name] + b) for b in range(size.bit_length() - 1)]))
            for name, size in outs
        ]
    )


def invert_and_compose(
    inner: Images, inner_outs: OutDims, outer: Images, outer_outs: OutDims
) -> Packed:
    """Compute X with outer(X(i)) = inner(i).

    If there are several X, an in-dimension that both layouts map alike is the identity, and free
    variables are 0.

    Args:
        inner: The bases of the inner layout.
        inner_outs: Its out-dimensions.
        outer: The bases of the outer layout.
        outer_outs: Its out-dimensions.

    Raises:
        LayoutError: The out-dimensions differ, or the inner layout reaches an output that the outer
            one does not.
    """
    same_sizes = inner_outs == outer_outs
    if not same_sizes:
        same_sizes = dict(inner_outs) == dict(outer_outs)
        inner = _packed_like(inner, inner_outs, outer_outs)
    # As in Triton, dimensions that both map alike are kept only where all sizes agree. That may
    # leave the others without a solution; then all are solved for.
    alike = [name for name, v in outer.items() if same_sizes and inner.get(name) == v]
    solution = _solve(outer, inner, alike)
    if solution is None and alike:
        solution = _solve(outer, inner, [])
    if solution is None:
        rank = gf2.rank([vector for vectors in outer.values() for vector in vectors])
        raise LayoutError(
            "the outer layout must reach every output that the inner one reaches",
            found=f"outer has rank {rank} of {out_shifts(outer_outs)[1]} bits",
        )
    return solution


def _packed_like(images: Images, outs: OutDims, outer_outs: OutDims) -> Images:
    """Pack the bases of a layout for the order and sizes of another's out-dimensions."""
    sizes, outer_sizes = dict(outs), dict(outer_outs)
    if sizes.keys() != outer_sizes.keys():
        raise LayoutError(
            "both layouts must have the same out-dimensions",
            found=list(sizes),
            accepted=list(outer_sizes),
        )
    for name, size in outs:
        if size > outer_sizes[name]:
            raise _too_large(name, size, outer_sizes[name])
    (shifts, _), (outer_shifts, _) = out_shifts(outs), out_shifts(outer_outs)
    moves = [(shifts[name], size - 1, outer_shifts[name]) for name, size in outs]
    return {name: repack(vectors, moves) for name, vectors in images.items()}


def _too_large(name: str, size: int, limit: int) -> LayoutError:
    return LayoutError(f"{name} must not be larger than in the outer layout, {limit}", found=size)


def _solve(images: Images, targets: Images, alike: Sequence[str]) -> Packed | None:
    """Compute X with layout(X(i)) = targets(i), None if there is none.

    Args:
        images: The bases of the layout.
        targets: Packed vectors by in-dimension of X.
        alike: In-dimensions of both on which X is the identity.
    """
    outs = tuple([(name, 1 << len(vectors)) for name, vectors in images.items()])
    shifts, _ = out_shifts(outs)
    # Each target is a sum of bases of the layout; the bits of X say which. Dimensions that are
    # alike take no part: their bases and targets are left out of the system of equations.
    basis: list[int] = []
    bit_of_basis: list[int] = []  # the output bit of X that each vector of `basis` belongs to
    for name, vectors in images.items():
        if name not in alike:
            basis += vectors
            bit_of_basis += range(shifts[name], shifts[name] + len(vectors))
    solution = gf2.solve(basis, [v for n, vs in targets.items() if n not in alike for v in vs])
    if solution is None:
        return None
    if alike:  # else bit_of_basis counts 0, 1, 2 …
        solution = [
            sum([1 << bit for i, bit in enumerate(bit_of_basis) if terms >> i & 1])
            for terms in solution
        ]
    solved = iter(solution)
    ins = tuple(
        [
            (name, tuple([1 << (shifts[name] + bit) for bit in range(len(vectors))]))
            if name in alike
            else (name, tuple([next(solved) for _ in vectors]))
            for name, vectors in targets.items()
        ]
    )
    return ins, outs
