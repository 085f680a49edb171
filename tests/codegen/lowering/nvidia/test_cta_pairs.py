"""tcgen05 with CTA pairs: the issuing CTA, its operands and the mbarriers that commits signal."""

from __future__ import annotations

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.descriptors import assembles, expanded, run_text, simulated
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

FILES = Path(__file__).parents[2] / "golden"
GOLDEN = (FILES / "pairs_matmul.ttgir").read_text()


def with_two_blocks(rows: int = 256, columns: int = 128, block: str = "") -> str:
    """Return the kernel for one pair. Args: block: blockN of D, if it is not its columns."""
    text = GOLDEN.replace(", {is_async, multicast, two_ctas}", ", {is_async, two_ctas}")
    text = re.sub(r"CGALayout = \[\[1, 0\], [^}]*\]", "CGALayout = [[1, 0]]", text)
    text = re.sub(r"CGALayout = \[\[0, 1\], [^}]*\]", "CGALayout = [[0, 1]]", text)
    text = text.replace("CGALayout = [[0], [1], [2]]", "CGALayout = [[0]]")
    text = text.replace("CGALayout = [[1], [2], [4]]", "CGALayout = [[1]]")
    text = text.replace("4xi64", "1xi64").replace("8xi64", "2xi64")
    text = text.replace("init_barrier %bar_12, 3", "init_barrier %bar_12, 1")
    text = text.replace('"ttg.num-ctas" = 8', '"ttg.num-ctas" = 2')
    text = text.replace(", CTASplitN = 2", "").replace("CTASplitM = 4", "CTASplitM = 2")
    for before, after in (("512x64", f"{rows}x64"), ("64x256", f"64x{columns}")):
        text = text.replace(before, after)
    text = text.replace("512x256", f"{rows}x{columns}")
    text = text.replace("24576", str(rows * 64 + columns * 64))
    steps = [[1 << bit, 0] for bit in range(7, rows.bit_length() - 2)]
    registers = [[0, 1 << bit] for bit in range(columns.bit_length() - 1)] + steps
    text = re.sub(r"register = \[\[.*?\]\]", f"register = {registers}", text)
    text = re.sub(r"block = \[\[.*?\]\]", f"block = [[{rows // 2}, 0]]", text)
    return text.replace("blockN = 128", f"blockN = {block or columns}")


def run(text: str, rows: int, columns: int, depth: int, more: float = 0) -> None:
    """Simulate a kernel, and compare with numpy. Args: more: is added to the product."""
    random = np.random.default_rng(0)
    a, b = (
        random.standard_normal(shape).astype(np.float16)
        for shape in ((rows, depth), (depth, columns))
    )
    c = np.zeros((rows, columns), np.float16)
    simulated(parse_module(text), (1, 1), [a, b, c, depth])
    expected = a.astype(np.float32) @ b.astype(np.float32) + more
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 5e-2)


def test_triton_matmul_of_eight_ctas():
    """Four pairs: A goes to the two that share its rows, B to the two that share its columns."""
    run(GOLDEN, 512, 256, 128)
    module = parse_module(GOLDEN)
    text = lower(module).text
    for name in ("alloc", "relinquish_alloc_permit", "dealloc", "mma", "commit"):
        assert f"tcgen05.{name}.cta_group::2." in text
    assert "cta_group::1" not in text
    assert assembles(module).spill_stores == 0


@pytest.mark.parametrize(("rows", "columns"), [(256, 128), (256, 256), (512, 128)], ids=str)
def test_single_cta_pair(rows, columns):
    text = with_two_blocks(rows, columns)
    run(text, rows, columns, 128)
    actual = lower(parse_module(text)).text
    assert re.search(r"tcgen05.commit.*multicast::cluster.b64 \[\$1\], \$2;.*i16 3\)", actual)
    assert "complete_tx::bytes.multicast" not in actual
    described = 1 << 4 | 1 << 16 | columns >> 3 << 17 | 256 >> 4 << 24
    assert f"i32 {described}" in actual
    assembles(parse_module(text))


def test_triton_warp_specialized_matmul_of_a_cta_pair():
    """One warp of each block asks for tiles, one of the first multiplies."""
    text = (FILES / "pairs_specialised.ttgir").read_text()
    run(text, 256, 128, 192)
    assembles(parse_module(text))


