"""Print IR as Triton prints it.

One walk collects the text as fragments, in which each attribute is still an object; then the
aliases are named (their order is only known at the end) and every distinct attribute is
rendered once. Values are named beforehand, for the whole module.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from weft.ir.encodings import attribute as encoding_attribute
from weft.ir.operation import Op
from weft.ir.text.aliases import LOCATIONS, Aliases
from weft.ir.text.floats import spell
from weft.ir.text.numbering import Names
from weft.layouts import Encoding


class _Whole:
    """An attribute whose outermost level is printed out even where it has an alias."""

    __slots__ = ("attribute",)

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute


class ModulePrinter(Printer):
    """The printer behind `print_module`; operations print themselves through it."""

    def __init__(
        self, top: Operation, *, locations: bool, generic: bool = False, local_scope: bool = False
    ) -> None:
        super().__init__(stream=StringIO(), print_debuginfo=locations, print_generic_format=generic)
        self.names = Names(top, named=locations)
        self.aliases = Aliases()
        self.local_scope = local_scope
        self.fragments: list[str | Attribute | _Whole] = []
        self.rendered: dict[Attribute, str] = {}
        self.rendering = False
        self.local_scope = local_scope

    # Text goes into the list of fragments.

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        self.fragments.append(text)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        level = self._indent if indent is None else indent
        self.fragments.append("\n" + "  " * level)

    def print_float(self, value: float, type: Attribute) -> None:
        self.fragments.append(spell(value, type))

    # Values and blocks have their names already.

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

    # Attributes are kept until their aliases are known.

    def print_attribute(self, attribute: Attribute) -> None:
        if not self.rendering:
            self.aliases.visit(attribute)
            location = isinstance(attribute, LOCATIONS)
            self.fragments.append(_Whole(attribute) if location else attribute)
            return
        name = self.aliases.names.get(attribute)
        if name is None:
            super().print_attribute(attribute)
        elif isinstance(attribute, LOCATIONS) and not self.printing_location:
            self.fragments.append(f"loc({name})")
        else:
            self.fragments.append(name)

    def encoding_name(self, encoding: Encoding) -> str | None:
        """Return the alias of an encoding that stands inside another one."""
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
            or not isinstance(op, Op | ModuleOp)
            or (isinstance(op, Op) and op.generic_only)
        ):
            self._print_generic(op)
            return
        self.fragments.append(op.name.removeprefix("builtin."))
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
        self.print_op_attributes({name: op.attributes[name] for name in sorted(op.attributes)})
        self.fragments.append(" : ")
        self.print_operation_type(op)

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
            shown = print_block_terminator or op is not block.last_op
            if shown or not op.has_trait(IsTerminator) or op.attributes:
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
        entry = region is not None and region.blocks.first is block
        before = [self.names.blocks[pred] for pred in _predecessors(block)]
        if not before:
            if not entry:
                self.fragments.append("  // no predecessors")
        elif len(before) == 1:
            self.fragments.append(f"  // pred: ^{before[0]}")
        else:
            listed = ", ".join(f"^{name}" for name in before)
            self.fragments.append(f"  // {len(before)} preds: {listed}")

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        self.print_ssa_value(arg)
        if print_type:
            self.fragments.append(": ")
            self.print_attribute(arg.type)
            if self.print_debuginfo:
                self.fragments.append(" ")
                self.print_attribute(arg.location)

    # The second half: names are known, fragments become text.

    def _render(self, attribute: Attribute) -> str:
        text = self.rendered.get(attribute)
        if text is None:
            kept, self.fragments = self.fragments, []
            self.print_attribute(attribute)
            text = self.rendered[attribute] = self._join()
            self.fragments = kept
        return text

    def _render_whole(self, attribute: Attribute) -> str:
        """Render an attribute itself, with aliases only inside it."""
        kept, self.fragments = self.fragments, []
        name = self.aliases.names.pop(attribute, None)
        super().print_attribute(attribute)
        if name is not None:
            self.aliases.names[attribute] = name
        text = self._join()
        self.fragments = kept
        return text

    def _join(self) -> str:
        return "".join(fragment for fragment in self.fragments if isinstance(fragment, str))

    def text(self, op: Operation) -> str:
        """Return the text of an operation with its alias definitions above and below it."""
        self.print_op(op)
        above, below = ((), ()) if self.local_scope else self.aliases.name()
        body, self.rendering = self.fragments, True
        parts = [self._definition(attribute) for attribute in above]
        for fragment in body:
            if isinstance(fragment, str):
                parts.append(fragment)
            elif isinstance(fragment, _Whole):
                parts.append(self._render_whole(fragment.attribute))
            else:
                parts.append(self._render(fragment))
        parts.append("\n")
        parts += [self._definition(attribute) for attribute in below]
        return "".join(parts)

    def _definition(self, attribute: Attribute) -> str:
        return f"{self.aliases.names[attribute]} = {self._render_whole(attribute)}\n"


def _predecessors(block: Block) -> list[Block]:
    """Return the blocks that branch to `block`, in order, once per edge."""
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
    generic: bool = False,
    local_scope: bool = False,
) -> str:
    """Return a module's text, exactly as Triton 3.7.1 prints it.

    Args: locations: with source locations, and values named after the variables they hold.
    generic: every operation in MLIR's generic form.  local_scope: attributes and locations are
    written out where they stand, without aliases.
    """
    printer = ModulePrinter(module, locations=locations, generic=generic, local_scope=local_scope)
    return printer.text(module)


def print_operation(op: Operation) -> str:
    """Return the text of one operation, for messages; values outside of it are named too."""
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    printer = ModulePrinter(top, locations=False)
    printer.print_op(op)
    printer.aliases.names.clear()
    body, printer.rendering = printer.fragments, True
    return "".join(
        fragment if isinstance(fragment, str) else printer._render(_attribute(fragment))
        for fragment in body
    )


def _attribute(fragment: Attribute | _Whole) -> Attribute:
    return fragment.attribute if isinstance(fragment, _Whole) else fragment


def print_type(type_: Attribute) -> str:
    """Return the text of a type or attribute, aliases written out."""
    printer = ModulePrinter(ModuleOp([]), locations=False)
    printer.rendering = True
    printer.print_attribute(type_)
    return printer._join()
