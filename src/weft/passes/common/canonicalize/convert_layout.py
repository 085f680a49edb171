"""Patterns of ttg.convert_layout: conversions that nobody needs, or that come cheaper elsewhere.

ttg.convert_layout %x : #a -> #a                    →  %x
ttg.convert_layout (ttg.convert_layout %x)          →  ttg.convert_layout %x
ttg.convert_layout (tt.splat %s : #a) : #a -> #b    →  tt.splat %s : #b
                                                       (make_range, local_load, constants too)
tt.histogram (ttg.convert_layout %x)                →  tt.histogram %x
ttg.local_store (ttg.convert_layout %x), %m         →  ttg.local_store %x, %m
                                                       (ttng.tmem_store where registers reach it)

A conversion from an NVIDIA matrix product to an operand of the next one stays: it is done in
registers, and later passes look for it.
"""

from __future__ import annotations

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
from weft.layouts.gf2 import rank
from weft.layouts.inference import infer_split, infer_trans
from weft.layouts.tensor_memory import is_tensor_memory_compatible
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


def _converted(value: SSAValue | None) -> SSAValue | None:
    """Return what a value was converted from, None where it was not converted."""
    found = None if value is None else defining_op(value, ttg.ConvertLayoutOp)
    return None if found is None else found.operands[0]


# ------------------------------------------------------------------------------ what views cost
def _registers(type_: Attribute) -> int:
    """Return the elements that each thread holds of a tensor."""
    return 1 << len(_layout(type_).images("register"))


def _layout(type_: Attribute) -> LinearLayout:
    encoding = types.encoding(type_)
    assert encoding is not None
    return encoding.linear(types.shape(type_))


def _repeated(type_: Attribute) -> dict[str, list[int]]:
    """Return, per input dimension, the bits that lead to no element of their own."""
    seen: list[int] = []
    repeated: dict[str, list[int]] = {}
    for name, images in _layout(type_).ins:
        repeated[name] = []
        for bit, image in enumerate(images):
            if rank([*seen, image]) == len(seen):
                repeated[name].append(bit)
            else:
                seen.append(image)
    return repeated


def _is_expensive_view(source: Attribute, result: Attribute) -> bool:
    """Tell whether a reshape in free order still has to move data between threads."""
    return _repeated(source) != _repeated(result) or _registers(source) != _registers(result)


def _is_operand(type_: Attribute) -> bool:
    return isinstance(types.encoding(type_), DotOperandEncoding)


# --------------------------------------------------------------------------- of convert_layout
def _drop_identity(op: Operation, rewriter: Rewriter) -> bool:
    if op.operands[0].type != op.results[0].type:
        return False
    rewriter.replace(op, (op.operands[0],))
    return True


def _into_producer(op: Operation, rewriter: Rewriter) -> bool:
    """Let what makes the tensor make it in the layout that is asked for."""
    source, result = op.operands[0], op.results[0].type
    if isinstance(types.encoding(source.type), NvidiaMmaEncoding) and _is_operand(result):
        return False
    if type(source) is not OpResult:
        return False
    made = source.op
    remake = _REMAKE.get(type(made))
    return remake is not None and remake(op, made, rewriter)


def _again(op: Operation, made: Operation, rewriter: Rewriter) -> bool:
    """Make what was made, with another result type."""
    fresh = rewriter.create(
        type(made),
        tuple(made.operands),
        (op.results[0].type,),
        made.properties,
        made.attributes,
        before=op,
    )
    rewriter.replace(op, fresh.results)
    return True


def _load_again(op: Operation, made: Operation, rewriter: Rewriter) -> bool:
    """Load in the other layout where the load stands: the buffer may be written after it."""
    fresh = rewriter.create(
        ttg.LocalLoadOp,
        tuple(made.operands),
        (op.results[0].type,),
        made.properties,
        made.attributes,
        before=made,
        location=op.location,
    )
    rewriter.replace(op, fresh.results)
    return True


def _reshape_again(op: Operation, made: Operation, rewriter: Rewriter) -> bool:
    result = op.results[0].type
    if "allow_reorder" not in made.properties or "efficient_layout" in made.properties:
        return False
    if _is_expensive_view(made.operands[0].type, result):
        return False
    if _is_operand(op.operands[0].type) or _is_operand(result):
        return False
    # Of the reshape, not in its place: that two of them are one is a rule of reshapes.
    properties: dict[str, Attribute] = {"allow_reorder": attributes.unit}
    fresh = rewriter.create(tt.ReshapeOp, made.results, (result,), properties, before=op)
    rewriter.replace(op, fresh.results)
    return True


def _cat_again(op: Operation, made: Operation, rewriter: Rewriter) -> bool:
    if _registers(op.results[0].type) < _registers(made.results[0].type):
        return False
    return _again(op, made, rewriter)


def _constant_again(op: Operation, made: Operation, rewriter: Rewriter) -> bool:
    value, type_ = made.properties["value"], op.results[0].type
    if not isinstance(value, SplatAttr):
        return False
    fresh = rewriter.constant(attributes.splat(value.value, type_), type_, op)
    rewriter.replace(op, (fresh,))
    return True


