"""Spread layouts through a function to all values that have a placeholder for one.

    %0 = arith.constant dense<1> : tensor<8x1xi32, #auto>
    %1 = tt.broadcast %0 : tensor<8x1xi32, #auto> -> tensor<8x4xi32, #auto>
    %2 = arith.addi %1, %x : tensor<8x4xi32, #auto>          seed: #a

From the seed, #a goes back to the operands of the addition and of the broadcast, and forward to
the users of these, until no value changes. Initial values, arguments, yielded values and results of
loops and conditionals belong together. `tt.join`, `tt.split`, `tt.reshape`, `tt.cat` and `tt.trans`
could have other layouts, too: what is inferred through them yields to what is inferred without.

Source: Triton 3.7.1, lib/Dialect/Gluon/Transforms/InferLayoutUtils.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from weft.analysis.encoding_inference import operand_encoding, result_encoding
from weft.errors import PassError
from weft.ir import arith, attributes, locations, scf, tt, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.rewriting import set_type, walk
from weft.layouts import Encoding

__all__ = ["check_is_resolved", "infer_encodings"]

_AMBIGUOUS = (tt.JoinOp, tt.SplitOp, tt.ReshapeOp, tt.CatOp, tt.TransOp)


class _Inference(Struct, frozen=True):
    """A layout that was inferred for a value.

    Attributes:
        encoding: The layout.
        may_vary: Whether another layout would do, too.
    """

    encoding: Encoding
    may_vary: bool

    def through(self, op: Operation, encoding: Encoding) -> _Inference:
        """Continue the inference on the other side of an operation."""
        return _Inference(encoding, self.may_vary or isinstance(op, _AMBIGUOUS))


def infer_encodings(
    function: tt.FuncOp, placeholder: type[Encoding], seeds: Sequence[tuple[SSAValue, Encoding]]
) -> tuple[SSAValue, ...]:
    """Set the layouts of values with a placeholder in a function.

    Args:
        function: The function.
        placeholder: The class of the layouts to replace.
        seeds: Values and their layouts.

    Returns:
        The values whose layouts were set.

    Raises:
        PassError: Two layouts for one value, or a signature with a placeholder.
    """
    _check_signature(function, placeholder)
    solver = _Solver(function, placeholder)
    for value, encoding in seeds:
        solver.update(value, _Inference(encoding, False))
    solver.solve()
    return solver.apply()


def check_is_resolved(module: ModuleOp, placeholder: type[Encoding]) -> None:
    """Check that no value has a placeholder.

    Raises:
        PassError: At the operation that has one.
    """
    for op in walk(module):
        if any(isinstance(types.encoding(result.type), placeholder) for result in op.results):
            raise _error(op, f"'{op.name}' op Failed to infer return type")
    for op in walk(module):
        for region in op.regions:
            for block in region.blocks:
                if any(isinstance(types.encoding(arg.type), placeholder) for arg in block.args):
                    raise _error(op, "Failed to infer block argument type")


def _check_signature(function: tt.FuncOp, placeholder: type[Encoding]) -> None:
    signature = function.function_type
    for verb, items in (("taking", signature.inputs), ("returning", signature.outputs)):
        if any(isinstance(types.encoding(type_), placeholder) for type_ in items):
            raise _error(function, f"Functions {verb} auto encoding must be fully inlined")


def _error(op: Operation, message: str) -> PassError:
    return PassError(message, location=locations.position(op.location))


class _Solver:
    """The layouts that are inferred so far, and the values whose neighbours are to be visited.

    Args:
        function: The function.
        placeholder: The class of the layouts to replace.
    """

    def __init__(self, function: tt.FuncOp, placeholder: type[Encoding]) -> None:
        self._function = function
        self._placeholder = placeholder
        self._inferences: dict[SSAValue, _Inference] = {}
        self._worklist: dict[SSAValue, None] = {}

    def update(self, value: SSAValue, inference: _Inference) -> None:
        """Combine an inference with that of a value.

        Raises:
            PassError: Both are certain, and differ.
        """
        if not isinstance(types.encoding(value.type), self._placeholder):
            return
        known = self._inferences.get(value)
        if known is not None:
            inference = self._combine(value, known, inference)
            if inference == known:
                return
        self._inferences[value] = inference
        self._worklist.pop(value, None)
        self._worklist[value] = None

    def _combine(self, value: SSAValue, first: _Inference, second: _Inference) -> _Inference:
        # The order must not depend on which one was inferred first.
        first, second = sorted((first, second), key=lambda inference: str(inference.encoding))
        if first.may_vary:
            return second
        if second.may_vary or first.encoding is second.encoding:
            return first
        op = value.op if isinstance(value, OpResult) else self._function
        raise _error(
            op,
            f"'{op.name}' op found conflicting encodings for value:\n  {first.encoding}\nand\n  "
            f"{second.encoding}",
        )

    def solve(self) -> None:
        """Visit values until no inference changes."""
        while self._worklist:
            value, _ = self._worklist.popitem()
            inference = self._inferences[value]
            for tied in _tied_values(value):
                self.update(tied, inference)
            for use in tuple(value.uses):
                self._infer_results(use.operation, inference)
            if isinstance(value, OpResult):
                self._infer_operands(value.op, inference)

    def _infer_results(self, op: Operation, inference: _Inference) -> None:
        encoding = None if _is_control_flow(op) else result_encoding(op, inference.encoding)
        if encoding is not None:
            for result in op.results:
                self.update(result, inference.through(op, encoding))

    def _infer_operands(self, op: Operation, inference: _Inference) -> None:
        encoding = None if _is_control_flow(op) else operand_encoding(op, inference.encoding)
        if encoding is not None:
            for operand in op.operands:
                self.update(operand, inference.through(op, encoding))

    def apply(self) -> tuple[SSAValue, ...]:
        """Write the layouts into the types, and into the values of constants; list the values."""
        for value, inference in self._inferences.items():
            type_ = types.with_encoding(value.type, inference.encoding)
            set_type(value, type_)
            if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
                _retype_constant(value.op, type_)
        return tuple(self._inferences)


def _retype_constant(op: Operation, type_: Attribute) -> None:
    value = op.properties["value"]
    if not isinstance(value, SplatAttr):
        raise _error(op, "the layout of a constant is inferred only if its elements are equal")
    op.properties["value"] = attributes.splat(value.value, type_)


def _is_control_flow(op: Operation | None) -> bool:
    return isinstance(op, scf.ForOp | scf.WhileOp | scf.IfOp | scf.YieldOp | scf.ConditionOp)


def _tied_values(value: SSAValue) -> Iterator[SSAValue]:
    """Yield the values that are one variable of a loop or conditional with a value."""
    for use in value.uses:
        op, index = use.operation, use.index
        if isinstance(op, scf.ForOp):
            index -= 3  # the bounds and the step
        elif isinstance(op, scf.YieldOp):
            parent = op.parent_op()
            yield from _variable(parent, index, isinstance(parent, scf.WhileOp))
            continue
        elif isinstance(op, scf.ConditionOp):
            yield from _variable(op.parent_op(), index - 1, False)
            continue
        if index >= 0:
            yield from _variable(op, index, isinstance(op, scf.WhileOp))
    if isinstance(value, OpResult):
        yield from _variable(value.op, value.index, False)
    elif isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        index = value.index - isinstance(parent, scf.ForOp)
        is_before = isinstance(parent, scf.WhileOp) and value.block is parent.regions[0].block
        if index >= 0:
            yield from _variable(parent, index, is_before)


def _variable(op: Operation | None, index: int, is_before: bool) -> Iterable[SSAValue]:
    """List the values of a variable that a loop or conditional carries.

    Args:
        op: The loop or conditional; nothing for others.
        index: The number of the variable.
        is_before: Whether it is a variable of the condition of `scf.while`, not of its body.
    """
    if isinstance(op, scf.ForOp):
        return (
            op.iter_args[index],
            op.results[index],
            op.terminator.operands[index],
            op.init_args[index],
        )
    if isinstance(op, scf.IfOp):
        last_ops = [region.block.last_op for region in op.regions if region.blocks]
        yields = [last.operands[index] for last in last_ops if isinstance(last, scf.YieldOp)]
        return (*yields, op.results[index])
    if isinstance(op, scf.WhileOp):
        before, after = (region.block for region in op.regions)
        assert before.last_op is not None
        assert after.last_op is not None
        if is_before:
            return (before.args[index], op.operands[index], after.last_op.operands[index])
        return (before.last_op.operands[1 + index], after.args[index], op.results[index])
    return ()
