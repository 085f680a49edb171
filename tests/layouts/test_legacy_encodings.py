"""What earlier releases of Triton printed is read as what it is now."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding, NvmmaSharedEncoding, parse

TILES = "sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]"
ONE_BLOCK = "CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]"
BLOCKED = f"#ttg.blocked<{{{TILES}}}>"
MMA = "versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]"
NOW = {
    f"#triton_gpu.blocked<{{{TILES}}}>": BLOCKED,
    f"#triton_gpu.blocked<{{{TILES}, {ONE_BLOCK}}}>": BLOCKED,
    f"#ttg.blocked<{{{TILES}, {ONE_BLOCK}}}>": BLOCKED,
    f"#triton_gpu.blocked<{{{TILES}, CTAsPerCGA = [2, 2], CTASplitNum = [2, 1], "
    "CTAOrder = [0, 1]}>": BLOCKED.replace("}>", ", CGALayout = [[1, 0], [0, 0]]}>"),
    f"#triton_gpu.slice<{{dim = 1, parent = #triton_gpu.blocked<{{{TILES}}}>}}>":
        f"#ttg.slice<{{dim = 1, parent = {BLOCKED}}}>",
    f"#triton_gpu.nvidia_mma<{{{MMA}, {ONE_BLOCK}}}>": f"#ttg.nvidia_mma<{{{MMA}}}>",
    f"#triton_gpu.mma<{{{MMA}}}>": f"#ttg.nvidia_mma<{{{MMA}}}>",
    f"#triton_gpu.dot_op<{{opIdx = 0, parent = #triton_gpu.mma<{{{MMA}}}>, kWidth = 2}}>":
        f"#ttg.dot_op<{{opIdx = 0, parent = #ttg.nvidia_mma<{{{MMA}}}>, kWidth = 2}}>",
    "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], "
    "hasLeadingOffset = false}>":
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "#ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = true}>":
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
    "#triton_gpu.amd_mfma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], "
    "instrShape = [32, 32], isTransposed = true}>":
        "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32], "
        "isTransposed = true}>",
    "#triton_gpu.mfma<{nonKDim = 16, warpsPerCTA = [4, 1], isTransposed = false}>":
        "#ttg.amd_mfma<{version = 1, warpsPerCTA = [4, 1], instrShape = [16, 16], "
        "isTransposed = false}>",
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16], "
    "isTransposed = true, elementType = f64}>":
        "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16], "
        "isTransposed = true, elementBitWidth = 64}>",
    "#ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [2, 4]}>":
        "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = "
        "{warp = [[0, 1], [0, 2], [1, 0]]}}>",
    "#triton_gpu.amd_wmma<{warpsPerCTA = [2, 1]}>":
        "#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[1, 0]]}}>",
    "#triton_nvidia_gpu.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = false>":
        "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>",
}  # fmt: skip


@pytest.mark.parametrize(("then", "now"), NOW.items(), ids=range(len(NOW)))
def test_legacy_text_parses_to_the_current_encoding(then: str, now: str) -> None:
    assert parse(then) is parse(now)
    assert str(parse(then)) == now


def test_then_it_has_a_layout() -> None:
    mfma = parse("#triton_gpu.mfma<{nonKDim = 32, warpsPerCTA = [2, 2], isTransposed = true}>")
    assert isinstance(mfma, AmdMfmaEncoding)
    assert mfma.linear((64, 64)).is_surjective
    batched = parse("#ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [1, 1, 1]}>")
    assert isinstance(batched, AmdWmmaEncoding)
    assert batched.rank == 3
    shared = parse(
        "#triton_gpu.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1], "
        "hasLeadingOffset = true}>"
    )
    assert shared is NvmmaSharedEncoding(64, 16, transposed=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#triton_gpu.bloked<{}>", "unknown encoding #triton_gpu.bloked"),
        (BLOCKED.replace("}>", ", CTAsPerCGA = 2}>"), "CTAsPerCGA must be a list of integers"),
        (BLOCKED.replace("}>", ", CTAsPerCGA = [2, 3]}>"), "must be powers of two"),
        (BLOCKED.replace("}>", ", CTAOrder = [1, 0]}>"), "must have the same dimensions"),
        (
            "#ttg.amd_wmma<{version = 2, ctaLayout = {warp = []}, warpsPerCTA = [1, 1]}>",
            "takes warpsPerCTA (Triton 3.6) or ctaLayout (Triton 3.7), not both",
        ),
        ("#ttg.amd_wmma<{warpsPerCTA = [3, 1]}>", "warpsPerCTA must hold powers of two"),
        ("#ttg.amd_wmma<{warpsPerCTA = 4}>", "warpsPerCTA must be a list of integers"),
        ("#ttg.amd_wmma<{warpsPerCTA = [f16, 1]}>", "warpsPerCTA must be a list of integers"),
        (
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16], "
            "elementType = f16}>",
            "elementType must be the type of an MFMA's result\n  found: f16",
        ),
        (
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = true>",
            "unpacked = true gives each element a column of 32 bits",
        ),
        ("#ttg.shared<{vec = 8, hasLeadingOffset = true}>", "perPhase is missing"),
        (
            "#ttg.shared<{vec = [8], perPhase = 1, maxPhase = 8, order = [1, 0], "
            "hasLeadingOffset = true}>",
            "vec, perPhase and maxPhase must be integers",
        ),
        (
            "#ttg.shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0], "
            "hasLeadingOffset = true}>",
            "permutes vectors of 16 bytes over 8 rows",
        ),
        ("#ttg.blocked<{sizePerThread = f32}>", "threadsPerWarp is missing"),
    ],
)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse(text)
    assert message in str(caught.value)
