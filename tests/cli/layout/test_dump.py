"""The layouts of a dump."""

from __future__ import annotations

import pytest

from weft.cli.layout.dump import longest_run
from weft.layouts import LinearLayout


def blocked(*sizes: str) -> str:
    keys = ("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order")
    pairs = (f"{key} = [{size}]" for key, size in zip(keys, sizes, strict=True))
    return f"#ttg.blocked<{{{', '.join(pairs)}}}>"


DUMP = f"""\
#blocked = {blocked("1, 8", "4, 8", "1, 1", "1, 0")}
#unused = {blocked("1", "32", "1", "0")}
#shared = #ttg.swizzled_shared<{{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}}>
#smem = #ttg.shared_memory
#row = #ttg.slice<{{dim = 1, parent = #blocked}}>
module attributes {{"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func @f(%x: tensor<4x64xf16, #blocked>, %y: tensor<4x64xf32, #blocked>,
             %r: tensor<4xf32, #ttg.slice<{{dim = 0, parent = #blocked}}>>) {{
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x4x64xf16, #shared, #smem, mutable>
    tt.return
  }}
}}
"""


@pytest.fixture
def dump(tmp_path):
    file = tmp_path / "f.ttgir"
    file.write_text(DUMP)
    return file


def test_table(weft_command, dump):
    result = weft_command("layout", "-i", dump)
    assert result.exit_code == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert "layout shape per thread held by in a row vectors".split() == rows[0]
    assert rows[1] == "#blocked 4x64 8 1 × 8 along dim1 8 × f16, 4 × f32".split()
    assert rows[2] == "#unused unused".split()
    assert rows[3] == "#shared 4x64 1 × 8 along dim1".split()
    assert rows[4] == "#row unused".split()
    slice_ = "#ttg.slice<{dim = 0, parent = #blocked}> 4 4 32 × 4 along dim0 4 × f32"
    assert rows[5:] == [slice_.split()]


def test_a_file_from_stdin_and_one_without_layouts(weft_command):
    assert weft_command("layout", "-i", "-", stdin="module {}").stdout == (
        "The file uses no layouts.\n"
    )


def test_alias_names(weft_command, dump):
    one = weft_command("layout", "-i", dump, "-alias-names", "shared", "-t", "tensor<2x16xf16>")
    assert one.stdout.startswith("Print layout attribute: #shared = #ttg.swizzled_shared<{vec = 8")
    assert len(one.stdout.splitlines()) == 3
    every = weft_command("layout", "-i", dump, "-alias-names=blocked,#shared")
    headers = [line for line in every.stdout.splitlines() if line.startswith("Print")]
    assert [line.rpartition(" of ")[2] for line in headers] == [
        "tensor<4x64xf16>",
        "tensor<4x64xf16>",
    ]


def test_every_alias_on_one_type(weft_command, dump):
    result = weft_command("layout", "-i", dump, "-t", "16x16xf16", "-alias-names=blocked,shared")
    assert result.stdout.count("Print layout attribute: #") == 2
    wrong = weft_command("layout", "-i", dump, "-t", "16x16xf16")
    assert wrong.exit_code == 1
    assert "the shape must have 1 dimensions" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-alias-names", "bloked"), "the file has no layout #bloked\n  accepted: #blocked"),
        (("-alias-names", "bloked"), "did you mean #blocked"),
    ],
)
def test_mistakes(weft_command, dump, arguments, message):
    result = weft_command("layout", "-i", dump, *arguments)
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_file_that_is_not_there_or_no_ir(weft_command, tmp_path):
    assert "no.ttgir" in weft_command("layout", "-i", tmp_path / "no.ttgir").stderr
    assert weft_command("layout", "-i", "-", stdin="module {").exit_code == 1


OLDER = """\
#blocked = #triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], \
warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]}>
#mma = #triton_gpu.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], \
instrShape = [16, 8]}>
#shared = #triton_gpu.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], \
hasLeadingOffset = false}>
#smem = #triton_gpu.shared_memory
module attributes {"triton_gpu.num-warps" = 4 : i32, triton_gpu.target = "cuda:80"} {
  tt.func public @f(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %0 = tt.splat %arg0 : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %1 = tt.load %0 : tensor<64x32x!tt.ptr<f16, 1>, #blocked>
    %2 = triton_gpu.local_alloc %1 : (tensor<64x32xf16, #blocked>) -> \
!tt.memdesc<2x64x32xf16, #shared, #triton_gpu.shared_memory, mutable>
    %3 = triton_gpu.local_load %2 : !tt.memdesc<64x32xf16, #shared> -> \
tensor<64x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    tt.return
  }
}
"""


def test_a_dump_of_the_dialect_of_then(weft_command, tmp_path):
    file = tmp_path / "old.ttgir"
    file.write_text(OLDER)
    result = weft_command("layout", "-i", file)
    assert result.exit_code == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()][1:]
    assert rows[0] == "#blocked 64x32 16 1 × 4 along dim1 4 × f16".split()
    assert rows[1] == "#mma unused".split()
    assert rows[2] == "#shared 64x32 1 × 8 along dim1".split()
    assert rows[3][:1] == ["#ttg.dot_op<{opIdx"]
    assert rows[3][-6:] == "× 2 along dim1 2 × f16".split()[-6:]
    one = weft_command("layout", "-i", file, "-alias-names", "mma", "-t", "16x8xf32")
    assert one.stdout.startswith("Print layout attribute: #mma = #ttg.nvidia_mma<{versionMajor = 2")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("vec = 8", "vec = 3", "vec must be a power of two"),
        ("triton_gpu.nvidia_mma", "triton_gpu.nvidia_nma", "unknown encoding"),
        ("64x32xf16, #blocked", "64xf16, #blocked", "the encoding is for 2 dimensions"),
    ],
)
def test_mistakes_in_a_dump_of_then(weft_command, tmp_path, before, after, message):
    file = tmp_path / "old.ttgir"
    file.write_text(OLDER.replace(before, after))
    result = weft_command("layout", "-i", file)
    assert result.exit_code == 1
    assert message in result.stderr


def test_longest_run_in_any_order():
    layout = LinearLayout.from_bases({"register": [[4], [1], [2]], "lane": [[8]]}, ["dim0"])
    assert longest_run(layout, "register") == (8, 0)
    assert longest_run(layout, "lane") == (1, 0)
