"""Dots by tcgen05.mma, which one thread issues: accumulators in tensor memory.

    ttng.tc_gen5_mma %a, %b, %d, %useD, %pred, %m[%p]

    if the warp is the first, and %pred:
        one thread:  tcgen05.mma.cta_group::1.kind::f16 [d], a, b, idesc, useD;    step 0 along k
                     tcgen05.mma.cta_group::1.kind::f16 [d], a + 2, b + 2, …, true;      step 1
                     tcgen05.commit … [m];      arrives on the mbarrier when all of these are done

A tile of D has the block size of its layout. B is in shared memory, A there or in tensor memory.
The instruction descriptor (idesc) is a word:

    bits 4–5 type of D    7–9 type of A    10–12 type of B    15, 16 whether A, B are transposed
    17–22 columns / 8     24–28 rows / 16

With two_ctas, a pair of CTAs computes 256 rows, of which each holds 128 of A and D and half of the
columns of B. The first CTA of the pair issues for both, with cta_group::2.

Scaled instructions have other fields: 4–5 and 29–30 are the bytes of the scales of B and A in their
words, 23 is the type of the scales, 27–28 are rows / 128. A word holds four scales of a row. A step
along k takes one, two or four, so four steps, two or one read the same word.
Source: PTX ISA 9.0, tcgen05.mma, instruction descriptor; measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.tensor_memory import cta_shape, is_in_tensor_memory
from weft.codegen.hardware.nvidia.inline_ptx import elected, guard, ptx
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.nvidia.dot_mma import PTX_TYPES, accumulator_of, mma_instructions
from weft.codegen.lowering.nvidia.matrix_descriptors import (
    FORMAT_OF_TENSOR_MEMORY,
    MatrixOperand,
    matrix_operand,
)
from weft.codegen.lowering.nvidia.tcgen05.addresses import (
    element_offset,
    tensor_memory_type,
    view_address,
)
from weft.codegen.lowering.nvidia.tcgen05.allocation import cta_group
from weft.codegen.lowering.nvidia.tcgen05.commit import commit, issues_for_pair
from weft.codegen.lowering.nvidia.tcgen05.cta_operands import (
    check_cta_operands,
    check_cta_pair,
    operand_shape,
)
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng, types
from weft.ir.enums import ScaleDotElemType
from weft.ir.rewriting import walk
from weft.layouts import NvmmaSharedEncoding, TensorMemoryEncoding
from weft.lowering_plans.memdesc import memdesc_of

_VERSION = 5
# type of an operand → (kind of instruction, the type's number in a description)
_OPERANDS = {
    "f16": ("f16", 0),
    "bf16": ("f16", 1),
    "tf32": ("tf32", 2),
    "e4m3": ("f8f6f4", 0),
    "e5m2": ("f8f6f4", 1),
}
_TOTALS = {"f16": 0, "f32": 1}
_SCALED = {ScaleDotElemType.E4M3: 0, ScaleDotElemType.E5M2: 1, ScaleDotElemType.E2M1: 5}
_FOUR_BITS = 1  # the number of e2m1 where all operands are
_SCALES_OF_WORD = 4


class _Operand(Struct, frozen=True):
    """An operand in shared memory or tensor memory.

    Attributes:
        ctx: State of the function.
        view: A memory descriptor.
        side: 0 for A, 1 for B.
        packed: Elements per buffer element, along k and along the other dimension.
        shared: Its matrix descriptors; None in tensor memory.
    """

    ctx: LoweringContext
    view: SSAValue
    side: int
    packed: tuple[int, int]
    shared: MatrixOperand | None

    @classmethod
    def of(
        cls, ctx: LoweringContext, view: SSAValue, side: int, packed: tuple[int, int]
    ) -> _Operand:
        """Describe an operand; in shared memory, write the matrix descriptor of its first tile."""
        if is_in_tensor_memory(view):
            return cls(ctx, view, side, packed, None)
        return cls(
            ctx,
            view,
            side,
            packed,
            matrix_operand(ctx, view, side, version=FORMAT_OF_TENSOR_MEMORY),
        )

    @property
    def transposed(self) -> bool:
        """Whether the dimension that is not k is contiguous."""
        return self.shared is not None and self.shared.transposed

    def at(self, outer: int, k: int) -> tuple[str, str, str]:
        """Get a tile as an operand of inline assembly: constraint, type, value."""
        along, across = self.packed
        coordinates = (outer // across, k // along)
        row, column = coordinates if self.side == 0 else coordinates[::-1]
        if self.shared is not None:
            return "l", "i64", self.shared.at(self.ctx, row, column)
        offset = element_offset(tensor_memory_type(self.view), row, column)
        return "r", "i32", view_address(self.ctx, self.view, offset)


class _Dot(Struct, frozen=True):
    """A dot and the tile of its instructions.

    Attributes:
        ctx: State of the function.
        a: Operand A.
        b: Operand B.
        d: View of the result.
        sizes: Rows and columns of D in a CTA, and the size of k.
        tile: Rows, columns and depth of an instruction.
    """

    ctx: LoweringContext
    a: _Operand
    b: _Operand
    d: SSAValue
    sizes: tuple[int, int, int]
    tile: tuple[int, int, int]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of an instruction, with the rows of both CTAs of a pair."""
        ctas = 2 if self.ctx.tensor_memory.two_ctas else 1
        return self.tile[0] * ctas, self.tile[1]

    def steps(self) -> Iterator[tuple[int, int, int]]:
        """Yield the (row, column, k) at which each instruction starts."""
        (rows, columns, depth), (m, n, k) = self.sizes, self.tile
        for row in range(0, rows, m):
            for column in range(0, columns, n):
                for start in range(0, depth, k):
                    yield row, column, start

    def total(self, row: int, column: int) -> tuple[str, str, str]:
        """Get a tile of D as an operand of inline assembly."""
        offset = element_offset(tensor_memory_type(self.d), row, column)
        return "r", "i32", view_address(self.ctx, self.d, offset)


