"""device_print, device_assert, inline assembly of both vendors and dependent launches."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.codegen.backend.hsaco import link
from weft.codegen.backend.ptxas import ptxas_for
from weft.codegen.llvm.libraries import library_of
from weft.errors import CodegenError
from weft.simulator import run


@weft.jit
def says(x, n, N: tl.constexpr):
    i = tl.arange(0, 2)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + i)
    tl.device_print("two", v, n)
    tl.device_print("bits", v.to(tl.float16), (i - 1).to(tl.int8), hex=True)
    tl.device_print("wide", i.to(tl.int64) - 1, i.to(tl.uint64), v > 0)
    tl.device_print("small", v.to(tl.float8e5))
    tl.device_print("hello")


@weft.jit
def requires(x, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_assert(tl.load(x + i) > 0, "x is positive")
    tl.device_assert(n > 0, "n is positive")
    tl.store(x + i, 1.0)


def simulated(kernel, signature, arguments, chip="cuda:90", **options):
    compiled = weft.compile(kernel, signature=signature, target=chip, **options)
    llvm = lower(compiled.module("ttgir"))
    lanes = llvm.target.threads_per_warp
    report = run(llvm.text, grid=(1,), arguments=arguments, warp_size=lanes, shared_bytes=1024)
    return llvm, report


def test_print_one_line_per_register(machine):
    x = np.array([[-1.5, 0.25], [3.0, 0.0]], np.float32)
    llvm, report = simulated(says, "*fp32, i32, 2", [x, 7], num_warps=1)
    lines = set(report.printed)
    assert "pid (0, 0, 0) idx (1, 0) two: (operand 0) 3.000000\n" in lines
    assert "pid (0, 0, 0) idx () two: (operand 1) 7\n" in lines
    assert "pid (0, 0, 0) idx (0, 0) bits: (operand 0) 0xbe00\n" in lines
    assert "pid (0, 0, 0) idx (0, 0) bits: (operand 1) 0xff\n" in lines
    assert "pid (0, 0, 0) idx (0, 0) wide: (operand 0) -1\n" in lines
    assert "pid (0, 0, 0) idx (1, 1) wide: (operand 1) 3\n" in lines
    assert "pid (0, 0, 0) idx (1, 0) wide: (operand 2) 1\n" in lines
    assert "pid (0, 0, 0) idx (0, 1) small: 0.250000\n" in lines
    assert report.printed.count("pid (0, 0, 0) hello\n") == 32
    assert b"vprintf" in machine.emit(llvm, "assembly")


def test_indices_are_as_wide_as_their_dimension():
    _, report = simulated(says, "*fp32, i32, 64", [np.ones((2, 64), np.float32), 7])
    assert "pid (0, 0, 0) idx (1,  7) small: 1.000000\n" in report.printed


def need_library(chip: str) -> None:
    """Skip a test whose kernel speaks to the host, where AMD's library for it is missing."""
    if chip.startswith("cuda"):
        return
    try:
        library_of("__ockl_printf_begin")
    except CodegenError:
        pytest.skip("ockl.bc is not on this machine")


@pytest.mark.parametrize("chip", ["hip:gfx942", "hip:gfx1100", "hip:gfx1250"])
def test_amd_prints_by_ockl(chip, machine):
    need_library(chip)
    x = np.array([[-1.5, 0.25], [3.0, 0.0]], np.float32)
    _, there = simulated(says, "*fp32, i32, 2", [x, 7], num_warps=1)
    llvm, here = simulated(says, "*fp32, i32, 2", [x, 7], chip, num_warps=1)
    assert set(here.printed) == set(there.printed)
    said = machine.emit(llvm, "assembly").decode()
    assert re.search(r"s_swappc_b64|s_swap_pc_i64", said)
    assert "hidden_hostcall_buffer" in said
    assert b"says" in link(machine.emit(llvm, "object"))


def test_amd_printing_requires_ockl(monkeypatch):
    def nowhere(symbol: str) -> str:
        raise CodegenError(f"{symbol} needs ockl.bc, which is not on this machine", hint="set it")

    monkeypatch.setattr("weft.codegen.hardware.amd.messages.library_of", nowhere)
    with pytest.raises(CodegenError) as caught:
        simulated(says, "*fp32, i32, 2", [], chip="hip:gfx942")
    assert "a kernel cannot print on hip:gfx942" in str(caught.value)
    assert "ockl.bc, which is not on this machine" in str(caught.value)
    inputs = [np.zeros(256, np.float32), 3]
    with pytest.raises(CodegenError, match="the kernel executes a trap"):
        simulated(requires, "*fp32, i32, 256", inputs, "hip:gfx942", debug=True)


@weft.jit
def of_percents(x):
    tl.device_print("100%d of", tl.load(x))
    tl.device_assert(tl.load(x) > 0, "over 5%")


