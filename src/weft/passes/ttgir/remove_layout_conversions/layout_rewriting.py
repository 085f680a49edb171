"""Give every value its chosen layout, and insert conversions where users need another one.

    %x : #blocked, chosen #mma                  %x : #mma
    %y = arith.addf %x, %z                 →    %z1 = ttg.convert_layout %z -> #mma     after %z
    tt.store %p, %y : #blocked                  %y = arith.addf %x, %z1 : #mma
                                                %y1 = ttg.convert_layout %y -> #blocked
                                                tt.store %p, %y1

Types change in place. The attributes of conversions, conditionals and scf.while loops described the
old layouts and are dropped. An operation without a chosen layout keeps its operand types: operands
are converted back. A conversion directly follows the definition of its operand. Duplicate
conversions for several users are left to later phases.
"""

from __future__ import annotations

from collections import deque

from weft.analysis.encoding_inference import operand_encoding, result_encoding
from weft.ir import locations, scf, tt, ttg, types
from weft.ir.builtin import BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.operation import operands_of
from weft.ir.rewriting import Builder, locate_loop_arguments, set_type
from weft.layouts import Encoding

__all__ = ["LayoutRewriting"]


def convert_after_definition(value: SSAValue, encoding: Encoding) -> SSAValue:
    """Convert a value to another layout right after its definition."""
    builder = Builder()
    if isinstance(value, OpResult):
        builder.after(value.op)
    else:
        assert isinstance(value, BlockArgument)
        builder.at_start(value.block)
        builder.location = value.location or locations.unknown
    type_ = types.with_encoding(value.type, encoding)
    return builder.create(ttg.ConvertLayoutOp, [value], [type_]).results[0]


