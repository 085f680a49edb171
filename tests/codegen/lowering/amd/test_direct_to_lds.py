"""Direct-to-LDS copies: pointers per lane, masks and wait counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from weft.analysis.async_wait_counts import max_outstanding_for_tokens
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module, print_module
from weft.passes.amd.update_async_wait_count import UpdateAsyncWaitCount
from weft.simulator import RaceError
from weft.simulator import run as simulate

GOLDEN = Path(__file__).parents[2] / "golden"
SWIZZLED = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
PLAIN = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
PADDED = (
    "#ttg.padded_shared<[512:+8] {offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], "
    "[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], block = []}>"
)
ROWS = COLUMNS = 64
KEPT = 7.0


def text(
    chip: str,
    shared: str,
    *,
    by: str = "pointer",
    mask: str = "",
    wait: str = "%g",
    vector: int = 8,
) -> str:
    """Return a kernel that copies x [64, 64] to y by way of shared memory, two warps of f16.

    Args: by: "pointer" or "offset".  mask: "" none, "zero": columns below 40, and zeros elsewhere,
          "other": sevens elsewhere.  wait: tokens that are waited for.
    """
    lanes = 64 if chip.startswith("gfx9") else 32
    across = COLUMNS // vector
    threads = f"[{max(1, lanes // across)}, {min(across, lanes)}]"
    blocked = (
        f"#ttg.blocked<{{sizePerThread = [1, {vector}], threadsPerWarp = {threads}, "
        f"warpsPerCTA = [2, 1], order = [1, 0]}}>"
    )
    offsets, flags, data = (f"tensor<64x64x{kind}, #b>" for kind in ("i32", "i1", "f16"))
    pointers = "tensor<64x64x!tt.ptr<f16>, #b>"
    view = "<64x64xf16, #s, #smem, mutable>"
    said = " mask %m" if mask else ""
    said += " other %kept" if mask == "other" else ""
    if by == "pointer":
        copy = (
            f"%t = ttg.async_copy_global_to_local %p, %v{said} {{contiguity = {vector} : i32}} : "
            f"{pointers} -> {view}"
        )
    else:
        said = said.replace(" mask ", " mask = ").replace(" other ", " other = ")
        typed = f" {data}" if mask == "other" else ""
        copy = (
            f"%t = amdg.buffer_load_to_local %x[%o]{said} into %v {{contiguity = {vector} : i32}}"
            f" : <f16>[{offsets}] {typed} -> {view}"
        )
    waits = f"%w = ttg.async_wait {wait} {{num = 0 : i32}}" if wait else ""
    return f"""
#b = {blocked}
#s = {shared}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32,
 ttg.target = "hip:{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
