"""Record why each tensor has its first layout."""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.rewriting import walk
from weft.layouts import BlockedEncoding, DotOperandEncoding, Encoding, SliceEncoding
from weft.passes.ledger import record_decision
from weft.passes.registry import Pass

__all__ = ["record_default_layouts"]

_UNUSED = "the layout of the value that it replaced"


def record_default_layouts(by: Pass, module: ModuleOp) -> None:
    """Record a decision for every tensor of a converted module."""
    for value in _values(module):
        encoding = types.encoding(value.type)
        if encoding is not None:
            record_decision(by, value, str(encoding), _reason(value, encoding))


def _values(module: ModuleOp) -> Iterator[SSAValue]:
    for op in walk(module):
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def _reason(value: SSAValue, encoding: Encoding) -> str:
    owner = value.owner
    name = owner.name if isinstance(owner, Operation) else ""
    if name == "ttg.convert_layout":
        return _reason_for_conversion(value, encoding)
    if isinstance(encoding, SliceEncoding):
        return f"{name or 'a block argument'} removes dimension {encoding.dim} from the layout"
    if isinstance(encoding, DotOperandEncoding):
        return f"operand {'ab'[encoding.op_idx]} of a dot, in the layout of its result"
    if isinstance(encoding, BlockedEncoding):
        order = ", ".join(map(str, encoding.order))
        return (
            f"the default layout of its shape: {list(encoding.size_per_thread)} elements per "
            f"thread, dimensions in the order {order}"
        )
    return f"the result layout of {name} follows from its operands"


def _reason_for_conversion(value: SSAValue, encoding: Encoding) -> str:
    users = sorted({use.operation.name for use in value.uses})
    if not users:
        return _UNUSED
    if isinstance(encoding, DotOperandEncoding):
        return f"operand {'ab'[encoding.op_idx]} of {', '.join(users)}"
    return f"{', '.join(users)} needs its operand in this layout"
