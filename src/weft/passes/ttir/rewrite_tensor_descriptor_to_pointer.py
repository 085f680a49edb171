"""Replace tensor descriptors by pointers and masks (`triton-rewrite-tensor-descriptor-to-pointer`).

For chips that do not copy tiles by descriptor in hardware.

Before:  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<64xf16>>
         %x = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<64xf16>> -> tensor<64xf16>
After:   %b = arith.extsi %n : i32 to i64
         %k = (tt.splat %i) + (tt.make_range 0 to 64) : tensor<64xi64>
         %q = tt.addptr (tt.splat %p), %k * (tt.splat %s)
         %x = tt.load %q, %k >= 0 & %k < %b, 0

A descriptor becomes its parts: the base pointer, a size and a stride per axis, whether elements
outside are NaN instead of 0, and whether f32 is rounded to tf32 on the way. Functions, loops and
ifs that carry a descriptor carry its parts.
Keeps: which elements are read and written, and the order of effects.
Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from weft.errors import PassError
from weft.ir import arith, locations, scf, tt, types
from weft.ir.builtin import (
    ArrayAttr,
    Attribute,
    Block,
    BlockArgument,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    Operation,
    Region,
    SSAValue,
)
from weft.ir.enums import (
    CmpIPredicate,
    DescriptorReduceKind,
    MemSemantic,
    MemSyncScope,
    PaddingOption,
    RMWOp,
)
from weft.ir.rewriting import Builder, constant_value, erase
from weft.passes.rewrite.tiles import TileArithmetic

__all__ = ["RewriteTensorDescriptorToPointer"]

_DESCRIBES = types.TensorDescType


@dataclass(frozen=True, slots=True)
class RewriteTensorDescriptorToPointer:
    """Post: no descriptor is left.  Raises: PassError: one in a branch or call."""

    name: ClassVar[str] = "triton-rewrite-tensor-descriptor-to-pointer"

    def run(self, module: ModuleOp) -> None:
        """Rewrite descriptors in place."""
        if any(_mentions(op) for op in module.walk()):
            rewrite = _Rewrite()
            rewrite.region(module.body)
            rewrite.finish()


@dataclass(frozen=True, slots=True)
class _Parts:
    """A descriptor taken apart; sizes: those of its tile."""

    base: SSAValue
    shape: tuple[SSAValue, ...]
    strides: tuple[SSAValue, ...]
    pads_with_nan: SSAValue
    rounds: SSAValue
    sizes: tuple[int, ...]

    @property
    def values(self) -> tuple[SSAValue, ...]:
        return (self.base, *self.shape, *self.strides, self.pads_with_nan, self.rounds)

    @staticmethod
    def of(values: Sequence[SSAValue], sizes: tuple[int, ...]) -> _Parts:
        rank = len(sizes)
        base, *rest = values
        shape, strides = tuple(rest[:rank]), tuple(rest[rank : 2 * rank])
        return _Parts(base, shape, strides, rest[-2], rest[-1], sizes)


def _types_of(type_: Attribute) -> list[Attribute]:
    """Return the types of a descriptor's parts; of anything else, its type."""
    if not isinstance(type_, _DESCRIBES):
        return [type_]
    tile = type_.block_type
    rank = len(types.shape(tile))
    return [types.pointer(types.element(tile)), *[types.i64] * (2 * rank), types.i1, types.i1]


def _tile(value: SSAValue) -> tuple[int, ...]:
    type_: Any = value.type
    return types.shape(type_.block_type)


def _is_descriptor(value: SSAValue) -> bool:
    return isinstance(value.type, _DESCRIBES)


def _mentions(op: Operation) -> bool:
    """Tell whether an operation reads, gives or has arguments that are descriptors."""
    arguments = (a for region in op.regions for block in region.blocks for a in block.args)
    return any(_is_descriptor(value) for value in (*op.operands, *op.results, *arguments))


