"""The memory that Triton takes for a conversion: sizes of Triton 3.7.1."""

from __future__ import annotations

import pytest

from weft.layouts import parse
from weft.layouts.swizzled_exchange import MATRIX_ACCESSES, exchange_elements


def blocked(size: str, threads: str, warps: str, order: str) -> str:
    return (
        f"#ttg.blocked<{{sizePerThread = [{size}], threadsPerWarp = [{threads}], "
        f"warpsPerCTA = [{warps}], order = [{order}]}}>"
    )


ROWS = blocked("1, 8", "4, 8", "4, 1", "1, 0")
COLUMNS = blocked("8, 1", "8, 4", "1, 4", "0, 1")
NARROW = blocked("1, 1", "4, 8", "4, 1", "1, 0")
MMA = (
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
    "instrShape = [16, 8]}>"
)


@pytest.mark.parametrize(
    ("source", "target", "shape", "bits", "generic", "cuda"),
    [
        (MMA, ROWS, (128, 128), 16, 8192, 2048),
        (ROWS, COLUMNS, (256, 256), 32, 16384, 16384),
        (ROWS, COLUMNS, (64, 64), 8, 4096, 4096),
        (NARROW, COLUMNS, (64, 64), 8, 4096, 4096),
        (NARROW, ROWS, (128, 128), 16, 8192, 2048),
    ],
)
def test_elements(source, target, shape, bits, generic, cuda):
    layouts = [parse(text).linear(shape) for text in (source, target)]
    assert exchange_elements(*layouts, bits) == generic
    assert exchange_elements(*layouts, bits, MATRIX_ACCESSES, MATRIX_ACCESSES) == cuda
