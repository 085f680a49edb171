"""Choose the encodings of tensor descriptors (triton-nvidia-optimize-descriptor-encoding).

Before:  %d = tt.make_tensor_descriptor … : <tensor<128x64xf16>>
         %t = tt.descriptor_load %d[%i, %j] : … -> tensor<128x64xf16, #blocked>
         %m = ttg.local_alloc %t : … -> !ttg.memdesc<128x64xf16, #shared, #smem>
After:   %d = tt.make_tensor_descriptor … : <tensor<128x64xf16, #shared>>

TMA writes tiles in the encoding of the descriptor, so all copies through one descriptor have one
encoding. The buffer that a loaded tile is stored to decides it, unless that is transposed, which
TMA cannot write. Descriptors that are forwarded by loops and conditionals are in one group. If the
users of a group disagree, if a call takes it, or if there is no buffer, the default is the widest
swizzle that fits the rows of the smallest tile.

Keeps: everything but the types of descriptors. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from msgspec import Struct, field
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
from weft.layouts.nvmma_swizzling import nvmma_shared_encoding
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


class OptimizeDescriptorEncoding(Struct, frozen=True):
    """Give every descriptor type a shared-memory encoding."""

    name: ClassVar[str] = "triton-nvidia-optimize-descriptor-encoding"

    def run(self, module: ModuleOp) -> None:
        """Change the types of descriptors in place."""
        for function in walk(module):
            if isinstance(function, tt.FuncOp) and function.body.blocks:
                self._assign_encodings(function)

    def _assign_encodings(self, function: tt.FuncOp) -> None:
        groups = _Groups()
        for op in walk(function):
            _unite_forwarded(op, groups)
        for op in walk(function):
            _add_requirements(op, groups)
        if not function.is_public:
            for argument in function.body.blocks[0].args:
                groups.require(argument, _Requirement(reason="the argument of a function"))
        for value in groups.values():
            requirement = groups.requirement(value)
            type_, reason = _descriptor_type(value.type, requirement)
            new = Rewriter.replace_value_with_new_type(value, type_)
            if isinstance(value, BlockArgument) and isinstance(new, BlockArgument):
                new.location = value.location
            if enabled():
                encoding = types.encoding(type_.block_type)
                record_decision(self, new, str(encoding), reason, anchor=requirement.anchor)
        _update_signature(function)


class _Requirement(Struct, frozen=True):
    """The requirements of the users of a descriptor.

    Attributes:
        encoding: encoding of the buffer that a tile is stored to; None if there is none.
        blocks: CGALayout of the tile; None if it is unknown.
        shape: shape of the tiles; () if it is unknown.
        reason: why the default encoding must be used; "" if it need not.
        anchor: the user that requires the encoding.
    """

    encoding: Encoding | None = None
    blocks: Vectors | None = None
    shape: Shape = ()
    reason: str = ""
    anchor: str = ""

    def combine(self, other: _Requirement) -> _Requirement:
        """Combine two requirements."""
        if self.reason or other.reason:
            return _Requirement(reason=self.reason or other.reason)
        mine, theirs = self.encoding, other.encoding
        if mine is not None and theirs is not None and mine is not theirs:
            return _Requirement(reason=f"tiles are stored to {mine} and to {theirs}")
        blocks = self.blocks if other.blocks in (None, self.blocks) else other.blocks
        if None not in (self.blocks, other.blocks) and self.blocks != other.blocks:
            blocks = ()
        shape = self.shape or other.shape
        if self.shape and other.shape:
            shape = tuple(map(min, zip(self.shape, other.shape, strict=True)))
        return _Requirement(mine or theirs, blocks, shape, anchor=self.anchor or other.anchor)


class _Groups(Struct):
    """Groups of descriptors that must have one type (union-find), in program order."""

    _leader: dict[SSAValue, SSAValue] = field(default_factory=dict)
    _requirements: dict[SSAValue, _Requirement] = field(default_factory=dict)

    def find(self, value: SSAValue) -> SSAValue:
        root = value
        while (parent := self._leader.setdefault(root, root)) is not root:
            root = parent
        self._leader[value] = root
        return root

    def unite(self, values: Iterable[SSAValue]) -> None:
        """Put descriptors into one group; values of other types are ignored."""
        descriptors = [value for value in values if isinstance(value.type, types.TensorDescType)]
        for value in descriptors:
            self._leader[self.find(value)] = self.find(descriptors[0])

    def require(self, value: SSAValue, requirement: _Requirement) -> None:
        """Add a requirement to the group of a descriptor."""
        if isinstance(value.type, types.TensorDescType):
            root = self.find(value)
            self._requirements[root] = self._requirements.get(root, _Requirement()).combine(
                requirement
            )

    def requirement(self, value: SSAValue) -> _Requirement:
        return self._requirements.get(self.find(value), _Requirement())

    def values(self) -> list[SSAValue]:
        return list(self._leader)


# ----------------------------------------------------------------------------------- groups
def _unite_forwarded(op: Operation, groups: _Groups) -> None:
    """Group the values that an operation forwards, and register all descriptors."""
    for values in _forwarded(op):
        groups.unite(values)
    for value in (*op.operands, *op.results):
        groups.unite((value,))
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                groups.unite((argument,))


def _forwarded(op: Operation) -> Iterator[tuple[SSAValue, ...]]:
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


# ----------------------------------------------------------------------------- requirements
def _add_requirements(op: Operation, groups: _Groups) -> None:
    if isinstance(op, tt.CallOp | tt.ReturnOp):
        for value in (*op.operands, *op.results):
            groups.require(value, _Requirement(reason=f"passed through {op.name}"))
    elif isinstance(op, _LOADS):
        encoding_of_buffer = _destination_encoding(op)
        encoding = (
            encoding_of_buffer
            if encoding_of_buffer is not None
            else types.encoding(op.results[0].type)
        )
        shape = types.shape(op.results[0].type)
        _require(op.operands[0], encoding_of_buffer, encoding, shape, op, groups)
    elif isinstance(op, _STORES):
        type_ = op.src.type
        _require(op.desc, None, types.encoding(type_), types.shape(type_), op, groups)
    elif isinstance(op, _COPIES_IN):
        type_ = op.result.type
        assert isinstance(type_, ttg.MemDescType)
        _require(op.desc, type_.encoding, type_.encoding, type_.shape, op, groups)
    elif isinstance(op, _COPIES_OUT):
        type_ = op.src.type
        assert isinstance(type_, ttg.MemDescType)
        _require(op.desc, None, type_.encoding, type_.shape, op, groups)


def _require(
    descriptor: SSAValue,
    encoding_of_buffer: Encoding | None,
    shared: Encoding | None,
    shape: Shape,
    op: Operation,
    groups: _Groups,
) -> None:
    """Add the requirement of one user: an encoding, or a default with the CGALayout of another."""
    rank = len(types.shape(_tile(descriptor.type)))
    blocks = None
    if shared is not None:
        blocks = shared.cga_layout if isinstance(shared, NvmmaSharedEncoding) else cga_bases(shared)
        blocks = tuple((*(0,) * (rank - len(vector)), *vector) for vector in blocks)
    whole = (*(1,) * (rank - len(shape)), *shape)
    anchor = ""
    if enabled() and op.results:
        anchor = f"{op.name} {source_position(op.results[0])}".strip()
    groups.require(descriptor, _Requirement(encoding_of_buffer, blocks, whole, anchor=anchor))


def _destination_encoding(op: Operation) -> Encoding | None:
    """Return the encoding of a buffer that a loaded tile is stored to, if TMA can write it."""
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


# ------------------------------------------------------------------------------------- types
def _tile(type_: Attribute) -> Attribute:
    assert isinstance(type_, types.TensorDescType)
    return type_.block_type


def _descriptor_type(
    type_: Attribute, requirement: _Requirement
) -> tuple[types.TensorDescType, str]:
    """Choose the type of a descriptor.

    Returns: the type, and the reason.
    """
    tile = _tile(type_)
    shape = types.shape(tile)
    blocks = requirement.blocks or ()
    if isinstance(requirement.encoding, NvmmaSharedEncoding):
        encoding_of_buffer = requirement.encoding
        encoding = NvmmaSharedEncoding(
            encoding_of_buffer.swizzling_byte_width,
            encoding_of_buffer.element_bit_width,
            encoding_of_buffer.transposed,
            encoding_of_buffer.fp4_padded,
            blocks,
            len(shape),
        )
        reason = "the encoding of the buffer that its tiles are stored to"
    else:
        used = requirement.shape or shape
        order = tuple(reversed(range(len(shape))))
        share = _share(blocks, used)
        encoding = nvmma_shared_encoding(used, order, types.bit_width(tile), blocks, share=share)
        cause = requirement.reason or "no buffer is known"
        reason = f"{cause}: the widest swizzle for tiles of {'x'.join(map(str, share))}"
    return types.descriptor(types.with_encoding(tile, encoding)), reason


def _share(blocks: Vectors, shape: Shape) -> Shape:
    """Compute the shape of the part of a tile that one CTA holds."""
    split = [2 * max((vector[dim] for vector in blocks), default=0) for dim in range(len(shape))]
    return tuple(size // max(1, parts) for size, parts in zip(shape, split, strict=True))


def _update_signature(function: tt.FuncOp) -> None:
    """Update the type of a function from its arguments and its returned values."""
    old = function.function_type
    assert isinstance(old, FunctionType)
    inputs = [argument.type for argument in function.body.blocks[0].args]
    outputs = list(old.outputs.data)
    for block in function.body.blocks:
        if isinstance(block.last_op, tt.ReturnOp):
            outputs = [value.type for value in block.last_op.operands]
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)
