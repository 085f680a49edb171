"""Programs that are clusters of blocks: what crosses from block to block, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen import cluster_texts as texts
from tests.codegen.comparing import require_same, require_text
from tests.codegen.descriptors import assembles, machine
from tests.examples.loading import load
from weft.codegen import lower
from weft.errors import CodegenError, LayoutError
from weft.ir.text import parse_module
from weft.simulator import run as simulate

(ATTENTION, *_) = load("attention").CASES
M, N = texts.SHAPE
TILE = f"{M}x{N}"
BARRIER = "barrier.cluster.arrive"
SHARED_OUT = ["rows", "columns", "both", "copies"]
CLUSTERS = [("rows", 2), ("columns", 4), ("both", 2), ("both", 4), ("copies", 2)]


def converted(source: str, target: str, blocks: int, kind: str = "f32", *, turned: bool = False):
    """Return a kernel that loads a tile in one layout and stores it in another."""
    layouts = [
        texts.blocked(source, blocks),
        texts.blocked(target, blocks, (4, 1), "0, 1" if turned else "1, 0"),
    ]
    body = (
        texts.places("i", "#a")
        + texts.loaded("x", "p", "i", kind, TILE, "#a")
        + "\n    %y = ttg.convert_layout %x"
        + f" : tensor<{TILE}x{kind}, #a> -> tensor<{TILE}x{kind}, #b>"
        + texts.places("j", "#b")
        + texts.stored("y", "o", "j", kind, TILE, "#b")
    )
    return texts.module(body, layouts, blocks, f"%p: !tt.ptr<{kind}>, %o: !tt.ptr<{kind}>")


@pytest.mark.parametrize("target", SHARED_OUT)
@pytest.mark.parametrize(("source", "blocks"), CLUSTERS)
def test_conversions_between_blocks(source, blocks, target):
    text = converted(source, target, blocks)
    require_text(text, tolerance=0)
    crosses = source != target and source != "copies"
    crosses &= {source, target} != {"rows", "both"} or blocks > 2
    assert (BARRIER in lower(parse_module(text)).text) == crosses


@pytest.mark.parametrize("kind", ["i8", "i16", "bf16", "f16", "i64", "f64"])
def test_conversions_of_every_size(kind):
    require_text(converted("rows", "columns", 2, kind, turned=True), tolerance=0)


def reduced(split: str, axis: int, blocks: int, warps: tuple[int, int]) -> str:
    """Return a kernel that sums along an axis, and keeps the place of the greatest."""
    other = N if axis == 0 else M
    layout = texts.blocked(split, blocks, warps)
    row = f"#ttg.slice<{{dim = {axis}, parent = #a}}>"
    body = (
        texts.places("i", "#a")
        + texts.loaded("x", "p", "i", "f32", TILE, "#a")
        + f"""
    %s = "tt.reduce"(%x) <{{axis = {axis} : i32}}> ({{
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }}) : (tensor<{TILE}xf32, #a>) -> tensor<{other}xf32, {row}>
    %g:2 = "tt.reduce"(%x, %i) <{{axis = {axis} : i32}}> ({{
    ^bb0(%u: f32, %a: i32, %v: f32, %b: i32):
      %more = arith.cmpf ogt, %u, %v : f32
      %w = arith.select %more, %u, %v : f32
      %c = arith.select %more, %a, %b : i32
      tt.reduce.return %w, %c : f32, i32
    }}) : (tensor<{TILE}xf32, #a>, tensor<{TILE}xi32, #a>)
      -> (tensor<{other}xf32, {row}>, tensor<{other}xi32, {row}>)
    %at = tt.make_range {{end = {other} : i32, start = 0 : i32}} : tensor<{other}xi32, {row}>"""
        + texts.stored("s", "o", "at", "f32", str(other), row)
        + f"\n    %where = arith.addi %at, %g#1 : tensor<{other}xi32, {row}>"
        + texts.stored("where", "q", "at", "i32", str(other), row)
    )
    arguments = "%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %q: !tt.ptr<i32>"
    return texts.module(body, [layout], blocks, arguments)


@pytest.mark.parametrize("warps", [(4, 1), (2, 2)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("split", "blocks"), CLUSTERS)
def test_reductions_within_and_between_blocks(split, axis, warps, blocks):
    text = reduced(split, axis, blocks, warps)
    require_text(text)
    between = split == ("rows", "columns")[axis] or (split == "both" and (axis == 0 or blocks > 2))
    assert (BARRIER in lower(parse_module(text)).text) == between


def scanned(split: str, axis: int, blocks: int, *, reverse: bool) -> str:
    """Return a kernel that combines what comes before, which order matters to."""
    body = (
        texts.places("i", "#a")
        + texts.loaded("x", "p", "i", "i32", TILE, "#a")
        + texts.loaded("z", "r", "i", "i32", TILE, "#a")
        + f"""
    %s:2 = "tt.scan"(%x, %z) <{{axis = {axis} : i32, reverse = {str(reverse).lower()}}}> ({{
    ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
      %e = arith.muli %a, %c : i32
      %f = arith.muli %b, %c : i32
      %g = arith.addi %f, %d : i32
      tt.scan.return %e, %g : i32, i32
    }}) : (tensor<{TILE}xi32, #a>, tensor<{TILE}xi32, #a>)
      -> (tensor<{TILE}xi32, #a>, tensor<{TILE}xi32, #a>)
    %t = arith.addi %s#1, %s#0 : tensor<{TILE}xi32, #a>"""
        + texts.stored("t", "o", "i", "i32", TILE, "#a")
    )
    arguments = "%p: !tt.ptr<i32>, %r: !tt.ptr<i32>, %o: !tt.ptr<i32>"
    return texts.module(body, [texts.blocked(split, blocks)], blocks, arguments)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("split", "blocks"), CLUSTERS[:-1])
def test_scans_within_and_between_blocks(split, axis, reverse, blocks):
    require_text(scanned(split, axis, blocks, reverse=reverse), tolerance=0)


def gathered(split: str, other: str, axis: int, blocks: int) -> str:
    """Return a kernel that gathers a tile whose indices another layout holds."""
    layouts = [texts.blocked(split, blocks), texts.blocked(other, blocks, (1, 4))]
    size = texts.SHAPE[axis]
    body = (
        texts.places("i", "#a")
        + texts.places("j", "#b")
        + texts.loaded("x", "p", "i", "f16", TILE, "#a")
        + texts.loaded("n", "q", "j", "i32", TILE, "#b")
        + f"""
    %top = arith.constant dense<{size - 1}> : tensor<{TILE}xi32, #b>
    %at = arith.andi %n, %top : tensor<{TILE}xi32, #b>
    %y = tt.gather %x[%at] {{axis = {axis} : i32}}
      : (tensor<{TILE}xf16, #a>, tensor<{TILE}xi32, #b>) -> tensor<{TILE}xf16, #b>"""
        + texts.stored("y", "o", "j", "f16", TILE, "#b")
    )
    arguments = "%p: !tt.ptr<f16>, %q: !tt.ptr<i32>, %o: !tt.ptr<f16>"
    return texts.module(body, layouts, blocks, arguments)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("other", ["rows", "columns"])
@pytest.mark.parametrize(("split", "blocks"), [CLUSTERS[0], *CLUSTERS[3:]])
def test_gathers_within_and_between_blocks(split, other, axis, blocks):
    text = gathered(split, other, axis, blocks)
    require_text(text, tolerance=0)
    if split == other and axis != ("rows", "columns").index(split):
        assert BARRIER not in lower(parse_module(text)).text


def counted(split: str, result: str, blocks: int) -> str:
    """Return a kernel that counts the numbers of a row."""
    lines = [
        f"#ttg.slice<{{dim = 0, parent = {texts.blocked(each, blocks)}}}>"
        for each in (split, result)
    ]
    body = (
        "\n    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>"
        + texts.loaded("x", "p", "i", "i32", "1024", "#a")
        + """
    %m = arith.constant dense<63> : tensor<1024xi32, #a>
    %b = arith.andi %x, %m : tensor<1024xi32, #a>
    %h = tt.histogram %b : tensor<1024xi32, #a> -> tensor<64xi32, #b>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>"""
        + texts.stored("h", "o", "j", "i32", "64", "#b")
    )
    return texts.module(body, lines, blocks, "%p: !tt.ptr<i32>, %o: !tt.ptr<i32>")


@pytest.mark.parametrize("result", ["columns", "rows"])
@pytest.mark.parametrize(("split", "blocks"), CLUSTERS[:4])
def test_histograms_of_what_several_blocks_hold(split, result, blocks):
    text = counted(split, result, blocks)
    require_text(text, tolerance=0)
    alone = split == "rows" or (split == "both" and blocks == 2)
    assert (BARRIER in lower(parse_module(text)).text) != alone


ATOMIC = """
    %true = arith.constant true
    %one = arith.constant 1 : i32
    %old = tt.atomic_rmw add, acq_rel, gpu, %p, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #a>
    %z = tt.splat %old : i32 -> tensor<256xi32, #a>
    %y = arith.addi %z, %i : tensor<256xi32, #a>"""


@pytest.mark.parametrize("blocks", [2, 4])
def test_one_block_of_a_cluster_updates_a_scalar(blocks):
    line = f"#ttg.slice<{{dim = 0, parent = {texts.blocked('columns', blocks)}}}>"
    body = ATOMIC + texts.stored("y", "o", "i", "i32", "256", "#a")
    text = texts.module(body, [line], blocks, "%p: !tt.ptr<i32>, %o: !tt.ptr<i32>")
    require_text(text, tolerance=0)


@pytest.mark.parametrize("blocks", [2, 4])
@pytest.mark.parametrize("split", ["copies", "columns"])
def test_one_of_the_blocks_that_hold_an_element_updates_it(split, blocks):
    kind = f"tensor<{TILE}xi32, #a>"
    body = (
        texts.places("i", "#a")
        + texts.pointers("a", "p", "i", "i32", TILE, "#a")
        + f"""
    %m = arith.constant dense<true> : tensor<{TILE}xi1, #a>
    %old = tt.atomic_rmw add, acq_rel, gpu, %a, %i, %m
      : (tensor<{TILE}x!tt.ptr<i32>, #a>, {kind}, tensor<{TILE}xi1, #a>) -> {kind}
    %new = arith.xori %old, %i : {kind}"""
        + texts.stored("new", "o", "i", "i32", TILE, "#a")
    )
    layout = texts.blocked(split, blocks)
    arguments = "%p: !tt.ptr<i32>, %o: !tt.ptr<i32>"
    text = texts.module(body, [layout], blocks, arguments)
    report = lower(parse_module(text))
    found = [np.zeros(M * N, np.int32) for _ in range(2)]
    simulate(
        report.text,
        grid=(1,),
        arguments=found,
        warp_size=32,
        shared_bytes=report.shared_bytes,
    )
    np.testing.assert_array_equal(found[0], np.arange(M * N))
    np.testing.assert_array_equal(found[1], np.arange(M * N))


def test_a_program_is_a_cluster():
    text = texts.module(
        """
    %x = tt.get_program_id x : i32
    %n = tt.get_num_programs x : i32
    %y = tt.get_program_id y : i32
    %a = arith.muli %y, %n : i32
    %b = arith.addi %a, %x : i32
    %q = tt.addptr %p, %b : !tt.ptr<i32>, i32
    tt.store %q, %b : !tt.ptr<i32>""",
        [],
        2,
        "%p: !tt.ptr<i32>",
    )
    require_text(text, tolerance=0)
    assembly = machine().emit(lower(parse_module(text)), "assembly").decode()
    assert ".reqnctapercluster 2" in assembly
    assert "%clusterid.x" in assembly
    assert "%nclusterid.x" in assembly
    assert "%ctaid" not in assembly


def test_what_others_read_is_read_there():
    assembly = machine().emit(lower(parse_module(converted("rows", "columns", 2))), "assembly")
    text = assembly.decode()
    assert "mapa.shared::cluster" in text
    assert "ld.shared::cluster.v2" in text
    assert text.count("barrier.cluster.arrive.aligned") == 2
    assembles(parse_module(converted("rows", "columns", 2)))


def test_without_the_second_barrier_a_block_may_end_too_early():
    llvm = lower(parse_module(converted("rows", "columns", 2)))
    last = "  call void @llvm.nvvm.barrier.cluster.{}.aligned()\n"
    text = llvm.text
    for verb in ("arrive", "wait"):
        head, _, tail = text.rpartition(last.format(verb))
        text = head + tail
    with pytest.raises(CodegenError, match="has ended, and its shared memory is read"):
        simulate(
            text,
            grid=(1,),
            arguments=[np.zeros(M * N, np.float32) for _ in range(2)],
            warp_size=32,
            shared_bytes=llvm.shared_bytes,
        )


def refused(text: str) -> str:
    with pytest.raises(CodegenError) as caught:
        lower(parse_module(text))
    return str(caught.value)


def test_chips_without_clusters():
    text = refused(converted("rows", "rows", 2).replace("cuda:90", "cuda:80"))
    assert "cuda:80 has no clusters of 2 blocks" in text
    assert "accepted: num_ctas=1" in text


def test_chips_whose_blocks_do_not_reach_each_other():
    kept = converted("rows", "rows", 2).replace("cuda:90", "hip:gfx1250")
    assert '"amdgpu-cluster-dims"="2,1,1"' in lower(parse_module(kept)).text
    text = refused(converted("rows", "columns", 2).replace("cuda:90", "hip:gfx1250"))
    assert "do not reach each other's shared memory on hip:gfx1250" in text


def test_other_warps_of_the_block_do_something_else():
    """A barrier of the cluster is for all threads of all blocks."""
    moved = f"tensor<{TILE}xf32, #a> -> tensor<{TILE}xf32, #b>"
    text = converted("rows", "columns", 2)
    inside = f"""
    %y = ttg.warp_specialize() attributes {{requestedRegisters = array<i32: 24>}}
    default {{
      %z = ttg.convert_layout %x : {moved}
      ttg.warp_yield %z : tensor<{TILE}xf32, #b>
    }}
    partition0() num_warps(1) {{
      ttg.warp_return
    }} : () -> tensor<{TILE}xf32, #b>
"""
    text = text.replace(f"%y = ttg.convert_layout %x : {moved}", inside)
    assert "outside of ttg.warp_specialize" in refused(text)


@pytest.mark.parametrize("relaxed", ["true", "false"])
def test_barriers_that_the_ir_asks_for(relaxed):
    body = f"""
    ttng.cluster_arrive {{relaxed = {relaxed}}}
    ttng.cluster_wait
    %x = arith.constant 1 : i32
    tt.store %p, %x : !tt.ptr<i32>"""
    text = texts.module(body, [], 2, "%p: !tt.ptr<i32>")
    require_text(text, tolerance=0)
    kind = ".relaxed" if relaxed == "true" else ""
    assert f"{BARRIER}{kind}.aligned()" in lower(parse_module(text)).text


@pytest.mark.parametrize("name", ["cluster_arrive {relaxed = false}", "cluster_wait"])
def test_barriers_while_other_warps_do_something_else(name):
    body = f"""
    ttg.warp_specialize() attributes {{requestedRegisters = array<i32: 24>}}
    default {{
      ttng.{name}
      ttg.warp_yield
    }}
    partition0() num_warps(1) {{
      ttg.warp_return
    }} : () -> ()"""
    text = refused(texts.module(body, [], 2, ""))
    assert f"ttng.{name.split()[0]} is for all threads of a block" in text


# ------------------------------------------------------------------------------ from kernels on
@weft.jit
def softmax_row(x, o, N: tl.constexpr):
    places = tl.program_id(0) * N + tl.arange(0, N)
    row = tl.load(x + places)
    row = tl.exp(row - tl.max(row, 0))
    tl.store(o + places, row / tl.sum(row, 0))


@weft.jit
def sums_of_rows(x, o, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tl.store(o + m, tl.sum(tl.load(x + m[:, None] * N + n[None, :]), 1))


def compiled(kernel, signature: str, blocks: int, **options):
    return weft.compile(kernel, signature=signature, target="cuda:90", num_ctas=blocks, **options)


@pytest.mark.parametrize("blocks", [2, 4, 8])
def test_a_row_over_all_blocks(blocks):
    """Triton 3.7.1 does not compile this."""
    made = compiled(softmax_row, "*fp32:16, *fp32:16, 2048", blocks)
    require_same(made)
    assert lower(made.module("ttgir")).text.count(f"call void @llvm.nvvm.{BARRIER}") == 4


@pytest.mark.parametrize("blocks", [2, 4])
def test_rows_beside_each_other_need_no_other_block(blocks):
    made = compiled(sums_of_rows, "*fp32:16, *fp32:16, 64, 128", blocks)
    require_same(made)
    assert BARRIER not in lower(made.module("ttgir")).text


@weft.jit
def product(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TILES: tl.constexpr
):  # fmt: skip
    pm, pn = tl.program_id(0), tl.program_id(1)
    total = tl.zeros((BM, BN), tl.float32)
    if TILES:
        left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
        right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
        found = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
        for k in range(0, K, BK):
            total = tl.dot(left.load([pm * BM, k]), right.load([k, pn * BN]), total)
        found.store([pm * BM, pn * BN], total)
    else:
        m, n, k = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
        left = a + m[:, None] * K + k[None, :]
        right = b + k[:, None] * N + n[None, :]
        for _ in range(0, K, BK):
            total = tl.dot(tl.load(left), tl.load(right), total)
            left += BK
            right += BK * N
        tl.store(c + m[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("tiles", [0, 1])
@pytest.mark.parametrize(
    ("blocks", "sizes"), [(2, (128, 64, 32)), (4, (128, 128, 32)), (2, (16, 32, 16))], ids=str
)
def test_each_block_multiplies_what_it_loads(blocks, sizes, tiles):
    bm, bn, bk = sizes
    signature = f"*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, {bm}, {bn}, {bk}, {tiles}"
    llvm = lower(compiled(product, signature, blocks).module("ttgir"))
    random = np.random.default_rng(0)
    m, n, k = bm, 2 * bn, 3 * bk
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros(m * n, np.float32)
    simulate(
        llvm.text,
        grid=(1, 2),
        arguments=[a.reshape(-1), b.reshape(-1), c, m, n, k],
        warp_size=32,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )
    wanted = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c.reshape(m, n), wanted, rtol=1e-3, atol=1e-2)
    assert BARRIER not in llvm.text


def test_rows_of_one_product_stay_where_the_next_one_takes_them():
    kernel, signature, named, options, *_ = ATTENTION
    made = weft.compile(
        kernel, signature=signature, constexprs=named, target="cuda:90", **options | {"num_ctas": 2}
    )
    assert BARRIER not in lower(made.module("ttgir")).text
    assembles(made)


@weft.jit
def summed_tiles(x, y, rows, columns):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [32, 32])
    target = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [32, 32])
    place = [0, tl.program_id(0) * 32]
    target.atomic_add(place, source.load(place))


@pytest.mark.parametrize("blocks", [2, 4])
def test_tiles_are_added_once(blocks):
    require_same(compiled(summed_tiles, "*i32:16, *i32:16, i32:16, i32:16", blocks), tolerance=0)


# ------------------------------------------------------------------------------------- refusals
ROWS, COLUMNS = "CGALayout = [[1, 0]]", "CGALayout = [[0, 1]]"
SWIZZLED = "#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], {}}}>"


@pytest.mark.parametrize(("verb", "split"), [("reads", "rows"), ("writes", "columns")])
def test_a_block_reaches_its_own_buffers_only(verb, split):
    layouts = [texts.blocked(split, 2), texts.blocked("columns", 2), SWIZZLED.format(ROWS)]
    memory = f"!ttg.memdesc<{TILE}xf32, #c, #ttg.shared_memory>"
    body = (
        texts.places("i", "#a")
        + texts.loaded("x", "p", "i", "f32", TILE, "#a")
        + f"""
    %m = ttg.local_alloc %x : (tensor<{TILE}xf32, #a>) -> {memory}
    %y = ttg.local_load %m : {memory} -> tensor<{TILE}xf32, #b>"""
    )
    text = refused(texts.module(body, layouts, 2, "%p: !tt.ptr<f32>"))
    assert f"each block of a cluster {verb} its own shared memory" in text
    assert "convert_layout moves tensors between blocks" in text


def test_a_barrier_that_blocks_share():
    layout = SWIZZLED.format("CGALayout = [[0]]").replace("[1, 0]", "[0]")
    word = "!ttg.memdesc<1xi64, #a, #ttg.shared_memory, mutable>"
    body = f"""
    %b = ttg.local_alloc : () -> {word}
    ttng.init_barrier %b, 1 : {word}"""
    text = refused(texts.module(body, [layout], 2, ""))
    assert "one barrier is expected, for each block of the cluster" in text
    assert "memdesc<2xi64>" in text


def test_an_operand_that_lies_in_another_block():
    shared = (
        "#ttg.nvmma_shared<{{swizzlingByteWidth = 64, transposed = false, "
        "elementBitWidth = 16, {}}}>"
    )
    mma = (
        "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], "
        "CGALayout = [[1, 0]], instrShape = [16, 32, 16]}>"
    )
    layouts = [mma, shared.format(COLUMNS), shared.format("CGALayout = [[0, 0]]")]
    a = "!ttg.memdesc<128x64xf16, #b, #ttg.shared_memory, mutable>"
    b = "!ttg.memdesc<64x32xf16, #c, #ttg.shared_memory, mutable>"
    body = f"""
    %x = ttg.local_alloc : () -> {a}
    %y = ttg.local_alloc : () -> {b}
    %c = arith.constant dense<0.0> : tensor<128x32xf32, #a>
    %d = ttng.warp_group_dot %x, %y, %c {{inputPrecision = 0 : i32}}
      : {a} * {b} -> tensor<128x32xf32, #a>"""
    text = refused(texts.module(body, layouts, 2, ""))
    assert "must hold what its part of the result takes of an operand" in text
    assert "blocks that step by [(64, 0)]" in text


def test_blocks_that_hold_no_boxes():
    layout = (
        "#ttg.linear<{register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0]],"
        " warp = [[8, 0], [16, 0]], block = [[0, 16]]}>"
    )
    row = "#ttg.slice<{dim = 1, parent = #a}>"
    body = f"""
    %x = arith.constant dense<1.0> : tensor<32x32xf32, #a>
    %s = "tt.reduce"(%x) <{{axis = 1 : i32}}> ({{
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }}) : (tensor<32x32xf32, #a>) -> tensor<32xf32, {row}>"""
    lower(parse_module(texts.module(body, [layout], 2, "")))
    odd = layout.replace("block = [[0, 16]]", "block = [[0, 2]]").replace("[0, 2],", "[0, 16],")
    with pytest.raises(LayoutError, match="must hold boxes, one beside the other"):
        lower(parse_module(texts.module(body, [odd], 2, "")))


def test_rows_by_number_that_blocks_share_out():
    tile = (
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, "
        "CGALayout = [[1, 0]]}>"
    )
    word = SWIZZLED.format("CGALayout = [[1]]").replace("[1, 0]", "[0]", 1)
    rows = (
        "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], "
        "threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = [[0, 1]]}>}>"
    )
    kinds = [
        "!tt.tensordesc<tensor<1x64xf16, #a>>",
        "tensor<32xi32, #c>",
        "i32",
        "!ttg.memdesc<2xi64, #b, #ttg.shared_memory, mutable>",
        "!ttg.memdesc<32x64xf16, #a, #ttg.shared_memory, mutable>",
        "i1",
    ]
    body = f"""
    %m = ttg.local_alloc : () -> {kinds[3]}
    %t = ttg.local_alloc : () -> {kinds[4]}
    %r = tt.make_range {{end = 32 : i32, start = 0 : i32}} : {kinds[1]}
    %i = arith.constant 0 : i32
    %y = arith.constant true
    ttng.async_tma_gather %d[%r, %i] %t, %m, %y : {", ".join(kinds)}"""
    text = refused(texts.module(body, [tile, word, rows], 2, f"%d: {kinds[0]}", "cuda:100"))
    assert "cannot gather rows that blocks of a cluster share out" in text
