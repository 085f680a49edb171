"""tt.elementwise_inline_asm: assembly applied to packs of elements.

    %r = tt.elementwise_inline_asm "…" {constraints = "=r,r,r", packed_element = 4} %x, %y
         : tensor<512xi8, #l>, tensor<512xi8, #l> -> tensor<512xi8, #l>

    4 elements of 8 bits share a register of 32, so a thread with 8 elements runs it twice:

    %7 = call <4 x i8> asm "…", "=r,r,r"(<4 x i8> %x0to3, <4 x i8> %y0to3)

Elements of less than 32 bits are packed; wider ones are separate operands. The last pack is filled
with undef.
Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from weft.codegen.llvm.constants import quote
from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.ir import tt, types

_REGISTER_BITS = 32


@lowers(tt.ElementwiseInlineAsmOp)
def _inline_assembly(ctx: LoweringContext, op: tt.ElementwiseInlineAsmOp) -> None:
    pack_size = op.packed_element.value.data
    effect = "" if op.pure.value.data else "sideeffect "
    head = f"asm {effect}{quote(op.asm_string.data)}, {quote(op.constraints.data)}"
    count = ctx.num_registers(op.results[0])
    results: list[list[str]] = [[] for _ in op.results]
    for first in range(0, count, pack_size):
        operands = [
            part
            for operand in op.args_
            for part in _packed(ctx, operand, ctx[operand][first : first + pack_size], pack_size)
        ]
        for elements, values in zip(results, _run(ctx, op, head, operands, pack_size), strict=True):
            elements += values
    for result, elements in zip(op.results, results, strict=True):
        ctx.define(result, elements[:count])


def _words(type_: Attribute, taken: int) -> tuple[str, int]:
    """Get the LLVM type of an assembly operand, and the number of its elements."""
    element = llvm_type(type_)
    each = max(1, min(taken, _REGISTER_BITS // types.bit_width(type_)))
    return (f"<{each} x {element}>" if each > 1 else element), each


def _packed(
    ctx: LoweringContext, operand: SSAValue, values: Sequence[str], taken: int
) -> list[str]:
    """Pack the elements of an operand for one execution."""
    word, each = _words(operand.type, taken)
    element = llvm_type(operand.type)
    values = [*values, *["undef"] * (taken - len(values))]
    if each == 1:
        return [f"{word} {value}" for value in values]
    results = []
    for first in range(0, taken, each):
        whole = "undef"
        for n, value in enumerate(values[first : first + each]):
            whole = ctx.writer.value(f"insertelement {word} {whole}, {element} {value}, i32 {n}")
        results.append(f"{word} {whole}")
    return results


def _run(
    ctx: LoweringContext, op: Operation, head: str, given: Sequence[str], taken: int
) -> list[list[str]]:
    """Write the assembly once; return the elements of each result."""
    w = ctx.writer
    kinds = [_words(result.type, taken) for result in op.results]
    words = [word for word, each in kinds for _ in range(0, taken, each)]
    whole = words[0] if len(words) == 1 else f"{{ {', '.join(words)} }}"
    outputs = w.value(f"call {whole} {head}({', '.join(given)})")
    registers = [outputs]
    if len(words) > 1:
        registers = [w.value(f"extractvalue {whole} {outputs}, {n}") for n in range(len(words))]
    results: list[list[str]] = []
    for word, each in kinds:
        mine, registers = registers[: -(-taken // each)], registers[-(-taken // each) :]
        results.append(
            mine
            if each == 1
            else [w.value(f"extractelement {word} {v}, i32 {n}") for v in mine for n in range(each)]
        )
    return results
