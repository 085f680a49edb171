"""`triton.compiler` as weft offers it."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import pytest

import weft
import weft.language as tl
from weft.compat.backends.compiler import GPUTarget
from weft.compat.compiler import (
    AsmDict,
    ASTSource,
    CompiledKernel,
    IRSource,
    compiled_kernel,
    make_backend,
    parse,
)
from weft.compat.compiler import compile as triton_compile
from weft.compat.runtime import driver
from weft.compiler.options import ALL_OPTIONS, UNSUPPORTED
from weft.errors import IgnoredOptionWarning, LaunchError, SignatureError, WeftError


@weft.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


def test_compile_takes_an_ast_source_and_a_gpu_target():
    source = ASTSource(
        copy, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 64}
    )
    from_source = triton_compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 2})
    plain = weft.compile(copy, signature="*fp32, *fp32, i32, 64", target="cuda:90", num_warps=2)
    assert from_source.asm["ttgir"] == plain.asm["ttgir"]
    on_device = triton_compile(source)
    assert isinstance(on_device, CompiledKernel)
    assert on_device.metadata.target.backend == "cpu", "the device of launches"


def test_compile_for_the_target_of_the_active_driver():
    source = ASTSource(copy, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 64})
    target = GPUTarget("hip", "gfx942", 64)
    driver.set_active(SimpleNamespace(get_current_target=lambda: target))  # pyright: ignore
    try:
        assert triton_compile(source).metadata.target == target
    finally:
        driver.reset_active()
    assert triton_compile(source).metadata.target == GPUTarget("cpu", "cpu", 1)


def test_compile_takes_a_kernel_and_a_signature():
    compiled = triton_compile(copy, target="cuda:90", signature="*fp32, *fp32, i32, 64")
    assert compiled.metadata.target == "cuda:90"


def test_an_ast_source_with_another_signature_is_an_error():
    source = ASTSource(copy, "*fp32, *fp32, i32, 64")
    with pytest.raises(SignatureError, match="an ASTSource has its own signature"):
        triton_compile(source, signature="*fp32, *fp32, i32, 64", target="cpu")


# A value of each option, of Triton's back ends and of weft, that is not its default.
VALUES: dict[str, object] = {
    "num_warps": 2, "num_ctas": 2, "num_stages": 5, "debug": True, "sanitize_overflow": False,
    "enable_fp_fusion": False, "launch_cooperative_grid": True, "maxnreg": 64, "launch_pdl": True,
    "waves_per_eu": 2, "matrix_instr_nonkdim": 16, "kpack": 2, "allow_flush_denorm": True,
    "schedule_hint": "attention", "use_async_copy": True, "use_block_pingpong": False,
    "use_in_thread_transpose": False, "use_buffer_ops": False, "use_buffer_atomics": False,
    "buffer_ops_analyze_small_tensor_range": True, "enable_reflect_ftz": False,
    "extern_libs": {"libdevice": "/no/such.bc"}, "ptx_options": "-O2", "ir_override": "x.ttir",
    "arch": "sm80", "allowed_dot_input_precisions": ("ieee",), "backend_name": "other",
    "default_dot_input_precision": "bf16x3", "deprecated_fp8_dot_operand_dtypes": ("fp8e5",),
    "instrumentation_mode": "consan", "max_num_imprecise_acc_default": 7, "ptx_version": 80,
    "supported_fp8_dtypes": ("fp8e5",), "warp_size": 16, "layouts": "optimal",
}  # fmt: skip


def outcome(target: GPUTarget, **options: object) -> str:
    """Compile a kernel; return its hash, or how the options are refused."""
    source = ASTSource(copy, "*fp32, *fp32, i32, 64")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IgnoredOptionWarning)
        try:
            compiled = triton_compile(source, target=target, options=options)
        except LaunchError as error:
            return f"error: {error.message}"
    reasons = [str(each.message) for each in caught]
    assert isinstance(compiled, CompiledKernel)
    return f"warning: {reasons}" if reasons else compiled.hash


def test_every_option_has_a_value():
    assert VALUES.keys() == {*ALL_OPTIONS, *UNSUPPORTED}


@pytest.mark.parametrize("target", [GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)])
@pytest.mark.parametrize("option", [*VALUES, "no_such_option"])
def test_an_option_changes_the_kernel_or_is_refused(option, target):
    value = VALUES.get(option, 1)
    if (option, target.backend) == ("arch", "hip"):
        value = "gfx950"
    assert outcome(target, **{option: value}) != outcome(target)


def test_unknown_options_warn():
    text = outcome(GPUTarget("cuda", 90, 32), num_warp=2)
    assert "num_warp=2 has no effect on cuda:90" in text
    assert "did you mean num_warps" in text
    text = outcome(GPUTarget("cuda", 90, 32), waves_per_eu=2)
    assert "waves_per_eu=2 has no effect on cuda:90: it is no option of cuda" in text


@pytest.mark.parametrize(
    "target",
    [GPUTarget("cuda", 80, 32), GPUTarget("cuda", 100, 32), GPUTarget("hip", "gfx942", 64)],
)
def test_the_options_that_a_back_end_returns_are_its_defaults(target):
    """Programs pass the dictionary of `parse_options` on to `compile`."""
    options = make_backend(target).parse_options({"num_warps": 2}).__dict__
    assert options["arch"] == ("gfx942" if target.backend == "hip" else f"sm{target.arch}")
    assert outcome(target, **options) == outcome(target, num_warps=2)


def test_another_architecture_compiles_for_it(monkeypatch):
    target = GPUTarget("cuda", 90, 32)
    for capability in (70, 75, 80):
        expected = outcome(GPUTarget("cuda", capability, 32))
        assert outcome(target, arch=f"sm{capability}") == expected
    monkeypatch.setenv("TRITON_OVERRIDE_ARCH", "sm100")
    assert outcome(target) == outcome(GPUTarget("cuda", 100, 32))
    assert make_backend(target).parse_options({}).arch == "sm100"


def test_environment_variables_are_part_of_hash_and_metadata():
    source = ASTSource(copy, "*fp32, *fp32, i32, 64")
    target = GPUTarget("cuda", 90, 32)
    kernels = [
        triton_compile(source, target=target, _env_vars=variables)
        for variables in (None, {"A": "1"}, {"A": "2"})
    ]
    assert len({kernel.hash for kernel in kernels}) == 3
    assert getattr(kernels[1].metadata, "A", None) == "1"


TTGIR = """
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32} {
  tt.func private @callee(%a: f32) { tt.return }
  tt.func public @empty(%x: !tt.ptr<f32>, %n: i32, %d: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}) {
    tt.return
  }
}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "empty.ttgir"
    path.write_text(TTGIR)
    return path


