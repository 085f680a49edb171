"""Specialization data: what one process compiled, preloaded by another."""

from __future__ import annotations

import enum
import json
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import knobs
from weft.errors import PreloadError


@weft.jit
def seven():
    return 7


@weft.jit
def eight():
    return 8


@weft.jit
def fill(x, n, scale, F: tl.constexpr, N: tl.constexpr, T: tl.constexpr, pair):
    tl.store(x + tl.arange(0, N), (F() + pair[0] + n).to(T) * scale)


@weft.jit
def other(x):
    pass


OPTIONS: dict[str, Any] = {"num_warps": 8, "extern_libs": {"mine": "a.bc"}}


@pytest.fixture
def texts():
    texts: list[str] = []
    with knobs.runtime.scope():
        knobs.runtime.jit_cache_hook = lambda **call: texts.append(
            call["compile"]["specialization_data"]
        )
        yield texts
    knobs.runtime.jit_cache_hook = None


def arguments(x: object, function: object = seven) -> tuple[object, ...]:
    return (x, 5, 0.5, function, 16, tl.float32, (1, tl.constexpr(2)))


def test_a_preloaded_kernel_is_launched(texts):
    x, kernel = np.zeros(16, np.float32), weft.jit(fill.fn)
    first = kernel[(1,)](*arguments(x), **OPTIONS)
    assert x[0] == (7 + 1 + 5) * 0.5
    again = weft.jit(fill.fn)
    loaded = again.preload(texts[0])
    assert loaded is not None
    assert loaded.hash == first.hash
    assert len(texts) == 2
    assert texts[1] == texts[0]
    assert again[(1,)](*arguments(x), **OPTIONS) is loaded
    assert len(texts) == 2
    assert again[(1,)](*arguments(x, eight), **OPTIONS) is not loaded
    assert x[0] == (8 + 1 + 5) * 0.5


def test_a_gpu(texts, monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    FakeCuda(monkeypatch)
    weft.jit(fill.fn)[(1,)](*arguments(Tensor()), num_warps=8)
    assert json.loads(texts[0])["target"] == {"backend": "cuda", "arch": 90, "warp_size": 32}
    again = weft.jit(fill.fn)
    loaded = again.preload(texts[0])
    assert loaded is not None
    assert loaded.metadata.num_warps == 8
    assert again[(1,)](*arguments(Tensor()), num_warps=8) is loaded


def test_data_that_does_not_fit(texts):
    weft.jit(fill.fn)[(1,)](*arguments(np.zeros(16, np.float32)))
    with pytest.raises(RuntimeError, match=r"Specialization data is for .*fill but trying to"):
        other.preload(texts[0])
    data = json.loads(texts[0])
    elsewhere = {**data, "target": {**data["target"], "backend": "mine"}}
    with pytest.raises(PreloadError, match=r"Specialization data is for {.backend.: .mine."):
        fill.preload(json.dumps(elsewhere))
    with pytest.raises(PreloadError, match="Unable to resolve JITFunction here:gone for preload"):
        fill.preload(texts[0].replace(f"{__name__}:seven", "here:gone"))
    with pytest.raises(PreloadError, match="not JSON"):
        fill.preload("{")
    for text in ("[]", json.dumps({"name": data["name"]})):
        with pytest.raises(PreloadError, match="the specialization data is incomplete"):
            fill.preload(text)
    opaque = {**data, "options": {"ptx_options": {"opaque": "<an object>"}}}
    with pytest.raises(PreloadError, match="a constant of the kernel cannot be preloaded"):
        fill.preload(json.dumps(opaque))


class Padding(enum.Enum):
    NONE = 0


@weft.jit
def fill_padded(x, PADDING: tl.constexpr):
    tl.store(x, 1 if PADDING is None else 2)


def test_a_constant_without_a_text(texts):
    fill_padded[(1,)](np.zeros(1, np.float32), Padding.NONE)
    with pytest.raises(PreloadError, match="cannot be preloaded") as error:
        weft.jit(fill_padded.fn).preload(texts[0])
    assert error.value.found == "<Padding.NONE: 0>"
