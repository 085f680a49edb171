"""Programs of one operation, cut from a module, and their text in MLIR's generic form.

The operands of the operation become arguments of a function. In a region, only the terminator
stays, and the operations of small regions such as the body of a `tt.reduce`; what they use from
the removed operations becomes an argument of the function, too.

    scf.for %i = … iter_args(%acc = %0) {      func @f(%0, …, %4) {
      %1 = tt.load %p                            scf.for %i = … iter_args(%acc = %0) {
      %2 = arith.addf %acc, %1            →        scf.yield %4
      scf.yield %2                               }
    }                                          }
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.operation import Op
from weft.ir.rewriting import walk
from weft.ir.text.printer import print_type

SMALL_REGION = 8
"""A region with at most as many operations keeps them."""


@dataclass(slots=True)
class BlockNode:
    """A block.

    Attributes:
        arguments: The numbers of its arguments.
        nodes: Its operations.
    """

    arguments: list[int]
    nodes: list[Node]


@dataclass(slots=True)
class Node:
    """An operation.

    Attributes:
        name: Its name, such as `tt.load`.
        operands: The numbers of the operands.
        results: The numbers of the results.
        successors: The indices of the blocks, in the region of the operation.
        properties: The text of each property.
        attributes: The text of each discardable attribute.
        regions: The blocks of each region.
    """

    name: str
    operands: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    successors: list[int] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    regions: list[list[BlockNode]] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Yield the operation, then those in its regions."""
        yield self
        for region in self.regions:
            for block in region:
                for node in block.nodes:
                    yield from node.walk()

    def blocks(self) -> Iterator[BlockNode]:
        """Yield the blocks in its regions, nested ones included."""
        for node in self.walk():
            for region in node.regions:
                yield from region

    def copy(self) -> Node:
        """Copy the operation with its regions."""
        return Node(
            self.name,
            list(self.operands),
            list(self.results),
            list(self.successors),
            dict(self.properties),
            dict(self.attributes),
            [
                [
                    BlockNode(list(block.arguments), [node.copy() for node in block.nodes])
                    for block in region
                ]
                for region in self.regions
            ],
        )


@dataclass(slots=True)
class Program:
    """A module of one function of one operation, or of an operation that is a function.

    Attributes:
        node: The operation.
        types: The text of the type of each value, by its number.
        module_attributes: The text of each attribute of the module.
        callees: Declarations of the functions that the operation names.
    """

    node: Node
    types: dict[int, str] = field(default_factory=dict)
    module_attributes: dict[str, str] = field(default_factory=dict)
    callees: str = ""

    def copy(self) -> Program:
        """Copy the program."""
        return Program(
            self.node.copy(), dict(self.types), dict(self.module_attributes), self.callees
        )

    def fresh(self, type_text: str) -> int:
        """Add a value of a type."""
        number = max(self.types, default=-1) + 1
        self.types[number] = type_text
        return number

    def signature(self) -> str:
        """Describe what the program is made of, without the values of attributes of the module."""
        return f"{self.module_attributes.get('ttg.num-warps')} {_node_text(self, self.node, 0)}"

    def outer_values(self) -> list[int]:
        """List the values that are used but not defined."""
        defined = {value for node in self.node.walk() for value in node.results}
        defined |= {value for block in self.node.blocks() for value in block.arguments}
        used = [value for node in self.node.walk() for value in node.operands]
        return list(dict.fromkeys(value for value in used if value not in defined))

    def text(self) -> str:
        """Print the module in the generic form, without aliases."""
        head = f'"builtin.module"() ({{\n{self.callees}'
        tail = f"}}) {_dictionary(self.module_attributes)}: () -> ()\n"
        body = _node_text(self, self.node, 2)
        if self.node.name == "tt.func":
            return f"{head}{body}{tail}"
        values = self.outer_values()
        types = ", ".join(self.types[value] for value in values)
        arguments = ", ".join(f"%{value}: {self.types[value]}" for value in values)
        label = f"  ^bb0({arguments}):\n" if values else ""
        end = "" if self.node.name in FUNCTION_TERMINATORS else '    "tt.return"() : () -> ()\n'
        function = f'<{{function_type = ({types}) -> (), sym_name = "f"}}>'
        return f'{head}  "tt.func"() {function} ({{\n{label}{body}{end}  }}) : () -> ()\n{tail}'


FUNCTION_TERMINATORS = frozenset({"tt.return"})


