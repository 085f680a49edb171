"""A module's operations with the methods of Triton's Python binding of MLIR, for reading only.

module.walk(lambda op: print(op.get_name(), op.get_num_operands()))

`torch.compile` walks a kernel's TTIR in this way, to find which arguments the kernel writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from weft.errors import WeftError
from weft.ir.builtin import ModuleOp
from weft.ir.text import print_module
from weft.ir.tt.function import FuncOp
from weft.ir.types import PointerType
from weft.ir.verifier import verify

__all__ = ["BlockView", "ModuleView", "OperationView", "RegionView", "ValueView"]


@dataclass(frozen=True, slots=True)
class ValueView:
    """A value."""

    value: SSAValue

    def id(self) -> int:
        """Get a number that no other value has."""
        return id(self.value)


@dataclass(frozen=True, slots=True)
class RegionView:
    """A region."""

    region: Region

    def id(self) -> int:
        """Get a number that no other region has."""
        return id(self.region)


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block."""

    block: Block

    def id(self) -> int:
        """Get a number that no other block has."""
        return id(self.block)

    def get_num_arguments(self) -> int:
        """Count the arguments."""
        return len(self.block.args)

    def get_argument(self, index: int) -> ValueView:
        """Get an argument."""
        return ValueView(self.block.args[index])

    def get_parent(self) -> RegionView | None:
        """Get the region that the block is in."""
        region = self.block.parent_region()
        return None if region is None else RegionView(region)


@dataclass(frozen=True, slots=True)
class OperationView:
    """An operation."""

    op: Operation

    def get_name(self) -> str:
        """Get the name with that of the dialect: "tt.load"."""
        return self.op.name

    def get_num_operands(self) -> int:
        """Count the operands."""
        return len(self.op.operands)

    def get_operand(self, index: int) -> ValueView:
        """Get an operand."""
        return ValueView(self.op.operands[index])

    def get_num_results(self) -> int:
        """Count the results."""
        return len(self.op.results)

    def get_result(self, index: int) -> ValueView:
        """Get a result."""
        return ValueView(self.op.results[index])

    def get_num_regions(self) -> int:
        """Count the regions."""
        return len(self.op.regions)

    def get_region(self, index: int) -> RegionView:
        """Get a region."""
        return RegionView(self.op.regions[index])

    def get_block(self) -> BlockView | None:
        """Get the block that the operation is in."""
        block = self.op.parent_block()
        return None if block is None else BlockView(block)

    def get_str_attr(self, name: str) -> str | None:
        """Get the text of an attribute; None if there is no such text."""
        attribute = self._attribute(name)
        return attribute.data if isinstance(attribute, StringAttr) else None

    def get_flat_symbol_ref_attr(self, name: str) -> str | None:
        """Get the symbol that an attribute names; None if it names none."""
        attribute = self._attribute(name)
        if isinstance(attribute, SymbolRefAttr) and not attribute.nested_references.data:
            return attribute.root_reference.data
        return None

    def get_int_attr(self, name: str) -> int | None:
        """Get the value of an integer attribute; None if there is no such attribute."""
        attribute = self._attribute(name)
        return attribute.value.data if isinstance(attribute, IntegerAttr) else None

    def get_bool_attr(self, name: str) -> bool | None:
        """Get the value of a flag; None if there is no such flag."""
        attribute = self._attribute(name)
        if isinstance(attribute, UnitAttr):
            return True
        return bool(attribute.value.data) if isinstance(attribute, IntegerAttr) else None

    def _attribute(self, name: str) -> Attribute | None:
        value = self.op.properties.get(name)
        return self.op.attributes.get(name) if value is None else value  # the attribute 0 is false


@dataclass(frozen=True, slots=True)
class ModuleView:
    """A module."""

    module: ModuleOp

    def get_entry_func_name(self) -> str:
        """Get the name of the kernel: of the only function, or the first public one."""
        functions = self._functions()
        public = (each for each in functions if each.is_public)
        return next(public, functions[0]).symbol if functions else ""

    def has_function(self, name: str) -> bool:
        """Check whether the module has a function."""
        return any(each.symbol == name for each in self._functions())

    def get_function(self, name: str) -> OperationView:
        """Get a function by name.

        Raises:
            WeftError: There is none.
        """
        functions = {each.symbol: each for each in self._functions()}
        if name not in functions:
            raise WeftError(f"no function {name}", found=name, accepted=functions)
        return OperationView(functions[name])

    def get_function_signature(self, fn: OperationView) -> list[str]:
        """List the types of a function's arguments: "*f32" for pointers."""
        assert isinstance(fn.op, FuncOp)
        types = fn.op.function_type.inputs.data
        return [
            "nvTmaDesc" if "tt.nv_tma_desc" in fn.op.argument_attributes(i) else _type_text(each)
            for i, each in enumerate(types)
        ]

    def get_int_attr(self, name: str) -> int | None:
        """Get the value of an integer attribute; None if there is no such attribute."""
        return OperationView(self.module).get_int_attr(name)

    def _functions(self) -> list[FuncOp]:
        return [op for op in self.module.body.ops if isinstance(op, FuncOp)]

    def verify(self) -> bool:
        """Check the module; an error has the operation."""
        verify(self.module)
        return True

    def walk(self, visit: Callable[[OperationView], object]) -> None:
        """Visit each operation after those inside of it."""
        _walk(self.module, visit)

    def __str__(self) -> str:
        return print_module(self.module)


def _type_text(type_: Attribute) -> str:
    """Write a type as signatures do: "*f32" for a pointer."""
    return f"*{type_.pointee}" if isinstance(type_, PointerType) else str(type_)


def _walk(op: Operation, visit: Callable[[OperationView], object]) -> None:
    for region in op.regions:
        for block in region.blocks:
            for each in block.ops:
                _walk(each, visit)
    visit(OperationView(op))
