"""Make one loop of a loop in a loop (`tritongpu-fuse-nested-loops`).

Before:  scf.for %i … {              After:  scf.for %round … iter_args(%t, %i, …) {
           a                                   scf.if (%t == 0) { a }
           scf.for %j … { b }                  b
           c                                   scf.if (%t == last) { c }
         } {tt.flatten}                      }

A persistent kernel computes tile after tile: the pipeline of loads drains at the end of each inner
loop and fills at the beginning of the next. In one loop it goes on from tile to tile.

Done for a loop with exactly one loop in it that `tl.range(…, flatten=True)` asks for, and for all
of a nest marked `ttg.always-fuse`. First, what the outer loop computes alike each time moves in
front of it, what only the end of the outer body reads moves behind the inner loop, and the inner
loop is made to run at least once (`speculation`). Then the loops become one (`fusion`), inner ones
first.

Keeps: what is computed, the order of effects. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from weft.ir import attributes, scf, tt, ttng, types
from weft.ir.builtin import Attribute, BlockArgument, IntegerAttr, ModuleOp, Operation
from weft.ir.interfaces import Effect, get_effects
from weft.passes.common.licm import hoist_invariant, is_speculatable
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.ttgir.fuse_nested_loops.bounds import (
    InnerLoop,
    hoist,
    of_function,
    operations_for,
)
from weft.passes.ttgir.fuse_nested_loops.fusion import Fusion
from weft.passes.ttgir.fuse_nested_loops.speculation import WARP_SPECIALIZE, runs_at_least_once

__all__ = ["FuseNestedLoops"]

FLATTEN = "tt.flatten"
ALWAYS = "ttg.always-fuse"
STAGES = "tt.num_stages"
ONE_ACCUMULATOR = "tt.disallow_acc_multi_buffer"

_DOTS = (tt.DotOp, tt.DotScaledOp, ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)


@dataclass(slots=True)
class _Nest:
    """A loop and the loops right inside of it."""

    loop: scf.ForOp
    inside: list[_Nest] = field(default_factory=list)

    def size(self) -> int:
        return 1 + sum(inner.size() for inner in self.inside)


@dataclass(frozen=True, slots=True)
class FuseNestedLoops:
    """Post: no nest is left that is asked to be one loop and can be."""

    name: ClassVar[str] = "tritongpu-fuse-nested-loops"

    def run(self, module: ModuleOp) -> None:
        """Fuse loops in place."""
        before = snapshot_layouts(module)
        for function in module.body.block.ops:
            if isinstance(function, tt.FuncOp):
                for nest in list(_nests(function)):
                    self._consider(nest)
        why = "handed on between the parts of one loop, laid out as they were"
        record_remaining_layouts(self, module, before, why)

    def _consider(self, nest: _Nest) -> None:
        if ALWAYS in nest.loop.attributes:
            self._flatten(nest, False)
        elif FLATTEN in nest.loop.attributes and nest.size() == 2:
            inner = nest.inside[0].loop
            hoist_invariant(nest.loop)
            _move_behind(nest.loop, inner)
            if runs_at_least_once(nest.loop, inner):
                self._flatten(nest, True)

    def _flatten(self, nest: _Nest, must_run: bool) -> None:
        for inner in nest.inside:
            self._flatten(inner, False)
        inners: list[InnerLoop] = []
        for inner in nest.inside:
            found = _fusible(nest.loop, inner.loop)
            if found is not None:
                inners.append(found)
        if not inners:
            return
        outer = nest.loop
        kept = _attributes(outer, [inner.op for inner in inners])
        nest.loop = Fusion(outer, inners, must_run).run()
        nest.loop.attributes.update(kept)
        if enabled():
            why = f"the outer loop and {len(inners)} in it go through one pipeline"
            record_decision(self, nest.loop.induction_variable, "one loop", why)


def _nests(container: Operation) -> Iterator[_Nest]:
    """Yield the outermost loops in an operation; a conditional begins anew."""
    for region in container.regions:
        for block in region.blocks:
            for op in tuple(block.ops):
                if isinstance(op, scf.ForOp):
                    nest = _Nest(op)
                    yield from _fill(nest)
                    yield nest
                elif op.regions:
                    yield from _nests(op)


def _fill(nest: _Nest) -> Iterator[_Nest]:
    for op in tuple(nest.loop.block.ops):
        if isinstance(op, scf.ForOp):
            inner = _Nest(op)
            nest.inside.append(inner)
            yield from _fill(inner)
        elif op.regions:
            yield from _nests(op)


def _fusible(outer: scf.ForOp, inner: scf.ForOp) -> InnerLoop | None:
    """Return an inner loop with what its bounds need, None if they cannot be known in front."""
    needed = operations_for(inner.bounds, outer, of_function)
    if needed is not None:
        hoist(needed, outer)
        return InnerLoop(inner)

    def given(argument: BlockArgument) -> bool:
        return argument is outer.induction_variable or of_function(argument)

    computed = operations_for(inner.bounds, outer, given)
    return None if computed is None else InnerLoop(inner, tuple(computed), True)


def _move_behind(outer: scf.ForOp, inner: scf.ForOp) -> None:
    """Move what only the end of a loop's body reads from before the inner loop to behind it."""
    behind = inner.next_op
    assert behind is not None
    sunk: list[Operation] = []
    op = inner.prev_op
    while op is not None:
        if get_effects(op) is Effect.NONE and is_speculatable(op) and not isinstance(op, _DOTS):
            users = [use.operation for result in op.results for use in result.uses]
            if all(user in sunk or _is_behind(user, inner) for user in users):
                sunk.append(op)
        op = op.prev_op
    hoist(sunk[::-1], behind)


def _is_behind(user: Operation, loop: scf.ForOp) -> bool:
    current: Operation | None = user
    while current is not None and current.parent is not loop.parent:
        current = current.parent_op()
    return current is not None and loop.is_before_in_block(current)


def _attributes(outer: scf.ForOp, inners: list[scf.ForOp]) -> dict[str, Attribute]:
    """Return the attributes of the fused loop."""
    found: dict[str, Attribute] = {}
    for name in (ONE_ACCUMULATOR, WARP_SPECIALIZE):
        if any(name in loop.attributes for loop in (outer, *inners)):
            found[name] = attributes.unit
    stages = [
        told.value.data
        for loop in (outer, *inners)
        if isinstance(told := loop.attributes.get(STAGES), IntegerAttr)
    ]
    if stages and max(stages) > 1:
        found[STAGES] = attributes.integer(max(stages), types.i32)
    return dict(sorted(found.items()))
