"""What `weft explain` says of a kernel, as data: text and JSON are two spellings of it.

Costs are estimates in clock ticks of one warp, of one program, each loop counting as 16 turns.
They rank findings; they are no prediction of time.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.decisions import Decision
from weft.errors import Location

__all__ = [
    "Access",
    "Anchor",
    "Change",
    "Conversion",
    "Dot",
    "Finding",
    "Report",
    "SharedAccess",
    "Value",
]

RECORDED, READ_BACK = "recorded", "read back from the IR"
TURNS = 16  # what a loop counts as


@dataclass(frozen=True, slots=True)
class Change:
    """One entry in the history of a value's layout.

    stage: the pass.  layout: that the value had when the pass was done.  why: the rule that
    decided.  decision: with candidates, facts, anchor and costs, where the pass recorded one.
    """

    stage: str
    layout: str
    why: str
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """One value of tensor type in the final IR.

    name: "%acc", as the IR is printed with the names of variables.  op: that makes it.  type:
    "128x64xf16".  layout: its name in the report; encoding: its text.  history: oldest first.
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
        """Return why the value has its layout, "" where nobody recorded it."""
        return self.history[-1].why if self.history else ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An operation that asks for a layout: a load, a store, a dot, a reduction …"""

    op: str
    value: str
    layout: str
    location: Location | None


@dataclass(frozen=True, slots=True)
class Conversion:
    """One convert_layout that is left.

    type: "64x32xf16".  before, after: names of the layouts.  size_bytes: of the whole tensor.
    plan: "nothing", "registers", "shuffle", "shared" or "cluster".  instructions: of a warp, by
    name.  passes, conflicts: of shared memory.  anchors: who made the layout before, and who asks
    for the one after.  removal: what it would cost to do without, a sentence for each way.
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

    vector_bits: of a thread's instruction.  limit: what keeps it from being wider, one of "widest",
    "order", "divisibility", "contiguity", "mask", "share".  limited_by: the same in words.
    requests: instructions of all warps.  sectors: of 32 bytes, that they touch; ideal_sectors:
    that would hold what they want.
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
        """Return what one instruction of one warp touches."""
        return self.sectors / self.requests


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """One access to shared memory: kind "read" or "write"; wavefronts: passes over the banks."""

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
    """One product of matrices.

    instruction: its name.  tile: m, n, k of it; (1, 1, 1) for scalar multiply-add.  per_warp: how
    many of them a warp executes.  warps: per dimension of the result.  why: the rule that chose.
    rejected: better or other ones, and why not.  facts: what the rule read and settled, such as how
    warps share the result step by step, kWidth and isTransposed, each with its reason.
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
class Finding:
    """Something that costs, and an edit to try.

    cost: the estimate that ranks it.  about: "conversion", "memory", "shared" or "dot".
    """

    cost: int
    about: str
    location: Location | None
    message: str
    edit: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that is said of a kernel. layouts: name → text of the encoding; findings: dearest first.

    ledger: "recorded", or "read back from the IR" where the passes were not weft's.
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
