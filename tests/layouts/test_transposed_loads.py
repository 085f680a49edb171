"""Transposing loads: what lanes load becomes the operand, on data, for every element width."""

from __future__ import annotations

import numpy as np
import pytest

from tests.layouts.lane_addresses import shared_accesses
from tests.layouts.oracle import readable
from tests.layouts.triton_lowering import to_llvm_dialect
from weft.errors import LayoutError
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    LinearLayout,
    SwizzledSharedEncoding,
)
from weft.layouts.instruction_tiles import TILES
from weft.layouts.plans import instruction_semantics
from weft.layouts.transposed_loads import loaded_rows, transposing_load
from weft.targets import target


def mfma(m: int, k: int, warps: tuple[int, ...] = (2, 2)) -> AmdMfmaEncoding:
    return AmdMfmaEncoding(4, warps, (m, m, k), True)


def wmma(k: int) -> AmdWmmaEncoding:
    return AmdWmmaEncoding(3, True, ((0, 1), (1, 0)), (), (), (16, 16, k))


def table(layout: LinearLayout) -> np.ndarray:
    """Return the number of the element, [register, lane, warp, block]."""
    packed = layout.transpose_outs(sorted(layout.out_dims)).packed_table()
    return packed.reshape([*layout.in_dims.values()], order="F")


def handed_round(rows: np.ndarray, instruction: str) -> np.ndarray:
    """Compute the registers after the loads of all these rows, [register, lane, …]."""
    (tile,) = TILES[instruction]
    row, lanes = 1 << len(tile.offset), rows.shape[1]
    out = np.zeros_like(rows)
    address = np.broadcast_to((np.arange(lanes) * row).reshape(-1, 1, 1), rows.shape[1:])
    home = np.broadcast_to(np.arange(rows.shape[3]), address.shape)
    for first in range(0, len(rows), row):
        for warp in range(rows.shape[2]):
            loaded = rows[first : first + row, :, warp]
            memory = np.moveaxis(loaded, 0, 1).reshape(row * lanes, -1)
            one = instruction_semantics.load_transposed(
                memory, address[:, :1], home[:, :1], row, instruction
            )
            out[first : first + row, :, warp] = one[:, :, 0]
    return out


CASES = [
    *(
        (op, mfma(m, k), width, (64, 128), "ds_read_b64_tr_b16")
        for op in (0, 1)
        for m, k in ((16, 32), (32, 16))
        for width in (4, 8)
    ),
    *(
        (op, mfma(m, k), 16, (128, 128), "ds_read_b64_tr_b8")
        for op in (0, 1)
        for m, k in ((16, 64), (32, 32))
    ),
    *(
        (op, mfma(m, k), 32, (128, 128), "ds_read_b96_tr_b6")
        for op in (0, 1)
        for m, k in ((16, 128), (32, 64))
    ),
    *((op, wmma(32), 8, (64, 64), "ds_load_tr16_b128") for op in (0, 1)),
    *((op, wmma(64), 8, (64, 128), "ds_load_tr8_b64") for op in (0, 1)),
    *((op, wmma(128), 16, (64, 128), "ds_load_tr6_b96") for op in (0, 1)),
]


@pytest.mark.parametrize(("op", "parent", "width", "shape", "instruction"), CASES)
def test_loaded_value_becomes_the_operand(op, parent, width, shape, instruction) -> None:
    shape = shape if op == 0 else shape[::-1]
    operand = DotOperandEncoding(op, parent, width)
    loaded = transposing_load(operand, shape, instruction)
    assert loaded.is_surjective
    across = f"dim{op}"
    (tile,) = TILES[instruction]
    for bit, vector in enumerate(loaded.bases["register"][: len(tile.offset)]):
        assert dict(zip(loaded.out_dims, vector, strict=True))[across] == 1 << bit
    expected = table(operand.linear(shape))
    assert (handed_round(table(loaded), instruction) == expected).all()


