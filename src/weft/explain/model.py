"""The report of `weft explain` as data; text and JSON are printed from it.

Costs are estimates in cycles of one warp of one program. They rank findings and do not predict
time. A loop counts as `LOOP_ITERATIONS` iterations.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.decisions import Decision
from weft.errors import Location
from weft.explain.card_model import Card
from weft.explain.optimum_model import LayoutOptimum
from weft.notebook import REPORTS

__all__ = [
    "LOOP_ITERATIONS",
    "READ_BACK",
    "RECORDED",
    "Access",
    "Anchor",
    "Change",
    "Conversion",
    "CountChange",
    "Dot",
    "Entry",
    "Finding",
    "Loop",
    "LoopLoad",
    "Report",
    "ScheduledOp",
    "SharedAccess",
    "TriedEdit",
    "Value",
]

RECORDED, READ_BACK = "recorded", "read back from the IR"
LOOP_ITERATIONS = 16


@dataclass(frozen=True, slots=True)
class Change:
    """The layout that one pass gave a value.

    Attributes:
        stage: The name of the pass.
        layout: The text of the layout after the pass.
        why: The rule that decided, in one sentence.
        decision: The recorded decision with candidates, facts, anchor and costs, if there is one.
    """

    stage: str
    layout: str
    why: str
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """One tensor value of the final IR.

    Attributes:
        name: Its name as the IR is printed with the names of variables: "%acc".
        op: The name of its defining operation.
        type: Shape and element type: "128x64xf16".
        layout: The name of its layout in the report.
        encoding: The text of its layout.
        location: The line of the kernel.
        history: The layouts that passes gave it, oldest first.
    """

    name: str
    op: str
    type: str
    layout: str
    encoding: str
    location: Location | None
    history: tuple[Change, ...]

    @property
    def reason(self) -> str:
        """The reason for the layout, "" if it is unknown."""
        return self.history[-1].why if self.history else ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An operation that needs a particular layout: a load, a store, a dot, a reduction.

    Attributes:
        op: The name of the operation.
        value: The name of its operand or result with the layout.
        layout: The name of the layout.
        location: The line of the kernel.
    """

    op: str
    value: str
    layout: str
    location: Location | None


