"""Plan dots: the matrix instructions of a warp.

128x128x64 of f16, 4 warps, mma.sync m16n8k16     a warp's 32 tiles, 4 steps along k: 128
the same by wgmma m64n128k16                      2 tiles, 4 steps along k: 8
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.ir import Operation, SSAValue

from weft.analysis.tensor_memory import cta_shape
from weft.ir import tt, ttg, ttng, types
from weft.ir.attributes import number
from weft.ir.enums import InputPrecision, ScaleDotElemType
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    NvidiaMmaEncoding,
    TensorMemoryEncoding,
)
from weft.lowering_plans.fragments import accumulator_registers, operand_registers_by_k
from weft.lowering_plans.instruction import Instruction
from weft.targets import Target
from weft.targets.matrix_units import MatrixInstruction, matrix_units
from weft.targets.tensor_cores import tensor_cores

__all__ = [
    "depth_of",
    "dot_instructions",
    "element_bits",
    "element_names",
    "find_matrix_instruction",
    "operations_of",
]

_ROWS, _COLUMNS = 16, 8  # of mma.sync
_WORD = 32
_ELEMENT_NAMES = {
    types.f16: "f16",
    types.bf16: "bf16",
    types.f32: "f32",
    types.f64: "f64",
    types.i8: "i8",
    types.i32: "i32",
    types.f8E4M3FN: "f8E4M3FN",
    types.f8E5M2: "f8E5M2",
    types.f8E4M3FNUZ: "f8E4M3FNUZ",
    types.f8E5M2FNUZ: "f8E5M2FNUZ",
}
_FORMAT_BITS = {
    ScaleDotElemType.E4M3: 8,
    ScaleDotElemType.E5M2: 8,
    ScaleDotElemType.E2M3: 6,
    ScaleDotElemType.E3M2: 6,
    ScaleDotElemType.E2M1: 4,
    ScaleDotElemType.BF16: 16,
    ScaleDotElemType.FP16: 16,
}


def element_names(a: object, b: object) -> tuple[str, str]:
    """Get the names of two operands' element types in the table of instructions."""
    first, second = (
        _ELEMENT_NAMES.get(types.element(kind), str(types.element(kind)))  # pyright: ignore
        for kind in (a, b)
    )
    return first, second


def find_matrix_instruction(
    target: Target, encoding: AmdMfmaEncoding | AmdWmmaEncoding, names: tuple[str, str], d: str
) -> MatrixInstruction | None:
    """Find an AMD chip's matrix instruction of a layout's shape, None if it has none.

    Args:
        target: The chip.
        encoding: Layout of the result.
        names: Names of the element types of A and B.
        d: Name of the result's element type.
    """
    shape = encoding.instr_shape[:3]
    is_swapped = encoding.is_transposed or shape[0] > shape[1]
    ordered = tuple(reversed(names)) if is_swapped else names
    for row in matrix_units(str(target.arch)).matrix:
        sides = (row.m, row.n, row.k) if len(shape) > 2 else (row.m, row.n)
        if (sides, row.a, row.b, row.d) == (tuple(shape), *ordered, d):
            return row
    return None


def dot_instructions(op: Operation, target: Target, num_warps: int) -> Iterator[Instruction]:
    """Yield the matrix instructions of a dot; none for a dot of multiply-adds."""
    if isinstance(op, ttng.WarpGroupDotOp):
        yield _wgmma(op, num_warps)
    elif isinstance(op, ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp):
        yield _tcgen05(op, target)
    elif isinstance(op, tt.DotOp | tt.DotScaledOp):
        encoding = types.encoding(op.results[0].type)
        if isinstance(encoding, NvidiaMmaEncoding):
            yield _mma_sync(op, target, num_warps)
        elif isinstance(encoding, AmdMfmaEncoding | AmdWmmaEncoding):
            yield from _matrix_core(op, encoding, target, num_warps)


