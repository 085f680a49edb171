"""Kernels that spill: how spills are counted, and which other compile options are tried."""

from __future__ import annotations

import re

import pytest

import weft
from tests.examples.loading import load
from weft.codegen import LlvmModule, Machine, lower
from weft.codegen.backend.spills import CompileRequest, Spills, spills_of
from weft.codegen.hardware import hardware_of
from weft.codegen.hardware.amd.spill_retries import UNIFORM
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
    ("code", "spills"),
    [
        (b"\t.private_segment_fixed_size: 92\n\t.sgpr_spill_count: 3\n", (92, 3)),
        (b"\x7fELF.private_segment_fixed_size\x5c.sgpr_spill_count\x03", (92, 3)),
        (b"\x7fELF.private_segment_fixed_size\xcc\xc8", (200, 0)),
        (b"\x7fELF.private_segment_fixed_size\xcd\x03\x00", (768, 0)),
        (b"\x7fELF.private_segment_fixed_size\xce\x00\x01\x00\x00", (65536, 0)),
        (b"\x7fELF.private_segment_fixed_size\xa1x", (0, 0)),
        (b".version 8.4\n", (0, 0)),
    ],
)
def test_spill_counts_in_assembly(code, spills):
    assert spills_of(code) == spills


def test_spill_counts_in_objects(machine):
    module = example("matmul_block_pointer", 0, "gfx1100")
    assert spills_of(machine.emit(module, "assembly")) == (0, 0)
    assert spills_of(machine.emit(module, "object")) == (0, 0)


def test_spilling_kernel_is_compiled_with_other_options(machine, monkeypatch):
    """The code that spills least is taken; after one that spills nothing, no other is tried."""
    tried = []

    def emitted(self, module, hardware, form, request):
        scratch = (64, 32, 0)[len(tried)]
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
    assert spills_of(machine.emit(module, "assembly")) == (0, 0)
    assert tried == [(True, False, ""), (False, False, UNIFORM), (False, True, UNIFORM)]


@pytest.mark.parametrize("form", ["assembly", "object"])
def test_retries_start_from_the_optimized_module(machine, form):
    """The order for more warps is said in what LLVM's pipeline left of this kernel's text."""
    module = example("attention", 1, "gfx1100")
    usual = machine._emit(module, hardware_of(module.target), form, CompileRequest(module.text))
    assert spills_of(usual).scratch > 200
    machine.emit(example("vector_add", 0, "gfx1100"), form)
    code = machine.emit(module, form)
    assert spills_of(code) == (0, 0)
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
    replies = iter([64, None, 8])

    def emitted(self, module, hardware, form, request):
        if (scratch := next(replies)) is None:
            raise CodegenError("LLVM aborted")
        return f"\t.private_segment_fixed_size: {scratch}\n".encode()

    monkeypatch.setattr(Machine, "_emit", emitted)
    module = LlvmModule(f"attributes {UNIFORM}", "k", target("hip:gfx1100"), Launch(4))
    assert spills_of(machine.emit(module, "assembly")) == (8, 0)
    assert next(replies, "none left") == "none left"


def test_default_compilation_must_succeed(machine):
    module = LlvmModule("not LLVM IR", "k", target("hip:gfx1100"), Launch(4))
    with pytest.raises(CodegenError, match="LLVM refuses k for"):
        machine.emit(module, "assembly")


def test_code_without_warp_uniform_values_is_not_recompiled():
    assert not [*hardware_of(target("hip:gfx942")).module_format.retries("ret void", Spills(0, 9))]


def test_spilled_sgprs_are_computed_per_lane():
    scalar = "  %t3 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %t2)\n"
    other = "  %v3 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v2)\n"
    requests = hardware_of(target("hip:gfx942")).module_format.retries(scalar + other, Spills(0, 9))
    assert [request.text for request in requests] == ["  %t3 = add i32 %t2, 0\n" + other]


def test_many_rows_do_not_spill_sgprs(machine):
    code = machine.emit(example("matmul_descriptor", 4, "gfx90a"), "assembly")
    assert spills_of(code) == (0, 0)


def test_ptx_is_not_retried():
    assert not [*hardware_of(target("cuda:90")).module_format.retries("", Spills(8, 8))]