@dataclass(slots=True)
class _Rewrite:
    """The descriptors met so far, and what became superfluous."""

    parts: dict[SSAValue, _Parts] = field(default_factory=dict)
    replaced: list[Operation] = field(default_factory=list)
    arguments: list[BlockArgument] = field(default_factory=list)

    def region(self, region: Region) -> None:
        for block in tuple(region.blocks):
            for op in tuple(block.ops):
                self.operation(op)

    def operation(self, op: Operation) -> None:
        rule = _RULES.get(type(op))
        if rule is not None:
            rule(self, op)
            return
        if _mentions(op):
            op = self.rebuilt(op)
        for region in op.regions:
            self.region(region)

    def finish(self) -> None:
        for op in reversed(self.replaced):
            erase(op)
        for argument in self.arguments:
            argument.block.erase_arg(argument)

    def expanded(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Return values with the parts of descriptors in their place."""
        found: list[SSAValue] = []
        for value in values:
            found += self.parts[value].values if value in self.parts else (value,)
        return found

    def bind(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        """Let new values stand for old ones: one for each, or the parts of a descriptor."""
        position = 0
        for value in old:
            count = len(_types_of(value.type))
            stand_in = new[position : position + count]
            position += count
            if _is_descriptor(value):
                self.parts[value] = _Parts.of(stand_in, _tile(value))
            else:
                value.replace_all_uses_with(stand_in[0])

    def rebuilt(self, op: Operation) -> Operation:
        """Replace an operation that only passes descriptors on by one that passes their parts."""
        if isinstance(op, tt.FuncOp):
            _expand_signature(op)
            made: Operation = op
        elif isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp | scf.YieldOp | scf.ConditionOp):
            made = (
                Builder()
                .before(op)
                .create(
                    type(op),
                    self.expanded(op.operands),
                    [part for result in op.results for part in _types_of(result.type)],
                    op.properties,
                    op.attributes,
                    [Region() for _ in op.regions],
                )
            )
            for source, target in zip(op.regions, made.regions, strict=True):
                source.move_blocks(target)
            self.bind(op.results, made.results)
            self.replaced.append(op)
        else:
            raise PassError(
                f"a tensor descriptor cannot go through {op.name}",
                location=locations.position(op.location),
                found=op.name,
                accepted=["tt.descriptor_*", "tt.func", "scf.for", "scf.if", "scf.while"],
            )
        for region in made.regions:
            for block in region.blocks:
                self.expand_arguments(block)
        return made

    def expand_arguments(self, block: Block) -> None:
        for argument in tuple(block.args):
            if _is_descriptor(argument):
                place = argument.index
                made = [
                    block.insert_arg(type_, place + 1 + step)
                    for step, type_ in enumerate(_types_of(argument.type))
                ]
                self.parts[argument] = _Parts.of(made, _tile(argument))
                self.arguments.append(argument)


def _expand_signature(function: tt.FuncOp) -> None:
    """Give a function an input per part; a descriptor's attributes go to its pointer."""
    inputs: list[Attribute] = []
    marks: list[dict[str, Attribute]] = []
    for index, type_ in enumerate(function.function_type.inputs.data):
        parts = _types_of(type_)
        inputs += parts
        marks += [function.argument_attributes(index), *[{} for _ in parts[1:]]]
    outputs = function.function_type.outputs.data
    if any(isinstance(type_, _DESCRIBES) for type_ in outputs):
        raise PassError(
            "a function cannot return a tensor descriptor",
            location=locations.position(function.location),
            found=f"@{function.symbol}",
        )
    function.properties["function_type"] = FunctionType.from_lists(inputs, list(outputs))
    if any(marks):
        function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(mark) for mark in marks])


# --------------------------------------------------------------------------------------- accesses
def _wide(builder: Builder, value: SSAValue) -> SSAValue:
    """Return a scalar as i64; a constant becomes a constant."""
    known = constant_value(value)
    if known is not None:
        return builder.constant(known, types.i64)
    return builder.value(arith.ExtSIOp, [value], types.i64)


def _make(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.MakeTensorDescOp)
    builder = Builder().before(op)
    shape = tuple(_wide(builder, size) for size in op.shape)
    nan = PaddingOption.of(op.properties["padding"]) is PaddingOption.NAN
    pads, rounds = builder.constant(nan, types.i1), builder.constant(False, types.i1)
    result = op.results[0]
    strides = tuple(op.strides)
    rewrite.parts[result] = _Parts(op.operands[0], shape, strides, pads, rounds, _tile(result))
    rewrite.replaced.append(op)


