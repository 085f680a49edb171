"""Functions, calls and returns of tt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoMemoryEffect, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from weft.ir.attributes import boolean
from weft.ir.interfaces import CallableOpInterface, CallOpInterface
from weft.ir.op_traits import HasParent
from weft.ir.operation import Op, operation

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer


@operation
class FuncOp(Op, CallableOpInterface):
    """A kernel (public), or a function that kernels call (private).

    Example:
        tt.func public @k(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32})
            attributes {noinline = false} {
          tt.return
        }
    """

    name = "tt.func"
    sym_name = prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr)
    res_attrs = opt_prop_def(ArrayAttr)
    body = region_def()
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), HasParent(("builtin.module",)))

    @classmethod
    def of(
        cls,
        name: str,
        inputs: Sequence[Attribute],
        outputs: Sequence[Attribute],
        *,
        public: bool = True,
        noinline: bool = False,
    ) -> FuncOp:
        """Create a function whose entry block has an argument per input."""
        return cls.create(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(list(inputs), list(outputs)),
                "sym_visibility": StringAttr("public" if public else "private"),
            },
            attributes={"noinline": boolean(noinline)},
            regions=[Region(Block(arg_types=list(inputs)))],
        )

    @property
    def symbol(self) -> str:
        """The function's name, without `@`."""
        return self.sym_name.data

    @property
    def is_public(self) -> bool:
        return self.sym_visibility is None or self.sym_visibility.data == "public"

    @property
    def entry(self) -> Block:
        """The entry block, whose arguments are the function's."""
        block = self.regions[0].blocks.first
        assert block is not None
        return block

    @property
    def callable_region(self) -> Region | None:
        return self.regions[0] if self.regions[0].blocks else None

    def return_ops(self) -> Iterator[ReturnOp]:
        for block in self.regions[0].blocks:
            if isinstance(block.last_op, ReturnOp):
                yield block.last_op

    def argument_attributes(self, index: int) -> dict[str, Attribute]:
        """Get the attributes of an argument, such as `tt.divisibility`."""
        if self.arg_attrs is None:
            return {}
        attributes = self.arg_attrs.data[index]
        return dict(attributes.data) if isinstance(attributes, DictionaryAttr) else {}

    def set_argument_attributes(self, index: int, attributes: dict[str, Attribute]) -> None:
        """Replace the attributes of one argument."""
        count = len(self.function_type.inputs.data)
        entries = [DictionaryAttr(self.argument_attributes(i)) for i in range(count)]
        entries[index] = DictionaryAttr(attributes)
        if any(entry.data for entry in entries):
            self.properties["arg_attrs"] = ArrayAttr(entries)
        else:
            self.properties.pop("arg_attrs", None)

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        visibility = parser.parse_optional_visibility_keyword()
        name = parser.parse_symbol_name()
        arguments, inputs, attribute_dicts = _parse_signature(parser)
        outputs, result_attribute_dicts = _parse_results(parser)
        extra = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_optional_region(arguments) or Region()
        properties: dict[str, Attribute] = {
            "sym_name": name,
            "function_type": FunctionType.from_lists(inputs, outputs),
        }
        if visibility is not None:
            properties["sym_visibility"] = visibility
        if any(entry.data for entry in attribute_dicts):
            properties["arg_attrs"] = ArrayAttr(attribute_dicts)
        if any(entry.data for entry in result_attribute_dicts):
            properties["res_attrs"] = ArrayAttr(result_attribute_dicts)
        return cls.create(
            properties=properties, attributes=dict(extra.data) if extra else {}, regions=[region]
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.sym_visibility is not None:
            printer.print_string(f"{self.sym_visibility.data} ")
        printer.print_symbol_name(self.sym_name.data)
        block = self.regions[0].blocks.first
        printer.print_string("(")
        for index, type_ in enumerate(self.function_type.inputs.data):
            printer.print_string(", " if index else "")
            if block is not None:
                printer.print_operand(block.args[index])
                printer.print_string(": ")
            printer.print_attribute(type_)
            printer.print_op_attributes(self.argument_attributes(index))
            if printer.print_debuginfo and block is not None:
                printer.print_string(" ")
                printer.print_attribute(block.args[index].location)
        printer.print_string(")")
        self._print_results(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        if block is not None:
            printer.print_string(" ")
            printer.print_region(
                self.regions[0], print_entry_block_args=False, print_empty_block=False
            )

    def _print_results(self, printer: Printer) -> None:
        outputs = self.function_type.outputs.data
        if not outputs:
            return
        attribute_dicts = self.res_attrs.data if self.res_attrs is not None else ()
        printer.print_string(" -> ")
        if len(outputs) == 1 and not attribute_dicts:
            printer.print_attribute(outputs[0])
            return
        printer.print_string("(")
        for index, type_ in enumerate(outputs):
            printer.print_string(", " if index else "")
            printer.print_attribute(type_)
            if attribute_dicts and isinstance(entry := attribute_dicts[index], DictionaryAttr):
                printer.print_op_attributes(entry.data)
        printer.print_string(")")

    def verify_(self) -> None:
        block = self.regions[0].blocks.first
        inputs = self.function_type.inputs.data
        visibility = self.sym_visibility
        if visibility is not None and visibility.data not in ("public", "private", "nested"):
            raise VerifyException(
                'visibility expected to be one of ["public", "private", "nested"], but got '
                f'"{visibility.data}"'
            )
        for name, kind, count in (
            ("argument", "arguments", len(inputs)),
            ("result", "results", len(self.function_type.outputs.data)),
        ):
            entries = self.arg_attrs if name == "argument" else self.res_attrs
            if entries is not None and len(entries.data) != count:
                raise VerifyException(
                    f"expects {name} attribute array to have the same number of elements as the "
                    f"number of function {kind}, got {len(entries.data)}, but expected {count}"
                )
            for entry in () if entries is None else entries.data:
                if any("." not in key for key in getattr(entry, "data", ())):
                    raise VerifyException(f"{kind} may only have dialect attributes")
        if block is None:
            if self.is_public:
                raise VerifyException("symbol declaration cannot have public visibility")
            return
        if len(block.args) != len(inputs):
            raise VerifyException(
                f"entry block must have {len(inputs)} arguments to match function signature"
            )
        for index, (argument, type_) in enumerate(zip(block.args, inputs, strict=True)):
            if argument.type != type_:
                raise VerifyException(
                    f"type of entry block argument #{index}('{argument.type}') must match the type "
                    f"of the corresponding argument in function signature('{type_}')"
                )


def _parse_signature(
    parser: Parser,
) -> tuple[list[Parser.Argument] | None, list[Attribute], list[DictionaryAttr]]:
    """Parse `(%a: type {attributes} loc, …)`, or `(type, …)` of a declaration."""
    arguments: list[Parser.Argument] = []
    inputs: list[Attribute] = []
    attribute_dicts: list[DictionaryAttr] = []

    def parse_entry() -> None:
        argument = parser.parse_optional_argument()
        inputs.append(argument.type if argument is not None else parser.parse_type())
        attribute_dicts.append(DictionaryAttr(parser.parse_optional_attr_dict()))
        if argument is not None:
            argument.location = parser.parse_optional_location()
            arguments.append(argument)

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_entry)
    return (arguments if len(arguments) == len(inputs) else None), inputs, attribute_dicts


def _parse_results(parser: Parser) -> tuple[list[Attribute], list[DictionaryAttr]]:
    if parser.parse_optional_punctuation("->") is None:
        return [], []
    attribute_dicts: list[DictionaryAttr] = []

    def parse_entry() -> Attribute:
        type_ = parser.parse_type()
        attribute_dicts.append(DictionaryAttr(parser.parse_optional_attr_dict()))
        return type_

    outputs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parse_entry)
    return ([parser.parse_type()], []) if outputs is None else (list(outputs), attribute_dicts)