def _mma_sync(op: Operation, target: Target, num_warps: int) -> Instruction:
    """Count mma.sync: for each tile of the result, steps along the words of a column of B."""
    column = operand_registers_by_k(op.operands[1].type, 1, _COLUMNS)
    elements, bits = len(next(iter(column.values()))), types.bit_width(op.operands[1].type)
    tiles = len(accumulator_registers(op.results[0].type, (_ROWS, _COLUMNS)))
    if bits == 64:
        family = tensor_cores(str(target)).version(2)
        k = next(k for k in family.k_of_f64 if elements % (k // 4) == 0)
        count = tiles * (_ROWS // family.m_of_f64) * (elements // (k // 4))
        return Instruction("mma", 0, count, num_warps, name=f"mma.sync m{family.m_of_f64}n8k{k}")
    words = elements * bits // _WORD
    k = 256 // bits
    return Instruction("mma", 0, tiles * words // 2, num_warps, name=f"mma.sync m16n8k{k}")


def _wgmma(op: ttng.WarpGroupDotOp, num_warps: int) -> Instruction:
    """Count wgmma: tiles of a warp group, and steps along k."""
    encoding = types.encoding(op.d.type)
    assert isinstance(encoding, NvidiaMmaEncoding)
    rows, columns, depth = encoding.instr_shape
    k = _shape(op.a)[-1]
    count = len(accumulator_registers(op.d.type, (rows, columns))) * (k // depth)
    return Instruction("mma", 0, count, num_warps, name=f"wgmma m64n{columns}k{depth}")


def _tcgen05(op: ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp, target: Target) -> Instruction:
    """Count tcgen05.mma, which one thread issues."""
    d = op.d.type
    assert isinstance(d, ttg.MemDescType)
    assert isinstance(d.encoding, TensorMemoryEncoding)
    rows, columns = cta_shape(d)
    bits = types.bit_width(op.a.type.element_type)  # pyright: ignore
    k = depth_of(op)
    if isinstance(op, ttng.TCGen5MMAScaledOp):
        depth = 64 if _scaled_formats(op) == (ScaleDotElemType.E2M1,) * 2 else 32
    else:
        depth = 8 * tensor_cores(str(target)).version(5).k_bytes // bits
    tile_columns = columns if op.two_ctas is not None else min(d.encoding.block_n, columns)
    count = (rows // d.encoding.block_m) * (columns // tile_columns) * (k // depth)
    return Instruction("mma", 0, count, 1, name=f"tcgen05.mma k{depth}")


def _matrix_core(
    op: tt.DotOp | tt.DotScaledOp,
    encoding: AmdMfmaEncoding | AmdWmmaEncoding,
    target: Target,
    num_warps: int,
) -> Iterator[Instruction]:
    """Count MFMA or WMMA: tiles of a wave, and steps along the k of a lane."""
    d = _ELEMENT_NAMES.get(types.element(op.results[0].type), "")
    names = [element_names(op.operands[0].type, op.operands[1].type)]
    scaled = isinstance(op, tt.DotScaledOp)
    if scaled:
        names = [("f8f6f4", "f8f6f4")]
    elif names == [("f32", "f32")] and InputPrecision.of(
        op.properties["inputPrecision"]
    ).keyword == ("tf32"):
        names.insert(0, ("xf32", "xf32"))
    rows = (find_matrix_instruction(target, encoding, each, d) for each in names)
    row = next((each for each in rows if each is not None), None)
    if row is None:
        return
    is_swapped = encoding.is_transposed or encoding.instr_shape[0] > encoding.instr_shape[1]
    first = 1 if is_swapped else 0  # the operand whose k the instructions step along
    operand = op.operands[first].type
    operand_elements = len(
        next(iter(operand_registers_by_k(operand, first, (row.m, row.n)[first]).values()))
    )
    elements = row.elements
    if scaled:
        kind = ScaleDotElemType.of(op.properties["a_elem_type" if first == 0 else "b_elem_type"])
        elements = elements * (4 if kind is ScaleDotElemType.E2M1 else 8) // 8
    steps = -(-operand_elements // elements)
    if row.blocks > 1:
        steps *= row.blocks  # each block of lanes holds other k, and is broadcast in turn
    tiles = len(accumulator_registers(op.results[0].type, (row.m, row.n)))
    yield Instruction("mma", 0, tiles * steps, num_warps, name=row.name)


def _shape(value: SSAValue) -> tuple[int, ...]:
    """Get the shape of a tensor or a buffer."""
    type_ = value.type
    return tuple(type_.shape) if isinstance(type_, ttg.MemDescType) else types.shape(type_)


def depth_of(op: Operation) -> int:
    """Count the elements of a dot along K; a byte of packed fp4 holds two."""
    if isinstance(op, ttng.TCGen5MMAScaledOp):
        return op.logical_shapes()[0][-1]
    size = _shape(op.operands[0])[-1]
    if isinstance(op, tt.DotScaledOp) and number(op.lhs_k_pack):
        return 2 * size if ScaleDotElemType.of(op.a_elem_type) is ScaleDotElemType.E2M1 else size
    return size


def element_bits(op: Operation) -> int:
    """Get the bits of an element of a dot's operands, of a scaled one those of the wider operand.

    They decide the rate of matrix units.
    """
    formats = _scaled_formats(op)
    if formats is None:
        type_ = op.operands[0].type
        element = type_.element_type if isinstance(type_, ttg.MemDescType) else types.element(type_)
        return types.bit_width(element)
    return max(_FORMAT_BITS[each] for each in formats)


def _scaled_formats(op: Operation) -> tuple[ScaleDotElemType, ScaleDotElemType] | None:
    """Get the element types of the operands of a scaled dot, None for another dot."""
    if isinstance(op, tt.DotScaledOp):
        return ScaleDotElemType.of(op.a_elem_type), ScaleDotElemType.of(op.b_elem_type)
    if isinstance(op, ttng.TCGen5MMAScaledOp):
        return ScaleDotElemType.of(op.a_type), ScaleDotElemType.of(op.b_type)
    return None


def operations_of(op: Operation) -> int:
    """Count the multiplications and additions of a dot of a program."""
    result = op.results[0] if op.results and types.is_tensor(op.results[0].type) else op.operands[2]
    return 2 * prod(_shape(result)) * depth_of(op)
