"""What an operation does besides giving its results.

An operation is *pure* if it touches no memory and may be run speculatively; it is *trivially
dead* if nothing uses its results and removing it changes nothing (a load that nobody reads,
too). Regions count: an if is as pure as what it holds.
"""

from __future__ import annotations

from enum import Flag, auto
from functools import cache

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.traits import (
    IsTerminator,
    MemoryAllocEffect,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

from weft.ir import tt


class Effect(Flag):
    """Kinds of effect; `UNKNOWN` stands for anything at all."""

    NONE = 0
    READ = auto()
    WRITE = auto()
    UNKNOWN = auto()


@cache
def declared(cls: type[Operation]) -> tuple[Effect, bool]:
    """Return the effect that a class declares, and whether its regions' effects add to it."""
    traits = cls.traits.traits
    effect, known, recursive = Effect.NONE, False, False
    for trait in traits:
        if isinstance(trait, RecursiveMemoryEffect):
            known = recursive = True
        elif isinstance(trait, NoMemoryEffect):
            known = True
        elif isinstance(trait, MemoryReadEffect):
            known, effect = True, effect | Effect.READ
        elif isinstance(trait, MemoryWriteEffect | MemoryAllocEffect | MemoryFreeEffect):
            known, effect = True, effect | Effect.WRITE
    return (effect if known else Effect.UNKNOWN), recursive


def effects(op: Operation) -> Effect:
    """Return the effects of an operation, those of its regions included."""
    if isinstance(op, tt.ExternElementwiseOp | tt.ElementwiseInlineAsmOp):
        pure = op.properties["pure"]
        is_pure = isinstance(pure, IntegerAttr) and bool(pure.value.data)
        return Effect.NONE if is_pure else Effect.READ | Effect.WRITE
    effect, recursive = declared(type(op))
    if isinstance(op, tt.LoadOp) and op.isVolatile.value.data:
        effect |= Effect.WRITE
    if recursive:
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    effect |= effects(inner)
    return effect


def is_pure(op: Operation) -> bool:
    """Tell whether an operation touches no memory, its regions included."""
    return effects(op) is Effect.NONE


def is_trivially_dead(op: Operation) -> bool:
    """Tell whether an operation can go: no result is used and it writes nothing."""
    if any(result.first_use is not None for result in op.results):
        return False
    if op.has_trait(IsTerminator) or op.has_trait(SymbolOpInterface) or isinstance(op, ModuleOp):
        return False
    return not effects(op) & (Effect.WRITE | Effect.UNKNOWN)
