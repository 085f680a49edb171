"""Which operations run under a predicate."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module
from weft.passes.pipelining.expansion.predication import resolve_masks, wrap_in_mask


def resolved(body: str, name: str) -> str:
    """Print a function after the operation of a name was predicated by %c."""
    module = parse_module(
        f"tt.func @f(%c: i1, %p: !tt.ptr<f32>, %x: f32) {{\n{body}\ntt.return\n}}",
        allow_unregistered=True,
    )
    (op,) = [op for op in walk(module) if op.name == name]
    assert op.parent is not None
    wrap_in_mask(op, op.parent.args[0])
    resolve_masks(module)
    return print_module(module)


def test_a_store_has_the_predicate_as_mask():
    assert "tt.store %arg1, %arg2, %arg0 :" in resolved(
        "tt.store %p, %x : !tt.ptr<f32>", "tt.store"
    )


def test_unregistered_operations_run_unconditionally():
    assert '"user"(%arg2)' in resolved('"user"(%x) : (f32) -> ()', "user")


def test_an_operation_without_a_predicate_is_refused():
    with pytest.raises(PassError, match=r"cannot predicate 'tt\.print'"):
        resolved('tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : f32', "tt.print")
