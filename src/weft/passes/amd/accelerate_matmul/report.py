"""Record the decisions of the rules: one per dot, and one per value with a new layout.

tt.dot 128x64x32 on gfx942: mfma.f32.32x32x8f16, 32x32x8, 4 x 2 tiles of the result per warp
  over mfma.f32.16x16x16f16 (fits, but 32x32 comes first), …
  [1, 1] → half of M's 2 against N's 2: [2, 1] …
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from weft.ir import ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding, DotOperandEncoding
from weft.passes.amd.accelerate_matmul.context import Context, dot_shape
from weft.passes.amd.accelerate_matmul.instruction import Choice
from weft.passes.amd.accelerate_matmul.warps import WarpDistribution
from weft.passes.ledger import enabled, record_decision, source_position

__all__ = [
    "Reasons",
    "record_dependent_layout",
    "record_unsupported",
    "record_dot",
    "record_decomposition",
]


class Reasons(Struct, frozen=True):
    """The reasons for a dot's layout.

    Attributes:
        distribution: warps per dimension, with the reason.
        transposed: the reason for isTransposed.
        k_width: the reason for kWidth.
        types: the reason for converted operand types; "" if they are not converted.
    """

    distribution: WarpDistribution
    transposed: str
    k_width: str
    types: str = ""


def record_unsupported(context: Context, op: Operation, choice: Choice) -> None:
    """Record that no matrix instruction supports a dot."""
    if enabled():
        record_decision(
            context.pass_,
            op.results[0],
            "no matrix instruction",
            choice.reason,
            candidates=choice.candidates,
            facts=(("shape", str(dot_shape(op.results[0], op.operands[0]))),),
        )


def record_dot(
    context: Context, op: Operation, choice: Choice, reasons: Reasons, values: Sequence[SSAValue]
) -> None:
    """Record the instruction of a dot, and the layouts of the values created for it.

    Args:
        context: the chip and options.
        op: the dot to replace.
        choice: the chosen instruction.
        reasons: for the layout.
        values: a, b, the scales if any, c, the new result, and the result in its former layout.
    """
    row = choice.instruction
    if not enabled() or row is None:
        return
    *sources, new_dot, output = values
    encoding = types.encoding(new_dot.type)
    assert isinstance(encoding, AmdMfmaEncoding | AmdWmmaEncoding)
    shape = dot_shape(new_dot, op.operands[0])
    warps = reasons.distribution.warps
    tiles = [
        max(1, size // (side * count))
        for size, side, count in zip(
            types.shape(new_dot.type)[-2:], (row.m, row.n), warps[-2:], strict=True
        )
    ]
    k_width = types.encoding(values[0].type)
    width = k_width.k_width if isinstance(k_width, DotOperandEncoding) else 0
    facts = [
        ("instruction", row.label),
        ("tile", row.shape),
        ("shape", str(shape)),
        ("tiles per warp", " x ".join(map(str, tiles))),
        ("instructions per warp", str(tiles[0] * tiles[1] * max(1, shape.k // row.k))),
        ("warps per block", f"{list(warps)}: {reasons.distribution.reason}"),
        *(("step", step) for step in reasons.distribution.steps),
        ("isTransposed", f"{str(encoding.is_transposed).lower()}: {reasons.transposed}"),
        ("kWidth", f"{width}: {reasons.k_width}"),
    ]
    if isinstance(encoding, AmdMfmaEncoding) and any(n > 1 for n in encoding.tiles_per_warp):
        facts.append(("tilesPerWarp", str(list(encoding.tiles_per_warp))))
    if reasons.types:
        facts.append(("operand types", reasons.types))
    record_decision(
        context.pass_,
        new_dot,
        str(encoding),
        f"{row.label}: {choice.reason}",
        candidates=choice.candidates,
        facts=facts,
    )
    anchor = f"{op.name} at {source_position(op.results[0]) or 'an unknown location'}"
    for value in sources:
        record_dependent_layout(context, value, "operand of the instruction", anchor)
    record_dependent_layout(context, output, "back to the layout of the dot's users", anchor)


def record_dependent_layout(context: Context, value: SSAValue, reason: str, anchor: str) -> None:
    """Record that a value has its layout because of another operation.

    A value that is converted in layout and then in type is recorded for both steps.

    Args:
        context: the chip and options.
        value: the value.
        reason: the reason.
        anchor: the operation that needs the layout.
    """
    encoding = types.encoding(value.type)
    if encoding is None or not enabled():
        return
    producer = defining_op(value)
    before = None if producer is None or not producer.operands else producer.operands[0]
    if before is not None and isinstance(defining_op(before), ttg.ConvertLayoutOp):
        if types.encoding(before.type) is encoding:
            record_decision(context.pass_, before, str(encoding), reason, anchor=anchor)
    record_decision(context.pass_, value, str(encoding), reason, anchor=anchor)


def record_decomposition(context: Context, new_dot: Iterable[Operation], what: str) -> None:
    """Record the layouts of the operations into which a tt.dot_scaled was decomposed."""
    for op in new_dot:
        for value in op.results:
            encoding = types.encoding(value.type)
            if encoding is not None:
                reason = f"decomposition of {what}: no instruction supports its scales and types"
                record_decision(context.pass_, value, str(encoding), reason, anchor=what)
