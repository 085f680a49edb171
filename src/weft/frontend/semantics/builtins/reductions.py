"""tl.reduce, tl.associative_scan and tl.map_elementwise: operations with a function inside.

    reduce((v, i), 1, f)    "tt.reduce"(%v, %i) ({ ^bb0(%v1, %i1, %v2, %i2): … tt.reduce.return })
    axis None               all elements in any order: reshaped to one dimension first

The function is lowered at the builder's place, which stands inside of the region meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.builtins import shapes
from weft.frontend.semantics.builtins.assembly import broadcast_all
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.shaping import expand_dims
from weft.frontend.semantics.values import TensorValue, TupleValue, describe
from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute, Block, Region
from weft.ir.operation import Op
from weft.language.compound_types import block_type
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction


def _blocks(e: Emitter, function: str, input: Any) -> list[TensorValue]:
    values = [e.to_value(value) for value in (input if isinstance(input, tuple) else (input,))]
    shape = values[0].shape
    for value in values:
        if value.shape != shape:
            raise TypeMismatchError(
                f"the blocks of tl.{function} have one shape", found=f"{shape} and {value.shape}"
            )
    return values


def _axis(function: str, axis: Any, shape: tuple[int, ...]) -> int:
    rank = len(shape)
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise CompilationError(
            f"the axis of tl.{function} is outside of the block",
            found=describe(axis),
            accepted=(f"{-rank} to {rank - 1}",) if rank else ("a block",),
        )
    return axis % rank


def _check_function(function: str, combine: Any) -> None:
    if not isinstance(combine, KernelFunction):
        raise CompilationError(
            f"tl.{function} takes a kernel function",
            found=describe(combine),
            accepted=("a function decorated with @weft.jit",),
        )


def region_of(
    e: Emitter,
    name: str,
    function: KernelFunction,
    parameters: Sequence[dtype],
    results: Sequence[dtype],
    terminator: type[Op],
) -> Region:
    """Return a region that calls `function` on its arguments and returns what it returns.

    Args: parameters: types of the arguments.  results: types that must be returned.
    Raises: TypeMismatchError where the function returns something else.
    """
    block = Block(arg_types=[ir_type(type_) for type_ in parameters])
    arguments = [
        TensorValue(handle, type_) for handle, type_ in zip(block.args, parameters, strict=True)
    ]
    place = e.builder.place
    e.builder.at_end(block)
    try:
        returned = e.call_function(function, arguments)
        values = [
            e.to_value(value)
            for value in (returned.items if isinstance(returned, TupleValue) else (returned,))
        ]
        _check_results(name, function, values, results)
        e.builder.create(terminator, [value.handle for value in values])
    finally:
        e.builder.restore(place)
    return Region(block)


def _check_results(
    name: str, function: KernelFunction, values: list[TensorValue], wanted: Sequence[dtype]
) -> None:
    found = [value.type for value in values]
    if [ir_type(type_) for type_ in found] != [ir_type(type_) for type_ in wanted]:
        raise TypeMismatchError(
            f"the function of tl.{name} returns what it is given",
            found=f"{function.name} returns {', '.join(map(str, found))}",
            accepted=(", ".join(map(str, wanted)),),
            hint="convert the input first, or the result with .to(…)",
        )


def reduce(
    e: Emitter, input: Any, axis: Any, combine_fn: Any, keep_dims: Any
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.reduce, one result per block."""
    _check_function("reduce", combine_fn)
    values = _blocks(e, "reduce", input)
    rank = len(values[0].shape)
    if axis is None:
        flat = (prod(values[0].shape),)
        values = [shapes.reshape(e, value, (flat,), True) for value in values]
    place = _axis("reduce", 0 if axis is None else axis, values[0].shape)
    results = _emit_reduce(e, values, place, combine_fn)
    if keep_dims:
        results = [_kept(e, result, axis, place, rank) for result in results]
    return tuple(results) if isinstance(input, tuple) else results[0]


