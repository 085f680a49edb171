"""A report with one entry of each kind, and the kernels that reports are made of."""

from __future__ import annotations

from dataclasses import replace

import weft
import weft.language as tl
from weft.decisions import Candidate, Cost, Decision
from weft.errors import Location
from weft.explain.model import (
    RECORDED,
    Access,
    Anchor,
    Change,
    Conversion,
    CountChange,
    Dot,
    Finding,
    Report,
    SharedAccess,
    TriedEdit,
    Value,
)

__all__ = [
    "ACCESS",
    "CONVERSION",
    "DECISION",
    "DOT",
    "EDIT",
    "FINDING",
    "REPORT",
    "SHARED_ACCESS",
    "VALUE",
    "copy",
    "line",
    "matmul",
    "transpose",
]

BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>"
)
BLOCKED1 = BLOCKED.replace("order = [1, 0]", "order = [0, 1]")


def line(number: int) -> Location:
    """Build the location of a line of the kernel."""
    return Location("/tmp/kernel.py", number, source=f"    source of line {number}")


DECISION = Decision(
    stage="coalesce",
    op="tt.load",
    choice="#blocked",
    reason="the widest access",
    candidates=(Candidate("#blocked", "16 bytes"), Candidate("#blocked1")),
    facts=(("contiguity", "64 elements"),),
    anchor="tt.store at line 4",
    costs=(Cost("convert", 12, (("store", 5), ("load", 7))), Cost("rematerialize", 30)),
)
VALUE = Value(
    name="%tile",
    op="tt.load",
    type="64x64xf16",
    layout="#blocked",
    encoding=BLOCKED,
    location=line(3),
    history=(
        Change("convert", BLOCKED1, ""),
        Change("coalesce", BLOCKED, "the widest access", DECISION),
    ),
)
CONVERSION = Conversion(
    value="%11",
    location=line(4),
    type="64x64xf16",
    before="#blocked",
    after="#blocked1",
    size_bytes=8192,
    loop_depth=1,
    plan="shared",
    instructions=(("store b128", 8), ("barrier", 2)),
    barriers=2,
    shared_bytes=8192,
    passes=64,
    conflicts=16,
    cost=512,
    anchors=(
        Anchor("tt.load", "%tile", "#blocked", line(3)),
        Anchor("tt.store", "%11", "#blocked1", line(4)),
    ),
    removal=("tt.store in #blocked: 2-byte accesses instead of 16",),
)
ACCESS = Access(
    op="tt.load",
    value="%tile",
    location=line(3),
    type="64x64xf16",
    layout="#blocked",
    loop_depth=0,
    vector_bits=32,
    limit="share",
    limited_by="the layout: 2 contiguous per thread",
    requests=64,
    sectors=512,
    ideal_sectors=256,
)
SHARED_ACCESS = SharedAccess(
    op="ttg.local_load",
    location=line(5),
    type="64x64xf16",
    kind="read",
    layout="#blocked",
    memory="#shared",
    loop_depth=2,
    bits=128,
    accesses=16,
    wavefronts=96,
    conflicts=32,
)
DOT = Dot(
    op="tt.dot",
    value="%acc",
    location=line(5),
    type="64x64x32xf16",
    loop_depth=1,
    instruction="mma m16n8k16",
    tile=(16, 8, 16),
    per_warp=16,
    warps=(2, 2),
    why="the first instruction that fits",
    rejected=(("wgmma", "the target has none"), ("fma", "")),
    facts=(("kWidth", "2: of one instruction"),),
)
EDIT = TriedEdit("option", "num_warps=8", 5920, 4656, (CountChange("conversions", 2, 1),))
FINDING = Finding(
    512, "conversion", line(4), "a conversion in a loop", CONVERSION, edits=(EDIT,), trials=5
)
REPORT = Report(
    kernel="kernel",
    target="cuda:90",
    num_warps=4,
    lanes=32,
    ledger=RECORDED,
    layouts=(("#blocked", BLOCKED), ("#blocked1", BLOCKED1), ("slice dim 0 of #blocked", "…")),
    values=(VALUE, replace(VALUE, name="%tile_3", location=line(4), layout="#blocked1")),
    conversions=(CONVERSION,),
    memory=(ACCESS,),
    shared=(SHARED_ACCESS,),
    dots=(DOT,),
    findings=(FINDING, replace(FINDING, cost=8, about="memory", location=line(3))),
)


@weft.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@weft.jit
def transpose(x, y, rows, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tile = tl.load(x + i * rows + j)
    tl.store(y + i + j * rows, tile)


@weft.jit
def matmul(a, b, c, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    acc = tl.dot(tl.load(a + i * N + j), tl.load(b + i * N + j), input_precision="ieee")
    tl.store(c + i * N + j, acc)
