"""Short modules with buffers and layouts, for verifier tests."""

from __future__ import annotations

import pytest

from weft.errors import VerifyError
from weft.ir.text import parse_module
from weft.ir.verifier import verify

_BLOCKED = "sizePerThread = [1, 8], threadsPerWarp = [{}, 8], warpsPerCTA = [{}, 1], order = [1, 0]"
ENCODINGS = {
    "blocked": f"#ttg.blocked<{{{_BLOCKED.format(4, 4)}}}>",
    "few": f"#ttg.blocked<{{{_BLOCKED.format(4, 2)}}}>",
    "wide": f"#ttg.blocked<{{{_BLOCKED.format(8, 4)}}}>",
    "line": "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], "
    "order = [0]}>",
    "mma": "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], "
    "instrShape = [16, 8]}>",
    "shared": "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "shared1": "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>",
    "tmem": "#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>",
    "smem": "#ttg.shared_memory",
}
ALIASES = "".join(f"#{name} = {encoding}\n" for name, encoding in ENCODINGS.items())
MODULE = (
    'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, '
    'ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {\n'
)
RING = "!ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>"
BUFFER = "!ttg.memdesc<64x64xf16, #shared, #smem, mutable>"
FIXED = "!ttg.memdesc<64x64xf16, #shared, #smem>"
BARRIER = "!ttg.memdesc<1xi64, #shared1, #smem, mutable>"
TENSOR_MEMORY = "!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>"
TENSOR = "tensor<64x64xf16, #blocked>"
ARGUMENTS = (
    f"%t: {TENSOR}, %ring: {RING}, %b: {BUFFER}, %f: {FIXED}, %bar: {BARRIER}, "
    f"%m: {TENSOR_MEMORY}, %i: i32, %p: i1"
)


def module(body: str, arguments: str = ARGUMENTS) -> str:
    """Return a module of one function."""
    return f"{ALIASES}{MODULE}tt.func public @f({arguments}) {{\n{body}\ntt.return\n}}\n}}\n"


def message(body: str, arguments: str = ARGUMENTS) -> str:
    """Verify an invalid function body and return the error message."""
    parsed = parse_module(module(body, arguments))
    with pytest.raises(VerifyError) as caught:
        verify(parsed)
    return str(caught.value)
