"""No option is silent: each changes the IR or the code of a kernel, or what a launch reads."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

import weft
import weft.language as tl
from weft import knobs
from weft.codegen.backend.ptxas import ptxas_for
from weft.compiler.options import ALL_OPTIONS, options_for
from weft.compiler.signature import Signature
from weft.errors import CodegenError, LaunchError, OptionError, VerifyError
from weft.language.extra import libdevice
from weft.targets import target as lookup


@weft.jit
def product(
    a, b, c, n, BK: tl.constexpr, STAGES: tl.constexpr, UNROLL: tl.constexpr,
    KEEP: tl.constexpr, SPECIALIZE: tl.constexpr, UNHOISTED: tl.constexpr,
):  # fmt: skip
    """Multiply tiles; the offset of a row is computed in the loop and loop-invariant."""
    row, column = tl.arange(0, 128)[:, None], tl.arange(0, 128)[None, :]
    depth = tl.arange(0, BK)
    total = tl.zeros((128, 128), tl.float32)
    for k in tl.range(
        0, n, BK, num_stages=STAGES, loop_unroll_factor=UNROLL, disallow_acc_multi_buffer=KEEP,
        warp_specialize=SPECIALIZE, disable_licm=UNHOISTED,
    ):  # fmt: skip
        left = tl.load(a + row * (n * 3 + 1) + k + depth[None, :])
        right = tl.load(b + (k + depth[:, None]) * 128 + column)
        total = tl.dot(left, right, total)
    tl.store(c + row * 128 + column, total.to(tl.float16))


@weft.jit
def plain_product(a, b, c, n):
    """Multiply contiguous tiles."""
    row, column, depth = tl.arange(0, 128)[:, None], tl.arange(0, 128)[None, :], tl.arange(0, 64)
    total = tl.zeros((128, 128), tl.float32)
    for k in range(0, n, 64):
        left = tl.load(a + row * n + k + depth[None, :])
        right = tl.load(b + (k + depth[:, None]) * 128 + column)
        total = tl.dot(left, right, total)
    tl.store(c + row * 128 + column, total.to(tl.float16))


@weft.jit
def scaled(x, y, n, BLOCK: tl.constexpr):
    """An assertion, an addition that may overflow, and a multiplication before an addition."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.device_assert(value < 1000.0)
    tl.store(y + i, value * 3.0 + value, mask=i < n)


@weft.jit
def summed(x, y, n, FLATTEN: tl.constexpr):
    """A nest of two loops."""
    i = tl.arange(0, 128)
    for j in tl.range(0, n, flatten=FLATTEN):
        total = tl.zeros((128,), tl.float32)
        for k in range(n):
            total += tl.load(x + (j * n + k) * 128 + i)
        tl.store(y + j * 128 + i, total)


@weft.jit
def maximum_of_products(a, b, c, n, KEEP: tl.constexpr):
    """Compute the maximum of products, each of which starts from zero."""
    row, column, depth = tl.arange(0, 128)[:, None], tl.arange(0, 128)[None, :], tl.arange(0, 64)
    total = tl.zeros((128, 128), tl.float32)
    for k in tl.range(0, n, 64, disallow_acc_multi_buffer=KEEP):
        lhs = tl.load(a + row * n + k + depth[None, :])
        rhs = tl.load(b + (k + depth[:, None]) * 128 + column)
        total = tl.maximum(total, tl.dot(lhs, rhs))
    tl.store(c + row * 128 + column, total.to(tl.float16))


@weft.jit
def counted(x, y, n):
    """Atomic updates at offsets."""
    i = tl.arange(0, 128)
    tl.atomic_add(y + i, tl.load(x + i), mask=i < n)


@weft.jit
def root(x):
    """A square root, whose instruction may flush denormal numbers."""
    i = tl.arange(0, 128)
    tl.store(x + i, tl.sqrt(tl.load(x + i)))


@tl.core.extern
def tripled(x, _semantic=None):
    """Call a function of a library."""
    symbols = {(tl.float32,): ("triple_f32", tl.float32)}
    return tl.core.extern_elementwise("mine", "", [x], symbols, True, _semantic=_semantic)


