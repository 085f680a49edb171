# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interpreter.kernels import DTYPES, elementwise, run_text
from weft.errors import LaunchError, OutOfBoundsError

COPY = elementwise("%y = arith.addi %x0, %x0 : tensor<{n}xi32>", ["i32"], "i32")
TILE = """
tt.func public @k(%src: !tt.ptr<TYPE>, %dst: !tt.ptr<TYPE>, %rows: i32, %cols: i32,
                  %rs: i32, %cs: i32, %row0: i32) {
  %pid = tt.get_program_id x : i32
  %c8 = arith.constant 8 : i32
  %r0 = arith.muli %pid, %c8 : i32
  %rs0 = tt.splat %r0 : i32 -> tensor<8xi32>
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ri = arith.addi %rs0, %i : tensor<8xi32>
  %r = tt.expand_dims %ri {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %c = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rst = tt.splat %rs : i32 -> tensor<8x1xi32>
  %cst = tt.splat %cs : i32 -> tensor<1x16xi32>
  %ro = arith.muli %r, %rst : tensor<8x1xi32>
  %co = arith.muli %c, %cst : tensor<1x16xi32>
  %rb = tt.broadcast %ro : tensor<8x1xi32> -> tensor<8x16xi32>
  %cb = tt.broadcast %co : tensor<1x16xi32> -> tensor<8x16xi32>
  %o = arith.addi %rb, %cb : tensor<8x16xi32>
  %sp = tt.splat %src : !tt.ptr<TYPE> -> tensor<8x16x!tt.ptr<TYPE>>
  %a = tt.addptr %sp, %o : tensor<8x16x!tt.ptr<TYPE>>, tensor<8x16xi32>
  %rn = tt.splat %rows : i32 -> tensor<8x1xi32>
  %cn = tt.splat %cols : i32 -> tensor<1x16xi32>
  %rm = arith.cmpi slt, %r, %rn : tensor<8x1xi32>
  %cm = arith.cmpi slt, %c, %cn : tensor<1x16xi32>
  %rmb = tt.broadcast %rm : tensor<8x1xi1> -> tensor<8x16xi1>
  %cmb = tt.broadcast %cm : tensor<1x16xi1> -> tensor<8x16xi1>
  %m = arith.andi %rmb, %cmb : tensor<8x16xi1>
  %v = tt.load %a, %m : tensor<8x16x!tt.ptr<TYPE>>
  %c16 = arith.constant dense<16> : tensor<8x1xi32>
  %dr = arith.muli %r, %c16 : tensor<8x1xi32>
  %drb = tt.broadcast %dr : tensor<8x1xi32> -> tensor<8x16xi32>
  %cbb = tt.broadcast %c : tensor<1x16xi32> -> tensor<8x16xi32>
  %do = arith.addi %drb, %cbb : tensor<8x16xi32>
  %dp = tt.splat %dst : !tt.ptr<TYPE> -> tensor<8x16x!tt.ptr<TYPE>>
  %da = tt.addptr %dp, %do : tensor<8x16x!tt.ptr<TYPE>>, tensor<8x16xi32>
  tt.store %da, %v : tensor<8x16x!tt.ptr<TYPE>>
  tt.return
}
"""


@pytest.mark.parametrize("type_", DTYPES)
def test_every_dtype_goes_through_memory_unchanged(type_: str) -> None:
    dtype = DTYPES[type_]
    raw = np.random.default_rng(0).integers(
        0, 2 if type_ == "i1" else 256, 64 * 16 * dtype.itemsize, dtype=np.uint8
    )
    src = raw.view(dtype).reshape(64, 16)
    dst = np.zeros_like(src)
    run_text(TILE.replace("TYPE", type_), [src, dst, 64, 16, 16, 1, 0], (8,))
    assert dst.tobytes() == src.tobytes()


