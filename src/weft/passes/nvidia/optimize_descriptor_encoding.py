"""Settle how a descriptor's tiles lie in shared memory.

Of `triton-nvidia-optimize-descriptor-encoding`:

Before:  %d = tt.make_tensor_descriptor … : <tensor<128x64xf16>>
         %t = tt.descriptor_load %d[%i, %j] : … -> tensor<128x64xf16, #blocked>
         %m = ttg.local_alloc %t : … -> !ttg.memdesc<128x64xf16, #shared, #smem>
After:   %d = tt.make_tensor_descriptor … : <tensor<128x64xf16, #shared>>

The copy engine writes tiles in the order that the descriptor says, so all copies through one
descriptor lie alike. What a loaded tile is put into decides, unless it is transposed, which the
engine cannot write. Descriptors that loops carry and conditionals choose are one descriptor here.
Where users disagree, where a call takes it, or where nobody asks, the rows of the smallest tile in
use record_decision: as wide an exchange as fits.

Keeps: everything but types of descriptors. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.rewriter import Rewriter

from weft.ir import arith, scf, tt, ttg, ttng, types
from weft.ir.builtin import (
    Attribute,
    BlockArgument,
    FunctionType,
    ModuleOp,
    Operation,
    SSAValue,
)
from weft.ir.interfaces import BranchOpInterface, RegionBranchOpInterface
from weft.ir.rewriting import walk
from weft.layouts import Encoding, NvmmaSharedEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.nvmma_shared import nvmma_shared_encoding
from weft.passes.ledger import enabled, record_decision, source_position

__all__ = ["OptimizeDescriptorEncoding"]

Shape = tuple[int, ...]
Vectors = tuple[tuple[int, ...], ...]

_LOADS = (tt.DescriptorLoadOp, tt.DescriptorGatherOp)
_STORES = (tt.DescriptorStoreOp, tt.DescriptorReduceOp, tt.DescriptorScatterOp)
_COPIES_IN = (ttng.AsyncTMACopyGlobalToLocalOp, ttng.AsyncTMAGatherOp)
_COPIES_OUT = (
    ttng.AsyncTMACopyLocalToGlobalOp,
    ttng.AsyncTMAReduceOp,
    ttng.AsyncTMAScatterOp,
)


@dataclass(frozen=True, slots=True)
class OptimizeDescriptorEncoding:
    """Post: every descriptor says how its tiles lie in shared memory."""

    name: ClassVar[str] = "triton-nvidia-optimize-descriptor-encoding"

    def run(self, module: ModuleOp) -> None:
        """Give the types of descriptors their encodings in place."""
        for function in walk(module):
            if isinstance(function, tt.FuncOp) and function.body.blocks:
                self._settle(function)

    def _settle(self, function: tt.FuncOp) -> None:
        groups = _Groups()
        for op in walk(function):
            _tie(op, groups)
        for op in walk(function):
            _ask(op, groups)
        if not function.is_public:
            for argument in function.body.blocks[0].args:
                groups.ask(argument, _Wish(why="the argument of a function"))
        for value in groups.values():
            wish = groups.wish(value)
            type_, why = _described(value.type, wish)
            new = Rewriter.replace_value_with_new_type(value, type_)
            if isinstance(value, BlockArgument) and isinstance(new, BlockArgument):
                new.location = value.location
            if enabled():
                encoding = types.encoding(type_.block_type)
                record_decision(self, new, str(encoding), why, anchor=wish.anchor)
        _update_signature(function)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the users of a descriptor ask for.

    encoding: of the buffer that a tile goes to.  blocks: how a cluster shares a tile; None where
    nobody says.  shape: of the tiles, () where nobody says.  why: where users must do with the
    default, the reason.  anchor: who asked for the encoding.
    """

    encoding: Encoding | None = None
    blocks: Vectors | None = None
    shape: Shape = ()
    why: str = ""
    anchor: str = ""

    def and_(self, other: _Wish) -> _Wish:
        """Return what both ask for."""
        if self.why or other.why:
            return _Wish(why=self.why or other.why)
        mine, theirs = self.encoding, other.encoding
        if mine is not None and theirs is not None and mine is not theirs:
            return _Wish(why=f"tiles go to {mine} and to {theirs}")
        blocks = self.blocks if other.blocks in (None, self.blocks) else other.blocks
        if None not in (self.blocks, other.blocks) and self.blocks != other.blocks:
            blocks = ()
        shape = self.shape or other.shape
        if self.shape and other.shape:
            shape = tuple(map(min, zip(self.shape, other.shape, strict=True)))
        return _Wish(mine or theirs, blocks, shape, anchor=self.anchor or other.anchor)