@pytest.mark.parametrize("op", [0, 1])
@pytest.mark.parametrize(
    ("parent", "instruction"),
    [
        (mfma(16, 128), "ds_read_b64_tr_b4"),
        (mfma(32, 64), "ds_read_b64_tr_b4"),
        (wmma(128), "ds_load_tr4_b64"),
    ],
)
def test_bytes_of_two_rows_become_bytes_along_k(op: int, parent, instruction: str) -> None:
    """In memory a byte holds two rows of one k, in the operand two k of one row."""
    shape = (64, 128) if op == 0 else (128, 64)
    loaded = transposing_load(DotOperandEncoding(op, parent, 16), shape, instruction)
    assert loaded.out_dims == {"dim0": shape[0], "dim1": shape[1]}
    elements = tuple(2 * size if dim == op else size for dim, size in enumerate(shape))
    nibbles = loaded_rows(
        DotOperandEncoding(op, parent, 32).linear(elements), TILES[instruction][0]
    )
    first, *others = nibbles.bases["register"]
    assert first == [1 - op, op]
    halved = [[v // 2 if dim == op else v for dim, v in enumerate(vector)] for vector in others]
    assert loaded.bases["register"] == halved
    expected = table(DotOperandEncoding(op, parent, 32).linear(elements))
    assert (handed_round(table(nibbles), instruction) == expected).all()
    assert (expected[0::2] != expected[1::2]).all()


def test_a_left_operand_by_hand() -> None:
    """The figure of the module: 16 rows, four elements along K in each lane."""
    loaded = transposing_load(
        DotOperandEncoding(0, mfma(16, 16, (1, 1)), 4), (16, 16), "ds_read_b64_tr_b16"
    )
    assert loaded.bases == {
        "register": [[1, 0], [2, 0]],
        "lane": [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]],
        "warp": [],
        "block": [],
    }


_LOAD = """
#shared = {shared}
#result = {operand}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func private @load(%x: !ttg.memdesc<{shape}x{element}, #shared, #smem, mutable>)
      -> tensor<{loaded_shape}x{element}, #result> {{
    %y = {load} %x : !ttg.memdesc<{shape}x{element}, #shared, #smem, mutable>
        -> tensor<{loaded_shape}x{element}, #result>
    tt.return %y : tensor<{loaded_shape}x{element}, #result>
  }}
}}
"""


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("op", "parent", "width", "shape", "instruction"),
    [
        *(case for case in CASES if TILES[case[4]][0].element_bits != (6,)),
        *((op, mfma(16, 128), 16, (64, 128), "ds_read_b64_tr_b4") for op in (0, 1)),
        *((op, mfma(32, 64), 16, (64, 128), "ds_read_b64_tr_b4") for op in (0, 1)),
    ],
)
@pytest.mark.parametrize("vec", [1, 8])
def test_addresses_as_triton(op, parent, width, shape, instruction, vec: int) -> None:
    """Each lane of Triton's lowering loads the row that the layout says."""
    shape = shape if op == 0 else shape[::-1]
    chip = target("gfx950" if instruction.startswith("ds_read") else "gfx1250")
    (tile,) = TILES[instruction]
    operand = DotOperandEncoding(op, parent, width)
    phases = 8 if vec > 1 else 1
    shared = SwizzledSharedEncoding(vec, 1, phases, (0, 1) if op == 0 else (1, 0))
    bits = tile.element_bits[0]
    loaded_shape = (
        shape if bits != 4 else tuple(s * 2 if d == op else s // 2 for d, s in enumerate(shape))
    )
    text = _LOAD.format(
        shared=readable(shared),
        operand=readable(operand),
        chip=chip.name,
        lanes=chip.threads_per_warp,
        shape="x".join(map(str, shape)),
        loaded_shape="x".join(map(str, loaded_shape)),
        load="amdg.local_load_packed_tranposed" if bits == 4 else "ttg.local_load",
        element={16: "f16", 8: "f8E4M3FN", 4: "i8"}[bits],
    )
    lowered = to_llvm_dialect(text, chip)
    theirs = shared_accesses(lowered, 4 * chip.threads_per_warp, chip.threads_per_warp)
    offsets = transposing_load(operand, shape, instruction).invert_and_compose(shared.linear(shape))
    bytes_ = max(8, bits) // 8
    places = offsets.table()[:: tile.bits // max(8, bits), :, :, 0, 0] * bytes_
    ours = {tuple(place.T.reshape(-1).tolist()) for place in places}
    assert {access.bits for access in theirs} == {tile.bits}
    assert {tuple(access.addresses.tolist()) for access in theirs} == ours


LEFT = DotOperandEncoding(0, mfma(16, 32), 8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: transposing_load(LEFT, (64, 64), "ds_read_b64_tr_b17"),
            "unknown transposing load ds_read_b64_tr_b17",
        ),
        (
            lambda: transposing_load(LEFT, (64, 64), "ds_load_tr16_b128"),
            "ds_load_tr16_b128 is for 32 lanes",
        ),
        (
            lambda: transposing_load(
                DotOperandEncoding(0, mfma(16, 4), 1), (64, 4), "ds_read_b64_tr_b8"
            ),
            "ds_read_b64_tr_b8 produces 8 registers",
        ),
        (
            lambda: transposing_load(
                DotOperandEncoding(0, mfma(16, 128), 16), (1, 128), "ds_read_b64_tr_b4"
            ),
            "ds_read_b64_tr_b4 needs neighbouring lanes",
        ),
        (
            lambda: loaded_rows(
                BlockedEncoding((1, 4), (8, 8), (1, 1), (1, 0)).linear((8, 32)),
                TILES["ds_read_b64_tr_b16"][0],
            ),
            "ds_read_b64_tr_b16 needs neighbouring lanes along one dimension",
        ),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
