"""`amdg.local_load_packed_tranposed`: packed fp4 loads that transpose the packed dimension."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.dot_texts import Tensor, blocked_layout, mfma, module_text
from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate


def text(chip: str, operand: int, layout: str, order: str) -> str:
    """Return a kernel that packs a [128, 128] tile of 4 bits in b, packed in a otherwise.

    Args: operand: 0: packed along rows in a, 1: along columns.  order: of the shared buffer.
    """
    shapes = [(64, 128), (128, 64)]
    if operand:
        shapes.reverse()
    result = f"#ttg.dot_op<{{opIdx = {operand}, parent = #mma, kWidth = 16}}>"
    a = Tensor("a", shapes[0], "i8", "#blocked")
    b = Tensor("b", shapes[1], "i8", result)
    view = f"!ttg.memdesc<{shapes[0][0]}x{shapes[0][1]}xi8, #shared, #smem>"
    body = [
        *a.load(),
        f"%m = ttg.local_alloc %av : ({a.type}) -> {view}",
        f"%r = amdg.local_load_packed_tranposed %m : {view} -> {b.type}",
        *b.pointers(),
        f"tt.store %bq, %r : {b.of('!tt.ptr<i8>')}",
    ]
    shared = f"#ttg.swizzled_shared<{{vec = 16, perPhase = 4, maxPhase = 4, order = {order}}}>"
    lanes = 64 if chip.startswith("gfx9") else 32
    layouts = {
        "blocked": blocked_layout(2, lanes, 2),
        "mma": layout,
        "shared": shared,
        "smem": "#ttg.shared_memory",
    }
    return module_text(chip, layouts, 2, [a, b], body)


def expected(given: np.ndarray, operand: int) -> np.ndarray:
    """Return the bytes packed along k."""
    halves = np.stack([given & 15, given >> 4], axis=1 + operand)
    whole = halves.reshape(128, 128)
    if operand:
        return whole[::2] | whole[1::2] << 4
    return whole[:, ::2] | whole[:, 1::2] << 4


@pytest.mark.parametrize("operand", [0, 1])
@pytest.mark.parametrize("side", [16, 32])
def test_packed_loads(operand, side):
    layout = mfma(4, (side, side, 64 if side == 32 else 128))
    order = "[1, 0]" if operand else "[0, 1]"
    llvm = lower(parse_module(text("gfx950", operand, layout, order)))
    a = np.random.default_rng(0).integers(0, 256, (64, 128)[:: -1 if operand else 1], np.uint8)
    b = np.zeros(a.shape[::-1], np.uint8)
    simulate(llvm.text, grid=(1,), arguments=[a, b], warp_size=64, shared_bytes=llvm.shared_bytes)
    np.testing.assert_array_equal(b, expected(a, operand))


def test_native_transposing_loads():
    machine = Machine()
    module = lower(parse_module(text("gfx950", 0, mfma(4, (32, 32, 64)), "[0, 1]")))
    assert "ds_read_b64_tr_b4" in machine.emit(module, "assembly").decode()
    machine.close()


@pytest.mark.parametrize(("chip", "order"), [("gfx942", "[0, 1]"), ("gfx950", "[1, 0]")])
def test_layouts_without_transposing_load(chip, order):
    layout = mfma(3, (32, 32, 16)) if chip == "gfx942" else mfma(4, (32, 32, 64))
    with pytest.raises(CodegenError, match="has no transposing load of packed fp4"):
        lower(parse_module(text(chip, 0, layout, order)))