def test_explicit_commits_signal_mbarriers():
    """Gluon's dots need not name barriers, where tc_gen5_commit does."""
    kinds = re.search(r"tc_gen5_mma .* : (.*), (!ttg.memdesc<8xi64[^>]*>)", GOLDEN)
    assert kinds is not None
    a, b, d = re.findall(r"!ttg.memdesc<[^>]*>", kinds[1])
    text = GOLDEN.replace(", %bar_12[%true] {is_async, multicast, two_ctas}", " {two_ctas}")
    text = text.replace(
        f"{{two_ctas}} : {a}, {b}, {d}, {kinds[2]}",
        f"{{two_ctas}} : {a}, {b}, {d}\n      ttng.tc_gen5_commit %bar_12 descs %smem_a, %smem_b"
        f" : {kinds[2]}, {a}, {b}",
    )
    assert "tc_gen5_commit" in text
    run(text, 512, 256, 128)


def with_64_rows() -> str:
    """Return the kernel for one pair whose blocks hold 64 rows each."""
    text = with_two_blocks(128, 128).replace("blockM = 128", "blockM = 64")
    text = re.sub(r"register = \[\[.*?\]\]", f"register = {[[0, 1 << n] for n in range(6)]}", text)
    return text.replace("warp = [[32, 0], [64, 0]]", "warp = [[32, 0], [0, 64]]")


def test_cta_pair_with_64_rows_each():
    """The right half of the columns lies below the left one, in 64 columns of all rows."""
    text = with_64_rows()
    run(text, 128, 128, 128)
    actual = lower(parse_module(text)).text
    assert "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [$1], 64;" in actual
    assert f"i32 {1 << 4 | 1 << 16 | 128 >> 3 << 17 | 128 >> 4 << 24}" in actual
    assembles(parse_module(text))


def test_cta_pair_with_64_rows_errors():
    with pytest.raises(CodegenError, match="64 rows each has one tile"):
        lower(parse_module(GOLDEN.replace("blockM = 128", "blockM = 64")))
    text = with_64_rows()
    (total,) = re.findall(r"%acc = ttng.tmem_alloc : \(\) -> (.*)", text)
    wide = "%acc = ttng.tmem_alloc"
    part = total.replace("128x128xf32", "128x64xf32").replace("mutable>", "mutable, 128x128>")
    view = f"%half = ttng.tmem_subslice %acc {{N = 64 : i32}} : {total} -> {part}"
    start = text.index(wide)
    end = text.index("\n", start)
    with pytest.raises(CodegenError, match="columns that are split over CTAs"):
        lower(parse_module(f"{text[:end]}\n    {view}{text[end:]}"))
    left = "!ttg.memdesc<128x64xf16, #tmem, #ttng.tensor_memory, mutable>"
    left = left.replace("#tmem", "#left")
    layout = re.search(r"#tmem = (.*)", text)
    assert layout is not None
    rows = f"#left = {layout[1].replace('blockN = 128', 'blockN = 64')}\n"
    text = text.replace("#tmem = ", f"{rows}#tmem = ", 1)
    text = text.replace(wide, f"%left = ttng.tmem_alloc : () -> {left}\n    {wide}", 1)
    dot = re.search(
        r"tc_gen5_mma %smem_a(.*) : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>", text
    )
    assert dot is not None
    text = text.replace(dot[0], f"tc_gen5_mma %left{dot[1]} : {left}")
    with pytest.raises(CodegenError, match="64 rows each need A in shared memory"):
        lower(parse_module(text))


@pytest.mark.parametrize("name", ["scaled_cluster", "scaled_pair"])
def test_scaled_mma_of_cta_pairs(name):
    """Each block has scales of its rows of A, and of all rows of B. Triton 3.7.1 refuses both."""
    module = parse_module((FILES / f"{name}.ttgir").read_text())
    random = np.random.default_rng(0)
    a, b = (
        random.standard_normal(shape).astype(ml_dtypes.float8_e4m3fn)
        for shape in ((256, 128), (128, 128))
    )
    of_a, of_b = (random.integers(124, 131, (len(each), 4)).astype(np.uint8) for each in (a, b))
    c = np.zeros((256, 128), np.float16)
    inputs = [
        a.view(np.uint8),
        b.view(np.uint8),
        c,
        *(each.view(np.int8).reshape(-1) for each in (of_a, of_b)),
    ]
    simulated(module, (1, 1), inputs)
    left, right = (
        values.astype(np.float32) * np.repeat(np.exp2(scales.astype(np.float32) - 127), 32, axis=1)
        for values, scales in ((a, of_a), (b, of_b))
    )
    np.testing.assert_allclose(c.astype(np.float32), left @ right.T, 1e-2, 1)
    assembles(module)


