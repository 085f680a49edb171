"""Compute once what is computed twice (common subexpression elimination).

Before:  %0 = tt.splat %x : i32 -> tensor<64xi32>        After:  %0 = tt.splat %x : …
         %1 = tt.splat %x : i32 -> tensor<64xi32>                %2 = arith.addi %0, %0
         %2 = arith.addi %0, %1

An operation is replaced by an equal one that dominates it: same kind, operands, attributes,
result types and regions. Operands of commutative operations may stand in either order. One that
reads memory is replaced only by one of the same block with nothing that writes in between.

Keeps: every operation with an effect, and the place of those that stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

from xdsl.traits import Commutative, IsolatedFromAbove

from weft.ir import locations
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.dominance import dominator_tree
from weft.ir.interfaces import Effect, get_effects
from weft.ir.rewriting import erase
from weft.passes.rewrite.deadness import dead_when_unused, is_terminator, is_unused

__all__ = ["Cse", "region_key"]

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Cse:
    """Post: no operation equals one that dominates it, save for those with effects."""

    name: ClassVar[str] = "cse"

    def run(self, module: ModuleOp) -> None:
        """Merge equal operations in place."""
        search = _Search()
        search.region(module.body)
        for op in search.dead:
            erase(op)


@cache
def _is_commutative(cls: type[Operation]) -> bool:
    return cls.has_trait(Commutative)


@cache
def _is_isolated(cls: type[Operation]) -> bool:
    return cls.has_trait(IsolatedFromAbove)


@dataclass(slots=True)
class _Search:
    """What is known at the point reached, and what turned out to be dead.

    scopes: one dictionary per nesting of regions and dominating blocks, innermost last.
    """

    scopes: list[dict[Key, Operation]] = field(default_factory=list)
    dead: list[Operation] = field(default_factory=list)

    def region(self, region: Region) -> None:
        first = region.blocks.first
        if first is None:
            return
        if first.next_block is None:
            self.scopes.append({})
            self.block(first)
            self.scopes.pop()
        else:
            self._tree(first, dominator_tree(region))

    def _tree(self, block: Block, children: dict[Block, list[Block]]) -> None:
        self.scopes.append({})
        self.block(block)
        for child in children.get(block, ()):
            self._tree(child, children)
        self.scopes.pop()

    def block(self, block: Block) -> None:
        for op in block.ops:
            if op.regions:
                self._nested(op)
            self._merge(op)

    def _nested(self, op: Operation) -> None:
        if _is_isolated(type(op)):
            kept, self.scopes = self.scopes, []
            for region in op.regions:
                self.region(region)
            self.scopes = kept
        else:
            for region in op.regions:
                self.region(region)

    def _merge(self, op: Operation) -> None:
        cls = type(op)
        if is_terminator(cls):
            return
        if is_unused(op) and dead_when_unused(op):
            self.dead.append(op)
            return
        effect = get_effects(op)
        if effect is not Effect.NONE and effect is not Effect.READ:
            return
        key = _key(op)
        if key is None:
            return
        twin = self._lookup(key)
        if twin is None or (effect is Effect.READ and not _nothing_written(twin, op)):
            self.scopes[-1][key] = op
            return
        for old, new in zip(op.results, twin.results, strict=True):
            old.replace_all_uses_with(new)
        if twin.location == locations.unknown:
            twin.location = op.location
        self.dead.append(op)

    def _lookup(self, key: Key) -> Operation | None:
        for scope in reversed(self.scopes):
            if (found := scope.get(key)) is not None:
                return found
        return None


def _nothing_written(twin: Operation, op: Operation) -> bool:
    """Tell whether memory is the same at `op` as it was at `twin`, in the same block."""
    if twin.parent is not op.parent:
        return False
    current = twin.next_op
    while current is not op:
        assert current is not None
        if get_effects(current) & (Effect.WRITE | Effect.UNKNOWN):
            return False
        current = current.next_op
    return True


def _key(op: Operation) -> Key | None:
    """Return what two operations must share to be equal; None for those never merged."""
    cls = type(op)
    operands: Any = tuple(op.operands)
    if _is_commutative(cls):
        operands = tuple(sorted(map(id, operands)))
    regions: Key = ()
    if op.regions:
        shapes = [region_key(region) for region in op.regions]
        if any(shape is None for shape in shapes):
            return None
        regions = tuple(shapes)
    return (
        cls,
        operands,
        frozenset(op.properties.items()),
        frozenset(op.attributes.items()) if op.attributes else None,
        tuple(result.type for result in op.results),
        regions,
    )


def region_key(region: Region, numbers: dict[SSAValue, int] | None = None) -> Key | None:
    """Return the shape of a one-block region, its own values numbered; None for several blocks."""
    first = region.blocks.first
    if first is None:
        return ()
    if first.next_block is not None:
        return None
    numbers = {} if numbers is None else numbers
    for argument in first.args:
        numbers[argument] = len(numbers)
    parts: list[Key] = []
    for op in first.ops:
        inner = tuple(region_key(nested, numbers) for nested in op.regions)
        if any(shape is None for shape in inner):
            return None
        parts.append(
            (
                type(op),
                tuple(numbers.get(operand, operand) for operand in op.operands),
                frozenset(op.properties.items()),
                frozenset(op.attributes.items()),
                tuple(result.type for result in op.results),
                inner,
            )
        )
        for result in op.results:
            numbers[result] = len(numbers)
    return (tuple(argument.type for argument in first.args), tuple(parts))
