"""Fuse nested loops into one loop.

Before:  for i in range(n) {              After:  for _ in range(n * m) {
           prologue(i)                              if t == 0 { i += 1; prologue(i) }
           for j in range(m) { body(i, j) }         body(i, t)
           epilogue(i)                              if t == m - 1 { epilogue(i) }
         } {tt.flatten}                             t = 0 if t == m - 1 else t + 1
                                                  }

A persistent kernel computes one tile per iteration of the outer loop. Its software pipeline drains
at the end of each inner loop and fills again at the start of the next one. In a fused loop it
continues from tile to tile.

A loop with exactly one inner loop is fused if it has `tt.flatten` (`tl.range(…, flatten=True)`);
all loops of a nest are fused if the outermost has `ttg.always-fuse`. First, hoist loop-invariant
operations out of the outer loop, sink operations that only the epilogue uses below the inner loop,
and ensure that the inner loop runs at least once (`speculate_inner_loop`). Then fuse, inner loops
first (`fusion`).

Preserves values and the order of effects.
Source: measured on Triton 3.7.1 (`tritongpu-fuse-nested-loops`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct, field

from weft.ir import attributes, scf, tt, ttng, types
from weft.ir.builtin import Attribute, BlockArgument, IntegerAttr, ModuleOp, Operation
from weft.ir.interfaces import Effect, get_effects
from weft.ir.loop_attributes import (
    DISALLOW_ACC_MULTI_BUFFER,
    FLATTEN,
    NUM_STAGES,
    WARP_SPECIALIZE,
)
from weft.passes.common.licm import hoist_invariant, is_speculatable
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.ttgir.fuse_nested_loops.bounds import (
    InnerLoop,
    is_function_argument,
    move_before,
    operations_computing,
)
from weft.passes.ttgir.fuse_nested_loops.fusion import Fusion
from weft.passes.ttgir.fuse_nested_loops.speculate_inner_loop import (
    ensure_inner_loop_runs,
)

__all__ = ["FuseNestedLoops"]

_ALWAYS_FUSE = "ttg.always-fuse"

_DOTS = (tt.DotOp, tt.DotScaledOp, ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)


class _Nest(Struct):
    """A loop and the loops directly inside it."""

    loop: scf.ForOp
    children: list[_Nest] = field(default_factory=list)

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)


class FuseNestedLoops(Struct, frozen=True):
    """Fuses the loop nests that request it."""

    name: ClassVar[str] = "tritongpu-fuse-nested-loops"

    def run(self, module: ModuleOp) -> None:
        """Fuse loops in place."""
        before = snapshot_layouts(module)
        for function in module.body.block.ops:
            if isinstance(function, tt.FuncOp):
                for nest in list(_nests(function)):
                    self._fuse_if_requested(nest)
        reason = "the layout of the value in the nested loops"
        record_remaining_layouts(self, module, before, reason)

    def _fuse_if_requested(self, nest: _Nest) -> None:
        if _ALWAYS_FUSE in nest.loop.attributes:
            self._fuse(nest, False)
        elif FLATTEN in nest.loop.attributes and nest.size() == 2:
            inner = nest.children[0].loop
            hoist_invariant(nest.loop)
            _sink_to_epilogue(inner)
            if ensure_inner_loop_runs(nest.loop, inner):
                self._fuse(nest, True)

    def _fuse(self, nest: _Nest, inner_always_runs: bool) -> None:
        """Fuse a nest, inner loops first.

        Args:
            nest: The nest.
            inner_always_runs: Whether the inner loop runs in every iteration of the outer one.
        """
        for child in nest.children:
            self._fuse(child, False)
        inners: list[InnerLoop] = []
        for child in nest.children:
            inner = _fusible_loop(nest.loop, child.loop)
            if inner is not None:
                inners.append(inner)
        if not inners:
            return
        outer = nest.loop
        attributes_ = _fused_attributes(outer, [inner.op for inner in inners])
        nest.loop = Fusion(outer, inners, inner_always_runs).run()
        nest.loop.attributes.update(attributes_)
        if enabled():
            reason = f"the outer loop and its {len(inners)} inner loops share one software pipeline"
            record_decision(self, nest.loop.induction_variable, "one loop", reason)


def _nests(container: Operation) -> Iterator[_Nest]:
    """Yield the loop nests in an operation; a conditional in a loop starts a new nest."""
    for region in container.regions:
        for block in region.blocks:
            for op in tuple(block.ops):
                if isinstance(op, scf.ForOp):
                    nest = _Nest(op)
                    yield from _add_children(nest)
                    yield nest
                elif op.regions:
                    yield from _nests(op)


def _add_children(nest: _Nest) -> Iterator[_Nest]:
    """Add the inner loops of a nest; yield the nests inside conditionals."""
    for op in tuple(nest.loop.block.ops):
        if isinstance(op, scf.ForOp):
            child = _Nest(op)
            nest.children.append(child)
            yield from _add_children(child)
        elif op.regions:
            yield from _nests(op)


def _fusible_loop(outer: scf.ForOp, inner: scf.ForOp) -> InnerLoop | None:
    """Find how to compute the bounds of an inner loop before the outer one, None if impossible."""
    bound_ops = operations_computing(inner.bounds, outer, is_function_argument)
    if bound_ops is not None:
        move_before(bound_ops, outer)
        return InnerLoop(inner)

    def is_available(argument: BlockArgument) -> bool:
        return argument is outer.induction_variable or is_function_argument(argument)

    bound_ops = operations_computing(inner.bounds, outer, is_available)
    return None if bound_ops is None else InnerLoop(inner, tuple(bound_ops), True)


def _sink_to_epilogue(inner: scf.ForOp) -> None:
    """Sink operations before an inner loop that only the epilogue uses."""
    first = inner.next_op
    assert first is not None
    sunk: list[Operation] = []
    op = inner.prev_op
    while op is not None:
        if get_effects(op) is Effect.NONE and is_speculatable(op) and not isinstance(op, _DOTS):
            users = [use.operation for result in op.results for use in result.uses]
            if all(user in sunk or _is_after(user, inner) for user in users):
                sunk.append(op)
        op = op.prev_op
    move_before(sunk[::-1], first)


def _is_after(user: Operation, loop: scf.ForOp) -> bool:
    current: Operation | None = user
    while current is not None and current.parent is not loop.parent:
        current = current.parent_op()
    return current is not None and loop.is_before_in_block(current)


def _fused_attributes(outer: scf.ForOp, inners: list[scf.ForOp]) -> dict[str, Attribute]:
    """Merge the attributes of fused loops."""
    merged: dict[str, Attribute] = {}
    for name in (DISALLOW_ACC_MULTI_BUFFER, WARP_SPECIALIZE):
        if any(name in loop.attributes for loop in (outer, *inners)):
            merged[name] = attributes.unit
    stages = [
        stage_count.value.data
        for loop in (outer, *inners)
        if isinstance(stage_count := loop.attributes.get(NUM_STAGES), IntegerAttr)
    ]
    if stages and max(stages) > 1:
        merged[NUM_STAGES] = attributes.integer(max(stages), types.i32)
    return dict(sorted(merged.items()))
