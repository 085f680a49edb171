"""Parameters of memory descriptors that do not fit together."""

from __future__ import annotations

import pytest

from weft.errors import ParseError
from weft.ir.text import parse_module

ENCODINGS = """
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#lin = #ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>
#pad = #ttg.padded_shared<[2:+1] {order = [1, 0], shape = [4, 4]}>
#tm = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>
#bl = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1],
order = [1, 0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
"""


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("4x6xf16, #sw, #smem", "shape must have power-of-2 and non-zero dimensions; got 4, 6"),
        ("0x4xf16, #sw, #smem", "shape has 0 dimension"),
        ("4x4xf16, #sw, #smem, 4", "alloc shape must have at least as many dimensions"),
        ("4x4xf16, #sw, #smem, 2x4", "shape must be less than or equal to allocShape"),
        ("4x4xf16, #sw, #tmem", "memorySpace must be SharedMemorySpace"),
        ("2x2x4x4xf16, #sw, #smem", "Got 2 and 4"),
        ("32x32xf16, #bl, #smem", "is not a valid encoding"),
        ("64x32xf16, #nv, #smem", "too small for the swizzle byte size 128"),
        ("4x4xf16, #lin, #smem", "Mismatch in expected shape for dimension 0. Expected: 4, got: 2"),
        ("8x4xf16, #pad, #smem", "Mismatch in expected shape for dimension 0. Expected: 8, got: 4"),
        ("128x64xf32, #tm, #smem", "memorySpace must be TensorMemorySpace"),
        ("128x64xf64, #tm, #tmem", "bitwidth * colStride must be less than or equal to 32"),
        ("64x64xf32, #tm, #tmem", "the allocation shape must be at least 128x64"),
        ("128x64xf32, #scales, #tmem", "bitwidth must be 8"),
    ],
)
def test_a_type_is_refused(parameters: str, message: str) -> None:
    text = f"{ENCODINGS}tt.func private @f(!ttg.memdesc<{parameters}>)"
    with pytest.raises(ParseError) as caught:
        parse_module(text)
    assert message in caught.value.message


@pytest.mark.parametrize(
    "parameters",
    [
        "2x64x64xf16, #nv, #smem, mutable",
        "2x4x4xf16, #pad, #smem",
        "2x2xf16, #lin, #smem",
        "128x64xf32, #tm, #tmem, mutable",
        "128x64xi8, #scales, #tmem",
    ],
)
def test_a_type_is_accepted(parameters: str) -> None:
    parse_module(f"{ENCODINGS}tt.func private @f(!ttg.memdesc<{parameters}>)")