VIEWS = {
    "rows": lambda x: x,
    "columns": lambda x: np.asfortranarray(x),
    "slice": lambda x: np.pad(x, 3)[3:-3, 3:-3],
    "every other": lambda x: np.repeat(np.repeat(x, 2, 0), 2, 1)[::2, ::2],
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "one row for all": lambda x: np.broadcast_to(x[:1], x.shape),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("rows", "cols"), [(64, 16), (59, 16), (64, 11), (61, 13)])
def test_any_strided_array_is_read_through_its_strides(view: str, rows: int, cols: int) -> None:
    x = VIEWS[view](np.arange(64 * 16, dtype=np.float32).reshape(64, 16))
    strides = [s // 4 for s in x.strides]
    dst = np.full((64, 16), -1, np.float32)
    run_text(TILE.replace("TYPE", "f32"), [x, dst, rows, cols, *strides, 0], (8,))
    expected = np.zeros((64, 16), np.float32)
    expected[:rows, :cols] = x[:rows, :cols]
    assert np.array_equal(dst, expected)


GATHER = elementwise(
    "%p = tt.splat %extra : !tt.ptr<f32> -> tensor<{n}x!tt.ptr<f32>>\n"
    "%q = tt.addptr %p, %x0 : tensor<{n}x!tt.ptr<f32>>, tensor<{n}xi32>\n"
    "%other = arith.constant dense<7.0> : tensor<{n}xf32>\n"
    "%y = tt.load %q, %x1, %other : tensor<{n}x!tt.ptr<f32>>",
    ["i32", "i1"],
    "f32",
).replace("tt.func public @k(", "tt.func public @k(%extra: !tt.ptr<f32>, ")


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_gather_with_any_mask(data: st.DataObject) -> None:
    table = np.arange(50, dtype=np.float32) * 3
    lanes = data.draw(
        st.lists(st.tuples(st.integers(0, 49), st.booleans()), min_size=192, max_size=192)
    )
    index = np.array([i for i, _ in lanes], np.int32)
    mask = np.array([m for _, m in lanes])
    index[~mask] = 2**31 - 1 - index[~mask]  # a lane that is off may point anywhere
    out = np.zeros(192, np.float32)
    run_text(GATHER, [table, index, mask, out], (3,))
    assert np.array_equal(out, np.where(mask, table[np.where(mask, index, 0)], 7))


@settings(max_examples=30, deadline=None)
@given(n=st.integers(0, 400), first=st.integers(0, 70))
def test_masked_copy_touches_only_active_lanes(n: int, first: int) -> None:
    text = elementwise(
        "%n = arith.constant dense<N> : tensor<{n}xi32>\n%f = arith.constant dense<FIRST> : tensor<{n}xi32>\n"
        "%below = arith.cmpi slt, %index, %n : tensor<{n}xi32>\n"
        "%above = arith.cmpi sge, %index, %f : tensor<{n}xi32>\n"
        "%m = arith.andi %below, %above : tensor<{n}xi1>\n"
        "%v = tt.load %a0, %m : tensor<{n}x!tt.ptr<i32>>\n"
        "tt.store %a1, %v, %m : tensor<{n}x!tt.ptr<i32>>\n%y = arith.constant dense<0> : tensor<{n}xi32>",
        ["i32"],
        "i32",
    )
    text = text.replace("%x0 = tt.load %a0 : tensor<64x!tt.ptr<i32>>\n", "")
    text = text.replace("tt.store %a1, %y : tensor<64x!tt.ptr<i32>>\n", "")
    text = text.replace("<N>", f"<{n}>").replace("<FIRST>", f"<{first}>")
    src, dst = np.arange(1, n + 1, dtype=np.int32), np.full(max(n, 1), -1, np.int32)
    run_text(text, [src, dst], (7,), tile_budget=1024)
    expected = np.full(max(n, 1), -1, np.int32)
    expected[first:n] = src[first:n]
    assert np.array_equal(dst, expected)


def test_a_store_to_one_place_keeps_one_of_the_values() -> None:
    text = elementwise("%y = arith.addi %index, %index : tensor<{n}xi32>", [], "i32")
    text = text.replace(
        "%a0 = tt.addptr %s0, %index",
        "%zero = arith.constant dense<0> : tensor<64xi32>\n%a0 = tt.addptr %s0, %zero",
    )
    out = np.full(1, -1, np.int32)
    run_text(text, [out], (4,))
    assert out[0] in range(0, 512, 2)


def test_a_load_before_a_store_to_the_same_place_keeps_its_value() -> None:
    text = elementwise(
        "%zero = arith.constant dense<0> : tensor<{n}xi32>\n"
        "tt.store %a0, %zero : tensor<{n}x!tt.ptr<i32>>\n"
        "%y = arith.addi %x0, %zero : tensor<{n}xi32>",
        ["i32"],
        "i32",
    )
    x, out = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    run_text(text, [x, out], (2,))
    assert np.array_equal(out, np.arange(128))
    assert not x.any()


def test_pointers_in_memory_and_as_integers() -> None:
    text = """
tt.func public @k(%table: !tt.ptr<i64>, %out: !tt.ptr<f32>, %keep: !tt.ptr<f32>) {
  %pid = tt.get_program_id x : i32
  %t = tt.addptr %table, %pid : !tt.ptr<i64>, i32
  %address = tt.load %t : !tt.ptr<i64>
  %p = tt.int_to_ptr %address : i64 -> !tt.ptr<f32>
  %v = tt.load %p : !tt.ptr<f32>
  %o = tt.addptr %out, %pid : !tt.ptr<f32>, i32
  tt.store %o, %v : !tt.ptr<f32>
  %back = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  tt.store %t, %back : !tt.ptr<i64>
  tt.return
}
"""
    data = np.arange(10, dtype=np.float32)
    table = np.array([data.ctypes.data + 4 * i for i in (7, 0, 3)], np.int64)
    before, out = table.copy(), np.zeros(3, np.float32)
    run_text(text, [table, out, data], (3,))
    assert out.tolist() == [7, 0, 3]
    assert np.array_equal(table, before)


def test_table_of_pointers_by_type() -> None:
    text = """
tt.func public @k(%table: !tt.ptr<!tt.ptr<f32>>, %out: !tt.ptr<f32>, %a: !tt.ptr<f32>, %b: !tt.ptr<f32>) {
  %pid = tt.get_program_id x : i32
  %t = tt.addptr %table, %pid : !tt.ptr<!tt.ptr<f32>>, i32
  %p = tt.load %t : !tt.ptr<!tt.ptr<f32>>
  %v = tt.load %p : !tt.ptr<f32>
  %o = tt.addptr %out, %pid : !tt.ptr<f32>, i32
  tt.store %o, %v : !tt.ptr<f32>
  tt.store %t, %p : !tt.ptr<!tt.ptr<f32>>
  tt.return
}
"""
    a, b = np.array([1.5], np.float32), np.array([2.5], np.float32)
    table = np.array([b.ctypes.data, a.ctypes.data], np.int64)
    before, out = table.copy(), np.zeros(2, np.float32)
    run_text(text, [table, out, a, b], (2,))
    assert out.tolist() == [2.5, 1.5]
    assert np.array_equal(table, before)


def message(error: pytest.ExceptionInfo[LaunchError]) -> str:
    return str(error.value)


def test_a_load_past_the_end_names_line_program_element_array_and_shape() -> None:
    text = COPY.replace("%x0 = tt.load %a0 : tensor<64x!tt.ptr<i32>>",
                        '%x0 = tt.load %a0 : tensor<64x!tt.ptr<i32>> loc("add.py":14:8)')  # fmt: skip
    with pytest.raises(OutOfBoundsError) as error:
        run_text(text, [np.zeros(100, np.int32), np.zeros(128, np.int32)], (2,))
    result = message(error)
    assert result.startswith("add.py:14:9: error: load outside of array p0")
    assert "found: element 100 of p0 in program (1, 0, 0) of k, tile element (36,)" in result
    assert "accepted: elements 0 to 99 (p0 has shape (100,) of int32)" in result
    assert "hint: give the load a mask that is false there" in result


def test_a_store_before_the_start_is_found_too() -> None:
    text = elementwise("%y = arith.constant dense<1> : tensor<{n}xi32>", [], "i32")
    text = text.replace(
        "%start = arith.muli %pid, %block",
        "%minus = arith.constant -1 : i32\n%start = arith.muli %minus, %block",
    )
    with pytest.raises(
        OutOfBoundsError, match=r"store outside of array p0[\s\S]*element -64 of p0"
    ):
        run_text(text, [np.zeros(64, np.int32)])


def test_the_neighbouring_array_is_not_reached() -> None:
    both = np.zeros(256, np.int32)
    with pytest.raises(OutOfBoundsError, match="load outside of array p0"):
        run_text(COPY, [both[:64], both[64:]], (2,))


def test_an_empty_array_has_no_element() -> None:
    with pytest.raises(OutOfBoundsError, match="no element"):
        run_text(COPY, [np.zeros(0, np.int32), np.zeros(64, np.int32)])


def test_an_atomic_and_a_gather_are_checked() -> None:
    index = np.full(64, 5, np.int32)
    index[9] = 50
    with pytest.raises(
        OutOfBoundsError, match=r"load outside[\s\S]*element 50 of extra[\s\S]*\(9,\)"
    ):
        run_text(
            GATHER, [np.zeros(50, np.float32), index, np.ones(64, bool), np.zeros(64, np.float32)]
        )
    text = elementwise(
        "%y = tt.atomic_rmw add, acq_rel, gpu, %a1, %x0 : (tensor<{n}x!tt.ptr<i32>>, tensor<{n}xi32>) -> tensor<{n}xi32>",
        ["i32"],
        "i32",
    )
    with pytest.raises(OutOfBoundsError, match="atomic outside of array p1"):
        run_text(text, [np.zeros(64, np.int32), np.zeros(60, np.int32)])


def test_null_and_wild_pointers_belong_to_no_array() -> None:
    text = """
tt.func public @k(%out: !tt.ptr<f32>) {
  %zero = arith.constant 0 : i64
  %p = tt.int_to_ptr %zero : i64 -> !tt.ptr<f32>
  %v = tt.load %p : !tt.ptr<f32>
  tt.store %out, %v : !tt.ptr<f32>
  tt.return
}
"""
    with pytest.raises(
        OutOfBoundsError, match=r"pointer that belongs to no array[\s\S]*address 0x0"
    ):
        run_text(text, [np.zeros(1, np.float32)])


def test_a_misaligned_access_is_refused() -> None:
    text = """
tt.func public @k(%p: !tt.ptr<i8>, %out: !tt.ptr<i32>) {
  %one = arith.constant 1 : i32
  %q = tt.addptr %p, %one : !tt.ptr<i8>, i32
  %r = tt.bitcast %q : !tt.ptr<i8> -> !tt.ptr<i32>
  %v = tt.load %r : !tt.ptr<i32>
  tt.store %out, %v : !tt.ptr<i32>
  tt.return
}
"""
    with pytest.raises(
        LaunchError, match="4-byte element at an address that is not a multiple of 4"
    ):
        run_text(text, [np.zeros(64, np.int8), np.zeros(1, np.int32)])
    aligned = text.replace("constant 1 :", "constant 4 :")
    out = np.zeros(1, np.int32)
    run_text(aligned, [np.arange(64, dtype=np.int8), out])
    assert out.tobytes() == bytes([4, 5, 6, 7])


def test_an_array_that_is_not_aligned_is_refused() -> None:
    raw = np.zeros(258, np.uint8)
    shifted = raw[1:257].view(np.int32)
    with pytest.raises(LaunchError, match="address that is not a multiple of 4"):
        run_text(COPY, [shifted, np.zeros(64, np.int32)])


def test_offsets_from_memory_added_to_a_range() -> None:
    text = elementwise(
        "%i = arith.addi %x0, %lane : tensor<{n}xi32>\n"
        "%p = tt.splat %p1 : !tt.ptr<i32> -> tensor<{n}x!tt.ptr<i32>>\n"
        "%q = tt.addptr %p, %i : tensor<{n}x!tt.ptr<i32>>, tensor<{n}xi32>\n"
        "%v = tt.load %q : tensor<{n}x!tt.ptr<i32>>\n%y = arith.addi %v, %i : tensor<{n}xi32>",
        ["i32", "i32"],
        "i32",
    )
    steps = np.random.default_rng(0).integers(0, 64, 128).astype(np.int32)
    table, out = np.arange(1000, 1128, dtype=np.int32), np.zeros(128, np.int32)
    run_text(text, [steps, table, out], (2,))
    assert np.array_equal(out, 1000 + 2 * (steps + np.tile(np.arange(64), 2)))


def test_a_read_only_array_can_be_read_and_not_written() -> None:
    src, dst = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    src.setflags(write=False)
    run_text(COPY, [src, dst])
    assert np.array_equal(dst, src * 2)
    with pytest.raises(LaunchError, match=r"store to p1, which is a read-only array"):
        run_text(COPY, [dst, src])


def test_a_stray_lane_of_a_masked_tile_is_counted_from_the_tile_s_corner() -> None:
    text = elementwise(
        "%f = arith.constant dense<40> : tensor<{n}xi32>\n"
        "%m = arith.cmpi sge, %lane, %f : tensor<{n}xi32>\n"
        "%y = tt.load %a0, %m : tensor<{n}x!tt.ptr<i32>>",
        ["i32"],
        "i32",
    ).replace("%x0 = tt.load %a0 : tensor<64x!tt.ptr<i32>>\n", "")
    with pytest.raises(OutOfBoundsError, match=r"element 50 of p0[\s\S]*tile element \(50,\)"):
        run_text(text, [np.zeros(50, np.int32), np.zeros(64, np.int32)])


def test_one_tile_may_reach_into_several_arrays() -> None:
    text = elementwise(
        "%c32 = arith.constant dense<32> : tensor<{n}xi32>\n"
        "%m = arith.cmpi slt, %index, %c32 : tensor<{n}xi32>\n"
        "%p = arith.select %m, %a0, %a1 : tensor<{n}xi1>, tensor<{n}x!tt.ptr<i32>>\n"
        "%v = tt.load %p : tensor<{n}x!tt.ptr<i32>>\n%y = arith.addi %v, %v : tensor<{n}xi32>\n"
        "tt.store %p, %y : tensor<{n}x!tt.ptr<i32>>",
        ["i32", "i32"],
        "i32",
    )
    a, b, out = (
        np.arange(64, dtype=np.int32),
        np.arange(64, 128, dtype=np.int32),
        np.zeros(64, np.int32),
    )
    expected = 2 * np.concatenate((a[:32], b[32:]))
    run_text(text, [a, b, out])
    assert np.array_equal(out, expected)
    assert np.array_equal(np.concatenate((a[:32], b[32:])), expected)
    with pytest.raises(OutOfBoundsError, match=r"load outside of array p1[\s\S]*element 60"):
        run_text(text, [a, b[:60].copy(), out])


@pytest.mark.parametrize("kept", [[0, 2, 4], [1, 2], [0, 1, 4], [3], []])
def test_programs_whose_mask_is_all_false_get_the_other_value(kept: list[int]) -> None:
    text = elementwise(
        "%q = tt.addptr %flags, %pid : !tt.ptr<i1>, i32\n%f = tt.load %q : !tt.ptr<i1>\n"
        "%m = tt.splat %f : i1 -> tensor<{n}xi1>\n%seven = arith.constant dense<7> : tensor<{n}xi32>\n"
        "%y = tt.load %a0, %m, %seven : tensor<{n}x!tt.ptr<i32>>",
        ["i32"],
        "i32",
    ).replace("%x0 = tt.load %a0 : tensor<64x!tt.ptr<i32>>\n", "")
    text = text.replace("tt.func public @k(", "tt.func public @k(%flags: !tt.ptr<i1>, ")
    flags = np.isin(np.arange(5), kept)
    x, out = np.arange(320, dtype=np.int32), np.zeros(320, np.int32)
    run_text(text, [flags, x, out], (5,))
    assert np.array_equal(out.reshape(5, 64), np.where(flags[:, None], x.reshape(5, 64), 7))