def _dot_of(
    ctx: LoweringContext,
    op: ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp,
    packed: tuple[tuple[int, int], tuple[int, int]],
    depth: int,
) -> _Dot:
    """Describe a dot.

    Args:
        ctx: State of the function.
        op: The MMA.
        packed: `_Operand.packed` of A and of B.
        depth: Elements along k of an instruction.

    Raises:
        CodegenError: An operand has a layout that tensor cores do not read, or is in other CTAs.
    """
    d = tensor_memory_type(op.d)
    assert isinstance(d.encoding, TensorMemoryEncoding)
    rows, columns = cta_shape(d)
    k = _shape(op.a)[1] * packed[0][0]
    if ctx.threads.ids["block"][1]:
        check_cta_operands(ctx, op, (rows, columns, k), packed)
    sides = [_Operand.of(ctx, view, n, packed[n]) for n, view in enumerate((op.a, op.b))]
    tile = (d.encoding.block_m, min(d.encoding.block_n, columns), depth)
    if ctx.tensor_memory.two_ctas:
        tile = (tile[0], columns, depth)
        check_cta_pair(op, d, columns)
    return _Dot(ctx, sides[0], sides[1], op.d, (rows, columns, k), tile)


def _require(ctx: LoweringContext, op: ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp) -> None:
    """Check that an MMA signals its completion, and uses CTA pairs if the kernel does.

    Raises:
        CodegenError: It does not.
    """
    if (op.two_ctas is not None) != ctx.tensor_memory.two_ctas:
        raise CodegenError(
            "all MMAs of a kernel must use CTA pairs, or none",
            found=f"{'with' if op.two_ctas is not None else 'without'} two_ctas",
            hint="set two_ctas if the accumulator's layout has twoCTAs = true",
        )
    if op.is_async is None and not _commits(op):
        raise CodegenError(
            "an MMA must have an mbarrier",
            hint="run triton-nvidia-mma-lowering first",
            found=op.name,
        )


