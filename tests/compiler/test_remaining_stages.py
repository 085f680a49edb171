"""The stages that an input module has not passed yet."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.compiler.options import options_for
from weft.compiler.remaining_stages import check_target, find_stage, remaining_passes
from weft.errors import PassError, WeftError
from weft.ir.text import parse_module
from weft.pipelines import stages
from weft.targets import target

CHIP = target("cuda:90")
OPTIONS = options_for(CHIP, {})


@weft.jit
def copy(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


def module(stage: str, chip: str = "cuda:90"):
    compiled = weft.compile(copy, signature="*fp32, *fp32, 128", target=chip, stop_after=stage)
    return compiled.module("ttgir" if stage != "ttir" else "ttir")


def test_ttir_passes_through_all_stages_up_to_the_requested_one():
    passes = [remaining_passes(module("ttir"), name, CHIP, OPTIONS) for name in ("ttir", "convert")]
    by_name = {stage.name: stage.passes for stage in stages(CHIP, OPTIONS)}
    assert [each.name for each in passes[0]] == [each.name for each in by_name["ttir"]]
    assert [each.name for each in passes[1]] == [each.name for each in by_name["convert"]]
    layout = remaining_passes(module("ttir"), "layout", CHIP, OPTIONS)
    assert len(layout) == len(by_name["convert"]) + len(by_name["layout"])


def test_ttgir_passes_through_one_stage():
    passes = remaining_passes(module("convert"), "layout", CHIP, OPTIONS)
    layout = find_stage(stages(CHIP, OPTIONS), "layout")
    assert [each.name for each in passes] == [each.name for each in layout.passes]
    with pytest.raises(WeftError, match="stage convert reads TTIR, and the module has layouts"):
        remaining_passes(module("convert"), "convert", CHIP, OPTIONS)


def test_layouts_to_be_inferred_pass_through_the_stage_of_gluon():
    text = """
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f() {
        %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, LAYOUT>
        tt.return
      }
    }"""
    inferred = parse_module(text.replace("LAYOUT", "#gluon.auto_encoding"))
    names = [each.name for each in remaining_passes(inferred, "gluon", CHIP, OPTIONS)]
    assert names[0] == "gluon-inline"
    with pytest.raises(WeftError, match="unknown stage layout"):
        remaining_passes(inferred, "layout", CHIP, OPTIONS)
    resolved = remaining_passes(module("convert"), "gluon", CHIP, OPTIONS)
    assert [each.name for each in resolved] == names


def test_unknown_stage():
    with pytest.raises(WeftError, match="unknown stage layuot") as caught:
        remaining_passes(module("ttir"), "layuot", CHIP, OPTIONS)
    assert "did you mean layout?" in str(caught.value)


def test_layouts_of_another_target():
    with pytest.raises(PassError, match="the layouts of the module are for hip:gfx942"):
        check_target(module("convert", "hip:gfx942"), CHIP)
    text = 'module attributes {"ttg.threads-per-warp" = 64 : i32} {}'
    with pytest.raises(PassError, match="are for warps of 64 threads"):
        check_target(parse_module(text), CHIP)


def test_layouts_without_module_attributes():
    ttgir = module("convert")
    del ttgir.attributes["ttg.num-warps"]
    with pytest.raises(PassError, match=r'missing module attribute "ttg\.num-warps"'):
        remaining_passes(ttgir, "layout", CHIP, OPTIONS)