def _emit_reduce(
    e: Emitter, values: list[TensorValue], axis: int, function: KernelFunction
) -> list[TensorValue]:
    elements = [value.dtype for value in values]
    shape = tuple(n for place, n in enumerate(values[0].shape) if place != axis)
    result_types = [block_type(type_, shape) if shape else type_ for type_ in elements]
    region = region_of(e, "reduce", function, elements * 2, elements, tt.ReduceReturnOp)
    properties: dict[str, Attribute] = {"axis": attributes.integer(axis, types.i32)}
    return _create(e, tt.ReduceOp, values, result_types, properties, region)


def _create(
    e: Emitter,
    op: type[Op],
    values: list[TensorValue],
    result_types: Sequence[dtype],
    properties: dict[str, Attribute],
    region: Region,
) -> list[TensorValue]:
    created = e.builder.create(
        op,
        [value.handle for value in values],
        [ir_type(type_) for type_ in result_types],
        properties,
        regions=[region],
    )
    return [
        TensorValue(handle, type_)
        for handle, type_ in zip(created.results, result_types, strict=True)
    ]


def _kept(e: Emitter, result: TensorValue, axis: Any, place: int, rank: int) -> TensorValue:
    """Put dimensions of extent 1 where they were folded away."""
    if axis is not None:
        return expand_dims(e, result, place)
    for _ in range(rank):
        result = expand_dims(e, result, 0)
    return result


def associative_scan(
    e: Emitter, input: Any, axis: Any, combine_fn: Any, reverse: Any
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.scan, one result per block."""
    _check_function("associative_scan", combine_fn)
    values = _blocks(e, "associative_scan", input)
    place = _axis("associative_scan", axis, values[0].shape)
    elements = [value.dtype for value in values]
    region = region_of(e, "associative_scan", combine_fn, elements * 2, elements, tt.ScanReturnOp)
    properties: dict[str, Attribute] = {
        "axis": attributes.integer(place, types.i32),
        "reverse": attributes.boolean(bool(reverse)),
    }
    result_types = [value.type for value in values]
    results = _create(e, tt.ScanOp, values, result_types, properties, region)
    return tuple(results) if isinstance(input, tuple) else results[0]


def map_elementwise(
    e: Emitter, scalar_fn: Any, args: tuple[Any, ...], pack: Any
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.map_elementwise; the results have the types that the function returns."""
    _check_function("map_elementwise", scalar_fn)
    if not isinstance(pack, int) or pack < 1:
        raise CompilationError(
            "pack says how many elements one call takes", found=describe(pack), accepted=("1", "2")
        )
    values = broadcast_all(e, [e.to_value(value) for value in args])
    if not values or not values[0].is_block:
        raise TypeMismatchError("tl.map_elementwise takes blocks", found=f"{len(values)} scalars")
    parameters = [value.dtype for value in values for _ in range(pack)]
    region, returned = _mapped_region(e, scalar_fn, parameters, pack)
    result_types = [
        value.with_element_ty(type_) for value in [values[0].type] for type_ in returned
    ]
    properties: dict[str, Attribute] = {"pack": attributes.integer(pack, types.i32)}
    results = _create(e, tt.MapElementwiseOp, values, result_types, properties, region)
    return results[0] if len(results) == 1 else tuple(results)


def _mapped_region(
    e: Emitter, function: KernelFunction, parameters: list[dtype], pack: int
) -> tuple[Region, list[dtype]]:
    """Return the region, and the element type of each result."""
    block = Block(arg_types=[ir_type(type_) for type_ in parameters])
    arguments = [
        TensorValue(handle, type_) for handle, type_ in zip(block.args, parameters, strict=True)
    ]
    region = Region(block)
    place = e.builder.place
    e.builder.at_end(block)
    try:
        returned = e.call_function(function, arguments)
        items = returned.items if isinstance(returned, TupleValue) else (returned,)
        values = [e.to_value(value) for value in items]
        e.builder.create(tt.MapElementwiseReturnOp, [value.handle for value in values])
    finally:
        e.builder.restore(place)
    if len(values) % pack:
        raise CompilationError(
            "the function of tl.map_elementwise returns `pack` elements of each result",
            found=f"{len(values)} values with pack {pack}",
        )
    return region, [value.dtype for value in values[::pack]]


TABLE = {
    "associative_scan": associative_scan,
    "map_elementwise": map_elementwise,
    "reduce": reduce,
}
