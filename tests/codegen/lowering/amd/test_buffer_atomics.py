"""Buffer atomics: the native instruction where the chip has one, flat atomics elsewhere."""

from __future__ import annotations

import pytest

from tests.codegen.comparing import require_text
from weft.codegen import lower
from weft.ir.text import parse_module
from weft.targets import target as chip_of

CHIPS = ("hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1201", "hip:gfx1250")
TEXT = """
#l = #ttg.blocked<{sizePerThread = [EACH], threadsPerWarp = [LANES], warpsPerCTA = [4],
    order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "CHIP",
    "ttg.threads-per-warp" = LANES : i32} {
  tt.func public @k(%p: !tt.ptr<KIND> {tt.divisibility = 16 : i32},
      %x: !tt.ptr<KIND> {tt.divisibility = 16 : i32},
      %q: !tt.ptr<KIND> {tt.divisibility = 16 : i32},
      %n: i32 DIVISIBLE) {
    %pid = tt.get_program_id x : i32
    %pid_y = tt.get_program_id y : i32
    %np = tt.get_num_programs x : i32
    %row = arith.muli %pid_y, %np : i32
    %program = arith.addi %pid, %row : i32
    %size = arith.constant SIZE : i32
    %start = arith.muli %program, %size : i32
    %range = tt.make_range {start = 0 : i32, end = SIZE : i32} : tensor<SIZExi32, #l>
    %first = tt.splat %start : i32 -> tensor<SIZExi32, #l>
    %o = arith.addi %first, %range : tensor<SIZExi32, #l>
    %end = tt.splat %n : i32 -> tensor<SIZExi32, #l>
    %m = arith.cmpi slt, %range, %end : tensor<SIZExi32, #l>
    %v = amdg.buffer_load %x[%o] : tensor<SIZExKIND, #l>
    UPDATE
    STORE
    tt.return
  }
}
"""
STORE = "amdg.buffer_store %old, %q[%o] : tensor<SIZExKIND, #l>"


def kernel(
    chip: str, op: str, kind: str, *, size: int = 512, each: int = 2, order: str = "acq_rel",
    used: bool = True, divisible: bool = True,
) -> str:  # fmt: skip
    update = (
        f"%old = amdg.buffer_atomic_rmw {op}, {order}, gpu, %v, %p[%o], %m : tensor<SIZExKIND, #l>"
    )
    if op == "cas":
        update = (
            f"%old = amdg.buffer_atomic_cas {order}, gpu, %v, %v, %p[%o] : tensor<SIZExKIND, #l>"
        )
    text = TEXT.replace("UPDATE", update).replace("STORE", STORE if used else "")
    said = "{tt.divisibility = 16 : i32}" if divisible else ""
    for name, value in {
        "EACH": each,
        "LANES": chip_of(chip).threads_per_warp,
        "CHIP": chip,
        "KIND": kind,
        "SIZE": size,
        "DIVISIBLE": said,
    }.items():
        text = text.replace(name, str(value))
    return text


CASES = [
    ("add", "i32"),
    ("max", "i64"),
    ("umin", "i32"),
    ("exch", "f32"),
    ("exch", "i64"),
    ("xor", "i64"),
    ("fadd", "f32"),
    ("fadd", "f64"),
    ("fadd", "f16"),
    ("fadd", "bf16"),
    ("cas", "i32"),
    ("cas", "i64"),
]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("op", "kind"), CASES)
def test_buffer_atomics(chip, op, kind, machine):
    text = kernel(chip, op, kind)
    require_text(text, tolerance=2e-2 if "16" in kind else 1e-6)
    machine.emit(lower(parse_module(text)), "assembly")


@pytest.mark.parametrize(
    ("chip", "op", "kind", "instruction"),
    [
        ("hip:gfx942", "add", "i32", "buffer_atomic_add "),
        ("hip:gfx942", "fadd", "f16", "buffer_atomic_pk_add_f16 "),
        ("hip:gfx942", "fadd", "bf16", "global_atomic_pk_add_bf16 "),
        ("hip:gfx942", "exch", "f64", "buffer_atomic_swap_x2 "),
        ("hip:gfx950", "fadd", "bf16", "buffer_atomic_pk_add_bf16 "),
        ("hip:gfx90a", "cas", "i32", "buffer_atomic_cmpswap "),
        ("hip:gfx90a", "add", "i32", "global_atomic_add "),
        ("hip:gfx1201", "fadd", "f32", "buffer_atomic_add_f32 "),
    ],
)
def test_native_buffer_atomics(chip, op, kind, instruction, machine):
    text = kernel(chip, op, kind, order="relaxed", used=False)
    assembly = machine.emit(lower(parse_module(text)), "assembly").decode()
    threads = 4 * chip_of(chip).threads_per_warp
    pairs = 2 if kind in ("f16", "bf16") else 1
    assert assembly.count(instruction) == max(1, 512 // threads // pairs)


@pytest.mark.parametrize("chip", ["hip:gfx942", "hip:gfx1201"])
@pytest.mark.parametrize("kind", ["i32", "f16"])
@pytest.mark.parametrize(("size", "each"), [(64, 1), (16, 2), (1024, 4)])
def test_replicated_elements_and_masks(chip, kind, size, each):
    op = "add" if kind == "i32" else "fadd"
    text = kernel(chip, op, kind, size=size, each=each, divisible=False)
    require_text(text, tolerance=1e-2)


@pytest.mark.parametrize(
    ("order", "fences"),
    [
        ("relaxed", []),
        ("acquire", ["acquire"]),
        ("release", ["release"]),
        ("acq_rel", ["release", "acquire"]),
    ],
)
def test_fences_around_atomics(order, fences):
    text = lower(parse_module(kernel("hip:gfx942", "add", "i32", order=order))).text
    actual = [line.split()[-1] for line in text.splitlines() if "fence" in line]
    assert actual == fences
