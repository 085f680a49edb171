"""Forward the parts of descriptors through functions, loops and conditionals.

tt.func @f(%d: !tt.tensordesc<tensor<64xf16>>)    →    tt.func @f(%b: !tt.ptr<f16>, %n: i64,
                                                          %s: i64, %nan: i1, %tf32: i1)
tt.call @f(%d)                                    →    tt.call @f(%b, %n, %s, %nan, %tf32)
scf.for … iter_args(%e = %d)                      →    scf.for … iter_args(%b1 = %b, …)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from weft.errors import PassError
from weft.ir import locations, scf, tt
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
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer.descriptor_parts import (
    DescriptorParts,
    block_shape,
    has_descriptor,
    is_descriptor,
    part_types,
)

__all__ = ["DescriptorRewrite", "OperationRewrite"]

_FORWARDING = (
    scf.ConditionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.YieldOp,
    tt.CallOp,
    tt.ReturnOp,
)

OperationRewrite = Callable[["DescriptorRewrite", Operation], None]
"""Rewrites an operation on descriptors."""


class DescriptorRewrite(Struct):
    """A rewrite in program order.

    Attributes:
        rewrites: The rewrite of each class of operation that creates or uses descriptors.
        parts: The parts of each visited descriptor.
        dead_ops: Replaced operations, to erase at the end.
        dead_arguments: Replaced block arguments, to erase at the end.
    """

    rewrites: Mapping[type[Operation], OperationRewrite]
    parts: dict[SSAValue, DescriptorParts] = field(default_factory=dict)
    dead_ops: list[Operation] = field(default_factory=list)
    dead_arguments: list[BlockArgument] = field(default_factory=list)

    def rewrite_region(self, region: Region) -> None:
        """Rewrite a region and the regions inside, in program order."""
        for block in tuple(region.blocks):
            for op in tuple(block.ops):
                self.rewrite_operation(op)

    def rewrite_operation(self, op: Operation) -> None:
        """Rewrite an operation and its regions.

        Raises:
            PassError: The operation does not support descriptors.
        """
        rewrite = self.rewrites.get(type(op))
        if rewrite is not None:
            rewrite(self, op)
            return
        if has_descriptor(op):
            op = self._forward_parts(op)
        for region in op.regions:
            self.rewrite_region(region)

    def finish(self) -> None:
        """Erase the replaced operations and block arguments."""
        for op in reversed(self.dead_ops):
            erase(op)
        for argument in self.dead_arguments:
            argument.block.erase_arg(argument)

    def _replace_by_parts(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Replace each descriptor in a list of values by its parts."""
        replaced: list[SSAValue] = []
        for value in values:
            replaced += self.parts[value].values if value in self.parts else (value,)
        return replaced

    def _map_values(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        """Replace old values by new ones: one for each, or the parts of a descriptor."""
        position = 0
        for value in old:
            count = len(part_types(value.type))
            parts = new[position : position + count]
            position += count
            if is_descriptor(value):
                self.parts[value] = DescriptorParts.of(parts, block_shape(value))
            else:
                value.replace_all_uses_with(parts[0])

    def _forward_parts(self, op: Operation) -> Operation:
        """Replace an operation that forwards descriptors by one that forwards their parts."""
        if isinstance(op, tt.FuncOp):
            _expand_signature(op)
            new_op: Operation = op
        elif isinstance(op, _FORWARDING):
            builder = Builder().before(op)
            new_op = builder.create(
                type(op),
                self._replace_by_parts(op.operands),
                [part for result in op.results for part in part_types(result.type)],
                op.properties,
                op.attributes,
                [Region() for _ in op.regions],
            )
            for source, target in zip(op.regions, new_op.regions, strict=True):
                source.move_blocks(target)
            self._map_values(op.results, new_op.results)
            self.dead_ops.append(op)
        else:
            raise PassError(
                f"{op.name} does not support tensor descriptors",
                location=locations.position(op.location),
                found=op.name,
                accepted=[
                    "tt.descriptor_*",
                    "tt.func",
                    "tt.call",
                    "scf.for",
                    "scf.if",
                    "scf.while",
                ],
            )
        for region in new_op.regions:
            for block in region.blocks:
                self._add_arguments(block)
        return new_op

    def _add_arguments(self, block: Block) -> None:
        """Insert block arguments for the parts of each descriptor after the descriptor."""
        for argument in tuple(block.args):
            if is_descriptor(argument):
                first = argument.index + 1
                values = [
                    block.insert_arg(type_, first + offset)
                    for offset, type_ in enumerate(part_types(argument.type))
                ]
                for value in values:
                    value.location = argument.location
                self.parts[argument] = DescriptorParts.of(values, block_shape(argument))
                self.dead_arguments.append(argument)


def _expand_signature(function: tt.FuncOp) -> None:
    """Replace descriptors in the signature; the pointer inherits their argument attributes."""
    inputs: list[Attribute] = []
    argument_attributes: list[dict[str, Attribute]] = []
    for index, type_ in enumerate(function.function_type.inputs.data):
        parts = part_types(type_)
        inputs += parts
        argument_attributes += [function.argument_attributes(index), *[{} for _ in parts[1:]]]
    outputs = [part for type_ in function.function_type.outputs for part in part_types(type_)]
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)
    if any(argument_attributes):
        dictionaries = [DictionaryAttr(attributes) for attributes in argument_attributes]
        function.properties["arg_attrs"] = ArrayAttr(dictionaries)
