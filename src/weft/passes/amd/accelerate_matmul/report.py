"""What the rules write to the ledger: one decision per dot, one per value that they lay out.

tt.dot 128x64x32 on gfx942: mfma.f32.32x32x8f16, 32x32x8, 4 x 2 tiles of the result per warp
  over mfma.f32.16x16x16f16 (fits, but 32x32 comes first), …
  [1, 1] → half of M's 2 against N's 2: [2, 1] …
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.ir import ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding, DotOperandEncoding
from weft.passes.amd.accelerate_matmul.asked import Asked, shape_of
from weft.passes.amd.accelerate_matmul.instruction import Choice
from weft.passes.amd.accelerate_matmul.warps import Shared
from weft.passes.ledger import enabled, record_decision, source_position

__all__ = ["Reasons", "follows", "left_alone", "product", "spelled_out"]


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why warps, transposition, kWidth and the operands' types are what they are."""

    shared: Shared
    transposed: str
    k_width: str
    types: str = ""


def left_alone(asked: Asked, op: Operation, choice: Choice) -> None:
    """Record that no matrix instruction was found for a dot."""
    if enabled():
        record_decision(
            asked.by,
            op.results[0],
            "no matrix instruction",
            choice.why,
            over=choice.weighed,
            facts=(("shape", str(shape_of(op.results[0], op.operands[0]))),),
        )


def product(
    asked: Asked, op: Operation, choice: Choice, reasons: Reasons, values: Sequence[SSAValue]
) -> None:
    """Record the instruction of a dot, and the layouts of all that was made for it.

    Args: op: the dot that is replaced.  values: a, b, (scales,) c, the result, and that result as
          it was laid out before.
    """
    row = choice.instruction
    if not enabled() or row is None:
        return
    *read, made, output = values
    encoding = types.encoding(made.type)
    assert isinstance(encoding, AmdMfmaEncoding | AmdWmmaEncoding)
    shape = shape_of(made, op.operands[0])
    warps = reasons.shared.warps
    tiles = [
        max(1, size // (side * count))
        for size, side, count in zip(
            types.shape(made.type)[-2:], (row.m, row.n), warps[-2:], strict=True
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
        ("warps per block", f"{list(warps)}: {reasons.shared.why}"),
        *(("step", step) for step in reasons.shared.steps),
        ("isTransposed", f"{str(encoding.is_transposed).lower()}: {reasons.transposed}"),
        ("kWidth", f"{width}: {reasons.k_width}"),
    ]
    if isinstance(encoding, AmdMfmaEncoding) and any(n > 1 for n in encoding.tiles_per_warp):
        facts.append(("tilesPerWarp", str(list(encoding.tiles_per_warp))))
    if reasons.types:
        facts.append(("operand types", reasons.types))
    record_decision(
        asked.by,
        made,
        str(encoding),
        f"{row.label}: {choice.why}",
        over=choice.weighed,
        facts=facts,
    )
    anchor = f"{op.name} at {source_position(op.results[0]) or 'an unknown place'}"
    for value in read:
        follows(asked, value, "what the instruction reads", anchor)
    follows(asked, output, "back to the layout that readers of the dot had", anchor)


def follows(asked: Asked, value: SSAValue, why: str, anchor: str) -> None:
    """Record that a value is laid out for the sake of another one.

    What is converted in layout first, and then in type, is recorded in both steps.
    """
    encoding = types.encoding(value.type)
    if encoding is None or not enabled():
        return
    maker = defining_op(value)
    before = None if maker is None or not maker.operands else maker.operands[0]
    if before is not None and isinstance(defining_op(before), ttg.ConvertLayoutOp):
        if types.encoding(before.type) is encoding:
            record_decision(asked.by, before, str(encoding), why, anchor=anchor)
    record_decision(asked.by, value, str(encoding), why, anchor=anchor)


def spelled_out(asked: Asked, made: Iterable[Operation], what: str) -> None:
    """Record the layouts of the operations that a block-scaled product was spelled out in."""
    for op in made:
        for value in op.results:
            encoding = types.encoding(value.type)
            if encoding is not None:
                why = f"a step of spelling out {what}: no instruction takes its scales and types"
                record_decision(asked.by, value, str(encoding), why, anchor=what)
