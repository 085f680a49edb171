"""MemoryEffectOpInterface: which effects on memory an operation has.

Most classes have the same effect always and declare it by a trait of xDSL (`Pure`,
`MemoryReadEffect`, …, `RecursiveMemoryEffect`). A class whose effect depends on properties or
types, such as `tt.load` with `isVolatile`, implements `MemoryEffectOpInterface`. `get_effects`
asks both; an operation with neither may have any effect.

Source: MLIR, Interfaces/SideEffectInterfaces.td.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Set as AbstractSet
from enum import Flag, auto
from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.irdl import traits_def
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryAllocEffect,
    MemoryEffect,
    MemoryEffectKind,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

__all__ = [
    "Effect",
    "MemoryEffectOpInterface",
    "get_effects",
    "is_memory_effect_free",
    "is_trivially_dead",
    "would_be_trivially_dead",
]


class Effect(Flag):
    """A set of effects on memory.

    `ALLOC` allocates the memory that a result refers to. `UNKNOWN` is any effect.
    """

    NONE = 0
    READ = auto()
    WRITE = auto()
    ALLOC = auto()
    FREE = auto()
    UNKNOWN = auto()


_OBSERVABLE = Effect.WRITE | Effect.FREE | Effect.UNKNOWN

_TRAIT_EFFECTS: dict[type[MemoryEffect], Effect] = {
    NoMemoryEffect: Effect.NONE,
    RecursiveMemoryEffect: Effect.NONE,
    MemoryReadEffect: Effect.READ,
    MemoryWriteEffect: Effect.WRITE,
    MemoryAllocEffect: Effect.ALLOC,
    MemoryFreeEffect: Effect.FREE,
}
_KINDS = {
    Effect.READ: MemoryEffectKind.READ,
    Effect.WRITE: MemoryEffectKind.WRITE,
    Effect.ALLOC: MemoryEffectKind.ALLOC,
    Effect.FREE: MemoryEffectKind.FREE,
}


class _InterfaceEffects(MemoryEffect):
    """The trait through which xDSL's own passes see the effects of the interface."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance] | None:
        assert isinstance(op, MemoryEffectOpInterface)
        effects = op.memory_effects()
        if effects & Effect.UNKNOWN:
            return None
        return {EffectInstance(kind) for effect, kind in _KINDS.items() if effect & effects}


class MemoryEffectOpInterface(Operation, ABC):
    """An operation whose effects depend on its properties, attributes or types."""

    traits = traits_def(_InterfaceEffects())

    @abstractmethod
    def memory_effects(self) -> Effect:
        """Compute the effects of this operation."""


@cache
def _declared_effects(cls: type[Operation]) -> tuple[Effect, bool] | None:
    """Compute the effects that the traits of a class declare.

    Returns:
        The effects, and whether those of the operations in its regions are added. None if each
        operation of the class computes its own.
    """
    if issubclass(cls, MemoryEffectOpInterface):
        return None
    declared = [trait for trait in cls.traits.traits if isinstance(trait, MemoryEffect)]
    if not declared:
        return Effect.UNKNOWN, False
    effects, recursive = Effect.NONE, False
    for trait in declared:
        recursive |= isinstance(trait, RecursiveMemoryEffect)
        for cls_, effect in _TRAIT_EFFECTS.items():
            if isinstance(trait, cls_):
                effects |= effect
    return effects, recursive


def get_effects(op: Operation) -> Effect:
    """Compute the effects of an operation, including those of its regions."""
    declared = _declared_effects(type(op))
    if declared is None:
        assert isinstance(op, MemoryEffectOpInterface)
        return op.memory_effects()
    effects, recursive = declared
    if recursive:
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    effects |= get_effects(inner)
    return effects


def is_memory_effect_free(op: Operation) -> bool:
    """Check whether an operation and its regions neither read nor change memory."""
    return get_effects(op) is Effect.NONE


@cache
def _dead_when_unused(cls: type[Operation]) -> bool | None:
    """Decide `would_be_trivially_dead` for a class, None if its operations differ."""
    if cls is ModuleOp or cls.has_trait(IsTerminator) or cls.has_trait(SymbolOpInterface):
        return False
    declared = _declared_effects(cls)
    if declared is None or declared[1]:
        return None
    return not declared[0] & _OBSERVABLE


def would_be_trivially_dead(op: Operation) -> bool:
    """Check whether an operation could be erased if none of its results had a use.

    A read counts as dead. So does an allocation with its initial value: the write goes to memory
    that only the unused result refers to.
    """
    decided = _dead_when_unused(type(op))
    if decided is not None:
        return decided
    if isinstance(op, MemoryEffectOpInterface):
        effects = op.memory_effects()
        return bool(effects & Effect.ALLOC) or not effects & _OBSERVABLE
    return not _has_observable_effect(op)


def _has_observable_effect(op: Operation) -> bool:
    """Check for an observable effect of an operation or of its regions; stop at the first."""
    decided = _is_observable(type(op))
    if decided is not None:
        return decided
    if isinstance(op, MemoryEffectOpInterface):
        return bool(op.memory_effects() & _OBSERVABLE)
    for region in op.regions:
        for block in region.blocks:
            inner = block.last_op  # a body stores its results near the end
            while inner is not None:
                if _has_observable_effect(inner):
                    return True
                inner = inner.prev_op
    return False


@cache
def _is_observable(cls: type[Operation]) -> bool | None:
    """Decide `_has_observable_effect` for a class, None if its operations differ."""
    declared = _declared_effects(cls)
    if declared is None:
        return None
    effects, recursive = declared
    return bool(effects & _OBSERVABLE) or (None if recursive else False)


def is_trivially_dead(op: Operation) -> bool:
    """Check whether an operation can be erased: it has no used result and no other effect."""
    for result in op.results:  # a loop, because a generator costs more here
        if result.first_use is not None:
            return False
    return would_be_trivially_dead(op)
