"""Give every value the layout that was chosen for it, and convert where readers want another.

    %x : #blocked, chosen #mma                  %x : #mma
    %y = arith.addf %x, %z                 →    %z1 = ttg.convert_layout %z -> #mma     after %z
    tt.store %p, %y : #blocked                  %y = arith.addf %x, %z1 : #mma
                                                %y1 = ttg.convert_layout %y -> #blocked
                                                tt.store %p, %y1

Types change in place. Attributes of a conversion, a conditional or a loop that does not count were
put there for the old layouts: they go. An operation without a choice goes on reading what it
read: its operands are converted back to the layouts that they had. Conversions stand right behind
what they convert; that two readers may get one each is left to later phases.
"""

from __future__ import annotations

from collections import deque

from weft.analysis.encoding_inference import operand_encoding, result_encoding
from weft.ir import locations, scf, tt, ttg, types
from weft.ir.builtin import BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.rewriting import Builder, set_type
from weft.layouts import Encoding

__all__ = ["Rewriting", "convert_after"]


def convert_after(value: SSAValue, encoding: Encoding, location: object = None) -> SSAValue:
    """Return a value in another layout, converted right behind where it is made."""
    builder = Builder()
    if isinstance(value, OpResult):
        builder.after(value.op)
    else:
        assert isinstance(value, BlockArgument)
        builder.at_start(value.block)
        builder.location = value.location or locations.unknown
    type_ = types.with_encoding(value.type, encoding)
    return builder.create(ttg.ConvertLayoutOp, [value], [type_]).results[0]


class Rewriting:
    """One rewrite of a function, by the layouts chosen for its values."""

    __slots__ = ("_before", "_chosen")

    def __init__(self, chosen: dict[SSAValue, Encoding]) -> None:
        self._chosen = chosen
        self._before: dict[SSAValue, Encoding] = {}

    def run(self, region: Region) -> None:
        """Rewrite a region and all inside, outer regions first."""
        todo = deque([region])
        while todo:
            for block in todo.popleft().blocks:
                for op in block.ops:
                    self._rewrite(op)
                    todo.extend(op.regions)

    def _rewrite(self, op: Operation) -> None:
        cls = type(op)
        if any(self._moves(result) for result in op.results):
            _CHANGED.get(cls, Rewriting._follow)(self, op)
        elif cls is scf.YieldOp:
            self._yield(op)
        elif cls is scf.ConditionOp:
            self._condition(op)
        elif cls is tt.ReduceOp and not types.is_tensor(op.results[0].type):
            self._read_alike(op)
        elif cls is not tt.AssertOp:  # an assertion reads any layout
            self._read_as_before(op)

    def _moves(self, value: SSAValue) -> bool:
        chosen = self._chosen.get(value)
        return chosen is not None and chosen is not types.encoding(value.type)

    # ------------------------------------------------------------------------------- one value
    def _take(self, value: SSAValue) -> None:
        """Give a value its chosen layout, if it has one."""
        chosen = self._chosen.get(value)
        if chosen is not None:
            self._set(value, chosen)

    def _set(self, value: SSAValue, encoding: Encoding) -> None:
        before = types.encoding(value.type)
        assert before is not None
        self._before.setdefault(value, before)
        set_type(value, types.with_encoding(value.type, encoding))

    def _read(self, op: Operation, index: int, encoding: Encoding | None) -> None:
        """Let an operation read an operand in a layout."""
        value = op.operands[index]
        if encoding is not None and types.is_tensor(value.type):
            if types.encoding(value.type) is not encoding:
                value = convert_after(value, encoding)
            op.operands[index] = value

    # --------------------------------------------------------------------- operations that stay
    def _read_as_before(self, op: Operation) -> None:
        for index, value in enumerate(op.operands):
            if value in self._chosen:
                before = self._before.get(value) or types.encoding(value.type)
                self._read(op, index, before)

    def _read_alike(self, op: Operation) -> None:
        """A reduction to a scalar reads any layout, but one for all operands."""
        chosen = next((self._chosen[v] for v in op.operands if v in self._chosen), None)
        for index in range(len(op.operands)):
            self._read(op, index, chosen)

    def _yield(self, op: Operation) -> None:
        around = op.parent_op()
        assert around is not None
        taken = around.before_block.args if isinstance(around, scf.WhileOp) else around.results
        for index, target in enumerate(taken):
            self._read(op, index, types.encoding(target.type))

    def _condition(self, op: Operation) -> None:
        loop = op.parent_op()
        assert loop is not None
        for index, target in enumerate(loop.results):
            self._read(op, 1 + index, types.encoding(target.type))

    # ------------------------------------------------------------------- operations that change
    def _for(self, op: Operation) -> None:
        assert isinstance(op, scf.ForOp)
        for index, (result, argument) in enumerate(zip(op.results, op.iter_args, strict=True)):
            chosen = self._chosen.get(result)
            if chosen is not None:
                self._read(op, 3 + index, chosen)
                self._set(result, chosen)
                self._set(argument, chosen)

    def _while(self, op: Operation) -> None:
        assert isinstance(op, scf.WhileOp)
        op.attributes.clear()
        for index, argument in enumerate(op.before_block.args):
            self._read(op, index, self._chosen.get(argument))
            self._take(argument)
        for result, argument in zip(op.results, op.after_block.args, strict=True):
            chosen = self._chosen.get(result)
            if chosen is not None:
                self._set(result, chosen)
                self._set(argument, chosen)

    def _if(self, op: Operation) -> None:
        op.attributes.clear()
        for result in op.results:
            self._take(result)

    def _follow(self, op: Operation) -> None:
        """Compute an operation in the layout that was chosen for its results."""
        encoding = self._chosen[op.results[0]]
        if isinstance(op, ttg.ConvertLayoutOp):  # it converts to another layout then
            op.attributes.clear()
            self._set(op.results[0], encoding)
            return
        wanted = self._wanted(op, encoding)
        for index in range(len(op.operands)):
            self._read(op, index, wanted)
        for result in op.results:
            if types.is_tensor(result.type):
                self._set(result, encoding)

    def _wanted(self, op: Operation, encoding: Encoding) -> Encoding | None:
        """Return the layout of the operands; one that an operand already takes comes first."""
        for value in op.operands:
            chosen = self._chosen.get(value)
            if chosen is not None and result_encoding(op, chosen) is encoding:
                return chosen
        return operand_encoding(op, encoding)


_CHANGED = {scf.ForOp: Rewriting._for, scf.WhileOp: Rewriting._while, scf.IfOp: Rewriting._if}