@dataclass(slots=True)
class _Groups:
    """Descriptors that are one (union-find), in the order in which they were met."""

    _leader: dict[SSAValue, SSAValue] = field(default_factory=dict)
    _wishes: dict[SSAValue, _Wish] = field(default_factory=dict)

    def find(self, value: SSAValue) -> SSAValue:
        root = value
        while (above := self._leader.setdefault(root, root)) is not root:
            root = above
        self._leader[value] = root
        return root

    def tie(self, tied: Iterable[SSAValue]) -> None:
        """Make descriptors one; other values are left out."""
        found = [value for value in tied if isinstance(value.type, types.TensorDescType)]
        for value in found:
            self._leader[self.find(value)] = self.find(found[0])

    def ask(self, value: SSAValue, wish: _Wish) -> None:
        """Add to what a descriptor's group is asked for."""
        if isinstance(value.type, types.TensorDescType):
            root = self.find(value)
            self._wishes[root] = self._wishes.get(root, _Wish()).and_(wish)

    def wish(self, value: SSAValue) -> _Wish:
        return self._wishes.get(self.find(value), _Wish())

    def values(self) -> list[SSAValue]:
        return list(self._leader)


# ------------------------------------------------------------------------------- who is one
def _tie(op: Operation, groups: _Groups) -> None:
    """Tie the values that an operation passes on unchanged, and note all descriptors."""
    for tied in _passed_on(op):
        groups.tie(tied)
    for value in (*op.operands, *op.results):
        groups.tie((value,))
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                groups.tie((argument,))


def _passed_on(op: Operation) -> Iterator[tuple[SSAValue, ...]]:
    if isinstance(op, scf.ForOp):
        yield from zip(op.init_args, op.iter_args, op.yielded_values, op.results, strict=True)
    elif isinstance(op, scf.WhileOp):
        yield from zip(op.init_args, op.iter_args, op.yielded_values, strict=True)
        forwarded = op.condition_op.successor_operands(None)
        yield from zip(forwarded, op.after_block.args, op.results, strict=True)
    elif isinstance(op, arith.SelectOp):
        yield (op.operands[1], op.operands[2], op.results[0])
    elif isinstance(op, RegionBranchOpInterface):
        for edge in op.region_edges():
            yield from zip(edge.inputs, edge.operands, strict=True)
    elif isinstance(op, BranchOpInterface):
        for edge in op.block_edges():
            yield from edge.forwarded()


# ------------------------------------------------------------------------------ who asks what
def _ask(op: Operation, groups: _Groups) -> None:
    if isinstance(op, tt.CallOp | tt.ReturnOp):
        for value in (*op.operands, *op.results):
            groups.ask(value, _Wish(why=f"handed over by {op.name}"))
    elif isinstance(op, _LOADS):
        wanted = _written_to(op)
        encoding = wanted if wanted is not None else types.encoding(op.results[0].type)
        shape = types.shape(op.results[0].type)
        _ask_for(op.operands[0], wanted, encoding, shape, op, groups)
    elif isinstance(op, _STORES):
        type_ = op.src.type
        _ask_for(op.desc, None, types.encoding(type_), types.shape(type_), op, groups)
    elif isinstance(op, _COPIES_IN):
        type_ = op.result.type
        assert isinstance(type_, ttg.MemDescType)
        _ask_for(op.desc, type_.encoding, type_.encoding, type_.shape, op, groups)
    elif isinstance(op, _COPIES_OUT):
        type_ = op.src.type
        assert isinstance(type_, ttg.MemDescType)
        _ask_for(op.desc, None, type_.encoding, type_.shape, op, groups)