tt.func public @k(%x: !tt.ptr<f16> {{tt.divisibility = 16 : i32}},
 %y: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}) {{
  %r0 = tt.make_range {{start = 0 : i32, end = 64 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 1, parent = #b}}>>
  %r = tt.expand_dims %r0 {{axis = 1 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 1, parent = #b}}>> -> tensor<64x1xi32, #b>
  %c0 = tt.make_range {{start = 0 : i32, end = 64 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 0, parent = #b}}>>
  %c = tt.expand_dims %c0 {{axis = 0 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 0, parent = #b}}>> -> tensor<1x64xi32, #b>
  %width = arith.constant dense<64> : tensor<64x1xi32, #b>
  %rw = arith.muli %r, %width : tensor<64x1xi32, #b>
  %rb = tt.broadcast %rw : tensor<64x1xi32, #b> -> {offsets}
  %cb = tt.broadcast %c : tensor<1x64xi32, #b> -> {offsets}
  %o = arith.addi %rb, %cb : {offsets}
  %end = arith.constant dense<40> : tensor<1x64xi32, #b>
  %inside = arith.cmpi slt, %c, %end : tensor<1x64xi32, #b>
  %m = tt.broadcast %inside : tensor<1x64xi1, #b> -> {flags}
  %kept = arith.constant dense<{KEPT}> : {data}
  %xs = tt.splat %x : !tt.ptr<f16> -> {pointers}
  %p = tt.addptr %xs, %o : {pointers}, {offsets}
  %ys = tt.splat %y : !tt.ptr<f16> -> {pointers}
  %q = tt.addptr %ys, %o : {pointers}, {offsets}
  %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #s, #smem, mutable>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = ttg.memdesc_index %buffers[%zero] : !ttg.memdesc<2x64x64xf16, #s, #smem, mutable> -> !ttg.memdesc{view}
  %v2 = ttg.memdesc_index %buffers[%one] : !ttg.memdesc<2x64x64xf16, #s, #smem, mutable> -> !ttg.memdesc{view}
  {copy}
  %g = ttg.async_commit_group tokens %t
  {copy.replace("%t =", "%t2 =").replace("%v", "%v2")}
  %g2 = ttg.async_commit_group tokens %t2
  {waits}
  %l = ttg.local_load %v : !ttg.memdesc{view} -> {data}
  tt.store %q, %l : {pointers}
  tt.return
}}
}}
"""  # noqa: E501


def result(given: str) -> tuple[np.ndarray, np.ndarray]:
    """Run a kernel on a tile; return the tile and the result."""
    llvm = lower(parse_module(given))
    x = np.random.default_rng(0).standard_normal((ROWS, COLUMNS)).astype(np.float16)
    y = np.zeros_like(x)
    simulate(
        llvm.text,
        grid=(1,),
        arguments=[x, y],
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
    )
    return x, y


CASES = [
    ("gfx950", SWIZZLED, "pointer", 8, "global_load_lds_dwordx4"),
    ("gfx950", PLAIN, "pointer", 8, "global_load_lds_dwordx4"),
    ("gfx950", PADDED, "pointer", 8, "global_load_lds_dwordx4"),
    ("gfx950", SWIZZLED, "offset", 8, "buffer_load_dwordx4"),
    ("gfx950", PADDED, "offset", 8, "buffer_load_dwordx4"),
    ("gfx942", PLAIN, "pointer", 2, "global_load_lds_dword"),
    ("gfx942", PLAIN, "offset", 2, "buffer_load_dword"),
    ("gfx1250", SWIZZLED, "pointer", 8, "global_load_async_to_lds_b128"),
    ("gfx1250", PADDED, "pointer", 8, "global_load_async_to_lds_b128"),
]


@pytest.mark.parametrize(("chip", "shared", "by", "vector", "instruction"), CASES)
@pytest.mark.parametrize("mask", ["", "zero", "other"])
def test_copies(chip, shared, by, vector, instruction, mask, machine):
    if chip == "gfx1250" and mask == "other":
        pytest.skip("fills with zeros")
    source = text(chip, shared, by=by, mask=mask, vector=vector)
    x, y = result(source)
    expected = x.copy()
    if mask:
        expected[:, 40:] = KEPT if mask == "other" else 0
    np.testing.assert_array_equal(y, expected)
    assembly = machine.emit(lower(parse_module(source)), "assembly").decode()
    assert instruction in assembly


@pytest.mark.parametrize("chip", ["gfx950", "gfx1250"])
def test_threads_that_do_not_wait_for_copies(chip):
    x, y = result(text(chip, PLAIN, wait="%g2"))
    np.testing.assert_array_equal(x, y)
    with pytest.raises(RaceError, match="that an unfinished asynchronous copy writes"):
        result(text(chip, PLAIN, wait=""))


@pytest.mark.parametrize(
    ("chip", "by", "mask", "wait", "expected"),
    [
        ("gfx950", "pointer", "", "%g", "s_waitcnt vmcnt(4)"),
        ("gfx950", "pointer", "", "%g2", "s_waitcnt vmcnt(0)"),
        ("gfx950", "pointer", "", "%g, %g2", "s_waitcnt vmcnt(0)"),
        ("gfx950", "pointer", "zero", "%g", "s_waitcnt vmcnt(0)"),
        ("gfx950", "offset", "zero", "%g", "s_waitcnt vmcnt(4)"),
        ("gfx1250", "pointer", "", "%g", "s_wait_asynccnt 0x8"),
    ],
)
def test_later_copies_stay_outstanding(chip, by, mask, wait, expected, machine):
    source = text(chip, SWIZZLED, by=by, mask=mask, wait=wait)
    assert expected in machine.emit(lower(parse_module(source)), "assembly").decode()


def test_groups_without_tokens_stay_outstanding(machine):
    source = text("gfx950", PLAIN, wait="%g").replace(
        "ttg.async_wait %g {num = 0", "ttg.async_wait {num = 1"
    )
    assert "s_waitcnt vmcnt(4)" in machine.emit(lower(parse_module(source)), "assembly").decode()


@pytest.mark.parametrize("turns", [0, 1, 5])
def test_triton_commit_groups_in_a_loop(turns, machine):
    """Three buffers of a kernel written with Gluon: two copies are outstanding after each wait."""
    llvm = lower(parse_module((GOLDEN / "gfx950_copies_in_groups.ttgir").read_text()))
    x = np.random.default_rng(0).standard_normal((turns + 2, 64, 64)).astype(np.float16)
    y = np.zeros((64, 64), np.float32)
    simulate(
        llvm.text,
        grid=(1,),
        arguments=[x, y, turns],
        warp_size=64,
        shared_bytes=llvm.shared_bytes,
    )
    np.testing.assert_allclose(y, x[:turns].astype(np.float32).sum(axis=0), 1e-5, 1e-5)
    assert "s_waitcnt vmcnt(4)" in machine.emit(llvm, "assembly").decode()


def test_wait_with_explicit_count(machine):
    source = text("gfx950", PLAIN).replace(
        "%w = ttg.async_wait %g {num = 0 : i32}", "%w = amdg.async_wait %g {num_inst = 3 : i32}"
    )
    assert "s_waitcnt vmcnt(3)" in machine.emit(lower(parse_module(source)), "assembly").decode()


@pytest.mark.parametrize("wait", ["%g {num = 0", "{num = 1"])
def test_waits_for_instructions_of_copies_that_waves_skip(wait):
    """Triton counts the second copy, which no wave issues: all of its lanes are masked."""
    source = text("gfx950", PLAIN, mask="zero").replace(" mask %m", "", 1)
    module = parse_module(
        source.replace("dense<40>", "dense<0>").replace(
            "async_wait %g {num = 0", f"async_wait {wait}"
        )
    )
    UpdateAsyncWaitCount("gfx950").run(module)
    counted = print_module(module)
    assert "num_inst = 4" in counted
    x, y = result(counted)
    np.testing.assert_array_equal(y, x)


LOOP = """
  %n = arith.constant 9 : i32
  %e = scf.for %i = %zero to %n step %one iter_args(%h = %g) -> (!ttg.async.token) : i32 {
    %w3 = ttg.async_wait %h {num = 0 : i32}
    COPY
    %g3 = ttg.async_commit_group tokens %t3
    BODY
    scf.yield %g3 : !ttg.async.token
  }
  %w = ttg.async_wait %e {num = 0 : i32}
"""


@pytest.mark.parametrize(("body", "inside", "after"), [("", 0, 0), ("COPY", 4, 4)])
def test_tokens_in_loops(body, inside, after):
    source = text("gfx950", PLAIN)
    (copy,) = (line for line in source.splitlines() if line.strip().startswith("%t2 ="))
    (wait,) = (line for line in source.splitlines() if line.strip().startswith("%w ="))
    loop = LOOP.replace("COPY", copy.replace("%t2", "%t3"), 1).replace("BODY", body)
    module = parse_module(source.replace(wait, loop.replace("COPY", copy.replace("%t2", "%t4"))))
    actual = [
        max_outstanding_for_tokens(
            op, lambda each: 4 * (each.name == "ttg.async_copy_global_to_local")
        )
        for op in module.walk()
        if op.name == "ttg.async_wait"
    ]
    assert actual == [inside, after]


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
@pytest.mark.parametrize("by", ["pointer", "offset"])
@pytest.mark.parametrize("mask", ["", "zero", "other"])
@pytest.mark.parametrize("vector", [1, 2])
def test_copies_that_are_not_contiguous_go_through_registers(chip, by, mask, vector, machine):
    source = text(chip, PLAIN.replace("[1, 0]", "[0, 1]"), by=by, mask=mask, vector=vector)
    x, y = result(source)
    expected = x.copy()
    if mask:
        expected[:, 40:] = KEPT if mask == "other" else 0
    np.testing.assert_array_equal(y, expected)
    assembly = machine.emit(lower(parse_module(source)), "assembly").decode()
    assert "ds_write" in assembly
    assert "lds" not in "".join(line for line in assembly.splitlines() if "_load" in line)


@pytest.mark.parametrize("by", ["pointer", "offset"])
def test_waits_do_not_count_copies_through_registers(by):
    def wait_counts(shared: str, wait: str) -> list[str]:
        lines = lower(parse_module(text("gfx950", shared, by=by, wait=wait))).text.splitlines()
        return [line for line in lines if "s.waitcnt" in line and "declare" not in line]

    columns = PLAIN.replace("[1, 0]", "[0, 1]")
    assert wait_counts(columns, "%g") == wait_counts(PLAIN, "%g2") != wait_counts(PLAIN, "%g")


def test_a_chip_without_copies_to_lds():
    with pytest.raises(CodegenError, match="has no copies from global to shared memory"):
        lower(parse_module(text("gfx90a", PLAIN)))
