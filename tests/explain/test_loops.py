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


@weft.jit
def summed_in_stages(a, b, c, n):
    """No dot, and a number of stages for this loop."""
    i = tl.arange(0, 1024)
    total = tl.zeros((1024,), tl.float32)
    for k in tl.range(0, n, num_stages=3):
        total += tl.load(c + k * 1024 + i)
    tl.store(c + i, total)


@weft.jit
def summed_columns(a, b, c, n):
    """No dot, and neighbouring elements are not neighbours in memory."""
    i = tl.arange(0, 1024)
    total = tl.zeros((1024,), tl.float16)
    for k in range(n):
        total += tl.load(a + k + i * n)
    tl.store(a + i, total)


@weft.jit
def used_at_once(a, b, c, n):
    """The operand of an iteration is loaded in it."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + row * 64 + column)
        y = tl.load(b + k * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
    tl.store(c + row * 64 + column, total)


@weft.jit
def conditional(a, b, c, n):
    """An operand is loaded in some iterations."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        y = tl.load(b + k * 4096 + row * 64 + column)
        if k % 3 == 0:
            x = tl.load(a + k * 4096 + row * 64 + column)
            total = tl.dot(x, y, total)
    tl.store(c + row * 64 + column, total)


@weft.jit
def two_layouts(a, b, c, n):
    """A tile feeds a dot of fp16, and a dot of fp8."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    first, second = tl.zeros((64, 64), tl.float32), tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + row * 64 + column)
        y = tl.load(b + k * 4096 + row * 64 + column)
        first = tl.dot(x, y, first)
        second = tl.dot(x.to(tl.float8e5), y.to(tl.float8e5), second)
    tl.store(c + row * 64 + column, first + second)


@weft.jit
def one_load_per_layout(a, b, c, n):
    """The same, with a load for each dot."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    first, second = tl.zeros((64, 64), tl.float32), tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + row * 64 + column)
        again = tl.load(a + k * 4096 + row * 64 + column, volatile=True)
        y = tl.load(b + k * 4096 + row * 64 + column)
        first = tl.dot(x, y, first)
        second = tl.dot(again.to(tl.float8e5), y.to(tl.float8e5), second)
    tl.store(c + row * 64 + column, first + second)


