"""Counters of a launch, of small kernels whose counts are known by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.simulator import Count, Counters, Report, run
from weft.targets import target

KERNEL = """\
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @k(ptr addrspace(1) %p) "nvvm.reqntid"="64" {{
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
{body}
  ret void
}}
"""
GLOBAL = """\
  %o = mul i32 %i, {stride}
  %q = getelementptr float, ptr addrspace(1) %p, i32 %o
  %v = load float, ptr addrspace(1) %q ; loc("k.py":3:1)
  store float %v, ptr addrspace(1) %q ; loc("k.py":4:1)"""
SHARED = """\
  %o = mul i32 %i, {stride}
  %s = getelementptr float, ptr addrspace(3) @shared, i32 %o
  store float 1.0, ptr addrspace(3) %s ; loc("k.py":3:1)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; loc("k.py":4:1)
  %v = load float, ptr addrspace(3) %s ; loc("k.py":5:1)"""


def simulate(body: str, chip: str = "cuda:90", grid: int = 1) -> Report:
    return run(
        KERNEL.format(body=body),
        grid=(grid,),
        arguments=[np.zeros(1 << 14, np.float32)],
        warp_size=target(chip).threads_per_warp,
        shared_bytes=1 << 15,
        counted_for=target(chip),
    )


def counters_of(report: Report) -> Counters:
    assert report.counters is not None
    return report.counters


@pytest.mark.parametrize(("stride", "sectors"), [(0, 1), (1, 4), (2, 8), (8, 32), (64, 32)])
def test_sectors_follow_from_the_distance_of_lanes(stride, sectors):
    counters = counters_of(simulate(GLOBAL.format(stride=stride)))
    ideal = 4 if stride else 1
    assert counters.total("global load") == Count(1, 2, 0, 0, 2 * sectors, 2 * ideal, 2)
    assert counters.by_line()[4]["global store", 32].sectors == 2 * sectors


@pytest.mark.parametrize(("stride", "ways"), [(0, 1), (1, 1), (2, 2), (8, 8), (32, 32), (33, 1)])
def test_wavefronts_follow_from_the_banks(stride, ways):
    counters = counters_of(simulate(SHARED.format(stride=stride)))
    expected = Count(1, 2, 2 * ways, 2 * (ways - 1))
    assert counters.total("shared store", 32) == expected
    assert counters.by_line()[5]["shared load", 32] == expected
    assert counters.total("barrier") == Count(1, 2)


def test_programs_add_up_and_the_text_does_not():
    counters = counters_of(simulate(GLOBAL.format(stride=1), grid=3))
    assert counters.total("global load") == Count(1, 6, 0, 0, 24, 24, 6)


def test_a_warp_without_active_lanes_makes_no_request():
    body = """\
  %c = icmp ult i32 %i, 4
  %q = getelementptr float, ptr addrspace(1) %p, i32 %i
  %v = call i32 asm sideeffect "@$3 ld.global.b32 $0, [$2];", "=r,0,l,b"\
(i32 0, ptr addrspace(1) %q, i1 %c)"""
    counters = counters_of(simulate(body))
    assert counters.total("global load") == Count(1, 1, 0, 0, 1, 1, 1)
    assert counters.by_line()[0]["global load", 32].requests == 1


def test_an_access_of_32_bytes_is_split_as_llvm_does():
    body = """\
  %o = mul i32 %i, 8
  %s = getelementptr float, ptr addrspace(3) @shared, i32 %o
  %v = load <8 x float>, ptr addrspace(3) %s, align 16"""
    counters = counters_of(simulate(body))
    # Two loads of 16 bytes, of four phases each; every second quarter of the banks is used.
    assert counters.total("shared load") == Count(1, 2, 2 * 2 * 8, 2 * 2 * 4)


def test_wavefronts_are_of_the_chip():
    body = SHARED.format(stride=1)
    assert counters_of(simulate(body, "cuda:90")).total("shared load").wavefronts == 2
    assert counters_of(simulate(body, "hip:gfx942")).total("shared load").wavefronts == 2
    wide = body.replace("load float", "load <2 x float>").replace(
        "%o = mul i32 %i, 1", "%o = shl i32 %i, 1"
    )
    assert counters_of(simulate(wide, "cuda:90")).total("shared load", 64).wavefronts == 4


def test_nothing_is_counted_unless_asked():
    report = run(
        KERNEL.format(body=GLOBAL.format(stride=1)),
        grid=(1,),
        arguments=[np.zeros(64, np.float32)],
        warp_size=32,
    )
    assert report.counters is None


@pytest.mark.parametrize(("octets", "reading", "sectors"), [(4, 2, 8), (0, 0, 0)])
def test_copies_of_zeros_read_no_global_memory(octets, reading, sectors):
    body = f"""\
  %o = mul i32 %i, 4
  %s = getelementptr i8, ptr addrspace(3) @shared, i32 %o
  %q = getelementptr i8, ptr addrspace(1) %p, i32 %o
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r"\
(ptr addrspace(3) %s, ptr addrspace(1) %q, i32 {octets})"""
    count = counters_of(simulate(body)).total("async copy", 32)
    assert (count.requests, count.wavefronts) == (2, 2)
    assert (count.global_requests, count.sectors) == (reading, sectors)
