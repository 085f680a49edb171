"""tl.reduce, tl.associative_scan and tl.map_elementwise: operations with a function as a region.

    reduce((v, i), 1, f)    "tt.reduce"(%v, %i) ({ ^bb0(%v1, %i1, %v2, %i2): … tt.reduce.return })
    axis None               the blocks are reshaped to one dimension first, in any order

The function is lowered while the insertion point is in the region.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.broadcasting import block_of, expand_dims
from weft.frontend.semantics.builtins import creation, shape_manipulation
from weft.frontend.semantics.builtins.inline_asm import broadcast_all
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, TupleValue, Value, describe
from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute, Block, Region
from weft.ir.operation import Op
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction
from weft.layouts import SliceEncoding


def _blocks(e: Emitter, kind: str, input: Value) -> list[TensorValue]:
    values = [e.to_value(value) for value in (input if isinstance(input, tuple) else (input,))]
    shape = values[0].shape
    for value in values:
        if value.shape != shape:
            raise TypeMismatchError(
                f"all {kind} inputs must have the same shape", found=f"{shape} and {value.shape}"
            )
    return values


def _axis(kind: str, axis: Value, shape: tuple[int, ...]) -> int:
    rank = len(shape)
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise CompilationError(
            f"{kind} axis must be < inputs rank ({rank})",
            found=describe(axis),
            accepted=(f"{-rank} to {rank - 1}",) if rank else ("a block",),
        )
    return axis % rank


def _kernel_function(builtin: str, function: Value) -> KernelFunction:
    if not isinstance(function, KernelFunction):
        raise CompilationError(
            f"tl.{builtin} requires a kernel function",
            found=describe(function),
            accepted=("a function decorated with @weft.jit",),
        )
    return function


def _function_region(
    e: Emitter, function: KernelFunction, parameters: Sequence[dtype], terminator: type[Op]
) -> tuple[Region, list[TensorValue]]:
    """Create a region that calls `function` on its arguments.

    Args:
        e: The emitter.
        function: The kernel function.
        parameters: The types of the region's arguments.
        terminator: The operation that ends the region, with the results of the call.

    Returns:
        The region, and the results of the call.
    """
    block = Block(arg_types=[ir_type(type_) for type_ in parameters])
    if terminator is tt.MapElementwiseReturnOp:  # of other regions Triton knows no location
        for argument in block.args:
            argument.location = e.builder.location
    arguments = [
        TensorValue(handle, type_) for handle, type_ in zip(block.args, parameters, strict=True)
    ]
    insertion_point = e.builder.place
    e.builder.at_end(block)
    try:
        result = e.call_function(function, arguments)
        items = result.items if isinstance(result, TupleValue) else (result,)
        values = [e.to_value(item) for item in items]
        e.builder.create(terminator, [value.handle for value in values])
    finally:
        e.builder.restore(insertion_point)
    return Region(block), values


def _combine_region(
    e: Emitter,
    builtin: str,
    function: KernelFunction,
    elements: Sequence[dtype],
    terminator: type[Op],
) -> Region:
    """Create the region of a reduction or scan, which combines two tuples of elements.

    Raises:
        TypeMismatchError: The function does not return a tuple of elements.
    """
    region, values = _function_region(e, function, [*elements, *elements], terminator)
    result_types = [value.type for value in values]
    if [ir_type(type_) for type_ in result_types] != [ir_type(type_) for type_ in elements]:
        raise TypeMismatchError(
            f"the combine function of tl.{builtin} must return the types of its operands",
            found=f"{function.name} returns {', '.join(map(str, result_types))}",
            accepted=(", ".join(map(str, elements)),),
            hint="convert the input first, or the result with .to(…)",
        )
    return region


def _create(
    e: Emitter,
    op: type[Op],
    values: list[TensorValue],
    result_types: Sequence[dtype],
    properties: dict[str, Attribute],
    region: Region,
) -> list[TensorValue]:
    new_op = e.builder.create(
        op,
        [value.handle for value in values],
        [ir_type(type_) for type_ in result_types],
        properties,
        regions=[region],
    )
    return [
        TensorValue(handle, type_)
        for handle, type_ in zip(new_op.results, result_types, strict=True)
    ]


def reduce(
    e: Emitter, input: Value, axis: Value, combine_fn: Value, keep_dims: Value
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.reduce, with one result per block."""
    function = _kernel_function("reduce", combine_fn)
    values = _blocks(e, "reduction", input)
    rank = len(values[0].shape)
    if axis is None:
        flat = (prod(values[0].shape),)
        # Without a layout the order of the elements is free.
        reorders = values[0].is_block and block_of(values[0]).encoding is None
        values = [shape_manipulation.reshape(e, value, (flat,), reorders) for value in values]
    dim = _axis("reduction", 0 if axis is None else axis, values[0].shape)
    elements = [value.dtype for value in values]
    shape = tuple(n for other, n in enumerate(values[0].shape) if other != dim)
    result_types = [
        block_of(value).derive(shape, lambda encoding: SliceEncoding(dim, encoding))
        if shape
        else value.dtype
        for value in values
    ]
    region = _combine_region(e, "reduce", function, elements, tt.ReduceReturnOp)
    properties: dict[str, Attribute] = {"axis": attributes.integer(dim, types.i32)}
    results = _create(e, tt.ReduceOp, values, result_types, properties, region)
    if keep_dims:
        results = [_restore_dims(e, result, axis, dim, rank) for result in results]
    return tuple(results) if isinstance(input, tuple) else results[0]


