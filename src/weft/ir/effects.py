"""What an operation does besides giving its results.

An operation is *pure* if it touches no memory and may be run speculatively; it is *trivially
dead* if nothing uses its results and removing it changes nothing (a load that nobody reads,
too). Regions count: an if is as pure as what it holds.
"""

from __future__ import annotations

from collections.abc import Callable
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

from weft.ir import tt, ttg, ttng


class Effect(Flag):
    """Kinds of effect; `UNKNOWN` stands for anything at all."""

    NONE = 0
    READ = auto()
    WRITE = auto()
    ALLOC = auto()  # memory of the operation's own result, gone with it if nobody uses it
    FREE = auto()
    UNKNOWN = auto()


KEEPS = Effect.WRITE | Effect.FREE | Effect.UNKNOWN  # the effects for which an operation stays


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
        elif isinstance(trait, MemoryWriteEffect):
            known, effect = True, effect | Effect.WRITE
        elif isinstance(trait, MemoryAllocEffect):
            known, effect = True, effect | Effect.ALLOC
        elif isinstance(trait, MemoryFreeEffect):
            known, effect = True, effect | Effect.FREE
    return (effect if known else Effect.UNKNOWN), recursive


def _inline(op: tt.ExternElementwiseOp | tt.ElementwiseInlineAsmOp) -> Effect:
    pure = op.properties["pure"]
    is_pure = isinstance(pure, IntegerAttr) and bool(pure.value.data)
    return Effect.NONE if is_pure else Effect.READ | Effect.WRITE


def _load(op: tt.LoadOp) -> Effect:
    return Effect.READ | Effect.WRITE if op.isVolatile.value.data else Effect.READ


def _allocation(op: ttg.LocalAllocOp | ttng.TMEMAllocOp) -> Effect:
    """An immutable buffer is as good as its value, until it has got its place in memory."""
    memory = op.results[0].type
    placed = "allocation.offset" in op.attributes or "tensor_memory_col_offset" in op.attributes
    if isinstance(memory, ttg.MemDescType) and not memory.is_mutable and not placed:
        return Effect.NONE
    return Effect.ALLOC if op.src is None else Effect.ALLOC | Effect.WRITE


def _product(op: ttng.WarpGroupDotOp) -> Effect:
    """A product reads the buffers among its operands that may change."""
    given = (op.a.type, op.b.type)
    changing = any(isinstance(t, ttg.MemDescType) and t.is_mutable for t in given)
    return Effect.READ if changing else Effect.NONE


# The classes whose operations have different effects, by their properties and types.
_ITS_OWN: dict[type[Operation], Callable[..., Effect]] = {
    tt.ExternElementwiseOp: _inline,
    tt.ElementwiseInlineAsmOp: _inline,
    tt.LoadOp: _load,
    ttg.LocalAllocOp: _allocation,
    ttng.TMEMAllocOp: _allocation,
    ttng.WarpGroupDotOp: _product,
}


def effects(op: Operation) -> Effect:
    """Return the effects of an operation, those of its regions included."""
    cls = type(op)
    own = _ITS_OWN.get(cls)
    if own is not None:
        return own(op)
    effect, recursive = declared(cls)
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
    if declared(type(op))[0] is Effect.ALLOC:
        return True  # what it writes, it writes into its own memory
    return not effects(op) & KEEPS
