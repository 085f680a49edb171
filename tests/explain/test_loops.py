"""Loops of a report: stages, how loads are pipelined, and each reason why a load is not."""

from __future__ import annotations

import json
import re

import pytest

import weft
import weft.language as tl
from tests.explain.pipelined_loops import POINTERS, explain, load_of, loops_of, product_of_size
from weft.explain.filtering import filter_by_line
from weft.explain.json_report import as_json
from weft.explain.text_report import text


@weft.jit
def offsets():
    """The offsets of a contiguous tile."""
    return tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]


@weft.jit
def product(a, b, c, n):
    """One load of each operand per iteration, in which it is used."""
    tile, total = offsets(), tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + tile)
        y = tl.load(b + k * 4096 + tile)
        total = tl.dot(x, y, total)
    tl.store(c + tile, total)


@weft.jit
def narrow(a, b, c, n):
    """Adjacent elements of x are not adjacent in memory."""
    tile, total = offsets(), tl.zeros((64, 64), tl.float32)
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    for k in range(n):
        x = tl.load(a + k + row * n * 3 + column * n)
        y = tl.load(b + k * 4096 + tile)
        total = tl.dot(x, y, total)
    tl.store(c + tile, total)


@weft.jit
def summed(a, b, c, n, STAGES: tl.constexpr = None):  # pyright: ignore[reportArgumentType]
    """No dot."""
    i = tl.arange(0, 1024)
    total = tl.zeros((1024,), tl.float32)
    for k in tl.range(0, n, num_stages=STAGES):
        total += tl.load(c + k * 1024 + i)
    tl.store(c + i, total)


@weft.jit
def summed_columns(a, b, c, n):
    """No dot, and adjacent elements are not adjacent in memory."""
    i = tl.arange(0, 1024)
    total = tl.zeros((1024,), tl.float16)
    for k in range(n):
        total += tl.load(a + k + i * n)
    tl.store(a + i, total)


@weft.jit
def carried(a, b, c, n):
    """The kernel loads the operand of the next iteration itself."""
    tile, total = offsets(), tl.zeros((64, 64), tl.float32)
    x = tl.load(a + tile)
    for k in range(n):
        y = tl.load(b + k * 4096 + tile)
        total = tl.dot(x, y, total)
        x = tl.load(a + (k + 1) * 4096 + tile)
    tl.store(c + tile, total)


@weft.jit
def shifted(a, b, c, n):
    """The offset of an iteration was computed two iterations ago."""
    tile, total = offsets(), tl.zeros((64, 64), tl.float32)
    now, following = 0, 1
    for k in range(n):
        x = tl.load(a + now * 4096 + tile)
        y = tl.load(b + now * 4096 + tile)
        total = tl.dot(x, y, total)
        now, following = following, k * k
    tl.store(c + tile, total)


@weft.jit
def nested(a, b, c, n):
    """A load of the outer loop, which is not innermost."""
    tile = offsets()
    for j in range(n):
        total = tl.zeros((64, 64), tl.float32)
        x = tl.load(a + j * 4096 + tile)
        for k in range(n):
            y = tl.load(b + k * 4096 + tile)
            total = tl.dot(x, y, total)
        tl.store(c + j * 4096 + tile, total)


@weft.jit
def synchronized(a, b, c, n, STAGES: tl.constexpr = None):  # pyright: ignore[reportArgumentType]
    """A barrier in the loop."""
    tile, total = offsets(), tl.zeros((64, 64), tl.float32)
    for k in tl.range(0, n, num_stages=STAGES):
        x = tl.load(a + k * 4096 + tile)
        y = tl.load(b + k * 4096 + tile)
        total = tl.dot(x, y, total)
        tl.debug_barrier()
    tl.store(c + tile, total)


@weft.jit
def indirect(a, b, c, n):
    """The address of an operand is loaded."""
    tile, total = offsets(), tl.zeros((64, 64), tl.float32)
    for k in range(n):
        block = tl.load(c + k).to(tl.int32)
        x = tl.load(a + block * 4096 + tile)
        y = tl.load(b + k * 4096 + tile)
        total = tl.dot(x, y, total)
    tl.store(c + tile, total)


