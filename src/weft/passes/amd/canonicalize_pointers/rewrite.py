"""Rewrite the pointers of a function, operation by operation in program order."""

from __future__ import annotations

from collections.abc import Callable

from weft.ir import arith, cf, scf, tt, types
from weft.ir.builtin import BlockArgument, IntegerAttr, Operation, Region, SSAValue
from weft.ir.rewriting import Builder
from weft.passes.amd.canonicalize_pointers.addptr import advance
from weft.passes.amd.canonicalize_pointers.candidates import MOVES, fat_pointer_values
from weft.passes.amd.canonicalize_pointers.control_flow import ControlFlow
from weft.passes.amd.canonicalize_pointers.fat_pointer import FatPointer
from weft.passes.diagnostics import emit_remark

__all__ = ["rewrite_pointers"]


def rewrite_pointers(function: tt.FuncOp, large: bool) -> None:
    """Rewrite the pointers of a function as fat pointers.

    Args:
        function: the function, changed in place.
        large: whether arguments whose array may exceed 2 GiB take part.
    """
    entry = function.body.blocks.first
    if entry is None:
        return
    roots = _roots(function, large)
    if not roots:
        return
    small_arguments = [argument for argument, bits in roots if bits != 64]
    large_arguments = [argument for argument, bits in roots if bits == 64]
    rewrite = _Rewrite(fat_pointer_values(function, (small_arguments, large_arguments)))
    builder = Builder(function.location).at_start(entry)
    for argument, bits in roots:
        if not argument.uses:
            # Triton's words: it casts each argument to a fat pointer.
            emit_remark(function.location, "expected at least 1 use of unrealized_cast")
        zero = builder.constant(0, types.IntegerType(bits))
        rewrite.flow.fat_pointers[argument] = FatPointer(argument, zero, bits != 64, True)
    rewrite.region(function.body)
    for op in reversed(rewrite.flow.replaced):
        op.detach()
        op.erase(safe_erase=False)
    for old in reversed(rewrite.flow.arguments):
        old.block.erase_arg(old)


def _roots(function: tt.FuncOp, large: bool) -> list[tuple[BlockArgument, int]]:
    """List the pointer arguments that take part, each with the number of bits of its offsets."""
    result: list[tuple[BlockArgument, int]] = []
    entry = function.body.blocks.first
    assert entry is not None
    for argument in entry.args:
        if types.is_pointer(argument.type) and not types.is_tensor(argument.type.pointee):
            pointer_range = function.argument_attributes(argument.index).get("tt.pointer_range")
            bits = pointer_range.value.data if isinstance(pointer_range, IntegerAttr) else 64
            if large or bits != 64:
                result.append((argument, bits))
    return result


class _Rewrite:
    """The walk over one function."""

    def __init__(self, candidates: set[SSAValue]) -> None:
        self.flow = ControlFlow(candidates, self.region)

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
        self._materialize(op)

    def _materialize(self, op: Operation) -> None:
        """Replace fat-pointer operands by plain pointers, created before the operation."""
        for index, operand in enumerate(op.operands):
            if operand in self.flow.fat_pointers:
                op.operands[index] = self.flow.pointer(operand, op)

    def visit_addptr(self, op: Operation) -> None:
        assert isinstance(op, tt.AddPtrOp)
        fat_pointer = self.flow.fat_pointers.get(op.operands[0])
        if fat_pointer is None or op.results[0] not in self.flow.candidates:
            self._materialize(op)
            return
        self.flow.fat_pointers[op.results[0]] = advance(op, fat_pointer)
        self.flow.replaced.append(op)

    def visit_move(self, op: Operation) -> None:
        """Apply an operation that moves elements to the offset."""
        fat_pointer = self.flow.fat_pointers.get(op.operands[0])
        if fat_pointer is None:
            return
        assert isinstance(op, MOVES)
        result = op.results[0]
        type_ = types.with_element(result.type, types.element(fat_pointer.offset.type))
        builder = Builder().before(op)
        new_op = builder.create(
            type(op), [fat_pointer.offset], [type_], op.properties, op.attributes
        )
        self.flow.fat_pointers[result] = fat_pointer.with_values(
            fat_pointer.base, new_op.results[0]
        )
        self.flow.replaced.append(op)

    def visit_select(self, op: Operation) -> None:
        condition, yes, no = op.operands
        if op.results[0] not in self.flow.candidates:
            self._materialize(op)
            return
        fat_pointers = self.flow.fat_pointers[yes], self.flow.fat_pointers[no]
        builder = Builder().before(op)
        base, offset = (
            builder.value(arith.SelectOp, [condition, a, b], a.type)
            for a, b in zip(fat_pointers[0].values, fat_pointers[1].values, strict=True)
        )
        self.flow.fat_pointers[op.results[0]] = fat_pointers[0].with_values(base, offset)
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
    **dict.fromkeys(MOVES, _Rewrite.visit_move),
    tt.AddPtrOp: _Rewrite.visit_addptr,
    arith.SelectOp: _Rewrite.visit_select,
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.IfOp: _if,
    scf.YieldOp: _end,
    scf.ConditionOp: _end,
    cf.BranchOp: _branch,
    cf.CondBranchOp: _branch,
}
