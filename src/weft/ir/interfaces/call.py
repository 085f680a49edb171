"""CallOpInterface and CallableOpInterface: calls and the functions that they call.

    tt.func private @f(%x: f32) -> f32 { tt.return %y : f32 }       callable_region: its body
    %r = tt.call @f(%a) : (f32) -> f32                              callee_name: f, arg_operands: %a

The operands of a call become the arguments of the callable's entry block; the operands of its
return operations become the results of the call.

Source: MLIR, Interfaces/CallInterfaces.td.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from xdsl.ir import BlockArgument, Operation, Region, SSAValue

__all__ = ["CallOpInterface", "CallableOpInterface"]


class CallOpInterface(Operation, ABC):
    """A call of a function of the same module."""

    @property
    @abstractmethod
    def callee_name(self) -> str:
        """The symbol of the callee, without `@`."""

    @property
    @abstractmethod
    def arg_operands(self) -> tuple[SSAValue, ...]:
        """The operands passed to the callee."""


class CallableOpInterface(Operation, ABC):
    """A function, declared or defined."""

    @property
    @abstractmethod
    def callable_region(self) -> Region | None:
        """The body, None for a declaration."""

    @property
    def callable_arguments(self) -> tuple[BlockArgument, ...]:
        """The arguments of the entry block; empty for a declaration."""
        region = self.callable_region
        entry = None if region is None else region.blocks.first
        return () if entry is None else tuple(entry.args)

    @abstractmethod
    def return_ops(self) -> Iterator[Operation]:
        """Yield the operations that return to the caller; their operands are the results."""
