"""amdg.extract_slice and amdg.concat: selections of registers.

    %s = amdg.extract_slice %t [0, 32]        a register of %s is that of %t at its position
    %t = amdg.concat %a, %b                   … of %a in the first half, of %b in the second

Only registers are selected, so lanes and warps must hold the same parts on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute

from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.indices import register_offsets
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg, attributes, types


def _coordinates(type_: Attribute) -> list[tuple[int, ...]]:
    """List the coordinates of each register, relative to register 0."""
    layout = layout_of(type_)
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    return list(zip(*offsets, strict=True))


def _check_threads(one: Attribute, other: Attribute) -> None:
    """Check that lanes and warps hold the same parts of two tensors.

    Raises:
        CodegenError: Data would move between threads.
    """
    for name in ("lane", "warp"):
        first, second = (
            [tuple(each) for each in layout_of(kind).bases.get(name, ())] for kind in (one, other)
        )
        if first != second:
            raise CodegenError(
                f"the {name} bases of a slice must be those of the whole tensor",
                found=types.encoding(other),
                accepted=[types.encoding(one)],
            )


def _register_at(type_: Attribute, places: Sequence[tuple[int, ...]]) -> list[int]:
    """List the register of each position.

    Raises:
        CodegenError: Other threads hold the position.
    """
    register_of: dict[tuple[int, ...], int] = {}
    for register, place in enumerate(_coordinates(type_)):
        register_of.setdefault(place, register)
    missing = next((place for place in places if place not in register_of), None)
    if missing is not None:
        raise CodegenError("a slice must not move elements between threads", found=list(missing))
    return [register_of[place] for place in places]


@lowers(amdg.ExtractSliceOp)
def _extract(ctx: LoweringContext, op: amdg.ExtractSliceOp) -> None:
    source, result = op.source.type, op.result.type
    _check_threads(source, result)
    starts = attributes.array_values(op.properties["static_offsets"])
    places = [
        tuple(a + b for a, b in zip(place, starts, strict=True)) for place in _coordinates(result)
    ]
    registers = ctx[op.source]
    ctx.define(op.result, [registers[register] for register in _register_at(source, places)])


@lowers(amdg.ConcatOp)
def _concat(ctx: LoweringContext, op: amdg.ConcatOp) -> None:
    source, result = op.sources[0].type, op.result.type
    _check_threads(result, source)
    sizes = types.shape(source)
    counts = [whole // part for whole, part in zip(types.shape(result), sizes, strict=True)]
    whole = _coordinates(result)
    inner = [tuple(at % size for at, size in zip(place, sizes, strict=True)) for place in whole]
    results = []
    for place, register in zip(whole, _register_at(source, inner), strict=True):
        number = 0
        for at, size, count in zip(place, sizes, counts, strict=True):
            number = number * count + at // size
        results.append(ctx[op.sources[number]][register])
    ctx.define(op.result, results)