@weft.jit
def library_caller(x):
    """Call functions of a library and of libdevice."""
    i = tl.arange(0, 128)
    tl.store(x + i, tripled(libdevice.cbrt(tl.load(x + i))))


ROOT = (root, "*fp32:16")
PRODUCT = (product, "*fp16:16, *fp16:16, *fp16:16, i32:16, 64, constexpr, constexpr, constexpr, "
           "constexpr, constexpr")  # fmt: skip
HINTS = {"STAGES": None, "UNROLL": None, "KEEP": False, "SPECIALIZE": False, "UNHOISTED": False}
SCALED = (scaled, "*fp32:16, *fp32:16, i32, 1024")
COUNTED = (counted, "*fp32:16, *fp32:16, i32:16")


def output(kernel, signature, target, options, constexprs) -> tuple[str, str, dict[str, object]]:
    """Compile a kernel to TTGIR, LLVM IR and what a launch reads."""
    compiled = weft.compile(
        kernel, signature=signature, constexprs=constexprs or None, target=target, **options
    )
    # The driver of CUDA reads these options of a compiled kernel when it launches it.
    launch = {
        name: getattr(compiled.metadata.options, name)
        for name in ("num_ctas", "launch_pdl", "launch_cooperative_grid")
    }
    return compiled.asm["ttgir"], compiled.asm["llir"], launch


PLAIN = (plain_product, "*fp16:16, *fp16:16, *fp16:16, i32:16")
WITHIN_2_GIB = {(0,): [("tt.pointer_range", 32)], (1,): [("tt.pointer_range", 32)]}
SMALL = (scaled, Signature.of(scaled, "*fp32, *fp32, i32, 1024", None, WITHIN_2_GIB))  # pyright: ignore[reportArgumentType]

# Option: the kernel, the target, the value, and other options that it needs.
EFFECTS = {
    "num_warps": (PRODUCT, "cuda:90", 8, {}),
    "num_ctas": (PRODUCT, "cuda:90", 2, {}),
    "num_stages": (PRODUCT, "cuda:90", 2, {}),
    "layouts": (SCALED, "cuda:90", "optimal", {}),
    "debug": (SCALED, "cuda:90", True, {}),
    "sanitize_overflow": (SCALED, "cuda:90", False, {"debug": True}),
    "enable_fp_fusion": (SCALED, "cuda:90", False, {}),
    "launch_cooperative_grid": (SCALED, "cuda:90", True, {}),
    "maxnreg": (SCALED, "cuda:90", 64, {}),
    "launch_pdl": (SCALED, "cuda:90", True, {}),
    "waves_per_eu": (SCALED, "hip:gfx942", 2, {}),
    "matrix_instr_nonkdim": (PRODUCT, "hip:gfx942", 16, {}),
    "kpack": (PRODUCT, "hip:gfx942", 2, {}),
    "allow_flush_denorm": (SCALED, "hip:gfx942", True, {}),
    "schedule_hint": (PRODUCT, "hip:gfx942", "memory-bound-attention", {}),
    "use_async_copy": (PRODUCT, "hip:gfx950", True, {}),
    "use_block_pingpong": (PLAIN, "hip:gfx942", False, {}),
    "use_in_thread_transpose": (PRODUCT, "hip:gfx942", False, {}),
    "use_buffer_ops": (COUNTED, "hip:gfx942", False, {}),
    "use_buffer_atomics": (COUNTED, "hip:gfx942", False, {}),
    "buffer_ops_analyze_small_tensor_range": (SMALL, "hip:gfx942", True, {}),
    "enable_reflect_ftz": (ROOT, "cuda:90", False, {}),
    "arch": (SCALED, "cuda:90", "sm80", {}),
}
# Options with a separate test: files, and arguments of ptxas.
WITH_TESTS = {
    "extern_libs": "test_a_library_of_the_options",
    "ptx_options": "test_arguments_of_ptxas",
    "ir_override": "test_a_file_in_place_of_a_stage",
}


def test_every_option_is_in_the_table():
    assert EFFECTS.keys() | WITH_TESTS.keys() == set(ALL_OPTIONS)
    assert all(name in globals() for name in WITH_TESTS.values())


