"""Layouts of random basis vectors, and the result of every operation of Triton's binding on them.

`_answers` calls the operations of one library, through an adapter where their names differ. Vectors
have any entries, not only powers of two; dimensions repeat, are missing, and have size 1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from weft.layouts import LinearLayout
from weft.layouts.drawing import hardware_view, tensor_view

__all__ = ["Case", "case", "ours", "theirs"]

Bases = list[tuple[str, list[list[int]]]]
Outs = list[tuple[str, int]]
HARDWARE = ("register", "lane", "warp", "block")


@dataclasses.dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a layout's constructor.

    Attributes:
        bases: The basis vectors of each input dimension.
        outs: The sizes of the output dimensions.
    """

    bases: Bases
    outs: Outs


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """The layouts of one case.

    Attributes:
        any: Has random vectors.
        onto: Is surjective.
        reached: Has the outputs of `onto`, or smaller ones.
        inner: Has outputs that are the inputs of `outer`.
        outer: Is composed with `inner`.
        bijection: Is invertible.
        factors: Can be multiplied.
        shared: Maps offset and block, and is invertible.
        sizes: The arguments of the one-dimensional constructors.
        points: Inputs of `any`.
    """

    any: Arguments
    onto: Arguments
    reached: Arguments
    inner: Arguments
    outer: Arguments
    bijection: Arguments
    factors: tuple[Arguments, Arguments]
    shared: Arguments
    sizes: tuple[int, int]
    points: tuple[dict[str, int], ...]


def case(number: int) -> Case:
    """Return the case with this number."""
    random = Random(f"vectors {number}")
    outs = _outs(random, 3)
    one = _any(random, outs, HARDWARE)
    onto = _onto(random, outs)
    reached = _any(random, [(name, random.randint(0, bits)) for name, bits in outs], HARDWARE)
    middle = [("a", random.randint(0, 3)), ("b", random.randint(0, 3))]
    inner = _any(random, [(n, random.randint(0, bits)) for n, bits in middle], ("register", "lane"))
    outer_bases = [
        (name, [_vector(random, outs) for _ in range(bits)])
        for name, bits in random.sample(middle, len(middle))
    ]
    points = tuple(
        {name: random.randrange(1 << len(vectors)) for name, vectors in one.bases} for _ in range(4)
    )
    return Case(
        one,
        onto,
        reached,
        inner,
        Arguments(outer_bases, _sized(outs)),
        _bijection(random),
        (_factor(random), _factor(random)),
        _shared(random),
        (1 << random.randint(0, 8), 1 << random.randint(0, 5)),
        points,
    )


def _outs(random: Random, most: int) -> Outs:
    """Return names and bits of out-dimensions."""
    return [(f"dim{d}", random.randint(0, most)) for d in range(random.randint(1, 3))]


def _sized(outs: Outs) -> Outs:
    return [(name, 1 << bits) for name, bits in outs]


def _vector(random: Random, outs: Outs) -> list[int]:
    """Return a vector: zero, of one power of two, or any."""
    kind = random.randrange(6)
    if kind == 0:
        return [0] * len(outs)
    if kind < 4:
        places = [(d, b) for d, (_, bits) in enumerate(outs) for b in range(bits)]
        if not places:
            return [0] * len(outs)
        dim, bit = random.choice(places)
        return [1 << bit if d == dim else 0 for d in range(len(outs))]
    return [random.randrange(1 << bits) for _, bits in outs]


def _any(random: Random, outs: Outs, names: tuple[str, ...]) -> Arguments:
    bases = [(name, [_vector(random, outs) for _ in range(random.randint(0, 4))]) for name in names]
    return Arguments(bases, _sized(outs))


def _unpacked(image: int, outs: Outs) -> list[int]:
    vector = []
    for _, bits in outs:
        vector.append(image & (1 << bits) - 1)
        image >>= bits
    return vector


def _independent(random: Random, bits: int) -> list[int]:
    """Return a basis of all ints below 2^bits, in any order: units, some added to others."""
    columns = [1 << bit for bit in range(bits)]
    random.shuffle(columns)
    for _ in range(random.choice([0, 0, bits, 3 * bits])):
        if bits > 1:
            one, other = random.sample(range(bits), 2)
            columns[one] ^= columns[other]
    return columns


def _dealt(random: Random, vectors: list[list[int]], names: tuple[str, ...]) -> Bases:
    groups: dict[str, list[list[int]]] = {name: [] for name in names}
    for vector in vectors:
        groups[random.choice(names)].append(vector)
    return list(groups.items())


def _onto(random: Random, outs: Outs) -> Arguments:
    total = sum(bits for _, bits in outs)
    vectors = [_unpacked(v, outs) for v in _independent(random, total)]
    vectors += [_vector(random, outs) for _ in range(random.randint(0, 3))]
    random.shuffle(vectors)
    return Arguments(_dealt(random, vectors, HARDWARE), _sized(outs))


