"""Patterns of ttg.convert_layout: drop conversions, or let the producer or the user absorb them.

ttg.convert_layout %x : #a -> #a                    →  %x
ttg.convert_layout (ttg.convert_layout %x)          →  ttg.convert_layout %x
ttg.convert_layout (tt.splat %s : #a) : #a -> #b    →  tt.splat %s : #b
                                                       (also make_range, local_load, constants)
tt.histogram (ttg.convert_layout %x)                →  tt.histogram %x
ttg.local_store (ttg.convert_layout %x), %m         →  ttg.local_store %x, %m
                                                       (ttng.tmem_store for compatible layouts)

A conversion from the result of an NVIDIA MMA to an operand of the next one stays: it moves no data
between threads, and later passes match it.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.analysis.encoding_inference import is_expensive_view
from weft.errors import LayoutError
from weft.ir import arith, attributes, tt, ttg, ttng, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, Operation, OpResult, SSAValue
from weft.ir.rewriting import defining_op
from weft.layouts import (
    DotOperandEncoding,
    Encoding,
    LinearLayout,
    NvidiaMmaEncoding,
    TensorMemoryEncoding,
)
from weft.layouts.inference import infer_split
from weft.layouts.tensor_memory import is_tensor_memory_compatible
from weft.passes.rewrite.greedy import PatternTable
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


def _conversion_source(value: SSAValue | None) -> SSAValue | None:
    """Find the operand of the conversion that defines a value, None for other values."""
    conversion = None if value is None else defining_op(value, ttg.ConvertLayoutOp)
    return None if conversion is None else conversion.operands[0]


def _layout(type_: Attribute) -> LinearLayout:
    encoding = types.encoding(type_)
    assert encoding is not None
    return encoding.linear(types.shape(type_))


def _registers(type_: Attribute) -> int:
    """Count the elements per thread of a tensor."""
    return 1 << len(_layout(type_).images("register"))


def _is_operand(type_: Attribute) -> bool:
    return isinstance(types.encoding(type_), DotOperandEncoding)


# -------------------------------------------------------------------- patterns of convert_layout
def _drop_identity(op: Operation, rewriter: Rewriter) -> bool:
    if op.operands[0].type != op.results[0].type:
        return False
    rewriter.replace(op, (op.operands[0],))
    return True


def _absorb_into_producer(op: Operation, rewriter: Rewriter) -> bool:
    """Let the producer of the tensor create it in the layout of the conversion's result."""
    source, result = op.operands[0], op.results[0].type
    if isinstance(types.encoding(source.type), NvidiaMmaEncoding) and _is_operand(result):
        return False
    if type(source) is not OpResult:
        return False
    absorb = _ABSORB.get(type(source.op))
    return absorb is not None and absorb(op, source.op, rewriter)


def _absorb(op: Operation, producer: Operation, rewriter: Rewriter) -> bool:
    """Create the producer again with the result type of the conversion.

    Hints such as `tt.contiguity` are not copied, as in Triton.
    """
    new_op = rewriter.create(
        type(producer),
        tuple(producer.operands),
        (op.results[0].type,),
        producer.properties,
        before=op,
    )
    rewriter.replace(op, new_op.results)
    return True


def _absorb_local_load(op: Operation, producer: Operation, rewriter: Rewriter) -> bool:
    """Clone the load at its own position: a later operation may write the buffer."""
    new_op = rewriter.create(
        ttg.LocalLoadOp,
        tuple(producer.operands),
        (op.results[0].type,),
        producer.properties,
        before=producer,
        location=op.location,
    )
    rewriter.replace(op, new_op.results)
    return True


def _absorb_reshape(op: Operation, producer: Operation, rewriter: Rewriter) -> bool:
    result = op.results[0].type
    if "allow_reorder" not in producer.properties or "efficient_layout" in producer.properties:
        return False
    if is_expensive_view(producer.operands[0].type, result):
        return False
    if _is_operand(op.operands[0].type) or _is_operand(result):
        return False
    # Reshape the result of the reshape: the pattern of reshapes merges the two.
    properties: dict[str, Attribute] = {"allow_reorder": attributes.unit}
    new_op = rewriter.create(tt.ReshapeOp, producer.results, (result,), properties, before=op)
    rewriter.replace(op, new_op.results)
    return True


def _absorb_cat(op: Operation, producer: Operation, rewriter: Rewriter) -> bool:
    if _registers(op.results[0].type) < _registers(producer.results[0].type):
        return False
    return _absorb(op, producer, rewriter)


def _absorb_constant(op: Operation, producer: Operation, rewriter: Rewriter) -> bool:
    value, type_ = producer.properties["value"], op.results[0].type
    if not isinstance(value, SplatAttr):
        return False
    new_op = rewriter.constant(attributes.splat(value.value, type_), type_, op)
    rewriter.replace(op, (new_op,))
    return True


