"""The layouts that an operation relates, or None where the inference has no answer."""

from __future__ import annotations

from collections.abc import Callable

from weft.analysis.encoding_inference import operand_encoding, result_encoding
from weft.errors import LayoutError
from weft.ir import tt
from weft.ir.builtin import Operation
from weft.layouts import BlockedEncoding, Encoding

__all__ = ["operand_layout", "result_layout"]


def result_layout(op: Operation, encoding: Encoding) -> Encoding | None:
    """Infer the layout of the results of an INFERRED operation from that of its operands."""
    return _infer(result_encoding, op, encoding)


def operand_layout(op: Operation, encoding: Encoding) -> Encoding | None:
    """Infer the layout of the operands of an INFERRED operation from that of its results."""
    return _infer(operand_encoding, op, encoding)


def _infer(
    infer: Callable[[Operation, Encoding], Encoding | None], op: Operation, encoding: Encoding
) -> Encoding | None:
    if isinstance(op, tt.ScanOp) and not isinstance(encoding, BlockedEncoding):
        return None
    try:
        return infer(op, encoding)
    except LayoutError:
        return None