def _dictionary(entries: dict[str, str]) -> str:
    if not entries:
        return ""
    return "{" + ", ".join(f'"{key}" = {entries[key]}' for key in sorted(entries)) + "} "


def _node_text(program: Program, node: Node, indent: int) -> str:
    types = program.types
    margin = "  " * indent
    results = f"{', '.join(f'%{value}' for value in node.results)} = " if node.results else ""
    operands = ", ".join(f"%{value}" for value in node.operands)
    successors = f" [{', '.join(f'^b{index}' for index in node.successors)}]"
    properties = f" <{_dictionary(node.properties).strip()}>" if node.properties else ""
    inputs = ", ".join(types[value] for value in node.operands)
    outputs = ", ".join(types[value] for value in node.results)
    parts = [margin, results, f'"{node.name}"({operands})', successors if node.successors else ""]
    parts.append(properties)
    if node.regions:
        regions = [_region_text(program, region, indent) for region in node.regions]
        parts.append(f" ({', '.join(regions)})")
    attributes = _dictionary(node.attributes)
    parts.append(f" {attributes}" if attributes else " ")
    parts.append(f": ({inputs}) -> ({outputs})\n")
    return "".join(parts)


def _region_text(program: Program, region: list[BlockNode], indent: int) -> str:
    parts = ["{\n"]
    for index, block in enumerate(region):
        arguments = ", ".join(f"%{value}: {program.types[value]}" for value in block.arguments)
        if arguments or index or not block.nodes:
            label = f"({arguments})" if arguments else ""
            parts.append(f"{'  ' * indent}^b{index}{label}:\n")
        parts += [_node_text(program, node, indent + 1) for node in block.nodes]
    parts.append("  " * indent + "}")
    return "".join(parts)


def programs(module: ModuleOp) -> Iterator[Program]:
    """Cut a module into a program per operation."""
    attributes = {name: print_type(value) for name, value in module.attributes.items()}
    functions = {op.symbol: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)}
    for op in walk(module):
        if isinstance(op, ModuleOp) or not isinstance(op, Op):
            continue
        if op.has_trait(IsTerminator) and not isinstance(op, tt.ReturnOp):
            continue  # part of the program of its parent
        if isinstance(op, tt.ReturnOp) and op.operands:
            continue
        cut = _Cut(Program(Node("")))
        cut.program.module_attributes = attributes
        cut.program.node = cut.node(op)
        if isinstance(op, tt.CallOp):
            callee = functions.get(op.callee_name)
            if callee is None:
                continue
            cut.program.callees = _declaration(callee)
        yield cut.program


def _declaration(function: tt.FuncOp) -> str:
    return (
        f'  "tt.func"() <{{function_type = {print_type(function.function_type)}, '
        f'sym_name = "{function.symbol}", sym_visibility = "private"}}> ({{}}) : () -> ()\n'
    )


@dataclass(slots=True)
class _Cut:
    """The conversion of one operation to a node.

    Attributes:
        program: The program that holds the node.
        numbers: The number of each value.
    """

    program: Program
    numbers: dict[SSAValue, int] = field(default_factory=dict)

    def value(self, value: SSAValue) -> int:
        number = self.numbers.get(value)
        if number is None:
            number = self.numbers[value] = self.program.fresh(print_type(value.type))
        return number

    def node(self, op: Operation) -> Node:
        properties = op.generic_properties if isinstance(op, Op) else dict(op.properties)
        blocks = list(op.parent.parent.blocks) if op.parent and op.parent.parent else []
        return Node(
            op.name,
            [self.value(operand) for operand in op.operands],
            [self.value(result) for result in op.results],
            [blocks.index(block) for block in op.successors],
            _texts(properties),
            _texts(op.attributes),
            [self.region(region, keep=isinstance(op, tt.FuncOp)) for region in op.regions],
        )

    def region(self, region: Region, *, keep: bool) -> list[BlockNode]:
        count = sum(len(list(block.ops)) for block in region.blocks)
        small = count <= SMALL_REGION
        if keep and not small and len(list(region.blocks)) == 1:
            keep = False
        return [self.block(block, keep=keep or small) for block in region.blocks]

    def block(self, block: Block, *, keep: bool) -> BlockNode:
        arguments = [self.value(argument) for argument in block.args]
        ops = [op for op in block.ops if keep or op is block.last_op]
        return BlockNode(arguments, [self.node(op) for op in ops])


def _texts(entries: dict[str, Attribute]) -> dict[str, str]:
    return {name: print_type(value) for name, value in entries.items()}
