"""Products, compositions and inverses of linear layouts.

The one hard question is `invert_and_compose(self, outer)`: which (register, lane, warp, block) of
`outer` holds the element that an input of `self` holds? Its answer solves outer · X = self, a
linear system over GF(2). Where outer holds an element several times there are several answers; the
one taken sets as few bits as can be, after keeping to the same place where both agree about it.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts import gf2
from weft.layouts.linear import LinearLayout

__all__ = ["compose", "invert", "invert_and_compose", "merged_order", "product", "pseudoinvert"]


def merged_order(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the names of both lists in an order that agrees with both, `first` before `second`.

    Raises: LayoutError where the lists disagree about two names.
    """
    a, b = list(first), list(second)
    out: list[str] = []
    while a or b:
        if a and (a[0] not in b or (b and a[0] == b[0])):
            name = a.pop(0)
            if b and b[0] == name:
                b.pop(0)
        elif b and b[0] not in a:
            name = b.pop(0)
        else:
            raise LayoutError(
                "the layouts list their dimensions in orders that disagree",
                found=f"{list(first)} and {list(second)}",
            )
        out.append(name)
    return out


def product(first: LinearLayout, second: LinearLayout) -> LinearLayout:
    """Return the direct sum of two layouts; in shared dimensions the second's bits come above."""
    ins = merged_order([n for n, _ in first.ins], [n for n, _ in second.ins])
    sizes_a, sizes_b = first.out_dims, second.out_dims
    names = merged_order(list(sizes_a), list(sizes_b))
    outs = tuple((name, sizes_a.get(name, 1) * sizes_b.get(name, 1)) for name in names)
    starts = LinearLayout((), outs).starts
    moves_a = [(first.starts[n], sizes_a[n] - 1, starts[n]) for n in names if n in sizes_a]
    moves_b = [
        (second.starts[n], sizes_b[n] - 1, starts[n] + sizes_a.get(n, 1).bit_length() - 1)
        for n in names
        if n in sizes_b
    ]

    def moved(image: int, moves: list[tuple[int, int, int]]) -> int:
        return sum((image >> start & mask) << to for start, mask, to in moves)

    by_a, by_b = dict(first.ins), dict(second.ins)
    return LinearLayout(
        tuple(
            (
                name,
                tuple(moved(v, moves_a) for v in by_a.get(name, ()))
                + tuple(moved(v, moves_b) for v in by_b.get(name, ())),
            )
            for name in ins
        ),
        outs,
    )


def compose(inner: LinearLayout, outer: LinearLayout) -> LinearLayout:
    """Return x -> outer(inner(x)).

    Raises: LayoutError where inner's outputs are not outer's inputs, or are larger.
    """
    by_name = outer._images
    if inner.starts.keys() != by_name.keys():
        raise LayoutError(
            "the inner layout's out-dimensions must be the outer one's in-dimensions",
            found=list(inner.out_dims),
            accepted=list(by_name),
        )
    columns: list[int] = []
    for name, size in inner.outs:
        images, bits = by_name[name], size.bit_length() - 1
        if bits > len(images):
            raise LayoutError(
                f"{name} must not be larger than in the outer layout, {1 << len(images)}",
                found=size,
            )
        columns += images[:bits]
    # Most images have one bit, whose image under the outer layout is a column of it.
    single = {1 << bit: column for bit, column in enumerate(columns)}
    single[0] = 0

    def through(image: int) -> int:
        out = 0
        while image:
            low = image & -image
            out ^= single[low]
            image ^= low
        return out

    ins = []
    for name, images in inner.ins:
        try:
            ins.append((name, tuple([single[v] for v in images])))
        except KeyError:
            ins.append((name, tuple([through(v) for v in images])))
    return LinearLayout(tuple(ins), outer.outs)


def invert(layout: LinearLayout) -> LinearLayout:
    """Return the inverse.

    Raises: LayoutError where an output is reached by no input, or by several.
    """
    if not layout.is_invertible:
        raise LayoutError(
            "only a layout that reaches each output once has an inverse",
            found=f"rank {layout.rank}, {layout.in_bits} in bits, {layout.out_bits} out bits",
        )
    return pseudoinvert(layout)


def pseudoinvert(layout: LinearLayout) -> LinearLayout:
    """Return r with layout(r(y)) = y.

    Raises: LayoutError where an output is reached by no input.
    """
    ins = tuple(
        (name, tuple([1 << (start + bit) for bit in range(layout.out_size(name).bit_length() - 1)]))
        for name, start in layout.starts.items()
    )
    return invert_and_compose(LinearLayout(ins, layout.outs), layout)


def invert_and_compose(inner: LinearLayout, outer: LinearLayout) -> LinearLayout:
    """Return X with outer(X(i)) = inner(i).

    Raises: LayoutError where the out-dimensions differ, or outer leaves out what inner reaches.
    """
    if inner.starts.keys() != outer.starts.keys():
        raise LayoutError(
            "both layouts must have the same out-dimensions",
            found=list(inner.out_dims),
            accepted=list(outer.out_dims),
        )
    if inner.outs == outer.outs:
        inner_columns = inner._images
    else:
        aligned = inner.transpose_outs([name for name, _ in outer.outs])
        for name, size in aligned.outs:
            if size > outer.out_dims[name]:
                raise LayoutError(
                    f"{name} must not be larger than in the outer layout, {outer.out_dims[name]}",
                    found=size,
                )
        inner_columns = _widened(aligned, outer)
    # A dimension that both map alike stays as it is; as in Triton, only where all sizes agree.
    alike = inner.out_dims == outer.out_dims
    same = [n for n, v in outer.ins if alike and inner_columns.get(n) == v]
    solution = _solve(inner_columns, outer, same)
    if solution is None and same:
        solution = _solve(inner_columns, outer, [])
    if solution is None:
        raise LayoutError(
            "the outer layout must reach every output that the inner one reaches",
            found=f"outer has rank {outer.rank} of {outer.out_bits} bits",
        )
    return solution


def _widened(inner: LinearLayout, outer: LinearLayout) -> dict[str, tuple[int, ...]]:
    """Return inner's images packed as outer packs its own."""
    moves = [(inner.starts[n], size - 1, outer.starts[n]) for n, size in inner.outs]
    return {
        name: tuple(sum((v >> s & mask) << to for s, mask, to in moves) for v in images)
        for name, images in inner.ins
    }


def _solve(
    inner: dict[str, tuple[int, ...]], outer: LinearLayout, same: list[str]
) -> LinearLayout | None:
    """Solve outer · X = inner, with X the identity on the dimensions `same`; None if it cannot."""
    outs = tuple([(name, 1 << len(images)) for name, images in outer.ins])
    basis, places, starts, at = [], [], {}, 0
    for name, images in outer.ins:
        starts[name] = at
        if name not in same:
            basis += images
            places += range(at, at + len(images))
        at += len(images)
    wanted = [image for n, v in inner.items() if n not in same for image in v]
    solution = gf2.solve(basis, wanted, outer.out_bits)
    if solution is None:
        return None
    if same:  # bit i of a choice is bit places[i] of the image
        solution = [
            sum([1 << place for i, place in enumerate(places) if choice >> i & 1])
            for choice in solution
        ]
    ins, used = [], 0
    for name, images in inner.items():
        if name in same:
            ins.append((name, tuple([1 << (starts[name] + bit) for bit in range(len(images))])))
        else:
            ins.append((name, tuple(solution[used : used + len(images)])))
            used += len(images)
    return LinearLayout(tuple(ins), outs)