_ABSORB: dict[type[Operation], Callable[[Operation, Operation, Rewriter], bool]] = {
    tt.ReshapeOp: _absorb_reshape,
    tt.HistogramOp: _absorb,
    ttg.LocalLoadOp: _absorb_local_load,
    tt.CatOp: _absorb_cat,
    ttg.ConvertLayoutOp: _absorb,
    tt.SplatOp: _absorb,
    tt.MakeRangeOp: _absorb,
    arith.ConstantOp: _absorb_constant,
}


# --------------------------------------------------------------- patterns of users of conversions
def _reshape(op: Operation, rewriter: Rewriter) -> bool:
    """Reshape the tensor before its conversion.

    This is valid if the reshape may reorder elements, or if both encodings are the same layout.
    """
    source = _conversion_source(op.operands[0])
    if source is None:
        return False
    is_same_layout = _layout(source.type) is _layout(op.operands[0].type)
    if not is_same_layout and (
        "allow_reorder" not in op.properties or is_expensive_view(source.type, op.results[0].type)
    ):
        return False
    new_op = rewriter.create(
        tt.ReshapeOp, (source,), (op.results[0].type,), op.properties, op.attributes, before=op
    )
    rewriter.replace(op, new_op.results)
    return True


def _histogram(op: Operation, rewriter: Rewriter) -> bool:
    """Compute the histogram in the layout before the conversion; convert the mask to it."""
    source = _conversion_source(op.operands[0])
    if source is None:
        return False
    operands = [source, *op.operands[1:]]
    if len(operands) > 1:
        type_ = types.with_element(source.type, types.i1)
        mask = rewriter.create(ttg.ConvertLayoutOp, (operands[1],), (type_,), before=op)
        operands[1] = mask.results[0]
    new_op = rewriter.create(
        tt.HistogramOp, operands, (op.results[0].type,), op.properties, op.attributes, before=op
    )
    rewriter.replace(op, new_op.results)
    return True


def _first_operand(op: Operation, rewriter: Rewriter) -> bool:
    """Use the tensor before its conversion: the operation accepts any layout."""
    source = _conversion_source(op.operands[0]) if op.operands else None
    if source is None:
        return False
    rewriter.set_operand(op, 0, source)
    return True


def _local_alloc(op: Operation, rewriter: Rewriter) -> bool:
    source = _conversion_source(op.operands[0]) if op.operands else None
    if source is None:
        return False
    new_op = rewriter.create(
        ttg.LocalAllocOp, (source,), (op.results[0].type,), op.properties, op.attributes, before=op
    )
    rewriter.replace(op, new_op.results)
    return True


def _tensor_memory_store(op: Operation, rewriter: Rewriter) -> bool:
    """Store the tensor before its conversion, if its layout is compatible with tensor memory."""
    assert isinstance(op, ttng.TMEMStoreOp)
    source, memory = _conversion_source(op.src), op.dst.type
    if source is None or not isinstance(memory, ttg.MemDescType):
        return False
    encoding, buffer = types.encoding(source.type), memory.encoding
    if encoding is None or not isinstance(buffer, TensorMemoryEncoding):
        return False
    shape, bits = types.shape(source.type), types.bit_width(source.type)
    if not is_tensor_memory_compatible(encoding, buffer, shape, bits):
        return False
    rewriter.set_operand(op, next(i for i, v in enumerate(op.operands) if v is op.src), source)
    return True


def _gather(op: Operation, rewriter: Rewriter) -> bool:
    return "efficient_layout" not in op.properties and _first_operand(op, rewriter)


def _split(op: Operation, rewriter: Rewriter) -> bool:
    """Split the tensor before its conversion, if the result has the same layout."""
    source = _conversion_source(op.operands[0])
    if source is None:
        return False
    encoding = types.encoding(source.type)
    assert encoding is not None
    try:
        result: Encoding = infer_split(encoding, types.shape(source.type))
    except LayoutError:
        return False
    return result == types.encoding(op.results[0].type) and _first_operand(op, rewriter)


def _trans(op: Operation, rewriter: Rewriter) -> bool:
    """Transpose the tensor before its conversion, if both encodings are the same layout.

    An identity transposition that changes the layout becomes a conversion.
    """
    order = attributes.array_values(op.properties["order"])
    if types.encoding(op.results[0].type) is None:
        return False
    if order == tuple(range(len(order))):
        new_op = rewriter.create(
            ttg.ConvertLayoutOp, (op.operands[0],), (op.results[0].type,), before=op
        )
        rewriter.replace(op, new_op.results)
        return True
    source = _conversion_source(op.operands[0])
    if source is None:
        return False
    is_same_layout = _layout(source.type) is _layout(op.operands[0].type)
    return is_same_layout and _first_operand(op, rewriter)


PATTERNS: PatternTable = {
    ttg.ConvertLayoutOp: (_drop_identity, _absorb_into_producer),
    tt.ReshapeOp: (_reshape,),
    tt.HistogramOp: (_histogram,),
    tt.GatherOp: (_gather,),
    tt.SplitOp: (_split,),
    tt.TransOp: (_trans,),
    ttg.LocalAllocOp: (_local_alloc,),
    ttg.LocalStoreOp: (_first_operand,),
    ttng.TMEMStoreOp: (_tensor_memory_store,),
}
