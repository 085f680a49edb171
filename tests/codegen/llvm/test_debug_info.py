"""Line information: `!dbg` metadata in LLVM IR, `.loc` in assembly, DWARF in code objects."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

import weft
import weft.language as tl
from weft import knobs
from weft.codegen.llvm.debug_info import with_line_info
from weft.ir import locations
from weft.kernel.compiled_kernel import CompiledKernel


@weft.jit
def scale(x, factor):
    return x * factor


@weft.jit
def total(x_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = scale(tl.load(x_ptr + offsets), 3.0)
    tl.store(out_ptr, tl.sum(x))


@weft.jit(noinline=True)
def doubled(x):
    return x + x


@weft.jit
def calling(x_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(x_ptr + offsets, doubled(tl.load(x_ptr + offsets)))


def compiled(chip: str, kernel=total) -> CompiledKernel:
    arrays = "*fp32:16, *fp32:16" if kernel is total else "*fp32:16"
    return weft.compile(kernel, signature=f"{arrays}, 256", target=chip)


def line_of(kernel, text: str) -> int:
    """Find the line of the file on which a kernel's source has a text."""
    lines = kernel.source.text.splitlines()
    return kernel.source.line + next(n for n, line in enumerate(lines) if text in line)


FILE = locations.file("/src/k.py", 7, 4)
TEXT = """define void @f(i32 %x) {
entry:
  ; require i32 %x below 4
  %y = add i32 %x, 1
  %z = add i32 %y, 1
  ret void
}
"""


def annotated(location, text: str = TEXT) -> str:
    positions = ((0, locations.file("/src/k.py", 5)), (1, None), (3, location), (5, None))
    return with_line_info(text, positions, "LineTablesOnly")


def definition(text: str, number: str) -> str:
    match = re.search(rf"^!{number} = (.*)$", text, re.MULTILINE)
    assert match is not None
    return match[1]


def test_instructions_and_functions_get_metadata():
    text = annotated(locations.named("y", FILE))
    function = re.search(r"define void @f\(i32 %x\) !dbg !(\d+) \{", text)
    place = re.search(r"%y = add i32 %x, 1, !dbg !(\d+)", text)
    assert function is not None
    assert place is not None
    assert f"%z = add i32 %y, 1, !dbg !{place[1]}\n" in text
    assert "; require i32 %x below 4\n" in text
    assert "ret void\n" in text  # no location
    assert definition(text, place[1]) == f"!DILocation(line: 7, column: 4, scope: !{function[1]})"
    subprogram = definition(text, function[1])
    assert 'name: "f"' in subprogram
    assert "line: 5" in subprogram
    assert '!DIFile(filename: "k.py", directory: "/src")' in text
    assert '!{i32 2, !"Debug Info Version", i32 3}' in text


def test_a_value_that_operations_share_has_the_location_of_its_first_use():
    text = """define void @f() {
entry:
  %t1 = call i32 @tid()
  %t2 = and i32 %t1, 31
  %t3 = lshr i32 %t1, 5
  br label %body
body:
  %v1 = add i32 %t2, 1
  ret void
}
"""
    positions = ((0, locations.file("/src/k.py", 5)), (1, None), (7, FILE), (8, None))
    result = with_line_info(text, positions, "LineTablesOnly")
    place = re.search(r"%v1 = add i32 %t2, 1, !dbg !(\d+)", result)
    assert place is not None
    assert f"%t2 = and i32 %t1, 31, !dbg !{place[1]}\n" in result
    assert f"%t1 = call i32 @tid(), !dbg !{place[1]}\n" in result
    assert "%t3 = lshr i32 %t1, 5\n" in result  # unused
    assert "br label %body\n" in result


