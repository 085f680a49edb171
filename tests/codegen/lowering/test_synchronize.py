"""Explicit barriers, waits and scheduling hints."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate

BODY = """
  %thread = rocdl.workitem.id.x : i32
  %c64 = arith.constant 64 : i32
  %late = arith.cmpi sge, %thread, %c64 : i32
  %o = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
  %q = tt.addptr %p, %o : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
  tt.store %q, %o : tensor<128x!tt.ptr<i32>, #b>
"""


def text(chip: str, *lines: str) -> str:
    lanes = 64 if chip.startswith("hip:gfx9") else 32
    return f"""
#b = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [{lanes}], warpsPerCTA = [{128 // lanes}],
 order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {128 // lanes} : i32,
 ttg.target = "{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
tt.func public @k(%x: !tt.ptr<i32>) {{
{BODY}
{chr(10).join(lines)}
tt.return
}}
}}
"""


def assembly(machine: Machine, chip: str, *lines: str) -> str:
    said = machine.emit(lower(parse_module(text(chip, *lines))), "assembly").decode()
    return re.sub(r"[ \t]+", " ", said)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rocdl.s.setprio 1", "s_setprio 1"),
        ("rocdl.s.barrier", "s_barrier"),
        ("rocdl.s.sleep 3", "s_sleep 3"),
        ("amdg.memory_counter_wait load(0) ds(3)", "s_waitcnt vmcnt(0)"),
        ("amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<none>}", ""),
    ],
)
def test_hints_reach_the_assembly(line, expected, machine):
    assert expected in assembly(machine, "hip:gfx942", line)


def test_hints_without_an_instruction(machine):
    lines = ("rocdl.sched.barrier 0", "rocdl.sched.group.barrier 8, 2, 1", "rocdl.iglp.opt 1")
    said = lower(parse_module(text("hip:gfx942", *lines))).text
    assert "call void @llvm.amdgcn.sched.barrier(i32 0)" in said
    assert "call void @llvm.amdgcn.sched.group.barrier(i32 8, i32 2, i32 1)" in said
    assert "s_endpgm" in assembly(machine, "hip:gfx942", *lines)


@pytest.mark.parametrize("chip", ["hip:gfx90a", "hip:gfx942", "hip:gfx950"])
def test_scheduling_hints_for_two_dots(chip, machine):
    hint = "amdg.instruction_sched_hint {{variant = #amdg.SchedHintVariant<{}>}}"
    said = lower(parse_module(text(chip, hint.format("attention")))).text
    first = said.index("call void @llvm.amdgcn.sched.barrier(i32 0)")
    assert first < said.index("call void @llvm.amdgcn.iglp.opt(i32 2)")
    assert "iglp.opt" not in lower(parse_module(text(chip, hint.format("none")))).text
    assert "s_endpgm" in assembly(machine, chip, hint.format("attention"))


def test_explicit_waits(machine):
    lines = ("amdg.memory_counter_wait load(1) store(2) ds(0)", "rocdl.s.wait.asynccnt 2")
    said = assembly(machine, "hip:gfx1250", *lines)
    for wait in ("s_wait_storecnt 0x2", "s_wait_asynccnt 0x2"):
        assert wait in said


@pytest.mark.parametrize(
    ("chip", "inv"), [("hip:gfx1100", "buffer_gl0_inv"), ("hip:gfx1201", "global_inv")]
)
def test_local_barriers_do_not_wait_for_global_memory(chip, inv, machine):
    assert inv not in assembly(machine, chip, "ttg.barrier local")
    assert inv in assembly(machine, chip, "ttg.barrier local|global_write")


@weft.jit
def running_sums(x_ptr, out_ptr, length, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Store tiles in another layout than that of their computation."""
    row, column = tl.arange(0, ROWS), tl.arange(0, BLOCK)
    before = tl.zeros((ROWS,), tl.float32)
    for first in range(0, length, BLOCK):
        places = row[:, None] * length + (first + column)[None, :]
        x = tl.load(x_ptr + places).to(tl.float32)
        tl.store(out_ptr + places, tl.cumsum(x, 1) + before[:, None])
        before += tl.sum(x, 1)


_WAIT = re.compile(r"s_waitcnt .*lgkmcnt\(0\)|s_wait_(loadcnt_)?dscnt 0x0")


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
def test_stores_to_lds_are_complete_at_barriers(chip):
    # LLVM once turned the scalar additions into vectors, and moved their stores past the wait.
    signature = "*fp16:16, *fp32:16, i32:16, 16, 128"
    kernel = weft.compile(running_sums, signature=signature, target=f"hip:{chip}")
    is_complete, stores = True, 0
    for line in kernel.asm["amdgcn"].splitlines():
        if re.match(r"\tds_(write|store)", line):
            is_complete, stores = False, stores + 1
        elif _WAIT.match(line.strip()):
            is_complete = True
        elif re.match(r"\ts_barrier", line):
            assert is_complete
    assert stores


def test_nvidia_barriers(machine):
    body = text("cuda:90", "ttg.barrier local").replace("rocdl.workitem.id.x", "arith.constant 0")
    assert "bar.sync" in machine.emit(lower(parse_module(body)), "assembly").decode()


def test_conditional_barrier_of_half_of_the_warps():
    lines = (
        "amdg.cond_barrier %late",
        "rocdl.s.barrier",
        "%early = arith.cmpi slt, %thread, %c64 : i32",
        "amdg.cond_barrier %early",
        "%f = rocdl.readfirstlane %thread : i32",
    )
    llvm = lower(parse_module(text("hip:gfx942", *lines)))
    actual = np.zeros(128, np.int32)
    report = simulate(llvm.text, grid=(1,), arguments=[actual], warp_size=64, shared_bytes=0)
    assert report.barriers == 2
    assert (actual == np.arange(128)).all()


def test_unsupported_wait_counters():
    with pytest.raises(CodegenError, match="gfx1100 has no counter for operations of kind store"):
        lower(parse_module(text("hip:gfx1100", "amdg.memory_counter_wait store(1)")))
