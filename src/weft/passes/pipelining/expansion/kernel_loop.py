"""The kernel of a pipelined loop: its iter_args, body and results.

    %0 = tt.load %p            stage 0                   scf.for … iter_args(…, %u, %v) {
    %1 = arith.addf %a, %0     stage 2         →           %1 = arith.addf %a, %u
                                                           %0 = tt.load …
                                                           scf.yield …, %v, %0

%0 crosses two stages, so the kernel carries it in two iter_args: %u is the version of two
iterations ago, %v that of the previous one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from weft.ir import arith, scf
from weft.ir.builtin import Block, BlockArgument, Operation, Region, SSAValue
from weft.ir.rewriting import Builder, clone, locate_loop_arguments, walk_inner_first
from weft.passes.pipelining.expansion.pipelined_loop import PipelinedLoop, Versions
from weft.passes.rewrite.nesting import is_defined_inside

__all__ = ["KernelLoop"]


class _LiveRange(Struct):
    """The stages in which a value is alive.

    Attributes:
        definition: The stage of its definition.
        last_use: The stage of its last use.
    """

    definition: int
    last_use: int

    @property
    def length(self) -> int:
        """The number of stages that it crosses."""
        return self.last_use - self.definition


class KernelLoop:
    """The kernel of a pipelined loop.

    Attributes:
        op: The new loop.

    Args:
        pipelined: The original loop.
        versions: The copies of its values in the prologue.
        builder: Where to create the kernel.
        peels_epilogue: Whether the last iterations are not part of the kernel.
    """

    def __init__(
        self,
        pipelined: PipelinedLoop,
        versions: Versions,
        builder: Builder,
        peels_epilogue: bool,
    ) -> None:
        self._pipelined = pipelined
        self._loop = pipelined.loop
        self._builder = builder
        self._peels_epilogue = peels_epilogue
        self._live_ranges = _live_ranges_across_stages(pipelined)
        self._carried: dict[tuple[SSAValue, int], int] = {}
        self.op = self._create(versions)
        self._values: dict[SSAValue, SSAValue] = {
            self._loop.induction_variable: self.op.induction_variable,
            **dict(zip(self._loop.iter_args, self.op.iter_args, strict=False)),
        }

    def _create(self, versions: Versions) -> scf.ForOp:
        """Create the loop with an empty body; its iter_args start with what the prologue left."""
        pipelined, loop = self._pipelined, self._loop
        inits: list[SSAValue] = []
        for argument, init, value in zip(
            loop.iter_args, loop.init_args, loop.yielded_values, strict=True
        ):
            stage = pipelined.stage_of_definition(value)
            inits.append(
                init if stage is None else versions.get(argument, pipelined.last_stage - stage)
            )
        for value, live_range in self._live_ranges.items():
            for index in range(live_range.length):
                # The oldest version first; its users are in the last stage that uses the value.
                self._carried[value, live_range.length - index] = len(inits)
                inits.append(
                    versions.get(value, pipelined.last_stage - live_range.last_use + index)
                )
        lower_bound, upper_bound, step = loop.bounds
        if self._peels_epilogue:
            last_stage = self._builder.constant(pipelined.last_stage, step.type)
            offset = self._builder.value(arith.MulIOp, [step, last_stage], step.type)
            upper_bound = self._builder.value(arith.SubIOp, [upper_bound, offset], step.type)
        init_types = [init.type for init in inits]
        block = Block(arg_types=[loop.induction_variable.type, *init_types])
        locate_loop_arguments(block, inits, loop.location)
        return self._builder.create(
            scf.ForOp,
            [lower_bound, upper_bound, step, *inits],
            init_types,
            loop.properties,
            loop.attributes,
            [Region(block)],
        )

    def emit_copy(self, op: Operation) -> Operation:
        """Emit the copy of an operation at the end of the body."""
        copy = clone(op, self._values)
        self._builder.insert(copy)
        stage = self._pipelined.stages[op]
        pairs = zip(walk_inner_first(op), walk_inner_first(copy), strict=True)
        for nested, nested_copy in pairs:
            for index, operand in enumerate(nested.operands):
                replacement = self._operand(operand, stage, copy)
                if replacement is not None:
                    nested_copy.operands[index] = replacement
        return copy

    def set_results(self, op: Operation, copy: Operation) -> None:
        """Let the copies of users use the results of another operation."""
        for result, new_result in zip(op.results, copy.results, strict=True):
            self._values[result] = new_result

    def _operand(self, operand: SSAValue, stage: int, user: Operation) -> SSAValue | None:
        """Find the value that a copy uses for an operand; None if cloning set it correctly.

        Args:
            operand: The operand of the original operation.
            stage: The stage of the user.
            user: The copy that uses it, or contains the user.
        """
        pipelined, value = self._pipelined, operand
        if value is self._loop.induction_variable:
            return self._induction_variable(stage, user)
        if isinstance(value, BlockArgument) and value.block is self._loop.block:
            value = self._loop.yielded_values[value.index - 1]
            if pipelined.is_outside(value):
                # All iterations but the first have this value; only the last stage runs it.
                return None if stage == pipelined.last_stage else value
            if pipelined.stage_of_definition(value) == stage + 1:
                # Both belong to one iteration of the kernel: the value is a result there.
                return self._values.get(value, value)
        definition = pipelined.stage_of_definition(value)
        if definition is None or definition == stage:
            return None
        return self.op.iter_args[self._carried[operand, stage - definition]]

    def _induction_variable(self, stage: int, user: Operation) -> SSAValue:
        """Compute the induction variable of the iteration that a stage is in."""
        step = self._loop.bounds.step
        builder = Builder().before(user)
        builder.location = self._loop.location
        distance = builder.constant(self._pipelined.last_stage - stage, step.type)
        offset = builder.value(arith.MulIOp, [step, distance], step.type)
        return builder.value(arith.AddIOp, [self.op.induction_variable, offset], step.type)

    def emit_yield(self, versions: Versions, predicates: Sequence[SSAValue | None]) -> None:
        """Emit the terminator.

        Args:
            versions: Set to the results of the kernel, for the epilogue.
            predicates: Whether each stage runs.
        """
        yielded = list(self._yielded_iter_args(predicates))
        last_stage = self._pipelined.last_stage
        for value, live_range in self._live_ranges.items():
            version = last_stage - live_range.last_use + 1
            for index in range(live_range.length):
                versions.set(value, self.op.results[len(yielded)], version + index)
                is_newest = index == live_range.length - 1
                # Older versions move up by one iter_arg.
                yielded.append(
                    self._values.get(value, value)
                    if is_newest
                    else self.op.iter_args[len(yielded) + 1]
                )
        self._set_versions_of_iter_args(versions)
        self._builder.create(scf.YieldOp, yielded)

    def _yielded_iter_args(self, predicates: Sequence[SSAValue | None]) -> Iterator[SSAValue]:
        """Yield the values of the original iter_args for the next iteration."""
        for index, value in enumerate(self._loop.yielded_values):
            new_value = self._values.get(value, value)
            if not self._peels_epilogue and self._loop.results[index].first_use is not None:
                producer, _ = self._pipelined.definition(value)
                stage = None if producer is None else self._pipelined.stages.get(producer)
                if stage is not None and stage < self._pipelined.last_stage:
                    # In the last iterations the stage does not run: keep the last value.
                    predicate, argument = predicates[stage], self.op.iter_args[index]
                    assert predicate is not None
                    new_value = self._builder.value(
                        arith.SelectOp, [predicate, new_value, argument], new_value.type
                    )
            yield new_value

    def _set_versions_of_iter_args(self, versions: Versions) -> None:
        """Set the versions that the epilogue uses of the original iter_args."""
        last_stage = self._pipelined.last_stage
        for index, (argument, value) in enumerate(
            zip(self._loop.iter_args, self._loop.yielded_values, strict=True)
        ):
            stage = self._pipelined.stage_of_definition(value)
            if stage is None:
                for version in range(1, last_stage + 1):
                    versions.set(argument, value, version)
            elif stage > 0:
                versions.set(argument, self.op.results[index], last_stage - stage + 1)


def _live_ranges_across_stages(pipelined: PipelinedLoop) -> dict[SSAValue, _LiveRange]:
    """Find the values that are used in a later stage than that of their definition."""
    live_ranges: dict[SSAValue, _LiveRange] = {}
    for op in pipelined.order:
        stage = pipelined.stages[op]
        for operand in (*op.operands, *_operands_from_above(op)):
            producer, distance = pipelined.definition(operand)
            definition = None if producer is None else pipelined.stages.get(producer)
            if definition is None or definition in (stage, stage + distance):
                continue
            live_range = live_ranges.setdefault(operand, _LiveRange(definition, stage))
            live_range.last_use = max(live_range.last_use, stage)
    return live_ranges


def _operands_from_above(op: Operation) -> Iterator[SSAValue]:
    """Yield the values that the regions of an operation use and do not define."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                for nested in inner.walk():
                    for operand in nested.operands:
                        if not is_defined_inside(operand, op):
                            yield operand