class _Access:
    """The pointers and the mask of one access to the tile at some indices."""

    def __init__(self, rewrite: _Rewrite, op: Operation, descriptor: SSAValue) -> None:
        self.parts = rewrite.parts[descriptor]
        self.builder = Builder().before(op)
        self.tile = TileArithmetic(self.builder, self.parts.sizes)
        self.element = types.element(self.parts.base.type.pointee)  # pyright: ignore

    def offsets(self, indices: Sequence[SSAValue]) -> list[SSAValue]:
        return [_wide(self.builder, index) for index in indices]

    def indices(self, offsets: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.tile.index(offset, axis) for axis, offset in enumerate(offsets)]

    def pointers(self, indices: Sequence[SSAValue]) -> SSAValue:
        return self.tile.pointers(self.parts.base, self.parts.strides, indices)

    def mask(self, indices: Sequence[SSAValue]) -> SSAValue:
        mask = self.tile.mask(zip(indices, self.parts.shape, strict=True))
        assert mask is not None, "a tile has at least one axis"
        return mask

    def outside(self) -> SSAValue:
        """Return what elements outside of the tensor read as."""
        type_ = types.tensor(self.tile.sizes, self.element)
        if not types.is_float(self.element):
            return self.builder.constant(0, type_)
        nan = self.builder.constant(math.nan, type_)
        zero = self.builder.constant(0.0, type_)
        return self.builder.value(arith.SelectOp, [self.parts.pads_with_nan, nan, zero], type_)


def _rounded(builder: Builder, value: SSAValue) -> SSAValue:
    """Return f32 rounded to tf32: to nearest in the upper 10 bits of the mantissa, ties to even."""
    bits = types.with_element(value.type, types.i32)

    def make(
        cls: Any, *operands: SSAValue, result: Attribute = bits, **properties: Any
    ) -> SSAValue:
        return builder.value(cls, list(operands), result, properties)

    raw = make(tt.BitcastOp, value)
    exponent = builder.constant(0x7F800000, bits)
    masked = make(arith.AndIOp, raw, exponent)
    equal = CmpIPredicate.EQ.attr()
    truth = types.with_element(bits, types.i1)
    special = make(arith.CmpIOp, masked, exponent, result=truth, predicate=equal)
    low = make(arith.ShRUIOp, raw, builder.constant(13, bits))
    odd = make(arith.AndIOp, low, builder.constant(1, bits))
    half = make(arith.AddIOp, odd, builder.constant(0xFFF, bits))
    raised = make(arith.AddIOp, raw, half)
    cut = make(arith.AndIOp, raised, builder.constant(-0x2000, bits))
    chosen = make(arith.SelectOp, special, raw, cut)
    return make(tt.BitcastOp, chosen, result=value.type)


def _rounded_if(access: _Access, value: SSAValue) -> SSAValue:
    """Round f32 to tf32 in an if, where the descriptor says so."""
    branches = []
    for rounds in (True, False):
        block = Block()
        builder = Builder(access.builder.location).at_end(block)
        builder.create(scf.YieldOp, [_rounded(builder, value) if rounds else value])
        branches.append(Region(block))
    made = access.builder.create(scf.IfOp, [access.parts.rounds], [value.type], regions=branches)
    return made.results[0]


def _memory_properties(op: Operation) -> dict[str, Attribute]:
    return {key: op.properties[key] for key in ("cache", "evict") if key in op.properties}


def _reshaped(builder: Builder, value: SSAValue, type_: Attribute) -> SSAValue:
    """Drop or add axes of size 1 where the loaded or stored tensor has another rank."""
    return value if value.type == type_ else builder.value(tt.ReshapeOp, [value], type_)


def _load(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorLoadOp)
    access = _Access(rewrite, op, op.desc)
    offsets = access.offsets(tuple(op.indices))
    outside = access.outside()
    pointers = access.pointers(access.indices(offsets))
    mask = access.mask(access.indices(offsets))
    value = access.builder.value(
        tt.LoadOp, [pointers, mask, outside], outside.type, _memory_properties(op)
    )
    if access.element == types.f32:
        value = _rounded_if(access, value)
    result = _reshaped(access.builder, value, op.results[0].type)
    op.results[0].replace_all_uses_with(result)
    rewrite.replaced.append(op)


