"""Names of values and layouts, types in short, lines of the kernel, depths of loops."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from weft.errors import Location
from weft.explain.inventory import LayoutNames, kernel_line, loop_depth, shape_text
from weft.ir import types
from weft.ir.text.numbering import Names

__all__ = ["Places"]


@dataclass(frozen=True)
class Places:
    """What the parts of a module are called in a report."""

    module: ModuleOp

    @cached_property
    def _values(self) -> Names:
        return Names(self.module, named=True)

    @cached_property
    def layout_names(self) -> LayoutNames:
        """Return the names of the module's layouts."""
        return LayoutNames(self.module)

    def value(self, value: SSAValue) -> str:
        """Return "%acc"."""
        return f"%{self._values.values.get(value, '?')}"

    def layout(self, type_: Attribute) -> str:
        """Return the name of a type's layout, "no layout" where it has none."""
        encoding = types.encoding(type_)
        return "no layout" if encoding is None else self.layout_names(encoding)

    def type(self, type_: Attribute) -> str:
        """Return "128x64xf16"."""
        return shape_text(type_)

    def maker(self, value: SSAValue) -> str:
        """Return the name of the operation that makes a value."""
        owner = value.owner
        if isinstance(owner, Operation):
            return owner.name
        parent = owner.parent_op() if isinstance(owner, Block) else None
        return "" if parent is None else parent.name

    def line(self, value: SSAValue | Operation) -> Location | None:
        """Return the line of the kernel that a value or an operation comes from."""
        if isinstance(value, Operation):
            return kernel_line(value)
        owner = value.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        return None if op is None else kernel_line(op)

    def depth(self, op: Operation) -> int:
        """Return how many loops an operation stands in."""
        return loop_depth(op)
