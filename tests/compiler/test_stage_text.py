"""The IR in `asm` has source locations for programs for Triton."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.compat.as_triton import as_triton
from weft.compiler.build import build
from weft.compiler.options import options_for
from weft.compiler.signature import Signature
from weft.ir.text import parse_module, print_module
from weft.targets import target


@weft.jit
def halved(x, N: tl.constexpr):
    places = tl.arange(0, N)
    value = tl.load(x + places)
    tl.store(x + places, value * 0.5)


SIGNATURE = "*fp32, 64"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))


def text_of(source: str, chip: str, stage: str) -> str:
    """Return the text of a stage, as one of the ways to compile gives it."""
    if source == "compile":
        return weft.compile(halved, signature=SIGNATURE, target=chip).asm[stage]
    if source == "build":
        chosen = target(chip)
        artifact = build(halved, Signature.of(halved, SIGNATURE), options_for(chosen, {}), chosen)
        return artifact.blobs[stage].decode()
    return weft.jit(halved.fn)[(1,)](np.ones(64, np.float32), N=64).asm[stage]


@pytest.mark.parametrize(
    ("source", "chip", "stage"),
    [
        ("compile", "cuda:90", "ttir"),
        ("compile", "hip:gfx942", "ttgir"),
        ("build", "cuda:90", "ttir"),
        ("build", "cuda:90", "ttgir"),
        ("launch", "cpu", "ttir"),
    ],
)
def test_programs_for_triton_get_locations(source, chip, stage):
    plain = text_of(source, chip, stage)
    assert "loc(" not in plain
    with as_triton():
        text = text_of(source, chip, stage)  # not the plain text of the cache
        again = text_of(source, chip, stage)
    assert text == again
    assert '"value"(#loc' in text
    assert 'test_stage_text.py":' in text
    assert print_module(parse_module(text), names=True) == plain
    assert text_of(source, chip, stage) == plain


def test_a_text_is_asked_for_without_locations():
    with as_triton():
        compiled = weft.compile(halved, signature=SIGNATURE, target="cuda:90")
        assert "loc(" not in compiled.text("ttir")
        assert "loc(" in compiled.text("ttir", locations=True)
