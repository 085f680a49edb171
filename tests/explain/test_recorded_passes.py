from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.errors import WeftError
from weft.explain.recorded_passes import record_passes
from weft.ir.text import print_module


@weft.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x * 2.0, mask=offsets < n)


SIGNATURE = "*fp32:16, i32:16, 1024"


@pytest.mark.parametrize("target", ["cuda:90", "hip:gfx942"])
def test_the_module_is_the_compiled_one(target):
    recording = record_passes(scale, target, signature=SIGNATURE)
    compiled = weft.compile(scale, target=target, signature=SIGNATURE)
    assert print_module(recording.module) == print_module(compiled.module("ttgir"))
    assert {each.stage for each in recording.decisions} >= {"tritongpu-coalesce"}


def test_each_pass_is_observed():
    texts: list[tuple[str, str]] = []

    def observe(pass_, module):
        texts.append(("" if pass_ is None else pass_.name, print_module(module)))

    recording = record_passes(scale, "cuda:90", signature=SIGNATURE, observe=observe)
    names = [name for name, _ in texts]
    source = weft.compile(scale, target="cuda:90", signature=SIGNATURE, stop_after="source")
    assert texts[0] == ("", print_module(source.module("source")))
    assert names.index("triton-combine") < names.index("convert-triton-to-tritongpu")
    assert names.index("convert-triton-to-tritongpu") < names.index("tritongpu-coalesce")
    assert texts[-1][1] == print_module(recording.module)


def test_a_file_of_ttir_starts_after_its_stage(tmp_path):
    ttir = weft.compile(scale, target="cuda:90", signature=SIGNATURE, stop_after="ttir")
    path = tmp_path / "scale.ttir"
    path.write_text(print_module(ttir.module("ttir"), locations=True))
    names: list[str] = []

    def observe(pass_, module):
        names.append("" if pass_ is None else pass_.name)

    recording = record_passes(path, "cuda:90", observe=observe)
    assert names[:2] == ["", "convert-triton-to-tritongpu"]
    compiled = weft.compile(scale, target="cuda:90", signature=SIGNATURE)
    assert print_module(recording.module) == print_module(compiled.module("ttgir"))


def test_a_stage_without_layouts_is_refused():
    with pytest.raises(WeftError, match="there are no layouts yet"):
        record_passes(scale, "cuda:90", signature=SIGNATURE, stop_after="ttir")
