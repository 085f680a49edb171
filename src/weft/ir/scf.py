"""The scf dialect: loops and conditionals whose bodies are regions.

    %r = scf.for %i = %lb to %ub step %s iter_args(%acc = %init) -> (f32)  : i32 {
      …
      scf.yield %next : f32
    }

The blanks are MLIR's own (two before the type of an induction variable that is no index).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, Dialect, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoMemoryEffect, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.operation import Infer, Op, fixed, operation


def _yield_types(op: Op, region: Region, wanted: list[Attribute]) -> None:
    last = region.blocks.last.last_op if region.blocks.last else None
    if not isinstance(last, YieldOp):
        raise VerifyException(f"{op.name}: the region must end in scf.yield")
    found = [value.type for value in last.operands]
    if found != wanted:
        raise VerifyException(
            f"{op.name}: scf.yield gives ({', '.join(map(str, found))}), "
            f"the results are ({', '.join(map(str, wanted))})"
        )


def _end_with_yield(region: Region) -> Region:
    """Add the empty `scf.yield` that the text leaves out."""
    if region.blocks.first is None:
        region.add_block(Block())
    block = region.blocks.last
    if block is not None and not isinstance(block.last_op, YieldOp):
        block.add_op(YieldOp.create())
    return region


def _parse_types(parser: Parser) -> list[Attribute]:
    """Parse `-> (types)` or `-> type`."""
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if found is None else list(found)


def _print_initialised(
    printer: Printer, keyword: str, args: tuple[BlockArgument, ...], values: tuple[SSAValue, ...]
) -> None:
    printer.print_string(f"{keyword}(")
    for index, (arg, value) in enumerate(zip(args, values, strict=True)):
        printer.print_string(", " if index else "")
        printer.print_operand(arg)
        printer.print_string(" = ")
        printer.print_operand(value)
    printer.print_string(")")


@operation
class YieldOp(Op):
    """Give a region's results to the operation around it.  `scf.yield %x : f32`"""

    name = "scf.yield"
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), Pure())
    FORMAT: ClassVar[str] = "attr-dict ($arguments^ `:` type($arguments))?"


@operation
class ConditionOp(Op):
    """End the before-region of a while: go on, with these values, where the condition holds.

    `scf.condition(%c) %x : i32`
    """

    name = "scf.condition"
    condition = operand_def()
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    FORMAT: ClassVar[str] = "`(` $condition `)` attr-dict ($arguments^ `:` type($arguments))?"
    INFER: ClassVar[Infer] = {"condition": fixed(types.i1)}


