"""Source locations that are lines of printed IR."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import knobs
from weft.errors import LaunchError, WeftError
from weft.ir import locations
from weft.ir.rewriting import walk

SIGNATURE = "*fp32, i32, 64"


@weft.jit
def doubled(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(x + i, value * 2, mask=i < n)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    with knobs.compilation.scope(), knobs.cache.scope():
        yield tmp_path


def line_table(ptx: str) -> tuple[str, list[int]]:
    """Return the file of the line table, and the lines in order of their first instruction."""
    (file,) = re.findall(r'\.file\s+1 "([^"]*)"', ptx)
    numbers = [int(line) for line in re.findall(r"\.loc\s+1 (\d+) \d+", ptx)]
    return file, list(dict.fromkeys(numbers))


@pytest.mark.parametrize("stage", ["ttir", "ttgir"])
def test_the_line_table_has_lines_of_the_stage(cache, capsys, stage):
    knobs.compilation.use_ir_loc = stage
    compiled = weft.compile(doubled, signature=SIGNATURE, target="cuda:90")
    file, numbers = line_table(compiled.asm["ptx"])
    assert Path(file).name == f"doubled.{stage}"
    assert Path(file).is_relative_to(cache)
    assert capsys.readouterr().out == f"Creating new locations for {file}\n"
    lines = Path(file).read_text().splitlines()
    assert "tt.func public @doubled" in lines[numbers[0] - 1]
    used = " ".join(lines[number - 1] for number in numbers)
    assert "tt.load" in used
    assert "tt.store" in used
    assert any("test_ir_locations.py" in line for line in lines)
    assert "test_ir_locations.py" not in compiled.asm["ptx"]


def test_each_operation_has_its_line_and_column(cache):
    knobs.compilation.use_ir_loc = "ttgir"
    compiled = weft.compile(doubled, signature=SIGNATURE, target="hip:gfx942")
    (file,) = cache.glob("*/doubled.ttgir")
    lines = file.read_text().splitlines()
    for op in walk(compiled.module("ttgir")):
        location = op.location
        assert isinstance(location, locations.FileLineColLoc)
        assert location.filename.data == str(file)
        line = lines[location.line.data - 1]
        assert op.name.removeprefix("builtin.") in line
        assert location.column.data == len(line) - len(line.lstrip())


def test_launches_use_them_and_are_compiled_again(cache, monkeypatch):
    FakeCuda(monkeypatch)
    kernel = weft.jit(doubled.fn)
    before = kernel[(1,)](Tensor(), 64, BLOCK=64)
    assert "test_ir_locations.py" in before.asm["ptx"]
    knobs.compilation.use_ir_loc = "ttir"
    after = kernel[(1,)](Tensor(), 64, BLOCK=64)
    assert line_table(after.asm["ptx"])[0].endswith("/doubled.ttir")
    assert after.hash != before.hash


def test_a_file_of_ir_keeps_its_text_and_names_itself(tmp_path):
    file = tmp_path / "copy.ttir"
    text = """#loc = loc("other.py":7:0)
module {
  tt.func public @copy(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %x = tt.load %p : !tt.ptr<f32> loc(#loc1)

    tt.store %q, %x : !tt.ptr<f32> loc(#loc1)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("other.py":8:3)
"""
    file.write_text(text)
    assert line_table(weft.compile(file, target="cuda:90").asm["ptx"])[0].endswith("other.py")
    knobs.compilation.use_ir_loc = "ttir"
    path, numbers = line_table(weft.compile(file, target="cuda:90").asm["ptx"])
    assert (path, sorted(numbers)) == (str(file), [3, 4, 6, 7])
    assert file.read_text() == text


def test_errors_on_the_cpu_device_show_lines_of_ir(cache):
    knobs.compilation.use_ir_loc = "ttir"
    x = np.zeros(8, np.float32)
    with pytest.raises(WeftError) as caught:
        weft.jit(doubled.fn)[(1,)](x, 64, BLOCK=64)
    assert caught.value.location is not None
    assert caught.value.location.file.endswith("/doubled.ttir")


def test_another_stage_is_refused(monkeypatch):
    monkeypatch.setenv("USE_IR_LOC", "ttgri")
    with pytest.raises(LaunchError, match="must name a stage of IR") as caught:
        weft.compile(doubled, signature=SIGNATURE, target="cuda:90")
    assert "did you mean ttgir" in str(caught.value)


def test_a_folder_that_cannot_be_written_is_an_error(cache):
    knobs.cache.dir = str(cache / "file")
    (cache / "file").write_text("")
    knobs.compilation.use_ir_loc = "ttir"
    with pytest.raises(WeftError, match="cannot write IR for its locations"):
        weft.compile(doubled, signature=SIGNATURE, target="cuda:90")
