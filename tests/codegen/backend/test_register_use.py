"""Registers of AMD kernels: how they are counted, and which other compile options are tried."""

from __future__ import annotations

import re
from typing import Any

import pytest

import weft
from tests.examples.loading import load
from weft.codegen import LlvmModule, Machine, lower
from weft.codegen.backend.register_use import CompileRequest, RegisterUse, register_use
from weft.codegen.hardware import hardware_of
from weft.codegen.hardware.amd.register_retries import UNIFORM, cost
from weft.codegen.llvm.module import Launch
from weft.errors import CodegenError
from weft.kernel.files import load_cases
from weft.targets import target


@pytest.fixture(scope="module")
def machine():
    worker = Machine()
    yield worker
    worker.close()


def example(name: str, number: int, chip: str) -> LlvmModule:
    case = load_cases(load(name))[number]
    compiled = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=f"hip:{chip}",
        **case.options | {"num_stages": 1},  # these kernels fit into the registers without stages  # pyright: ignore[reportOperatorIssue]
    )
    return lower(compiled.module("ttgir"))


@pytest.mark.parametrize(
    ("code", "use"),
    [
        (b"\t.private_segment_fixed_size: 92\n\t.sgpr_spill_count: 3\n", (92, 3, 0)),
        (b"\t.vgpr_count:     76\n\t.vgpr_spill_count: 2\n", (0, 0, 76)),
        (b"\x7fELF.private_segment_fixed_size\x5c.sgpr_spill_count\x03", (92, 3, 0)),
        (b"\x7fELF.private_segment_fixed_size\xcc\xc8.vgpr_count\x40", (200, 0, 64)),
        (b"\x7fELF.private_segment_fixed_size\xcd\x03\x00", (768, 0, 0)),
        (b"\x7fELF.private_segment_fixed_size\xce\x00\x01\x00\x00", (65536, 0, 0)),
        (b"\x7fELF.private_segment_fixed_size\xa1x", (0, 0, 0)),
        (b".version 8.4\n", (0, 0, 0)),
    ],
)
def test_registers_in_metadata(code, use):
    assert register_use(code) == use


def test_objects_have_the_counts_of_assembly(machine):
    module = example("matmul_block_pointer", 0, "gfx1100")
    use = register_use(machine.emit(module, "assembly"))
    assert use.vectors > 0
    assert not use.spills
    assert register_use(machine.emit(module, "object")) == use


def test_spilling_kernel_is_compiled_with_other_options(machine, monkeypatch):
    """The code that spills least is taken; after one that spills nothing, no other is tried."""
    tried = []

    def emitted(self, module, hardware, form, request):
        scratch = (64, 32, 16, 0)[len(tried)]
        tried.append(
            (
                request.text is not None,
                "loop_strength_reduce" in request.passes,
                request.replacement[0],
            )
        )
        return f"\t.private_segment_fixed_size: {scratch}\n".encode()

    monkeypatch.setattr(Machine, "_emit", emitted)
    module = LlvmModule(f"attributes {UNIFORM}", "k", target("hip:gfx1100"), Launch(4))
    assert not register_use(machine.emit(module, "assembly")).spills
    again = (False, False, UNIFORM)
    assert tried == [(True, False, ""), again, (False, True, UNIFORM), again]


@pytest.mark.parametrize("form", ["assembly", "object"])
def test_retries_start_from_the_optimized_module(machine, form):
    """The order for more warps is said in what LLVM's pipeline left of this kernel's text."""
    module = example("attention", 1, "gfx1100")
    usual = machine._emit(module, hardware_of(module.target), form, CompileRequest(module.text))
    assert register_use(usual).scratch
    machine.emit(example("vector_add", 0, "gfx1100"), form)
    code = machine.emit(module, form)
    assert not register_use(code).spills
    if form == "assembly":  # Triton's has 3388 instructions, and 60 bytes of scratch memory
        assert len(re.findall(rb"^\s+[vsdgb]\w*_", code, re.MULTILINE)) < 3388


def test_retry_without_a_cached_module():
    worker = Machine()
    module = LlvmModule("", "k", target("hip:gfx1100"), Launch(4))
    with pytest.raises(CodegenError, match="LLVM refuses k") as caught:
        worker._emit(module, hardware_of(module.target), "assembly", CompileRequest())
    worker.close()
    assert "no optimized module to start from" in str(caught.value)


def test_failing_retry_is_skipped(machine, monkeypatch):
    """The code of the default options is kept; a later attempt may still be better."""
    replies = iter([64, None, 8, 8])

    def emitted(self, module, hardware, form, request):
        if (scratch := next(replies)) is None:
            raise CodegenError("LLVM aborted")
        return f"\t.private_segment_fixed_size: {scratch}\n".encode()

    monkeypatch.setattr(Machine, "_emit", emitted)
    module = LlvmModule(f"attributes {UNIFORM}", "k", target("hip:gfx1100"), Launch(4))
    assert register_use(machine.emit(module, "assembly")).scratch == 8
    assert next(replies, "none left") == "none left"