_REMAKE = {
    tt.ReshapeOp: _reshape_again,
    tt.HistogramOp: _again,
    ttg.LocalLoadOp: _load_again,
    tt.CatOp: _cat_again,
    ttg.ConvertLayoutOp: _again,
    tt.SplatOp: _again,
    tt.MakeRangeOp: _again,
    arith.ConstantOp: _constant_again,
}


# -------------------------------------------------------------------- of what takes a conversion
def _reshape(op: Operation, rewriter: Rewriter) -> bool:
    """A reshape in free order does not care for the layout that it reads, others for its name."""
    source = _converted(op.operands[0])
    if source is None:
        return False
    is_renamed = _layout(source.type) is _layout(op.operands[0].type)
    if not is_renamed and (
        "allow_reorder" not in op.properties or _is_expensive_view(source.type, op.results[0].type)
    ):
        return False
    fresh = rewriter.create(
        tt.ReshapeOp, (source,), (op.results[0].type,), op.properties, op.attributes, before=op
    )
    rewriter.replace(op, fresh.results)
    return True


def _histogram(op: Operation, rewriter: Rewriter) -> bool:
    """Count in the layout at hand; the mask comes into it."""
    source = _converted(op.operands[0])
    if source is None:
        return False
    operands = [source, *op.operands[1:]]
    if len(operands) > 1:
        type_ = types.with_element(source.type, types.i1)
        mask = rewriter.create(ttg.ConvertLayoutOp, (operands[1],), (type_,), before=op)
        operands[1] = mask.results[0]
    fresh = rewriter.create(
        tt.HistogramOp, operands, (op.results[0].type,), op.properties, op.attributes, before=op
    )
    rewriter.replace(op, fresh.results)
    return True


def _first_operand(op: Operation, rewriter: Rewriter) -> bool:
    """Read the tensor before its conversion: any layout will do."""
    source = _converted(op.operands[0]) if op.operands else None
    if source is None:
        return False
    rewriter.set_operand(op, 0, source)
    return True


def _local_alloc(op: Operation, rewriter: Rewriter) -> bool:
    source = _converted(op.operands[0]) if op.operands else None
    if source is None:
        return False
    fresh = rewriter.create(
        ttg.LocalAllocOp, (source,), (op.results[0].type,), op.properties, op.attributes, before=op
    )
    rewriter.replace(op, fresh.results)
    return True


def _tensor_memory_store(op: Operation, rewriter: Rewriter) -> bool:
    """Store what was converted, where its registers reach tensor memory, too."""
    assert isinstance(op, ttng.TMEMStoreOp)
    source, memory = _converted(op.src), op.dst.type
    if source is None or not isinstance(memory, ttg.MemDescType):
        return False
    given, buffer = types.encoding(source.type), memory.encoding
    if given is None or not isinstance(buffer, TensorMemoryEncoding):
        return False
    shape, bits = types.shape(source.type), types.bit_width(source.type)
    if not is_tensor_memory_compatible(given, buffer, shape, bits):
        return False
    rewriter.set_operand(op, next(i for i, v in enumerate(op.operands) if v is op.src), source)
    return True


def _gather(op: Operation, rewriter: Rewriter) -> bool:
    return "efficient_layout" not in op.properties and _first_operand(op, rewriter)


def _split(op: Operation, rewriter: Rewriter) -> bool:
    """Split what was converted, where that gives the same layout."""
    source = _converted(op.operands[0])
    if source is None:
        return False
    encoding = types.encoding(source.type)
    assert encoding is not None
    try:
        given: Encoding = infer_split(encoding, types.shape(source.type))
    except LayoutError:
        return False
    return given == types.encoding(op.results[0].type) and _first_operand(op, rewriter)


def _trans(op: Operation, rewriter: Rewriter) -> bool:
    """Permute what was converted, where that gives the same layout; convert in place of nothing."""
    order = attributes.array_values(op.properties["order"])
    if types.encoding(op.results[0].type) is None:
        return False
    if order == tuple(range(len(order))):
        made = rewriter.create(
            ttg.ConvertLayoutOp, (op.operands[0],), (op.results[0].type,), before=op
        )
        rewriter.replace(op, made.results)
        return True
    source = _converted(op.operands[0])
    if source is None:
        return False
    encoding = types.encoding(source.type)
    assert encoding is not None
    given = infer_trans(encoding, types.shape(source.type), order)
    return given == types.encoding(op.results[0].type) and _first_operand(op, rewriter)


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    ttg.ConvertLayoutOp: (_drop_identity, _into_producer),
    tt.ReshapeOp: (_reshape,),
    tt.HistogramOp: (_histogram,),
    tt.GatherOp: (_gather,),
    tt.SplitOp: (_split,),
    tt.TransOp: (_trans,),
    ttg.LocalAllocOp: (_local_alloc,),
    ttg.LocalStoreOp: (_first_operand,),
    ttng.TMEMStoreOp: (_tensor_memory_store,),
}