@operation
class ForOp(Op):
    """Count from a lower bound to below an upper bound, carrying values along.

    Operands: lower bound, upper bound, step, then the initial values; the body's arguments are
    the induction variable and the carried values, its yield gives their next values.
    """

    name = "scf.for"
    lower_bound = operand_def()
    upper_bound = operand_def()
    step = operand_def()
    init_args = var_operand_def()
    results_ = var_result_def()
    body = region_def("single_block")
    unsignedCmp = opt_prop_def(UnitAttr)
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def block(self) -> Block:
        """The body's only block."""
        return self.regions[0].block

    @property
    def induction_variable(self) -> BlockArgument:
        return self.block.args[0]

    @property
    def iter_args(self) -> tuple[BlockArgument, ...]:
        return tuple(self.block.args[1:])

    @property
    def terminator(self) -> YieldOp:
        last = self.block.last_op
        assert isinstance(last, YieldOp)
        return last

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        unsigned = parser.parse_optional_keyword("unsigned") is not None
        variable = parser.parse_argument(expect_type=False)
        bounds = []
        for sign in ("=", "to", "step"):
            if sign == "=":
                parser.parse_punctuation("=")
            else:
                parser.parse_keyword(sign)
            bounds.append(parser.parse_unresolved_operand())
        pairs, carried = [], []
        if parser.parse_optional_keyword("iter_args") is not None:

            def pair():
                argument = parser.parse_argument(expect_type=False)
                parser.parse_punctuation("=")
                return argument, parser.parse_unresolved_operand()

            pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
            parser.parse_punctuation("->")
            carried = _parse_types(parser)
            if len(carried) != len(pairs):
                parser.raise_error(f"{len(pairs)} iter_args and {len(carried)} result types")
        counter = types.index
        if parser.parse_optional_punctuation(":") is not None:
            counter = parser.parse_type()
        operands = [parser.resolve_operand(bound, counter) for bound in bounds]
        operands += [
            parser.resolve_operand(value, type_)
            for (_, value), type_ in zip(pairs, carried, strict=True)
        ]
        arguments = [variable.resolve(counter)]
        arguments += [
            argument.resolve(type_) for (argument, _), type_ in zip(pairs, carried, strict=True)
        ]
        body = _end_with_yield(parser.parse_region(arguments))
        op = cls.create(
            operands=operands,
            result_types=carried,
            regions=[body],
            properties={"unsignedCmp": UnitAttr()} if unsigned else {},
            attributes=parser.parse_optional_attr_dict(),
        )
        return op

    def print(self, printer: Printer) -> None:
        low, high, step, *inits = self.operands
        variable, *carried = self.block.args
        printer.print_string(" unsigned " if "unsignedCmp" in self.properties else " ")
        printer.print_operand(variable)
        for sign, bound in (("=", low), ("to", high), ("step", step)):
            printer.print_string(f" {sign} ")
            printer.print_operand(bound)
        printer.print_string(" ")
        if carried:
            _print_initialised(printer, "iter_args", tuple(carried), tuple(inits))
            printer.print_string(" -> (")
            printer.print_list([arg.type for arg in carried], printer.print_attribute)
            printer.print_string(") ")
        if variable.type != types.index:
            printer.print_string(" : ")
            printer.print_attribute(variable.type)
            printer.print_string(" ")
        printer.print_region(
            self.regions[0], print_entry_block_args=False, print_block_terminators=bool(carried)
        )
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        low, high, step, *inits = self.operands
        carried = [value.type for value in inits]
        if not low.type == high.type == step.type == self.block.args[0].type:
            raise VerifyException("scf.for: bounds, step and induction variable differ in type")
        if [arg.type for arg in self.block.args[1:]] != carried:
            raise VerifyException("scf.for: carried arguments differ in type from initial values")
        if [result.type for result in self.results] != carried:
            raise VerifyException("scf.for: results differ in type from initial values")
        _yield_types(self, self.regions[0], carried)


