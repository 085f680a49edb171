"""Print IR as Triton prints it.

Values are named first, for the whole module. One walk then collects fragments: strings, and the
attributes between them. The order of aliases is only known afterwards, so they are named next, and
each distinct attribute is rendered once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from xdsl.dialects.builtin import AnyFloat, ModuleOp, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from weft.ir.encodings import attribute as encoding_attribute
from weft.ir.operation import Op
from weft.ir.text.aliases import LOCATIONS, Aliases
from weft.ir.text.floats import format_float
from weft.ir.text.numbering import Names
from weft.layouts import Encoding


class _Unaliased:
    """An attribute that is printed without its own alias; those inside it have theirs."""

    __slots__ = ("attribute",)

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute


class ModulePrinter(Printer):
    """The printer of `print_module`, which calls the `print` methods of operations."""

    def __init__(
        self,
        top: Operation,
        *,
        locations: bool,
        names: bool | Names = False,
        generic: bool = False,
        local_scope: bool = False,
    ) -> None:
        super().__init__(stream=StringIO(), print_debuginfo=locations, print_generic_format=generic)
        self.names = names if isinstance(names, Names) else Names(top, named=names)
        self.aliases = Aliases()
        self.local_scope = local_scope
        self.fragments: list[str | Attribute | _Unaliased] = []
        self.rendered: dict[Attribute, str] = {}
        self.rendering = False

    # First half: collect fragments.

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if text[:1] == "\n":
            self._print_new_line(indent)
            text = text[1:]
        self.fragments.append(text)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        level = self._indent if indent is None else indent
        self.fragments.append("\n" + "  " * level)

    def print_float(self, value: float, type: AnyFloat) -> None:
        self.fragments.append(format_float(value, type))

    def print_ssa_value(self, value: SSAValue) -> str:
        name = f"%{self.names.values[value]}"
        self.fragments.append(name)
        return name

    def print_block_name(self, block: Block) -> str:
        name = f"^{self.names.blocks[block]}"
        self.fragments.append(name)
        return name

    def _print_results(self, op: Operation) -> None:
        results = op.results
        if not results:
            return
        values = self.names.values
        if len(results) == 1:
            self.fragments.append(f"%{values[results[0]]} = ")
            return
        counts = op.result_groups() if isinstance(op, Op) and op.RESULT_NAMES else [len(results)]
        groups: list[str] = []
        at = 0
        for count in counts:
            if count:
                name = values[results[at]].partition("#")[0]
                groups.append(f"%{name}:{count}" if count > 1 else f"%{name}")
                at += count
        self.fragments.append(f"{', '.join(groups)} = ")

    def print_attribute(self, attribute: Attribute) -> None:
        if not self.rendering:
            self.aliases.visit(attribute)
            is_location = isinstance(attribute, LOCATIONS)
            self.fragments.append(_Unaliased(attribute) if is_location else attribute)
            return
        name = self.aliases.names.get(attribute)
        if name is None:
            super().print_attribute(attribute)
        elif isinstance(attribute, LOCATIONS) and not self.printing_location:
            self.fragments.append(f"loc({name})")
        else:
            self.fragments.append(name)

    def encoding_name(self, encoding: Encoding) -> str | None:
        """Get the alias of an encoding that is nested in another one."""
        return self.aliases.names.get(encoding_attribute(encoding))

    def _print_location(self, location: Attribute) -> None:
        self.fragments.append(" ")
        self.fragments.append(location)

    def print_op(self, op: Operation) -> None:
        if self.print_debuginfo:
            self.aliases.visit(op.location, deferrable=True)
        self._print_results(op)
        if (
            self.print_generic_format
            or not isinstance(op, Op | ModuleOp | UnrealizedConversionCastOp)
            or (isinstance(op, Op) and op.generic_only)
        ):
            self._print_generic(op)
            return
        self.fragments.append("module" if isinstance(op, ModuleOp) else op.name)
        op.print(self)
        if self.print_debuginfo:
            self._print_location(op.location)

    def _print_generic(self, op: Operation) -> None:
        self.fragments.append(f'"{op.name}"')
        self.print_operands(op.operands)
        self.print_successors(op.successors)
        self._print_op_properties(
            op.generic_properties if isinstance(op, Op) else dict(op.properties)
        )
        self.print_regions(op.regions)
        self.print_op_attributes(op.attributes)
        self.fragments.append(" : ")
        self.print_operation_type(op)

    def print_op_attributes(
        self,
        attributes: Mapping[str, Attribute],
        *,
        reserved_attr_names: Iterable[str] = (),
        print_keyword: bool = False,
    ) -> bool:
        return super().print_op_attributes(
            {name: attributes[name] for name in sorted(attributes)},
            reserved_attr_names=reserved_attr_names,
            print_keyword=print_keyword,
        )

    def print_operation_type(self, op: Operation) -> None:
        self.print_function_type(
            [value.type for value in op.operands], [result.type for result in op.results]
        )
        if self.print_debuginfo:
            self._print_location(op.location)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        self.fragments.append("{")
        entry = region.blocks.first
        for block in region.blocks:
            label = block is not entry or (
                (bool(block.args) and print_entry_block_args)
                or (block.first_op is None and print_empty_block and print_entry_block_args)
            )
            self.print_block(
                block, print_block_args=label, print_block_terminator=print_block_terminators
            )
        self._print_new_line()
        self.fragments.append("}")

    def print_block(
        self,
        block: Block,
        print_block_args: bool = True,
        print_block_terminator: bool = True,
    ) -> None:
        if print_block_args:
            self._print_new_line()
            self._print_label(block)
        self._indent += 1
        for op in block.ops:
            is_printed = print_block_terminator or op is not block.last_op
            if is_printed or not op.has_trait(IsTerminator):
                self._print_new_line()
                self.print_op(op)
        self._indent -= 1

    def _print_label(self, block: Block) -> None:
        self.print_block_name(block)
        if block.args:
            self.fragments.append("(")
            self.print_list(block.args, self.print_block_argument)
            self.fragments.append(")")
        self.fragments.append(":")
        region = block.parent
        is_entry = region is not None and region.blocks.first is block
        predecessors = [f"^{self.names.blocks[pred]}" for pred in _predecessors(block)]
        if not predecessors:
            if not is_entry:
                self.fragments.append("  // no predecessors")
        elif len(predecessors) == 1:
            self.fragments.append(f"  // pred: {predecessors[0]}")
        else:
            self.fragments.append(f"  // {len(predecessors)} preds: {', '.join(predecessors)}")

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        self.print_ssa_value(arg)
        if print_type:
            self.fragments.append(": ")
            self.print_attribute(arg.type)
            if self.print_debuginfo:
                self.fragments.append(" ")
                self.print_attribute(arg.location)

    # Second half: aliases are named, render the fragments.

    def render(self, attribute: Attribute) -> str:
        """Render an attribute, as its alias if it has one; each attribute is rendered once."""
        text = self.rendered.get(attribute)
        if text is None:
            outer, self.fragments = self.fragments, []
            self.print_attribute(attribute)
            text = self.rendered[attribute] = self.join()
            self.fragments = outer
        return text

    def _render_unaliased(self, attribute: Attribute) -> str:
        """Render an attribute without its own alias."""
        # Without its name the attribute is printed in full, those inside it still by theirs.
        outer, self.fragments = self.fragments, []
        name = self.aliases.names.pop(attribute, None)
        super().print_attribute(attribute)
        if name is not None:
            self.aliases.names[attribute] = name
        text = self.join()
        self.fragments = outer
        return text

    def join(self) -> str:
        """Join the fragments of a rendered attribute."""
        return "".join(fragment for fragment in self.fragments if isinstance(fragment, str))

    def text(self, op: Operation) -> str:
        """Print an operation, with alias definitions above and below it."""
        above, body, below = self.render_parts(op)
        return "".join([*above, *body, "\n", *below])

    def render_parts(self, op: Operation) -> tuple[list[str], list[str], list[str]]:
        """Print an operation, and render each fragment.

        Returns:
            The alias definitions above the operation, its fragments, and the definitions below.
        """
        self.print_op(op)
        above, below = ((), ()) if self.local_scope else self.aliases.name()
        body, self.rendering = self.fragments, True
        definitions = [self._definition(attribute) for attribute in above]
        parts: list[str] = []
        for fragment in body:
            if isinstance(fragment, str):
                parts.append(fragment)
            elif isinstance(fragment, _Unaliased):
                parts.append(self._render_unaliased(fragment.attribute))
            else:
                parts.append(self.render(fragment))
        return definitions, parts, [self._definition(attribute) for attribute in below]

    def _definition(self, attribute: Attribute) -> str:
        return f"{self.aliases.names[attribute]} = {self._render_unaliased(attribute)}\n"


def _predecessors(block: Block) -> list[Block]:
    """List the blocks that branch to a block in their order, once per edge."""
    region = block.parent
    blocks: Sequence[Block] = list(region.blocks) if region is not None else []
    return [
        source
        for source in blocks
        if source.last_op is not None
        for target in source.last_op.successors
        if target is block
    ]


def print_module(
    module: ModuleOp,
    locations: bool = False,
    *,
    names: bool | None = None,
    generic: bool = False,
    local_scope: bool = False,
) -> str:
    """Print a module exactly as Triton 3.7.1 does.

    Args:
        module: The module.
        locations: Print source locations.
        names: Name values after the variables in their locations, as Triton's dumps do. None: if
            locations are printed.
        generic: Print every operation in MLIR's generic form.
        local_scope: Print attributes and locations in place, without aliases.
    """
    printer = ModulePrinter(
        module,
        locations=locations,
        names=locations if names is None else names,
        generic=generic,
        local_scope=local_scope,
    )
    return printer.text(module)


def print_operation(op: Operation, names: Names | None = None) -> str:
    """Print one operation for a message, with the names that its operands have in the module.

    Args:
        op: The operation.
        names: The names of the values of the module, if they are known.
    """
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    printer = ModulePrinter(top, locations=False, names=names or False)
    printer.print_op(op)
    printer.aliases.names.clear()
    body, printer.rendering = printer.fragments, True
    return "".join(
        fragment if isinstance(fragment, str) else printer.render(_attribute(fragment))
        for fragment in body
    )


def _attribute(fragment: Attribute | _Unaliased) -> Attribute:
    return fragment.attribute if isinstance(fragment, _Unaliased) else fragment


def print_type(type_: Attribute) -> str:
    """Print a type or attribute without aliases."""
    printer = ModulePrinter(ModuleOp([]), locations=False)
    printer.rendering = True
    printer.print_attribute(type_)
    return printer.join()
