"""Atomics: every operation and type, memory orders, scopes, duplicated elements and results."""

from __future__ import annotations

import re

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

CHIPS = ("cuda:80", "cuda:90", "hip:gfx90a", "hip:gfx942", "hip:gfx1100", "hip:gfx1201")


@weft.jit
def update(
    p_ptr, x_ptr, out_ptr, n, OP: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr,
    BLOCK: tl.constexpr, USED: tl.constexpr,
):  # fmt: skip
    """Update separate numbers in each program, and keep the old values."""
    program = tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)
    index = program * BLOCK + tl.arange(0, BLOCK)
    mask = tl.arange(0, BLOCK) < n
    x = tl.load(x_ptr + index)
    if OP == "add":
        old = tl.atomic_add(p_ptr + index, x, mask=mask, sem=SEM, scope=SCOPE)
    elif OP == "max":
        old = tl.atomic_max(p_ptr + index, x, mask=mask, sem=SEM, scope=SCOPE)
    elif OP == "min":
        old = tl.atomic_min(p_ptr + index, x, mask=mask, sem=SEM, scope=SCOPE)
    elif OP == "and":
        old = tl.atomic_and(p_ptr + index, x, mask=mask, sem=SEM, scope=SCOPE)
    elif OP == "or":
        old = tl.atomic_or(p_ptr + index, x, mask=mask, sem=SEM, scope=SCOPE)
    elif OP == "xor":
        old = tl.atomic_xor(p_ptr + index, x, mask=mask, sem=SEM, scope=SCOPE)
    elif OP == "xchg":
        old = tl.atomic_xchg(p_ptr + index, x, mask=mask, sem=SEM, scope=SCOPE)
    else:
        old = tl.atomic_cas(p_ptr + index, x, x + 1, sem=SEM, scope=SCOPE)
    if USED:
        tl.store(out_ptr + index, old)


def updated(
    chip: str, kind: str, op: str, *, block: int = 512, used: bool = True, warps: int = 4,
    sem: str = "acq_rel", scope: str = "gpu", n: str = "i32",
):  # fmt: skip
    return weft.compile(
        update,
        signature=f"*{kind}:16, *{kind}:16, *{kind}:16, {n}, constexpr, constexpr, constexpr, "
        f"{block}, constexpr",
        constexprs={"OP": op, "SEM": sem, "SCOPE": scope, "USED": used},
        target=chip,
        num_warps=warps,
    )


TYPES = {
    "add": ["fp16", "bf16", "fp32", "fp64", "i32", "i64"],
    "max": ["fp32", "fp64", "i32", "i64", "u32"],
    "min": ["fp32", "i32", "u64"],
    "and": ["i32", "i64"],
    "or": ["i32"],
    "xor": ["i64"],
    "xchg": ["fp32", "i64"],
    "cas": ["i32", "i64", "i16", "fp32"],
}
CASES = [(op, kind) for op, kinds in TYPES.items() for kind in kinds]


@pytest.mark.parametrize(("op", "kind"), CASES)
@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx942"])
def test_every_operation_and_type(chip, op, kind):
    require_same(updated(chip, kind, op), tolerance=1e-2 if "16" in kind else 1e-6)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", ["fp16", "bf16", "fp32", "fp64"])
@pytest.mark.parametrize("n", ["i32:16", "i32"])
def test_vectorized_float_atomics(chip, kind, n, machine):
    compiled = updated(chip, kind, "add", n=n)
    require_same(compiled, tolerance=1e-2 if "16" in kind else 1e-6)
    machine.emit(lower(compiled.module("ttgir")), "assembly")


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("block", "warps"), [(16, 4), (64, 4), (16, 1), (4, 8), (1, 4)])
@pytest.mark.parametrize("op", ["add", "cas"])
def test_replicated_elements_are_updated_once_and_broadcast(chip, block, warps, op):
    require_same(updated(chip, "i32", op, block=block, warps=warps), tolerance=0)


@weft.jit
def update_one(p_ptr, out_ptr, n, BLOCK: tl.constexpr, USED: tl.constexpr):
    """Take a place of a program's own in two ways, and write it as often as there are threads."""
    program = tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)
    old = tl.atomic_add(p_ptr + program, n)
    previous = tl.atomic_cas(p_ptr + program, old + n, old)
    if USED:
        index = tl.arange(0, BLOCK)
        tl.store(out_ptr + program * BLOCK + index, index + old + previous)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", ["i32", "i64"])
@pytest.mark.parametrize(("used", "warps"), [(True, 1), (True, 4), (False, 4)])
def test_scalars(chip, kind, used, warps):
    compiled = weft.compile(
        update_one,
        signature=f"*{kind}:16, *{kind}:16, {kind}, 128, constexpr",
        constexprs={"USED": used},
        target=chip,
        num_warps=warps,
    )
    require_same(compiled, tolerance=0)
    size = int(kind[1:]) // 8
    assert lower(compiled.module("ttgir")).shared_bytes <= (
        16 + size if used and warps > 1 else size
    )


@weft.jit
def collide(p_ptr, x_ptr, place_ptr, N: tl.constexpr):
    """Add many numbers to few."""
    index = tl.arange(0, N)
    tl.atomic_add(p_ptr + (tl.load(place_ptr + index) & 7), tl.load(x_ptr + index))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", ["i32", "fp16", "bf16", "fp64"])
