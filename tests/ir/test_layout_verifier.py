"""Layouts that are valid; `layout_verifier_invalid.mlir` has the invalid ones."""

from __future__ import annotations

import pytest

from tests.ir.gpu import module
from weft.errors import VerifyError
from weft.ir.layout_verifier import ThreadHierarchy, thread_hierarchy
from weft.ir.text import parse_module
from weft.ir.verifier import verify
from weft.layouts import parse


def test_operands_of_a_scaled_dot_may_be_laid_out_for_half_the_depth() -> None:
    wmma = (
        "#ttg.amd_wmma<{{version = 3, isTranspose = true, ctaLayout = {{warp = [[0, 1], [1, 0]]}}, "
        "instrShape = [16, 16, {}]}}>"
    )
    half, whole = wmma.format(64), wmma.format(128)
    operands = [
        f"tensor<128x128xi8, #ttg.dot_op<{{opIdx = {index}, parent = {half}, kWidth = 16}}>>"
        for index in (0, 1)
    ]
    result = f"tensor<128x128xf32, {whole}>"
    text = module(
        f"%r = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e2m1 {{fastMath = false}} : "
        f"{operands[0]} * {operands[1]} -> {result}",
        f"%a: {operands[0]}, %b: {operands[1]}, %c: {result}",
    )
    verify(parse_module(text))


def test_a_partition_has_its_own_number_of_warps() -> None:
    text = (
        "ttg.warp_specialize()\ndefault {\nttg.warp_yield\n}\npartition0() num_warps(2) {\n"
        "%c = arith.constant 0.0 : f16\n%few = tt.splat %c : f16 -> tensor<64x64xf16, #few>\n"
        "ttg.warp_return\n"
        "} : () -> ()"
    )
    verify(parse_module(module(text)))


def test_a_module_without_warps_has_no_layouts_to_verify() -> None:
    text = module("", "%x: tensor<64x64xf16, #few>").replace('"ttg.num-warps" = 4 : i32, ', "")
    verify(parse_module(text.replace(', "ttg.threads-per-warp" = 32 : i32', "")))


def test_a_function_has_its_own_number_of_warps() -> None:
    text = module("%t = tt.splat %x : f16 -> tensor<64x64xf16, #few>", "%x: f16")
    verify(parse_module(text.replace(") {\n%t", ') attributes {"ttg.num-warps" = 2 : i32} {\n%t')))


def test_a_warp_has_32_threads_and_a_cluster_one_cta_by_default() -> None:
    text = module("%t = tt.splat %x : f16 -> tensor<64x64xf16, #blocked>", "%x: f16")
    text = text.replace(', "ttg.threads-per-warp" = 32 : i32', "")
    verify(parse_module(text.replace('"ttg.num-ctas" = 1 : i32, ', "")))


BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], "
    "order = [1, 0], CGALayout = [[1, 0]]}>"
)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        (BLOCKED, ThreadHierarchy(32, 2, 2)),
        (f"#ttg.slice<{{dim = 1, parent = {BLOCKED}}}>", ThreadHierarchy(32, 2, 2)),
        (f"#ttg.dot_op<{{opIdx = 0, parent = {BLOCKED}}}>", ThreadHierarchy(32, 2, 2)),
        (
            "#ttg.linear<{register = [], lane = [[1], [2], [4]], warp = [[8]], block = [[16]]}>",
            ThreadHierarchy(8, 2, 2),
        ),
        (
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 2], "
            "instrShape = [16, 8]}>",
            ThreadHierarchy(32, 8, 1),
        ),
        (
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], "
            "isTransposed = true}>",
            ThreadHierarchy(64, 4, 1),
        ),
        (
            "#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1]]}, "
            "instrShape = [16, 16, 128]}>",
            ThreadHierarchy(32, 2, 1),
        ),
        ("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>", None),
    ],
)
def test_thread_hierarchy(encoding: str, expected: ThreadHierarchy | None) -> None:
    assert thread_hierarchy(parse(encoding)) == expected


OTHER = "#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"  # noqa: E501
SUM = (
    "^bb0(%left: f16, %right: f16):\n%s = arith.addf %left, %right : f16\ntt.reduce.return %s : f16"
)


def reduce_to(dim: int, parent: str) -> str:
    result = f"tensor<64xf16, #ttg.slice<{{dim = {dim}, parent = {parent}}}>>"
    return module(
        f'%r = "tt.reduce"(%t) <{{axis = 1 : i32}}> ({{\n{SUM}\n}}) : '
        f"(tensor<64x64xf16, #blocked>) -> {result}"
    )


def expand_from(dim: int, parent: str) -> str:
    source = f"tensor<64xf16, #ttg.slice<{{dim = {dim}, parent = {parent}}}>>"
    return module(
        f"%r = tt.expand_dims %x {{axis = 1 : i32}} : {source} -> tensor<64x1xf16, #blocked>",
        f"%x: {source}",
    )


@pytest.mark.parametrize("build", [reduce_to, expand_from])
def test_a_slice_is_along_the_axis_and_of_the_layout_of_the_whole(build) -> None:
    verify(parse_module(build(1, "#blocked")))
    for dim, parent in ((0, "#blocked"), (1, OTHER)):
        with pytest.raises(VerifyError, match=r"inferred type|Incompatible slice"):
            verify(parse_module(build(dim, parent)))
