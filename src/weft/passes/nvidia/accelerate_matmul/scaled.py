"""tt.dot_scaled on instructions that read scales: mma.sync of sm_120, tcgen05 of sm_100.

    %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e4m3

sm_120: operands and accumulator go to registers as for `plain`, the scales to the lanes that hold
the rows and columns they belong to:

    %sa' = ttg.convert_layout %sa → #linear
    %d'  = tt.dot_scaled %a' scale %sa', … → #mma

sm_100: operands in shared memory, accumulator and scales in tensor memory. A scale that was loaded
passes through shared memory, so that the pipeliner can copy it to tensor memory from there:

    %x  = tt.load …                              %l = ttg.local_alloc %x
    … ttng.tmem_alloc %x                    →    %x' = ttg.local_load %l, … ttng.tmem_alloc %x'

Needs: both scales. A dot with a scale of B alone is turned around first, (B'A')' = AB.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.rewriting import Builder, replace, walk
from weft.layouts import NvidiaMmaEncoding, NvmmaSharedEncoding, TensorMemoryScalesEncoding
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.layouts.inference import infer_trans, linear_encoding
from weft.layouts.scale_layouts import mma_scale
from weft.layouts.tensor_memory import tensor_memory_register_encoding
from weft.passes.ledger import Candidate, enabled
from weft.passes.nvidia.accelerate_matmul.notes import Notes
from weft.passes.nvidia.accelerate_matmul.operands import (
    Side,
    converted,
    filled,
    in_registers,
    in_shared,
)
from weft.passes.nvidia.accelerate_matmul.plain import result_encoding
from weft.passes.nvidia.accelerate_matmul.tensor_memory import Accumulator, check_alone, true
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.tensor_cores import ScaledFamily, TensorCores

__all__ = ["mma_pattern", "tensor_memory_pattern", "turn_around"]

_FP4 = ScaleDotElemType.E2M1
_LOADS = (tt.LoadOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp)


# ------------------------------------------------------------------------------- turned around
def turn_around(module: ModuleOp, notes: Notes) -> None:
    """Turn every dot with a scale of B alone into its transpose, with a scale of A alone."""
    found = [
        op
        for op in walk(module)
        if isinstance(op, tt.DotScaledOp) and op.a_scale is None and op.b_scale is not None
    ]
    for op in found:
        builder = Builder().before(op)
        a, b, c = (_transposed(builder, value) for value in (op.a, op.b, op.c))
        assert op.b_scale is not None
        given = op.properties
        properties = {
            "a_elem_type": given["b_elem_type"],
            "b_elem_type": given["a_elem_type"],
            "lhs_k_pack": given["rhs_k_pack"],
            "rhs_k_pack": given["lhs_k_pack"],
            "fastMath": given["fastMath"],
            "operandSegmentSizes": attributes.array_i32((1, 1, 1, 1, 0)),
        }
        turned = builder.create(tt.DotScaledOp, (b, a, c, op.b_scale), (c.type,), properties)
        result = _transposed(builder, turned.results[0])
        if enabled():
            why = "a dot that scales B alone is done as its transpose, which scales A"
            for value in (a, b, c, turned.results[0], result):
                notes.follows(value, why, turned)
        replace(op, [result])


def _transposed(builder: Builder, value: SSAValue) -> OpResult:
    shape, encoding = types.shape(value.type), types.encoding(value.type)
    assert encoding is not None
    turned = infer_trans(encoding, shape, (1, 0))
    type_ = types.tensor((shape[1], shape[0]), types.element(value.type), turned)
    return builder.value(tt.TransOp, [value], type_, {"order": attributes.array_i32((1, 0))})


# ------------------------------------------------------------------------------------- choice
def _family(cores: TensorCores, version: int) -> ScaledFamily | None:
    return next((family for family in cores.scaled if family.version == version), None)


def _reasons(op: tt.DotScaledOp, family: ScaledFamily) -> Iterator[str]:
    """Yield what speaks against doing a scaled dot with a family."""
    if op.a_scale is None or op.b_scale is None:
        yield "both operands need scales"
        return
    a, b = _formats(op)
    for name in dict.fromkeys((a, b)):
        if str(name) not in family.formats:
            yield f"no operands of {name}"
    if (a is _FP4) is not (b is _FP4) and not family.mixed:
        yield f"{a} and {b} differ in width"
    encoding = types.encoding(op.d.type)
    assert encoding is not None
    rows, columns = shape_per_cta(encoding, types.shape(op.d.type))[-2:]
    if rows < family.least_m or columns < family.least_n:
        yield f"{rows}x{columns} is less than {family.least_m}x{family.least_n}"
    warps = lookup_num_warps(op)
    if warps not in family.warps:
        yield f"{warps} warps, it takes {', '.join(map(str, family.warps))}"


def _refused(op: tt.DotScaledOp, family: ScaledFamily, notes: Notes) -> bool:
    """Tell whether anything speaks against a family, and write it down."""
    reasons = tuple(_reasons(op, family))
    if reasons and enabled():
        notes.refused(op, Candidate(family.instruction, "; ".join(reasons)))
    return bool(reasons)


def _formats(op: tt.DotScaledOp) -> tuple[ScaleDotElemType, ScaleDotElemType]:
    given = op.properties
    return ScaleDotElemType.of(given["a_elem_type"]), ScaleDotElemType.of(given["b_elem_type"])


# ------------------------------------------------------------------------------ mma.sync, sm_120
def mma_pattern(cores: TensorCores, notes: Notes) -> Pattern:
    """Return the rewriting of scaled dots for a chip whose mma.sync reads scales."""
    family = _family(cores, 2)

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DotScaledOp)
        if family is None or isinstance(types.encoding(op.d.type), NvidiaMmaEncoding):
            return False
        encoding = types.encoding(op.d.type)
        if encoding is None or cga_bases(encoding) or _refused(op, family, notes):
            return False
        assert op.a_scale is not None
        assert op.b_scale is not None
        if types.element(op.a_scale.type) != types.element(op.b_scale.type):
            return False
        _on_mma(op, cores, notes, rewriter)
        return True

    return rewrite


def _on_mma(op: tt.DotScaledOp, cores: TensorCores, notes: Notes, rewriter: Rewriter) -> None:
    old, mma = op.d.type, cores.version(2)
    bits = min(types.bit_width(op.a.type), types.bit_width(op.b.type))
    encoding, why = result_encoding(
        op, mma, types.shape(old), str(types.element(op.a.type)), bits, lookup_num_warps(op)
    )
    type_ = types.with_encoding(old, encoding)
    c = converted(op.c, type_, op, rewriter)
    a = in_registers(op.a, 0, encoding, bits, op, rewriter)
    b = in_registers(op.b, 1, encoding, bits, op, rewriter)
    scales = []
    for index, scale in enumerate((op.a_scale, op.b_scale)):
        assert scale is not None
        layout = mma_scale(types.shape(scale.type), index, encoding.warps_per_cta)
        wanted = types.with_encoding(scale.type, linear_encoding(layout))
        scales.append(converted(scale, wanted, op, rewriter))
    made = rewriter.create(tt.DotScaledOp, (a, b, c, *scales), (type_,), op.properties, before=op)
    back = converted(made.results[0], old, op, rewriter)
    if enabled():
        notes.dot(made, c, (a, b), mma, encoding, why, ())
        notes.back(back, made)
        for scale in scales:
            notes.follows(scale, "scales lie with the lanes whose rows they scale", made)
    rewriter.replace(op, (back,))


# ------------------------------------------------------------------------------- tcgen05, sm_100
def tensor_memory_pattern(cores: TensorCores, notes: Notes) -> Pattern:
    """Return the rewriting of scaled dots for a chip with tensor memory."""
    family = _family(cores, 5)

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DotScaledOp)
        encoding = types.encoding(op.d.type)
        if family is None or encoding is None or isinstance(encoding, NvidiaMmaEncoding):
            return False
        if _refused(op, family, notes):
            return False
        check_alone(op, encoding)
        _in_tensor_memory(op, family, cores, notes, rewriter)
        return True

    return rewrite


def _in_tensor_memory(
    op: tt.DotScaledOp,
    family: ScaledFamily,
    cores: TensorCores,
    notes: Notes,
    rewriter: Rewriter,
) -> None:
    warps, shape = lookup_num_warps(op), types.shape(op.d.type)
    a, b = (in_shared(value, side, rewriter) for value, side in _sides(op))
    tile = (128, min(shape[1], cores.version(5).n[0]))
    accumulator = Accumulator.of(op, op.c, tile, warps, rewriter)
    assert op.a_scale is not None
    assert op.b_scale is not None
    staged = [_through_shared(scale, notes, rewriter) for scale in (op.a_scale, op.b_scale)]
    tensors = [_for_tensor_memory(scale, warps, op, rewriter) for scale in staged]
    held = [_scale_buffer(tensor, op, rewriter) for tensor in tensors]
    yes = true(op, rewriter)
    made = rewriter.create(
        ttng.TCGen5MMAScaledOp,
        (a, b, accumulator.buffer, accumulator.token, *held, yes, yes),
        (ttg.async_token,),
        {
            "operandSegmentSizes": attributes.array_i32((1, 1, 1, 1, 1, 1, 1, 1, 0, 0)),
            "a_type": op.properties["a_elem_type"],
            "b_type": op.properties["b_elem_type"],
        },
        before=op,
    )
    loaded = accumulator.load(made.results[0], rewriter)
    back = converted(loaded, op.d.type, op, rewriter)
    if enabled():
        notes.back(back, made)
        accumulator.note(notes, family.instruction, tile, loaded, ())
        for name, value in (("A", a), ("B", b)):
            assert isinstance(value.type, ttg.MemDescType)
            notes.buffer(name, value, value.type.encoding, made.name)
        for tensor in tensors:
            notes.follows(tensor, "scales in the registers that reach tensor memory", made)
    rewriter.replace(op, (back,))


def _sides(op: tt.DotScaledOp) -> Iterator[tuple[SSAValue, Side]]:
    """Yield each operand with how it lies in shared memory.

    4-bit pairs must follow K, the packed dimension, and are spread over two bytes where the other
    operand has 8 bits, or where they are packed along the other dimension.
    """
    formats = _formats(op)
    mixed = formats[0] is not formats[1]
    for index, (value, key) in enumerate(((op.a, "lhs_k_pack"), (op.b, "rhs_k_pack"))):
        is_fp4 = formats[index] is _FP4
        along_k = bool(attributes.number(op.properties[key]))
        padded = (mixed and is_fp4) or not along_k
        yield value, Side(index, not is_fp4, padded, across=not along_k)


def _through_shared(scale: SSAValue, notes: Notes, rewriter: Rewriter) -> SSAValue:
    """Stage the load behind a scale in shared memory; return the scale."""
    value = scale
    while isinstance(value.owner, tt.ReshapeOp | tt.TransOp | ttg.ConvertLayoutOp):
        value = value.owner.operands[0]
    if not isinstance(value.owner, _LOADS):
        return scale
    buffer, staged = _staged(value, rewriter)
    if enabled():
        assert isinstance(buffer.type, ttg.MemDescType)
        notes.buffer("scale", buffer, buffer.type.encoding, value.owner.name)
        notes.follows(staged, "read back as it was loaded", value.owner)
    return staged if value is scale else scale


def _staged(value: SSAValue, rewriter: Rewriter) -> tuple[SSAValue, SSAValue]:
    """Write a tensor to shared memory and read it back there, for all who use it."""
    shape, encoding = types.shape(value.type), types.encoding(value.type)
    assert encoding is not None
    plain = plain_shared(shape, types.bit_width(value.type), cga_bases(encoding))
    buffer = filled(value, plain, rewriter)
    alloc = buffer.owner
    assert isinstance(alloc, Operation)
    following = alloc.next_op
    assert following is not None
    read = rewriter.create(
        ttg.LocalLoadOp, (buffer,), (value.type,), before=following, location=alloc.location
    )
    for use in tuple(value.uses):
        if use.operation is not alloc:
            rewriter.set_operand(use.operation, use.index, read.results[0])
    return buffer, read.results[0]


def plain_shared(
    shape: tuple[int, ...], bits: int, cga: tuple[tuple[int, ...], ...]
) -> NvmmaSharedEncoding:
    """Return the layout of scales in shared memory: rows one after the other."""
    return NvmmaSharedEncoding(0, bits, False, False, cga, len(shape))


def _for_tensor_memory(scale: SSAValue, warps: int, op: Operation, rewriter: Rewriter) -> SSAValue:
    """Return scales in the registers that reach tensor memory."""
    memory = TensorMemoryScalesEncoding().linear(types.shape(scale.type))
    wanted = types.with_encoding(scale.type, tensor_memory_register_encoding(memory, warps))
    return converted(scale, wanted, op, rewriter)


def _scale_buffer(scale: SSAValue, op: Operation, rewriter: Rewriter) -> SSAValue:
    type_: Attribute = ttg.MemDescType.of(
        types.shape(scale.type),
        types.element(scale.type),
        TensorMemoryScalesEncoding(),
        ttng.TensorMemoryAttr(),
    )
    made = rewriter.create(ttng.TMEMAllocOp, (scale,), (type_,), before=op)
    return made.results[0]
