"""Groups of wgmma instructions: the fence before them, the commit, and the wait.

wgmma writes its accumulators asynchronously. Between the dot and the wait they must not be read or
copied, so the wait takes them as operands and returns them: uses after it depend on it.

    %c = ttng.warp_group_dot … {isAsync}      fence, wgmma …, commit
    %d = ttng.warp_group_dot_wait %c          wait_group 0, through which the accumulators pass

Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.word_packing import pack_words, unpack_words
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.ir import ttng, types
from weft.lowering_plans.properties import integer_property

__all__ = ["commit", "fence", "wait"]

_HALVES = ("half", "bfloat", "i16")
# LLVM type of a value → letter of its constraint in inline PTX.
_LETTERS = {
    "float": "f",
    "i32": "r",
    "i64": "l",
    "double": "d",
    "half": "h",
    "bfloat": "h",
    "i16": "h",
}


def fence(ctx: LoweringContext) -> None:
    """Order the threads' register writes before the wgmma instructions that follow."""
    text = "wgmma.fence.sync.aligned;"
    ctx.writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"() convergent')


def commit(ctx: LoweringContext) -> None:
    """Commit the wgmma instructions since the last commit as a group."""
    text = "wgmma.commit_group.sync.aligned;"
    ctx.writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"() convergent')


def wait(ctx: LoweringContext, pending: int, values: Sequence[tuple[str, str]]) -> list[str]:
    """Wait for groups of wgmma instructions; return the values that pass through the wait.

    Pairs of 16-bit values pass as one register, as wgmma wrote them.

    Args:
        ctx: State of the function.
        pending: Groups that may remain in flight.
        values: (LLVM type, value) of each accumulator.
    """
    w = ctx.writer
    text = f"wgmma.wait_group.sync.aligned {pending};"
    if not values:
        w.line(f'call void asm sideeffect "{text}", "~{{memory}}"() convergent')
        return []
    runs = [(t, [v for _, v in run]) for t, run in groupby(values, lambda value: value[0])]
    arguments: list[tuple[str, str]] = []
    for type_, run in runs:
        word, words = type_, run
        if type_ in _HALVES and len(run) % 2 == 0:
            word, words = "i32", pack_words(w, type_, 16, run, 32)
        arguments += [(word, value) for value in words]
    outputs = iter(_pass_through(ctx, text, arguments))
    results: list[str] = []
    for type_, run in runs:
        if type_ in _HALVES and len(run) % 2 == 0:
            words = [next(outputs) for _ in range(len(run) // 2)]
            results += unpack_words(w, type_, 16, words, 32)
        else:
            results += [next(outputs) for _ in run]
    return results


def _pass_through(ctx: LoweringContext, text: str, values: Sequence[tuple[str, str]]) -> list[str]:
    """Write inline assembly that takes values and returns them, tied to the same registers."""
    w, count = ctx.writer, len(values)
    letters = [_LETTERS[type_] for type_, _ in values]
    constraints = [*(f"={letter}" for letter in letters), *map(str, range(count)), "~{memory}"]
    kind = f"{{ {', '.join(type_ for type_, _ in values)} }}" if count > 1 else values[0][0]
    operands = ", ".join(f"{type_} {value}" for type_, value in values)
    assembly = f'asm sideeffect "{text}", "{",".join(constraints)}"({operands})'
    result = w.value(f"call {kind} {assembly} convergent")
    if count == 1:
        return [result]
    return [w.value(f"extractvalue {kind} {result}, {n}") for n in range(count)]


@lowers(ttng.WarpGroupDotWaitOp)
def _wait(ctx: LoweringContext, op: ttng.WarpGroupDotWaitOp) -> None:
    """Wait once for all operands; tensors pass through, so that no use precedes the wait."""
    tensors = [operand for operand in op.operands if types.is_tensor(operand.type)]
    through = [
        (llvm_type(each.type), value)
        for each in tensors
        for value in ctx[each]
        if llvm_type(each.type) in _LETTERS
    ]
    outputs = iter(wait(ctx, integer_property(op, "pendings"), through))
    for operand, result in zip(op.operands, op.results, strict=True):
        values: Sequence[str] = ctx[operand]
        if types.is_tensor(operand.type) and llvm_type(operand.type) in _LETTERS:
            values = [next(outputs) for _ in values]
        ctx.define(result, values)


@lowers(ttng.FenceAsyncSharedOp)
def _fence(ctx: LoweringContext, op: ttng.FenceAsyncSharedOp) -> None:
    """Make the threads' writes to shared memory visible to the async proxy."""
    scope = "cluster" if integer_property(op, "bCluster", 0) else "cta"
    text = f"fence.proxy.async.shared::{scope};"
    ctx.writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"()')