@dataclass(frozen=True, slots=True)
class Conversion:
    """One remaining ttg.convert_layout.

    Attributes:
        value: The name of the result.
        location: The line of the kernel.
        type: Shape and element type: "64x32xf16".
        before: The name of the operand's layout.
        after: The name of the result's layout.
        size_bytes: The size of the whole tensor.
        loop_depth: The number of enclosing loops.
        plan: "nothing", "registers", "shuffle", "shared", "cluster" or "unknown".
        instructions: The (name, count) pairs that one warp executes.
        barriers: The number of barriers.
        shared_bytes: The scratch space in shared memory.
        passes: The wavefronts over the banks of shared memory, of all warps.
        conflicts: The wavefronts that bank conflicts add.
        cost: The estimated cycles of one warp, loops included.
        anchors: The operations that need the layout before and the layout after.
        removal: For each way to remove the conversion, its cost in one sentence.
    """

    value: str
    location: Location | None
    type: str
    before: str
    after: str
    size_bytes: int
    loop_depth: int
    plan: str
    instructions: tuple[tuple[str, int], ...]
    barriers: int
    shared_bytes: int
    passes: int
    conflicts: int
    cost: int
    anchors: tuple[Anchor | None, Anchor | None]
    removal: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Access:
    """One access to global memory.

    Attributes:
        op: The name of the operation.
        value: The name of the loaded value, or of the pointers of a store.
        location: The line of the kernel.
        type: The shape and element type of the accessed tensor.
        layout: The name of the layout of the pointers.
        loop_depth: The number of enclosing loops.
        vector_bits: The bits that one instruction of a thread accesses.
        limit: The cause of that width: "widest", "order", "divisibility", "contiguity", "mask" or
            "share".
        limited_by: The limit in words.
        requests: The instructions of all warps.
        sectors: The 32-byte sectors that the requests touch.
        ideal_sectors: The sectors that would hold the accessed bytes without gaps.
    """

    op: str
    value: str
    location: Location | None
    type: str
    layout: str
    loop_depth: int
    vector_bits: int
    limit: str
    limited_by: str
    requests: int
    sectors: int
    ideal_sectors: int

    @property
    def sectors_per_request(self) -> float:
        """The mean number of sectors that one instruction of a warp touches."""
        return self.sectors / self.requests


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """One explicit access to shared memory.

    Attributes:
        op: The name of the operation.
        location: The line of the kernel.
        type: The shape and element type of the tensor.
        kind: "read" or "write".
        layout: The name of the tensor's layout.
        memory: The name of the buffer's layout.
        loop_depth: The number of enclosing loops.
        bits: The bits that one instruction of a thread accesses.
        accesses: The instructions of all warps.
        wavefronts: The passes over the banks that they take.
        conflicts: The wavefronts that bank conflicts add.
    """

    op: str
    location: Location | None
    type: str
    kind: str
    layout: str
    memory: str
    loop_depth: int
    bits: int
    accesses: int
    wavefronts: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class Dot:
    """One dot.

    Attributes:
        op: The name of the operation.
        value: The name of the result, "" if the accumulator is in tensor memory.
        location: The line of the kernel.
        type: Batch dimensions, m, n, k and the element type of a: "128x128x64xf16".
        loop_depth: The number of enclosing loops.
        instruction: The name of the instruction, "fma" without matrix units.
        tile: The m, n, k of one instruction; (1, 1, 1) for fma.
        per_warp: The number of instructions that one warp executes.
        warps: The number of warps along each dimension of the result.
        why: The rule that chose the instruction.
        rejected: The (instruction, reason) pairs of other candidates.
        facts: The (name, value) pairs that the rule used or chose, such as the warps per block,
            kWidth and isTransposed, each with its reason.
    """

    op: str
    value: str
    location: Location | None
    type: str
    loop_depth: int
    instruction: str
    tile: tuple[int, ...]
    per_warp: int
    warps: tuple[int, ...]
    why: str
    rejected: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ScheduledOp:
    """The place of one operation in the schedule of a software-pipelined loop.

    Attributes:
        op: The name of the operation.
        value: The variable of the kernel that it computes, "" if it has no name.
        location: The line of the kernel.
        stage: The number of iterations that it runs later than stage 0.
        cluster: Its position within an iteration of the pipelined loop.
    """

    op: str
    value: str
    location: Location | None
    stage: int
    cluster: int


