from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.codegen.backend.nvdisasm import disassemble
from weft.compiler.machine_code import emit_code
from weft.errors import CodegenError


@weft.jit
def double(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 2 * tl.load(x_ptr + offsets))


def test_sass_names_the_lines_of_the_kernel():
    compiled = weft.compile(double, signature="*fp32:16, 1024", target="cuda:90")
    try:
        cubin = emit_code(compiled.module("ttgir"), "cubin", compiled.metadata.options)
    except CodegenError:
        pytest.skip("no ptxas")
    text = disassemble(cubin)
    if text is None:
        pytest.skip("no nvdisasm")
    assert "LDG.E.128" in text
    line = double.fn.__code__.co_firstlineno + 3
    assert f'test_nvdisasm.py", line {line}' in text


def test_what_is_no_cubin():
    assert disassemble(b"no cubin") is None
