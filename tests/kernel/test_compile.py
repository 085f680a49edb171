"""weft.compile: stages, texts, metadata, errors."""

from __future__ import annotations

from typing import Any

import pytest

import weft
import weft.language as tl
from weft.compiler.machine_code import lower_ttgir
from weft.errors import (
    CompilationError,
    LaunchError,
    ParseError,
    SignatureError,
    UnknownTargetError,
    WeftError,
)
from weft.ir.text import parse_module
from weft.kernel import compiled_kernel
from weft.kernel.compiled_kernel import CompiledKernel


@weft.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@weft.jit(repr=lambda spec: f"copy_{spec.constants['BLOCK']}_{spec.signature['x'][1:]}")
def renamed(x, BLOCK: tl.constexpr):
    tl.store(x, BLOCK)


@weft.jit
def wrong(x):
    tl.store(x, missing)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


SIGNATURE = "*fp32:16, *fp32:16, i32, 128"


def compiled(**arguments: Any) -> CompiledKernel:
    defaults: dict[str, Any] = {"signature": SIGNATURE, "target": "cuda:90"}
    return weft.compile(copy, **(defaults | arguments))


def test_stages_and_texts():
    kernel = compiled()
    assert list(kernel.asm) == ["ttir", "ttgir"]
    assert len(kernel.asm) == 2
    assert "tt.func public @copy(" in kernel.asm["ttir"]
    assert "#blocked" not in kernel.asm["ttir"]
    assert kernel.asm["ttgir"].startswith("#blocked = ")
    assert kernel.asm["ttir"] is kernel.asm["ttir"]
    assert parse_module(kernel.asm["ttgir"])
    # Values have the names of the kernel's variables, also without locations.
    for stage in ("ttir", "ttgir"):
        assert "%i = tt.get_program_id" in kernel.asm[stage]
        assert "%i = tt.get_program_id" in kernel.text(stage, locations=True)
        assert "loc(" not in kernel.asm[stage]
    assert "loc(" in kernel.text("ttgir", locations=True)
    with pytest.raises(KeyError, match="the stages are ttir, ttgir"):
        kernel.asm["cubit"]
    with pytest.raises(WeftError, match="copy was not compiled to ptx"):
        kernel.module("ptx")
    assert repr(kernel) == "CompiledKernel(copy, cuda:90: ttir, ttgir)"


def test_metadata():
    metadata = compiled(target="hip:gfx942", num_warps=8).metadata
    assert (metadata.name, metadata.target, metadata.backend) == ("copy", "hip:gfx942", "hip")
    assert (metadata.warp_size, metadata.num_warps, metadata.num_ctas) == (64, 8, 1)
    assert metadata.num_stages == 2
    assert metadata.signature == SIGNATURE
    with pytest.raises(AttributeError):
        metadata.name = "x"  # pyright: ignore[reportAttributeAccessIssue]


def test_hash_depends_on_kernel_signature_target_and_options():
    hashes = {
        kernel.hash
        for kernel in (
            compiled(),
            compiled(num_warps=8),
            compiled(target="cuda:80"),
            compiled(signature="*fp32:16, *fp32:16, i32, 256"),
            compiled(signature="*fp32:16, *fp32, i32, 128"),
            weft.compile(renamed, signature="*i32, 8", target="cuda:90"),
        )
    }
    assert len(hashes) == 6
    assert compiled().hash in hashes
    assert len(compiled().hash) == 64


@pytest.mark.parametrize(
    ("stop", "stages"), [("source", ["source"]), ("ttir", ["ttir"]), ("ttgir", ["ttir", "ttgir"])]
)
def test_stop_after(stop, stages):
    assert list(compiled(stop_after=stop).asm) == stages


def test_unknown_stage():
    with pytest.raises(WeftError) as caught:
        compiled(stop_after="ttig")
    assert "unknown stage ttig" in str(caught.value)
    assert "accepted: source, ttir, convert, layout, loops, final, ttgir" in str(caught.value)


def test_signature_as_dictionaries():
    aligned = [["tt.divisibility", 16]]
    other = compiled(
        signature={"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"},
        constexprs={(3,): 128},
        attrs={(0,): aligned, (1,): aligned},
    )
    assert other.asm["ttgir"] == compiled().asm["ttgir"]


def test_repr_names_the_compiled_kernel():
    kernel = weft.compile(renamed, signature="*i32, 8", target="cuda:90")
    assert kernel.name == "copy_8_i32"
    assert "@copy_8_i32(" in kernel.asm["ttgir"]


