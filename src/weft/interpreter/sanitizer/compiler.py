"""Compiles a kernel so that its steps compute shadows, and report uses of undefined lanes.

    %x = tt.load %p, %m         the lanes that are masked off are undefined without `other`
    %y = arith.addf %x, %c      the same lanes
    tt.store %q, %y             reported, if one of them is stored

Only kernels that are checked are compiled so: others pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from weft.errors import OutOfBoundsError
from weft.interpreter.compiled_module import CompiledModule
from weft.interpreter.function_compiler import CompiledBlock, FunctionCompiler
from weft.interpreter.launch import Kernel
from weft.interpreter.memory import Find
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import text_of
from weft.interpreter.registry import Slots, Step, row_for
from weft.interpreter.sanitizer.sanitizer import Sanitizer
from weft.interpreter.sanitizer.shadow import Shadow
from weft.interpreter.sanitizer.transfer import Transfer, transfer_of
from weft.interpreter.sanitizer.undefined_results import UndefinedResults, undefined_results_of
from weft.interpreter.sanitizer.uses import Uses, mask_of, uses_of
from weft.interpreter.values import dense
from weft.ir import cf, llvm, scf, tt, types

__all__ = ["CheckedKernel", "checked_kernel"]


@dataclass(frozen=True, slots=True)
class CheckedKernel:
    """A kernel compiled for a sanitizer.

    Attributes:
        kernel: The kernel.
        sanitizer: The sanitizer.
    """

    kernel: Kernel
    sanitizer: Sanitizer

    def run(
        self,
        grid: Sequence[int],
        args: Sequence[object],
        *,
        names: Sequence[str] | None = None,
        find: Find | None = None,
    ) -> None:
        """Run the programs of a grid one by one. An access out of bounds ends the launch.

        Arguments and other errors are those of the interpreter's `Kernel.run`.
        """
        try:
            self.kernel.run(
                grid, args, names=names, tile_budget=0, find=find, observer=self.sanitizer
            )
        except OutOfBoundsError as error:
            self.sanitizer.report_out_of_bounds(error)


def checked_kernel(module: ModuleOp, name: str, sanitizer: Sanitizer) -> CheckedKernel:
    """Compile a kernel of a module for a sanitizer.

    Raises:
        LaunchError: The module has no such function.
    """
    program = CompiledModule(module, lambda callee: _CheckedCompiler(callee, sanitizer))
    program.function(name)
    return CheckedKernel(Kernel(program, name), sanitizer)


class _CheckedCompiler(FunctionCompiler):
    """Wraps each step in one that computes shadows."""

    def __init__(self, call: object, sanitizer: Sanitizer) -> None:
        super().__init__(call)  # pyright: ignore[reportArgumentType]
        self._sanitizer = sanitizer

    def code(self, block: Block) -> CompiledBlock:
        """Compile a block; the condition of its terminator is checked, too."""
        compiled = super().code(block)
        op = compiled.terminator
        if not isinstance(op, cf.CondBranchOp | scf.ConditionOp):
            return compiled
        uses, sanitizer, slot = uses_of(op), self._sanitizer, compiled.results[0]

        def check(slots: Slots, batch: Batch) -> None:
            _check_uses(sanitizer, op, uses, [slots[slot]])

        return replace(compiled, steps=(*compiled.steps, check), origins=(*compiled.origins, op))

    def _step(self, op: Operation) -> Step:
        step = super()._step(op)
        if isinstance(op, tt.CallOp):
            return _call(self._sanitizer, op, step)
        if isinstance(op, tt.AssertOp | llvm.AssumeOp):
            return _assertion(self._sanitizer, op, self.slot(op.operands[0]))
        operands, results = self.slots(op.operands), self.slots(op.results)
        keeps = row_for(op).kind == "control" and transfer_of(op) is None
        return _CheckedStep(self._sanitizer, op, step, operands, () if keeps else results).run


def _call(sanitizer: Sanitizer, op: Operation, step: Step) -> Step:
    def run(slots: Slots, batch: Batch) -> None:
        sanitizer.calls.append(op)
        step(slots, batch)
        sanitizer.calls.pop()

    return run


def _assertion(sanitizer: Sanitizer, op: Operation, slot: int) -> Step:
    """Report lanes for which a condition is false, instead of ending the launch."""
    is_assert = isinstance(op, tt.AssertOp)
    message = text_of(op, "message") if is_assert else "an assumption does not hold"
    kind = "integer-overflow" if "overflow detected" in message else "assertion"
    if kind == "assertion" and is_assert:
        message = f"device-side assert triggered: {message}"

    def run(slots: Slots, batch: Batch) -> None:
        fails = ~dense(slots[slot])
        shadow = sanitizer.shadows.get(slots[slot])
        if shadow is not None:
            fails = fails & ~shadow.lanes
        if fails.any():
            sanitizer.report(kind, message, op, fails)

    return run


def _check_uses(
    sanitizer: Sanitizer, op: Operation, uses: Uses | None, values: Sequence[object]
) -> None:
    if uses is None or not sanitizer.shadows:
        return
    shadows = [sanitizer.shadows.get(value) for value in values]
    if any(shadow is not None for shadow in shadows):
        for message, lanes, shadow in uses(shadows, values):
            sanitizer.use(op, message, lanes, shadow)


class _CheckedStep:
    """A step of one operation, with its shadows.

    Args:
        sanitizer: The sanitizer.
        op: The operation.
        step: The step that computes its results.
        operands: The slots of its operands.
        results: The slots of its results; none if their shadows are right already.
    """

    def __init__(
        self,
        sanitizer: Sanitizer,
        op: Operation,
        step: Step,
        operands: tuple[int, ...],
        results: tuple[int, ...],
    ) -> None:
        self._sanitizer, self._op, self._step = sanitizer, op, step
        self._operands, self._results = operands, results
        self._uses: Uses | None = uses_of(op)
        self._transfer: Transfer | None = transfer_of(op)
        self._undefined_results: UndefinedResults | None = undefined_results_of(op)

    def run(self, slots: Slots, batch: Batch) -> None:
        """Check the operands, run the step, and attach the shadows of the results."""
        sanitizer, op = self._sanitizer, self._op
        values = [slots[slot] for slot in self._operands]
        _check_uses(sanitizer, op, self._uses, values)
        if isinstance(op, tt.DescriptorStoreOp):
            sanitizer.will_store(sanitizer.shadows.get(values[1]))
        sanitizer.operation = op
        self._step(slots, batch)
        if not self._results:
            return
        shadows = self._result_shadows(values)
        if shadows is not None:
            for slot, shadow in zip(self._results, shadows, strict=True):
                slots[slot] = sanitizer.shadows.attach(slots[slot], shadow)

    def _result_shadows(self, values: Sequence[object]) -> Sequence[Shadow | None] | None:
        """Compute the shadows of the results; None if all their lanes are defined."""
        sanitizer, op = self._sanitizer, self._op
        shadows = [sanitizer.shadows.get(value) for value in values]
        if isinstance(op, tt.LoadOp | tt.AtomicRMWOp):
            return [self._masked_off(values, shadows)]
        has_shadow = any(shadow is not None for shadow in shadows)
        if self._undefined_results is not None:
            new_shadows = self._new_shadows(self._undefined_results(*values))
            shadows += new_shadows
            has_shadow = has_shadow or bool(new_shadows)
        if not has_shadow:
            return None
        if self._transfer is None:
            return [None] * len(self._results)
        return self._transfer(shadows, values)

    def _masked_off(
        self, values: Sequence[object], shadows: Sequence[Shadow | None]
    ) -> Shadow | None:
        """Find the lanes that an access leaves undefined: masked off, without a defined `other`."""
        mask = mask_of(self._op, values)
        if mask is None or mask.all():
            return None
        lanes = ~mask
        if isinstance(self._op, tt.LoadOp) and len(values) > 2:
            other = shadows[2]
            return None if other is None else replace(other, lanes=other.lanes & lanes)
        reason = "masked off in a load without `other`"
        if not isinstance(self._op, tt.LoadOp):
            reason = "masked off in an atomic operation"
        return Shadow(lanes, self._sanitizer.origin(self._op, reason))

    def _new_shadows(self, results: Iterable[tuple[str, np.ndarray]]) -> list[Shadow | None]:
        rank = len(types.shape(self._op.results[0].type)) + 1
        shadows: list[Shadow | None] = []
        for reason, lanes in results:
            if lanes.any():
                origin = self._sanitizer.origin(self._op, reason)
                shape = (1,) * (rank - lanes.ndim) + lanes.shape
                shadows.append(Shadow(lanes.reshape(shape), origin))
        return shadows