def test_an_inlined_call_is_a_location_of_its_own():
    inner = locations.call_site(locations.file("/lib/sum.py", 3, 2), FILE)
    text = annotated(inner)
    place = re.search(r"%y = add i32 %x, 1, !dbg !(\d+)", text)
    assert place is not None
    callee = definition(text, place[1])
    match = re.fullmatch(
        r"!DILocation\(line: 3, column: 2, scope: !(\d+), inlinedAt: !(\d+)\)", callee
    )
    assert match is not None
    assert 'name: "sum:3"' in definition(text, match[1])  # the source is not available
    assert definition(text, match[2]).startswith("distinct !DILocation(line: 7, column: 4")


def test_locations_without_a_position():
    assert "!dbg" not in annotated(locations.unknown).partition("ret void")[0].partition("{")[2]
    text = annotated(locations.fuse(locations.file("/a.py", 1), FILE))
    assert "line: 1" in text
    # A function without a location has no line information at all.
    assert with_line_info(TEXT, ((0, None), (3, FILE)), "LineTablesOnly").rstrip() == TEXT.rstrip()


@pytest.mark.parametrize(("chip", "stage"), [("cuda:90", "ptx"), ("hip:gfx942", "amdgcn")])
def test_assembly_has_the_lines_of_the_kernel(chip, stage):
    kernel = compiled(chip)
    text = kernel.asm[stage]
    assert '"' in re.findall(r"\.file\s+1 .*test_debug_info\.py", text)[0]
    lines = {int(line) for line in re.findall(r"\.loc\s+1 (\d+) ", text)}
    assert {line_of(total, "tl.load"), line_of(total, "tl.store"), line_of(scale, "x *")} <= lines
    assert re.search(r'\.file\s+2 .*standard\.py"', text)  # of tl.sum
    assert ", debug" not in text  # ptxas would not optimize
    llvm = kernel.asm["llir"]
    assert 'DISubprogram(name: "total"' in llvm
    assert 'DISubprogram(name: "scale"' in llvm
    assert "inlinedAt: " in llvm


@pytest.mark.parametrize(("chip", "stage"), [("cuda:90", "ptx"), ("hip:gfx942", "amdgcn")])
def test_functions_that_are_called(chip, stage):
    text = compiled(chip, calling).asm[stage]
    assert f" {line_of(doubled, 'x + x')} " in text


@pytest.mark.parametrize(("chip", "stage"), [("cuda:90", "ptx"), ("hip:gfx942", "amdgcn")])
def test_line_info_can_be_disabled(chip, stage, monkeypatch):
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    text = compiled(chip).asm[stage]
    assert ".loc" not in text
    assert "test_debug_info" not in text
    monkeypatch.delenv("TRITON_DISABLE_LINE_INFO")
    knobs.compilation.disable_line_info = True
    try:
        assert compiled(chip).asm[stage] == text
        assert "!dbg" not in compiled(chip).asm["llir"]
    finally:
        knobs.compilation.disable_line_info = None


def test_the_code_is_the_same_with_line_info(monkeypatch):
    def instructions() -> list[str]:
        text = compiled("cuda:90").asm["ptx"].partition(".section")[0]
        lines = map(str.strip, text.splitlines())
        return [
            each for each in lines if each and not each.startswith((".loc", ".file", "//", "$L"))
        ]

    with_lines = instructions()
    monkeypatch.setenv("WEFT_DISABLE_LINE_INFO", "1")
    assert instructions() == with_lines


def test_code_objects_have_line_tables():
    kernel = compiled("hip:gfx942")
    code = kernel.asm["hsaco"]
    for name in (b".debug_line", b".debug_info", b".debug_abbrev"):
        assert name in code
    if shutil.which("llvm-dwarfdump") is None:
        pytest.skip("no llvm-dwarfdump")
    result = subprocess.run(
        ["llvm-dwarfdump", "--debug-line", "-"], input=code, capture_output=True, check=True
    )
    rows = re.findall(rb"^0x([0-9a-f]{16})\s+(\d+)\s", result.stdout, re.MULTILINE)
    assert line_of(total, "tl.store") in {int(line) for _, line in rows}
    # Addresses are those of the loaded code, which begins on a page after the first.
    assert min(int(address, 16) for address, _ in rows) >= 0x1000
