"""`amdg.extract_slice` and `amdg.concat` in registers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.dot_texts import Tensor, module_text
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate

LANES = "lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [], block = []"
WHOLE = f"#ttg.linear<{{register = [[4, 0], [0, 16], [8, 0]], {LANES}}}>"
PART = f"#ttg.linear<{{register = [[4, 0]], {LANES}}}>"


def extract(offsets: str, part: str = PART) -> str:
    a, b = Tensor("a", (16, 32), "f32", "#whole"), Tensor("b", (8, 16), "f32", "#part")
    body = [
        *a.load(),
        f"%r = amdg.extract_slice %av {offsets} : {a.type} to {b.type}",
        *b.pointers(),
        f"tt.store %bq, %r : {b.of('!tt.ptr<f32>')}",
    ]
    return module_text("gfx942", {"whole": WHOLE, "part": part}, 1, [a, b], body)


def run(text: str, *arrays: np.ndarray) -> None:
    llvm = lower(parse_module(text))
    simulate(llvm.text, grid=(1,), arguments=arrays, warp_size=64, shared_bytes=0)


@pytest.mark.parametrize("start", [(0, 0), (8, 0), (0, 16), (8, 16)])
def test_extract_slice(start):
    inputs = np.arange(512, dtype=np.float32).reshape(16, 32)
    actual = np.zeros((8, 16), np.float32)
    run(extract(str(list(start))), inputs, actual)
    row, column = start
    np.testing.assert_array_equal(actual, inputs[row : row + 8, column : column + 16])


def test_concat():
    parts = [Tensor(name, (8, 16), "f32", "#part") for name in "abcd"]
    whole = Tensor("e", (16, 32), "f32", "#whole")
    body = [
        *(line for part in parts for line in part.load()),
        f"%r = amdg.concat %av, %bv, %cv, %dv : {', '.join([parts[0].type] * 4)} -> {whole.type}",
        *whole.pointers(),
        f"tt.store %eq, %r : {whole.of('!tt.ptr<f32>')}",
    ]
    text = module_text("gfx942", {"whole": WHOLE, "part": PART}, 1, [*parts, whole], body)
    inputs = [np.arange(128, dtype=np.float32).reshape(8, 16) + 1000 * n for n in range(4)]
    actual = np.zeros((16, 32), np.float32)
    run(text, *inputs, actual)
    np.testing.assert_array_equal(actual, np.block([inputs[:2], inputs[2:]]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            extract("[8, 0]", PART.replace("[1, 0], [2, 0]", "[2, 0], [1, 0]")),
            "the lane bases of a slice",
        ),
        (extract("[1, 0]"), "must not move elements between threads"),
    ],
)
def test_errors(text, message):
    with pytest.raises(CodegenError) as caught:
        lower(parse_module(text))
    assert message in str(caught.value)
