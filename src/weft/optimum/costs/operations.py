"""Choose the cost function of an operation, and price its work."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from weft.analysis.access_width import Addresses, find_addresses
from weft.analysis.axis_info import axis_info
from weft.analysis.shared_memory_offsets import shared_memory_offsets
from weft.ir import amdg, arith, attributes, math, scf, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.interfaces import forwarded_from
from weft.ir.rewriting import walk
from weft.layouts import Encoding
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.operations import PlanContext
from weft.optimum.costs.accesses import transferred_sectors
from weft.optimum.costs.arithmetic import AFFINE, FREE, arithmetic_work
from weft.optimum.costs.conversions import conversion_scratch, conversion_work
from weft.optimum.costs.dots import dot_work
from weft.optimum.costs.plans import instruction_work, planned_instructions
from weft.optimum.costs.prices import Prices, prices_of
from weft.optimum.costs.reductions import reduction_arithmetic, scan_arithmetic
from weft.optimum.costs.work import NOTHING, Work
from weft.targets import Target

__all__ = ["FunctionCost", "OperationCosts"]

_DOTS = (tt.DotOp, tt.DotScaledOp, ttng.WarpGroupDotOp)
_ARITHMETIC = frozenset({*arith.Arith.operations, *math.Math.operations, *FREE, *AFFINE}) | {
    tt.ClampFOp,
    tt.ElementwiseInlineAsmOp,
    tt.ExternElementwiseOp,
    tt.FpToFpOp,
    tt.MulhiUIOp,
    tt.PreciseDivFOp,
    tt.PreciseSqrtOp,
    ttg.Fp4ToFpOp,
    amdg.ScaledUpcastFp4Op,
    amdg.ScaledUpcastFp8Op,
}
_Layouts = tuple[Encoding, ...]


class OperationCosts(Struct):
    """The costs of the operations of a module, in any layouts.

    Attributes:
        prices: The prices of the target.
        context: What plans need: the chip, and the axis information of the module.
        most_scratch: The bytes of shared memory that a new conversion may take.
        addresses: The addresses of each access to global memory.
        affine: The values that differ by constants between the registers of a thread.
        known: The work that was counted.
    """

    prices: Prices
    context: PlanContext
    most_scratch: int
    addresses: dict[Operation, Addresses] = field(default_factory=dict)
    affine: set[SSAValue] = field(default_factory=set)
    known: dict[tuple[Operation, _Layouts, _Layouts], Work | None] = field(default_factory=dict)

    @classmethod
    def of(cls, module: ModuleOp, chip: Target) -> OperationCosts:
        """Analyze a module for its costs on a chip.

        Raises:
            LayoutError: The chip has no shared memory.
        """
        facts = axis_info(module)
        scratch = max(0, chip.lds_bytes - shared_memory_offsets(module).size)
        costs = cls(prices_of(chip), PlanContext(chip, facts), scratch)
        for op in walk(module):
            addresses = find_addresses(op, facts)
            if addresses is not None:
                costs.addresses[op] = addresses
            if _is_affine(op, costs.affine):
                costs.affine.update(op.results)
        return costs

    def operation(self, op: Operation, operands: _Layouts, results: _Layouts) -> int | None:
        """Price one execution of an operation.

        Args:
            op: The operation; the layouts of its types do not matter.
            operands: The layouts of its tensor operands.
            results: The layouts of its tensor results.

        Returns:
            Quarter cycles; None if it cannot be lowered.
        """
        key = op, operands, results
        if key not in self.known:
            self.known[key] = self.work(op, operands, results)
        work = self.known[key]
        return None if work is None else self.prices.cost(work)

    def work(self, op: Operation, operands: _Layouts, results: _Layouts) -> Work | None:
        """Count the work of one execution; arguments as of `operation`."""
        if not (results or operands):
            return NOTHING
        work = self.arithmetic(op, operands, results)
        if type(op) in _ARITHMETIC:
            return work
        instructions = planned_instructions(op, operands, results, self.context)
        if instructions is None:
            return None
        for instruction in instructions:
            work += self.instruction(op, instruction)
        return work

    def instruction(self, op: Operation, instruction: Instruction) -> Work:
        """Count the work of instructions that the plan of an operation has."""
        work, addresses = instruction_work(instruction), self.addresses.get(op)
        if addresses is None or not instruction.sectors:
            return work
        return work + transferred_sectors(addresses, instruction)

    def arithmetic(self, op: Operation, operands: _Layouts, results: _Layouts) -> Work:
        """Count the work that the plan of an operation leaves out; arguments as of `operation`."""
        layouts = results or operands
        if not layouts:
            return NOTHING
        if type(op) in _ARITHMETIC:
            is_affine = bool(op.results) and op.results[0] in self.affine
            return NOTHING if is_affine else arithmetic_work(op, layouts[0])
        if isinstance(op, tt.ReduceOp):
            return reduction_arithmetic(op, operands[0])
        if isinstance(op, tt.ScanOp):
            return scan_arithmetic(op, operands[0])
        return dot_work(op, results[0] if results else None) if isinstance(op, _DOTS) else NOTHING

    def is_asynchronous(self, op: Operation, operands: _Layouts) -> bool:
        """Check whether a copy from global to shared memory bypasses registers in given layouts."""
        instructions = planned_instructions(op, operands, (), self.context) or ()
        return any(each.kind == "async copy" for each in instructions)

    def conversion(
        self, shape: tuple[int, ...], element: Attribute, source: Encoding, target: Encoding
    ) -> int | None:
        """Price one conversion, None if there is no plan.

        A conversion that only renames registers costs 1, so that of assignments with equal work
        the one with fewer conversions is the cheapest.
        """
        if source is target:
            return 0
        chip = self.context.target
        work = conversion_work(source, target, shape, types.bit_width(element), chip)
        return None if work is None else 1 + self.prices.cost(work)

    def fits(
        self, shape: tuple[int, ...], element: Attribute, source: Encoding, target: Encoding
    ) -> bool:
        """Check whether a conversion's scratch memory fits beside what the module allocates."""
        bits, chip = types.bit_width(element), self.context.target
        return conversion_scratch(source, target, shape, bits, chip) <= self.most_scratch