def _commits(op: Operation) -> bool:
    """Check whether the kernel has tcgen05.commit operations."""
    top = op
    while (above := top.parent_op()) is not None:
        top = above
    return any(one.name == "ttng.tc_gen5_commit" for one in walk(top))


def _shape(view: SSAValue) -> Sequence[int]:
    return memdesc_of(view).shape


def _element(view: SSAValue) -> Attribute:
    return memdesc_of(view).element_type


def _issue(
    ctx: LoweringContext,
    op: ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp,
    write: object,
) -> None:
    """Write the instructions of an MMA and its commits, for one elected thread."""
    assert callable(write)
    _require(ctx, op)
    w = ctx.writer
    issues = guard(w, ctx.threads.is_in_first_warps(1), issues_for_pair(ctx), ctx.scalar(op.pred))
    # A branch, since the descriptors of all steps are computed for one warp only.
    with w.where("" if issues == "true" else issues, "multiply"):
        # commit tracks the MMAs of the executing thread, so the same thread must issue both.
        thread = elected(w)
        write(thread)
        operands = (op.a, op.b) if op.multicast is not None else ()
        for barrier, condition in zip(op.barriers, op.barrier_preds, strict=True):
            commit(ctx, barrier, guard(w, thread, ctx.scalar(condition)), operands)
    if op.token is not None:
        ctx.define(op.token, [])


@lowers(ttng.TCGen5MMAOp)
def _dot(ctx: LoweringContext, op: ttng.TCGen5MMAOp) -> None:
    family = mma_instructions(ctx, _VERSION)
    a, b, d = _element(op.a), _element(op.b), _element(op.d)
    total = accumulator_of(family, a, b, d)
    kind, first = _OPERANDS[PTX_TYPES[a]]
    second = _OPERANDS[PTX_TYPES[b]][1]

    def write(thread: str) -> None:
        name = f"tcgen05.mma.{cta_group(ctx.tensor_memory)}.kind::{kind}"
        depth = 8 * family.k_bytes // types.bit_width(a)
        dot = _dot_of(ctx, op, ((1, 1), (1, 1)), depth)
        m, n = dot.shape
        idesc = _TOTALS[total.name] << 4 | first << 7 | second << 10
        idesc |= int(dot.a.transposed) << 15 | int(dot.b.transposed) << 16
        idesc |= n >> 3 << 17 | m >> 4 << 24
        for row, column, k in dot.steps():
            # Steps after the first add to what it wrote.
            accumulates = ctx.scalar(op.useD) if k == 0 else "true"
            left, right = dot.a.at(row, k), dot.b.at(column, k)
            # Brackets mark an address in tensor memory; a descriptor has none.
            first_operand = "[$2]" if left[0] == "r" else "$2"
            ptx(
                ctx.writer,
                f"@$0 {name} [$1], {first_operand}, $3, $4, $5;",
                ("b", "i1", thread),
                dot.total(row, column),
                left,
                right,
                ("r", "i32", str(idesc)),
                ("b", "i1", accumulates),
            )

    _issue(ctx, op, write)


