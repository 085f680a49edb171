"""Dots on Hopper by wgmma: a warp group multiplies tiles in shared memory.

By hand, for a dot of f16 with A of 128x64, B of 64x128 and four warps, so that the result's layout
has instrShape [16, 128, 16]:

    instruction       wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
    tiles of D        (0, 0) and (64, 0): one warp group computes both, one after the other
    steps along k     0, 16, 32, 48: each adds to the same accumulators
    operands          descriptors of A at (m, k) and of B at (k, 0), or four words of A in registers

    fence             orders register writes before wgmma reads them
    8 instructions    each with 64 accumulators per thread, inputs tied to outputs
    commit_group
    wait_group 0      unless the dot is asynchronous

wgmma writes its accumulators asynchronously. Between the dot and the wait they must not be read or
copied, so the wait takes them as operands and returns them: uses after it depend on it.

    %c = ttng.warp_group_dot … {isAsync}      fence, wgmma …, commit
    %d = ttng.warp_group_dot_wait %c          wait_group 0, through which the accumulators pass

Tensor cores accumulate fp8 products with fewer bits than f32. If the kernel bounds that with
maxNumImpreciseAcc, partial sums of that depth are added by the threads.
Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from msgspec import Struct
from xdsl.ir import Attribute, SSAValue

from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.llvm.word_packing import pack_words, unpack_words
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.fragments import accumulator_registers, chunks
from weft.codegen.lowering.common.linear_maps import apply_bases
from weft.codegen.lowering.common.memdesc import memdesc_of, memory_layout
from weft.codegen.lowering.common.properties import integer_property
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.nvidia.dot_mma import (
    PTX_TYPES,
    Accumulator,
    accumulator_of,
    check_input_precision,
    mma_instructions,
    operand_words,
    pack_accumulators,
    unpack_accumulators,
)
from weft.codegen.lowering.nvidia.matrix_descriptors import MatrixOperand, matrix_operand
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng, types
from weft.ir.ttg import MemDescType
from weft.layouts import LinearLayout, NvidiaMmaEncoding

_WARPS = 4
_VERSION = 3
_HALVES = ("half", "bfloat", "i16")
_LETTERS = {
    "float": "f",
    "i32": "r",
    "i64": "l",
    "double": "d",
    "half": "h",
    "bfloat": "h",
    "i16": "h",
}


class _Steps(Struct):
    """The products of one tile of the result, instruction by instruction.

    Attributes:
        least: How deep a sum may grow in the tensor core before it is added by the threads, which
            is more precise; 0 for no bound.
    """

    ctx: LoweringContext
    name: str
    total: Accumulator
    type_: str
    depth: int
    least: int

    def run(self, held: list[str], first: str, operands: Iterable[_Sides]) -> list[str]:
        """Return the accumulators after all steps.

        Args:
            held: Before.
            first: An i1, whether the first step adds to them.
            operands: Of each step.
        """
        zero = all(_is_zero(value) for value in held)
        words = pack_accumulators(self.ctx, self.total, held)
        if not self.least:
            for place, sides in enumerate(operands):
                use = "true" if place else ("false" if zero and first == "true" else first)
                words = self._step(words, use, sides)
            return unpack_accumulators(self.ctx, self.total, words)
        return self._exact(held, zero, first, list(operands))

    def _exact(
        self, held: list[str], zero: bool, first: str, operands: Sequence[_Sides]
    ) -> list[str]:
        """Sum few products at a time in the tensor core, and those sums in the threads."""
        total = held
        if first != "true" and not zero:
            w, none = self.ctx.writer, "0.0"
            total = [
                none if first == "false" else w.value(f"select i1 {first}, float {v}, float {none}")
                for v in held
            ]
        for group in chunks(operands, max(1, self.least // self.depth)):
            part = ["poison"] * len(held)
            for place, sides in enumerate(group):
                part = self._step(part, "true" if place else "false", sides)
            commit(self.ctx)
            part = wait(self.ctx, 0, [(self.type_, value) for value in part])
            total = [
                self.ctx.writer.value(f"fadd float {a}, {b}")
                for a, b in zip(total, part, strict=True)
            ]
            fence(self.ctx)
        return total

    def _step(self, words: list[str], use: str, sides: _Sides) -> list[str]:
        if use == "false":
            words = ["poison"] * len(words)  # no registers to clear first
        return _multiply(self.ctx, self.name, self.total, sides, words, use)


class _Sides(Struct, frozen=True):
    """The operands of one instruction.

    Attributes:
        a: Four words, or a descriptor.
        b: A descriptor.
        turned: Of each, whether the dimension that is not k is contiguous.
    """

    a: Sequence[str]
    b: str
    turned: tuple[bool, bool]


@lowers(ttng.WarpGroupDotOp)
def _dot(ctx: LoweringContext, op: ttng.WarpGroupDotOp) -> None:
    encoding = types.encoding(op.d.type)
    assert isinstance(encoding, NvidiaMmaEncoding)
    rows, columns, depth = (*encoding.instr_shape, 0)[:3]
    result = layout_of(op.d.type)
    b = _operand(ctx, op.b, 1, result)
    in_registers = types.is_tensor(op.a.type)
    a = None if in_registers else _operand(ctx, op.a, 0, result)
    words = operand_words(ctx, op.a, 0) if in_registers else {}
    k = (types.shape(op.a.type) if in_registers else memdesc_of(op.a).shape)[-1]
    steps = _steps(ctx, op, columns, depth, k)
    first = "true" if op.useC is None else ctx.scalar(op.useC)
    accumulators = list(ctx[op.c])

    def sides(m: int, n: int, step: int) -> _Sides:
        other = b.at(ctx, step, n)
        if a is not None:
            left = [a.at(ctx, m, step)]
            return _Sides(left, other, (a.turned, b.turned))
        top, bottom = (chunks(words[(m + half,)], 2)[step // depth] for half in (0, 8))
        return _Sides([top[0], bottom[0], top[1], bottom[1]], other, (False, b.turned))

    fence(ctx)
    for (m, n), elements in accumulator_registers(op.d.type, (rows, columns)).items():
        registers = [register for _, register in elements]
        operands = [sides(m, n, step) for step in range(0, k, depth)]
        total = steps.run([accumulators[register] for register in registers], first, operands)
        for register, value in zip(registers, total, strict=True):
            accumulators[register] = value
    commit(ctx)
    if not integer_property(op, "isAsync", 0):
        accumulators = wait(ctx, 0, [(llvm_type(op.d.type), value) for value in accumulators])
    ctx.define(op.d, ctx.replicate(op.d, accumulators))


def _steps(
    ctx: LoweringContext, op: ttng.WarpGroupDotOp, columns: int, depth: int, k: int
) -> _Steps:
    """Choose the instruction of a dot, and how deep the tensor core may accumulate.

    Raises:
        CodegenError: Wgmma does not multiply these types, or not as exactly.
    """
    a, b = (_element(operand) for operand in (op.a, op.b))
    check_input_precision(a, op)
    total = accumulator_of(mma_instructions(ctx, _VERSION), a, b, types.element(op.d.type))
    kinds = f"{total.name}.{PTX_TYPES[a]}.{PTX_TYPES[b]}"
    name = f"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{kinds}"
    least = integer_property(op, "maxNumImpreciseAcc", 0)
    rounds = types.bit_width(a) == 8 and a != types.i8 and total.word == "float" and least <= k
    return _Steps(ctx, name, total, llvm_type(op.d.type), depth, max(1, least) if rounds else 0)


def _element(operand: SSAValue) -> Attribute:
    type_ = operand.type
    return type_.element_type if isinstance(type_, MemDescType) else types.element(type_)


def fence(ctx: LoweringContext) -> None:
    """Order what threads wrote to registers before the products that follow."""
    text = "wgmma.fence.sync.aligned;"
    ctx.writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"() convergent')


def commit(ctx: LoweringContext) -> None:
    """Put the products that were started into a group."""
    text = "wgmma.commit_group.sync.aligned;"
    ctx.writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"() convergent')


def _operand(
    ctx: LoweringContext, view: SSAValue, side: int, result: LinearLayout
) -> MatrixOperand:
    """Return an operand in shared memory, for this thread's warp group.

    Raises:
        CodegenError: A block of the cluster does not hold what its part of the result takes.
    """
    type_ = memdesc_of(view)
    memory = memory_layout(type_)
    _check_blocks(type_, side, memory, result)
    inverse, size = memory.pseudoinvert(), storage_bytes(type_.element_type)
    groups = []
    for place in map(result.unpack, result.images("warp")):
        row, column = (place[0], 0) if side == 0 else (0, place[1])
        groups.append(int(inverse.apply({"dim0": row, "dim1": column})["offset"]) * size)
    inside = min(_WARPS.bit_length() - 1, len(groups))
    groups[:inside] = [0] * inside
    part, _ = apply_bases(ctx.writer, *ctx.threads.ids["warp"], groups)
    return matrix_operand(ctx, view, side, part=part)


def _check_blocks(type_: MemDescType, side: int, held: LinearLayout, result: LinearLayout) -> None:
    result_ctas = []
    for place in map(result.unpack, result.images("block")):
        result_ctas.append((place[0], 0) if side == 0 else (0, place[1]))
    operand_ctas = [tuple(held.unpack(image)) for image in held.images("block")]
    if operand_ctas != result_ctas:
        raise CodegenError(
            "each block of a cluster must hold what its part of the result takes of an operand",
            found=type_,
            accepted=[f"blocks that step by {result_ctas}"],
        )


def _multiply(
    ctx: LoweringContext, name: str, total: Accumulator, sides: _Sides, c: Sequence[str], use: str
) -> list[str]:
    """Write one instruction, and return the result's registers."""
    w, count, a = ctx.writer, len(c), sides.a
    outs = ", ".join(f"${n}" for n in range(count))
    in_registers = len(a) > 1
    words = ", ".join(f"${count + n}" for n in range(len(a)))
    first = f"{{{words}}}" if in_registers else words
    flags = "" if name.endswith("s8") else ", 1, 1"
    if name.endswith("f16"):  # f16 and bf16; others are contiguous along k
        turned = sides.turned[1:] if in_registers else sides.turned
        flags += "".join(f", {int(each)}" for each in turned)
    place = count + len(a)
    is_constant = use in ("true", "false")
    adds = str(int(use == "true")) if is_constant else f"${place + 1}"
    text = f"{name} {{{outs}}}, {first}, ${place}, {adds}{flags};"
    constraints = [
        *[f"={total.letter}"] * count,
        *["r" if in_registers else "l"] * len(a),
        "l",
        *([] if is_constant else ["b"]),
        *map(str, range(count)),
    ]
    word = "i32" if in_registers else "i64"
    operands = [
        *(f"{word} {value}" for value in a),
        f"i64 {sides.b}",
        *([] if is_constant else [f"i1 {use}"]),
        *(f"{total.word} {value}" for value in c),
    ]
    kind = f"{{ {', '.join([total.word] * count)} }}"
    called = f'asm sideeffect "{text}", "{",".join(constraints)}"({", ".join(operands)})'
    result = w.value(f"call {kind} {called} convergent")
    return [w.value(f"extractvalue {kind} {result}, {n}") for n in range(count)]