@pytest.mark.parametrize(("scratch", "count"), [(128, 3), (132, 2)])
def test_a_schedule_for_few_registers_is_tried_if_few_spill(scratch, count):
    assert len(requests("", (scratch, 0, 256))) == count


def test_default_compilation_must_succeed(machine):
    module = LlvmModule("not LLVM IR", "k", target("hip:gfx1100"), Launch(4))
    with pytest.raises(CodegenError, match="LLVM refuses k for"):
        machine.emit(module, "assembly")


def requests(text: str, use: tuple[int, int, int], **facts: Any) -> list[CompileRequest]:
    """List the other ways to compile a module for gfx942."""
    module = LlvmModule(text, "k", target("hip:gfx942"), Launch(4), **facts)
    return [*hardware_of(module.target).module_format.retries(module, RegisterUse(*use))]


def test_code_without_warp_uniform_values_is_not_recompiled():
    assert not requests("ret void", (0, 9, 0))


def test_spilled_sgprs_are_computed_per_lane():
    scalar = "  %t3 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %t2)\n"
    other = "  %v3 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v2)\n"
    texts = [request.text for request in requests(scalar + other, (0, 9, 0))]
    assert texts == ["  %t3 = add i32 %t2, 0\n" + other]


@pytest.mark.parametrize(
    ("vectors", "shared_bytes", "warps"),
    [
        (64, 0, 0),  # 8 warps, the most
        (65, 0, 8),
        (76, 0, 7),
        (82, 0, 6),
        (128, 0, 0),  # 4 warps; 96 registers would be 32 less
        (144, 0, 4),
        (145, 0, 0),
        (144, 16384, 4),  # 4 blocks of one warp on each of 4 SIMDs
        (144, 20000, 0),  # shared memory for 3 blocks
    ],
)
def test_a_small_excess_of_registers_is_scheduled_for_one_more_warp(vectors, shared_bytes, warps):
    occupancies = [
        re.findall(r'"amdgpu-waves-per-eu"="(\d+)"', request.replacement[1])
        for request in requests("", (0, 0, vectors), shared_bytes=shared_bytes)
    ]
    assert occupancies == ([[str(warps)], [str(warps)], []] if warps else [])


@pytest.mark.parametrize(
    ("chip", "shared_bytes", "warps"),
    [
        ("gfx1100", 20480, 6),
        ("gfx1100", 40960, 3),  # 3 CTAs in the 128 KiB of a work-group processor
        ("gfx1201", 65536, 2),
        ("gfx1250", 65536, 5),
        ("gfx942", 65536, 1),
    ],
)
def test_shared_memory_limits_warps(chip, shared_bytes, warps):
    """As LLVM's "; Occupancy:" says it of a kernel of four warps with so much LDS."""
    module = LlvmModule("", "k", target(f"hip:{chip}"), Launch(4), shared_bytes=shared_bytes)
    assert cost(module, RegisterUse(0, 0, 16)) == (0, -warps, 0)


@pytest.mark.parametrize(
    "launch", [Launch(4, waves_per_eu=2), Launch(4, schedule_strategy="iterative-ilp")]
)
def test_an_occupancy_or_schedule_of_the_author_is_kept(launch):
    module = LlvmModule("", "k", target("hip:gfx942"), launch)
    retries = hardware_of(module.target).module_format.retries
    assert not [*retries(module, RegisterUse(0, 0, 76))]


def test_one_more_warp(machine):
    """LLVM's default schedule has 76 registers, with which 6 warps fit."""
    module = example("matmul_descriptor", 1, "gfx942")
    usual = machine._emit(
        module, hardware_of(module.target), "assembly", CompileRequest(module.text)
    )
    assert register_use(usual).vectors > 72
    use = register_use(machine.emit(module, "assembly"))
    assert use.vectors <= 72
    assert not use.spills


def test_one_more_warp_with_fewer_addresses(machine):
    """16 addresses of rows are live across the loop: 98 registers, with any schedule."""
    module = example("layer_norm_backward", 4, "gfx1250")
    assert register_use(machine.emit(module, "assembly")).vectors <= 80


def test_code_with_fewer_warps_is_not_taken(machine, monkeypatch):
    """Scalars that all lanes compute do not spill, but take vector registers from another warp."""
    replies = iter([(61, 99), (0, 164)])

    def emitted(self, module, hardware, form, request):
        scalars, vectors = next(replies)
        return f"\t.sgpr_spill_count: {scalars}\n\t.vgpr_count: {vectors}\n".encode()

    monkeypatch.setattr(Machine, "_emit", emitted)
    text = "  %t3 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %t2)\n"
    roomy = LlvmModule(text, "k", target("hip:gfx942"), Launch(8), 16384)
    assert register_use(machine.emit(roomy, "assembly")) == (0, 61, 99)
    replies = iter([(61, 99), (0, 164)])
    full = LlvmModule(text, "k", target("hip:gfx942"), Launch(8), 65536)
    assert register_use(machine.emit(full, "assembly")) == (0, 0, 164)


def test_ptx_is_not_retried():
    module = LlvmModule("", "k", target("cuda:90"), Launch(4))
    assert not [*hardware_of(module.target).module_format.retries(module, RegisterUse(8, 8, 8))]
