"""Lower groups of warps to ttg.warp_specialize (nvws-lower-warp-group).

Before:  nvws.warp_group                     After:  ttg.warp_specialize(%x)
         partition0 num_warps(4) {                   default {
           …                                           …
           nvws.warp_group.yield %a                    ttg.warp_yield %a
         }                                           }
         partition1 num_warps(4) {                   partition0(%y: …) num_warps(4) {
           … %x …                                      … %y …
           nvws.warp_group.return                      ttg.warp_return
         }                                           }

The first region becomes the default one if it has the warps of the function. Partitions are
isolated: they capture values. Constants and operations on tensors without effects are cloned into
them instead; other tensors pass through shared memory.

Then everything is folded. Source: Triton, LowerWarpGroup.cpp.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from xdsl.traits import ConstantLike

from weft.ir import nvws, ttg, types
from weft.ir.attributes import array_i32, array_values
from weft.ir.builtin import Block, ModuleOp, Operation, OpResult, Region, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.interfaces import is_memory_effect_free
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.rewriting import Builder, clone, walk_inner_first
from weft.passes.pipelining.loads.shared_encodings import default_shared_encoding
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.passes.rewrite.nesting import is_defined_in_region, replace_uses_in_region
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["LowerWarpGroup"]


class LowerWarpGroup(Struct, frozen=True):
    """Replaces groups of warps by isolated partitions."""

    name: ClassVar[str] = "nvws-lower-warp-group"

    def run(self, module: ModuleOp) -> None:
        """Lower all groups, and fold the module."""
        apply_greedily(module, _RULES)


def _lower(op: Operation, rewriter: Rewriter) -> bool:
    """Lower a group; one with results needs a default region for them."""
    assert isinstance(op, nvws.WarpGroupOp)
    regions, warps = list(op.regions), array_values(op.numWarps)
    default: Region | None = None
    if warps[0] == lookup_num_warps(op):
        default, *regions = regions
        warps = warps[1:]
    elif op.results:
        return False
    builder = Builder().after(op)
    captures = _rematerialize(builder, regions, _captures(regions), rewriter)
    default_block = Block()
    _fill(default_block, default, ttg.WarpYieldOp)
    partitions: list[Region] = []
    for region in regions:
        block = Block(arg_types=[value.type for value in captures])
        _fill(block, region, ttg.WarpReturnOp)
        partitions.append(Region(block))
        # A value that is captured twice is the last of its arguments, as in Triton.
        for value, argument in dict(zip(captures, block.args, strict=True)).items():
            replace_uses_in_region(value, argument, partitions[-1])
    holder = ttg.WarpSpecializePartitionsOp.create(
        operands=captures, regions=partitions, location=op.location
    )
    specialize = builder.create(
        ttg.WarpSpecializeOp,
        (),
        [result.type for result in op.results],
        {"partitionNumWarps": array_i32(warps)},
        regions=[Region(default_block), Region(Block([holder]))],
    )
    for old, new in zip(op.results, specialize.results, strict=True):
        old.replace_all_uses_with(new)
    for region in (specialize.regions[0], *partitions):
        last = region.block.last_op
        assert last is not None
        rewriter.enqueue(last)
    rewriter.enqueue(holder)
    rewriter.erase(op)
    return True


def _captures(regions: Sequence[Region]) -> list[SSAValue]:
    """List the values that regions use and that are defined outside of them."""
    captures: dict[SSAValue, None] = {}
    for region in regions:
        for block in region.blocks:
            for top in block.ops:
                for op in walk_inner_first(top):
                    for operand in op.operands:
                        if not is_defined_in_region(operand, region):
                            captures[operand] = None
    return list(captures)


def _rematerialize(
    builder: Builder, regions: Sequence[Region], captures: list[SSAValue], rewriter: Rewriter
) -> list[SSAValue]:
    """Clone what is cheap into regions, and pass other tensors through shared memory.

    Args:
        builder: Where to store tensors.
        regions: The regions.
        captures: The values that they use and do not define.
        rewriter: Visits the new operations outside of the regions.

    Returns:
        The values to capture.
    """
    starts = [Builder().at_start(region.block) for region in regions]
    values: list[dict[SSAValue, SSAValue]] = [{} for _ in regions]
    cloned: dict[Operation, None] = {}
    passed: list[SSAValue] = []
    queue = deque(captures)
    while queue:
        capture = queue.popleft()
        op = capture.op if isinstance(capture, OpResult) else None
        is_tensor = types.is_tensor(capture.type)
        if (
            op is not None
            and is_memory_effect_free(op)
            and (op.has_trait(ConstantLike) or is_tensor)
        ):
            queue.extend(op.operands)
            cloned[op] = None
        elif is_tensor:
            memory = ttg.MemDescType.of(
                types.shape(capture.type),
                types.element(capture.type),
                default_shared_encoding(capture.type),
                ttg.SharedMemoryAttr(),
            )
            allocation = builder.create(ttg.LocalAllocOp, [capture], [memory])
            rewriter.enqueue(allocation)
            for region, start, mapping in zip(regions, starts, values, strict=True):
                load = start.create(ttg.LocalLoadOp, [allocation.result], [capture.type])
                replace_uses_in_region(capture, load.result, region)
                mapping[capture] = load.result
            passed.append(allocation.result)
        else:
            passed.append(capture)
    ordered = _in_program_order(cloned)
    for region, start, mapping in zip(regions, starts, values, strict=True):
        for op in ordered:
            copied = clone(op, mapping)
            start.insert(copied)
            replace_uses_in_region(op.results[0], copied.results[0], region)
    return passed


def _in_program_order(ops: dict[Operation, None]) -> list[Operation]:
    """Sort operations so that definitions come before uses."""
    if not ops:
        return []
    top = next(iter(ops))
    while (parent := top.parent_op()) is not None:
        top = parent
    return [op for op in top.walk() if op in ops]


def _fill(
    block: Block, region: Region | None, terminator: type[ttg.WarpYieldOp | ttg.WarpReturnOp]
) -> None:
    """Move the operations of a region to a block, and end it with another terminator."""
    operands: Sequence[SSAValue] = ()
    if region is not None:
        last = region.block.last_op
        assert last is not None
        if terminator is ttg.WarpYieldOp:
            operands = last.operands
        for op in list(region.block.ops):
            if op is not last:
                op.detach()
                block.add_op(op)
    Builder().at_end(block).create(terminator, operands)


_RULES = RewriteRules(FOLDS, {nvws.WarpGroupOp: (_lower,)}, top_down=False, merge_blocks=True)
