"""Run operations only if a predicate holds.

    %m = "ttg.mask"(%p) ({                     %s = tt.splat %p
      %x = tt.load %q, %k              →       %n = arith.andi %s, %k
      ttg.mask.return %x                       %m = tt.load %q, %n
    })

The expander puts operations into `ttg.mask`, so that the arithmetic of predicates can be simplified
first. Then `resolve_masks` gives each operation its predicate: a mask, a condition, or a predicate
operand. Operations without effects run unconditionally, and so do reads and writes of shared
memory, because the results of stages that do not run are not used.

Source: Triton, lib/Dialect/TritonGPU/Transforms/Pipeliner/PipeliningUtility.cpp.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import PassError
from weft.ir import amdg, arith, llvm, locations, scf, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.context import UnregisteredOp
from weft.ir.folds import FOLDS
from weft.ir.interfaces import is_memory_effect_free
from weft.ir.operation import Op
from weft.ir.rewriting import Builder, erase, move_before, walk_inner_first
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.passes.rewrite.operands import set_operand

__all__ = ["can_predicate", "predicate_op", "resolve_masks", "fold_operations", "wrap_in_mask"]

_FOLDS_ONLY = RewriteRules(FOLDS, top_down=False, merge_blocks=True)

_UNCONDITIONAL = (
    llvm.AssumeOp,
    UnregisteredOp,
    ttg.AsyncCommitGroupOp,
    ttg.AsyncWaitOp,
    ttg.LocalLoadOp,
    ttg.LocalStoreOp,
    amdg.LocalLoadPackedTransposedOp,
    ttng.FenceAsyncSharedOp,
    ttng.TMEMAllocOp,
    ttng.TMEMLoadOp,
    # The descriptor of an iteration is in separate memory, which no copy reads then.
    ttng.TensormapCreateOp,
    ttng.TensormapFenceproxyAcquireOp,
)
"""Operations that may run although their iteration does not exist.

Tests use unregistered operations as placeholders of any others.
"""


def fold_operations(module: ModuleOp) -> None:
    """Fold operations and erase dead ones.

    Triton asks for the canonicalization patterns of the dialect arith here. The dialect has none:
    those of its operations are separate, so only folds apply.
    """
    apply_greedily(module, _FOLDS_ONLY)


def wrap_in_mask(op: Operation, predicate: SSAValue) -> Operation:
    """Replace an operation by a `ttg.mask` with the operation in its region."""
    region = Region(Block())
    builder = Builder().before(op)
    mask = builder.create(
        ttg.MaskOp, [predicate], [result.type for result in op.results], regions=[region]
    )
    for old, new in zip(op.results, mask.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    builder.at_end(region.block).insert(op)
    builder.create(ttg.MaskReturnOp, op.results)
    return mask


def resolve_masks(module: ModuleOp) -> None:
    """Replace each `ttg.mask` by its operations, which get its predicate.

    Raises:
        PassError: An operation cannot be predicated.
    """
    fold_operations(module)
    masks = [op for op in walk_inner_first(module) if isinstance(op, ttg.MaskOp)]
    for mask in masks:
        block = mask.region.block
        terminator = block.last_op
        assert terminator is not None
        for op in list(block.ops):
            if op is not terminator:
                move_before(op, mask)
                predicate_op(op, mask.pred)
        for result, value in zip(mask.results, terminator.operands, strict=True):
            result.replace_all_uses_with(value)
        erase(mask)


def can_predicate(op: Operation) -> bool:
    """Check whether an operation can be made to run only if a predicate holds."""
    return _runs_unconditionally(op) or type(op) in _RULES


def _runs_unconditionally(op: Operation) -> bool:
    """Check whether an operation may run although its iteration does not exist."""
    return is_memory_effect_free(op) or isinstance(op, _UNCONDITIONAL)


def predicate_op(op: Operation, predicate: SSAValue) -> None:
    """Make an operation run only if a predicate holds, unless it may run in any case.

    Raises:
        PassError: The operation cannot be predicated.
    """
    if _runs_unconditionally(op):
        return
    rule = _RULES.get(type(op))
    if rule is None:
        if boolean_value(constant_attribute(predicate)):
            return
        raise PassError(
            f"the software pipeliner cannot predicate '{op.name}'",
            location=locations.position(op.location),
            hint="set num_stages=1 for this loop",
        )
    # A predicate that is always true is added, too. Folds remove it again, except the mask of an
    # asynchronous copy, which Triton keeps.
    rule(op, predicate)


def _combine(
    op: Operation, predicate: SSAValue, shape_of: Attribute, mask: SSAValue | None
) -> SSAValue:
    """Compute the conjunction of a predicate and the mask of an operation.

    Args:
        op: The operation, before which to compute it.
        predicate: An i1.
        shape_of: A type with the shape and encoding of the mask.
        mask: The mask, None if the operation has none.
    """
    builder = Builder().before(op)
    builder.location = locations.location_of(predicate)
    mask_type = types.with_element(shape_of, types.i1)
    combined = predicate
    if types.is_tensor(mask_type):
        combined = builder.value(tt.SplatOp, [predicate], mask_type)
    if mask is not None:
        combined = builder.value(arith.AndIOp, [combined, mask], mask_type)
    return combined


_Rule = Callable[[Operation, SSAValue], None]


def _condition(op: Operation, predicate: SSAValue) -> None:
    assert isinstance(op, scf.IfOp)
    op.operands[0] = _combine(op, predicate, types.i1, op.condition)


def _mask(pointer: str) -> _Rule:
    """Create a rule for accesses with an optional mask of the shape of their pointers."""

    def apply(op: Operation, predicate: SSAValue) -> None:
        assert isinstance(op, Op)
        shape_of = getattr(op, pointer).type
        mask: SSAValue | None = getattr(op, "mask")  # noqa: B009
        set_operand(op, "mask", _combine(op, predicate, shape_of, mask))

    return apply


def _predicate_operand(op: Operation, predicate: SSAValue) -> None:
    assert isinstance(op, Op)
    current: SSAValue | None = getattr(op, "pred")  # noqa: B009
    set_operand(op, "pred", _combine(op, predicate, types.i1, current))


_RULES: dict[type[Operation], _Rule] = {
    scf.IfOp: _condition,
    tt.LoadOp: _mask("ptr"),
    tt.StoreOp: _mask("ptr"),
    tt.AtomicRMWOp: _mask("ptr"),
    ttg.AsyncCopyGlobalToLocalOp: _mask("src"),
    ttng.AsyncTMACopyGlobalToLocalOp: _predicate_operand,
    ttng.AsyncTMAGatherOp: _predicate_operand,
    ttng.BarrierExpectOp: _predicate_operand,
    ttng.TCGen5MMAOp: _predicate_operand,
    ttng.TCGen5MMAScaledOp: _predicate_operand,
    ttng.TMEMStoreOp: _predicate_operand,
    ttng.WaitBarrierOp: _predicate_operand,
    ttng.ArriveBarrierOp: _predicate_operand,
    ttng.TCGen5CommitOp: _predicate_operand,
}
