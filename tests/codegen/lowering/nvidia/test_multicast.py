"""Multicast TMA copies to several CTAs of a cluster, and mbarriers shared between CTAs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.codegen import cluster_texts as texts
from tests.codegen.descriptors import assembles, expanded, run_text, simulated
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

GOLDEN = Path(__file__).parents[2] / "golden"
WORD = "#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = {}}}>"
TILE = (
    "#ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, "
    "CGALayout = {}}}>"
)
Vectors = Sequence[Sequence[int]]
EACH: dict[int, Vectors] = {2: [[1]], 4: [[1], [2]], 8: [[1], [2], [4]]}


def copied(
    split: Vectors,
    shape: tuple[int, int],
    blocks: int,
    barrier: Vectors = (),
    chip: str = "cuda:90",
) -> str:
    """Return a kernel that copies a tile to blocks that share it out, and out of them.

    Args: split: CGALayout of the tile.  barrier: of the barrier, () for one in each block.
    """
    word = list(barrier or EACH[blocks])
    count = 1 << sum(vector != [0] for vector in word)
    parts = 1 << sum(any(vector) for vector in split)
    tile = f"{shape[0]}x{shape[1]}xf16"
    size = 2 * shape[0] * shape[1] // parts
    kinds = {
        "d": f"!tt.tensordesc<tensor<{tile}, #a>>",
        "m": f"!ttg.memdesc<{count}xi64, #b, #ttg.shared_memory, mutable>",
        "t": f"!ttg.memdesc<{tile}, #a, #ttg.shared_memory, mutable>",
    }
    meet = "ttng.cluster_arrive {relaxed = false}\n    ttng.cluster_wait"
    body = f"""
    %i = arith.constant 0 : i32
    %y = arith.constant true
    %t = ttg.local_alloc : () -> {kinds["t"]}
    %m = ttg.local_alloc : () -> {kinds["m"]}
    ttng.init_barrier %m, 1 : {kinds["m"]}
    ttng.fence_mbarrier_init_release_cluster
    {meet}
    ttng.barrier_expect %m, {size}, %y : {kinds["m"]}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %t, %m, %y {{multicast}}
      : {kinds["d"]}, {kinds["m"]} -> {kinds["t"]}
    ttng.wait_barrier %m, %i deps %t : {kinds["m"]}, {kinds["t"]}
    {meet if barrier else ""}
    ttng.async_tma_copy_local_to_global %e[%i, %i] %t : {kinds["d"]}, {kinds["t"]}
    ttng.async_tma_store_wait {{pendings = 0 : i32}}"""
    described = ", ".join(
        f"%{name}: {kinds['d']}, %{name}m: i32, %{name}n: i32, %{name}p: i64, %{name}q: i64"
        for name in "de"
    )
    layouts = [TILE.format(list(split)), WORD.format(word)]
    return texts.module(body, layouts, blocks, described, chip)


def tiles(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    inputs = np.random.default_rng(0).standard_normal(shape).astype(np.float16)
    return inputs, np.zeros_like(inputs)


SPLITS = [
    ([[0, 0]], (128, 64), 2, 3),
    ([[0, 0], [0, 0]], (64, 64), 4, 15),
    ([[0, 0], [1, 0]], (128, 64), 4, 3),
    ([[1, 0], [0, 0]], (128, 128), 4, 5),
    ([[1, 0], [0, 0], [0, 1]], (128, 128), 8, 5),
]


@pytest.mark.parametrize(("split", "shape", "blocks", "mask"), SPLITS)
def test_first_replica_multicasts(split, shape, blocks, mask):
    module = parse_module(copied(split, shape, blocks))
    x, y = tiles(shape)
    simulated(module, (1, 1), [x, y])
    np.testing.assert_array_equal(x, y)
    text = lower(module).text
    assert "shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [$1]" in text
    assert re.search(rf"shl i32 {mask}, %\S+|i16 {mask}\)", text)
    assembles(module)


def test_distinct_parts_are_not_multicast():
    module = parse_module(copied([[1, 0]], (128, 64), 2))
    assert "multicast" not in lower(module).text
    x, y = tiles((128, 64))
    simulated(module, (1, 1), [x, y])
    np.testing.assert_array_equal(x, y)


def simulated_as(text: str, pattern: str, other: str) -> None:
    """Run a kernel whose LLVM text is changed in one place."""
    module = parse_module(text)
    llvm = lower(module)
    changed, times = re.subn(pattern, other, llvm.text, count=1)
    assert times == 1
    run_text(llvm, changed, (1, 1), expanded(module, list(tiles((128, 64)))))


@pytest.mark.parametrize(
    ("pattern", "other", "message"),
    [
        (r"i16 3\)", "i16 1)", "deadlock"),
        (r"i16 3\)", "i16 7)", "a multicast mask with blocks outside of the cluster"),
        (
            r"call void @llvm.nvvm.barrier.cluster.wait.aligned\(\)\n",
            "",
            "no barrier was initialized",
        ),
    ],
)
def test_missing_synchronization_is_reported(pattern, other, message):
    with pytest.raises(CodegenError, match=message):
        simulated_as(copied([[0, 0]], (128, 64), 2), pattern, other)


def test_triton_matmul_with_multicast_columns():
    """Four stages; a block may write to the other's once both have multiplied."""
    module = parse_module((GOLDEN / "multicast_matmul.ttgir").read_text())
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((512, 384), (384, 128)))
    c = np.zeros((512, 128), np.float16)
    simulated(module, (2, 1), [a, b, c, 384])
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 5e-2)
    assert assembles(module).spill_stores == 0


