"""`weft opt --stage`: the passes of a stage, and modules and options that it refuses."""

from __future__ import annotations

import pytest

TTIR = """\
module {
  tt.func public @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %q = tt.addptr %b, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %q : tensor<1024x!tt.ptr<f32>>
    tt.store %q, %v : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
"""
ON = ("--target", "hip:gfx942", "--num-warps", "8")


@pytest.fixture
def converted(weft_command):
    """The module above with its first layouts."""
    return weft_command("opt", "-", "--stage", "convert", *ON, stdin=TTIR).stdout


def test_ttir_goes_all_the_way_to_a_stage(weft_command, converted):
    assert '"ttg.num-warps" = 8' in converted
    assert "sizePerThread = [1]" in converted
    laid_out = weft_command("opt", "-", "--stage", "layout", *ON, stdin=TTIR)
    assert laid_out.exit_code == 0, laid_out.stderr
    assert "sizePerThread = [2]" in laid_out.stdout
    tidy = weft_command("opt", "-", "--stage=ttir", "--target=cuda:90", stdin=TTIR)
    assert "#blocked" not in tidy.stdout


def test_ttgir_goes_through_one_stage(weft_command, converted):
    at_once = weft_command("opt", "-", "--stage", "layout", *ON, stdin=TTIR).stdout
    assert weft_command("opt", "-", "--stage", "layout", *ON, stdin=converted).stdout == at_once
    final = weft_command("opt", "-", "--stage", "final", *ON, stdin=converted)
    assert final.exit_code == 0, final.stderr
    assert "sizePerThread = [1]" in final.stdout


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (("--stage=layout",), ["error: --stage needs --target", "weft targets lists the chips"]),
        (("--target=cuda:90",), ["error: --target needs --stage", "--stage=layout --target=…"]),
        (("--option=kpack=2",), ["error: --option needs --stage"]),
        (("--stage=layouts", *ON), ["error: unknown stage layouts", "did you mean layout?"]),
        (("--stage=layout", "--target=hip:gfx943"), ["did you mean hip:gfx942"]),
        (("--stage=layout", "--target=cuda:90", "--num-warps=3"), ["must be a power of 2"]),
        (("--stage=layout", *ON, "--option=kpack=3"), ["kpack is out of range", "1, 2"]),
        (("--stage=layout", *ON, "--option=kpack"), ["error: --option takes NAME=VALUE"]),
        (
            ("--stage=layout", *ON, "--option=matrix_instr_nonkdim=8"),
            ["matrix_instr_nonkdim is out of range", "accepted: 0, 4, 16, 32"],
        ),
    ],
)
def test_mistakes_in_the_command_line(weft_command, arguments, lines):
    result = weft_command("opt", "-", *arguments, stdin=TTIR)
    assert result.exit_code == 1
    for line in lines:
        assert line in result.stderr


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        (
            {"hip:gfx942": "cuda:90"},
            ["layouts of the module are for cuda:90", "found: target hip:gfx942"],
        ),
        (
            {
                '-per-warp" = 64': '-per-warp" = 32',
                "threadsPerWarp = [64]": "threadsPerWarp = [32]",
            },
            ["are for warps of 32 threads", "found: hip:gfx942 with warps of 64 threads"],
        ),
        (
            {
                '"ttg.num-warps" = 8 : i32, ': "",
                "[64], warpsPerCTA = [8]": "[64], warpsPerCTA = [4]",
            },
            ["Operation is not in a context with `ttg.num-warps`."],
        ),
        ({'"ttg.num-warps" = 8': '"ttg.num-warps" = 6'}, ["has 8 warps", "requires 6 warps"]),
    ],
)
def test_layouts_that_are_not_for_the_target(weft_command, converted, changes, lines):
    for old, new in changes.items():
        assert old in converted
        converted = converted.replace(old, new)
    result = weft_command("opt", "-", "--stage=layout", *ON, stdin=converted)
    assert result.exit_code == 1
    for line in lines:
        assert line in result.stderr


def test_a_stage_that_is_past(weft_command, converted):
    result = weft_command("opt", "-", "--stage=convert", *ON, stdin=converted)
    assert "error: stage convert reads TTIR, and the module has layouts" in result.stderr.replace(
        "<stdin>:1: ", ""
    )
    assert "accepted: layout, loops, final" in result.stderr
