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
    assert rows[2] == "#unused of no value".split()
    assert rows[3] == "#shared 4x64 1 × 8 along dim1".split()
    assert rows[4] == "#row of no value".split()
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


def test_longest_run_in_any_order():
    layout = LinearLayout.from_bases({"register": [[4], [1], [2]], "lane": [[8]]}, ["dim0"])
    assert longest_run(layout, "register") == (8, 0)
    assert longest_run(layout, "lane") == (1, 0)