def test_early_write_to_another_cta_is_reported():
    text = (GOLDEN / "multicast_matmul.ttgir").read_text()
    parts = text.split("      ttng.cluster_arrive {relaxed = true}\n      ttng.cluster_wait\n")
    assert len(parts) == 2
    a, b, c = (np.zeros(shape, np.float16) for shape in ((256, 512), (512, 128), (256, 128)))
    with pytest.raises(CodegenError, match=r"that an unfinished|another block copies to"):
        simulated(parse_module("".join(parts)), (1, 1), [a, b, c, 512])


# ------------------------------------------------------------------------------ shared barriers
@pytest.mark.parametrize(
    ("barrier", "count", "others"),
    [([[0], [1]], 2, "and i32 {}, 1"), ([[1], [0]], 2, "and i32 {}, 2"), ([[0], [0]], 1, "")],
)
def test_first_cta_waits_on_a_shared_mbarrier(barrier, count, others):
    word = f"!ttg.memdesc<{count}xi64, #b, #ttg.shared_memory, mutable>"
    body = (
        f"""
    %m = ttg.local_alloc : () -> {word}
    %y = arith.constant true
    %p = arith.constant 0 : i32
    ttng.init_barrier %m, 1 : {word}
    ttng.arrive_barrier %m, 1, %y : {word}
    ttng.wait_barrier %m, %p, %y : {word}
    ttng.barrier_expect %m, 24, %y : {word}
    ttng.cluster_arrive {{relaxed = false}}
    ttng.cluster_wait"""
        + texts.places("i", "#a")
        + texts.stored("i", "o", "i", "i32", "32x64", "#a")
    )
    layouts = [texts.blocked("rows", 4), WORD.format(barrier)]
    module = parse_module(texts.module(body, layouts, 4, "%o: !tt.ptr<i32>"))
    llvm = lower(module)
    (number,) = re.findall(r"(%\S+) = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank", llvm.text)
    assert others.format(number) in llvm.text
    assert f"expect_tx.shared::cta.b64 _, [$1], {24 * 4 // count}" in llvm.text
    out = np.zeros(32 * 64, np.int32)
    simulated(module, (1, 1), [out])
    np.testing.assert_array_equal(out, np.arange(32 * 64))
    assembles(module)


def test_copies_of_a_cta_pair_arrive_on_the_first_cta():
    text = copied([[1, 0]], (128, 64), 2, [[0]], "cuda:100")
    module = parse_module(text)
    x, y = tiles((128, 64))
    simulated(module, (1, 1), [x, y])
    np.testing.assert_array_equal(x, y)
    actual = lower(module).text
    assert "llvm.nvvm.mapa.shared.cluster" in actual
    assert "mbarrier::complete_tx::bytes.cta_group::2 [$1]" in actual
    assembles(module)
    with pytest.raises(
        CodegenError, match="completes on an mbarrier of a block that does not receive it"
    ):
        simulated_as(text, r"\.cta_group::2", "")


@pytest.mark.parametrize(
    ("barrier", "blocks", "chip", "accepted"),
    [
        ([[0]], 2, "cuda:90", "an mbarrier for each CTA"),
        ([[1], [0]], 4, "cuda:100", "one for each pair of CTAs"),
        ([[0]], 2, "cuda:120", "an mbarrier for each CTA"),
    ],
)
def test_arrival_on_mbarriers_of_other_ctas_is_rejected(barrier, blocks, chip, accepted):
    """Triton 3.7.1 writes such copies, and PTX says that they have no meaning."""
    text = copied([[1, 0], [2, 0]][: blocks // 2], (128, 64), blocks, barrier, chip)
    with pytest.raises(CodegenError) as caught:
        lower(parse_module(text))
    assert "arrives on an mbarrier of its destination CTA" in str(caught.value)
    assert accepted in str(caught.value)