@dataclass(frozen=True, slots=True)
class LoopLoad:
    """One load of a loop, as it was before software pipelining.

    Attributes:
        op: The name of the operation.
        value: The variable of the kernel that it loads, "" if it has no name.
        location: The line of the kernel.
        type: Shape and element type.
        method: "cp.async", "TMA", "direct-to-LDS", "registers"; "" if it is not pipelined.
        limit: The code of the reason why it is not pipelined, "" if it is: "num_stages", "no-dot",
            "narrow", "levels", "layouts", "loop-carried", "same-stage", "conditional", or that of
            its loop; "shared-memory" if its buffers do not fit, or would not.
        why: How it is pipelined, or the reason why not and what would change it.
        distance: The iterations between the load and its first use.
        buffers: The number of buffers in shared memory.
        shared_bytes: The bytes of all its buffers.
        more_stages: The number of stages with which it is pipelined, 0 if there is none.
    """

    op: str
    value: str
    location: Location | None
    type: str
    method: str
    limit: str
    why: str
    distance: int = 0
    buffers: int = 0
    shared_bytes: int = 0
    more_stages: int = 0


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop of the kernel, as it was before software pipelining.

    Attributes:
        location: The line of the kernel.
        stages: The number of stages in which iterations overlap, 1 if they do not.
        limit: The code of the reason why it is not pipelined, "" if it is: "nested", "distance",
            "barrier" or "no-load"; "shared-memory" if its buffers do not fit.
        why: The reason in words.
        operations: The schedule, in program order; empty if the loop is not pipelined.
        loads: The loads of the loop.
    """

    location: Location | None
    stages: int
    limit: str
    why: str
    operations: tuple[ScheduledOp, ...]
    loads: tuple[LoopLoad, ...]


@dataclass(frozen=True, slots=True)
class CountChange:
    """A count of one program before and after an edit.

    Attributes:
        name: "conversions", "global sectors", "registers", ….
        before: The count without the edit.
        after: The count with it; for as many elements as before, if the edit changes the share of a
            program.
    """

    name: str
    before: int
    after: int

    def __str__(self) -> str:
        if self.name.startswith("bytes "):
            return f"KiB {self.name[6:]} {self.before / 1024:.4g} → {self.after / 1024:.4g}"
        return f"{self.name} {self.before:,} → {self.after:,}"


@dataclass(frozen=True, slots=True)
class TriedEdit:
    """An edit that was applied to the compile, and improves it.

    Attributes:
        kind: "option", "argument", "hint", "operand order", "precision" or "block size"; "stages"
            for a number of stages with which the kernel fits.
        text: What to change: "num_warps=8".
        before: The counted cost without the edit, in quarter cycles of one SM or CU.
        after: The counted cost with it.
        changes: The counts that change.
    """

    kind: str
    text: str
    before: int
    after: int
    changes: tuple[CountChange, ...]

    @property
    def summary(self) -> str:
        """The edit with its changes: "num_warps=8: 2 conversions → 1; cost 2,540 → 1,270"."""
        changes = [str(each) for each in self.changes]
        if self.before:
            changes.append(f"cost {self.before:,} → {self.after:,}")
        return f"{self.text}: {', '.join(changes)}"


@dataclass(frozen=True, slots=True)
class Finding:
    """An avoidable cost, and the edits that were tried and lower it.

    Attributes:
        cost: The estimate that ranks it, in cycles of one warp.
        about: "conversion", "memory", "shared" or "dot".
        location: The line of the kernel.
        message: The problem, in one sentence.
        entry: The entry of the report that it is about; None for the whole kernel.
        edits: The edits that improve the compile, the best first.
        trials: The number of edits that were tried for it.
        helped: Whether an edit of a finding before it helps it, too.
    """

    cost: int
    about: str
    location: Location | None
    message: str
    entry: Conversion | Access | SharedAccess | Dot | None = None
    edits: tuple[TriedEdit, ...] = ()
    trials: int = 0
    helped: bool = False

    @property
    def edit(self) -> str:
        """The text of the best edit, "" if none is known."""
        return self.edits[0].text if self.edits else ""


Entry = Value | Conversion | Access | SharedAccess | Dot | Loop | Finding


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one kernel.

    Attributes:
        kernel: The name of the kernel.
        target: The name of the target: "hip:gfx942".
        num_warps: The warps of a program.
        lanes: The threads of a warp.
        ledger: RECORDED, or READ_BACK if weft did not run the passes.
        layouts: The (name, text) pairs of all layouts.
        values: The tensors of the final IR, in its order.
        conversions: The remaining conversions, in the order of the IR.
        memory: The accesses to global memory.
        shared: The explicit accesses to shared memory.
        dots: The dots.
        findings: The findings, most expensive first.
        loops: The loops; empty if weft did not run the passes.
        card: Registers, occupancy and roofline; None before the final stage.
        scratch: What conversions, reductions, scans and atomics move through shared memory.
        optimum: The optimum of the layouts; None if it was not asked for.
    """

    kernel: str
    target: str
    num_warps: int
    lanes: int
    ledger: str
    layouts: tuple[tuple[str, str], ...]
    values: tuple[Value, ...]
    conversions: tuple[Conversion, ...]
    memory: tuple[Access, ...]
    shared: tuple[SharedAccess, ...]
    dots: tuple[Dot, ...]
    findings: tuple[Finding, ...]
    loops: tuple[Loop, ...] = ()
    card: Card | None = None
    scratch: tuple[SharedAccess, ...] = ()
    optimum: LayoutOptimum | None = None

    def __str__(self) -> str:
        return REPORTS["text"](self)

    def _repr_html_(self) -> str:
        return REPORTS["html"](self)