def wait(ctx: LoweringContext, pending: int, values: Sequence[tuple[str, str]]) -> list[str]:
    """Wait for all but so many groups of products; values that these make pass through.

    Neighbours of 16 bits pass as one register, as wgmma left them.

    Args:
        ctx: State of the function.
        pending: Groups that may be in flight.
        values: (type, value) each.
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
    outputs = iter(_pass(ctx, text, arguments))
    results: list[str] = []
    for type_, run in runs:
        if type_ in _HALVES and len(run) % 2 == 0:
            words = [next(outputs) for _ in range(len(run) // 2)]
            results += unpack_words(w, type_, 16, words, 32)
        else:
            results += [next(outputs) for _ in run]
    return results


def _pass(ctx: LoweringContext, text: str, values: Sequence[tuple[str, str]]) -> list[str]:
    """Write a line of assembly that gives back what it is given."""
    w, count = ctx.writer, len(values)
    letters = [_LETTERS[type_] for type_, _ in values]
    constraints = [*(f"={letter}" for letter in letters), *map(str, range(count)), "~{memory}"]
    kind = f"{{ {', '.join(type_ for type_, _ in values)} }}" if count > 1 else values[0][0]
    operands = ", ".join(f"{type_} {value}" for type_, value in values)
    called = f'asm sideeffect "{text}", "{",".join(constraints)}"({operands})'
    result = w.value(f"call {kind} {called} convergent")
    if count == 1:
        return [result]
    return [w.value(f"extractvalue {kind} {result}, {n}") for n in range(count)]


@lowers(ttng.WarpGroupDotWaitOp)
def _wait(ctx: LoweringContext, op: ttng.WarpGroupDotWaitOp) -> None:
    """Wait once for all; tensors pass through, so that nothing reads them before."""
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


def _is_zero(value: str) -> bool:
    return value in ("0", "0.0") or (value.startswith("0x") and not value[2:].strip("0HR"))


@lowers(ttng.FenceAsyncSharedOp)
def _fence(ctx: LoweringContext, op: ttng.FenceAsyncSharedOp) -> None:
    """Let what threads wrote to shared memory be seen by the tensor cores."""
    scope = "cluster" if integer_property(op, "bCluster", 0) else "cta"
    text = f"fence.proxy.async.shared::{scope};"
    ctx.writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"()')
