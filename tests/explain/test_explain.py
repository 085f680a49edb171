"""Reports of small kernels and of dumps: memory, conversions, shared memory, dots, comparisons."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import weft
import weft.language as tl
from weft.errors import PassError, WeftError
from weft.explain import explain
from weft.explain.comparison import compare
from weft.explain.filtering import filter_by_line, filter_by_value
from weft.explain.text_report import text

ROOT = Path(__file__).parents[2]


@weft.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@weft.jit
def turn(x, y, rows, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tile = tl.load(x + i * rows + j)
    tl.store(y + i + j * rows, tile)


@weft.jit
def product(a, b, c, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    acc = tl.dot(tl.load(a + i * N + j), tl.load(b + i * N + j), input_precision="ieee")
    tl.store(c + i * N + j, acc)


def memory_of(signature, target="cuda:90", **options):
    return explain(copy, signature=signature, target=target, **options).memory


@pytest.mark.parametrize(
    ("signature", "bits", "limit"),
    [
        ("*fp32:16, *fp32:16, i32:16, 1024", 128, "widest"),
        ("*fp32, *fp32, i32:16, 1024", 32, "divisibility"),
        ("*fp32:16, *fp32:16, i32, 1024", 32, "mask"),
        ("*fp32:16, *fp32:16, i32:16, 128", 32, "share"),
    ],
)
def test_what_limits_an_access(signature, bits, limit):
    load, store = memory_of(signature, stop_after="layout")
    assert (load.op, store.op) == ("tt.load", "tt.store")
    assert (load.vector_bits, load.limit) == (bits, limit)
    # Behind the mask, a thread still holds 4 neighbours, which it takes one at a time: in gaps.
    assert load.sectors_per_request == (16 if limit in ("widest", "mask") else 4)


def test_order_limits_one_side_of_a_transposition():
    report = explain(turn, signature="*fp16:16, *fp16:16, i32:16, 64", target="cuda:90")
    (conversion,) = report.conversions
    assert conversion.plan == "shared"
    assert conversion.barriers == 1
    assert conversion.size_bytes == 64 * 64 * 2
    assert [anchor and anchor.op for anchor in conversion.anchors] == ["tt.load", "tt.store"]
    ways = " ".join(conversion.removal)
    assert "tt.load at line" in ways
    assert "tt.store at line" in ways
    assert "2-byte accesses instead of 16" in ways
    (finding,) = report.findings
    assert finding.about == "conversion"
    assert "tt.load and tt.store need different layouts" in finding.message
    assert "along the same dimension" in finding.edit


def test_a_dot_on_matrix_units_and_one_without():
    half = explain(product, signature="*fp16:16, *fp16:16, *fp32:16, 64", target="hip:gfx942")
    (dot,) = half.dots
    assert "mfma" in dot.instruction
    assert dot.per_warp * dot.tile[0] * dot.tile[1] * dot.tile[2] * 4 == 64**3
    assert dot.rejected
    facts = dict(dot.facts)
    assert facts["kWidth"].startswith("4: ")
    assert facts["isTransposed"].startswith("true: ")
    assert facts["warps per block"].startswith("[2, 2]: ")
    assert "instruction" not in facts
    assert "not recorded" not in dot.why
    full = explain(product, signature="*fp32:16, *fp32:16, *fp32:16, 64", target="hip:gfx1201")
    (dot,) = full.dots
    assert (dot.instruction, dot.tile) == ("fma", (1, 1, 1))
    assert full.findings[0].about == "dot"
    assert "without matrix units" in full.findings[0].message


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    """A file such as Triton writes: TTGIR without a ledger."""
    kernel = weft.compile(
        product, signature="*fp16:16, *fp16:16, *fp32:16, 64", target="hip:gfx942"
    )
    file = tmp_path_factory.mktemp("dump") / "product.ttgir"
    file.write_text(kernel.text("ttgir", locations=True))
    return file


def test_a_dump_says_that_its_ledger_is_read_back(dump):
    report = explain(dump)
    assert report.ledger == "read back from the IR"
    assert all(value.reason for value in report.values)
    assert "weft did not run the passes" in text(report)
    (dot,) = report.dots
    assert dot.instruction.startswith("mfma 32x32")
    assert "read off the layout" in dot.why
    assert report.shared


def test_a_dump_needs_no_triton(dump):
    code = (
        "import sys; sys.modules['triton'] = None; from weft.cli import main; "
        f"sys.argv = ['weft', 'explain', {str(dump)!r}]; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert "read back from the IR" in done.stdout


def test_a_dump_of_another_target(dump):
    with pytest.raises(PassError, match="the layouts of the module are for hip:gfx942"):
        explain(dump, target="cuda:90")


def test_what_cannot_be_explained(dump, tmp_path):
    with pytest.raises(WeftError, match="a target is needed"):
        explain(copy, signature="*fp32, *fp32, i32, 64")
    with pytest.raises(WeftError, match="there are no layouts yet"):
        explain(copy, signature="*fp32, *fp32, i32, 64", target="cuda:90", stop_after="ttir")
    with pytest.raises(WeftError, match="cannot read the file"):
        explain(tmp_path / "nothing.ttgir")
    nameless = tmp_path / "nameless.ttgir"
    nameless.write_text(dump.read_text().replace('ttg.target = "hip:gfx942", ', ""))
    with pytest.raises(WeftError, match=r'missing module attribute "ttg\.target"'):
        explain(nameless)


@pytest.fixture(scope="module")
def whole():
    return explain(turn, signature="*fp16:16, *fp16:16, i32:16, 64", target="cuda:90")


def test_a_line_and_a_value(whole):
    store = whole.memory[1].location.line
    part = filter_by_line(whole, store)
    assert [each.op for each in part.memory] == ["tt.store"]
    assert {value.location and value.location.line for value in part.values} == {store}
    tile = filter_by_value(whole, "%tile")
    assert {value.name.partition("_")[0] for value in tile.values} == {"%tile"}
    assert filter_by_value(whole, "tile").values == tile.values
    with pytest.raises(WeftError, match="no tensor comes from line 1"):
        filter_by_line(whole, 1)
    with pytest.raises(WeftError, match="no tensor is called %tiles") as caught:
        filter_by_value(whole, "%tiles")
    assert "did you mean %tile" in str(caught.value)


def test_two_compiles_side_by_side(whole):
    same = compare(whole, whole, "a", "b")
    assert same.is_same
    assert "no differences" in same.text()
    other = explain(turn, signature="*fp16:16, *fp16:16, i32:16, 64", target="cuda:90", num_warps=8)
    found = compare(whole, other, "4 warps", "8 warps")
    assert not found.is_same
    assert "warpsPerCTA = [4, 1]" in "".join(found.only_first)
    assert "warpsPerCTA = [8, 1]" in "".join(found.only_second)
    assert ("conversions", 1, 1) in found.totals
