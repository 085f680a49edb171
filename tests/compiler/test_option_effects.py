"""No option is silent: each changes the IR or the code of a kernel, or what a launch reads."""

from __future__ import annotations

import inspect

import pytest

import weft
import weft.language as tl
from weft.compiler.options import ALL_OPTIONS, options_for
from weft.compiler.signature import Signature
from weft.errors import LaunchError
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
def counted(x, y, n):
    """Atomic updates at offsets."""
    i = tl.arange(0, 128)
    tl.atomic_add(y + i, tl.load(x + i), mask=i < n)


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
}


def test_every_option_is_in_the_table():
    assert tuple(EFFECTS) == ALL_OPTIONS


@pytest.mark.parametrize("option", ALL_OPTIONS)
def test_an_option_has_an_effect(option):
    (kernel, signature), target, value, base = EFFECTS[option]
    constexprs = HINTS if kernel is product else {}
    default = output(kernel, signature, target, base, constexprs)
    assert output(kernel, signature, target, base | {option: value}, constexprs) != default


@pytest.mark.parametrize("option", ALL_OPTIONS)
def test_an_option_of_another_back_end_is_refused(option):
    target = EFFECTS[option][1]
    other = lookup("hip:gfx942" if target.startswith("cuda") else "cuda:90")
    shared = ("num_", "debug", "sanitize", "enable", "launch_coop")
    if option.startswith(shared):
        assert option in options_for(other, {}).as_dict()
        return
    with pytest.raises(LaunchError):
        options_for(other, {option: EFFECTS[option][2]})


# Attribute of tl.range: the kernel, the target, and the constexpr that sets it.
RANGE = {
    "num_stages": (PRODUCT, "cuda:90", {"STAGES": 4}),
    "loop_unroll_factor": (PRODUCT, "cuda:90", {"UNROLL": 2}),
    "disallow_acc_multi_buffer": (PRODUCT, "cuda:100", {"KEEP": True}),
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
    default = HINTS if kernel is product else {"FLATTEN": False}
    # LLVM's loop-invariant code motion reads the one that Triton's does not.
    stage = "llir" if attribute == "disable_licm" else "ttgir"
    texts = [
        weft.compile(kernel, signature=signature, constexprs=constexprs, target=target).asm[stage]
        for constexprs in (default, default | changed)
    ]
    assert texts[0] != texts[1]