@weft.jit
def padded(a, b, c, n):
    """Masked elements of an operand are one."""
    tile, total = offsets(), tl.zeros((64, 64), tl.float32)
    inside = tl.arange(0, 64)[:, None] < n
    for k in range(n):
        x = tl.load(a + k * 4096 + tile, mask=inside, other=1.0)
        y = tl.load(b + k * 4096 + tile)
        total = tl.dot(x, y, total)
    tl.store(c + tile, total)


@weft.jit
def through_descriptors(a, b, c, n):
    """Both operands are tiles of descriptors."""
    x_tiles = tl.make_tensor_descriptor(a, [64, n], [n, 1], [64, 64])
    y_tiles = tl.make_tensor_descriptor(b, [n, 64], [64, 1], [64, 64])
    total = tl.zeros((64, 64), tl.float32)
    for k in range(0, n, 64):
        total = tl.dot(x_tiles.load([0, k]), y_tiles.load([k, 0]), total)
    tl.store(c + offsets(), total)


@weft.jit
def conditional(a, b, c, n):
    """An operand is loaded in some iterations."""
    tile, total = offsets(), tl.zeros((64, 64), tl.float32)
    for k in range(n):
        y = tl.load(b + k * 4096 + tile)
        if k % 3 == 0:
            x = tl.load(a + k * 4096 + tile)
            total = tl.dot(x, y, total)
    tl.store(c + tile, total)


@weft.jit
def two_dots(a, b, c, n, SHARED: tl.constexpr):
    """A dot of fp16 and a dot of fp8, of one loaded tile (SHARED) or of a load for each."""
    tile = offsets()
    first, second = tl.zeros((64, 64), tl.float32), tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + tile)
        other = x if SHARED else tl.load(a + k * 4096 + tile, volatile=True)
        y = tl.load(b + k * 4096 + tile)
        first = tl.dot(x, y, first)
        second = tl.dot(other.to(tl.float8e5), y.to(tl.float8e5), second)
    tl.store(c + tile, first + second)


@weft.jit
def index_and_operand(a, b, c, n):
    """A loaded tile is an operand, and the address of another one."""
    tile = offsets()
    first, second = tl.zeros((64, 64), tl.float32), tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(a + k * 4096 + tile)
        y = tl.load(b + k * 4096 + tile)
        first = tl.dot(x, y, first)
        other = tl.load(b + tl.sum(x).to(tl.int32) * 16 + tile)
        second = tl.dot(y, other, second)
    tl.store(c + tile, first + second)


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


@weft.jit
def product_of_rows(a, b, c, n, step, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row, column, depth = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for k in range(0, n, K):
        x = tl.load(a + row * step + k + depth[None, :])
        y = tl.load(b + (k + depth[:, None]) * step + column)
        total = tl.dot(x, y, total)
    tl.store(c + row * N + column, total)


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
@pytest.mark.parametrize(
    ("step", "depth", "methods"),
    [
        ("i32:16", 16, ["direct-to-LDS", "direct-to-LDS"]),
        ("i32", 16, ["registers", "registers"]),
        ("i32", 64, ["direct-to-LDS", "direct-to-LDS"]),
    ],
)
def test_copies_that_cannot_write_to_lds_go_through_registers(chip, step, depth, methods):
    signature = f"*fp32:16, *fp32:16, *fp32:16, i32:16, {step}, 64, 64, {depth}"
    options = {"signature": signature, "target": f"hip:{chip}", "use_async_copy": True}
    (loop,) = explain(product_of_rows, **options).loops  # pyright: ignore[reportArgumentType]
    assert [load.method for load in loop.loads] == methods
    for load in loop.loads:
        is_slow = load.method == "registers"
        assert ("the lanes of a warp would not write contiguously" in load.why) == is_slow
        assert (load.distance, load.buffers) == (1, 2)
    code = weft.compile(product_of_rows, **options).asm["llir"]  # pyright: ignore[reportArgumentType]
    assert ("load.lds" in code) == ("direct-to-LDS" in methods)


def test_stages_of_operations():
    (loop,) = loops_of(padded)
    stages = {op.op: op.stage for op in loop.operations}
    assert (stages["tt.load"], stages["tt.dot"]) == (0, 2)
    clusters = {op.op: op.cluster for op in loop.operations}
    assert clusters["tt.dot"] < clusters["tt.load"]


def test_latencies_in_the_ir_leave_a_load_in_the_stage_of_its_use(tmp_path):
    """Triton assigns no latencies to a loop that has some."""
    ttir = weft.compile(product, signature=POINTERS, target="cuda:80", stop_after="ttir").asm[
        "ttir"
    ]
    file = tmp_path / "product.ttir"
    file.write_text(re.sub("(tt.load %\\w+) ", r"\1 {tt.latency = 2 : i32} ", ttir, count=1))
    (loop,) = explain(str(file), target="cuda:80").loops
    first, second = loop.loads
    assert (first.method, first.distance) == ("cp.async", 2)
    assert (second.method, second.limit) == ("", "same-stage")
    assert "sets tt.latency or loop.stage in this loop" in second.why


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
        (conditional, "%x", "conditional", "only loads directly in the body of the loop"),
        (summed_columns, "%total", "narrow", "a thread loads 1 consecutive f16"),
    ],
)
def test_reasons(kernel, value, limit, reason):
    loads = [load for loop in loops_of(kernel) for load in loop.loads if load.value == value]
    assert [(load.method, load.limit) for load in loads] == [("", limit)]
    assert reason in loads[0].why