@operation
class ReturnOp(Op):
    """Return from the function.  `tt.return %x : f32`"""

    name = "tt.return"
    srcs = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("tt.func",)))
    FORMAT: ClassVar[str] = "attr-dict ($srcs^ `:` type($srcs))?"

    def verify_(self) -> None:
        function = self.parent_op()
        if not isinstance(function, FuncOp):
            return
        outputs = function.function_type.outputs.data
        if len(self.operands) != len(outputs):
            raise VerifyException(
                f"has {len(self.operands)} operands, but enclosing function (@{function.symbol}) "
                f"returns {len(outputs)}"
            )
        for index, (value, type_) in enumerate(zip(self.operands, outputs, strict=True)):
            if value.type != type_:
                raise VerifyException(
                    f"type of return operand {index} ('{value.type}') doesn't match function "
                    f"result type ('{type_}') in function @{function.symbol}"
                )


@operation
class CallOp(Op, CallOpInterface):
    """Call a function of the module.  `%r = tt.call @f(%x) : (f32) -> f32`"""

    name = "tt.call"
    callee = prop_def(SymbolRefAttr)
    args_ = var_operand_def()
    outs = var_result_def()
    arg_attrs = opt_prop_def(ArrayAttr)
    res_attrs = opt_prop_def(ArrayAttr)
    FORMAT: ClassVar[str] = "$callee `(` $args_ `)` attr-dict `:` functional-type($args_, results)"

    @property
    def callee_name(self) -> str:
        return self.callee.root_reference.data

    @property
    def arg_operands(self) -> tuple[SSAValue, ...]:
        return tuple(self.operands)

    def verify_(self) -> None:
        function = self._callee()
        if function is None:
            raise VerifyException(f"'{self.callee_name}' does not reference a valid function")
        inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
        if len(inputs) != len(self.operands):
            raise VerifyException("incorrect number of operands for callee")
        for index, (type_, operand) in enumerate(zip(inputs, self.operands, strict=True)):
            if operand.type != type_:
                raise VerifyException(
                    f"operand type mismatch: expected operand type '{type_}', but provided "
                    f"'{operand.type}' for operand number {index}"
                )
        if len(outputs) != len(self.results):
            raise VerifyException("incorrect number of results for callee")
        for index, (type_, result) in enumerate(zip(outputs, self.results, strict=True)):
            if result.type != type_:
                raise VerifyException(f"result type mismatch at index {index}")

    def _callee(self) -> FuncOp | None:
        """Find the callee in the module of the call; None without one."""
        top = self.parent_op()
        while top is not None and not isinstance(top, ModuleOp):
            top = top.parent_op()
        symbols = () if top is None else top.body.ops
        for op in symbols:
            if isinstance(op, FuncOp) and op.symbol == self.callee_name:
                return op
        return None


OPERATIONS = (
    FuncOp,
    ReturnOp,
    CallOp,
)

__all__ = [
    "CallOp",
    "FuncOp",
    "OPERATIONS",
    "ReturnOp",
]
