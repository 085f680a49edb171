"""No keyword of `weft.jit` and no option of a launch is silent."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import knobs
from weft.compiler.options import ALL_OPTIONS, UNSUPPORTED, options_for
from weft.errors import IgnoredOptionWarning, LaunchError
from weft.kernel.jit import JITFunction
from weft.targets import target


def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(n < 1000)
    tl.store(x + i, 1.0, mask=i < n)


def increment(value):
    return value + 1.0


def signatures(**keywords: Any) -> list[object]:
    """List the signatures that launches with two arrays and numbers specialize."""
    kernel = weft.jit(fill, **keywords) if not keywords else weft.jit(**keywords)(fill)
    for n in (16, 17):
        kernel[(1,)](np.zeros(32, np.float32), n, BLOCK=32)
    return [key[0] for key in kernel.cache]


def ttir(**keywords: Any) -> str:
    """Get the TTIR of a launch."""
    kernel = weft.jit(**keywords)(fill)
    return kernel[(1,)](np.zeros(32, np.float32), 16, BLOCK=32).asm["ttir"]


def ttir_of_caller(**keywords: Any) -> str:
    """Get the TTIR of a kernel that calls another function."""
    callee = weft.jit(**keywords)(increment)

    @weft.jit
    def caller(x):
        tl.store(x, callee(tl.load(x)))

    return caller[(1,)](np.zeros(1, np.float32)).asm["ttir"]


def hook_metadata(**keywords: Any) -> set[str]:
    """List the keys of what a launch hook gets."""
    keys: set[str] = set()
    knobs.runtime.launch_enter_hook.add(hook := lambda metadata: keys.update(metadata.get()))
    try:
        ttir(**keywords)
    finally:
        knobs.runtime.launch_enter_hook.remove(hook)
    return keys


def warnings_of(**keywords: Any) -> list[str]:
    """List the warnings of a decoration."""
    if not keywords:
        return []
    with pytest.warns(IgnoredOptionWarning) as caught:
        weft.jit(**keywords)(fill)
    return [str(each.message) for each in caught]


# Keyword: a function that observes its effect, and a value.
JIT: dict[str, tuple[Callable[..., object], object]] = {
    "version": (warnings_of, 2),
    "do_not_specialize": (signatures, ["n"]),
    "do_not_specialize_on_alignment": (signatures, ["n"]),
    "debug": (ttir, True),
    "noinline": (ttir_of_caller, True),
    "repr": (ttir, lambda specialization: "fill_by_name"),
    "launch_metadata": (hook_metadata, lambda grid, metadata, args: {"flops": 1}),
}


def test_every_keyword_of_jit_is_in_the_table():
    assert list(inspect.signature(JITFunction.__init__).parameters)[2:] == list(JIT)


@pytest.mark.parametrize("keyword", JIT)
def test_a_keyword_of_jit_has_an_effect_or_warns(keyword):
    observe, value = JIT[keyword]
    assert observe(**{keyword: value}) != observe()


class _TritonJITFunction:
    """A class of the name and module of Triton's."""

    def __init__(self, fn: FunctionType, name: str, value: object) -> None:
        self.fn = fn
        setattr(self, name, value)


_TritonJITFunction.__module__ = "triton.runtime.jit"
# Attribute of Triton's kernels, for those that have another name.
_TRITON_NAMES = {"repr": "_repr"}


@pytest.mark.parametrize("keyword", [name for name in JIT if name not in ("version", "noinline")])
def test_a_keyword_of_tritons_jit_has_its_effect(keyword: str, monkeypatch):
    observe, value = JIT[keyword]
    plain = observe()
    # What was read of a function of Triton is kept, so each case needs another function.
    kernel = FunctionType(fill.__code__, fill.__globals__, fill.__name__)
    kernel.__annotations__ = fill.__annotations__
    triton_kernel = _TritonJITFunction(kernel, _TRITON_NAMES.get(keyword, keyword), value)
    decorate = weft.jit
    monkeypatch.setattr(weft, "jit", lambda *args, **kwargs: lambda fn: decorate(triton_kernel))
    assert observe(**{keyword: value}) != plain


def launch(**options: Any) -> object:
    """Launch a kernel on the CPU device."""
    return weft.jit(fill)[(1,)](np.zeros(32, np.float32), 17, BLOCK=32, **options)


@pytest.mark.parametrize("option", UNSUPPORTED)
def test_an_option_that_only_triton_has_is_refused(option):
    text = f"Triton's compile option {option} is not supported"
    with pytest.raises(LaunchError, match=f"fill: {text}") as caught:
        launch(**{option: None})
    assert UNSUPPORTED[option] in str(caught.value)
    with pytest.raises(LaunchError, match=text):
        options_for(target("cuda:90"), {option: None})


@pytest.mark.oracle
def test_every_option_of_triton_is_taken_or_refused():
    from triton.backends.amd.compiler import HIPOptions
    from triton.backends.nvidia.compiler import CUDAOptions

    names = {field.name for options in (CUDAOptions, HIPOptions) for field in fields(options)}
    assert names - set(ALL_OPTIONS) == set(UNSUPPORTED)
    assert not set(ALL_OPTIONS) & set(UNSUPPORTED)


@pytest.mark.oracle
@pytest.mark.parametrize("function", ["jit", "autotune", "Config", "heuristics"])
def test_the_keywords_are_tritons(function):
    import triton

    ours = JITFunction if function == "jit" else getattr(weft, function)
    theirs = triton.JITFunction if function == "jit" else getattr(triton, function)
    names = [list(inspect.signature(each).parameters) for each in (ours, theirs)]
    assert names[0] == names[1]


def test_a_stream_is_no_keyword_of_a_launch():
    with pytest.raises(LaunchError, match="Keyword argument stream was specified but unrec"):
        launch(stream=1)


# Option, chips on which it has no effect, a value, the value in its place, the reason.
IGNORED = [
    ("kpack", ("gfx950",), 2, 1, "one MFMA instruction already reads 16 bytes per lane"),
    ("kpack", ("gfx1100", "gfx1201", "gfx1250"), 2, 1, "the chip has none"),
    ("matrix_instr_nonkdim", ("gfx1100", "gfx1201", "gfx1250"), 16, 0, "the chip has none"),
    ("launch_pdl", ("80", "86", "89"), True, False, "needs compute capability 90"),
]
CASES = [
    (f"{'hip' if chip.startswith('gfx') else 'cuda'}:{chip}", option, *case)
    for option, chips, *case in IGNORED
    for chip in chips
]


@pytest.mark.parametrize(("name", "option", "value", "fallback", "reason"), CASES)
def test_an_option_without_effect_on_a_chip_warns(name, option, value, fallback, reason):
    chip = target(name)
    with pytest.warns(IgnoredOptionWarning, match=reason) as caught:
        options = options_for(chip, {option: value})
    assert f"{option}={value!r} has no effect on {name}" in str(caught[0].message)
    assert len(caught) == 1
    assert getattr(options, option) == fallback
    assert options_for(chip, {option: fallback}) == options_for(chip, {})


def test_a_launch_passes_its_options_to_the_driver(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    gpu = FakeCuda(monkeypatch)
    for options in ({}, {"launch_pdl": True}, {"launch_cooperative_grid": True}, {"num_ctas": 2}):
        weft.jit(fill)[(1,)](Tensor(), 17, BLOCK=32, **options)
    assert len({str(each.attributes) for each in gpu.launches}) == 4
