"""Shared memory that an operation needs for itself while it runs.

The count of bytes is registered beside the lowering:

    @scratch(tt.ReduceOp)
    def _count_scratch_bytes(op: tt.ReduceOp, target: Target) -> int: …
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from xdsl.ir import Operation

from weft.registry import Registry
from weft.targets import Target

__all__ = ["preferred_scratch", "preferred_scratch_bytes", "scratch", "scratch_bytes"]

# The parameters are the operation and the chip.
CountBytes: TypeAlias = Callable[..., int]
F = TypeVar("F", bound=CountBytes)

_REQUIRED = Registry[CountBytes]("weft.codegen.lowering")
_PREFERRED = Registry[CountBytes]("weft.codegen.lowering")


def scratch(*ops: type[Operation]) -> Callable[[F], F]:
    """Register how many bytes of scratch memory operations need."""
    return _register(_REQUIRED, ops)


def preferred_scratch(*ops: type[Operation]) -> Callable[[F], F]:
    """Register with how many bytes operations would need the fewest barriers."""
    return _register(_PREFERRED, ops)


def _register(registry: Registry[CountBytes], ops: tuple[type[Operation], ...]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for op in ops:
            registry.add(op.name, function)
        return function

    return decorate


def scratch_bytes(op: Operation, target: Target) -> int:
    """Count the bytes that an operation needs; 0 if it exchanges nothing through memory."""
    return _count(_REQUIRED, op, target)


def preferred_scratch_bytes(op: Operation, target: Target) -> int:
    """Count the bytes that an operation uses if they are free; 0 if it needs no more."""
    return _count(_PREFERRED, op, target)


def _count(registry: Registry[CountBytes], op: Operation, target: Target) -> int:
    count_bytes = registry.get(op.name)
    return 0 if count_bytes is None else count_bytes(op, target)
