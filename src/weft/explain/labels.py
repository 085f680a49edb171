"""Names of values, types and layouts, sizes of tensors and loop depths, as reports print them.

%acc   128x64xf16   16384 bytes   #blocked   slice dim 1 of #blocked   line 17   loop depth 1
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from weft.errors import Location
from weft.explain.source_lines import kernel_line
from weft.ir import types
from weft.ir.rewriting import ancestors
from weft.ir.text import print_module
from weft.ir.text.numbering import Names
from weft.layouts import Encoding

__all__ = ["Labels", "LayoutNames", "element_bits", "loop_depth", "shape_text", "tensor_bytes"]

_LOOPS = ("scf.for", "scf.while")
_FIELD_NAMES = {"opIdx": ""}  # "dot_op 0 of #mma" is clear without the name of the field


@dataclass(frozen=True)
class Labels:
    """The names of the parts of one module.

    Attributes:
        module: The module.
    """

    module: ModuleOp

    @cached_property
    def _names(self) -> Names:
        return Names(self.module, named=True)

    @cached_property
    def layout_names(self) -> LayoutNames:
        """The names of the module's layouts."""
        return LayoutNames(self.module)

    def value(self, value: SSAValue) -> str:
        """Name a value: "%acc"."""
        return f"%{self._names.values.get(value, '?')}"

    def layout(self, type_: Attribute) -> str:
        """Name the layout of a type, "no layout" if it has none."""
        encoding = types.encoding(type_)
        return "no layout" if encoding is None else self.layout_names(encoding)

    def defining_op(self, value: SSAValue) -> str:
        """Name the operation that defines a value, or contains its block argument."""
        op = _operation_of(value)
        return "" if op is None else op.name

    def line(self, source: SSAValue | Operation) -> Location | None:
        """Find the line of the kernel that a value or an operation comes from.

        An operation without a location, such as the conversion of a loop-carried value, has the
        line of what computes its operands, else of its users.
        """
        op = source if isinstance(source, Operation) else _operation_of(source)
        if op is None:
            return None
        return next((line for each in (op, *_neighbors(op)) if (line := kernel_line(each))), None)


class LayoutNames:
    """The names of encodings: the aliases of the module's text, or descriptions that use them."""

    def __init__(self, module: ModuleOp) -> None:
        self._aliases: dict[str, str] = {}  # the text of an encoding → its alias
        for line in print_module(module).splitlines():
            alias, equals, text = line.partition(" = ")
            if not equals or not alias.startswith("#"):
                break  # aliases come before the module
            self._aliases[text] = alias

    def has_alias(self, encoding: Encoding) -> bool:
        """Check whether the module's text has an alias of an encoding."""
        return str(encoding) in self._aliases

    def __call__(self, encoding: Encoding) -> str:
        """Name an encoding: "#blocked", "slice dim 1 of #blocked"."""
        alias = self._aliases.get(str(encoding))
        if alias is not None:
            return alias
        fields = [
            f"of {self(value)}"
            if isinstance(value, Encoding)
            else f"{_FIELD_NAMES.get(key, key)} {value}".strip()
            for key, value in encoding.fields()
        ]
        return " ".join([encoding.mnemonic, *fields])


def _neighbors(op: Operation) -> Iterator[Operation]:
    """Yield the operations that compute the operands of an operation, then its users."""
    for operand in op.operands:
        producer = _operation_of(operand)
        if producer is not None:
            yield producer
    for result in op.results:
        for use in result.uses:
            yield use.operation


def _operation_of(value: SSAValue) -> Operation | None:
    owner = value.owner
    return owner if isinstance(owner, Operation) else owner.parent_op()


def loop_depth(op: Operation) -> int:
    """Count the loops around an operation."""
    return sum(outer.name in _LOOPS for outer in ancestors(op))


def shape_text(type_: Attribute) -> str:
    """Format the shape and element type of a tensor: "64x32xf16"."""
    return "x".join([*map(str, types.shape(type_)), str(types.element(type_))])


def element_bits(type_: Attribute) -> int:
    """Compute the bits of a tensor's element; pointers have 64."""
    element = types.element(type_)
    return 64 if types.is_pointer(element) else types.bit_width(element)


def tensor_bytes(type_: Attribute) -> int:
    """Compute the bytes of a tensor; an element takes at least one."""
    return math.prod(types.shape(type_)) * max(element_bits(type_), 8) // 8
