"""Follow the pairs of a function, operation by operation, in the order in which it runs."""

from __future__ import annotations

from collections.abc import Callable

from weft.ir import arith, cf, scf, tt, types
from weft.ir.builtin import BlockArgument, IntegerAttr, Operation, Region, SSAValue
from weft.ir.rewriting import Builder
from weft.passes.amd.canonicalize_pointers.advance import advanced
from weft.passes.amd.canonicalize_pointers.control_flow import ControlFlow
from weft.passes.amd.canonicalize_pointers.pair import Pair
from weft.passes.amd.canonicalize_pointers.pairs import MOVES, pairs_of

__all__ = ["rewrite_pointers"]


def rewrite_pointers(function: tt.FuncOp, large: bool) -> None:
    """Turn the pointers of a function into pairs, and back where memory is touched.

    Args: large: whether arguments that may point into more than 2 GiB take part.
    """
    entry = function.body.blocks.first
    if entry is None:
        return
    roots = _roots(function, large)
    if not roots:
        return
    small = [argument for argument, bits in roots if bits != 64]
    of_any_size = [argument for argument, bits in roots if bits == 64]
    rewrite = _Rewrite(pairs_of(function, (small, of_any_size)))
    builder = Builder(function.location).at_start(entry)
    for argument, bits in roots:
        zero = builder.constant(0, types.IntegerType(bits))
        rewrite.flow.pairs[argument] = Pair(argument, zero, bits != 64, True)
    rewrite.region(function.body)
    for op in reversed(rewrite.flow.replaced):
        op.detach()
        op.erase(safe_erase=False)
    for old in reversed(rewrite.flow.arguments):
        old.block.erase_arg(old)


def _roots(function: tt.FuncOp, large: bool) -> list[tuple[BlockArgument, int]]:
    """Return the pointer arguments that take part, each with the bits of its offsets."""
    found = []
    entry = function.body.blocks.first
    assert entry is not None
    for argument in entry.args:
        if types.is_pointer(argument.type) and not types.is_tensor(argument.type.pointee):
            told = function.argument_attributes(argument.index).get("tt.pointer_range")
            bits = told.value.data if isinstance(told, IntegerAttr) else 64
            if large or bits != 64:
                found.append((argument, bits))
    return found


class _Rewrite:
    """One walk over a function."""

    def __init__(self, can: set[SSAValue]) -> None:
        self.flow = ControlFlow(can, self.region)

    def region(self, region: Region) -> None:
        for block in region.blocks:
            for op in tuple(block.ops):
                self._visit(op)

    def _visit(self, op: Operation) -> None:
        handler = _HANDLERS.get(type(op))
        if handler is not None:
            handler(self, op)
            return
        for region in op.regions:
            self.region(region)
        self._materialise(op)

    def _materialise(self, op: Operation) -> None:
        """Let an operation read pointers, made right before it."""
        for index, operand in enumerate(op.operands):
            if operand in self.flow.pairs:
                op.operands[index] = self.flow.pointer(operand, op)

    def _advance(self, op: Operation) -> None:
        assert isinstance(op, tt.AddPtrOp)
        pair = self.flow.pairs.get(op.operands[0])
        if pair is None or op.results[0] not in self.flow.can:
            self._materialise(op)
            return
        self.flow.pairs[op.results[0]] = advanced(op, pair)
        self.flow.replaced.append(op)

    def _move(self, op: Operation) -> None:
        """Move offsets about as the pointers were."""
        pair = self.flow.pairs.get(op.operands[0])
        if pair is None:
            return
        assert isinstance(op, MOVES)
        result = op.results[0]
        type_ = types.with_element(result.type, types.element(pair.offset.type))
        builder = Builder().before(op)
        made = builder.create(type(op), [pair.offset], [type_], op.properties, op.attributes)
        self.flow.pairs[result] = pair.moved(pair.base, made.results[0])
        self.flow.replaced.append(op)

    def _select(self, op: Operation) -> None:
        condition, yes, no = op.operands
        if op.results[0] not in self.flow.can:
            self._materialise(op)
            return
        pairs = self.flow.pairs[yes], self.flow.pairs[no]
        builder = Builder().before(op)
        base, offset = (
            builder.value(arith.SelectOp, [condition, a, b], a.type)
            for a, b in zip(pairs[0].values, pairs[1].values, strict=True)
        )
        self.flow.pairs[op.results[0]] = pairs[0].moved(base, offset)
        self.flow.replaced.append(op)


def _for(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, scf.ForOp)
    rewrite.flow.for_loop(op)


def _while(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, scf.WhileOp)
    rewrite.flow.while_loop(op)


def _if(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, scf.IfOp)
    rewrite.flow.conditional(op)


def _end(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, scf.YieldOp | scf.ConditionOp)
    rewrite.flow.terminator(op)


def _branch(rewrite: _Rewrite, op: Operation) -> None:
    assert isinstance(op, cf.BranchOp | cf.CondBranchOp)
    rewrite.flow.branch(op)


_HANDLERS: dict[type[Operation], Callable[[_Rewrite, Operation], None]] = {
    **dict.fromkeys(MOVES, _Rewrite._move),
    tt.AddPtrOp: _Rewrite._advance,
    arith.SelectOp: _Rewrite._select,
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.IfOp: _if,
    scf.YieldOp: _end,
    scf.ConditionOp: _end,
    cf.BranchOp: _branch,
    cf.CondBranchOp: _branch,
}