@pytest.mark.parametrize("option", EFFECTS)
def test_an_option_has_an_effect(option):
    (kernel, signature), target, value, base = EFFECTS[option]
    constexprs = HINTS if kernel is product else {}
    default = output(kernel, signature, target, base, constexprs)
    assert output(kernel, signature, target, base | {option: value}, constexprs) != default


@pytest.mark.parametrize("option", EFFECTS)
def test_an_option_of_another_back_end_is_refused(option):
    target = EFFECTS[option][1]
    other = lookup("hip:gfx942" if target.startswith("cuda") else "cuda:90")
    shared = ("num_", "layouts", "debug", "sanitize", "enable_fp", "launch_coop", "arch")
    if option.startswith(shared):
        assert option in options_for(other, {}).as_dict()
        return
    with pytest.raises(LaunchError):
        options_for(other, {option: EFFECTS[option][2]})


MAXIMUM = (maximum_of_products, "*fp16:16, *fp16:16, *fp16:16, i32:16, constexpr")
# Attribute of tl.range: the kernel, the target, and the constexpr that sets it.
RANGE = {
    "num_stages": (PRODUCT, "cuda:90", {"STAGES": 4}),
    "loop_unroll_factor": (PRODUCT, "cuda:90", {"UNROLL": 2}),
    "disallow_acc_multi_buffer": (MAXIMUM, "cuda:100", {"KEEP": True}),
    "flatten": ((summed, "*fp32:16, *fp32:16, i32:16, constexpr"), "cuda:90", {"FLATTEN": True}),
    "warp_specialize": (PRODUCT, "cuda:100", {"SPECIALIZE": True}),
    "disable_licm": (PRODUCT, "cuda:90", {"UNHOISTED": True}),
}


def test_every_attribute_of_range_is_in_the_table():
    hints = list(inspect.signature(tl.range).parameters)[3:]
    assert hints == list(RANGE)


@pytest.mark.parametrize("attribute", RANGE)
def test_an_attribute_of_range_has_an_effect(attribute):
    (kernel, signature), target, changed = RANGE[attribute]
    default = HINTS if kernel is product else dict.fromkeys(changed, False)
    # LLVM's loop-invariant code motion reads the one that Triton's does not.
    stage = "llir" if attribute == "disable_licm" else "ttgir"
    texts = [
        weft.compile(kernel, signature=signature, constexprs=constexprs, target=target).asm[stage]
        for constexprs in (default, default | changed)
    ]
    # An attribute that stays on the loop is no effect.
    texts = [re.sub(r"} \{.*tt\..*}", "}", text) for text in texts]
    assert texts[0] != texts[1]


def library(path: Path, symbol: str, factor: str) -> str:
    """Write a bitcode library with a function that multiplies by a number."""
    text = f"define float @{symbol}(float %x) {{ %y = fmul float %x, {factor}\n ret float %y }}"
    path.write_bytes(llvm.parse_assembly(text, llvm.create_context()).as_bitcode())
    return str(path)


def test_a_library_of_the_options(tmp_path):
    """A library of any name defines the function, one of its name first; also for libdevice."""
    mine = library(tmp_path / "mine.bc", "triple_f32", "3.0")
    other = library(tmp_path / "other.bc", "triple_f32", "5.0")
    roots = library(tmp_path / "roots.bc", "__nv_cbrtf", "7.0")

    def ptx(**options: Any) -> str:
        compiled = weft.compile(library_caller, signature="*fp32:16", target="cuda:90", **options)
        return compiled.asm["ptx"]

    with pytest.raises(CodegenError, match="no known library defines triple_f32"):
        ptx()
    assert "0f40400000" in ptx(extern_libs={"mine": mine})
    assert "0f40A00000" in ptx(extern_libs={"any": other})
    assert "0f40400000" in ptx(extern_libs=(("any", other), ("mine", mine)))
    assert "0f40E00000" not in ptx(extern_libs={"mine": mine})
    with_libdevice = {"mine": mine, "libdevice": roots}
    assert "0f40E00000" in ptx(extern_libs=with_libdevice)
    with knobs.nvidia.scope():
        knobs.nvidia.libdevice_path = roots
        assert "0f40E00000" in ptx(extern_libs={"mine": mine})
    with pytest.raises(CodegenError, match="the library of triple_f32 does not exist"):
        ptx(extern_libs={"mine": "/no/such.bc"})
    with pytest.raises(OptionError, match="extern_libs is out of range"):
        ptx(extern_libs="libmine.bc")


