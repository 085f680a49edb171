"""Loads and stores that access one element at a time."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.codegen.scalar_accesses import scalar_accesses


@weft.jit
def copy(x, y, n, STEP: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i * STEP, tl.load(x + i * STEP, mask=i < n), mask=i < n)


LOAD = "vec = 1 origin vec = 1 numElems = 2 mask is 1"
STORE = "vec = 1 origin vec = 1 elemsPerThread = 2 mask is 1"


@pytest.mark.parametrize(
    ("signature", "texts"),
    [
        ("*fp32:16, *fp32:16, i32:16, 1, 256", []),
        ("*fp32:16, *fp32:16, i32, 3, 256", [LOAD, STORE]),
        ("*fp32, *fp32, i32, 1, 128", []),
    ],
)
def test_texts(signature, texts):
    module = weft.compile(copy, signature=signature, target="cuda:90").module("ttgir")
    remarks = [text for _, text in scalar_accesses(module)]
    assert remarks == [f"Warning: vectorization fails {text}" for text in texts]


def test_a_compilation_prints_remarks(monkeypatch, capsys):
    monkeypatch.setenv("MLIR_ENABLE_DIAGNOSTICS", "remarks")
    for target, count in (("cuda:90", 2), ("hip:gfx942", 0)):
        signature = "*fp32:16, *fp32:16, i32, 3, 1024"
        assert weft.compile(copy, signature=signature, target=target).asm["llir"]
        assert capsys.readouterr().err.count("remark: Warning: vectorization fails") == count
