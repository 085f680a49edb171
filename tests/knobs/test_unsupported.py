"""Knobs and environment variables without effect warn; those that would change code are refused."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.knobs.settings import fill, settings
from tests.launch.fake_cuda import Tensor
from weft import knobs
from weft.compiler.options import options_for
from weft.errors import IgnoredOptionWarning, LaunchError
from weft.knobs.unsupported import REFUSED_VARIABLES
from weft.targets import target

IGNORED = [name for name, setting in settings().items() if setting.ignored]


@pytest.mark.parametrize("knob", IGNORED)
def test_a_knob_without_effect_warns(knob):
    group, _, name = knob.partition(".")
    knobs_of_group = getattr(knobs, group)
    with knobs_of_group.scope(), pytest.warns(IgnoredOptionWarning, match=f"{name} has no effect"):
        setattr(knobs_of_group, name, "x")


# Knob that is refused: a value, as an attribute and in the environment, and the target.
REFUSED: dict[str, tuple[object, str, str]] = {
    "amd.scalarize_packed_fops": (True, "1", "hip:gfx942"),
    "amd.swap_mir": ("/mir", "/mir", "hip:gfx942"),
    "compilation.enable_asan": (True, "1", "hip:gfx942"),
    "compilation.instrumentation_mode": ("consan", "fpsan", "cuda:90"),
    "nvidia.mock_ptx_version": ("8.0", "8.0", "cuda:90"),
}


def test_every_refused_knob_has_a_case():
    refused = {name for name, each in settings().items() if each.refused}
    assert refused == REFUSED.keys() | {"runtime.interpret"}


@pytest.mark.parametrize("knob", REFUSED)
def test_a_knob_that_would_change_the_code_is_refused(knob, monkeypatch):
    value, text, chip = REFUSED[knob]
    group, _, name = knob.partition(".")
    setting, options = settings()[knob], options_for(target(chip), {})
    message = f"Triton's knob {knob} is not supported"
    with getattr(knobs, group).scope():
        setattr(getattr(knobs, group), name, value)
        with pytest.raises(LaunchError, match=message) as caught:
            weft.compile(fill, signature="*fp32, i32, 32", target=chip)
        assert f"found: knobs.{knob} = {value!r}" in str(caught.value)
    monkeypatch.setenv(setting.key, text)
    with pytest.raises(LaunchError, match=message) as caught:
        options_for(target(chip), {})
    assert f"found: {setting.key}={text}" in str(caught.value)
    with getattr(knobs, group).scope():
        setattr(getattr(knobs, group), name, setting.default_value() or "")
        assert options_for(target(chip), {}) == options
    other = "cuda:90" if chip.startswith("hip") else "hip:gfx942"
    if group != "compilation":
        options_for(target(other), {})


@pytest.mark.parametrize("name", REFUSED_VARIABLES)
def test_a_variable_that_would_change_the_code_is_refused(name, monkeypatch):
    monkeypatch.setenv(name, "0")
    options_for(target("cuda:90"), {})
    monkeypatch.setenv(name, "1")
    options_for(target("cpu"), {})
    for chip in ("cuda:90", "hip:gfx942"):
        with pytest.raises(LaunchError, match=f"environment variable {name} is not supported"):
            options_for(target(chip), {})


def test_kernels_on_gpus_are_not_interpreted(gpu):
    with knobs.runtime.scope():
        knobs.runtime.interpret = True
        with pytest.raises(LaunchError, match=r"Triton's knob runtime\.interpret is not supported"):
            weft.jit(fill.fn)[(1,)](Tensor(), 32, BLOCK=32)
        x = np.zeros(32, np.float32)
        weft.jit(fill.fn)[(1,)](x, 32, BLOCK=32)
    assert x.all()


def test_a_refused_knob_is_noticed_after_a_launch(gpu):
    kernel, x = weft.jit(fill.fn), Tensor()
    kernel[(1,)](x, 32, BLOCK=32)
    with knobs.compilation.scope():
        knobs.compilation.instrumentation_mode = "consan"
        with pytest.raises(LaunchError, match="instrumentation_mode is not supported"):
            kernel[(1,)](x, 32, BLOCK=32)
    kernel[(1,)](x, 32, BLOCK=32)
    assert len(gpu.launches) == 2


def test_an_ignored_variable_warns_at_a_compilation(monkeypatch):
    monkeypatch.setenv("TRITON_STORE_BINARY_ONLY", "1")
    with pytest.warns(IgnoredOptionWarning, match="variable TRITON_STORE_BINARY_ONLY has no effec"):
        options_for(target("cuda:90"), {})
