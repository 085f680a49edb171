"""Sparse conditional constant propagation: replace values that are always the same constant.

Before:  %r = scf.for … iter_args(%a = %c2) {      After:  %c2 = arith.constant 2 : i32
           %b = arith.muli %a, %c1                         %r = scf.for … iter_args(%a = %c2) {
           tt.store %p, %b                                   tt.store %p, %c2
           scf.yield %b                                      scf.yield %c2
         }                                                 }
         tt.store %q, %r                                   tt.store %q, %c2

The analysis follows loops, branches and calls of private functions, where a fold reads a single
operation. Unreachable code stays for `canonicalize` to erase. Each constant is created once, at the
start of its function, in reverse order of discovery.

Preserves every operation with an effect.
Source: measured on Triton 3.7.1 (`sccp`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct, field

from weft.analysis.constant_propagation import Constant, ConstantPropagation
from weft.ir.builtin import Attribute, Block, ModuleOp, Operation, SSAValue
from weft.ir.interfaces import would_be_trivially_dead
from weft.passes.rewrite.constant_pool import constant_insertion_block

__all__ = ["Sccp"]


class Sccp(Struct, frozen=True):
    """Replaces values by the constants that they always equal."""

    name: ClassVar[str] = "sccp"

    def run(self, module: ModuleOp) -> None:
        """Replace constant values in place."""
        analysis = ConstantPropagation()
        analysis.run(module)
        _Replacement(analysis).run(module)


class _Replacement(Struct):
    """Replaces constant values block by block.

    Attributes:
        analysis: The constants.
        constants: The created constants, by insertion block, value and type.
    """

    analysis: ConstantPropagation
    constants: dict[tuple[Block, Constant, Attribute], SSAValue] = field(default_factory=dict)

    def run(self, module: ModuleOp) -> None:
        worklist = list(reversed(module.body.blocks))
        while worklist:
            block = worklist.pop()
            for op in tuple(block.ops):
                if self._replace_results(op):
                    continue
                for region in op.regions:
                    worklist += reversed(region.blocks)
            for argument in block.args:
                self._replace(argument, block)

    def _replace_results(self, op: Operation) -> bool:
        """Replace constant results; return whether the operation became dead and was erased."""
        block = op.parent
        assert block is not None
        is_replaced = [self._replace(result, block) for result in op.results]
        if not is_replaced or not all(is_replaced) or not would_be_trivially_dead(op):
            return False
        op.detach()
        op.erase()
        return True

    def _replace(self, value: SSAValue, block: Block) -> bool:
        """Replace a value of a block if it is constant; return whether it is."""
        constant = self.analysis.constant(value)
        if constant is None:
            return False
        insertion_block = constant_insertion_block(block)
        key = (insertion_block, constant, value.type)
        replacement = self.constants.get(key)
        if replacement is None:
            op = constant.materialize(value.type)
            first = insertion_block.first_op
            assert first is not None
            insertion_block.insert_op_before(op, first)
            replacement = self.constants[key] = op.results[0]
        value.replace_all_uses_with(replacement)
        return True