def test_tmem_copy_of_cta_pairs():
    text = with_two_blocks()
    shared = text.index("#smem = ")
    rows = "#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
    rows += "elementBitWidth = 32, CGALayout = [[1, 0]]}>\n"
    text = text[:shared] + rows + text[shared:]
    kinds = "tensor<256x128xf32, #linear>", "!ttg.memdesc<256x128xf32, #rows, #smem>"
    (total,) = re.findall(r"%acc = ttng.tmem_alloc : \(\) -> (.*)", text)
    copy = f"""
    %three = arith.constant dense<3.0> : {kinds[0]}
    %first = ttg.local_alloc %three : ({kinds[0]}) -> {kinds[1]}
    ttng.fence_async_shared {{bCluster = false}}
    ttng.cluster_arrive {{relaxed = false}}
    ttng.cluster_wait
    ttng.tmem_copy %first, %acc : {kinds[1]}, {total}
    %phase = scf.for"""
    text = text.replace("\n    %phase = scf.for", copy)
    text = text.replace("arith.cmpi ne, %k, %c0_i32 : i32", "arith.constant true")
    run(text, 256, 128, 128, more=3)
    assert "tcgen05.cp.cta_group::2.128x256b" in lower(parse_module(text)).text
    assembles(parse_module(text))


def begun(meets: str) -> str:
    """Return the kernel for one pair, whose threads write where it is going to add."""
    text = with_two_blocks()
    (total,) = re.findall(r"%acc = ttng.tmem_alloc : \(\) -> (.*)", text)
    first = f"""
    %three = arith.constant dense<3.0> : tensor<256x128xf32, #linear>
    %yes = arith.constant true
    ttng.tmem_store %three, %acc, %yes : tensor<256x128xf32, #linear> -> {total}
    {meets}
    %phase = scf.for"""
    text = text.replace("\n    %phase = scf.for", first)
    return text.replace("arith.cmpi ne, %k, %c0_i32 : i32", "arith.constant true")


def test_accumulator_stored_by_both_ctas():
    meets = "ttng.cluster_arrive {relaxed = false}\n    ttng.cluster_wait"
    run(begun(meets), 256, 128, 64, more=3)


@pytest.mark.parametrize(
    ("pattern", "other", "message"),
    [
        (r"(tcgen05.dealloc.cta_group::)2", r"\g<1>1", "must have the same cta_group"),
        (r"(tcgen05.mma.cta_group::)2", r"\g<1>1", "must have the same cta_group"),
        (r"(multicast::cluster.b64 \[\$1\], \$2;.*i16) 3\)", r"\1 1)", "deadlock"),
        (r"br i1 %\S+, label %(multiply\S+), label \S+", r"br label %\1", "issued by one thread"),
        (
            r"(and i1 (%\S+), )%\S+(\n\s+br i1 %\S+, label %multiply)",
            r"\1\2\3",
            "must be issued by the first block of a pair",
        ),
    ],
)
def test_hazards_are_reported(pattern, other, message):
    module = parse_module(with_two_blocks())
    llvm = lower(module)
    text, times = re.subn(pattern, other, llvm.text, count=1)
    assert times == 1
    a, b, c = (np.zeros(shape, np.float16) for shape in ((256, 64), (64, 128), (256, 128)))
    with pytest.raises(CodegenError, match=message):
        run_text(llvm, text, (1, 1), expanded(module, [a, b, c, 64]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (with_two_blocks(columns=256, block="128"), "computes all columns at once"),
        (GOLDEN.replace(", two_ctas}", "}"), "all MMAs of a kernel must use CTA pairs"),
        (
            GOLDEN.replace("[[0, 1], [0, 0], [0, 2]]", "[[0, 0], [0, 0], [0, 1]]"),
            "must hold the operands of its part of the result",
        ),
    ],
)
def test_cta_pair_errors(text, message):
    with pytest.raises(CodegenError, match=message):
        lower(parse_module(text))