def _ask_for(
    descriptor: SSAValue,
    wanted: Encoding | None,
    shared: Encoding | None,
    shape: Shape,
    op: Operation,
    groups: _Groups,
) -> None:
    """Note what one user asks for: `wanted` itself, or a default over the blocks of `shared`."""
    rank = len(types.shape(_tile(descriptor.type)))
    blocks = None
    if shared is not None:
        blocks = shared.cga_layout if isinstance(shared, NvmmaSharedEncoding) else cga_bases(shared)
        blocks = tuple((*(0,) * (rank - len(vector)), *vector) for vector in blocks)
    whole = (*(1,) * (rank - len(shape)), *shape)
    anchor = ""
    if enabled() and op.results:
        anchor = f"{op.name} {source_position(op.results[0])}".strip()
    groups.ask(descriptor, _Wish(wanted, blocks, whole, anchor=anchor))


def _written_to(op: Operation) -> Encoding | None:
    """Return the encoding of a buffer that a loaded tile goes to, if the engine can write it."""
    for use in op.results[0].uses:
        user = use.operation
        if isinstance(user, ttg.LocalAllocOp):
            type_ = user.result.type
        elif isinstance(user, ttg.LocalStoreOp):
            type_ = user.dst.type
        else:
            continue
        assert isinstance(type_, ttg.MemDescType)
        encoding = type_.encoding
        if isinstance(encoding, NvmmaSharedEncoding) and not encoding.transposed:
            return encoding
    return None


# ------------------------------------------------------------------------------------- answer
def _tile(type_: Attribute) -> Attribute:
    assert isinstance(type_, types.TensorDescType)
    return type_.block_type


def _described(type_: Attribute, wish: _Wish) -> tuple[types.TensorDescType, str]:
    """Return the type of a descriptor whose users ask for something, and the reason."""
    tile = _tile(type_)
    shape = types.shape(tile)
    blocks = wish.blocks or ()
    if isinstance(wish.encoding, NvmmaSharedEncoding):
        wanted = wish.encoding
        encoding = NvmmaSharedEncoding(
            wanted.swizzling_byte_width,
            wanted.element_bit_width,
            wanted.transposed,
            wanted.fp4_padded,
            blocks,
            len(shape),
        )
        why = "the buffer that its tiles go to"
    else:
        used = wish.shape or shape
        order = tuple(reversed(range(len(shape))))
        share = _share(blocks, used)
        encoding = nvmma_shared_encoding(used, order, types.bit_width(tile), blocks, share=share)
        asked = wish.why or "no buffer is known that its tiles go to"
        why = f"{asked}: as wide an exchange as rows of {'x'.join(map(str, share))} allow"
    return types.descriptor(types.with_encoding(tile, encoding)), why


def _share(blocks: Vectors, shape: Shape) -> Shape:
    """Return what one block of a cluster holds of a tile."""
    split = [2 * max((vector[dim] for vector in blocks), default=0) for dim in range(len(shape))]
    return tuple(size // max(1, parts) for size, parts in zip(shape, split, strict=True))


def _update_signature(function: tt.FuncOp) -> None:
    """Make the type of a function that of its arguments and of what it returns."""
    old = function.function_type
    assert isinstance(old, FunctionType)
    inputs = [argument.type for argument in function.body.blocks[0].args]
    outputs = list(old.outputs.data)
    for block in function.body.blocks:
        if isinstance(block.last_op, tt.ReturnOp):
            outputs = [value.type for value in block.last_op.operands]
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)
