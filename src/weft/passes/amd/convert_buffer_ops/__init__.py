"""Access memory by buffer instructions where that is safe (`tritonamdgpu-convert-buffer-ops`).

Before:  %0 = tt.splat %a                        After:  amdg.buffer_load %a[%offsets], %mask
         %1 = tt.addptr %0, %offsets
         tt.load %1, %mask

A buffer instruction adds 32 bits of offset to a scalar base, checks the bounds, and skips lanes
whose mask is false without a branch. An access may be one if it is proved that 32 bits reach it
(`safety`): by an argument's promise or by the range of its offsets. What a chip has for atomic
operations and for copies to shared memory is a row of `weft.targets.buffer_instructions`.

Options: arch_generation_name: the chip, by default that of the module.
allow_buffer_atomics: convert atomic operations other than compare-and-swap, too.
analyze_small_tensor_ofst: let ranges record_decision even where an argument promises a small array.
Then folds what can be folded.

Keeps: what is read and written. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from weft.analysis.axis_info import ModuleAxisInfo, axis_info
from weft.analysis.integer_ranges import IntegerRanges
from weft.errors import PassError
from weft.ir import tt, ttg
from weft.ir.builtin import ModuleOp, Operation, SSAValue, StringAttr
from weft.ir.folds import FOLDS
from weft.passes.amd.convert_buffer_ops import accesses, atomics
from weft.passes.amd.convert_buffer_ops.safety import Access, Refusal, examined
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import Pattern, Rules, apply
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.buffer_instructions import BufferInstructions, buffer_instructions

__all__ = ["ConvertBufferOps"]


@dataclass(frozen=True, slots=True)
class ConvertBufferOps:
    """Post: what touches memory safely within 32 bits of a base is a buffer instruction.

    Raises: PassError: no chip is named.  UnknownTargetError: one that is not known.
    """

    arch_generation_name: str = ""
    allow_buffer_atomics: bool = True
    analyze_small_tensor_ofst: bool = False

    name: ClassVar[str] = "tritonamdgpu-convert-buffer-ops"

    def run(self, module: ModuleOp) -> None:
        """Convert accesses in place."""
        chip = buffer_instructions(self.arch_generation_name or _chip_of(module))
        convert = _Conversion(self, axis_info(module), IntegerRanges(module), chip)
        patterns: dict[type[Operation], tuple[Pattern, ...]] = {
            tt.LoadOp: (convert.load,),
            tt.StoreOp: (convert.store,),
            tt.AtomicCASOp: (convert.compare_and_swap,),
        }
        if chip.to_shared:
            patterns[ttg.AsyncCopyGlobalToLocalOp] = (convert.copy,)
        if self.allow_buffer_atomics:
            patterns[tt.AtomicRMWOp] = (convert.read_modify_write,)
        before = snapshot_layouts(module)
        apply(module, Rules(FOLDS, patterns, merge_blocks=True))
        record_remaining_layouts(self, module, before, "folded, with the layout of what it folds")


def _chip_of(module: ModuleOp) -> str:
    target = module.attributes.get("ttg.target")
    if not isinstance(target, StringAttr):
        raise PassError(
            "buffer instructions are those of a chip, and none is named",
            hint="set arch-generation-name, or ttg.target of the module",
        )
    return target.data


@dataclass(slots=True)
class _Conversion:
    """What is known of a module before anything is converted."""

    by: ConvertBufferOps
    axis: ModuleAxisInfo
    ranges: IntegerRanges
    chip: BufferInstructions
    told: set[SSAValue] = field(default_factory=set)

    def _examined(self, pointer: SSAValue, op: Operation) -> Access | None:
        found = examined(pointer, self.ranges, not self.by.analyze_small_tensor_ofst)
        if isinstance(found, Refusal):
            self._tell(pointer, f"{op.name} as it is", found)
            return None
        return found

    def _tell(self, value: SSAValue, chose: str, found: Access | Refusal) -> None:
        """Record a decision, once."""
        if enabled() and value not in self.told:
            self.told.add(value)
            record_decision(self.by, value, chose, found.why, facts=found.facts)

    def load(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.LoadOp)
        access = self._examined(op.ptr, op)
        if access is not None:
            made = accesses.load(op, access, self.axis, rewriter)
            self._tell(made, "amdg.buffer_load", access)
        return access is not None

    def store(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.StoreOp)
        access = self._examined(op.ptr, op)
        if access is not None:
            accesses.store(op, access, self.axis, rewriter)
            self._tell(access.offsets, "amdg.buffer_store", access)
        return access is not None

    def copy(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
        access = self._examined(op.src, op)
        if access is not None:
            made = accesses.copy(op, access, rewriter)
            self._tell(made, "amdg.buffer_load_to_local", access)
        return access is not None

    def read_modify_write(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.AtomicRMWOp)
        access = self._atomic(op)
        if access is not None:
            made = atomics.read_modify_write(op, access, rewriter)
            self._tell(made, "amdg.buffer_atomic_rmw", access)
        return access is not None

    def compare_and_swap(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.AtomicCASOp)
        access = self._atomic(op)
        if access is not None:
            made = atomics.compare_and_swap(op, access, rewriter)
            self._tell(made, "amdg.buffer_atomic_cas", access)
        return access is not None

    def _atomic(self, op: tt.AtomicRMWOp | tt.AtomicCASOp) -> Access | None:
        access = self._examined(op.ptr, op)
        if access is not None:
            refusal = atomics.refused(op, self.axis, self.chip)
            if refusal is not None:
                self._tell(op.ptr, f"{op.name} as it is", refusal)
                return None
        return access
