"""The folds of ttg: chains of views, and copies of constant buffers."""

from __future__ import annotations

import pytest

from tests.ir.gpu import module
from weft.ir import tt
from weft.ir.folding import IN_PLACE
from weft.ir.folds import FOLDS
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module

PREFIX = (
    "#cube = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>\n"
    "#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n"
    "#bt = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>\n"
)
B, BT = "!ttg.memdesc<8x16xf16, #b, #smem>", "!ttg.memdesc<16x8xf16, #bt, #smem>"
MUTABLE = B.replace("#smem>", "#smem, mutable>")
TENSOR = "tensor<8x16xf16, #blocked>"


def fold_last(body: str, arguments: str) -> tuple[object, str]:
    """Fold the last operation; return the result of the fold and the module as text."""
    parsed = parse_module(PREFIX + module(body, arguments))
    (function,) = (op for op in walk(parsed) if isinstance(op, tt.FuncOp))
    terminator = function.entry.last_op
    assert terminator is not None
    op = terminator.prev_op
    assert op is not None
    folded = FOLDS[type(op)](op)
    if folded is function.entry.args[0]:
        return "%arg0", ""
    return folded, print_module(parsed)


def test_transposition_by_the_identity() -> None:
    body = f"%r = ttg.memdesc_trans %x {{order = array<i32: 0, 1>}} : {B} -> {B}"
    assert fold_last(body, f"%x: {B}")[0] == "%arg0"
    body = f"%r = ttg.memdesc_trans %x {{order = array<i32: 1, 0>}} : {B} -> {BT}"
    assert fold_last(body, f"%x: {B}")[0] is None


def test_transposition_of_a_transposition() -> None:
    shapes = ("4x8x16", "16x4x8", "16x8x4")
    orders = ("[2, 1, 0]", "[1, 0, 2]", "[0, 1, 2]")
    swizzle = "#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = {}}}>"
    types = [
        f"!ttg.memdesc<{shape}xf16, {swizzle.format(order)}, #smem>"
        for shape, order in zip(shapes, orders, strict=True)
    ]
    body = (
        f"%t = ttg.memdesc_trans %x {{order = array<i32: 2, 0, 1>}} : {types[0]} -> {types[1]}\n"
        f"%r = ttg.memdesc_trans %t {{order = array<i32: 0, 2, 1>}} : {types[1]} -> {types[2]}"
    )
    folded, text = fold_last(body, f"%x: {types[0]}")
    assert folded is IN_PLACE
    assert "ttg.memdesc_trans %arg0 {order = array<i32: 2, 1, 0>} : " in text


def test_offsets_of_nested_slices_are_added() -> None:
    outer = "!ttg.memdesc<8x16xf16, #b, #smem, mutable>"
    half = "!ttg.memdesc<8x8xf16, #b, #smem, mutable, 8x16>"
    quarter = "!ttg.memdesc<4x4xf16, #b, #smem, mutable, 8x16>"
    body = (
        f"%s = ttg.memdesc_subslice %x[0, 8] : {outer} -> {half}\n"
        f"%r = ttg.memdesc_subslice %s[4, 4] : {half} -> {quarter}"
    )
    folded, text = fold_last(body, f"%x: {outer}")
    assert folded is IN_PLACE
    assert "ttg.memdesc_subslice %arg0[4, 12] : " in text
    alone = f"%s = ttg.memdesc_subslice %x[0, 8] : {outer} -> {half}"
    assert fold_last(alone, f"%x: {outer}")[0] is None


def test_reinterpretation_as_the_same_type() -> None:
    body = f"%r = ttg.memdesc_reinterpret %x : {B} -> {B}"
    assert fold_last(body, f"%x: {B}")[0] == "%arg0"
    other = B.replace("8x16", "16x8")
    body = f"%r = ttg.memdesc_reinterpret %x : {B} -> {other}"
    assert fold_last(body, f"%x: {B}")[0] is None


@pytest.mark.parametrize(
    ("source", "result", "folds"),
    [(B, B, True), (B, MUTABLE, False), (MUTABLE, B, False), (MUTABLE, MUTABLE, False)],
)
def test_a_copy_between_immutable_buffers(source: str, result: str, folds: bool) -> None:
    body = (
        f"%t = ttg.local_load %x : {source} -> {TENSOR}\n"
        f"%r = ttg.local_alloc %t : ({TENSOR}) -> {result}"
    )
    assert fold_last(body, f"%x: {source}")[0] == ("%arg0" if folds else None)


def test_an_allocation_of_another_value() -> None:
    assert fold_last(f"%r = ttg.local_alloc : () -> {MUTABLE}", f"%x: {B}")[0] is None
    body = f"%r = ttg.local_alloc %t : ({TENSOR}) -> {B}"
    assert fold_last(body, f"%x: {B}, %t: {TENSOR}")[0] is None
