"""Rewrite a loop with a schedule as prologue, kernel and epilogue.

A loop of three stages A, B, C becomes

    A(0)                              prologue: fills the pipeline
    A(1) B(0)
    for i in range(n):
        A(i+2) B(i+1) C(i)            kernel; A and B only if their iteration exists

or, with a peeled epilogue,

    A(0)
    A(1) B(0)
    for i in range(n - 2):
        A(i+2) B(i+1) C(i)
    B(n-1) C(n-2)                     epilogue: drains the pipeline
    C(n-1)

Within an iteration of the kernel, operations run in the order of the schedule. A value that is
used in a later stage than it is defined in becomes an iter_arg of the kernel, one for each stage
that it crosses. Since the number of iterations is not known, operations of the prologue (and the
epilogue) are predicated, too. How an operation is predicated is up to the caller.

An operation of the original loop exists several times now. Its *version* v is the copy that
belongs to the v-th iteration: of the loop in the prologue, of the last iterations in the epilogue.
Above, A(0) and A(1) are versions 0 and 1 in the prologue, which the kernel starts with; C(n-2) and
C(n-1) are versions 1 and 2 in the epilogue, where version 0 is the last iteration of the kernel.

Source: MLIR, lib/Dialect/SCF/Transforms/LoopPipelining.cpp, and Triton's fork of it,
lib/Dialect/TritonGPU/Transforms/Pipeliner/PipelineExpander.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from msgspec import Struct

from weft.ir import arith, scf, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.constants import constant_attribute, integer_value
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, clone, replace
from weft.passes.pipelining.expansion.kernel_loop import KernelLoop
from weft.passes.pipelining.expansion.pipelined_loop import PipelinedLoop, Versions
from weft.passes.pipelining.loop_queries import nested_operands

__all__ = ["ExpansionOptions", "LoopPart", "expand_loop", "predicate_of_stage"]


class LoopPart(Enum):
    """The part of a pipelined loop that a copy of an operation belongs to."""

    PROLOGUE = "prologue"
    KERNEL = "kernel"
    EPILOGUE = "epilogue"


PredicateStage = Callable[[Builder, SSAValue, SSAValue, SSAValue, int, int], SSAValue]
"""Computes whether a stage runs in an iteration of the kernel, from the induction variable, the
upper bound, the step, the last stage, and the stage."""


def predicate_of_stage(
    builder: Builder,
    induction_variable: SSAValue,
    upper_bound: SSAValue,
    step: SSAValue,
    last_stage: int,
    stage: int,
) -> SSAValue:
    """Compute whether a stage runs: whether its iteration is below the upper bound."""
    type_ = induction_variable.type
    distance = builder.constant(last_stage - stage, type_)
    offset = builder.value(arith.MulIOp, [step, distance], type_)
    bound = builder.value(arith.SubIOp, [upper_bound, offset], type_)
    return _compare(builder, CmpIPredicate.SLT, induction_variable, bound)


class ExpansionOptions(Struct, frozen=True):
    """How a loop is pipelined.

    Attributes:
        predicate: Makes an operation run only if a value is true, and returns what replaces it.
        peel_epilogue: Whether the last iterations are peeled off the kernel. Otherwise the kernel
            runs them, without the stages whose iteration does not exist.
        annotate: Called with each copy, its part, and the index of the iteration in that part.
        predicate_stage: Computes the predicate of a stage of the kernel.
    """

    predicate: Callable[[Operation, SSAValue], Operation]
    peel_epilogue: bool = False
    annotate: Callable[[Operation, LoopPart, int], None] | None = None
    predicate_stage: PredicateStage = predicate_of_stage


def expand_loop(
    loop: scf.ForOp,
    order: Sequence[Operation],
    stages: Mapping[Operation, int],
    options: ExpansionOptions,
) -> scf.ForOp | None:
    """Pipeline a loop.

    Args:
        loop: The loop.
        order: The operations of its body in the order in which the kernel runs them.
        stages: The stage of each.
        options: How the loop is pipelined.

    Returns:
        The kernel. None if the schedule does not allow to pipeline the loop: it is empty or
        incomplete, or an operation would run before its operands. Then nothing changes.
    """
    pipelined = PipelinedLoop.of(loop, order, stages)
    if pipelined is None:
        return None
    return _Expansion(pipelined, options).run()


class _Expansion:
    """The expansion of one loop.

    Attributes:
        pipelined: The loop and its schedule.
        versions: The copies of each value of the loop.
        is_dynamic: Whether the loop may have fewer iterations than the prologue.
    """

    def __init__(self, pipelined: PipelinedLoop, options: ExpansionOptions) -> None:
        self.pipelined = pipelined
        self.loop = pipelined.loop
        self.last_stage = pipelined.last_stage
        self.options = options
        self.versions = Versions(self.last_stage + 1)
        self.is_dynamic = _is_dynamic(self.loop, self.last_stage)
        self.builder = Builder().before(self.loop)

    def run(self) -> scf.ForOp:
        """Replace the loop; return the kernel."""
        self._emit_prologue()
        kernel = KernelLoop(self.pipelined, self.versions, self.builder, self.options.peel_epilogue)
        self._emit_kernel(kernel)
        results: list[SSAValue] = list(kernel.op.results[: len(self.loop.results)])
        if self.options.peel_epilogue:
            self.builder.after(kernel.op)
            self._emit_epilogue(results)
        replace(self.loop, results)
        return kernel.op

    # ------------------------------------------------------------------------------ prologue
    def _emit_prologue(self) -> None:
        """Emit the first iterations: the i-th one runs the stages up to i."""
        self._start_iter_args()
        predicates: list[SSAValue | None] = []
        for iteration in range(self.last_stage):
            value = self._induction_variable(iteration)
            self.versions.set(self.loop.induction_variable, value, iteration)
            predicate = None
            if self.is_dynamic:
                _, upper_bound, _ = self.loop.bounds
                predicate = _compare(self.builder, CmpIPredicate.SLT, value, upper_bound)
            predicates.append(predicate)
            for op in self.pipelined.order:
                version = iteration - self.pipelined.stages[op]
                if version >= 0:
                    copy = self._emit_copy(op, version, predicates[version])
                    self._annotate(copy, LoopPart.PROLOGUE, iteration)
                    self._set_results(op, copy, version, predicates[version])

    def _start_iter_args(self) -> None:
        """Set the versions of iter_args that no operation of the loop computes."""
        values = zip(
            self.loop.iter_args, self.loop.init_args, self.loop.yielded_values, strict=True
        )
        for argument, init, value in values:
            self.versions.set(argument, init, 0)
            if self.pipelined.is_outside(value):
                for version in range(1, self.last_stage):
                    self.versions.set(argument, value, version)

    def _induction_variable(self, iteration: int) -> SSAValue:
        """Compute the induction variable of an iteration."""
        lower_bound, _, step = self.loop.bounds
        number = self.builder.constant(iteration, lower_bound.type)
        offset = self.builder.value(arith.MulIOp, [step, number], lower_bound.type)
        return self.builder.value(arith.AddIOp, [lower_bound, offset], lower_bound.type)

    def _set_results(
        self, op: Operation, copy: Operation, version: int, predicate: SSAValue | None
    ) -> None:
        """Set the versions of the results of an operation and of the iter_args that they yield."""
        for result, new_result in zip(op.results, copy.results, strict=True):
            source: SSAValue = new_result
            for index, value in enumerate(self.loop.yielded_values):
                if value is not result:
                    continue
                argument = self.loop.iter_args[index]
                if predicate is not None and self.loop.results[index].first_use is not None:
                    # The loop may end here: then its result is that of the last iteration.
                    previous = self.versions.get(argument, version)
                    source = self._select(predicate, source, previous)
                self.versions.set(argument, source, version + 1)
            self.versions.set(result, new_result, version)

    # -------------------------------------------------------------------------------- kernel
    def _emit_kernel(self, kernel: KernelLoop) -> None:
        """Emit the body of the kernel."""
        self.builder.at_end(kernel.op.block)
        _, upper_bound, step = self.loop.bounds
        predicates: list[SSAValue | None] = [None] * (self.last_stage + 1)
        if not self.options.peel_epilogue:
            for stage in range(self.last_stage):
                predicates[stage] = self.options.predicate_stage(
                    self.builder,
                    kernel.op.induction_variable,
                    upper_bound,
                    step,
                    self.last_stage,
                    stage,
                )
        for op in self.pipelined.order:
            copy = kernel.emit_copy(op)
            predicate = predicates[self.pipelined.stages[op]]
            if predicate is not None:
                copy = self.options.predicate(copy, predicate)
                kernel.set_results(op, copy)
            self._annotate(copy, LoopPart.KERNEL, 0)
        self.versions.clear()
        kernel.emit_yield(self.versions, predicates)

    # ------------------------------------------------------------------------------ epilogue
    def _emit_epilogue(self, results: list[SSAValue]) -> None:
        """Emit the last iterations: the i-th one runs the stages from i on.

        Args:
            results: The results of the kernel; replaced by those of the epilogue.
        """
        predicates = self._start_epilogue()
        for iteration in range(1, self.last_stage + 1):
            last_results: dict[int, int] = {}
            for op in self.pipelined.order:
                stage = self.pipelined.stages[op]
                if stage < iteration:
                    continue
                version = self.last_stage - stage + iteration
                copy = self._emit_copy(op, version, predicates[version])
                self._annotate(copy, LoopPart.EPILOGUE, iteration - 1)
                for index in self._set_epilogue_results(op, copy, version, results):
                    last_results[index] = version
            if self.is_dynamic:
                self._select_results(results, last_results, predicates)

    def _start_epilogue(self) -> list[SSAValue | None]:
        """Compute the induction variables of the last iterations, and whether they exist.

        Returns:
            The predicate of each version; None for version 0, or if all iterations exist.
        """
        builder = self.builder
        lower_bound, upper_bound, step = self.loop.bounds
        type_ = lower_bound.type
        zero, one = builder.constant(0, type_), builder.constant(1, type_)
        is_descending = _compare(builder, CmpIPredicate.SLT, step, zero)
        minus_one = builder.constant(-1, type_)
        toward_zero = builder.value(arith.SelectOp, [is_descending, one, minus_one], type_)
        length = builder.value(arith.SubIOp, [upper_bound, lower_bound], type_)
        length = builder.value(arith.AddIOp, [length, step], type_)
        length = builder.value(arith.AddIOp, [length, toward_zero], type_)
        count = builder.value(arith.DivSIOp, [length, step], type_)
        # The number of iterations is (upper - lower + step - sign(step)) / step. A loop with fewer
        # iterations than the prologue continues where the prologue started.
        last_stage = builder.constant(self.last_stage, type_)
        iteration = builder.value(arith.SubIOp, [count, last_stage], type_)
        iteration = builder.value(arith.MaxSIOp, [zero, iteration], type_)
        predicates: list[SSAValue | None] = [None]
        for version in range(1, self.last_stage + 1):
            offset = builder.value(arith.MulIOp, [step, iteration], type_)
            value = builder.value(arith.AddIOp, [lower_bound, offset], type_)
            self.versions.set(self.loop.induction_variable, value, version)
            iteration = builder.value(arith.AddIOp, [iteration, one], type_)
            predicate = None
            if self.is_dynamic:
                needed = builder.constant(version, type_)
                predicate = _compare(builder, CmpIPredicate.SGE, count, needed)
            predicates.append(predicate)
        return predicates

    def _set_epilogue_results(
        self, op: Operation, copy: Operation, version: int, results: list[SSAValue]
    ) -> list[int]:
        """Set the versions of the results of an operation; return which loop results it yields."""
        indices: list[int] = []
        for result, new_result in zip(op.results, copy.results, strict=True):
            self.versions.set(result, new_result, version)
            for index, value in enumerate(self.loop.yielded_values):
                if value is result:
                    results[index] = new_result
                    indices.append(index)
                    if version + 1 <= self.last_stage:
                        self.versions.set(self.loop.iter_args[index], new_result, version + 1)
        return indices

    def _select_results(
        self,
        results: list[SSAValue],
        versions: Mapping[int, int],
        predicates: Sequence[SSAValue | None],
    ) -> None:
        """Keep the previous results of the loop where an iteration of the epilogue does not exist.

        Args:
            results: The results.
            versions: The version of each result that the iteration computes, by index.
            predicates: Whether the iteration of a version exists.
        """
        for index in sorted(versions):
            version = versions[index]
            predicate, argument = predicates[version], self.loop.iter_args[index]
            assert predicate is not None
            previous = self.versions.get(argument, version)
            results[index] = self._select(predicate, results[index], previous)
            if version + 1 <= self.last_stage:
                self.versions.set(argument, results[index], version + 1)

    # ------------------------------------------------------------------------------- helpers
    def _emit_copy(self, op: Operation, version: int, predicate: SSAValue | None) -> Operation:
        """Emit a copy of an operation that uses a version of its operands."""
        values = self.versions.of_operands(nested_operands(op), version)
        copy = clone(op, values)
        self.builder.insert(copy)
        return copy if predicate is None else self.options.predicate(copy, predicate)

    def _annotate(self, op: Operation, part: LoopPart, iteration: int) -> None:
        if self.options.annotate is not None:
            self.options.annotate(op, part, iteration)

    def _select(self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue) -> SSAValue:
        return self.builder.value(arith.SelectOp, [condition, if_true, if_false], if_true.type)


def _compare(builder: Builder, predicate: CmpIPredicate, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    return builder.value(arith.CmpIOp, [lhs, rhs], types.i1, {"predicate": predicate.attr()})


def _is_dynamic(loop: scf.ForOp, last_stage: int) -> bool:
    """Check whether a loop may have fewer iterations than the prologue.

    As in MLIR's loop pipelining, only bounds of type index count as known.
    """
    bounds = [integer_value(constant_attribute(bound)) for bound in loop.bounds]
    lower_bound, upper_bound, step = bounds
    if loop.induction_variable.type != types.index:
        return True
    if lower_bound is None or upper_bound is None or step is None:
        return True
    return -((lower_bound - upper_bound) // step) < last_stage