@lowers(ttng.TCGen5MMAScaledOp)
def _scaled(ctx: LoweringContext, op: ttng.TCGen5MMAScaledOp) -> None:
    instruction = _scaled_instruction(op)
    d = tensor_memory_type(op.d)
    rows, columns = cta_shape(d)
    # Each CTA of a pair holds half of the columns of B.
    columns_of_b = columns // 2 if ctx.tensor_memory.two_ctas else columns
    packed = (_packed(op.a, op.a_type, 0, rows), _packed(op.b, op.b_type, 1, columns_of_b))

    def write(thread: str) -> None:
        dot = _dot_of(ctx, op, packed, instruction.depth)
        m, n = dot.shape
        fixed = (
            instruction.types[0] << 7 | instruction.types[1] << 10 | int(instruction.powers) << 23
        )
        fixed |= int(dot.a.transposed) << 15 | int(dot.b.transposed) << 16
        fixed |= n >> 3 << 17 | m >> 7 << 27
        for row, column, k in dot.steps():
            # Four scales share a word of tensor memory; idesc selects the bytes.
            word, byte = divmod(k // instruction.depth * instruction.scales, _SCALES_OF_WORD)
            scales_of_a, scales_of_b = (
                view_address(
                    ctx,
                    view,
                    element_offset(tensor_memory_type(view), outer, word * _SCALES_OF_WORD),
                )
                for view, outer in ((op.a_scale, row), (op.b_scale, column))
            )
            idesc = fixed | byte << 4 | byte << 29
            ptx(
                ctx.writer,
                f"@$0 tcgen05.mma.{cta_group(ctx.tensor_memory)}.kind::{instruction.kind}"
                f".block_scale.scale_vec::{instruction.scales}X [$1], $2, $3, $4, [$5], [$6], $7;",
                ("b", "i1", thread),
                dot.total(row, column),
                dot.a.at(row, k),
                dot.b.at(column, k),
                ("r", "i32", str(idesc)),
                ("r", "i32", scales_of_a),
                ("r", "i32", scales_of_b),
                ("b", "i1", ctx.scalar(op.useD) if k == 0 else "true"),
            )

    _issue(ctx, op, write)


class _ScaledInstruction(Struct, frozen=True):
    """A scaled instruction.

    Attributes:
        kind: Kind in PTX.
        depth: Elements along k.
        scales: Scales along k that it reads of each row.
        types: Type of A and of B, as numbers of the instruction descriptor.
        powers: Whether scales are powers of two (ue8m0), otherwise ue4m3.
    """

    kind: str
    depth: int
    scales: int
    types: tuple[int, int]
    powers: bool


def _scaled_instruction(op: ttng.TCGen5MMAScaledOp) -> _ScaledInstruction:
    """Choose the instruction of a scaled dot.

    Raises:
        CodegenError: No instruction supports the types of operands and scales.
    """
    kinds = [ScaleDotElemType.of(kind) for kind in (op.a_type, op.b_type)]
    if any(kind not in _SCALED for kind in kinds) or is_in_tensor_memory(op.a):
        raise CodegenError(
            "unsupported operands of a scaled MMA",
            found=", ".join(kind.keyword for kind in kinds),
            accepted=[f"{kind.keyword} in shared memory" for kind in _SCALED],
        )
    powers = _element(op.a_scale) == types.i8
    if kinds == [ScaleDotElemType.E2M1] * 2 and not any(map(_padded, (op.a, op.b))):
        numbers = (_FOUR_BITS, _FOUR_BITS)
        return (
            _ScaledInstruction("mxf4", 64, 2, numbers, True)
            if powers
            else _ScaledInstruction("mxf4nvf4", 64, 4, numbers, False)
        )
    if not powers:
        raise CodegenError(
            "scales of f8E4M3FN need fp4 operands",
            found=", ".join(kind.keyword for kind in kinds),
            accepted=["e2m1, e2m1"],
        )
    for kind, view in zip(kinds, (op.a, op.b), strict=True):
        if kind is ScaleDotElemType.E2M1 and not _padded(view):
            raise CodegenError(
                "an fp4 operand of a mixed-precision MMA must be padded",
                found=memdesc_of(view).encoding,
                accepted=["#ttg.nvmma_shared with fp4Padded = true"],
            )
    return _ScaledInstruction("mxf8f6f4", 32, 1, (_SCALED[kinds[0]], _SCALED[kinds[1]]), True)


def _padded(view: SSAValue) -> bool:
    encoding = memdesc_of(view).encoding
    return isinstance(encoding, NvmmaSharedEncoding) and encoding.fp4_padded


def _packed(view: SSAValue, kind: Attribute, side: int, outer: int) -> tuple[int, int]:
    """Count the elements per buffer element, along k and along the other dimension."""
    if ScaleDotElemType.of(kind) is not ScaleDotElemType.E2M1:
        return 1, 1
    return (1, 2) if operand_shape(view)[side] < outer else (2, 1)
