"""Cross-lane permutations: correct for every pattern and chip, by the cheapest instruction."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from weft.codegen import LlvmModule, Machine
from weft.codegen.hardware import hardware_of
from weft.codegen.llvm.module import Launch
from weft.codegen.llvm.writer import Writer
from weft.simulator import run
from weft.targets import target

CHIPS = (
    "cuda:80", "cuda:90", "hip:gfx908", "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100",
    "hip:gfx1201", "hip:gfx1250",
)  # fmt: skip
WARPS = 2


def moved(chip: str, move) -> tuple[np.ndarray, str]:
    """Move the threads' numbers among two warps; return each thread's result, and the text."""
    hardware = hardware_of(target(chip))
    lanes = hardware.target.threads_per_warp
    w = Writer(prefix="%v")
    thread = hardware.program.thread_id(w)
    got = move(hardware, w, thread)
    address = w.value(f"getelementptr i32, ptr addrspace(1) %p, i32 {thread}")
    w.line(f"store i32 {got}, ptr addrspace(1) {address}, align 4")
    text = (
        f'define ptx_kernel void @k(ptr addrspace(1) %p) "nvvm.reqntid"="{WARPS * lanes}" {{\n'
        f"entry:\n{w.body()}\n  ret void\n}}\n"
    )
    actual = np.zeros(WARPS * lanes, np.int32)
    run(text, grid=(1,), arguments=[actual], warp_size=lanes)
    return actual, text


@pytest.mark.parametrize("chip", CHIPS)
def test_butterfly_exchange(chip):
    lanes = target(chip).threads_per_warp
    thread = np.arange(WARPS * lanes)
    for mask in range(1, lanes):
        actual, text = moved(chip, lambda h, w, x, mask=mask: h.lanes.shuffle_xor(w, x, mask))
        np.testing.assert_array_equal(actual, thread ^ mask, err_msg=f"{mask}: {text}")


@pytest.mark.parametrize("chip", CHIPS)
def test_broadcast_by_lane_mask(chip):
    lanes = target(chip).threads_per_warp
    thread = np.arange(WARPS * lanes)
    random = np.random.default_rng(0)
    masks = {1, 2, 3, 5, 7, 8, 12, 15, 16, 31, lanes - 1, lanes // 2, *random.integers(1, lanes, 8)}
    for mask in map(int, masks):
        for bits in {0, mask, int(random.integers(0, lanes)) & mask}:
            actual, text = moved(
                chip, lambda h, w, x, mask=mask, bits=bits: h.lanes.shuffle_within(w, x, mask, bits)
            )
            expected = thread & ~mask | bits
            np.testing.assert_array_equal(actual, expected, err_msg=f"{mask} {bits}: {text}")


@pytest.mark.parametrize(
    ("chip", "mask", "instructions"),
    [
        ("hip:gfx942", 1, ["update.dpp"]),
        ("hip:gfx942", 4, ["update.dpp", "update.dpp"]),
        ("hip:gfx942", 8, ["update.dpp"]),
        ("hip:gfx942", 16, ["ds.swizzle"]),
        ("hip:gfx942", 32, ["mbcnt.lo", "mbcnt.hi", "ds.bpermute"]),
        ("hip:gfx950", 32, ["permlane32.swap", "mbcnt.lo", "mbcnt.hi"]),
        ("hip:gfx1100", 4, ["update.dpp"]),
        ("hip:gfx1100", 16, ["permlanex16"]),
        ("hip:gfx1201", 21, ["permlanex16", "update.dpp"]),
        ("cuda:90", 5, ["shfl.sync.bfly"]),
    ],
)
def test_cheapest_instructions(chip, mask, instructions):
    _, text = moved(chip, lambda h, w, x: h.lanes.shuffle_xor(w, x, mask))
    calls = [line for line in text.splitlines() if " call " in line][1:]
    assert len(calls) == len(instructions)
    for line, name in zip(calls, instructions, strict=True):
        assert f".{name}" in line


@pytest.mark.parametrize("chip", CHIPS)
def test_every_pattern_selects_a_chip_instruction(chip):
    hardware = hardware_of(target(chip))
    lanes = hardware.target.threads_per_warp
    w = Writer(prefix="%v")
    total = thread = hardware.program.thread_id(w)
    for mask in range(1, lanes):
        moves = (
            hardware.lanes.shuffle_xor(w, thread, mask),
            hardware.lanes.shuffle_within(w, thread, mask, 0),
        )
        for got in moves:
            total = w.value(f"add i32 {total}, {got}")
    w.line(f"store i32 {total}, ptr addrspace(1) %p, align 4")
    convention, _ = hardware.module_format.kernel_header(Launch(1), w)
    text = (
        f'target triple = "{hardware.module_format.triple}"\n'
        f"define {convention} void @k(ptr addrspace(1) %p)"
        f" {{\nentry:\n{w.body()}\n  ret void\n}}\n" + "\n".join(w.declarations)
    )
    with closing(Machine()) as machine:
        module = LlvmModule(text, "k", hardware.target, Launch(1))
        assert b"k" in machine.emit(module, "assembly")