@operation
class IfOp(Op):
    """Run one of two regions.  `%r = scf.if %c -> (f32) { … } else { … }`"""

    name = "scf.if"
    condition = operand_def()
    results_ = var_result_def()
    then_region = region_def("single_block")
    else_region = region_def()
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def then_block(self) -> Block:
        return self.regions[0].block

    @property
    def else_block(self) -> Block | None:
        """The else-region's block, None where there is no else."""
        return self.regions[1].blocks.first

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = parser.resolve_operand(parser.parse_unresolved_operand(), types.i1)
        arrow = parser.parse_optional_punctuation("->") is not None
        found = _parse_types(parser) if arrow else []
        then_region = _end_with_yield(parser.parse_region())
        otherwise = parser.parse_optional_keyword("else") is not None
        else_region = _end_with_yield(parser.parse_region()) if otherwise else Region()
        return cls.create(
            operands=[condition],
            result_types=found,
            regions=[then_region, else_region],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        shown = bool(self.results)
        printer.print_string(" ")
        printer.print_operand(self.condition)
        if shown:
            printer.print_string(" -> (")
            printer.print_list([result.type for result in self.results], printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.regions[0], print_block_terminators=shown)
        if self.regions[1].blocks.first is not None:
            printer.print_string(" else ")
            printer.print_region(self.regions[1], print_block_terminators=shown)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        wanted = [result.type for result in self.results]
        if self.condition.type != types.i1:
            raise VerifyException(f"scf.if: an i1 condition expected, found {self.condition.type}")
        if wanted and self.regions[1].blocks.first is None:
            raise VerifyException("scf.if: with results there must be an else region")
        for region in self.regions:
            if region.blocks.first is not None:
                _yield_types(self, region, wanted)


@operation
class WhileOp(Op):
    """Loop while a condition, computed by the before-region, holds.

    `%r = scf.while (%a = %init) : (i32) -> i32 { … scf.condition(%c) %x : i32 } do {
    ^bb0(%b: i32): … scf.yield %next : i32 }`
    """

    name = "scf.while"
    inits = var_operand_def()
    results_ = var_result_def()
    before = region_def()
    after = region_def()
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def before_block(self) -> Block:
        return self.regions[0].block

    @property
    def after_block(self) -> Block:
        return self.regions[1].block

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        pairs = []
        if parser.parse_optional_punctuation("(") is not None:
            while parser.parse_optional_punctuation(")") is None:
                if pairs:
                    parser.parse_punctuation(",")
                argument = parser.parse_argument(expect_type=False)
                parser.parse_punctuation("=")
                pairs.append((argument, parser.parse_unresolved_operand()))
        parser.parse_punctuation(":")
        function_type = parser.parse_function_type()
        carried = list(function_type.inputs.data)
        if len(carried) != len(pairs):
            parser.raise_error(f"{len(pairs)} initial values and {len(carried)} types")
        operands = [
            parser.resolve_operand(value, type_)
            for (_, value), type_ in zip(pairs, carried, strict=True)
        ]
        arguments = [
            argument.resolve(type_) for (argument, _), type_ in zip(pairs, carried, strict=True)
        ]
        before = parser.parse_region(arguments)
        parser.parse_keyword("do")
        after = _end_with_yield(parser.parse_region())
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.create(
            operands=operands,
            result_types=list(function_type.outputs.data),
            regions=[before, after],
            attributes=dict(attributes.data) if attributes else {},
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.operands:
            args = tuple(self.before_block.args)
            _print_initialised(printer, "", args, tuple(self.operands))
            printer.print_string(" ")
        printer.print_string(": ")
        printer.print_function_type(
            [value.type for value in self.operands], [result.type for result in self.results]
        )
        printer.print_string(" ")
        printer.print_region(self.regions[0], print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.regions[1])
        printer.print_op_attributes(self.attributes, print_keyword=True)

    def verify_(self) -> None:
        last = self.before_block.last_op
        if not isinstance(last, ConditionOp):
            raise VerifyException("scf.while: the before region must end in scf.condition")
        passed = [value.type for value in last.arguments]
        if passed != [result.type for result in self.results]:
            raise VerifyException("scf.while: scf.condition's values differ from the results")
        if passed != [arg.type for arg in self.after_block.args]:
            raise VerifyException("scf.while: scf.condition's values differ from the after region")
        _yield_types(self, self.regions[1], [value.type for value in self.operands])


@operation
class ExecuteRegionOp(Op):
    """Run a region of several blocks in place.  `%r = scf.execute_region -> i32 { … }`"""

    name = "scf.execute_region"
    results_ = var_result_def()
    region = region_def()
    no_inline = opt_prop_def(UnitAttr)
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> ExecuteRegionOp:
        found = _parse_types(parser) if parser.parse_optional_punctuation("->") else []
        keep = parser.parse_optional_keyword("no_inline") is not None
        region = parser.parse_region()
        return cls.create(
            result_types=found,
            regions=[region],
            properties={"no_inline": UnitAttr()} if keep else {},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.results:
            printer.print_string("-> ")
            if len(self.results) == 1:
                printer.print_attribute(self.results[0].type)
            else:
                printer.print_string("(")
                printer.print_list([r.type for r in self.results], printer.print_attribute)
                printer.print_string(")")
            printer.print_string(" ")
        if "no_inline" in self.properties:
            printer.print_string("no_inline ")
        printer.print_region(self.regions[0])
        printer.print_op_attributes(self.attributes)


Scf = Dialect("scf", [YieldOp, ConditionOp, ForOp, IfOp, WhileOp, ExecuteRegionOp])