FunctionCost = Callable[[tt.FuncOp, OperationCosts], int]
"""Adds up the costs of the operations of a function."""


def _is_affine(op: Operation, affine: set[SSAValue]) -> bool:
    """Check whether results differ by constants between the registers of a thread."""
    if isinstance(op, tt.MakeRangeOp | tt.SplatOp):
        return True
    if isinstance(op, arith.ConstantOp):
        return isinstance(op.properties["value"], attributes.SplatAttr)
    cls = type(op)
    if cls is ttg.ConvertLayoutOp or cls in FREE or cls in AFFINE:
        if cls is arith.MulIOp and not any(_is_uniform(value) for value in op.operands):
            return False
        return all(_is_carried_affine(value, affine) for value in op.operands)
    return False


def _is_carried_affine(value: SSAValue, affine: set[SSAValue]) -> bool:
    if not types.is_tensor(value.type) or value in affine:
        return True
    # An iter_arg, such as pointers that advance: assume that the loop adds affine steps.
    return (
        isinstance(value, BlockArgument)
        and isinstance(value.block.parent_op(), scf.ForOp)
        and any(source in affine for source in forwarded_from(value) or ())
    )


def _is_uniform(value: SSAValue) -> bool:
    """Check whether all elements of a value are equal."""
    while isinstance(value, OpResult) and type(value.op) in FREE | {ttg.ConvertLayoutOp}:
        if isinstance(value.op, tt.SplatOp | arith.ConstantOp):
            return True
        value = value.op.operands[0]
    return False