class LayoutRewriting:
    """A rewrite of a function.

    Args:
        layouts: The chosen layouts of values.
    """

    __slots__ = ("_layouts", "_old_layouts")

    def __init__(self, layouts: dict[SSAValue, Encoding]) -> None:
        self._layouts = layouts
        self._old_layouts: dict[SSAValue, Encoding] = {}

    def run(self, region: Region) -> None:
        """Rewrite a region and the regions inside, outer regions first."""
        worklist = deque([region])
        while worklist:
            for block in worklist.popleft().blocks:
                for op in block.ops:
                    self._rewrite(op)
                    worklist.extend(op.regions)

    def _rewrite(self, op: Operation) -> None:
        # Terminators have no results: their operands follow the types of the parent, which the
        # walk, outer regions first, has set already.
        if any(self._changes(result) for result in op.results):
            self._rewrite_definition(op)
        elif isinstance(op, scf.YieldOp):
            self._rewrite_yield(op)
        elif isinstance(op, scf.ConditionOp):
            self._rewrite_condition(op)
        elif isinstance(op, tt.ReduceOp) and not types.is_tensor(op.results[0].type):
            self._rewrite_scalar_reduce(op)
        elif not isinstance(op, tt.AssertOp):  # tt.assert accepts any layout
            self._restore_operands(op)

    def _rewrite_definition(self, op: Operation) -> None:
        if isinstance(op, scf.ForOp):
            self._rewrite_for(op)
        elif isinstance(op, scf.WhileOp):
            self._rewrite_while(op)
        elif isinstance(op, scf.IfOp):
            self._rewrite_if(op)
        else:
            self._rewrite_results(op)

    def _changes(self, value: SSAValue) -> bool:
        layout = self._layouts.get(value)
        return layout is not None and layout is not types.encoding(value.type)

    # ---------------------------------------------------------------------------- single values
    def _set_chosen_layout(self, value: SSAValue) -> None:
        """Give a value its chosen layout, if it has one."""
        layout = self._layouts.get(value)
        if layout is not None:
            self._set_layout(value, layout)

    def _set_layout(self, value: SSAValue, encoding: Encoding) -> None:
        old = types.encoding(value.type)
        assert old is not None
        self._old_layouts.setdefault(value, old)
        set_type(value, types.with_encoding(value.type, encoding))

    def _convert_operand(self, op: Operation, index: int, encoding: Encoding | None) -> None:
        """Convert an operand to a layout, if it does not have it already."""
        value = op.operands[index]
        if encoding is not None and types.is_tensor(value.type):
            if types.encoding(value.type) is not encoding:
                value = convert_after_definition(value, encoding)
            op.operands[index] = value

    # ------------------------------------------------------- operations whose results do not change
    def _restore_operands(self, op: Operation) -> None:
        for index, value in enumerate(operands_of(op)):
            if value in self._layouts:
                # Without an old layout, the chosen one is the one that the value had before.
                old = self._old_layouts.get(value) or types.encoding(value.type)
                self._convert_operand(op, index, old)

    def _rewrite_scalar_reduce(self, op: Operation) -> None:
        """A reduction to scalars accepts any layout, but the same for all operands."""
        layouts = self._layouts
        layout = next((layouts[value] for value in op.operands if value in layouts), None)
        for index in range(len(op.operands)):
            self._convert_operand(op, index, layout)

    def _rewrite_yield(self, op: Operation) -> None:
        parent = op.parent_op()
        assert parent is not None
        targets = parent.before_block.args if isinstance(parent, scf.WhileOp) else parent.results
        for index, target in enumerate(targets):
            self._convert_operand(op, index, types.encoding(target.type))

    def _rewrite_condition(self, op: Operation) -> None:
        loop = op.parent_op()
        assert loop is not None
        for index, target in enumerate(loop.results):
            self._convert_operand(op, 1 + index, types.encoding(target.type))

    # ------------------------------------------------------------- operations whose results change
    def _rewrite_for(self, op: scf.ForOp) -> None:
        first_init = len(op.bounds)
        for index, (result, argument) in enumerate(zip(op.results, op.iter_args, strict=True)):
            layout = self._layouts.get(result)
            if layout is not None:
                self._convert_operand(op, first_init + index, layout)
                self._set_layout(result, layout)
                self._set_layout(argument, layout)
        # Triton creates a new loop here, which decides the names of the arguments.
        locate_loop_arguments(op.block, op.init_args, op.location)

    def _rewrite_while(self, op: scf.WhileOp) -> None:
        op.attributes.clear()
        # Triton creates a new loop here, too, whose arguments have its location.
        for argument in (*op.before_block.args, *op.after_block.args):
            argument.location = op.location
        for index, argument in enumerate(op.before_block.args):
            self._convert_operand(op, index, self._layouts.get(argument))
            self._set_chosen_layout(argument)
        for result, argument in zip(op.results, op.after_block.args, strict=True):
            layout = self._layouts.get(result)
            if layout is not None:
                self._set_layout(result, layout)
                self._set_layout(argument, layout)

    def _rewrite_if(self, op: scf.IfOp) -> None:
        op.attributes.clear()
        for result in op.results:
            self._set_chosen_layout(result)

    def _rewrite_results(self, op: Operation) -> None:
        """Compute an operation in the layout that was chosen for its results."""
        encoding = self._layouts[op.results[0]]
        if isinstance(op, ttg.ConvertLayoutOp):  # only its target changes
            op.attributes.clear()
            self._set_layout(op.results[0], encoding)
            return
        # Only operations whose tensor operands share one layout propagate, so one is enough.
        operand_layout = self._operand_layout(op, encoding)
        for index in range(len(op.operands)):
            self._convert_operand(op, index, operand_layout)
        for result in op.results:
            if types.is_tensor(result.type):
                self._set_layout(result, encoding)

    def _operand_layout(self, op: Operation, encoding: Encoding) -> Encoding | None:
        """Find the layout of the operands; prefer one that an operand has already."""
        for value in op.operands:
            layout = self._layouts.get(value)
            if layout is not None and result_encoding(op, layout) is encoding:
                return layout
        return operand_encoding(op, encoding)