@weft.jit
def index_and_operand(a, b, c, n):
    """A loaded tile is an operand, and the address of another one."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    first, second = tl.zeros((64, 64), tl.float32), tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + row * 64 + column)
        y = tl.load(b + k * 4096 + row * 64 + column)
        first = tl.dot(x, y, first)
        other = tl.load(b + tl.sum(x).to(tl.int32) * 16 + row * 64 + column)
        second = tl.dot(y, other, second)
    tl.store(c + row * 64 + column, first + second)


@weft.jit
def synchronized_in_one_stage(a, b, c, n):
    """A barrier in a loop of one stage."""
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in tl.range(0, n, num_stages=1):
        x = tl.load(a + k * 4096 + row * 64 + column)
        y = tl.load(b + k * 4096 + row * 64 + column)
        total = tl.dot(x, y, total)
        tl.debug_barrier()
    tl.store(c + row * 64 + column, total)


@weft.jit
def large(a, b, c, n, SIZE: tl.constexpr, STAGES: tl.constexpr):
    """Tiles of any size."""
    row, column = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for k in tl.range(0, n, num_stages=STAGES):
        x = tl.load(a + k * SIZE * SIZE + row * SIZE + column)
        y = tl.load(b + k * SIZE * SIZE + row * SIZE + column)
        total = tl.dot(x, y, total)
    tl.store(c + row * SIZE + column, total)


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
        (synchronized_in_one_stage, "%x", "barrier", "contains a barrier, a device_assert or"),
        (conditional, "%x", "conditional", "only loads directly in the body of the loop"),
        (two_layouts, "%x", "layouts", "its users need different layouts"),
        (summed_columns, "%total", "narrow", "a thread loads 1 consecutive f16"),
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


def method_of(kernel, value: str, **options) -> str:
    """Find how the load of a variable is pipelined, "" if it is not."""
    loads = [load for loop in loops_of(kernel, **options) for load in loop.loads]
    (method,) = {load.method for load in loads if load.value == value}
    return method


@pytest.mark.parametrize(
    ("kernel", "value", "options", "advice", "followed", "changed"),
    [
        (summed, "%total", {}, "tl.range(…, num_stages=N)", summed_in_stages, {}),
        (narrow, "%x", {}, "make addresses contiguous", used_at_once, {}),
        (carried, "%x", {}, "use it in the iteration that loads it", used_at_once, {}),
        (shifted, "%x", {}, "compute it from the loop's index", used_at_once, {}),
        (two_layouts, "%x", {}, "with volatile=True", one_load_per_layout, {}),
        (used_at_once, "%x", {"num_stages": 1}, "num_stages=2", used_at_once, {"num_stages": 2}),
        (indirect, "%block", {"num_stages": 2}, "num_stages=3", indirect, {"num_stages": 3}),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_advice_has_an_effect(kernel, value, options, advice, followed, changed):
    (load,) = [
        load for loop in loops_of(kernel, **options) for load in loop.loads if load.value == value
    ]
    assert advice in load.why
    assert not load.method
    assert method_of(followed, value, **changed)


def test_advice_for_few_elements():
    signature = f"{POINTERS}, 16, constexpr"
    arguments = {"signature": signature, "constexprs": {"STAGES": None}}
    (loop,) = loops_of(large, num_warps=8, **arguments)
    assert {load.limit for load in loop.loads} == {"narrow"}
    assert "use a larger block or fewer warps" in loop.loads[0].why
    for target in ("cuda:80", "hip:gfx942"):
        (loop,) = loops_of(large, target, num_warps=1, **arguments)
        assert all(load.method for load in loop.loads)


def test_reason_of_a_load_at_two_levels():
    (loop,) = loops_of(index_and_operand)
    load = load_of(loop, "%x")
    assert load.limit == "levels"
    assert "one use of it feeds a dot, another one the address" in load.why


def test_loads_without_a_buffer():
    (loop,) = loops_of(summed_in_stages, "hip:gfx942")
    (load,) = loop.loads
    assert (load.method, load.distance, load.buffers, load.shared_bytes) == ("registers", 2, 0, 0)
    printed = text(explain(summed_in_stages, signature=POINTERS, target="hip:gfx942"), width=120)
    assert "by registers, distance 2, without shared memory" in printed


@pytest.mark.parametrize(
    ("target", "stages", "fits"), [("cuda:80", 5, 3), ("cuda:90", 5, 3), ("hip:gfx942", 3, 2)]
)
def test_no_room_for_the_buffers(target, stages, fits):
    report = explain(large, signature=f"{POINTERS}, 128, {stages}", target=target)
    (loop,) = report.loops
    assert (loop.stages, loop.limit) == (stages, "shared-memory")
    assert {load.limit for load in loop.loads} == {"shared-memory"}
    assert all(load.method for load in loop.loads)
    first = report.findings[0]
    assert f"a block of {target} has" in first.message
    assert first.edit == f"num_stages={fits} fits"
    assert "no room in shared memory" in text(report, width=120)
    # The advice is right: one stage more does not fit.
    for number in (fits, fits + 1):
        (loop,) = loops_of(large, target, f"{POINTERS}, 128, {number}")
        assert (loop.limit == "shared-memory") is (number > fits)


def test_no_room_with_any_number_of_stages():
    (loop,) = loops_of(large, "hip:gfx942", f"{POINTERS}, 256, 2", num_warps=8)
    assert loop.limit == "shared-memory"
    report = explain(large, signature=f"{POINTERS}, 256, 2", target="hip:gfx942", num_warps=8)
    edit = report.findings[0].edit
    assert edit in ("num_stages=1 fits", "use smaller blocks: no number of stages fits")
    (loop,) = loops_of(large, "hip:gfx942", f"{POINTERS}, 256, 1", num_warps=8)
    assert (loop.limit == "shared-memory") is ("no number" in edit) or loop.stages == 1


def test_stages_are_not_recommended_without_room():
    floats = "*fp32:16, *fp32:16, *fp32:16, i32:16"
    (loop,) = loops_of(large, "hip:gfx942", f"{floats}, 128, 1")
    load = load_of(loop, "%x")
    assert (load.method, load.limit) == ("", "shared-memory")
    assert "with num_stages=2 the kernel would need 131072 bytes" in load.why
    assert "use smaller blocks" in load.why
