"""Clusters of CTAs: conversions, reductions, scans and atomics across CTAs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen import cluster_texts as texts
from tests.codegen.comparing import require_text
from tests.codegen.descriptors import assembles, llvm_machine
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate

M, N = texts.SHAPE
TILE = f"{M}x{N}"
BARRIER = "barrier.cluster.arrive"
SHARED_OUT = ["rows", "columns", "both", "copies"]
TWO = (2, 1)  # programs: none asks for its number, but a block must not count itself by the grid
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
def test_conversions_between_ctas(source, blocks, target):
    text = converted(source, target, blocks)
    require_text(text, tolerance=0, grid=TWO)
    crosses = source != target and source != "copies"
    crosses &= {source, target} != {"rows", "both"} or blocks > 2
    assert (BARRIER in lower(parse_module(text)).text) == crosses


@pytest.mark.parametrize("kind", ["i8", "i16", "bf16", "f16", "i64", "f64"])
def test_conversions_of_every_element_size(kind):
    require_text(converted("rows", "columns", 2, kind, turned=True), tolerance=0, grid=TWO)


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
def test_reductions_within_and_between_ctas(split, axis, warps, blocks):
    text = reduced(split, axis, blocks, warps)
    require_text(text, grid=TWO)
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
def test_scans_within_and_between_ctas(split, axis, reverse, blocks):
    require_text(scanned(split, axis, blocks, reverse=reverse), tolerance=0, grid=TWO)


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
def test_gathers_within_and_between_ctas(split, other, axis, blocks):
    text = gathered(split, other, axis, blocks)
    require_text(text, tolerance=0, grid=TWO)
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
def test_histograms_between_ctas(split, result, blocks):
    text = counted(split, result, blocks)
    require_text(text, tolerance=0, grid=TWO)
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
def test_one_cta_updates_a_scalar(blocks):
    line = f"#ttg.slice<{{dim = 0, parent = {texts.blocked('columns', blocks)}}}>"
    body = ATOMIC + texts.stored("y", "o", "i", "i32", "256", "#a")
    text = texts.module(body, [line], blocks, "%p: !tt.ptr<i32>, %o: !tt.ptr<i32>")
    require_text(text, tolerance=0)


@pytest.mark.parametrize("blocks", [2, 4])
@pytest.mark.parametrize("split", ["copies", "columns"])
def test_replicated_elements_are_updated_by_one_cta(split, blocks):
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
    actual = [np.zeros(M * N, np.int32) for _ in range(2)]
    simulate(
        report.text,
        grid=(1,),
        arguments=actual,
        warp_size=32,
        shared_bytes=report.shared_bytes,
    )
    np.testing.assert_array_equal(actual[0], np.arange(M * N))
    np.testing.assert_array_equal(actual[1], np.arange(M * N))


def test_program_is_a_cluster():
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
    assembly = llvm_machine().emit(lower(parse_module(text)), "assembly").decode()
    assert ".reqnctapercluster 2" in assembly
    assert "%clusterid.x" in assembly
    assert "%nclusterid.x" in assembly
    assert "%ctaid" not in assembly


def test_remote_reads_use_distributed_shared_memory():
    assembly = llvm_machine().emit(lower(parse_module(converted("rows", "columns", 2))), "assembly")
    text = assembly.decode()
    assert "mapa.shared::cluster" in text
    assert "ld.shared::cluster.v2" in text
    assert text.count("barrier.cluster.arrive.aligned") == 2
    assembles(parse_module(converted("rows", "columns", 2)))


def test_missing_final_cluster_barrier_is_reported():
    llvm = lower(parse_module(converted("rows", "columns", 2)))
    last = "  call void @llvm.nvvm.barrier.cluster.{}.aligned()\n"
    text = llvm.text
    for verb in ("arrive", "wait"):
        head, _, tail = text.rpartition(last.format(verb))
        text = head + tail
    with pytest.raises(CodegenError, match="is read after the block has exited"):
        simulate(
            text,
            grid=(1,),
            arguments=[np.zeros(M * N, np.float32) for _ in range(2)],
            warp_size=32,
            shared_bytes=llvm.shared_bytes,
        )


@pytest.mark.parametrize("relaxed", ["true", "false"])
def test_explicit_cluster_barriers(relaxed):
    body = f"""
    ttng.cluster_arrive {{relaxed = {relaxed}}}
    ttng.cluster_wait
    %x = arith.constant 1 : i32
    tt.store %p, %x : !tt.ptr<i32>"""
    text = texts.module(body, [], 2, "%p: !tt.ptr<i32>")
    require_text(text, tolerance=0, grid=TWO)
    kind = ".relaxed" if relaxed == "true" else ""
    assert f"{BARRIER}{kind}.aligned()" in lower(parse_module(text)).text


BESIDE = """
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
"""


@pytest.mark.parametrize("moved", ["before", "after", "both"])
def test_partition_warps_join_cluster_barriers(moved):
    """A barrier of a cluster is for all threads of its blocks, those that wait for work as well."""
    text = converted("rows", "columns", 2)
    start = text.index("    %y = ttg.convert_layout")
    end = text.index("\n", start) + 1
    parts = {
        "before": text[:end] + BESIDE + text[end:],
        "after": text[:start] + BESIDE + text[start:],
        "both": text[:start] + BESIDE + text[start:end] + BESIDE + text[end:],
    }
    module = parse_module(parts[moved])
    llvm = lower(module)
    x = np.random.default_rng(0).standard_normal((M, N)).astype(np.float32)
    y = np.zeros_like(x)

    def run(text: str) -> None:
        simulate(
            text,
            grid=(1,),
            arguments=[x.reshape(-1), y.reshape(-1)],
            warp_size=32,
            shared_bytes=llvm.shared_bytes,
        )

    run(llvm.text)
    np.testing.assert_array_equal(x, y)
    assembles(module)
    head, _, workers = llvm.text.partition("workers.all:")
    arrives = f"  call void @llvm.nvvm.{BARRIER}.aligned()\n"
    assert workers.count(arrives) == 1
    with pytest.raises(CodegenError, match=r"wait|elsewhere"):
        run(f"{head}workers.all:{workers.replace(arrives, '')}")