def test_arguments_of_ptxas():
    if ptxas_for("sm_90a") is None:
        pytest.skip("no ptxas")
    kernel, signature = SCALED

    def cubin(**options: Any) -> bytes:
        return weft.compile(kernel, signature=signature, target="cuda:90", **options).asm["cubin"]

    default = cubin()
    assert cubin(ptx_options="--opt-level 0") != default
    with knobs.nvidia.scope():
        knobs.nvidia.ptxas_options = "--opt-level 0"
        assert cubin() != default
        assert cubin(ptx_options="--opt-level 3") != cubin()
    with pytest.raises(CodegenError, match="ptxas refuses"):
        cubin(ptx_options="--no-such-option")


@pytest.mark.parametrize("stage", ["ttir", "ttgir", "llir", "ptx"])
def test_a_file_in_place_of_a_stage(stage, tmp_path):
    """The stages after the file compile what is in it."""
    kernel, signature = ROOT
    changes = {
        "ttir": ("math.sqrt", "math.absf"), "ttgir": ("math.sqrt", "math.absf"),
        "llir": ("sqrt.approx.ftz", "rsqrt.approx.ftz"), "ptx": ("sqrt.approx.ftz", "abs"),
    }  # fmt: skip
    plain = weft.compile(kernel, signature=signature, target="cuda:90")
    file = tmp_path / f"changed.{stage}"
    file.write_text(plain.asm[stage].replace(*changes[stage]))
    changed = weft.compile(kernel, signature=signature, target="cuda:90", ir_override=str(file))
    assert changes[stage][1] in changed.asm[stage]
    assert changed.asm["ptx"] != plain.asm["ptx"]
    before = [each for each in ("ttir", "ttgir", "llir") if each in plain.asm and each != stage]
    if stage != "ttir":
        assert changed.asm[before[0]] == plain.asm[before[0]]


def test_a_file_in_place_of_a_stage_is_checked(tmp_path):
    kernel, signature = ROOT
    compiled = weft.compile(kernel, signature=signature, target="cuda:90")
    for name, text, error, message in (
        ("missing.ttir", None, OptionError, "cannot read the file of ir_override"),
        ("wrong.cubin", "", OptionError, "ir_override is out of range"),
        ("wrong.amdgcn", "", OptionError, "cuda:90 has no such stage as the file of ir_override"),
        ("wrong.ttgir", compiled.asm["ttgir"].replace('"ttg.num-warps" = 4', '"ttg.num-warps" = 8'),
         VerifyError, "warps"),
    ):  # fmt: skip
        file = tmp_path / name
        if text is not None:
            file.write_text(text)
        with pytest.raises(error, match=message):
            weft.compile(kernel, signature=signature, target="cuda:90", ir_override=str(file))


@pytest.mark.parametrize("target", ["cuda:90", "cpu"])
def test_the_cpu_device_runs_a_file(target, tmp_path):
    kernel, signature = ROOT
    plain = weft.compile(kernel, signature=signature, target=target)
    stage = "ttir" if target == "cpu" else "ttgir"
    file = tmp_path / f"changed.{stage}"
    file.write_text(plain.asm[stage].replace("math.sqrt", "math.absf"))
    x = np.full(128, -4, np.float32)
    compiled = kernel[(1,)](x, ir_override=str(file))
    assert (x == 4).all()
    assert "math.absf" in compiled.asm[stage]
    with pytest.raises(OptionError, match="has no such stage as the file of ir_override"):
        kernel[(1,)](x, ir_override=str(tmp_path / "no.ptx"))


def test_another_architecture_is_of_the_back_end():
    kernel, signature = SCALED
    compiled = weft.compile(kernel, signature=signature, target="hip:gfx942", arch="gfx1201")
    assert '"hip:gfx1201"' in compiled.asm["ttgir"]
    with pytest.raises(OptionError, match="TRITON_OVERRIDE_ARCH must have the form"):
        weft.compile(kernel, signature=signature, target="cuda:90", arch="gfx942")
