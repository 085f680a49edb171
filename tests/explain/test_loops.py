"""Loops of a report: stages, how loads are pipelined, and each reason why a load is not."""

from __future__ import annotations

import json

import pytest

import weft
import weft.language as tl
from weft.explain import explain
from weft.explain.filtering import filter_by_line
from weft.explain.findings import rank_findings
from weft.explain.json_report import as_json
from weft.explain.model import Loop, LoopLoad
from weft.explain.text_report import text

POINTERS = "*fp16:16, *fp16:16, *fp32:16, i32:16"


@weft.jit
def product(a, b, c, n, STAGES: tl.constexpr):
    """One load of each operand per iteration."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in tl.range(0, n, num_stages=STAGES):
        x = tl.load(a + k * 4096 + row * 64 + column)
        y = tl.load(b + k * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
    tl.store(c + row * 64 + column, total)


@weft.jit
def narrow(a, b, c, n):
    """Adjacent elements of x are not adjacent in memory."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k + row * n * 3 + column * n)
        y = tl.load(b + k * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
    tl.store(c + row * 64 + column, total)


@weft.jit
def summed(a, b, c, n):
    """No dot."""
    i = tl.arange(0, 1024)
    total = tl.zeros((1024,), tl.float32)
    for k in range(n):
        total += tl.load(c + k * 1024 + i)
    tl.store(c + i, total)


@weft.jit
def carried(a, b, c, n):
    """The kernel loads the operand of the next iteration itself."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    x = tl.load(a + row * 64 + column)
    for k in range(n):
        y = tl.load(b + k * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
        x = tl.load(a + (k + 1) * 4096 + row * 64 + column)
    tl.store(c + row * 64 + column, total)


@weft.jit
def shifted(a, b, c, n):
    """The offset of an iteration was computed two iterations ago."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    now, following = 0, 1
    for k in range(n):
        x = tl.load(a + now * 4096 + row * 64 + column)
        y = tl.load(b + now * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
        now, following = following, k * k
    tl.store(c + row * 64 + column, total)


@weft.jit
def nested(a, b, c, n):
    """A load of the outer loop, which is not innermost."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    for j in range(n):
        total = tl.zeros((64, 64), tl.float32)
        x = tl.load(a + j * 4096 + row * 64 + column)
        for k in range(n):
            y = tl.load(b + k * 4096 + row * 64 + column)
            total = tl.dot(x, y, total)
        tl.store(c + j * 4096 + row * 64 + column, total)


@weft.jit
def synchronized(a, b, c, n):
    """A barrier in the loop."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + row * 64 + column)
        y = tl.load(b + k * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
        tl.debug_barrier()
    tl.store(c + row * 64 + column, total)


@weft.jit
def indirect(a, b, c, n):
    """The address of an operand is loaded."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        block = tl.load(c + k).to(tl.int32)
        x = tl.load(a + block * 4096 + row * 64 + column)
        y = tl.load(b + k * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
    tl.store(c + row * 64 + column, total)


@weft.jit
def padded(a, b, c, n):
    """Masked elements of an operand are one."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + row * 64 + column, mask=row < n, other=1.0)
        y = tl.load(b + k * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
    tl.store(c + row * 64 + column, total)


@weft.jit
def through_descriptors(a, b, c, n):
    """Both operands are tiles of descriptors."""
    x_tiles = tl.make_tensor_descriptor(a, [64, n], [n, 1], [64, 64])
    y_tiles = tl.make_tensor_descriptor(b, [n, 64], [64, 1], [64, 64])
    total = tl.zeros((64, 64), tl.float32)
    for k in range(0, n, 64):
        total = tl.dot(x_tiles.load([0, k]), y_tiles.load([k, 0]), total)
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    tl.store(c + row * 64 + column, total)


def loops_of(kernel, target="cuda:80", signature=POINTERS, **options) -> tuple[Loop, ...]:
    return explain(kernel, signature=signature, target=target, **options).loops


def load_of(loop: Loop, value: str) -> LoopLoad:
    (load,) = [load for load in loop.loads if load.value == value]
    return load


@pytest.mark.parametrize(
    ("kernel", "target", "method", "distance", "buffers", "size"),
    [
        (padded, "cuda:80", "cp.async", 2, 2, 2 * 8192),
        (through_descriptors, "cuda:90", "TMA", 2, 3, 3 * 8192),
        (padded, "hip:gfx942", "registers", 1, 1, 8192),
        (padded, "hip:gfx950", "direct-to-LDS", 1, 2, 2 * 8192),
    ],
)
def test_pipelined_loads(kernel, target, method, distance, buffers, size):
    options = {"use_async_copy": True} if target == "hip:gfx950" else {}
    (loop,) = loops_of(kernel, target, **options)  # pyright: ignore[reportArgumentType]
    assert (loop.stages, loop.limit) == (distance + 1, "")
    load = loop.loads[-1]
    assert (load.method, load.limit) == (method, "")
    assert (load.distance, load.buffers, load.shared_bytes) == (distance, buffers, size)


def test_stages_of_operations():
    (loop,) = loops_of(padded)
    stages = {op.op: op.stage for op in loop.operations}
    assert (stages["tt.load"], stages["tt.dot"]) == (0, 2)
    clusters = {op.op: op.cluster for op in loop.operations}
    assert clusters["tt.dot"] < clusters["tt.load"]


def test_masked_elements_with_a_value():
    (loop,) = loops_of(padded)
    assert "masked elements get their value by a select" in load_of(loop, "%x").why
    assert "masked" not in load_of(loop, "%y").why


@pytest.mark.parametrize(
    ("kernel", "value", "limit", "reason"),
    [
        (narrow, "%x", "narrow", "fewer than the 4 bytes that cp.async copies"),
        (summed, "%total", "no-dot", "feeds no dot; tl.range(…, num_stages=N)"),
        (carried, "%x", "loop-carried", "used in the next iteration"),
        (shifted, "%x", "distance", "spans more than one iteration"),
        (nested, "%x", "nested", "only innermost loops are pipelined"),
        (synchronized, "%x", "barrier", "contains a barrier, a device_assert or"),
    ],
)
def test_reasons(kernel, value, limit, reason):
    loads = [load for loop in loops_of(kernel) for load in loop.loads if load.value == value]
    assert [(load.method, load.limit) for load in loads] == [("", limit)]
    assert reason in loads[0].why


def test_reason_of_too_few_stages():
    (loop,) = loops_of(indirect, num_stages=2)
    load = load_of(loop, "%block")
    assert load.limit == "levels"
    assert "num_stages=3 or more pipelines it" in load.why
    (loop,) = loops_of(indirect, num_stages=3)
    assert load_of(loop, "%block").method == "cp.async"


def test_more_stages_are_recommended_only_if_they_pipeline_the_load():
    (loop,) = loops_of(padded, num_stages=1)
    assert {load.limit for load in loop.loads} == {"num_stages"}
    (loop,) = loops_of(narrow, num_stages=1)
    assert load_of(loop, "%x").limit == "narrow"
    assert load_of(loop, "%y").limit == "num_stages"


def test_stages_of_one_loop():
    (loop,) = loops_of(product, signature=f"{POINTERS}, 4")
    assert loop.stages == 4
    (loop,) = loops_of(product, signature=f"{POINTERS}, 1")
    assert (loop.stages, loop.loads[0].limit) == (1, "num_stages")


def test_no_finding_recommends_stages_without_effect():
    for kernel, stages in ((narrow, 1), (narrow, 3), (padded, 3), (padded, 1)):
        report = explain(kernel, signature=POINTERS, target="cuda:80", num_stages=stages)
        recommended = [each for each in report.findings if "num_stages" in each.edit]
        limits = {(load.location, load.limit) for loop in report.loops for load in loop.loads}
        for finding in recommended:
            conversions = [c for c in report.conversions if c.location == finding.location]
            lines = [a.location for c in conversions for a in c.anchors if a]
            assert any((line, "num_stages") in limits for line in lines)
    report = explain(padded, signature=POINTERS, target="cuda:80", num_stages=1)
    without = rank_findings(report.conversions, (), (), (), ())
    assert not [each for each in without if "num_stages" in each.edit]


def test_text_and_json():
    report = explain(padded, signature=POINTERS, target="cuda:80")
    printed = text(report, width=120)
    assert "loop, 3 stages: iterations overlap in 3 stages" in printed
    assert "by cp.async, distance 2, 2 buffers, 16384 bytes of shared memory" in printed
    assert "stage 0    stage 1  stage 2" in printed
    (entry,) = json.loads(as_json(report))["loops"]
    assert entry["loads"][1]["method"] == "cp.async"
    assert {op["stage"] for op in entry["operations"]} == {0, 2}


def test_a_line_selects_the_loop_of_its_load():
    report = explain(padded, signature=POINTERS, target="cuda:80")
    line = report.loops[0].loads[0].location.line  # pyright: ignore[reportOptionalMemberAccess]
    assert filter_by_line(report, line).loops == report.loops