def test_a_barrier_is_the_reason_in_one_stage_too():
    (loop,) = loops_of(synchronized, signature=f"{POINTERS}, 1")
    assert load_of(loop, "%x").limit == "barrier"
    assert "contains a barrier, a device_assert or" in load_of(loop, "%x").why


def test_reason_of_users_with_different_layouts():
    (loop,) = loops_of(two_dots, signature=f"{POINTERS}, True")
    assert load_of(loop, "%x").limit == "layouts"
    assert "its users need different layouts" in load_of(loop, "%x").why


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
    (loop,) = loops_of(product_of_size, signature=f"{POINTERS}, 64, 4")
    assert loop.stages == 4
    (loop,) = loops_of(product_of_size, signature=f"{POINTERS}, 64, 1")
    assert (loop.stages, loop.loads[0].limit) == (1, "num_stages")


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
        (
            summed,
            "%total",
            {},
            "tl.range(…, num_stages=N)",
            summed,
            {"signature": f"{POINTERS}, 3"},
        ),
        (narrow, "%x", {}, "make addresses contiguous", product, {}),
        (carried, "%x", {}, "use it in the iteration that loads it", product, {}),
        (shifted, "%x", {}, "compute it from the loop's index", product, {}),
        (
            two_dots,
            "%x",
            {"signature": f"{POINTERS}, True"},
            "load the tile once for each, with volatile=True",
            two_dots,
            {"signature": f"{POINTERS}, False"},
        ),
        (product, "%x", {"num_stages": 1}, "num_stages=2", product, {"num_stages": 2}),
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
    (loop,) = loops_of(product_of_size, num_warps=8, **arguments)
    assert {load.limit for load in loop.loads} == {"narrow"}
    assert "use a larger block or fewer warps" in loop.loads[0].why
    for target in ("cuda:80", "hip:gfx942"):
        (loop,) = loops_of(product_of_size, target, num_warps=1, **arguments)
        assert len(loop.loads) == 2
        assert all(load.method for load in loop.loads)


def test_reason_of_a_load_at_two_levels():
    (loop,) = loops_of(index_and_operand)
    load = load_of(loop, "%x")
    assert load.limit == "levels"
    assert "one use of it feeds a dot, another one the address" in load.why


def test_loads_without_a_buffer():
    (loop,) = loops_of(summed, "hip:gfx942", f"{POINTERS}, 3")
    (load,) = loop.loads
    assert (load.method, load.distance, load.buffers, load.shared_bytes) == ("registers", 2, 0, 0)
    report = explain(summed, signature=f"{POINTERS}, 3", target="hip:gfx942")
    printed = text(report, width=120)
    assert "by registers, distance 2, without shared memory" in printed


@weft.jit
def row_sums(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((), tl.float32)
    for k in tl.range(0, n, BLOCK, num_stages=3):
        total += tl.sum(tl.load(x + k + tl.arange(0, BLOCK)), 0)
    tl.store(out, total)


def test_a_scheduled_reduction_has_the_line_of_the_kernel():
    (loop,) = explain(row_sums, signature="*fp32:16, *fp32, i32, 128", target="cuda:90").loops
    lines = {op.op: op.location and (op.location.file, op.location.line) for op in loop.operations}
    line = row_sums.fn.__code__.co_firstlineno + 4
    assert lines["tt.reduce"] == lines["tt.load"] == (__file__, line)