@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx942"])
def test_percent_signs_are_escaped(chip):
    need_library(chip)
    _, report = simulated(of_percents, "*i32", [np.ones(1, np.int32)], chip, debug=True)
    assert report.printed[0] == "pid (0, 0, 0) idx () 100%d of: 1\n"


@pytest.mark.parametrize(("chip", "said"), [("cuda:80", "__assertfail"), ("hip:gfx942", "trap")])
def test_failed_assertion_stops_the_kernel(chip, said, machine):
    need_library(chip)
    signature = "*fp32, i32, 256"
    good = np.ones(256, np.float32)
    llvm, _ = simulated(requires, signature, [good, 3], chip, debug=True)
    assert said in machine.emit(llvm, "assembly").decode()
    bad = good.copy()
    bad[200] = -1
    for arguments, message in (([bad, 3], "x is positive"), ([good, 0], "n is positive")):
        with pytest.raises(CodegenError) as caught:
            simulated(requires, signature, arguments, chip, debug=True)
        assert re.search(rf"test_printing.py:\d+: .*failed: {message}", str(caught.value))
        assert "thread" in str(caught.value)


@weft.jit
def with_assembly(
    x, y, z, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr
):
    i = tl.arange(0, N)
    kinds: tl.constexpr = (y.dtype.element_ty, z.dtype.element_ty)
    a, b = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + i), i], kinds, True, PACK)
    tl.store(y + i, a)
    tl.store(z + i, b)


# types of x, y and z; N; elements at a time; the call in LLVM IR
CASES = [
    ("i32", "i32", "i32", 256, 1, "call { i32, i32 } asm {}(i32 {}, i32 {})"),
    ("fp16", "fp16", "i32", 256, 2, "call {{ <2 x half>, i32, i32 }} asm {}(<2 x half> {}, i32"),
    ("i8", "i8", "i8", 512, 4, "call {{ <4 x i8>, <4 x i8> }} asm {}(<4 x i8> {}, i32"),
    ("fp32", "fp16", "i8", 256, 2, "call {{ <2 x half>, <2 x i8> }} asm {}(float {}, float"),
    ("i64", "i64", "fp32", 128, 1, "call {{ i64, float }} asm {}(i64 {}, i32"),
]


@pytest.mark.parametrize(("x", "y", "z", "size", "pack", "call"), CASES)
def test_inline_assembly_packs(x, y, z, size, pack, call):
    text = 'mov.b32 $0, "q\\";\nadd.u32 $1, $0, 1;'
    constexprs = {"N": size, "ASM": text, "CONSTRAINTS": "=r,=r,r,r", "PACK": pack}
    signature = f"*{x}:16, *{y}:16, *{z}:16, constexpr, constexpr, constexpr, constexpr"
    compiled = weft.compile(
        with_assembly, signature=signature, constexprs=constexprs, target="cuda:90"
    )
    llvm = lower(compiled.module("ttgir")).text
    assembly = '"mov.b32 $0, \\22q\\5C\\22;\\0Aadd.u32 $1, $0, 1;", "=r,=r,r,r"'
    expected = re.escape(call.replace("{{", "{").replace("}}", "}")).replace(r"asm\ \{\}", "asm {}")
    expected = expected.replace("asm {}", f"asm {re.escape(assembly)}").replace(r"\{\}", r"[%\w.]+")
    assert re.search(expected, llvm), (expected, llvm)


@weft.jit
def doubled(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    half = "{ .reg .b32 t; add.u32 t, $1, $1; mov.b32 $0, t; }"
    tl.store(y + i, tl.inline_asm_elementwise(half, "=r,r", [tl.load(x + i)], tl.int32, True, 1))


def test_inline_assembly_assembles(machine, tmp_path):
    compiled = weft.compile(doubled, signature="*i32:16, *i32:16, 256", target="cuda:80")
    ptx = machine.emit(lower(compiled.module("ttgir")), "assembly")
    assert ptx.count(b"add.u32 t,") == 2
    if (assembler := ptxas_for("sm_80")) is not None:
        file = tmp_path / "doubled.ptx"
        file.write_bytes(ptx)
        subprocess.run([assembler.path, "-arch=sm_80", file, "-o", tmp_path / "cubin"], check=True)


@weft.jit
def dependent(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.extra.cuda.gdc_wait()
    v = tl.load(x + i)
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(y + i, v + 1)


def test_dependent_launch(machine):
    compiled = weft.compile(dependent, signature="*i32:16, *i32:16, 256", target="cuda:90")
    require_same(compiled)
    ptx = machine.emit(lower(compiled.module("ttgir")), "assembly")
    wait, read = ptx.index(b"griddepcontrol.wait;"), ptx.index(b"ld.global")
    assert wait < read < ptx.index(b"griddepcontrol.launch_dependents;")