def _place(access: _Access, indices: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
    """Return the pointers and mask of a tile that is written."""
    offsets = access.offsets(indices)
    pointers = access.pointers(access.indices(offsets))
    return pointers, access.mask(access.indices(offsets))


def _store(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorStoreOp)
    access = _Access(rewrite, op, op.desc)
    pointers, mask = _place(access, tuple(op.indices))
    tile = types.tensor(access.tile.sizes, access.element)
    source = _reshaped(access.builder, op.src, tile)
    access.builder.create(tt.StoreOp, [pointers, source, mask])
    rewrite.replaced.append(op)


_ATOMIC = {
    DescriptorReduceKind.ADD: RMWOp.ADD,
    DescriptorReduceKind.AND: RMWOp.AND,
    DescriptorReduceKind.OR: RMWOp.OR,
    DescriptorReduceKind.XOR: RMWOp.XOR,
}


def _reduce(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorReduceOp)
    kind = DescriptorReduceKind.of(op.properties["kind"])
    if kind not in _ATOMIC:
        raise PassError(
            f"tt.descriptor_reduce {kind} has no atomic operation without signedness",
            location=locations.position(op.location),
            found=str(kind),
            accepted=[str(known) for known in _ATOMIC],
        )
    access = _Access(rewrite, op, op.desc)
    pointers, mask = _place(access, tuple(op.indices))
    atomic = _ATOMIC[kind]
    if atomic is RMWOp.ADD and types.is_float(access.element):
        atomic = RMWOp.FADD
    properties: dict[str, Attribute] = {
        "atomic_rmw_op": atomic.attr(),
        "sem": MemSemantic.RELEASE.attr(),
        "scope": MemSyncScope.GPU.attr(),
    }
    access.builder.create(tt.AtomicRMWOp, [pointers, op.src, mask], [op.src.type], properties)
    rewrite.replaced.append(op)


def _rows(access: _Access, x_offsets: SSAValue, y_offset: SSAValue) -> list[SSAValue]:
    """Return the indices of a gather: given rows, and a run of columns."""
    rows = access.tile.expanded(x_offsets, 1)
    start = _wide(access.builder, y_offset)
    wide = access.builder.value(arith.ExtSIOp, [rows], types.with_element(rows.type, types.i64))
    return [wide, access.tile.index(start, 1)]


def _gather_access(
    rewrite: _Rewrite, op: Operation, descriptor: SSAValue, tile: Attribute
) -> _Access:
    access = _Access(rewrite, op, descriptor)
    access.tile = TileArithmetic(access.builder, types.shape(tile))
    return access


def _gather(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorGatherOp)
    access = _gather_access(rewrite, op, op.desc, op.results[0].type)
    indices = _rows(access, op.x_offsets, op.y_offset)
    pointers = access.pointers(indices)
    mask = access.mask(indices)
    outside = access.outside()
    builder = access.builder
    value = builder.value(tt.LoadOp, [pointers, mask, outside], outside.type)
    if access.element == types.f32:
        operands = [access.parts.rounds, _rounded(builder, value), value]
        value = builder.value(arith.SelectOp, operands, value.type)
    op.results[0].replace_all_uses_with(value)
    rewrite.replaced.append(op)


def _scatter(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, tt.DescriptorScatterOp)
    access = _gather_access(rewrite, op, op.desc, op.src.type)
    indices = _rows(access, op.x_offsets, op.y_offset)
    pointers = access.pointers(indices)
    access.builder.create(tt.StoreOp, [pointers, op.src, access.mask(indices)])
    rewrite.replaced.append(op)


_RULES: dict[type[Operation], Callable[[_Rewrite, Operation], None]] = {
    tt.MakeTensorDescOp: _make,
    tt.DescriptorLoadOp: _load,
    tt.DescriptorStoreOp: _store,
    tt.DescriptorReduceOp: _reduce,
    tt.DescriptorGatherOp: _gather,
    tt.DescriptorScatterOp: _scatter,
}
