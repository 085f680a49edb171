"""Operations that only rename registers: no instructions.

    %b = tt.broadcast %a : tensor<64x1xf32, #blocked> -> tensor<64x32xf32, #blocked>

Each result register is the operand register of its element. Triton's rules
relate the layouts of operand and result such that this is a register of the same thread: the
coordinates of the result's register are mapped to the operand's, and looked up among its registers.
Lanes and warps agree, so register bits alone decide.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from xdsl.ir import Attribute, Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.indices import register_offsets
from weft.codegen.lowering.common.registers import layout_of, pointee_of
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import attributes, tt, types
from weft.lowering_plans.properties import integer_property

Coordinates = tuple[int, ...]


@lowers(tt.SplatOp)
def _splat(ctx: LoweringContext, op: tt.SplatOp) -> None:
    ctx.define(op.results[0], [ctx.scalar(op.operands[0])] * ctx.num_registers(op.results[0]))


@lowers(tt.UnsplatOp)
def _unsplat(ctx: LoweringContext, op: tt.UnsplatOp) -> None:
    ctx.define(op.results[0], ctx[op.operands[0]][:1])


@lowers(tt.MakeRangeOp)
def _make_range(ctx: LoweringContext, op: tt.MakeRangeOp) -> None:
    start = integer_property(op, "start")
    indices = ctx.threads.indices(ctx.writer, layout_of(op.results[0].type), 0)
    if start:
        indices = [ctx.writer.value(f"add nuw nsw i32 {index}, {start}") for index in indices]
    ctx.define(op.results[0], indices)


def _coordinates(type_: Attribute) -> tuple[Coordinates, ...]:
    """List the coordinates of each register of the thread with index zero."""
    layout = layout_of(type_)
    per_dim = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    return tuple(zip(*per_dim, strict=True))


@lru_cache(maxsize=4096)
def _registers_by_element(type_: Attribute) -> dict[Coordinates, int]:
    register_of: dict[Coordinates, int] = {}
    for register, coordinates in enumerate(_coordinates(type_)):
        register_of.setdefault(coordinates, register)
    return register_of


def move(ctx: LoweringContext, op: Operation, back: Callable[[Coordinates], Coordinates]) -> None:
    """Define a result whose registers are registers of the operand.

    Args:
        ctx: State of the function.
        op: The operation.
        back: Maps coordinates of a result's element to the operand's.

    Raises:
        CodegenError: The layouts place the two elements in different threads.
    """
    source, target = op.operands[0], op.results[0]
    register_of, values = _registers_by_element(source.type), ctx[source]
    try:
        ctx.define(target, [values[register_of[back(c)]] for c in _coordinates(target.type)])
    except KeyError:
        raise CodegenError(
            f"{op.name} would have to move elements between threads",
            found=f"{source.type} to {target.type}",
            hint="the layouts do not belong together; convert_layout moves elements",
        ) from None


@lowers(tt.BroadcastOp)
def _broadcast(ctx: LoweringContext, op: tt.BroadcastOp) -> None:
    sizes = types.shape(op.operands[0].type)
    move(ctx, op, lambda c: tuple(x if n > 1 else 0 for x, n in zip(c, sizes, strict=True)))


@lowers(tt.ExpandDimsOp)
def _expand_dims(ctx: LoweringContext, op: tt.ExpandDimsOp) -> None:
    axis = integer_property(op, "axis")
    move(ctx, op, lambda c: c[:axis] + c[axis + 1 :])


@lowers(tt.TransOp)
def _transpose(ctx: LoweringContext, op: tt.TransOp) -> None:
    order = attributes.array_values(op.properties["order"])
    where = [order.index(dim) for dim in range(len(order))]
    move(ctx, op, lambda c: tuple(c[place] for place in where))


@lowers(tt.ReshapeOp)
def _reshape(ctx: LoweringContext, op: tt.ReshapeOp) -> None:
    """Keep row-major positions; with allow_reorder registers keep their numbers."""
    source, target = types.shape(op.operands[0].type), types.shape(op.results[0].type)
    if "allow_reorder" in op.properties:
        ctx.define(op.results[0], ctx[op.operands[0]])
        return

    def back(coordinates: Coordinates) -> Coordinates:
        position = 0
        for index, size in zip(coordinates, target, strict=True):
            position = position * size + index
        results = []
        for size in reversed(source):
            position, index = divmod(position, size)
            results.append(index)
        return tuple(reversed(results))

    move(ctx, op, back)


@lowers(tt.JoinOp)
def _join(ctx: LoweringContext, op: tt.JoinOp) -> None:
    first, second = (ctx[operand] for operand in op.operands)
    register_of = _registers_by_element(op.operands[0].type)
    ctx.define(
        op.results[0],
        [
            (second if c[-1] else first)[register_of[c[:-1]]]
            for c in _coordinates(op.results[0].type)
        ],
    )


@lowers(tt.SplitOp)
def _split(ctx: LoweringContext, op: tt.SplitOp) -> None:
    register_of, values = _registers_by_element(op.operands[0].type), ctx[op.operands[0]]
    for last, result in enumerate(op.results):
        ctx.define(result, [values[register_of[(*c, last)]] for c in _coordinates(result.type)])


@lowers(tt.CatOp)
def _cat(ctx: LoweringContext, op: tt.CatOp) -> None:
    """Append the registers of one operand to the other's; the order is unspecified."""
    ctx.define(op.results[0], [*ctx[op.operands[0]], *ctx[op.operands[1]]])


@lowers(tt.AddPtrOp)
def _advance(ctx: LoweringContext, op: tt.AddPtrOp) -> None:
    pointers, offsets = ctx[op.operands[0]], ctx[op.operands[1]]
    space = llvm_type(op.results[0].type)
    pointee = llvm_type(pointee_of(op.results[0].type))
    stride = "i8" if pointee == "i1" else pointee
    index = llvm_type(op.operands[1].type)
    ctx.define_each(
        op.results[0],
        lambda n: ctx.writer.value(
            f"getelementptr {stride}, {space} {pointers[n]}, {index} {offsets[n]}"
        ),
    )
