"""Make tcgen05 MMAs asynchronous, with an mbarrier wait (triton-nvidia-mma-lowering).

Before:  ttng.tc_gen5_mma %a, %b, %d, %use, %pred

After:   %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, …>
         ttng.init_barrier %bar, 1
         ttng.tc_gen5_mma %a, %b, %d, %use, %pred, %bar[%true] {is_async}
         ttng.wait_barrier %bar, %c0, %pred
         ttng.inval_barrier %bar

tcgen05.mma is always asynchronous, so a synchronous MMA waits on an mbarrier. Scales in shared
memory are first copied to tensor memory, from which the instruction reads them. A commit after an
MMA becomes an mbarrier of the MMA.

Keeps: other MMAs that are asynchronous already. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from math import prod
from typing import ClassVar

from msgspec import Struct

from weft.ir import attributes, ttg, ttng, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue, UnitAttr
from weft.ir.constants import constant_attribute
from weft.ir.folds import FOLDS
from weft.ir.interfaces import is_memory_effect_free
from weft.ir.rewriting import defining_op
from weft.layouts import TensorMemoryScalesEncoding
from weft.passes.ledger import enabled, record_decision
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.mbarrier import mbarrier_type
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["MmaLowering"]


class MmaLowering(Struct, frozen=True):
    """Make every tcgen05 MMA asynchronous, with its scales in tensor memory."""

    name: ClassVar[str] = "triton-nvidia-mma-lowering"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the MMAs of a module in place."""
        patterns: PatternTable = {
            ttng.TCGen5MMAOp: (_make_async, _merge_commits),
            ttng.TCGen5MMAScaledOp: (_make_async, self._copy_scales, _merge_commits),
        }
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False))

    def _copy_scales(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttng.TCGen5MMAScaledOp)
        changed = False
        d = op.d.type
        assert isinstance(d, ttg.MemDescType)
        for scale, rows in ((op.a_scale, d.shape[0]), (op.b_scale, d.shape[1])):
            type_ = scale.type
            assert isinstance(type_, ttg.MemDescType)
            if not isinstance(type_.memory_space, ttg.SharedMemoryAttr):
                continue
            tmem_scale = _copy_to_tmem(scale, type_, rows, op, rewriter)
            if enabled():
                encoding = str(TensorMemoryScalesEncoding())
                record_decision(
                    self, tmem_scale, encoding, "tcgen05.mma reads scales from tensor memory"
                )
            index = next(i for i, operand in enumerate(op.operands) if operand is scale)
            rewriter.set_operand(op, index, tmem_scale)
            changed = True
        return changed


def _copy_to_tmem(
    scale: SSAValue, type_: ttg.MemDescType, rows: int, op: Operation, rewriter: Rewriter
) -> SSAValue:
    """Copy scales from shared to tensor memory; return the TMEM buffer.

    Args:
        scale: the buffer in shared memory.
        type_: its type.
        rows: rows of the scales.
        op: the MMA, before which the copy is created.
        rewriter: creates the operations.
    """
    shape = (rows, prod(type_.shape) // rows)
    memory = ttg.MemDescType.of(
        shape,
        type_.element_type,
        TensorMemoryScalesEncoding(),
        ttng.TensorMemoryAttr(),
        mutable=True,
    )
    alloc = rewriter.create(ttng.TMEMAllocOp, (), (memory,), before=op)
    rewriter.create(ttng.TMEMCopyOp, (scale, alloc.results[0]), before=op)
    return alloc.results[0]


def _make_async(op: Operation, rewriter: Rewriter) -> bool:
    """Make an MMA asynchronous, and wait on a new mbarrier after it."""
    assert isinstance(op, ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp)
    if op.is_async is not None:
        return False
    barrier = rewriter.create(ttg.LocalAllocOp, (), (mbarrier_type(op),), before=op).results[0]
    count = {"count": attributes.integer(1, types.i32)}
    rewriter.create(ttng.InitBarrierOp, (barrier,), (), count, before=op)
    true = rewriter.constant(attributes.boolean(True), types.i1, op)
    _add_barrier(op, barrier, true)
    rewriter.modified(op)
    following = op.next_op
    assert following is not None
    zero = rewriter.constant(attributes.integer(0, types.i32), types.i32, following)
    waits = (barrier, zero, op.pred)
    sizes = {"operandSegmentSizes": attributes.array_i32((1, 1, 1, 0))}
    rewriter.create(ttng.WaitBarrierOp, waits, (), sizes, before=following, location=op.location)
    rewriter.create(ttng.InvalBarrierOp, (barrier,), before=following, location=op.location)
    return True


def _merge_commits(op: Operation, rewriter: Rewriter) -> bool:
    """Make the commits after an MMA mbarriers of the MMA, if only pure operations are between.

    The MMA has to be issued whenever the commit is.
    """
    assert isinstance(op, ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp)
    is_unconditional = attributes.number(constant_attribute(op.pred)) == 1
    merged = False
    following = op.next_op
    while following is not None:
        commit, following = following, following.next_op
        if isinstance(commit, ttng.TCGen5CommitOp):
            if (is_unconditional or op.pred is commit.pred) and not commit.descs:
                merged |= _merge_commit(op, commit, rewriter)
        elif not is_memory_effect_free(commit):
            break
    return merged


def _merge_commit(
    op: ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp,
    commit: ttng.TCGen5CommitOp,
    rewriter: Rewriter,
) -> bool:
    """Move the operands of a commit before an MMA, and merge both; return whether that works."""
    values = [commit.barrier] if commit.pred is None else [commit.barrier, commit.pred]
    definitions: dict[Operation, None] = {}
    if not all(_collect_definitions(value, op, definitions) for value in values):
        return False
    for definition in definitions:
        rewriter.move_before(definition, op)
    predicate = commit.pred
    if predicate is None:
        predicate = rewriter.constant(attributes.boolean(True), types.i1, op)
    _add_barrier(op, commit.barrier, predicate)
    rewriter.modified(op)
    rewriter.erase(commit)
    return True


def _collect_definitions(
    value: SSAValue, anchor: Operation, definitions: dict[Operation, None]
) -> bool:
    """Collect the operations after another one that a value is computed from.

    Returns:
        Whether they can move before the other one.
    """
    op = defining_op(value)
    if op is None or op.parent is not anchor.parent or not anchor.is_before_in_block(op):
        return True
    if not is_memory_effect_free(op):
        return False
    if not all(_collect_definitions(operand, anchor, definitions) for operand in op.operands):
        return False
    definitions[op] = None
    return True


def _add_barrier(
    op: ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp, barrier: SSAValue, predicate: SSAValue
) -> None:
    """Add an mbarrier on which an MMA arrives."""
    sizes = list(attributes.array_values(op.properties["operandSegmentSizes"]))
    count = sizes[-1]
    operands = list(op.operands)
    operands.insert(len(operands) - count, barrier)
    op.operands = [*operands, predicate]
    sizes[-2:] = [count + 1, count + 1]
    op.properties["operandSegmentSizes"] = attributes.array_i32(tuple(sizes))
    op.properties["is_async"] = UnitAttr()
