"""What the conversion writes to the ledger: why each tensor has the layout that it starts with."""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.rewriting import walk
from weft.layouts import BlockedEncoding, DotOperandEncoding, Encoding, SliceEncoding
from weft.passes.ledger import record_decision
from weft.passes.registry import Pass

__all__ = ["record_first_layouts"]

_UNREAD = "what it stood in for had this layout"


def record_first_layouts(by: Pass, module: ModuleOp) -> None:
    """Record a decision for every tensor of a module that was just converted."""
    for value in _values(module):
        encoding = types.encoding(value.type)
        if encoding is not None:
            record_decision(by, value, str(encoding), _why(value, encoding))


def _values(module: ModuleOp) -> Iterator[SSAValue]:
    for op in walk(module):
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def _why(value: SSAValue, encoding: Encoding) -> str:
    owner = value.owner
    name = owner.name if isinstance(owner, Operation) else ""
    if name == "ttg.convert_layout":
        return _converted(value, encoding)
    if isinstance(encoding, SliceEncoding):
        return f"{name or 'a block argument'} leaves dimension {encoding.dim} out of its layout"
    if isinstance(encoding, DotOperandEncoding):
        return f"operand {'ab'[encoding.op_idx]} of a dot, in the layout of its result"
    if isinstance(encoding, BlockedEncoding):
        order = ", ".join(map(str, encoding.order))
        return (
            f"the first layout of its shape: {list(encoding.size_per_thread)} elements per "
            f"thread, dimensions in the order {order}"
        )
    return f"{name} gives its result the layout that follows from its operand's"


def _converted(value: SSAValue, encoding: Encoding) -> str:
    readers = sorted({use.operation.name for use in value.uses})
    if not readers:
        return _UNREAD
    if isinstance(encoding, DotOperandEncoding):
        return f"operand {'ab'[encoding.op_idx]} of {', '.join(readers)}"
    return f"{', '.join(readers)} needs its operand in this layout"
