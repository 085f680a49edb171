"""Rewrite tt.dot_scaled for instructions that read scales: mma.sync on sm_120, tcgen05 on sm_100.

    %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e4m3

On sm_120 operands and accumulator go to registers as in `mma_and_wgmma`, and each scale to the
lanes with the rows or columns that it applies to:

    %sa' = ttg.convert_layout %sa → #linear
    %d'  = tt.dot_scaled %a' scale %sa', … → #mma

On sm_100 operands go to shared memory, accumulator and scales to tensor memory. A loaded scale goes
through shared memory, so that the pipeliner can copy it to tensor memory from there:

    %x  = tt.load …                              %l = ttg.local_alloc %x
    … ttng.tmem_alloc %x                    →    %x' = ttg.local_load %l, … ttng.tmem_alloc %x'

The instructions need both scales. A dot with a scale on B only is transposed first, AB = (B'A')'.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.ir.locations import location_of
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.rewriting import Builder, replace, walk
from weft.layouts import NvidiaMmaEncoding, NvmmaSharedEncoding, TensorMemoryScalesEncoding
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.layouts.inference import infer_trans, linear_encoding
from weft.layouts.scale_layouts import mma_scale
from weft.layouts.tensor_memory import tensor_memory_register_encoding
from weft.passes.ledger import Candidate, enabled
from weft.passes.nvidia.accelerate_matmul.decision_records import DecisionRecorder
from weft.passes.nvidia.accelerate_matmul.mma_and_wgmma import result_encoding
from weft.passes.nvidia.accelerate_matmul.operands import (
    SharedOperand,
    alloc_after,
    convert_layout,
    convert_to_dot_operand,
    store_to_shared,
)
from weft.passes.nvidia.accelerate_matmul.tensor_memory import (
    Accumulator,
    check_single_cta,
    create_true,
)
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.tensor_cores import ScaledFamily, TensorCores

__all__ = ["mma_pattern", "tensor_memory_pattern", "transpose_dots_scaled_on_b"]

_FP4 = ScaleDotElemType.E2M1
_LOADS = (tt.LoadOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp)


# ---------------------------------------------------------------------------- transposition
def transpose_dots_scaled_on_b(module: ModuleOp, recorder: DecisionRecorder) -> None:
    """Replace every dot with a scale on B only by its transpose, with a scale on A only."""
    dots = [
        op
        for op in walk(module)
        if isinstance(op, tt.DotScaledOp) and op.a_scale is None and op.b_scale is not None
    ]
    for op in dots:
        builder = Builder().before(op)
        a, b, c = (_transpose(builder, value) for value in (op.a, op.b, op.c))
        builder.location = op.location
        assert op.b_scale is not None
        old = op.properties
        properties = {
            "a_elem_type": old["b_elem_type"],
            "b_elem_type": old["a_elem_type"],
            "lhs_k_pack": old["rhs_k_pack"],
            "rhs_k_pack": old["lhs_k_pack"],
            "fastMath": old["fastMath"],
            "operandSegmentSizes": attributes.array_i32((1, 1, 1, 1, 0)),
        }
        dot = builder.create(tt.DotScaledOp, (b, a, c, op.b_scale), (c.type,), properties)
        result = _transpose(builder, dot.results[0])
        if enabled():
            reason = "a dot with a scale on B only is transposed, so that the scale is on A"
            for value in (a, b, c, dot.results[0], result):
                recorder.record_layout(value, reason, dot)
        replace(op, [result])


def _transpose(builder: Builder, value: SSAValue) -> OpResult:
    shape, encoding = types.shape(value.type), types.encoding(value.type)
    assert encoding is not None
    transposed = infer_trans(encoding, shape, (1, 0))
    type_ = types.tensor((shape[1], shape[0]), types.element(value.type), transposed)
    builder.location = location_of(value)
    return builder.value(tt.TransOp, [value], type_, {"order": attributes.array_i32((1, 0))})


# ------------------------------------------------------------------------------------ selection
def _family(cores: TensorCores, version: int) -> ScaledFamily | None:
    return next((family for family in cores.scaled if family.version == version), None)


def _rejections(op: tt.DotScaledOp, family: ScaledFamily) -> Iterator[str]:
    """Yield the reasons why an instruction family does not support a scaled dot."""
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
        yield f"{warps} warps, supported: {', '.join(map(str, family.warps))}"


def _is_supported(op: tt.DotScaledOp, family: ScaledFamily, recorder: DecisionRecorder) -> bool:
    """Check whether an instruction family supports a scaled dot; record why it does not."""
    reasons = tuple(_rejections(op, family))
    if reasons and enabled():
        recorder.record_unsupported_scales(op, Candidate(family.instruction, "; ".join(reasons)))
    return not reasons


def _formats(op: tt.DotScaledOp) -> tuple[ScaleDotElemType, ScaleDotElemType]:
    a, b = op.properties["a_elem_type"], op.properties["b_elem_type"]
    return ScaleDotElemType.of(a), ScaleDotElemType.of(b)


# ------------------------------------------------------------------------------ mma.sync, sm_120
def mma_pattern(cores: TensorCores, recorder: DecisionRecorder) -> Pattern:
    """Create the pattern for a target whose mma.sync reads scales."""
    family = _family(cores, 2)

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DotScaledOp)
        if family is None or isinstance(types.encoding(op.d.type), NvidiaMmaEncoding):
            return False
        encoding = types.encoding(op.d.type)
        if encoding is None or cga_bases(encoding) or not _is_supported(op, family, recorder):
            return False
        assert op.a_scale is not None
        assert op.b_scale is not None
        if types.element(op.a_scale.type) != types.element(op.b_scale.type):
            return False
        _rewrite_for_mma(op, cores, recorder, rewriter)
        return True

    return rewrite


def _rewrite_for_mma(
    op: tt.DotScaledOp, cores: TensorCores, recorder: DecisionRecorder, rewriter: Rewriter
) -> None:
    old, mma = op.d.type, cores.version(2)
    bits = min(types.bit_width(op.a.type), types.bit_width(op.b.type))
    encoding, reason = result_encoding(
        op, mma, types.shape(old), str(types.element(op.a.type)), bits, lookup_num_warps(op)
    )
    type_ = types.with_encoding(old, encoding)
    c = convert_layout(op.c, type_, op, rewriter)
    a = convert_to_dot_operand(op.a, 0, encoding, bits, op, rewriter)
    b = convert_to_dot_operand(op.b, 1, encoding, bits, op, rewriter)
    scales: list[SSAValue] = []
    for index, scale in enumerate((op.a_scale, op.b_scale)):
        assert scale is not None
        layout = mma_scale(types.shape(scale.type), index, encoding.warps_per_cta)
        scale_type = types.with_encoding(scale.type, linear_encoding(layout))
        scales.append(convert_layout(scale, scale_type, op, rewriter))
    operands = (a, b, c, *scales)
    new_dot = rewriter.create(tt.DotScaledOp, operands, (type_,), op.properties, before=op)
    result = convert_layout(new_dot.results[0], old, op, rewriter)
    if enabled():
        recorder.record_dot(new_dot, c, (a, b), mma, encoding, reason, ())
        recorder.record_result(result, new_dot)
        reason = "each lane has the scales of its rows or columns"
        for scale in scales:
            recorder.record_layout(scale, reason, new_dot)
    rewriter.replace(op, (result,))


# ------------------------------------------------------------------------------- tcgen05, sm_100
def tensor_memory_pattern(cores: TensorCores, recorder: DecisionRecorder) -> Pattern:
    """Create the pattern for a target with tensor memory."""
    family = _family(cores, 5)

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DotScaledOp)
        encoding = types.encoding(op.d.type)
        if family is None or encoding is None or isinstance(encoding, NvidiaMmaEncoding):
            return False
        if not _is_supported(op, family, recorder):
            return False
        check_single_cta(op, encoding)
        _rewrite_for_tensor_memory(op, family, cores, recorder, rewriter)
        return True

    return rewrite


def _rewrite_for_tensor_memory(
    op: tt.DotScaledOp,
    family: ScaledFamily,
    cores: TensorCores,
    recorder: DecisionRecorder,
    rewriter: Rewriter,
) -> None:
    warps, shape = lookup_num_warps(op), types.shape(op.d.type)
    a, b = (store_to_shared(value, how, rewriter, op) for value, how in _shared_operands(op))
    tile = (128, min(shape[1], cores.version(5).n[0]))
    accumulator = Accumulator.of(op, op.c, tile, warps, rewriter)
    assert op.a_scale is not None
    assert op.b_scale is not None
    scales = [_stage_in_shared(scale, recorder, rewriter) for scale in (op.a_scale, op.b_scale)]
    scales = [_convert_for_tensor_memory(scale, warps, op, rewriter) for scale in scales]
    scale_buffers = [_alloc_scale(scale, op, rewriter) for scale in scales]
    true = create_true(op, rewriter)
    mma = rewriter.create(
        ttng.TCGen5MMAScaledOp,
        (a, b, accumulator.buffer, accumulator.token, *scale_buffers, true, true),
        (ttg.async_token,),
        {
            "operandSegmentSizes": attributes.array_i32((1, 1, 1, 1, 1, 1, 1, 1, 0, 0)),
            "a_type": op.properties["a_elem_type"],
            "b_type": op.properties["b_elem_type"],
        },
        before=op,
    )
    loaded = accumulator.load(mma.results[0], rewriter)
    result = convert_layout(loaded, op.d.type, op, rewriter)
    if enabled():
        recorder.record_result(result, mma)
        accumulator.record(recorder, family.instruction, tile, loaded, ())
        for name, value in (("A", a), ("B", b)):
            assert isinstance(value.type, ttg.MemDescType)
            recorder.record_buffer(name, value, value.type.encoding, mma.name)
        for scale in scales:
            recorder.record_layout(scale, "the register layout of tensor memory scales", mma)
    rewriter.replace(op, (result,))


def _shared_operands(op: tt.DotScaledOp) -> Iterator[tuple[SSAValue, SharedOperand]]:
    """Yield each operand with how the instruction reads it from shared memory.

    fp4 operands must be contiguous along the dimension in which they are packed. Pairs are padded
    to two bytes if the other operand has 8 bits, or if they are packed along M or N.
    """
    formats = _formats(op)
    mixed = formats[0] is not formats[1]
    for index, (value, key) in enumerate(((op.a, "lhs_k_pack"), (op.b, "rhs_k_pack"))):
        is_fp4 = formats[index] is _FP4
        is_k_packed = bool(attributes.number(op.properties[key]))
        is_padded = (mixed and is_fp4) or not is_k_packed
        yield value, SharedOperand(index, not is_fp4, is_padded, not is_k_packed)


def _stage_in_shared(scale: SSAValue, recorder: DecisionRecorder, rewriter: Rewriter) -> SSAValue:
    """Stage the loaded value that a scale comes from in shared memory; return the scale."""
    value = scale
    while isinstance(value.owner, tt.ReshapeOp | tt.TransOp | ttg.ConvertLayoutOp):
        value = value.owner.operands[0]
    if not isinstance(value.owner, _LOADS):
        return scale
    buffer, staged = _store_and_load(value, rewriter)
    if enabled():
        assert isinstance(buffer.type, ttg.MemDescType)
        recorder.record_buffer("scale", buffer, buffer.type.encoding, value.owner.name)
        recorder.record_layout(staged, "the layout of the load", value.owner)
    return staged if value is scale else scale


def _store_and_load(value: SSAValue, rewriter: Rewriter) -> tuple[SSAValue, SSAValue]:
    """Store a tensor to shared memory, and replace its uses by a load.

    Returns:
        The buffer, and the loaded tensor.
    """
    shape, encoding = types.shape(value.type), types.encoding(value.type)
    assert encoding is not None
    shared = _unswizzled_encoding(shape, types.bit_width(value.type), cga_bases(encoding))
    buffer = alloc_after(value, shared, rewriter)
    alloc = buffer.owner
    assert isinstance(alloc, Operation)
    following = alloc.next_op
    assert following is not None
    load = rewriter.create(
        ttg.LocalLoadOp, (buffer,), (value.type,), before=following, location=alloc.location
    )
    for use in tuple(value.uses):
        if use.operation is not alloc:
            rewriter.set_operand(use.operation, use.index, load.results[0])
    return buffer, load.results[0]


def _unswizzled_encoding(
    shape: tuple[int, ...], bits: int, cga: tuple[tuple[int, ...], ...]
) -> NvmmaSharedEncoding:
    """Build the row-major layout without swizzling, as scales need it."""
    return NvmmaSharedEncoding(0, bits, False, False, cga, len(shape))


def _convert_for_tensor_memory(
    scale: SSAValue, warps: int, op: Operation, rewriter: Rewriter
) -> SSAValue:
    """Convert scales to the register layout of tensor memory."""
    memory = TensorMemoryScalesEncoding().linear(types.shape(scale.type))
    type_ = types.with_encoding(scale.type, tensor_memory_register_encoding(memory, warps))
    return rewriter.create(ttg.ConvertLayoutOp, (scale,), (type_,), before=op).results[0]


def _alloc_scale(scale: SSAValue, op: Operation, rewriter: Rewriter) -> SSAValue:
    type_: Attribute = ttg.MemDescType.of(
        types.shape(scale.type),
        types.element(scale.type),
        TensorMemoryScalesEncoding(),
        ttng.TensorMemoryAttr(),
    )
    alloc = rewriter.create(ttng.TMEMAllocOp, (scale,), (type_,), before=op)
    return alloc.results[0]