def test_kernel_inside_of_autotuner_and_heuristics():
    tuned = weft.autotune([weft.Config({"BLOCK": 128})], key=["n"])(copy)
    computed = weft.heuristics({"BLOCK": lambda args: 128})(tuned)
    kernel = weft.compile(computed, signature=SIGNATURE, target="cuda:90")
    assert kernel.asm["ttgir"] == compiled().asm["ttgir"]


def test_from_a_file(tmp_path):
    file = tmp_path / "k.ttir"
    file.write_text(compiled().text("ttir", locations=True))
    kernel = weft.compile(file, target="cuda:90")
    assert kernel.asm["ttgir"] == compiled().asm["ttgir"]
    assert kernel.name == "copy"
    final = tmp_path / "k.ttgir"
    final.write_text(kernel.text("ttgir", locations=True))
    again = weft.compile(str(final), target="cuda:90", num_warps=8)
    assert again.asm["ttgir"] == kernel.asm["ttgir"]
    assert again.metadata.num_warps == 4  # the module attribute
    with pytest.raises(WeftError, match="is compiled for cuda:90") as caught:
        weft.compile(str(final), target="cuda:80")
    assert "accepted: target=cuda:90" in str(caught.value)
    with pytest.raises(WeftError, match="unknown stage ttir after ttgir"):
        weft.compile(str(final), target="cuda:90", stop_after="ttir")


def test_a_ttgir_file_without_a_target_is_for_that_of_the_call(tmp_path):
    file = tmp_path / "k.ttgir"
    file.write_text(compiled().text("ttgir", locations=True))
    expected = weft.compile(str(file), target="cuda:90").asm["ptx"]
    attributes = (
        '"ttg.num-ctas" = 1 : i32, ',
        'ttg.target = "cuda:90", ',
        ', "ttg.threads-per-warp" = 32 : i32',
    )
    for attribute in attributes:
        assert attribute in file.read_text()
        file.write_text(file.read_text().replace(attribute, ""))
    assert weft.compile(str(file), target="cuda:90").asm["ptx"] == expected


def test_files_that_cannot_be_compiled(tmp_path):
    with pytest.raises(WeftError, match="cannot compile this file"):
        weft.compile("kernel.cu", target="cuda:90")
    with pytest.raises(WeftError, match="cannot read the file"):
        weft.compile(tmp_path / "gone.ttir", target="cuda:90")
    file = tmp_path / "k.ttir"
    file.write_text("module {")
    with pytest.raises(ParseError) as caught:
        weft.compile(file, target="cuda:90")
    assert "k.ttir:1" in str(caught.value)


def test_wrong_arguments_are_an_error():
    with pytest.raises(UnknownTargetError, match="cuda:91"):
        compiled(target="cuda:91")
    with pytest.raises(LaunchError, match="unknown compile option num_warp"):
        compiled(num_warp=4)
    with pytest.raises(LaunchError, match="cuda:80 does not support clusters"):
        compiled(target="cuda:80", num_ctas=2)
    with pytest.raises(SignatureError, match="without a value"):
        compiled(signature={"x": "*i8", "y": "*i8", "n": "i32", "BLOCK": "constexpr"})
    with pytest.raises(SignatureError, match="copy needs a signature"):
        weft.compile(copy, target="cuda:90")
    with pytest.raises(CompilationError) as caught:
        weft.compile(wrong, signature="*i32", target="cuda:90")
    assert "test_compile.py:" in str(caught.value)
    assert "tl.store(x, missing)" in str(caught.value)


def test_machine_code_is_compiled_on_first_access():
    compiled = weft.compile(copy, signature="*fp32, *fp32, i32, 64", target="cuda:90")
    assert list(compiled.asm) == ["ttir", "ttgir"]
    assert "ptx" in compiled.asm
    assert "amdgcn" not in compiled.asm
    assert ".visible .entry copy" in compiled.asm["ptx"]
    assert compiled.asm["ptx"] is compiled.asm["ptx"]
    assert "define" in compiled.asm["llir"]
    with pytest.raises(KeyError, match="the stages are ttir, ttgir"):
        compiled.asm["amdgcn"]


def test_machine_code_shares_one_lowering(monkeypatch: pytest.MonkeyPatch):
    lowerings: list[object] = []

    def lower(*arguments: Any) -> Any:
        lowerings.append(arguments)
        return lower_ttgir(*arguments)

    monkeypatch.setattr(compiled_kernel, "lower_ttgir", lower)
    kernel = compiled()
    assert "define" in kernel.asm["llir"]
    assert ".visible .entry copy" in kernel.asm["ptx"]
    assert kernel.asm.llvm.kernel == "copy"
    assert len(lowerings) == 1