def _bijection(random: Random) -> Arguments:
    outs = _outs(random, 3)
    total = sum(bits for _, bits in outs)
    vectors = [_unpacked(v, outs) for v in _independent(random, total)]
    return Arguments(_dealt(random, vectors, ("register", "lane")), _sized(outs))


def _shared(random: Random) -> Arguments:
    outs = [(f"dim{d}", random.randint(0, 3)) for d in range(random.randint(1, 2))]
    if not any(bits for _, bits in outs):
        outs[0] = (outs[0][0], 1)
    total = sum(bits for _, bits in outs)
    vectors = [_unpacked(v, outs) for v in _independent(random, total)]
    blocks = random.choice([0, 0, 0, min(1, total - 1)])
    cut = len(vectors) - blocks
    return Arguments([("offset", vectors[:cut]), ("block", vectors[cut:])], _sized(outs))


def _factor(random: Random) -> Arguments:
    """Return a layout whose dimensions come in an order that every other factor keeps."""
    outs = [(n, random.randint(0, 2)) for n in ("dim0", "dim1", "dim2") if random.random() < 0.7]
    names = tuple(name for name in HARDWARE if random.random() < 0.7)
    return _any(random, outs or [("dim0", 1)], names)


def ours(one: Case) -> list[Any]:
    """Return weft's answers."""

    def build(arguments: Arguments) -> LinearLayout:
        return LinearLayout.from_bases(
            dict(arguments.bases), dict(arguments.outs), surjective=False
        )

    return list(_answers(one, build, LinearLayout, _Ours))


def theirs(one: Case) -> list[Any]:
    """Return Triton's answers."""
    from triton._C.libtriton.linear_layout import LinearLayout as Theirs

    def build(arguments: Arguments) -> Any:
        names = [name for name, _ in arguments.outs]
        return Theirs.from_bases(
            arguments.bases, names, [size for _, size in arguments.outs], False
        )

    return list(_answers(one, build, Theirs, _Theirs))


class _Ours:
    """The methods of Triton's binding, computed by weft."""

    dims = staticmethod(lambda x: [list(x.in_dims), list(x.out_dims), len(x.ins), len(x.outs)])
    kinds = staticmethod(lambda x: [x.is_surjective, x.is_injective, x.is_invertible])
    parts = staticmethod(
        lambda x: [[[n, v] for n, v in x.bases.items()], [[n, s] for n, s in x.outs]]
    )
    matrix = staticmethod(lambda x: x.matrix().tolist())
    views = staticmethod(lambda x: [tensor_view(x), hardware_view(x)])
    shared_views = views


class _Theirs:
    """The methods of Triton's binding."""

    dims = staticmethod(
        lambda x: [x.get_in_dim_names(), x.get_out_dim_names(), x.num_in_dims, x.num_out_dims]
    )
    kinds = staticmethod(lambda x: [x.is_surjective(), x.is_injective(), x.is_invertible()])
    parts = staticmethod(
        lambda x: [
            [[n, [list(v) for v in vectors]] for n, vectors in x.bases],
            [list(pair) for pair in x.out_dims],
        ]
    )
    matrix = staticmethod(lambda x: x.get_matrix_view())
    views = staticmethod(lambda x: [x.get_distributed_view(hw) for hw in (False, True)])
    shared_views = staticmethod(lambda x: [x.get_shared_view(hw) for hw in (False, True)])


def _answers(one: Case, build: Callable[[Arguments], Any], cls: Any, ask: Any) -> Iterator[Any]:
    size, other = one.sizes
    for layout in (
        cls.identity_1d(size, "i", "o"),
        cls.strided_1d(size, other, "i", "o"),
        cls.zeros_1d(size, "i", "o", other),
    ):
        yield ask.parts(layout)
    layouts = [build(one.any), build(one.onto), build(one.shared)]
    for layout in layouts:
        yield [ask.parts(layout), ask.dims(layout), ask.kinds(layout), str(layout)]
        yield ask.matrix(layout)
    yield [layouts[0].apply(point) for point in one.points]
    yield [a == b for a in layouts for b in layouts] + [a != b for a in layouts for b in layouts]
    yield layouts[0] == build(one.any)
    first, second = map(build, one.factors)
    yield ask.parts(first * second)
    first *= second
    yield ask.parts(first)
    yield ask.parts(build(one.inner).compose(build(one.outer)))
    yield ask.parts(build(one.bijection).invert())
    yield ask.parts(layouts[1].pseudoinvert())
    yield ask.parts(build(one.reached).invert_and_compose(layouts[1]))
    yield ask.parts(layouts[1].compose(layouts[1].pseudoinvert()))
    yield ask.views(layouts[1])
    yield ask.shared_views(layouts[2])
