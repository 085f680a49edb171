"""The ttg dialect: what Triton adds once tensors have layouts.

%1 = ttg.convert_layout %0 : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes, types
from weft.ir.constraints import i32_prop
from weft.ir.operation import Op, operation


@operation
class ConvertLayoutOp(Op):
    """Give a tensor another layout: the same elements, held by other threads.

    `%1 = ttg.convert_layout %0 : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>`
    """

    name = "ttg.convert_layout"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = self.src.type, self.result.type
        if types.with_encoding(before, None) != types.with_encoding(after, None):
            raise VerifyException(
                f"ttg.convert_layout: {before} to {after} changes more than layout"
            )


_MEMORY_KINDS = ("local", "global_read", "global_write", "tensor_read", "tensor_write")
_ALL = (1 << len(_MEMORY_KINDS)) - 1


@operation
class BarrierOp(Op):
    """Wait for all threads of the block; memory of the named kinds is then seen by all of them.

    `ttg.barrier local`, `ttg.barrier local|global_read`, `ttg.barrier all`
    """

    name = "ttg.barrier"
    addrSpace = i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> BarrierOp:
        bits = 0
        while True:
            kind = parser.parse_identifier()
            if kind == "all":
                bits |= _ALL
            elif kind in _MEMORY_KINDS:
                bits |= 1 << _MEMORY_KINDS.index(kind)
            elif kind != "none":
                parser.raise_error(f"unknown memory {kind}; accepted: {', '.join(_MEMORY_KINDS)}")
            if parser.parse_optional_punctuation("|") is None:
                break
        space = attributes.integer(bits, types.i32)
        attrs = parser.parse_optional_attr_dict()
        return cls.create(properties={"addrSpace": space}, attributes=attrs)

    def print(self, printer: Printer) -> None:
        bits = self.addrSpace.value.data
        named = [kind for index, kind in enumerate(_MEMORY_KINDS) if bits >> index & 1]
        text = "all" if bits == _ALL else "|".join(named) or "none"
        printer.print_string(f" {text}")
        printer.print_op_attributes(self.attributes)


Ttg = Dialect("ttg", [ConvertLayoutOp, BarrierOp])
