"""Convert memory accesses to buffer instructions if that is safe (tritonamdgpu-convert-buffer-ops).

Before:  %0 = tt.splat %a                        After:  amdg.buffer_load %a[%offsets], %mask
         %1 = tt.addptr %0, %offsets
         tt.load %1, %mask

A buffer instruction adds a 32-bit offset to a scalar base, checks bounds, and disables lanes whose
mask is false without a branch. An access is converted if its offsets are proved to fit (`safety`):
by `tt.pointer_range` of the argument or by the integer range of the offsets. The atomics and the
copies to shared memory that a chip supports are rows of `weft.targets.buffer_instructions`. Folds
run after the conversion.

Keeps: the values that are loaded and stored. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct, field

from weft.analysis.axis_info import ModuleAxisInfo, axis_info
from weft.analysis.integer_ranges import IntegerRanges
from weft.errors import PassError
from weft.ir import tt, ttg
from weft.ir.builtin import ModuleOp, Operation, SSAValue, StringAttr
from weft.ir.folds import FOLDS
from weft.passes.amd.convert_buffer_ops import accesses, atomics
from weft.passes.amd.convert_buffer_ops.safety import Access, Refusal, check_access
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.buffer_instructions import BufferInstructions, buffer_instructions

__all__ = ["ConvertBufferOps"]


class ConvertBufferOps(Struct, frozen=True):
    """Convert accesses whose offsets from a scalar base fit in 32 bits to buffer instructions.

    Attributes:
        arch_generation_name: the chip; "" for that of the module.
        allow_buffer_atomics: whether atomic operations other than compare-and-swap are converted.
        analyze_small_tensor_ofst: whether the range of the offsets decides even for an argument
            with `tt.pointer_range`.
    """

    arch_generation_name: str = ""
    allow_buffer_atomics: bool = True
    analyze_small_tensor_ofst: bool = False

    name: ClassVar[str] = "tritonamdgpu-convert-buffer-ops"

    def run(self, module: ModuleOp) -> None:
        """Convert the accesses of a module in place.

        Raises:
            PassError: neither the pass nor the module names a chip.
            UnknownTargetError: the chip is unknown.
        """
        chip = buffer_instructions(self.arch_generation_name or _chip_of(module))
        # Analyse once: the conversion changes neither pointers nor offsets.
        convert = _Conversion(self, axis_info(module), IntegerRanges(module), chip)
        patterns: PatternTable = {
            tt.LoadOp: (convert.load,),
            tt.StoreOp: (convert.store,),
            tt.AtomicCASOp: (convert.compare_and_swap,),
        }
        if chip.to_shared:
            patterns[ttg.AsyncCopyGlobalToLocalOp] = (convert.copy,)
        if self.allow_buffer_atomics:
            patterns[tt.AtomicRMWOp] = (convert.read_modify_write,)
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, patterns, merge_blocks=True))
        record_remaining_layouts(self, module, before, "folded, in the same layout")


def _chip_of(module: ModuleOp) -> str:
    target = module.attributes.get("ttg.target")
    if not isinstance(target, StringAttr):
        raise PassError(
            "missing target chip",
            hint="set arch-generation-name or the module attribute ttg.target",
        )
    return target.data


class _Conversion(Struct):
    """The analyses of a module, computed before the conversion.

    Attributes:
        pass_: the pass, for its options and for decision records.
        axis: axis info.
        ranges: integer ranges.
        chip: the chip's buffer instructions.
        recorded: the values with a decision record.
    """

    pass_: ConvertBufferOps
    axis: ModuleAxisInfo
    ranges: IntegerRanges
    chip: BufferInstructions
    recorded: set[SSAValue] = field(default_factory=set)

    def _check(self, pointer: SSAValue, op: Operation) -> Access | None:
        outcome = check_access(pointer, self.ranges, not self.pass_.analyze_small_tensor_ofst)
        if isinstance(outcome, Refusal):
            self._record(pointer, f"{op.name} unchanged", outcome)
            return None
        return outcome

    def _record(self, value: SSAValue, choice: str, outcome: Access | Refusal) -> None:
        """Record a decision for a value, once."""
        if enabled() and value not in self.recorded:
            self.recorded.add(value)
            record_decision(self.pass_, value, choice, outcome.reason, facts=outcome.facts)

    def load(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.LoadOp)
        access = self._check(op.ptr, op)
        if access is not None:
            new_value = accesses.load(op, access, self.axis, rewriter)
            self._record(new_value, "amdg.buffer_load", access)
        return access is not None

    def store(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.StoreOp)
        access = self._check(op.ptr, op)
        if access is not None:
            accesses.store(op, access, self.axis, rewriter)
            self._record(access.offsets, "amdg.buffer_store", access)
        return access is not None

    def copy(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
        access = self._check(op.src, op)
        if access is not None:
            new_value = accesses.copy(op, access, rewriter)
            self._record(new_value, "amdg.buffer_load_to_local", access)
        return access is not None

    def read_modify_write(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.AtomicRMWOp)
        access = self._atomic(op)
        if access is not None:
            new_value = atomics.read_modify_write(op, access, rewriter)
            self._record(new_value, "amdg.buffer_atomic_rmw", access)
        return access is not None

    def compare_and_swap(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.AtomicCASOp)
        access = self._atomic(op)
        if access is not None:
            new_value = atomics.compare_and_swap(op, access, rewriter)
            self._record(new_value, "amdg.buffer_atomic_cas", access)
        return access is not None

    def _atomic(self, op: tt.AtomicRMWOp | tt.AtomicCASOp) -> Access | None:
        access = self._check(op.ptr, op)
        if access is not None:
            refusal = atomics.unsupported(op, self.axis, self.chip)
            if refusal is not None:
                self._record(op.ptr, f"{op.name} unchanged", refusal)
                return None
        return access