def reduce_with_indices(
    e: Emitter, input: TensorValue, axis: Value, combine_fn: Value, keep_dims: Value
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.reduce of a block and of the indices of its elements along `axis`."""
    if axis is None:
        raise CompilationError("return_indices requires an axis", found="axis=None")
    shape = input.shape
    dim = _axis("reduction", axis, shape)
    indices = creation.arange(e, 0, shape[dim])
    for other in range(len(shape)):
        if other != dim:
            indices = expand_dims(e, indices, other)
    if len(shape) > 1:
        indices = e.broadcast_to(indices, shape)
    return reduce(e, (input, indices), axis, combine_fn, keep_dims)


def _restore_dims(e: Emitter, result: TensorValue, axis: Value, dim: int, rank: int) -> TensorValue:
    """Insert dimensions of extent 1 for the reduced ones."""
    if axis is not None:
        return expand_dims(e, result, dim)
    for _ in range(rank):
        result = expand_dims(e, result, 0)
    return result


def associative_scan(
    e: Emitter, input: Value, axis: Value, combine_fn: Value, reverse: Value
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.scan, with one result per block."""
    function = _kernel_function("associative_scan", combine_fn)
    values = _blocks(e, "scan", input)
    dim = _axis("scan", axis, values[0].shape)
    elements = [value.dtype for value in values]
    region = _combine_region(e, "associative_scan", function, elements, tt.ScanReturnOp)
    properties: dict[str, Attribute] = {
        "axis": attributes.integer(dim, types.i32),
        "reverse": attributes.boolean(bool(reverse)),
    }
    result_types = [value.type for value in values]
    results = _create(e, tt.ScanOp, values, result_types, properties, region)
    return tuple(results) if isinstance(input, tuple) else results[0]


def map_elementwise(
    e: Emitter, scalar_fn: Value, args: tuple[Value, ...], pack: Value
) -> TensorValue | tuple[TensorValue, ...]:
    """Emit tt.map_elementwise; the function's results are the element types of the blocks."""
    function = _kernel_function("map_elementwise", scalar_fn)
    if not isinstance(pack, int) or pack < 1:
        raise CompilationError(
            "pack must be a positive integer", found=describe(pack), accepted=("1", "2", "…")
        )
    values = broadcast_all(e, [e.to_value(value) for value in args])
    if not values or not values[0].is_block:
        raise TypeMismatchError(
            "map_elementwise must have at least 1 input tensor", found=f"{len(values)} scalars"
        )
    parameters = [value.dtype for value in values for _ in range(pack)]
    region, results = _function_region(e, function, parameters, tt.MapElementwiseReturnOp)
    if len(results) % pack:
        raise CompilationError(
            "the function of tl.map_elementwise must return `pack` elements of each result",
            found=f"{len(results)} values with pack {pack}",
        )
    block = values[0].type
    result_types = [block.with_element_ty(result.dtype) for result in results[::pack]]
    properties: dict[str, Attribute] = {"pack": attributes.integer(pack, types.i32)}
    blocks = _create(e, tt.MapElementwiseOp, values, result_types, properties, region)
    return blocks[0] if len(blocks) == 1 else tuple(blocks)


TABLE: dict[str, Callable[..., object]] = {
    "associative_scan": associative_scan,
    "map_elementwise": map_elementwise,
    "reduce": reduce,
    "reduce_with_indices": reduce_with_indices,
}
