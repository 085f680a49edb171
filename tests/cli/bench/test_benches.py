"""`weft bench`: tables, objects, pictures, and files that have nothing to measure."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from weft.cli.app import app

FILE = """
import numpy as np
import weft
import weft.language as tl
from weft.testing import Bench

@weft.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

def make(n):
    return np.ones(n, np.float32), np.empty(n, np.float32)

def launch(x, out):
    double[(weft.cdiv(x.size, 256),)](x, out, x.size, BLOCK=256)

def by_numpy(x, out):
    np.multiply(x, 2, out=out)

BENCHES = (Bench(double, "n", (256, 1024), make, launch, {"numpy": by_numpy},
                 moved=lambda n: 8 * n),)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "double.py"
    path.write_text(FILE)
    return path


def bench(*arguments):
    return CliRunner().invoke(app, ["bench", "--device", "cpu", "--ms", "1", *map(str, arguments)])


def test_a_table_and_a_picture(file, tmp_path):
    result = bench(f"{file}::double", "--plot", tmp_path / "double.svg")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("double  this CPU")
    assert "numpy GB/s" in result.stdout
    assert result.stdout.count("%") == 2
    picture = (tmp_path / "double.svg").read_text()
    assert picture.count("<polyline") == 2


def test_an_object(file):
    said = json.loads(bench(file, "--json").stdout)
    assert (said["kernel"], said["device"], said["unit"]) == ("double", "cpu", "GB/s")
    first = said["rows"][0]
    assert first["n"] == 256
    assert set(first["rates"]) == {"weft", "numpy"}
    expected = 8 * 256 / first["milliseconds"]["weft"] * 1e-6
    assert first["rates"]["weft"] == pytest.approx(expected)
    assert first["fraction"] == pytest.approx(first["rates"]["weft"] / first["limit"])


def test_mistakes_are_named(file, tmp_path):
    result = bench(f"{file}::duble")
    assert result.exit_code == 1
    assert "did you mean double" in result.output
    assert "BENCHES of the file do not measure duble" in result.output
    empty = tmp_path / "empty.py"
    empty.write_text("")
    assert "launches no kernel" in bench(empty).output
    result = bench(file, "--device", "tpu")
    assert "unknown device" in result.output