def test_repeated_updates_of_one_address(chip, kind):
    compiled = weft.compile(
        collide, signature=f"*{kind}:16, *{kind}:16, *i32:16, 256", target=chip, num_warps=2
    )
    require_same(compiled, tolerance={"fp16": 0.1, "bf16": 2.0}.get(kind, 1e-9))


def text_of(machine: Machine, *given: object, **options: object) -> str:
    """Return the assembly of an update."""
    module = updated(*given, **options).module("ttgir")  # type: ignore[arg-type]
    return machine.emit(lower(module), "assembly").decode()


def updates(text: str) -> list[str]:
    return re.findall(r"\b(?:global_)?(?:atom|atomic)[._][\w.]+", text)


@pytest.mark.parametrize("sem", ["relaxed", "acquire", "release", "acq_rel"])
@pytest.mark.parametrize("scope", ["gpu", "cta", "sys"])
def test_memory_order_and_scope(sem, scope, machine):
    text = text_of(machine, "cuda:90", "i32", "add", block=128, sem=sem, scope=scope)
    assert updates(text) == [f"atom.global.{scope}.{sem}.add.u32"]
    assert "fence" not in text
    module = updated("hip:gfx942", "i32", "add", block=256, sem=sem, scope=scope).module("ttgir")
    said = {"gpu": 'syncscope("agent") ', "cta": 'syncscope("workgroup") ', "sys": ""}[scope]
    order = "monotonic" if sem == "relaxed" else sem
    assert f"{said}{order}, align 4" in lower(module).text


ORDERS = [
    ("relaxed", "relaxed relaxed relaxed relaxed", ""),
    ("acquire", "relaxed relaxed relaxed acquire", "fence.acq_rel.gpu"),
    ("release", "release relaxed relaxed relaxed", "fence.acq_rel.gpu"),
    ("acq_rel", "release relaxed relaxed acquire", "fence.acq_rel.gpu fence.acq_rel.gpu"),
]


@pytest.mark.parametrize(("sem", "orders", "fences"), ORDERS)
def test_of_several_instructions_the_first_releases_and_the_last_acquires(
    sem, orders, fences, machine
):
    masked = text_of(machine, "cuda:90", "i32", "add", sem=sem)
    assert updates(masked) == ["atom.global.gpu.relaxed.add.u32"] * 4
    assert re.findall(r"fence[.\w]+", masked) == fences.split()
    plain = text_of(machine, "cuda:90", "i32", "cas", sem=sem)
    # cas has its order before its scope.
    assert updates(plain) == [f"atom.global.{order}.gpu.cas.b32" for order in orders.split()]
    assert "fence" not in plain


WIDTHS = [
    ("cuda:80", "fp16", ["atom.global.gpu.relaxed.add.noftz.f16x2"] * 4),
    ("cuda:80", "fp32", ["atom.global.gpu.relaxed.add.f32"] * 8),
    ("cuda:90", "fp16", ["atom.global.gpu.relaxed.add.noftz.v4.f16x2"]),
    ("cuda:90", "bf16", ["atom.global.gpu.relaxed.add.noftz.v4.bf16x2"]),
    ("cuda:90", "fp32", ["atom.global.gpu.relaxed.add.v4.f32"] * 2),
    ("cuda:90", "fp64", ["atom.global.gpu.relaxed.add.f64"] * 8),
    ("hip:gfx942", "fp16", ["global_atomic_pk_add_f16"] * 2),
    ("hip:gfx942", "bf16", ["global_atomic_pk_add_bf16"] * 2),
    ("hip:gfx942", "fp32", ["global_atomic_add_f32"] * 4),
    ("hip:gfx1201", "fp16", ["global_atomic_pk_add_f16"] * 4),
]


@pytest.mark.parametrize(("chip", "kind", "expected"), WIDTHS)
def test_widest_instruction(chip, kind, expected, machine):
    text = text_of(machine, chip, kind, "add", block=1024, sem="relaxed", used=False, n="i32:16")
    assert updates(text) == expected


REFUSED = """
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90",
    "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<KIND>, %x: KIND) {
    %old = tt.atomic_rmw OP, relaxed, gpu, %p, %x : (!tt.ptr<KIND>, KIND) -> KIND
    tt.return
  }
}
"""


@pytest.mark.parametrize(
    ("op", "kind", "accepted"),
    [
        ("add", "i16", "i32, i64"),
        ("fadd", "f8E5M2", "half, bfloat, float, double"),
        ("exch", "f16", "elements of 32 or 64 bits"),
    ],
)
def test_unsupported_element_types_are_rejected(op, kind, accepted):
    text = REFUSED.replace("OP", op).replace("KIND", kind)
    with pytest.raises(CodegenError, match=f"atomic {op} cannot be lowered") as caught:
        lower(parse_module(text))
    assert accepted in str(caught.value)


def test_8_bit_cas_is_rejected():
    text = REFUSED.replace(
        "tt.atomic_rmw OP, relaxed, gpu, %p, %x : (!tt.ptr<KIND>, KIND)",
        "tt.atomic_cas relaxed, gpu, %p, %x, %x : (!tt.ptr<i8>, i8, i8)",
    ).replace("KIND", "i8")
    with pytest.raises(CodegenError, match="atomic cas cannot be lowered"):
        lower(parse_module(text))
