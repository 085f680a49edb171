"""Let functions, loops and ifs carry the parts of descriptors in place of descriptors.

tt.func @f(%d: !tt.tensordesc<tensor<64xf16>>)    →    tt.func @f(%b: !tt.ptr<f16>, %n: i64,
                                                          %s: i64, %nan: i1, %rounds: i1)
scf.for … iter_args(%e = %d)                      →    scf.for … iter_args(%b1 = %b, …)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from weft.errors import PassError
from weft.ir import locations, scf, tt, types
from weft.ir.builtin import (
    ArrayAttr,
    Attribute,
    Block,
    BlockArgument,
    DictionaryAttr,
    FunctionType,
    Operation,
    Region,
    SSAValue,
)
from weft.ir.rewriting import Builder, erase
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.parts import (
    Parts,
    is_descriptor,
    mentions,
    tile_of,
    types_of,
)

__all__ = ["Rewrite", "Rule"]

Rule = Callable[["Rewrite", Operation], None]


@dataclass(slots=True)
class Rewrite:
    """The descriptors met so far, and what became superfluous.

    rules: for the operations that make or use descriptors; others only pass them on.
    """

    rules: Mapping[type[Operation], Rule]
    parts: dict[SSAValue, Parts] = field(default_factory=dict)
    replaced: list[Operation] = field(default_factory=list)
    arguments: list[BlockArgument] = field(default_factory=list)

    def region(self, region: Region) -> None:
        """Rewrite a region and all inside, in program order."""
        for block in tuple(region.blocks):
            for op in tuple(block.ops):
                self.operation(op)

    def operation(self, op: Operation) -> None:
        """Rewrite one operation and all inside.

        Raises: PassError: no rule is for it and it cannot carry a descriptor.
        """
        rule = self.rules.get(type(op))
        if rule is not None:
            rule(self, op)
            return
        if mentions(op):
            op = self.rebuilt(op)
        for region in op.regions:
            self.region(region)

    def finish(self) -> None:
        """Erase what became superfluous."""
        for op in reversed(self.replaced):
            erase(op)
        for argument in self.arguments:
            argument.block.erase_arg(argument)

    def expanded(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Return values with the parts of descriptors in their place."""
        found: list[SSAValue] = []
        for value in values:
            found += self.parts[value].values if value in self.parts else (value,)
        return found

    def bind(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        """Let new values stand for old ones: one for each, or the parts of a descriptor."""
        position = 0
        for value in old:
            count = len(types_of(value.type))
            stand_in = new[position : position + count]
            position += count
            if is_descriptor(value):
                self.parts[value] = Parts.of(stand_in, tile_of(value))
            else:
                value.replace_all_uses_with(stand_in[0])

    def rebuilt(self, op: Operation) -> Operation:
        """Replace an operation that only passes descriptors on by one that passes their parts."""
        if isinstance(op, tt.FuncOp):
            _expand_signature(op)
            made: Operation = op
        elif isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp | scf.YieldOp | scf.ConditionOp):
            made = (
                Builder()
                .before(op)
                .create(
                    type(op),
                    self.expanded(op.operands),
                    [part for result in op.results for part in types_of(result.type)],
                    op.properties,
                    op.attributes,
                    [Region() for _ in op.regions],
                )
            )
            for source, target in zip(op.regions, made.regions, strict=True):
                source.move_blocks(target)
            self.bind(op.results, made.results)
            self.replaced.append(op)
        else:
            raise PassError(
                f"a tensor descriptor cannot go through {op.name}",
                location=locations.position(op.location),
                found=op.name,
                accepted=["tt.descriptor_*", "tt.func", "scf.for", "scf.if", "scf.while"],
            )
        for region in made.regions:
            for block in region.blocks:
                self.expand_arguments(block)
        return made

    def expand_arguments(self, block: Block) -> None:
        """Give a block an argument per part, behind those that `finish` erases."""
        for argument in tuple(block.args):
            if is_descriptor(argument):
                place = argument.index
                made = [
                    block.insert_arg(type_, place + 1 + step)
                    for step, type_ in enumerate(types_of(argument.type))
                ]
                self.parts[argument] = Parts.of(made, tile_of(argument))
                self.arguments.append(argument)


def _expand_signature(function: tt.FuncOp) -> None:
    """Give a function an input per part; a descriptor's attributes go to its pointer."""
    inputs: list[Attribute] = []
    marks: list[dict[str, Attribute]] = []
    for index, type_ in enumerate(function.function_type.inputs.data):
        parts = types_of(type_)
        inputs += parts
        marks += [function.argument_attributes(index), *[{} for _ in parts[1:]]]
    outputs = function.function_type.outputs.data
    if any(isinstance(type_, types.TensorDescType) for type_ in outputs):
        raise PassError(
            "a function cannot return a tensor descriptor",
            location=locations.position(function.location),
            found=f"@{function.symbol}",
        )
    function.properties["function_type"] = FunctionType.from_lists(inputs, list(outputs))
    if any(marks):
        function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(mark) for mark in marks])
