"""Patterns that drop stores of what a buffer in tensor memory holds, and unused loads.

%x, %t = ttng.tmem_load %m[%s]                  →     %x, %t = ttng.tmem_load %m[%s]
%u = ttng.tmem_store %x, %m[%t], %true                (%t for %u)

%y = arith.select %c, %z, %x                    →     %u = ttng.tmem_store %z, %m[%t], %c
%u = ttng.tmem_store %y, %m[%t], %true
"""

from __future__ import annotations

from weft.ir import arith, attributes, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.rewriting import defining_op
from weft.passes.rewrite.operands import set_operand
from weft.passes.rewrite.rewriter import Rewriter

__all__ = [
    "combine_load_and_store",
    "combine_store_and_alloc",
    "combine_store_and_select",
    "forward_load_to_alloc",
    "remove_unused_load",
]


def combine_load_and_store(op: Operation, rewriter: Rewriter) -> bool:
    """Drop a store to the buffer from which its value was loaded just before."""
    assert isinstance(op, ttng.TMEMStoreOp)
    load = None if op.dep is None else defining_op(op.dep, ttng.TMEMLoadOp)
    if load is None or load.results[0] is not op.src or load.src is not op.dst:
        return False
    rewriter.replace(op, [load.token])
    return True


def combine_store_and_select(op: Operation, rewriter: Rewriter) -> bool:
    """Store only if a select does not choose the value that was loaded just before."""
    assert isinstance(op, ttng.TMEMStoreOp)
    select = defining_op(op.src, arith.SelectOp)
    if op.dep is None or select is None:
        return False
    keeps_if_true = _is_previous_value(select.true_value, op)
    if keeps_if_true == _is_previous_value(select.false_value, op):
        return False
    predicate: SSAValue = select.condition
    if keeps_if_true:
        true = rewriter.constant(attributes.boolean(True), types.i1, op)
        predicate = rewriter.create(
            arith.XOrIOp, (predicate, true), (predicate.type,), before=op
        ).results[0]
    value = select.false_value if keeps_if_true else select.true_value
    store = rewriter.create(
        ttng.TMEMStoreOp, (op.dst, op.dep, value, predicate), (ttg.async_token,), before=op
    )
    rewriter.replace(op, [store.results[0]])
    return True


def _is_previous_value(value: SSAValue, store: ttng.TMEMStoreOp) -> bool:
    """Check whether a value was loaded from the buffer of a store just before the store."""
    load = defining_op(value, ttng.TMEMLoadOp)
    return (
        load is not None
        and load.token is not None
        and load.src is store.dst
        and load.token is store.dep
    )


def combine_store_and_alloc(op: Operation, rewriter: Rewriter) -> bool:
    """Make a store right after an allocation its initial value."""
    assert isinstance(op, ttng.TMEMStoreOp)
    allocation = None if op.dep is None else defining_op(op.dep, ttng.TMEMAllocOp)
    if allocation is None or not boolean_value(constant_attribute(op.pred)):
        return False
    if op.dst is not allocation.results[0] or allocation.parent is not op.parent:
        return False
    producer = defining_op(op.src)
    if (
        producer is not None
        and producer.parent is allocation.parent
        and allocation.is_before_in_block(producer)
    ):
        return False
    set_operand(allocation, "src", op.src)
    rewriter.replace(op, [allocation.token])
    return True


def forward_load_to_alloc(op: Operation, rewriter: Rewriter) -> bool:
    """Use the buffer that a value was loaded from, instead of a new one with the value."""
    assert isinstance(op, ttng.TMEMAllocOp)
    load = None if op.src is None or op.token is None else defining_op(op.src, ttng.TMEMLoadOp)
    if load is None or load.token is None or load.dep is None:
        return False
    uses = sum(len(list(result.uses)) for result in load.results)
    if uses != 1 or not load.dep.has_one_use() or op.results[0].type != load.src.type:
        return False
    rewriter.replace(op, [load.src, load.dep])
    return True


def remove_unused_load(op: Operation, rewriter: Rewriter) -> bool:
    """Remove the token of a load whose result is not used, which makes it dead."""
    assert isinstance(op, ttng.TMEMLoadOp)
    if op.dep is None or op.token is None or op.results[0].first_use is not None:
        return False
    rewriter.replace_uses(op.token, op.dep)
    return True