def test_a_file_of_ir(file):
    source = IRSource(str(file))
    assert source.name == "@empty"
    assert source.signature == {0: "*f32", 1: "i32", 2: "nvTmaDesc"}
    assert source.parse_options() == {"num_warps": 8, "num_ctas": 1}
    assert source.make_ir(None, None, None, None, None) is source.module
    assert str(parse(str(file), "ttgir", None)) == str(source.module)
    assert parse(str(file), "ptx", None) == TTGIR
    assert parse(str(file), "cubin", None) == TTGIR.encode()
    with pytest.raises(WeftError, match="no function f"):
        source.module.get_function("f")
    assert source.module.has_function("callee")


def test_ttgir_without_a_target_is_compiled_for_the_named_one(file):
    assert ".target sm_80" in triton_compile(str(file), target=GPUTarget("cuda", 80, 32)).asm["ptx"]


def test_sass_is_disassembled_on_request(monkeypatch):
    calls: list[bytes] = []
    monkeypatch.setattr(compiled_kernel, "get_sass", lambda cubin: calls.append(cubin) or "STG.E")
    outputs = AsmDict({"cubin": b"code"})
    assert outputs["sass"] == outputs["sass"] == "STG.E"
    assert calls == [b"code"]
    with pytest.raises(KeyError, match="Unknown key: 'hsaco'"):
        _ = outputs["hsaco"]
