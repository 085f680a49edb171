"""Why weft and the wheel disagree about some mutants.

A pattern is matched with the message of the side that refuses.
"""

from __future__ import annotations

import re

WEFT_REFUSES: tuple[tuple[str, str], ...] = (
    ("has no property", "MLIR drops unknown properties; a misspelled one would have no effect"),
    (" is missing", "Triton reads a field that is absent as 0 or as undefined memory"),
    ("must be a power of two|must hold powers of two", "no linear layout; Triton aborts later"),
    ("instrShape must have|invalid \\(mDim", "Triton ignores further entries"),
    ("warpsPerCTA must have", "Triton aborts when it computes the layout"),
    ("#ttg.dot_op: parent must have at least 2", "Triton aborts when it computes the layout"),
    ("#ttg.dot_op: parent must be", "Triton aborts when it computes the layout"),
    ("must not hold|must hold vectors|must reach every element", "no linear layout"),
    ("must be at least 1", "a size of 0; Triton divides by it"),
    ("ttg.mask.return", "code generation needs the types to agree"),
    ("requestedRegisters", "a number for each partition; code generation reads each"),
    ("expected groups of", "sizes and strides have one entry per dimension"),
    ("alignment must be a power", "an address cannot have it"),
    ("Cannot store into immutable memory", "local_scatter writes the buffer"),
    ("subslice is out of bounds", "the part is outside of the buffer"),
    ("expected pointers to elements|source shape", "an asynchronous copy converts nothing"),
    ("region branch point has|successor operand type", "MLIR does not verify these edges"),
    ("requires the same type for all|same tensor dimensions", "MLIR compares `?` with any size"),
    ("operandSegmentSizes must be", "weft keeps optional operands from the left"),
    ("does not accept pointers to tensors", "block pointers; Triton aborts on most"),
)

WHEEL_REFUSES: tuple[tuple[str, str], ...] = (
    ("aborted: ", "an assertion of the wheel about a layout that weft can compute"),
    ("result tensor must have an encoding", "of gluon.set_auto_layout, not of these dialects"),
    ("invalid properties", "a spelling of a property that the custom form cannot have"),
    ("has an invalid layout", "more elements than fit 64 bits"),
)


def reason(message: str, *, weft: bool) -> str | None:
    """Find why a side refuses alone, None if it should not.

    Args:
        message: Its message.
        weft: Whether weft refuses.
    """
    table = WEFT_REFUSES if weft else WHEEL_REFUSES
    return next((why for pattern, why in table if re.search(pattern, message)), None)
